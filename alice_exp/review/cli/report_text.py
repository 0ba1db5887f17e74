"""The report as text for terminals of any width and for pipes.

Like ``review.cli.report_markdown`` and ``review.cli.report_html`` it shows the rows of ``review.cli.report_model``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TextIO

from alice_exp.kernel.text.display import cells, one_line, visible
from alice_exp.kernel.text.wrapping import wrapped
from alice_exp.model.documents import evidence_line, payload_text, trigger_text
from alice_exp.review.cli.report_model import (
    NOTHING_SHARED,
    Section,
    Shared,
    columns,
    facts,
    left,
    marks,
    neighbours,
    part_title,
    sections,
    shortened,
)
from alice_exp.review.rules.arrangement import arranged, page_of
from alice_exp.review.rules.daily_report import Agenda, Item
from alice_exp.terminal.console import draws, short
from alice_exp.terminal.language import say

WIDE = 100
"""The terminal width, in columns, from which candidates are shown in a table instead of as cards."""

NARROWEST = 40


def show(report: Agenda, summary: str, stream: TextIO, shown: Sequence[Item] | None = None) -> None:
    """Print the report: as a table on a wide terminal, as cards on a narrow one, as plain text into a pipe.

    ``shown`` are the candidates to print; None: all of them. The others are only counted.
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
    rest = len(report.items) - len(items)
    if rest:
        counted = say("{count} more are only counted: alice-exp review, or --page 2", count=rest)
        stream.write("\n" + _dim(counted, colour) + "\n")
        stream.writelines(f"  {_dim(line, colour)}\n" for line in _left_out(report, items))
    found = sections(report)
    for index, section in enumerate(map(shortened, found) if is_terminal else found):
        stream.write("\n" * bool(index or items) + _title(section, colour) + "\n")
        stream.writelines(f"{line}\n" for line in _rows(section, width, colour))
    if items or not report.is_empty:
        stream.write("\n")
    # A pipe has no width: the next program does the wrapping.
    stream.writelines(f"{line}\n" for line in wrapped(summary, width or 1 << 20))
    stream.flush()


def _left_out(report: Agenda, shown: Sequence[Item]) -> Iterator[str]:
    """Each part of which something is only counted, in one line: its title and how many."""
    given = {item.placed.block.id for item in shown}
    for part in arranged(report.items):
        count = sum(item.placed.block.id not in given for item in part.items)
        if count:
            yield say("{title}: {count}", title=part_title(part), count=count)


NOTICE_LINES = 5
"""The most lines that the first command of a day prints below the summary."""


def notice(report: Agenda, summary: str, stream: TextIO) -> None:
    """Print the summary and at most five candidates, a line each: what a person reads before another answer."""
    width = _width(stream)
    stream.writelines(f"{line}\n" for line in wrapped(summary, width))
    for item in page_of(report.items)[:NOTICE_LINES]:
        stream.write("  " + one_line(payload_text(item.placed), width - 4) + "\n")
    stream.write("\n")


def _candidates(items: Sequence[Item], width: int, stream: TextIO, *, colour: bool) -> None:
    """The candidates on a terminal, part by part: what they have in shared first, then cards or a table."""
    shared, marked = Shared.of(items), marks(items)
    if shared.line:
        stream.writelines(f"{_dim(line, colour)}\n" for line in wrapped(shared.line, width))
    for number, part in enumerate(arranged(items)):
        stream.write("\n" * bool(number or shared.line) + _bold(part_title(part), colour) + "\n")
        if width >= WIDE and colour:
            _rich_table(part.items, width, stream, shared)
        else:
            draw = _folded if part.key in FOLDED else card
            for item in part.items:
                lines = draw(item, width, marked[item.placed.block.id], shared, colour=colour)
                stream.writelines(f"{line}\n" for line in lines)


def _beside(items: Sequence[Item], stream: TextIO) -> None:
    """Into a pipe: a line for each known block that stands beside a candidate."""
    rows = [(item, row) for item in items for row in neighbours(item)]
    if rows:
        stream.write("\n" + say("Beside them") + "\n")
    for item, row in rows:
        parts = (str(item.number or item.placed.block.id), f"{row.label} {row.text}", row.note)
        stream.write(visible("  ".join(filter(None, parts))).replace("\n", " ") + "\n")


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


def card(
    item: Item, width: int, marked: Sequence[str] = (), shared: Shared = NOTHING_SHARED, *, colour: bool
) -> Iterator[str]:
    """A candidate as lines for a narrow terminal: number, trigger and marks; conflict; payload, quote, facts."""
    mark = " · ".join(marked)
    number = str(item.number or "·").rjust(3)
    when = trigger_text(item.placed) or say("always")
    for position, line in enumerate(wrapped(f"{when}  [{mark}]" if mark else when, width - 5)):
        yield f"{'' if position else number:5}{_bold(line, colour)}"
    for line in wrapped(payload_text(item.placed), width - 5):
        yield f"     {line}"
    quote = short(evidence_line(item.placed), 60)
    for text in (f"“{quote}”" if quote else "", f"{facts(item, shared)} · {item.placed.block.id}"):
        for line in wrapped(text, width - 5) if text else ():
            yield f"     {_dim(line, colour)}"
    for row in neighbours(item):
        for line in wrapped(f"{row.label} {row.text}", width - 5):
            yield f"     {_warned(line, colour) if row.note else _dim(line, colour)}"
        for line in wrapped(row.note, width - 7) if row.note else ():
            yield f"       {_dim(line, colour)}"


FOLDED = ("repeats", "turned_down")
"""The parts of which a screen shows no more than the text and what it repeats: there is little to decide."""


def _folded(item: Item, width: int, marked: Sequence[str], shared: Shared, *, colour: bool) -> Iterator[str]:
    """A candidate in as few lines as show its text, what it repeats and the command that settles it."""
    del marked, shared
    number = str(item.number or "·").rjust(3)
    for position, line in enumerate(wrapped(payload_text(item.placed), width - 5)):
        yield f"{'' if position else number:5}{line}"
    for row in neighbours(item):
        if row.note or row.label == "✗":
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
    names = ["#", "id", *columns()[1:], say("marks"), say("evidence")]
    marked = marks(items)
    rows = [
        [
            str(item.number or "·"),
            item.placed.block.id,
            short(trigger_text(item.placed) or say("always"), 36),
            visible(payload_text(item.placed)).replace("\n", " "),
            f"{say(item.placed.block.state)} {item.confidence:.1f}",
            item.destination,
            left(item),
            " · ".join(marked[item.placed.block.id]),
            visible(evidence_line(item.placed)),
        ]
        for item in items
    ]
    same = [at for at in _SHARED if len({row[at] for row in rows}) == 1 and len(rows) > 1]
    if facts := " · ".join(filter(None, (rows[0][at] for at in same))):
        stream.write(say("All of them: {facts}", facts=facts) + "\n")
    names, *rows = ([cell for at, cell in enumerate(row) if at not in same] for row in (names, *rows))
    widths = [max(cells(row[index]) for row in [names, *rows]) for index in range(len(names))]
    for row in [names, *rows]:
        padded = (cell + " " * (size - cells(cell)) for cell, size in zip(row, widths, strict=True))
        stream.write("  ".join(padded).rstrip() + "\n")


_SHARED = (4, 5, 6, 7)
"""The columns (state, place, time left, marks) that are said once above the table where they are equal in every row."""


_FRAME = 8
"""The columns of the table's own padding."""


def _rich_table(items: Sequence[Item], width: int, stream: TextIO, shared: Shared) -> None:
    # Imported here: rich costs more than most commands, and only wide colour terminals need it.
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    marked = marks(items)
    # Rich breaks lines only at spaces, which leaves lines of Chinese half empty, so they are wrapped here.
    first = max(12, (width - _FRAME) // 4)
    second = width - _FRAME - first - 4
    table = Table(box=box.SIMPLE, pad_edge=False, width=width, show_header=False, show_lines=False)
    for size in (4, first, second):
        table.add_column(justify="right" if size == 4 else "left", no_wrap=True, width=size)
    for item in items:
        quote = short(evidence_line(item.placed), 60)
        learned = Text("\n".join(wrapped(payload_text(item.placed), second)))
        for text in (f"“{quote}”" if quote else "", f"{facts(item, shared)} · {item.placed.block.id}"):
            learned.append("".join(f"\n{line}" for line in wrapped(text, second) if text), style="dim")
        for row in neighbours(item):
            style = "yellow" if row.note else "dim"
            learned.append("".join(f"\n{line}" for line in wrapped(f"{row.label} {row.text}", second)), style)
            learned.append(
                "".join(f"\n  {line}" for line in wrapped(row.note, second - 2) if row.note), "dim"
            )
        when = Text("\n".join(wrapped(trigger_text(item.placed) or say("always"), first)), style="bold")
        when.append("".join(f"\n{mark}" for mark in marked[item.placed.block.id]), style="dim")
        table.add_row(str(item.number or "·"), when, learned)
    Console(file=stream, highlight=False, width=width, force_terminal=True).print(table)
