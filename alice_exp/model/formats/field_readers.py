"""Readers that validate single JSON values: each returns the value or raises ``Fault`` with the reason; and the JSON
Schema of what each takes, for editors.

The sentences refer to a key as ``{name}``, which the caller fills in; ``problem_at`` finds its position in the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from alice_exp.kernel.errors import Hint
from alice_exp.kernel.jsonc import Json, Pointer, Problem, Severity
from alice_exp.kernel.text.times import parsed

if TYPE_CHECKING:
    from alice_exp.kernel.jsonc.document import Document


T = TypeVar("T")
R = TypeVar("R", bound="Reader")
Reader: TypeAlias = Callable[[Json], Any]
Shape: TypeAlias = dict[str, Json]
"""A JSON Schema."""

TEXT: Shape = {"type": "string"}
SAID: Shape = {"type": "string", "pattern": r"\S"}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", re.ASCII)
MOMENT: Shape = {"type": "string", "pattern": f"^{TIME.pattern}$"}


def said(shape: Mapping[str, Json], what: str) -> Shape:
    """A field's shape with what an editor shows of it."""
    return {**shape, "description": what}


class Fault(Exception):
    """A value that the schema refuses: a sentence, its values, and the path to the value from the one being read."""

    def __init__(self, template: str, below: Pointer = (), **values: object) -> None:
        super().__init__(template)
        self.template = template
        self.below = below
        self.values = values


def read_object(value: Json, readers: Mapping[str, Reader]) -> tuple[dict[str, Any], dict[str, Json]]:
    """An object's known fields, validated, and the unknown ones unchanged (``Fault`` with the key in ``below``)."""
    if not isinstance(value, dict):
        raise Fault("an object stands here, between braces")
    fields: dict[str, Any] = {}
    extra: dict[str, Json] = {}
    for key, inner in value.items():
        reader = readers.get(key)
        if reader is None:
            extra[key] = inner
            continue
        try:
            fields[key] = reader(inner)
        except Fault as fault:
            raise Fault(fault.template, (key, *fault.below), **{"name": key, **fault.values}) from None
    return fields, extra


_SHAPES: dict[Reader, Shape] = {}


def shaped(shape: Shape) -> Callable[[R], R]:
    """Decorator: what a reader takes, as JSON Schema."""

    def known(reader: R) -> R:
        _SHAPES[reader] = shape
        return reader

    return known


class Field(NamedTuple):
    """One key of an object: its reader, and its JSON Schema."""

    read: Reader
    shape: Shape


def field(reader: Reader, what: str = "") -> Field:
    """A key of an object, and what editors show of it (empty: nothing)."""
    return Field(reader, said(_SHAPES[reader], what) if what else _SHAPES[reader])


def readers(fields: Mapping[str, Field]) -> dict[str, Reader]:
    """The readers of some keys."""
    return {key: one.read for key, one in fields.items()}


def shapes(fields: Mapping[str, Field]) -> Shape:
    """The JSON Schemas of some keys."""
    return {key: one.shape for key, one in fields.items()}


def own_object(properties: Shape, required: tuple[str, ...] = ()) -> Shape:
    """An object with these keys, and those that begin with x-, which are the person's own."""
    return {
        "type": "object",
        "properties": properties,
        "required": [*required],
        "patternProperties": {"^x-": {}},
        "additionalProperties": False,
    }


_NO_OBJECT = '"{name}" is an object'
_NO_TEXTS = '"{name}" is a list of texts'


def within(
    make: Callable[..., T], required: tuple[str, ...] = (), other: str = _NO_OBJECT, /, **fields: Field
) -> Callable[[Json], T]:
    """A reader of nested objects, whose other keys are left alone; ``other`` is the sentence for what is none."""
    table = readers(fields)

    @shaped({"type": "object", "properties": shapes(fields), "required": [*required]})
    def read(value: Json) -> T:
        if not isinstance(value, dict):
            raise Fault(other)
        found, _ = read_object(value, table)
        for key in required:
            if key not in found:
                raise Fault('"{key}" is missing here', key=key)
        return make(**found)

    return read


def listed(reader: Callable[[Json], T], template: str) -> Callable[[Json], tuple[T, ...]]:
    """A reader of lists; ``template`` is the sentence for what is none."""

    @shaped({"type": "array", "items": _SHAPES[reader]})
    def read(value: Json) -> tuple[T, ...]:
        if not isinstance(value, list):
            raise Fault(template)
        found = []
        for index, item in enumerate(value):
            try:
                found.append(reader(item))
            except Fault as fault:
                raise Fault(fault.template, (index, *fault.below), **fault.values) from None
        return tuple(found)

    return read


def typed(kind: type[T], shape: Shape, template: str) -> Callable[[Json], T]:
    """A reader of one kind of value; ``template`` is the sentence for any other."""

    @shaped(shape)
    def read(value: Json) -> T:
        if not isinstance(value, kind):
            raise Fault(template)
        return value

    return read


text = typed(str, TEXT, '"{name}" is a text')
flag = typed(bool, {"type": "boolean"}, '"{name}" is true or false')
mapping = typed(dict, {"type": "object"}, _NO_OBJECT)
anything = typed(object, {}, "")
texts = listed(typed(str, TEXT, _NO_TEXTS), _NO_TEXTS)


@shaped(SAID)
def filled(value: Json) -> str:
    """A string that is not blank."""
    if not isinstance(value, str) or not value.strip():
        raise Fault('"{name}" is a text that says something')
    return value


@lru_cache
def whole(low: int) -> Reader:
    """A reader of integers >= ``low``; one for each, as every read of a timeline asks and its shape is kept."""

    @shaped({"type": "integer", "minimum": low})
    def read(value: Json) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < low:
            raise Fault('"{name}" is a whole number, {low} or more', low=low)
        return value

    return read


def between(low: float, high: float) -> Reader:
    """A reader of finite numbers from ``low`` to ``high``; of a bound that none comes near editors know nothing."""
    most: Shape = {"maximum": high} if high < 1e9 else {}

    @shaped({"type": "number", "minimum": low, **most})
    def read(value: Json) -> float:
        # The comparison refuses NaN too, and does not overflow by converting a huge integer to float.
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise Fault('"{name}" is a number from {low:g} to {high:g}', low=low, high=high)
        return float(value)

    return read


@shaped(MOMENT)
def time(value: Json) -> str:
    """A time in the form that files use: ISO-8601 UTC with ``Z``."""
    if isinstance(value, str) and _is_time(value):
        return value
    raise Fault('"{name}" is a time such as 2026-02-20T09:00:00Z')


@lru_cache(maxsize=4096)
def _is_time(text: str) -> bool:
    if not TIME.fullmatch(text):
        return False
    try:
        parsed(text)
    except ValueError:
        return False
    return True


def matching(pattern: re.Pattern[str], template: str) -> Reader:
    """A reader of strings that match all of a pattern; ``template`` is the sentence for others."""

    @shaped({"type": "string", "pattern": f"^{pattern.pattern}$"})
    def read(value: Json) -> str:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise Fault(template)
        return value

    return read


NAMED = 20
"""The most problems of each severity of one file that are named, since each costs a look at the whole text (its line,
the key it may have meant); the rest are counted."""


class Found:
    """The problems of one file as they are found, the first ones in full."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._named: list[Problem] = []
        self._count: Counter[Severity] = Counter()

    def add(self, severity: Severity, problem: Callable[[], Problem]) -> None:
        """Take in one more, which is made only if it is among those that are named."""
        self._count[severity] += 1
        if self._count[severity] <= NAMED:
            self._named.append(problem())

    @property
    def has_error(self) -> bool:
        """Whether any of them is an error."""
        return self._count["error"] > 0

    def all(self) -> tuple[Problem, ...]:
        """The named ones in the order of their finding, then one for the rest of each severity."""
        template = "further problems that are not named here: {count}"
        rows = ((severity, count - NAMED) for severity, count in self._count.items() if count > NAMED)
        more = (Problem(self._path, 1, 1, template, {"count": left}, severity) for severity, left in rows)
        return (*self._named, *more)


def problem_at(
    document: Document,
    pointer: Pointer,
    template: str,
    values: Mapping[str, object],
    severity: Severity = "error",
    hint: str = "",
) -> Problem:
    """A problem at ``pointer``, or at the nearest value above it that exists in the text."""
    from alice_exp.kernel.jsonc.document import find, position

    near = (find(document, pointer[:length]) for length in range(len(pointer), -1, -1))
    line, column = position(document.text, next((one.value for one in near if one), 0))
    return Problem(document.path, line, column, template, values, severity, hint)


def unknown_key(
    document: Document,
    pointer: Pointer,
    key: str,
    known: Iterable[str],
    severity: Severity = "warning",
    other: str = "",
) -> Problem:
    """The problem of an unknown key at ``pointer``, with the most similar ``known`` one as a hint, else the other."""
    from difflib import get_close_matches

    from alice_exp.kernel.jsonc.document import find, position

    member = find(document, pointer)
    line, column = position(document.text, member.start if member else 0)
    hint = other if other else 'a key of your own starts with "x-"'
    if close := get_close_matches(key, known, 1):
        hint = Hint('did you mean "{value}"?', value=close[0])
    template = 'the key "{key}" is not known; it is kept as it is'
    return Problem(document.path, line, column, template, {"key": key}, severity, hint)


class Reading:
    """The state of reading one file: an object with a list of items and other ``members``."""

    def __init__(self, document: Document, listed: str, members: Sequence[str]) -> None:
        self._document = document
        self._listed = listed
        self.found = Found(document.path)
        self._root: Mapping[str, Json] = {}
        if (fault := document.problem) is not None:
            self.found.add("error", lambda: fault)
        elif isinstance(document.value, dict):
            self._root = document.value
        else:
            self.report(Fault('this file is an object with a list named "{list}"', list=listed), ())
        own = ("$schema", *members, listed)
        self.warn({key: None for key in self._root if key not in own}, (), (*members, listed))

    def member(self, key: str, reader: Callable[[Json], T], default: T) -> T:
        """A member of the root, or ``default`` if it is missing or faulty."""
        if key not in self._root:
            return default
        try:
            return reader(self._root[key])
        except Fault as fault:
            self.report(Fault(fault.template, (), **{"name": key, **fault.values}), (key, *fault.below))
            return default

    def items(self, reader: Callable[[Json], T], known: Sequence[T | None] = ()) -> list[tuple[int, T]]:
        """The sound records with their indexes in the list; those in ``known`` are not read again."""
        listed = self._root.get(self._listed, [])
        if not isinstance(listed, list):
            self.report(Fault('"{name}" is a list', name=self._listed), (self._listed,))
            return []
        found: list[tuple[int, T]] = []
        for index, (item, same) in enumerate(zip_longest(listed, known)):
            try:
                found.append((index, reader(item) if same is None else same))
            except Fault as fault:
                self.report(fault, (self._listed, index, *fault.below))
        return found

    def refuse_twins(self, ids: Sequence[tuple[object, int]]) -> set[int]:
        """Report every id that occurs a second time; the indexes of these."""
        seen: set[object] = set()
        twins: set[int] = set()
        for one, index in ids:
            if one in seen:
                twins.add(index)
                fault = Fault("the id {id} stands twice in this file", id=one)
                self.report(fault, (self._listed, index, "id"))
            seen.add(one)
        return twins

    def warn(self, extra: Mapping[str, Json], at: Pointer, known: Mapping[str, Any] | Sequence[str]) -> None:
        """Warn of unknown keys, except ``x-`` keys."""
        for key in extra:
            if not key.startswith("x-"):
                pointer = (*at, key)
                # A list may be the misspelt one that is all of the file: without it, what the file held would count as
                # deleted.
                is_lost = not at and self._listed not in self._root and isinstance(self._root[key], list)
                severity: Severity = "error" if is_lost else "warning"
                self.found.add(severity, partial(unknown_key, self._document, pointer, key, known, severity))

    def report(self, fault: Fault, pointer: Pointer, right: str = "", severity: Severity = "error") -> None:
        """Take in a fault at a place of the file; ``right`` is the value to set there."""
        hint = Hint("set it to {right}", right=right) if right else ""
        self.found.add(
            severity,
            lambda: problem_at(self._document, pointer, fault.template, fault.values, severity, hint),
        )
