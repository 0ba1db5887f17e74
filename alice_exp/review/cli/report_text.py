"""The report as text: for terminals of any width, for pipes, as a Markdown document.

Like ``review.cli.report_html`` it shows the cards of ``review.cli.candidate_card`` and the rows of
``review.cli.report_model``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from itertools import repeat, zip_longest
from typing import TextIO

from alice_exp.kernel.text.display import cells, one_line, visible, wrapped
from alice_exp.model.documents import payload_text
from alice_exp.review.cli.candidate_card import Card, Shared, cards, columns, neighbours
from alice_exp.review.cli.report_model import FOLDED, Section, beside, part_title, parts, sections, shortened
from alice_exp.review.cli.waiting_rows import told
from alice_exp.review.rules.arrangement import Part, arranged, page_of
from alice_exp.review.rules.daily_report import Agenda, Item
from alice_exp.terminal.console import draws, short
from alice_exp.terminal.language import say

WIDE = 100
"""The terminal width, in columns, from which a candidate stands in two columns."""

NARROWEST = 40


def show(
    report: Agenda, summary: str, stream: TextIO, shown: Sequence[Item] | None = None, page: int = 1
) -> None:
    """Print the report: as a table on a wide terminal, as cards on a narrow one, as plain text into a pipe.

    ``shown`` are the candidates to print, the screen ``page`` of them (from 1); None: all of them. Those that come
    behind them are only counted.
    """
    items = report.items if shown is None else shown
    is_terminal = stream.isatty()
    colour = draws(stream)
    width = _width(stream) if is_terminal else 0
    if items and not is_terminal:
        stream.write(_bold(say("Waiting for your decision"), colour) + "\n")
        _plain_table(items, stream)
        _beside(items, stream)
    elif items:
        _candidates(items, width, stream, colour=colour)
    rest = _behind(report.items, items)
    if rest and not items:
        none = (
            say("There is no screen {page}.", page=page) if page > 1 else say("Nothing that waits matches.")
        )
        stream.write(_dim(none, colour) + "\n")
    elif rest:
        counted = say(
            "{count} more are only counted: alice-exp review, or --page {page}",
            count=len(rest),
            page=page + 1,
        )
        stream.write("\n" + _dim(counted, colour) + "\n")
        parts = arranged(rest)
        stream.writelines(f"  {_dim(_part_counted(part), colour)}\n" for part in parts if len(parts) > 1)
    found = sections(report)
    for index, section in enumerate(map(shortened, found) if is_terminal else found):
        stream.write("\n" * bool(index or items) + _title(section, colour) + "\n")
        stream.writelines(f"{line}\n" for line in _rows(section, width, colour))
    if items or not report.is_empty:
        stream.write("\n")
    # A pipe has no width: the next program does the wrapping.
    stream.writelines(f"{line}\n" for line in wrapped(summary, width or 1 << 20))
    stream.flush()


def _behind(items: Sequence[Item], shown: Sequence[Item]) -> list[Item]:
    """What comes behind the screen that is shown; where that is no screen of the whole, all that is not on it."""
    given = {item.placed.block.id for item in shown}
    last = max((at for at, item in enumerate(items) if item.placed.block.id in given), default=-1)
    is_screen = all(item.placed.block.id in given for item in items[last + 1 - len(given) : last + 1])
    return [i for i in items[last + 1 if is_screen else 0 :] if i.placed.block.id not in given]


def _part_counted(part: Part) -> str:
    """A part of what is only counted: its title and how many."""
    return say("{title}: {count}", title=part_title(part), count=len(part.items))


NOTICE_LINES = 8
"""The most lines that the first command of a day prints above its answer, the blank one below them included."""


def notice(report: Agenda, summary: str, stream: TextIO) -> None:
    """Print the summary, then as many candidates as there is room for, a line each."""
    width = _width(stream)
    room = NOTICE_LINES - 1
    lines = list(wrapped(summary, width))
    if len(lines) > room:
        lines = [*lines[: room - 1], one_line(f"{lines[room - 1]} …", width)]
    lines += [
        f"  {one_line(payload_text(item.placed), width - 4)}"
        for item in page_of(report.items)[: room - len(lines)]
    ]
    stream.writelines(f"{line}\n" for line in (*lines, ""))


def _candidates(items: Sequence[Item], width: int, stream: TextIO, *, colour: bool) -> None:
    """The candidates on a terminal, part by part: what they have in shared first, then cards or a table."""
    shared = Shared.of(items).line
    stream.writelines(f"{_dim(line, colour)}\n" for line in wrapped(shared, width) if shared)
    for number, (key, title, part) in enumerate(parts(items)):
        stream.write("\n" * bool(number or shared) + _bold(title, colour) + "\n")
        for card in part:
            lines = _folded(card, width, colour) if key in FOLDED else drawn(card, width, colour=colour)
            stream.writelines(f"{line}\n" for line in lines)


def _beside(items: Sequence[Item], stream: TextIO) -> None:
    """Into a pipe: a line for each known block that stands beside a candidate."""
    rows = beside(items)
    if rows:
        stream.write("\n" + say("Beside them") + "\n")
    for name, row in rows:
        parts = filter(None, (name, f"{row.label} {row.text}", row.note))
        stream.write(visible("  ".join(parts)).replace("\n", " ") + "\n")


def _width(stream: TextIO) -> int:
    # COLUMNS overrides the terminal's own answer.
    named = os.environ.get("COLUMNS", "")
    if named.isdigit() and int(named) > 0:
        return max(NARROWEST, int(named))
    try:
        return max(NARROWEST, os.get_terminal_size(stream.fileno()).columns)
    except (OSError, ValueError):
        return 80


def _bold(text: str, colour: bool) -> str:
    return f"\x1b[1m{visible(text)}\x1b[0m" if colour else visible(text)


_URGENT = {"settle": "33", "review": "33", "returned": "33", "problems": "31"}
"""The colours (SGR) of the sections that need attention."""


def _title(section: Section, colour: bool) -> str:
    paint = _URGENT.get(section.key, "") if colour else ""
    return f"\x1b[1;{paint}m{visible(section.title)}\x1b[0m" if paint else _bold(section.title, colour)


def _dim(text: str, colour: bool) -> str:
    return f"\x1b[2m{text}\x1b[0m" if colour else text


def drawn(card: Card, width: int, *, colour: bool, has_keys: bool = False) -> Iterator[str]:
    """A candidate as lines: number, trigger and marks; quote, payload, facts, and what stands beside it.

    From ``WIDE`` columns on the trigger and the marks stand to its left. The commands that settle what stands beside it
    are left out where keys do (``has_keys``)."""
    is_wide = width >= WIDE and not has_keys
    left = (width - 7) // 4 if is_wide else width - 5
    mark = " · ".join(card.marks)
    head = [_bold(line, colour) for line in wrapped(card.when + (f"  [{mark}]" if mark else ""), left)]
    body = [*_body(card, width - 7 - left if is_wide else left, colour, has_keys)]
    rows = zip_longest(head, body, fillvalue="") if is_wide else zip((*head, *body), repeat(""))
    for at, (line, right) in enumerate(rows):
        gap = " " * (left + 2 - cells(_SGR.sub("", line))) if right else ""
        yield f"{'' if at else card.number.rjust(3):5}{line}{gap}{right}"


_SGR = re.compile(r"\x1b\[[0-9;]*m")


def _body(card: Card, width: int, colour: bool, has_keys: bool) -> Iterator[str]:
    """What stands below, or to the right of, a candidate's trigger."""
    quote = f"“{short(card.quote, 160 if card.is_said else 60)}”" if card.quote else ""
    facts = " · ".join(filter(None, (card.facts, card.id)))
    said = [*wrapped(quote, width)] if quote else []
    yield from (_dim(line, colour) for line in said if card.is_said)
    yield from wrapped(card.what, width)
    yield from (_dim(line, colour) for line in said if not card.is_said)
    yield from (_dim(line, colour) for line in wrapped(facts, width))
    for row in neighbours(card.item):
        paint = _warned if row.note else _dim
        yield from (paint(line, colour) for line in wrapped(f"{row.label} {row.text}", width))
        if row.note and not has_keys:
            yield from (f"  {_dim(line, colour)}" for line in wrapped(row.note, width - 2))


def _folded(card: Card, width: int, colour: bool) -> Iterator[str]:
    """A candidate in as few lines as show when it applies, its text, what it repeats and the command for that."""
    for position, line in enumerate(wrapped(told(card.item.placed), width - 5)):
        yield f"{'' if position else card.number.rjust(3):5}{line}"
    for row in neighbours(card.item):
        if row.note or row.label != "·":
            for line in wrapped(f"{row.label} {row.text}", width - 5):
                yield f"     {_dim(line, colour)}"
            for line in wrapped(row.note, width - 7) if row.note else ():
                yield f"       {_dim(line, colour)}"


def _warned(text: str, colour: bool) -> str:
    return f"\x1b[33m{text}\x1b[0m" if colour else text


def _rows(section: Section, width: int, colour: bool) -> Iterator[str]:
    for row in section.rows:
        if not width:
            parts = (row.label, row.text.replace("\n", "  "), row.note)
            yield visible("  ".join(part for part in parts if part))
            continue
        yield from (f"  {line}" for line in wrapped(f"{row.label}  {row.text}".rstrip(), width - 2))
        yield from (f"    {_dim(line, colour)}" for line in wrapped(row.note, width - 4) if row.note)
    if section.more:
        yield "  " + say("and {count} more", count=section.more)


def _plain_table(items: Sequence[Item], stream: TextIO) -> None:
    rows = [[visible(cell).replace("\n", " ") for cell in card.cells] for card in cards(items)]
    for row in rows:
        row[_WHEN] = short(row[_WHEN], 36)
    same = [at for at in _SHARED if len({row[at] for row in rows}) == 1 and len(rows) > 1]
    said = {at: say("proposed by {who}", who=rows[0][at]) if at == _BY else rows[0][at] for at in same}
    if facts := " · ".join(filter(None, said.values())):
        stream.write(say("Each: {facts}", facts=facts) + "\n")
    kept = [[cell for at, cell in enumerate(row) if at not in same] for row in (columns(), *rows)]
    widths = [max(map(cells, column)) for column in zip(*kept, strict=True)]
    for row in kept:
        padded = (cell + " " * (size - cells(cell)) for cell, size in zip(row, widths, strict=True))
        stream.write("  ".join(padded).rstrip() + "\n")


_WHEN, _BY = 2, 7
_SHARED = (_BY, 4, 5, 6, 8)
"""The columns (state, place, time left, proposer, marks) that are said once above the table where all rows say the
same."""


def markdown(report: Agenda, summary: str) -> str:
    """The report as Markdown: the summary, a table of candidates, a list for each section."""
    lines = [f"# {say('Heartbeat of {day}', day=report.at[:10])}", "", _escaped(summary), ""]
    if report.items:
        lines += [f"## {say('Waiting for your decision')}", "", _table_row(columns())]
        lines += [
            "|" + " --- |" * len(columns()),
            *(_table_row(card.cells) for card in cards(report.items)),
            "",
        ]
    if rows := beside(report.items):
        said = (_listed(name, f"{row.label} {row.text}", row.note) for name, row in rows)
        lines += [f"## {say('Beside them')}", "", *said, ""]
    for section in sections(report):
        lines += [
            f"## {section.title}",
            "",
            *(_listed(row.label, row.text, row.note) for row in section.rows),
        ]
        lines += [f"- {say('and {count} more', count=section.more)}"] if section.more else []
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _listed(name: str, text: str, note: str) -> str:
    row = f"- **{_escaped(name)}** {_escaped(text)}".rstrip()
    return f"{row} — *{_escaped(note)}*" if note else row


def _table_row(texts: Sequence[str]) -> str:
    return "| " + " | ".join(_escaped(text) for text in texts) + " |"


_MARKS = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_{}[]<>#|!~$"})


def _escaped(text: str) -> str:
    """Untrusted text for Markdown: escaped, so that it formats, links and embeds nothing."""
    return " ".join(visible(text).split()).translate(_MARKS)
