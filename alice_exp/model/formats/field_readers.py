"""Readers that validate single JSON values: each returns the value or raises ``Fault`` with the reason.

The sentences refer to a key as ``{name}``, which the caller fills in; ``problem_at`` finds its position in the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from alice_exp.kernel import jsonc
from alice_exp.kernel.errors import Hint
from alice_exp.kernel.jsonc.scan import Json, Pointer, Problem, Severity
from alice_exp.kernel.text.times import parsed

if TYPE_CHECKING:
    from alice_exp.kernel.jsonc import Document


TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", re.ASCII)

T = TypeVar("T")
Reader: TypeAlias = Callable[[Json], Any]


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


def text(value: Json) -> str:
    """Any string."""
    if not isinstance(value, str):
        raise Fault('"{name}" is a text')
    return value


def filled(value: Json) -> str:
    """A string that is not blank."""
    if not isinstance(value, str) or not value.strip():
        raise Fault('"{name}" is a text that says something')
    return value


def texts(value: Json) -> tuple[str, ...]:
    """A list of strings."""
    if not isinstance(value, list):
        raise Fault('"{name}" is a list of texts')
    for index, item in enumerate(value):
        if not isinstance(item, str):
            raise Fault('"{name}" is a list of texts', (index,))
    return tuple(str(item) for item in value)


def flag(value: Json) -> bool:
    """A boolean."""
    if not isinstance(value, bool):
        raise Fault('"{name}" is true or false')
    return value


def mapping(value: Json) -> dict[str, Json]:
    """An object with any keys."""
    if not isinstance(value, dict):
        raise Fault('"{name}" is an object')
    return value


def anything(value: Json) -> Json:
    """Any JSON value."""
    return value


def whole(low: int) -> Reader:
    """A reader of integers >= ``low``."""

    def read(value: Json) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < low:
            raise Fault('"{name}" is a whole number, {low} or more', low=low)
        return value

    return read


def between(low: float, high: float) -> Reader:
    """A reader of finite numbers from ``low`` to ``high``."""

    def read(value: Json) -> float:
        # The comparison refuses NaN too, and does not overflow by converting a huge integer to float.
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise Fault('"{name}" is a number from {low:g} to {high:g}', low=low, high=high)
        return float(value)

    return read


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

    def read(value: Json) -> str:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise Fault(template)
        return value

    return read


NAMED = 20
"""The most problems of each severity of one file that are named; the rest are counted.

Each costs a look at the whole text (its line, the key it may have meant), and nobody reads a thousand of them.
"""


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
        more = (
            Problem(
                self._path,
                1,
                1,
                "further problems that are not named here: {count}",
                {"count": count - NAMED},
                severity,
            )
            for severity, count in self._count.items()
            if count > NAMED
        )
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
    for length in range(len(pointer), -1, -1):
        span = jsonc.locate(document, pointer[:length])
        if span is not None:
            line, column = document.position(span[0])
            return Problem(document.path, line, column, template, values, severity, hint)
    return Problem(document.path, 1, 1, template, values, severity, hint)


def _unknown_key(document: Document, pointer: Pointer, known: Sequence[str], severity: Severity) -> Problem:
    """The problem of an unknown key at the end of ``pointer``, with the most similar known key as a hint."""
    from difflib import get_close_matches

    key = str(pointer[-1])
    span = jsonc.locate_key(document, pointer)
    line, column = document.position(span[0]) if span else (1, 1)
    close = get_close_matches(key, known, 1)
    hint = Hint('did you mean "{value}"?', value=close[0]) if close else 'a key of your own starts with "x-"'
    return Problem(
        document.path,
        line,
        column,
        'the key "{key}" is not known; it is kept as it is',
        {"key": key},
        severity,
        hint,
    )


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
                self.found.add(
                    severity, partial(_unknown_key, self._document, pointer, tuple(known), severity)
                )

    def report(self, fault: Fault, pointer: Pointer, right: str = "", severity: Severity = "error") -> None:
        """Take in a fault at a place of the file; ``right`` is the value to set there."""
        hint = Hint("set it to {right}", right=right) if right else ""
        self.found.add(
            severity,
            lambda: problem_at(self._document, pointer, fault.template, fault.values, severity, hint),
        )


TEXT: dict[str, Json] = {"type": "string"}
SAID: dict[str, Json] = {"type": "string", "pattern": r"\S"}
TEXTS: dict[str, Json] = {"type": "array", "items": {"type": "string"}}
COUNT: dict[str, Json] = {"type": "integer", "minimum": 0}
MOMENT: dict[str, Json] = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$"}
SHARE: dict[str, Json] = {"type": "number", "minimum": 0, "maximum": 1}
MAP: dict[str, Json] = {"type": "object"}


def said(shape: Mapping[str, Json], what: str) -> dict[str, Json]:
    """A field's shape with what an editor shows of it."""
    return {**shape, "description": what}


def nested(required: tuple[str, ...] = (), **fields: dict[str, Json]) -> dict[str, Json]:
    """An object within a field, whose other keys are nobody's business, as for ``check``."""
    return {"type": "object", "properties": {**fields}, "required": [*required]}
