"""Assigns the trivia between two neighbours in a container to the left one, the right one, or neither."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.kernel.jsonc.scan import TRIVIUM
from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    import re


@dataclass(frozen=True, slots=True)
class Gap:
    """The text between two neighbours (or brackets), as offsets in ascending order.

    ``start`` to ``trail_end``: the left neighbour's comments, with the comma at ``comma``. Up to ``lead_start``:
    unattached comments and blank lines. Up to ``end``: the right neighbour's comments and indentation.
    """

    start: int
    comma: int | None
    trail_end: int
    lead_start: int
    end: int
    has_lines: bool

    def trailing(self, text: str) -> str:
        """The left neighbour's comments, without the comma."""
        if self.comma is None:
            return text[self.start : self.trail_end]
        return text[self.start : self.comma] + text[self.comma + 1 : self.trail_end]

    def with_comma(self, text: str) -> str:
        """The left neighbour's comments and a comma: the existing one, or a new one right after the value."""
        mine = text[self.start : self.trail_end]
        return mine if self.comma is not None else "," + mine

    def floating(self, text: str) -> str:
        """The unattached comments and blank lines."""
        return text[self.trail_end : self.lead_start]

    def lead(self, text: str) -> str:
        """The right neighbour's comments and indentation."""
        return text[self.lead_start : self.end]


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
    if not breaks:
        return Gap(start, comma, trail_end, trail_end, end, False)
    # The right neighbour's comments begin after the last blank line; a closing bracket has no comments.
    starts = [pieces[number] for number in breaks[1:] if is_last or _breaks(pieces[number]) > 1]
    return Gap(start, comma, trail_end, _after_break((starts or [pieces[breaks[0]]])[-1]), end, True)


def _breaks(piece: re.Match[str]) -> int:
    return piece[0].count("\n") if piece.lastgroup == "space" else 0


def _after_break(piece: re.Match[str]) -> int:
    return piece.start() + piece[0].rfind("\n") + 1
