"""The report in its sections, and as lines for a terminal of any width; files: ``cli.markdown``, ``cli.page``.

Every form shows the same rows; none holds a word that ``sections`` and ``facts`` do not.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TextIO

from alice_exp.cli.language import say
from alice_exp.core.model import Placed
from alice_exp.documents import evidence_line, payload_text, trigger_text
from alice_exp.rules.agenda import Agenda, Item
from alice_exp.rules.conflicts import Kin
from alice_exp.rules.movements import Movement
from alice_exp.rules.rejection import Returned
from alice_exp.text.words import cells, one_line, visible

WIDE = 100
"""Columns from which the candidates stand in a table; in fewer they stand below one another."""

NARROWEST = 40
_FEW = 5


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a section: what it is about (an id, a number, a file), what it says, and a remark."""

    label: str
    text: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report below the candidates. ``key`` names it in English for the page's anchors."""

    key: str
    title: str
    rows: tuple[Row, ...]
    more: int = 0


def sections(report: Agenda) -> tuple[Section, ...]:
    """The parts below the candidates that have anything to say, most urgent first."""
    numbers = {item.placed.block.id: item.number for item in report.items}
    found = (
        _section("together", say("Look at these together"), [_kin(pair, numbers) for pair in report.kin]),
        _section(
            "review", say("Needs review: reliable, and failed"), [_failed(placed) for placed in report.review]
        ),
        _section(
            "changed",
            say("Changed since the last report"),
            [_moved(m) for m in report.changed if is_worth(m)],
        ),
        _section(
            "returned",
            say("Typed into the pool, but rejected before"),
            [_back(one) for one in report.returned],
        ),
        _section(
            "unapproved",
            say("In universal, and not approved as it stands"),
            [_unapproved(p, report.again.get(p.block.id, "")) for p in report.unapproved],
        ),
        _section("by_hand", say("Changed by hand"), [_by_hand(name) for name in report.by_hand]),
        _section(
            "fading", say("Fading: settled, and long not used"), [_plain(placed) for placed in report.fading]
        ),
        _section(
            "problems",
            say("Problems in files"),
            [
                Row(fault.where, say(fault.template, **fault.values), say(fault.severity))
                for fault in report.problems
            ],
        ),
    )
    return tuple(section for section in found if section.rows)


def _section(key: str, title: str, rows: Sequence[Row]) -> Section:
    limit = _FEW if key == "fading" else len(rows)
    return Section(key, title, tuple(rows[:limit]), len(rows) - min(limit, len(rows)))


def is_worth(movement: Movement) -> bool:
    """Whether a movement is a line of its own; mere successes are counted in the summary."""
    return movement.kind != "verified"


def _kin(pair: Kin, numbers: dict[str, int]) -> Row:
    first = numbers.get(pair.first.block.id, 0)
    second = numbers.get(pair.second.block.id, 0)
    other = str(second) if second else pair.second.block.id
    where = "" if second else f" ({pair.second.place}/{pair.second.namespace})"
    sign = "≠" if pair.is_conflict else "≈"
    sentences = {
        "same": say("they say nearly the same; one of them is enough"),
        "polarity": say("they contradict each other: one says do, the other do not"),
        "numbers": say("they contradict each other: the numbers differ"),
        "value": say("they contradict each other: the values differ"),
        "supersedes": say("the newer one would take the place of the older one"),
    }
    note = sentences[pair.reason]
    if pair.second.place == "archive":
        note = say("you rejected something much like it before")
    text = f"{payload_text(pair.first)}\n{sign} {other}  {payload_text(pair.second)}{where}"
    return Row(str(first or pair.first.block.id), text, note)


def _failed(placed: Placed) -> Row:
    last = max(placed.block.open_failures.values(), default="")[:10]
    names = ", ".join(name for name in placed.block.open_failures if not name.startswith("context-"))
    note = (
        say("failed on {day} in: {scenarios}", day=last, scenarios=names)
        if names
        else say("failed on {day}", day=last)
    )
    return Row(placed.block.id, payload_text(placed), note)


def _back(one: Returned) -> Row:
    lift = say(
        "rejected as {id}; to lift it: alice-exp revive {id} --from-rejected", id=one.rejected.block.id
    )
    return Row(one.block_id, payload_text(one.placed or one.rejected), lift)


def _moved(movement: Movement) -> Row:
    before, after = (say(name) if name else "" for name in (movement.before, movement.after))
    arrow = f"{before} → {after}" if before != after else after
    sentences = {
        "promoted": say("promoted: {arrow}", arrow=arrow),
        "demoted": say("demoted: {arrow}", arrow=arrow),
        "needs_review": say("failed, still {state}", state=after),
        "obsolete": say("refuted: {arrow}, in the archive", arrow=arrow),
        "debounced": say("failed again where it had failed: counted once"),
        "expired": say("expired unanswered; back with: alice-exp restore {id}", id=movement.block_id),
        "verified": say("verified"),
    }
    text = payload_text(movement.placed) if movement.placed is not None else ""
    return Row(movement.block_id, text, sentences[movement.kind])


def _plain(placed: Placed) -> Row:
    return Row(placed.block.id, payload_text(placed), f"{placed.place}/{placed.namespace}")


def _unapproved(placed: Placed, again: str) -> Row:
    row = _plain(placed)
    note = say("{place}; you rejected this before, as {id}", place=row.note, id=again) if again else row.note
    return Row(row.label, row.text, note)


def _by_hand(name: str) -> Row:
    if name.startswith("exp-"):
        return Row(name, say("an edit in a file raised its trust"), f"alice-exp log {name}")
    return Row(name, say("the configuration was changed in its file"), "alice-exp log --by editor")


def facts(item: Item) -> str:
    """A candidate's state, confidence, destination and time left, as one line."""
    block = item.placed.block
    parts = [f"{say(block.state)} {item.confidence:.1f} → {item.destination}", left(item)]
    return " · ".join(part for part in parts if part)


def marks(items: Sequence[Item]) -> dict[str, tuple[str, ...]]:
    """What is to be said of single candidates, by id: changed, new where not all are, or that the user asked for it."""
    all_new = all(item.is_new for item in items)
    found = {}
    for item in items:
        news = say("changed since it was shown") if item.is_changed else say("new")
        said = (
            news if item.is_changed or (item.is_new and not all_new) else "",
            say("said explicitly") if item.is_explicit else "",
        )
        found[item.placed.block.id] = tuple(filter(None, said))
    return found


def left(item: Item) -> str:
    """How long a candidate still waits; empty while no report has shown it."""
    if item.days_left < 0:
        return ""
    if item.days_left <= 1:
        return say("last day")
    return say("{count} days left", count=item.days_left)


def show(report: Agenda, summary: str, stream: TextIO) -> None:
    """Print the report: as a table on a wide terminal, below one another on a narrow one, plain into a pipe."""
    is_terminal = stream.isatty()
    colour = is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
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
    for section in sections(report):
        stream.write("\n" + _title(section, colour) + "\n")
        stream.writelines(f"{line}\n" for line in _rows(section, width, colour))
    if report.items or not report.is_empty:
        stream.write("\n")
    stream.writelines(f"{line}\n" for line in wrapped(summary, width or 1 << 20))
    stream.flush()


def _width(stream: TextIO) -> int:
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
"""Sections that want an eye, with their colour (SGR)."""


def _title(section: Section, colour: bool) -> str:
    paint = _URGENT.get(section.key, "") if colour else ""
    return f"\x1b[1;{paint}m{visible(section.title)}\x1b[0m" if paint else _bold(section.title, colour)


def _dim(text: str, colour: bool) -> str:
    return f"\x1b[2m{text}\x1b[0m" if colour else text


def card(item: Item, width: int, marked: Sequence[str] = (), *, colour: bool) -> Iterator[str]:
    """A candidate for a narrow terminal: its number and trigger with its marks, what was learned, evidence, facts."""
    mark = " · ".join(marked)
    number = str(item.number or "·").rjust(3)
    when = trigger_text(item.placed) or say("always")
    for position, line in enumerate(wrapped(f"{when}  [{mark}]" if mark else when, width - 5)):
        yield f"{'' if position else number:5}{_bold(line, colour)}"
    for line in wrapped(payload_text(item.placed), width - 5):
        yield f"     {line}"
    quote = evidence_line(item.placed)
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


def columns() -> list[str]:
    """The names of a table's columns."""
    return ["#", say("when"), say("what was learned"), say("state"), say("goes to"), say("left")]


def _plain_table(items: Sequence[Item], stream: TextIO) -> None:
    names = ["#", "id", *columns()[1:], say("evidence")]
    marked = marks(items)
    rows = [
        [
            str(item.number or "·"),
            item.placed.block.id,
            one_line(trigger_text(item.placed) or say("always"), 36),
            visible(payload_text(item.placed)).replace("\n", " "),
            f"{say(item.placed.block.state)} {item.confidence:.1f}",
            item.destination,
            " · ".join(filter(None, (left(item), *marked[item.placed.block.id]))),
            evidence_line(item.placed),
        ]
        for item in items
    ]
    widths = [max(cells(row[index]) for row in [names, *rows]) for index in range(len(names))]
    for row in [names, *rows]:
        padded = (cell + " " * (size - cells(cell)) for cell, size in zip(row, widths, strict=True))
        stream.write("  ".join(padded).rstrip() + "\n")


_COLOURS = {"possible": "yellow", "past": "cyan", "reliable": "green"}


_FRAME = 18
"""Columns that the table's own spaces take."""


def _rich_table(items: Sequence[Item], width: int, stream: TextIO) -> None:
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
    # Rich parts a line at spaces alone, so that a run of Chinese leaves half of it empty: lines are cut here.
    first = max(12, (width - _FRAME - sum(taken)) // 3)
    second = max(24, width - _FRAME - sum(taken) - first)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, width=width, show_lines=False)
    for name, fixed in zip(names, (taken[0], first, second, *taken[1:]), strict=True):
        table.add_column(name, justify="right" if name == "#" else "left", no_wrap=True, width=fixed)
    for item, (number, state, goes, days) in zip(items, narrow, strict=True):
        quote = evidence_line(item.placed)
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
    """The lines of a candidate's narrow cells: its number, its state with marks, where it goes, the time left."""
    block = item.placed.block
    brief = [say("changed") if mark == say("changed since it was shown") else mark for mark in marked]
    state = [f"{say(block.state)} {item.confidence:.1f}", *brief]
    goes = [*item.destination.replace("/", "/\n", 1).split("\n"), block.id]
    return [str(item.number or "·")], state, goes, [left(item)]


def wrapped(text: str, width: int) -> list[str]:
    """The text made harmless and cut into lines of at most ``width`` cells: at spaces, or between CJK characters."""
    lines: list[str] = []
    for paragraph in visible(text).replace("\t", " ").split("\n"):
        line, used = "", 0
        for piece in _pieces(paragraph):
            size = cells(piece)
            if used + size > width and line.strip():
                lines.append(line.rstrip())
                piece = piece.lstrip()
                line, used, size = "", 0, cells(piece)
            while size > width:
                head = one_line(piece, width + 1)[:-1] or piece[:1]
                lines.append(head)
                piece = piece[len(head) :]
                size = cells(piece)
            line, used = line + piece, used + size
        lines.append(line.rstrip())
    return lines


_CLOSING = "，。；：！？、）」』”’》"


def _pieces(text: str) -> Iterator[str]:
    """What may not be parted: spaced words with the space before them, CJK characters with the marks behind them."""
    piece = ""
    for character in text:
        is_wide = character > "\u2e7f"
        if piece and character not in _CLOSING and (character == " " or is_wide or piece[-1] > "\u2e7f"):
            yield piece
            piece = ""
        piece += character
    if piece:
        yield piece
