"""Removes members and elements from a container and inserts new ones, without touching the others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, cast

from alice_exp.kernel.jsonc.formatting import ends_in_line_comment, indent_at, lines_of, make_item, render
from alice_exp.kernel.jsonc.scan import TRIVIUM, Child
from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from alice_exp.kernel.jsonc import Json
    from alice_exp.kernel.jsonc.formatting import Item, Style, Value


class Gap(NamedTuple):
    """The text between two neighbours (or brackets), from ``start`` to ``end``.

    ``trailing``: the left neighbour's comments; ``with_comma``: these and a comma, the existing one, or a new one right
    after the value. ``floating``: unattached comments and blank lines. ``lead``: the right neighbour's comments and
    indentation.
    """

    start: int
    end: int
    has_comma: bool
    has_lines: bool
    trailing: str
    with_comma: str
    floating: str
    lead: str


def gap_between(text: str, start: int, end: int, is_first: bool, is_last: bool) -> Gap:
    """Divide the text from ``start`` to ``end``; ``is_first``, ``is_last``: a bracket is on that side."""
    pieces = list(TRIVIUM.finditer(text, start, end))
    comma = next((piece.start() for piece in pieces if piece.lastgroup == "comma"), None)
    trail_end = start if comma is None else comma + 1
    pieces = [piece for piece in pieces if piece.start() >= trail_end]
    breaks = [number for number, piece in enumerate(pieces) if _breaks(piece)]
    on_line = pieces[: breaks[0] if breaks else None]
    comments = [piece.end() for piece in on_line if piece.lastgroup != "space"]
    # On a shared line a comment belongs to the value before it only if nothing but the bracket follows.
    takes_comments = not is_first if breaks else is_last and not is_first
    if takes_comments and comments:
        trail_end = comments[-1]
    lead_start = trail_end
    if breaks:
        # The right neighbour's comments begin after the last blank line; a closing bracket has no comments.
        starts = [pieces[number] for number in breaks[1:] if is_last or _breaks(pieces[number]) > 1]
        last = (starts or [pieces[breaks[0]]])[-1]
        lead_start = last.start() + last[0].rfind("\n") + 1
    mine = text[start:trail_end]
    sides = (mine, f",{mine}") if comma is None else (text[start:comma] + text[comma + 1 : trail_end], mine)
    rest = text[trail_end:lead_start], text[lead_start:end]
    return Gap(start, end, comma is not None, bool(breaks), *sides, *rest)


def _breaks(piece: re.Match[str]) -> int:
    return piece[0].count("\n") if piece.lastgroup == "space" else 0


_BLANK_LINES = re.compile(r"^(?:[ \t]*\r?\n)+")


class Replacement(NamedTuple):
    """New text for the characters from ``start`` to ``end``."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Fresh:
    """A new member (with a ``key``) or element, to be inserted before the ``index``-th of the original ones."""

    index: int
    key: str | None
    value: Value


@dataclass
class Container:
    """A container to change: its children, the indexes to remove, the children to add. The root's ``depth`` is 0."""

    text: str
    span: Child
    depth: int
    style: Style
    kids: Sequence[Child]
    removed: set[int]
    fresh: list[Fresh]

    def replacements(self) -> Iterator[Replacement]:
        """The replacements in the text; they overlap neither one another nor a child that stays."""
        if not self.kids and not self.text[self.span.value + 1 : self.span.end - 1].strip():
            yield Replacement(self.span.value, self.span.end, self._refilled())
            return
        # Slot n is the gap before child n. Removing a child touches the gaps on both sides, so the slots of
        # neighbouring removals form one run, whose comments are then divided anew.
        slots = {fresh.index for fresh in self.fresh} | self.removed | {index + 1 for index in self.removed}
        runs: list[list[int]] = []
        for slot in sorted(slots):
            if slot - 1 in self.removed:
                runs[-1].append(slot)
            else:
                runs.append([slot])
        for run in runs:
            yield self._run(run[0], run[-1])

    def _refilled(self) -> str:
        """A container that was empty, written like a new one."""
        indent = indent_at(self.text, self.span.start)
        value: dict[str, Value] | list[Value] = [fresh.value for fresh in self.fresh]
        if self.text[self.span.value] == "{":
            value = {str(fresh.key): fresh.value for fresh in self.fresh}
        before = self.span.value - self.text.rfind("\n", 0, self.span.value) - 1
        is_member = self.span.key is not None
        return render(cast("Json", value), indent, self.depth, self.style, before, is_member)

    def _slot(self, slot: int) -> Gap:
        """The gap before the ``slot``-th child, or before the closing bracket."""
        start = self.kids[slot - 1].end if slot else self.span.value + 1
        is_last = slot == len(self.kids)
        end = self.span.end - 1 if is_last else self.kids[slot].start
        return gap_between(self.text, start, end, slot == 0, is_last)

    def _run(self, first: int, last: int) -> Replacement:
        """The replacement for the gaps ``first`` to ``last`` and the removed children between them."""
        gaps = [self._slot(slot) for slot in range(first, last + 1)]
        fresh = [item for item in self.fresh if first <= item.index <= last]
        is_end = last == len(self.kids)
        out = _Text(indent_at(self.text, self.span.start) + self.style.unit, self.style.newline)
        if first > 0:
            keeps_comma = not is_end or bool(fresh) or self._has_last_comma()
            out.add(gaps[0].with_comma if keeps_comma else gaps[0].trailing)
        floating, lead = self._merged(gaps, is_end)
        if not fresh:
            if first or not is_end or (floating + lead).strip():
                out.add(floating)
                out.add(lead)
        elif not is_end:
            out.add(floating)
            self._put_before(out, fresh, gaps[-1], lead)
        else:
            self._put_last(out, fresh, first, floating, lead)
        return Replacement(gaps[0].start, gaps[-1].end, out.closed())

    def _has_last_comma(self) -> bool:
        return bool(self.kids) and self._slot(len(self.kids)).has_comma

    def _merged(self, gaps: list[Gap], is_end: bool) -> tuple[str, str]:
        """The unattached trivia of a run, and the trivia that belongs to its right neighbour."""
        floating, has_lines = gaps[0].floating, gaps[0].has_lines
        lead, blanks = gaps[-1].lead, _blanks(gaps[0].lead)
        for gap in gaps[1:]:
            following = gap.floating
            # Of two blank stretches one is enough: removing a child must not leave a double blank line behind.
            if floating.strip():
                floating += following.partition("\n")[2] if following.strip() else ""
            elif following.strip() and gaps[0].start == self.span.value + 1:
                floating = self.style.newline + _BLANK_LINES.sub("", following)
            elif gap.has_lines or is_end:
                floating, has_lines, blanks = following, gap.has_lines, _blanks(gap.lead)
        is_joined = len(gaps) > 1 and not gaps[-1].has_lines and not is_end
        if is_joined and (has_lines or gaps[0].start == self.span.value + 1):
            lead = blanks + lead.lstrip()
        return floating, lead

    def _put_before(self, out: _Text, fresh: list[Fresh], gap: Gap, lead: str) -> None:
        if gap.has_lines:
            indent = _blanks(lead)
            for item in self._items(fresh, indent, False):
                out.add(indent)
                out.put(item, ",")
                out.add(self.style.newline)
            out.add(lead)
            return
        self._put_inline(out, fresh, _blanks(lead), True)
        out.add(self._blank() + lead.lstrip())

    def _put_last(self, out: _Text, fresh: list[Fresh], first: int, floating: str, lead: str) -> None:
        """Add new children before the closing bracket, and before unattached comments there."""
        gap = self._slot(max(first - 1, 0))
        comma = self._has_last_comma()
        if first == 0:
            out.add(floating)
            # Comments of a formerly empty container stay unattached, by a blank line before the first new element.
            lines = floating.split("\n")
            if len(lines) > 2 and lines[-2].strip():
                out.add(self.style.newline)
            floating = ""
        if gap.has_lines:
            indent = indent_at(self.text, self.span.start) + self.style.unit
            if self.kids:
                indent = indent_at(self.text, self.kids[max(first - 1, 0)].start)
            out.put_lines(self._items(fresh, indent, False), indent, comma)
            if first == 0:
                out.add(self.style.newline)
        else:
            before = self._blank() if first else _blanks(self._slot(0).lead)
            self._put_inline(out, fresh, before, comma)
        out.add(floating)
        out.add(lead)

    def _put_inline(self, out: _Text, fresh: list[Fresh], before: str, last_comma: bool) -> None:
        """Add new children on one line, with the white space ``before`` the first of them."""
        items = self._items(fresh, out.indent, True)
        for number, item in enumerate(items, 1):
            # A comment of its own needs a line of its own, or it would pass for the left neighbour's.
            if item.lead or item.trail:
                out.add(self.style.newline + out.indent)
            else:
                out.add(self._blank() if number > 1 else before)
            out.put(item, "," if last_comma or number < len(items) else "")

    def _items(self, fresh: list[Fresh], indent: str, is_inline: bool) -> list[Item]:
        tight = is_inline and not any("\n" in self.text[kid.value : kid.end] for kid in self.kids[-1:])
        return [make_item(one.value, one.key, indent, self.depth + 1, self.style, tight) for one in fresh]

    def _blank(self) -> str:
        """The space after a comma on one line: none if the container's first comma has none."""
        if len(self.kids) > 1 and self._slot(1).end == self.kids[0].end + 1:
            return ""
        return " "


def _blanks(lead: str) -> str:
    return lead[: len(lead) - len(lead.lstrip(" \t"))]


class _Text:
    """A text builder that breaks the line after a line comment before anything else is added."""

    def __init__(self, indent: str, newline: str) -> None:
        self.indent = indent
        self._newline = newline
        self._parts: list[str] = []
        self._is_open = False

    def add(self, trivia: str) -> None:
        """Append white space and comments (and commas between them)."""
        if not trivia:
            return
        if self._is_open and trivia.lstrip(" \t")[:1] not in ("\r", "\n"):
            self._parts.append(self._newline + self.indent)
            trivia = trivia.lstrip(" \t")
        self._parts.append(trivia)
        self._is_open = ends_in_line_comment(trivia)

    def put(self, item: Item, comma: str) -> None:
        """Append a member or element, its comma and its comments."""
        self._parts = [self.closed(), item.lead + item.body + comma]
        self.add(item.trail)

    def put_lines(self, items: list[Item], indent: str, last_comma: bool) -> None:
        """Append items, each on lines of its own."""
        text = lines_of(items, indent, self._newline, last_comma)
        if self._parts and self._parts[-1].endswith("\n"):
            text = text.removeprefix(self._newline)
        self._parts.append(text)
        self._is_open = ends_in_line_comment(items[-1].trail)

    def closed(self) -> str:
        """The text so far, ended so that a value or bracket may follow directly."""
        if self._is_open:
            self._parts.append(self._newline + self.indent)
            self._is_open = False
        self._parts = ["".join(self._parts)]
        return self._parts[0]
