"""The report as text for terminals of any width and for pipes.

Like ``review.cli.report_markdown`` and ``review.cli.report_html`` it shows the rows of ``review.cli.report_model``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TextIO

from alice_exp.kernel.text.display import cells, one_line, visible, wrapped
from alice_exp.model.documents import evidence_line, payload_text, trigger_text
from alice_exp.review.cli.report_model import (
    NOTHING_SHARED,
    Section,
    Shared,
    facts,
    left,
    marks,
    neighbours,
    part_title,
    quoted,
    sections,
    shortened,
)
from alice_exp.review.cli.waiting_rows import told
from alice_exp.review.cli.where_it_holds import scoped
from alice_exp.review.rules.arrangement import Part, arranged, page_of, project_of, said_on
from alice_exp.review.rules.daily_report import Agenda, Item
from alice_exp.terminal.console import draws, short
from alice_exp.terminal.language import say

WIDE = 100
"""The terminal width, in columns, from which candidates are shown in a table instead of as cards."""

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
    shared, marked = Shared.of(items), marks(items)
    if shared.line:
        stream.writelines(f"{_dim(line, colour)}\n" for line in wrapped(shared.line, width))
    for number, part in enumerate(arranged(items)):
        within = shared.within(part.items)
        title = part_title(part, "" if part.key in FOLDED else within.place)
        stream.write("\n" * bool(number or shared.line) + _bold(title, colour) + "\n")
        draw = _folded if part.key in FOLDED else card
        if width >= WIDE and colour and draw is card:
            _rich_table(part.items, width, stream, within)
            continue
        for item in part.items:
            lines = draw(item, width, marked[item.placed.block.id], within, colour=colour)
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
    item: Item,
    width: int,
    marked: Sequence[str] = (),
    shared: Shared = NOTHING_SHARED,
    *,
    colour: bool,
    has_keys: bool = False,
) -> Iterator[str]:
    """A candidate as lines for a narrow terminal: number, trigger and marks; conflict; payload, quote, facts.

    The commands that settle what stands beside it are left out where keys do (``has_keys``)."""
    mark = " · ".join(marked)
    number = str(item.number or "·").rjust(3)
    when = trigger_text(item.placed) or say("always")
    for position, line in enumerate(wrapped(f"{when}  [{mark}]" if mark else when, width - 5)):
        yield f"{'' if position else number:5}{_bold(line, colour)}"
    quote = short(quoted(item.placed), 160)
    is_said = bool(said_on(item.placed.block))
    for line in wrapped(f"“{quote}”", width - 5) if is_said and quote else ():
        yield f"     {_dim(line, colour)}"
    for line in wrapped(payload_text(item.placed), width - 5):
        yield f"     {line}"
    for text in _fine_print(item, shared):
        for line in wrapped(text, width - 5):
            yield f"     {_dim(line, colour)}"
    for row in neighbours(item):
        for line in wrapped(f"{row.label} {row.text}", width - 5):
            yield f"     {_warned(line, colour) if row.note else _dim(line, colour)}"
        for line in wrapped(row.note, width - 7) if row.note and not has_keys else ():
            yield f"       {_dim(line, colour)}"


def _fine_print(item: Item, shared: Shared) -> Iterator[str]:
    """From which words it was learned, and what else one needs to decide, with its id."""
    quote = short(evidence_line(item.placed, say), 60)
    if quote and not said_on(item.placed.block):
        yield f"“{quote}”"
    yield " · ".join(filter(None, (facts(item, shared), item.placed.block.id)))


FOLDED = ("repeats", "turned_down")
"""The parts of which a screen shows no more than the text and what it repeats: there is little to decide."""


def _folded(item: Item, width: int, marked: Sequence[str], shared: Shared, *, colour: bool) -> Iterator[str]:
    """A candidate in as few lines as show when it applies, its text, what it repeats and the command for that."""
    del marked, shared
    number = str(item.number or "·").rjust(3)
    for position, line in enumerate(wrapped(told(item.placed), width - 5)):
        yield f"{'' if position else number:5}{line}"
    for row in neighbours(item):
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
    names = ["#", "id", *columns()[1:], say("marks"), say("evidence")]
    marked = marks(items)
    rows = [
        [
            str(item.number or "·"),
            item.placed.block.id,
            short(trigger_text(item.placed) or say("always"), 36),
            visible(payload_text(item.placed)).replace("\n", " "),
            f"{say(item.placed.block.state)} {item.confidence:.1f}",
            scoped(item.destination, project_of(item)),
            left(item),
            " · ".join(marked[item.placed.block.id]),
            visible(quoted(item.placed)),
        ]
        for item in items
    ]
    same = [at for at in _SHARED if len({row[at] for row in rows}) == 1 and len(rows) > 1]
    if facts := " · ".join(filter(None, (rows[0][at] for at in same))):
        stream.write(say("Each: {facts}", facts=facts) + "\n")
    names, *rows = ([cell for at, cell in enumerate(row) if at not in same] for row in (names, *rows))
    widths = [max(cells(row[index]) for row in [names, *rows]) for index in range(len(names))]
    for row in [names, *rows]:
        padded = (cell + " " * (size - cells(cell)) for cell, size in zip(row, widths, strict=True))
        stream.write("  ".join(padded).rstrip() + "\n")


_SHARED = (4, 5, 6, 7)
"""The columns (state, place, time left, marks) that are said once above the table where they are equal in every row."""


_GAP = 2
"""The columns between two columns of the table."""


def columns() -> list[str]:
    """The column names of the table of candidates."""
    return ["#", say("when"), say("what was learned"), say("state"), say("goes to"), say("left")]


def _rich_table(items: Sequence[Item], width: int, stream: TextIO, shared: Shared) -> None:
    # Imported here: rich costs more than most commands, and only wide colour terminals need it.
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    marked = marks(items)
    # Rich breaks lines only at spaces, which leaves lines of Chinese half empty, so they are wrapped here.
    first = max(12, (width - 3 - 2 * _GAP) // 4)
    second = width - 3 - 2 * _GAP - first
    table = Table.grid(padding=(0, _GAP, 0, 0))
    for size in (3, first, second):
        table.add_column(justify="right" if size == 3 else "left", no_wrap=True, width=size)
    for item in items:
        learned = Text("\n".join(wrapped(payload_text(item.placed), second)))
        for text in _fine_print(item, shared):
            learned.append("".join(f"\n{line}" for line in wrapped(text, second)), style="dim")
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
