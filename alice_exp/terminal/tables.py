"""Draws tables for a person at a terminal, through rich: one or two columns of prose, the others short and unbroken.

If there is too little room for the prose beside the other columns, it is placed below them on lines of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from alice_exp.kernel.text.display import cells, wrapped
from alice_exp.terminal.language import say

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

READABLE = 36
"""The least width of prose beside the other columns; with less it moves below them."""

_GAP = 3
_INDENT = 3

_STYLES = {
    "reliable": "green",
    "super_reliable": "bold green",
    "past": "cyan",
    "possible": "yellow",
    "obsolete": "dim",
}


def draw(columns: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> None:
    """Print the rows to stdout, as wide as the terminal; every cell must be escaped and a single line."""
    from rich.console import Console

    console = Console(highlight=False, force_terminal=True)
    widths = [max([cells(name), *(cells(row[i]) for row in rows)]) for i, name in enumerate(columns)]
    prose = widths.index(max(widths))
    beside = sum(widths) - widths[prose] + _GAP * (len(columns) - 1)
    room = console.width - beside - 2
    below = _below(widths, console.width) if widths[prose] > room and room < READABLE else []
    if below:
        _stacked(console, columns, rows, title, below)
    else:
        _beside(console, columns, rows, title, prose if room >= READABLE else -1, room)


def _below(widths: Sequence[int], room: int) -> list[int]:
    """The one or two widest columns, in order, without which the others fit; none if that is not enough."""
    for count in (1, 2):
        below = sorted(sorted(range(len(widths)), key=lambda position: -widths[position])[:count])
        short = [width for position, width in enumerate(widths) if position not in below]
        if short and sum(short) + _GAP * (len(short) - 1) + 2 <= room:
            return below
    return []


def _beside(
    console: Console,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    title: str,
    prose: int,
    room: int,
) -> None:
    from rich import box
    from rich.table import Table

    table = Table(title=title or None, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for position, name in enumerate(columns):
        table.add_column(name, overflow="fold", no_wrap=prose >= 0 and position != prose)
    for row in rows:
        # rich breaks lines only at spaces, so Chinese with a number in it would leave half a line empty.
        listed = [*row]
        if prose >= 0 and cells(row[prose]) > room:
            listed[prose] = "\n".join(wrapped(row[prose], room))
        table.add_row(*map(_styled, listed))
    console.print(table)


def _stacked(
    console: Console, columns: Sequence[str], rows: Sequence[Sequence[str]], title: str, below: Sequence[int]
) -> None:
    from rich.text import Text

    short = [position for position in range(len(columns)) if position not in below]
    widths = {i: max([cells(columns[i]), *(cells(row[i]) for row in rows)]) for i in short}
    if title:
        console.print(Text(title, style="italic"))
    console.print()
    console.print(Text(" ").append_text(_line([columns[i] for i in short], list(widths.values()), "bold")))
    console.print(Text(" " + "─" * (console.width - 2)))
    for row in rows:
        console.print(Text(" ").append_text(_line([row[i] for i in short], list(widths.values()))))
        for nth, position in enumerate(below):
            for line in wrapped(row[position], console.width - _INDENT - 1) if row[position] else ():
                console.print(Text(" " * _INDENT + line, style="dim" if nth else ""))
    console.print()


def _line(texts: Sequence[str], widths: Sequence[int], style: str = "") -> Text:
    from rich.text import Text

    return Text.assemble(*_padded(texts, widths, style))


def _padded(texts: Sequence[str], widths: Sequence[int], style: str) -> Iterator[tuple[str, str]]:
    for text, width in zip(texts, widths, strict=True):
        yield text, style or _style(text)
        yield " " * (width - cells(text) + _GAP), ""


def _styled(cell: str) -> Text:
    from rich.text import Text

    return Text(cell, style=_style(cell))


def _style(cell: str) -> str:
    return next((style for state, style in _STYLES.items() if cell in (state, say(state))), "")
