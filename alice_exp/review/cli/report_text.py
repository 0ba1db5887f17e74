"""The report as text: for terminals of any width, for pipes, and as a Markdown document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import repeat, zip_longest
from shutil import get_terminal_size
from typing import TextIO

from alice_exp.kernel.text.display import cells, filling, one_line, visible, wrapped
from alice_exp.model.documents import payload_text
from alice_exp.review.cli.candidate_card import (
    FOLDED,
    Card,
    Row,
    cards,
    columns,
    neighbours,
    part_title,
    parts,
    shared,
    shared_line,
    told,
)
from alice_exp.review.cli.report_parts import FEW, Section, sections
from alice_exp.review.rules.daily_report import Agenda, Item
from alice_exp.review.rules.report_order import arranged, page_of
from alice_exp.terminal.console import aligned, draws, short
from alice_exp.terminal.language import say

WIDE = 100
"""The terminal width, in columns, from which a candidate stands in two columns."""

BOLD, DIM, WARNED = "1", "2", "33"
_URGENT = {"settle": "1;33", "review": "1;33", "returned": "1;33", "problems": "1;31"}
"""The colours (SGR) of lines, and of the titles of the sections that need attention."""

_SGR = re.compile(r"\x1b\[[0-9;]*m")


def show(report: Agenda, summary: str, stream: TextIO, items: Sequence[Item], page: int) -> None:
    """Print the report: as a table on a wide terminal, as cards on a narrow one, as plain text into a pipe; of its
    candidates ``items``, the screen ``page`` (from 1), those behind them counted."""
    # A pipe has no width: the next program does the wrapping.
    width = max(40, get_terminal_size().columns) if stream.isatty() else 0
    blocks = [*(_screen(items, width) if width else _piped(items))] if items else []
    blocks.append([*_counted(_behind(report.items, items), items, page)])
    for section in sections(report):
        blocks.append([*_section(section, width)])
    blocks.append(wrapped(summary, width or 1 << 20))
    text = "\n\n".join("\n".join(block) for block in blocks if block) + "\n"
    stream.write(text if draws(stream) else _SGR.sub("", text))
    stream.flush()


def happened(report: Agenda, sentences: str, width: int) -> Iterator[str]:
    """What happened since the report before and waits for no answer: all that only this report tells."""
    for section in sections(report):
        if section.key in ("by_dialog", "changed", "returned", "by_hand"):
            yield from _section(section, width)
    yield from wrapped(sentences, width) if sentences else ()


def _section(section: Section, width: int) -> Iterator[str]:
    rows, more = section.told(FEW if width else 0)
    yield from _lines(section.title, width or 1 << 20, _URGENT.get(section.key, BOLD))
    yield from (line for row in rows for line in _row(row, width))
    yield from (f"  {more}",) if more else ()


def _behind(items: Sequence[Item], shown: Sequence[Item]) -> list[Item]:
    """What comes behind the screen that is shown; where that is no screen of the whole, all that is not on it."""
    given = {item.placed.block.id for item in shown}
    last = max((at for at, item in enumerate(items) if item.placed.block.id in given), default=-1)
    is_screen = all(item.placed.block.id in given for item in items[last + 1 - len(given) : last + 1])
    return [i for i in items[last + 1 if is_screen else 0 :] if i.placed.block.id not in given]


def _counted(rest: Sequence[Item], items: Sequence[Item], page: int) -> Iterator[str]:
    """What is only counted, by its parts; that nothing is on this screen."""
    if rest and items:
        more = "{count} more are only counted: alice-exp review, or --page {page}"
        yield _painted(say(more, count=len(rest), page=page + 1), DIM)
        found = arranged(rest)
        for key, row in found if len(found) > 1 else ():
            yield "  " + _painted(say("{title}: {count}", title=part_title(key), count=len(row)), DIM)
    elif rest:
        none = say("There is no screen {page}.", page=page) if page > 1 else ""
        yield _painted(none or say("Nothing that waits matches."), DIM)


NOTICE_LINES = 8
"""The most lines that the first command of a day prints above its answer, the blank one below them included."""


def notice(report: Agenda, summary: str, stream: TextIO) -> None:
    """Print the summary, then as many candidates as there is room for, a line each."""
    width, room = max(40, get_terminal_size().columns), NOTICE_LINES - 1
    lines = wrapped(summary, width)
    if len(lines) > room:
        lines = [*lines[: room - 1], one_line(f"{lines[room - 1]} …", width)]
    first = page_of(report.items)[: room - len(lines)]
    lines += [f"  {one_line(payload_text(item.placed), width - 4)}" for item in first]
    stream.writelines(f"{line}\n" for line in (*lines, ""))


def _screen(items: Sequence[Item], width: int) -> Iterator[list[str]]:
    """The candidates on a terminal, part by part: what they share first, then cards or a table."""
    if each := shared_line(shared(items)):
        yield _lines(each, width, DIM)
    for key, title, part in parts(items):
        how = _folded if key in FOLDED else drawn
        yield [_painted(title, BOLD), *(line for card in part for line in how(card, width))]


def _painted(text: str, colour: str) -> str:
    """A text, escaped, in a colour; where none is drawn the whole report loses them."""
    return f"\x1b[{colour}m{visible(text)}\x1b[0m"


def _lines(text: str, width: int, colour: str) -> list[str]:
    return [_painted(line, colour) for line in wrapped(text, width)]


def plain(lines: Iterator[str], is_drawn: bool) -> Iterator[str]:
    """Lines in colours only where these are drawn."""
    return lines if is_drawn else (_SGR.sub("", line) for line in lines)


def drawn(card: Card, width: int, *, has_keys: bool = False) -> Iterator[str]:
    """A candidate as lines: number, trigger and marks (from ``WIDE`` columns on to the left); quote, payload, facts,
    and what stands beside it, without commands where keys decide (``has_keys``)."""
    is_wide = width >= WIDE and not has_keys
    left = (width - 7) // 4 if is_wide else width - 5
    mark = " · ".join(card.marks)
    head = _lines(card.when + (f"  [{mark}]" if mark else ""), left, BOLD)
    body = [*_body(card, width - 7 - left if is_wide else left, has_keys)]
    rows = zip_longest(head, body, fillvalue="") if is_wide else zip((*head, *body), repeat(""))
    for at, (line, right) in enumerate(rows):
        gap = " " * (left + 2 - cells(_SGR.sub("", line))) if right else ""
        yield f"{'' if at else card.number.rjust(3):5}{line}{gap}{right}"


def _body(card: Card, width: int, has_keys: bool) -> Iterator[str]:
    quote = short(card.quote, 160 if card.is_said else 60)
    said = (
        _lines(f"“{quote}”" if card.is_said else f"{say('evidence')} · {quote}", width, DIM) if quote else []
    )
    # What is proposed as it was said stands once.
    what = [] if card.is_said and quote.endswith(card.what) else wrapped(card.what, width)
    yield from (*said, *what) if card.is_said else (*what, *said)
    yield from _lines(" · ".join(filter(None, (card.facts, card.id))), width, DIM)
    for row in neighbours(card.item):
        yield from _lines(f"{row.label} {row.text}", width, WARNED if row.note else DIM)
        if row.note and not has_keys:
            yield from (f"  {line}" for line in _lines(row.note, width - 2, DIM))


def _folded(card: Card, width: int) -> Iterator[str]:
    """A candidate in as few lines as show when it applies, its text, what it repeats and the command for that."""
    for position, line in enumerate(wrapped(told(card.item.placed), width - 5)):
        yield f"{'' if position else card.number.rjust(3):5}{line}"
    for row in neighbours(card.item):
        if row.note or row.label != "·":
            yield from (f"     {line}" for line in _lines(f"{row.label} {row.text}", width - 5, DIM))
            yield from (f"       {line}" for line in _lines(row.note, width - 7, DIM) if row.note)


def _row(row: Row, width: int) -> Iterator[str]:
    if not width:
        yield visible("  ".join(filter(None, (row.label, row.text.replace("\n", "  "), row.note))))
        return
    yield from (f"  {line}" for line in wrapped(f"{row.label}  {row.text}".rstrip(), width - 2))
    yield from (f"    {line}" for line in _lines(row.note, width - 4, DIM) if row.note)


_WHEN, _BY = 2, 7
_SHARED = (_BY, 4, 5, 6, 8)
"""The columns (state, place, time left, proposer, marks) that are said once above the table where all rows agree."""


def _piped(items: Sequence[Item]) -> Iterator[list[str]]:
    """Into a pipe: a table of the candidates, then a line for each known block that stands beside one."""
    rows = [[visible(cell).replace("\n", " ") for cell in card.cells] for card in cards(items)]
    for row in rows:
        row[_WHEN] = short(row[_WHEN], 36)
    same = [at for at in _SHARED if len({row[at] for row in rows}) == 1 and len(rows) > 1]
    said = (say("proposed by {who}", who=rows[0][at]) if at == _BY else rows[0][at] for at in same)
    facts = " · ".join(filter(None, said))
    kept = [[cell for at, cell in enumerate(row) if at not in same] for row in (columns(), *rows)]
    each = [say("Each: {facts}", facts=facts)] if facts else []
    yield [_painted(say("Waiting for your decision"), BOLD), *each, *aligned(kept)]
    beside = [
        visible("  ".join(filter(None, (name, f"{row.label} {row.text}", row.note)))).replace("\n", " ")
        for name, row in _beside(items)
    ]
    yield [say("Beside them"), *beside] if beside else []


def _beside(items: Sequence[Item]) -> list[tuple[str, Row]]:
    """What stands beside the candidates, each row with the candidate's number or id."""
    return [(str(item.number or item.placed.block.id), row) for item in items for row in neighbours(item)]


_MARKS = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_{}[]<>#|!~$"})

_md = filling(lambda text: " ".join(visible(text).split()).translate(_MARKS))
"""Untrusted text in Markdown is escaped, so that it formats, links and embeds nothing."""


def markdown(report: Agenda, summary: str) -> str:
    """The report as Markdown: the summary, a table of candidates, a list for each section."""
    blocks: list[list[str]] = [[f"# {say('Heartbeat of {day}', day=report.at[:10])}"], [_md("{0}", summary)]]
    if report.items:
        heads, *rows = (
            _md("| {0} |", [_md("{0}", cell) for cell in row], between=" | ")
            for row in (columns(), *(card.cells for card in cards(report.items)))
        )
        blocks += [
            [f"## {say('Waiting for your decision')}"],
            [heads, "|" + " --- |" * len(columns()), *rows],
        ]
    beside = [_listed(Row(name, f"{row.label} {row.text}", row.note)) for name, row in _beside(report.items)]
    blocks += [[f"## {say('Beside them')}"], beside] if beside else []
    for section in sections(report):
        shown, more = section.told(0)
        blocks += [[f"## {section.title}"], [*map(_listed, shown), *([f"- {more}"] if more else [])]]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _listed(row: Row) -> str:
    note = _md(" — *{0}*", row.note) if row.note else ""
    return _md("- **{0}** {1}", row.label, row.text).rstrip() + note
