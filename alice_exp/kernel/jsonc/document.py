"""The result of reading a file: what was derived from unchanged elements is used again; values are found by pointer."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, Generic, TypeVar, cast

from alice_exp.kernel.jsonc import Json, Pointer, Problem
from alice_exp.kernel.jsonc.scan import Child, children, skip_trivia, skip_value
from alice_exp.kernel.value_class import dataclass

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
        if fresh := [at for at, value in enumerate(found) if value is None]:
            taken, text = set(map(id, items)), self.document.text
            rows = zip(self.document.items, self.document.elements, self._values, strict=True)
            by_text = {text[start:end]: one for item, (start, end), one in rows if id(item) not in taken}
            for at in fresh if by_text else ():
                start, end = document.elements[at]
                found[at] = by_text.get(document.text[start:end])
        return found


def position(text: str, offset: int) -> tuple[int, int]:
    """Line and column (both 1-based, in characters) of an offset into ``text``."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def find(document: Document, pointer: Pointer) -> Child | None:
    """The member or element at ``pointer``, or the root as an element; None if there is none."""
    if document.problem is not None:
        return None
    child: Child | None = None
    # The reader knows the spans of most containers; only the rest of the path is scanned.
    for depth in range(len(pointer), -1, -1):
        if child := _known(document, pointer[:depth]):
            break
    for step in pointer[depth:]:
        if child is None or (document.text[child.value] == "{") != isinstance(step, str):
            return None
        inner = enumerate(children(document.text, child.value))
        child = next((one for at, one in inner if step == (at if one.key is None else one.key)), None)
    return child


class Elements(Sequence[Child]):
    """A lazy sequence of elements at given spans: most edits look at a few out of thousands."""

    def __init__(self, spans: Sequence[tuple[int, int]]) -> None:
        self._spans = spans

    def __len__(self) -> int:
        return len(self._spans)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return Elements(self._spans[index])
        start, end = self._spans[index]
        return Child(None, start, start, end)


def offspring(document: Document, pointer: Pointer, container: Child) -> Sequence[Child]:
    """The members or elements of the container at ``pointer``, in order."""
    if pointer == () and document.members:
        return tuple(document.members.values())
    if pointer == (document.spans_of,) and document.elements:
        return Elements(document.elements)
    return tuple(children(document.text, container.value))


def _known(document: Document, pointer: Pointer) -> Child | None:
    """The child at ``pointer`` if the reader has located it already."""
    match pointer:
        case ():
            start = skip_trivia(document.text, 0)
            return Child(None, start, start, _root_end(document, start))
        case (str(key),):
            return document.members.get(key)
        case (str(key), int(index)) if key == document.spans_of and 0 <= index < len(document.elements):
            start, end = document.elements[index]
            return Child(None, start, start, end)
    return None


def _root_end(document: Document, start: int) -> int:
    if not document.members:
        return skip_value(document.text, start)
    *_, last = document.members.values()
    after = skip_trivia(document.text, last.end)
    if document.text[after] == ",":
        after = skip_trivia(document.text, after + 1)
    return after + 1


class SharedElements:
    """The common prefix and suffix of ``was``, the previous revision (no problem), and its successor ``text``."""

    def __init__(self, was: Document, text: str) -> None:
        self._was = was
        old, length = was.text, min(len(was.text), len(text))
        self._head = _longest(length, lambda low, high: text.startswith(old[low:high], low))
        tail = _longest(
            length - self._head,
            lambda low, high: text.endswith(old[len(old) - high : len(old) - low], 0, len(text) - low),
        )
        self._shift = len(text) - len(old)
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
        return cast("dict[str, list[Json]]", self._was.value)[self._was.spans_of][first:end]


def _longest(limit: int, is_shared: Callable[[int, int], bool]) -> int:
    """How much two texts share, by bisection: each comparison of a slice runs at the speed of memcmp."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if is_shared(low, middle):
            low = middle
        else:
            high = middle - 1
    return low
