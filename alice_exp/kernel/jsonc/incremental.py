"""Finds the elements that two revisions of a file share, so that they are not parsed a second time.

The reader goes from left to right and looks one character beyond an element's end. So everything before the first
difference is read identically in both, and so is everything from the start of an element after the last difference.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterable

    from alice_exp.kernel.jsonc.document import Document
    from alice_exp.kernel.jsonc.problem import Json


class SharedElements:
    """The common prefix and suffix of ``was``, the previous revision (no problem), and its successor ``text``."""

    def __init__(self, was: Document, text: str) -> None:
        self._was = was
        self._head = _shared_head(was.text, text)
        tail = _shared_tail(was.text, text, min(len(was.text), len(text)) - self._head)
        self._shift = len(text) - len(was.text)
        self.tail = len(text) - tail
        """The offset in the new text at which the common suffix begins."""

    def leading(self, start: int) -> int:
        """The number of elements of the array at ``start`` that end before the first difference."""
        array = self._was.members.get(self._was.spans_of)
        if array is None or array.value != start or start >= self._head:
            return 0
        return bisect_left(self._was.elements, self._head, key=lambda span: span[1])

    def trailing(self, pos: int) -> int | None:
        """The index of the previous revision's element that began where ``pos`` is now; None if none did."""
        elements, before = self._was.elements, pos - self._shift
        at = bisect_left(elements, before, key=lambda span: span[0])
        return at if at < len(elements) and elements[at][0] == before else None

    def elements(self, first: int, end: int | None = None) -> Iterable[tuple[int, int]]:
        """The spans of a run of elements in the new text; a run to the end (``end`` None) lies in the suffix."""
        if end is not None:
            return self._was.elements[first:end]
        return ((start + self._shift, stop + self._shift) for start, stop in self._was.elements[first:])

    def values(self, first: int, end: int | None = None) -> list[Json]:
        """The values of a run of elements: the same objects that the previous document holds."""
        root = cast("dict[str, list[Json]]", self._was.value)
        return root[self._was.spans_of][first:end]


def _shared_head(old: str, new: str) -> int:
    """The length of the common prefix, by bisection: each comparison of a slice runs at the speed of memcmp."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if new.startswith(old[low:middle], low):
            low = middle
        else:
            high = middle - 1
    return low


def _shared_tail(old: str, new: str, limit: int) -> int:
    """The length of the common suffix, at most ``limit``."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if new.endswith(old[len(old) - middle : len(old) - low], 0, len(new) - low):
            low = middle
        else:
            high = middle - 1
    return low
