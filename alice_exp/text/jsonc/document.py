"""A read document as a value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from alice_exp.core.config import Json
    from alice_exp.core.model import Problem
    from alice_exp.text.jsonc.scan import Child


@dataclass(frozen=True, slots=True)
class Document:
    """A file's text with its value or its first fault.

    ``path`` is for problems only. ``text`` is decoded, without BOM, its line endings untouched. ``value`` is
    None where ``problem`` is set, and then nothing else is promised. ``elements`` are the character spans
    (start, end) of the elements of the array in the root's member ``spans_of``; ``members`` are the root's.
    """

    path: str
    text: str
    bom: bool
    value: Json
    problem: Problem | None
    elements: tuple[tuple[int, int], ...]
    spans_of: str = "blocks"
    members: Mapping[str, Child] = field(default_factory=dict)

    @property
    def texts(self) -> Iterator[str]:
        """The text of each of ``elements``, in order."""
        return (self.text[start:end] for start, end in self.elements)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column (both 1-based, in characters) of an offset into ``text``."""
        return position(self.text, offset)


def position(text: str, offset: int) -> tuple[int, int]:
    """Line and column (both 1-based, in characters) of an offset into ``text``."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
