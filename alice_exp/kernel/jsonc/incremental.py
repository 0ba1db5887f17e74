"""A file's last version beside its next: the elements that stand in both, unchanged, are not read a second time.

Reading goes from left to right and looks one character beyond an element's end. So what lies before the first
difference was read alike in both, and so is all that follows an element's beginning behind the last difference.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterable

    from alice_exp.kernel.jsonc.document import Document
    from alice_exp.kernel.jsonc.problem import Json


class Former:
    """What ``text``, a file's next version, shares with ``was``, its last, which is without a problem."""

    def __init__(self, was: Document, text: str) -> None:
        self._was = was
        self._head = _shared_head(was.text, text)
        tail = _shared_tail(was.text, text, min(len(was.text), len(text)) - self._head)
        self._shift = len(text) - len(was.text)
        self.tail = len(text) - tail
        """The offset in the new text from which on both are the same."""

    def leading(self, start: int) -> int:
        """How many elements of the array that begins at ``start`` end before the first difference."""
        array = self._was.members.get(self._was.spans_of)
        if array is None or array.value != start or start >= self._head:
            return 0
        return bisect_left(self._was.elements, self._head, key=lambda span: span[1])

    def trailing(self, pos: int) -> int | None:
        """The number of the last version's element that began where ``pos`` is now, with all behind it unchanged."""
        elements, before = self._was.elements, pos - self._shift
        at = bisect_left(elements, before, key=lambda span: span[0])
        return at if at < len(elements) and elements[at][0] == before else None

    def elements(self, first: int, end: int | None = None) -> Iterable[tuple[int, int]]:
        """The spans of a run of elements; to the end: where they are in the new text."""
        if end is not None:
            return self._was.elements[first:end]
        return ((start + self._shift, stop + self._shift) for start, stop in self._was.elements[first:])

    def values(self, first: int, end: int | None = None) -> list[Json]:
        """The values of a run of elements: the same objects that the last version holds."""
        root = cast("dict[str, list[Json]]", self._was.value)
        return root[self._was.spans_of][first:end]


def _shared_head(one: str, other: str) -> int:
    """How many characters both begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if other.startswith(one[low:middle], low):
            low = middle
        else:
            high = middle - 1
    return low


def _shared_tail(one: str, other: str, limit: int) -> int:
    """How many characters, at most ``limit``, both end with."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if other.endswith(one[len(one) - middle : len(one) - low], 0, len(other) - low):
            low = middle
        else:
            high = middle - 1
    return low
