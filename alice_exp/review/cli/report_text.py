"""The report as text for terminals of any width and for pipes.

Like ``review.cli.report_markdown`` and ``review.cli.report_html`` it shows the rows of ``review.cli.report_model``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TextIO

from alice_exp.kernel.text.display import cells, visible
from alice_exp.kernel.text.wrapping import wrapped
from alice_exp.model.documents import evidence_line, payload_text, trigger_text
from alice_exp.review.cli.report_model import Section, columns, facts, left, marks, sections
from alice_exp.review.rules.daily_report import Agenda, Item
from alice_exp.terminal.console import draws, short
from alice_exp.terminal.language import say

WIDE = 100
"""The terminal width, in columns, from which candidates are shown in a table instead of as cards."""

NARROWEST = 40


def show(report: Agenda, summary: str, stream: TextIO) -> None:
    """Print the report: as a table on a wide terminal, as cards on a narrow one, as plain text into a pipe."""
    is_terminal = stream.isatty()
    colour = draws(stream)
    width = _width(stream) if is_terminal else 0
    if report.items:
        stream.write(_bold(say("Waiting for your decision"), colour) + "\n")
        if not is_terminal:
            _plain_table(report.items, stream)
        elif width >= WIDE and colour:
            _rich_table(report.items, width, stream)
        else:
            marked = marks(report.items)
            for item in report.items:
                lines = card(item, width, marked[item.placed.block.id], colour=colour)
                stream.writelines(f"{line}\n" for line in ("", *lines))
    for index, section in enumerate(sections(report)):
        stream.write("\n" * bool(index or report.items) + _title(section, colour) + "\n")
        stream.writelines(f"{line}\n" for line in _rows(section, width, colour))
    if report.items or not report.is_empty:
        stream.write("\n")
    # A pipe has no width: the next program does the wrapping.
    stream.writelines(f"{line}\n" for line in wrapped(summary, width or 1 << 20))
    stream.flush()


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


_URGENT = {"together": "33", "review": "33", "returned": "33", "problems": "31"}
"""The colours (SGR) of the sections that need attention."""


def _title(section: Section, colour: bool) -> str:
    paint = _URGENT.get(section.key, "") if colour else ""
    return f"\x1b[1;{paint}m{visible(section.title)}\x1b[0m" if paint else _bold(section.title, colour)


def _dim(text: str, colour: bool) -> str:
    return f"\x1b[2m{text}\x1b[0m" if colour else text


def card(item: Item, width: int, marked: Sequence[str] = (), *, colour: bool) -> Iterator[str]:
    """A candidate as lines for a narrow terminal: number, trigger and marks, payload, evidence, facts."""
    mark = " · ".join(marked)
    number = str(item.number or "·").rjust(3)
    when = trigger_text(item.placed) or say("always")
    for position, line in enumerate(wrapped(f"{when}  [{mark}]" if mark else when, width - 5)):
        yield f"{'' if position else number:5}{_bold(line, colour)}"
    for line in wrapped(payload_text(item.placed), width - 5):
        yield f"     {line}"
    quote = short(evidence_line(item.placed), 60)
    for text in (f"“{quote}”" if quote else "", f"{facts(item)} · {item.placed.block.id}"):
        for line in wrapped(text, width - 5) if text else ():
            yield f"     {_dim(line, colour)}"


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
    names = ["#", "id", *columns()[1:], say("evidence")]
    marked = marks(items)
    rows = [
        [
            str(item.number or "·"),
            item.placed.block.id,
            short(trigger_text(item.placed) or say("always"), 36),
            visible(payload_text(item.placed)).replace("\n", " "),
            f"{say(item.placed.block.state)} {item.confidence:.1f}",
            item.destination,
            " · ".join(filter(None, (left(item), *marked[item.placed.block.id]))),
            visible(evidence_line(item.placed)),
        ]
        for item in items
    ]
    widths = [max(cells(row[index]) for row in [names, *rows]) for index in range(len(names))]
    for row in [names, *rows]:
        padded = (cell + " " * (size - cells(cell)) for cell, size in zip(row, widths, strict=True))
        stream.write("  ".join(padded).rstrip() + "\n")


_COLOURS = {"possible": "yellow", "past": "cyan", "reliable": "green"}


_FRAME = 18
"""The columns of the table's own padding."""


def _rich_table(items: Sequence[Item], width: int, stream: TextIO) -> None:
    # Imported here: rich costs more than most commands, and only wide colour terminals need it.
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    marked = marks(items)
    narrow = [_narrow(item, marked[item.placed.block.id]) for item in items]
    names = columns()
    taken = [
        max(cells(line) for row in [[names[at]], *(row[index] for row in narrow)] for line in row)
        for index, at in enumerate((0, 3, 4, 5))
    ]
    # Rich breaks lines only at spaces, which leaves lines of Chinese half empty, so they are wrapped here.
    first = max(12, (width - _FRAME - sum(taken)) // 3)
    second = max(24, width - _FRAME - sum(taken) - first)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, width=width, show_lines=False)
    for name, fixed in zip(names, (taken[0], first, second, *taken[1:]), strict=True):
        table.add_column(name, justify="right" if name == "#" else "left", no_wrap=True, width=fixed)
    for item, (number, state, goes, days) in zip(items, narrow, strict=True):
        quote = short(evidence_line(item.placed), 60)
        learned = Text("\n".join(wrapped(payload_text(item.placed), second)))
        if quote:
            learned.append("\n" + "\n".join(wrapped(f"“{quote}”", second)), style="dim")
        when = Text("\n".join(wrapped(trigger_text(item.placed) or say("always"), first)), style="bold")
        stands = Text(state[0], _COLOURS.get(item.placed.block.state, ""))
        stands.append("".join(f"\n{mark}" for mark in state[1:]), style="bold")
        where = Text("\n".join(goes[:-1])).append(f"\n{goes[-1]}", style="dim")
        table.add_row(number[0], when, learned, stands, where, days[0])
    Console(file=stream, highlight=False, width=width, force_terminal=True).print(table)


def _narrow(item: Item, marked: Sequence[str]) -> tuple[list[str], list[str], list[str], list[str]]:
    """The lines of a candidate's narrow cells: number, state with marks, destination with id, time left."""
    block = item.placed.block
    brief = [say("changed") if mark == say("changed since it was shown") else mark for mark in marked]
    state = [f"{say(block.state)} {item.confidence:.1f}", *brief]
    goes = [*item.destination.replace("/", "/\n", 1).split("\n"), block.id]
    return [str(item.number or "·")], state, goes, [left(item)]
