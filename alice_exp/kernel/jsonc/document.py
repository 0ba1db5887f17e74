"""The result of reading a file, and the reuse of what was derived from its unchanged elements."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Generic, TypeVar

from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from alice_exp.kernel.jsonc.problem import Json, Problem
    from alice_exp.kernel.jsonc.scan import Child

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Document:
    """A file's text with its value or its first fault.

    ``path`` is for problems only. ``text`` is decoded, without BOM, its line endings untouched. If ``problem`` is set,
    ``value`` is None and the other fields are unspecified. ``elements`` are the character spans (start, end) of the
    elements of the array in the root's member ``spans_of``; ``members`` are the members of the root.
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
    def items(self) -> Sequence[Json]:
        """The values of ``elements``, in order."""
        listed = self.value.get(self.spans_of) if isinstance(self.value, dict) else None
        return listed if isinstance(listed, list) else ()

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column (both 1-based, in characters) of an offset into ``text``."""
        return position(self.text, offset)


class Unchanged(Generic[T]):
    """Cache of what was derived from the elements of one ``document``: one item of ``values`` per element, in order."""

    def __init__(self, document: Document, values: Sequence[T]) -> None:
        self.document = document
        self._values = values

    def of(self, document: Document) -> list[T | None]:
        """For each element of another version of the file its cached value; None if it has to be derived anew.

        An element is unchanged if the reader took over its parsed value, or if its text also occurred here.
        """
        if document is self.document:
            return list(self._values)
        items = document.items
        # Comparing by id() is safe only because `self.document` keeps the values alive: no id is used again.
        known = dict(zip(map(id, self.document.items), self._values, strict=True))
        found = [known.get(one) for one in map(id, items)]
        # Text is compared only for the rest, since slicing all elements would cost what the reader saved.
        fresh = [at for at, value in enumerate(found) if value is None]
        if fresh:
            by_text = self._by_text(set(map(id, items)))
            for at in fresh if by_text else ():
                start, end = document.elements[at]
                found[at] = by_text.get(document.text[start:end])
        return found

    def _by_text(self, taken: set[int]) -> dict[str, T]:
        """The elements that were not taken over, keyed by their text."""
        rows = zip(self.document.items, self.document.elements, self._values, strict=True)
        text = self.document.text
        return {text[start:end]: value for item, (start, end), value in rows if id(item) not in taken}


def position(text: str, offset: int) -> tuple[int, int]:
    """Line and column (both 1-based, in characters) of an offset into ``text``."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
