"""Reads and edits JSONC and JSON5 files that people maintain: exact fault positions, edits that touch nothing else.

Here are JSON values, plain JSON, and the faults of files. What a cold ``recall`` loads imports ``scan``, ``reader`` and
``document`` where it calls them: a command that only queries the index reads no file.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import field
from typing import Any, Literal, Self, TypeAlias

from alice_exp.kernel.errors import AliceError, ProblemError
from alice_exp.kernel.value_class import dataclass

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault in a person's file. ``line`` and ``column`` are 1-based, 0 if there is no position.

    ``template`` is the English sentence with ``{name}`` placeholders that ``values`` fills. A file with an error is not
    written to; a warning prevents nothing.
    """

    path: str
    line: int
    column: int
    template: str
    values: Mapping[str, object] = field(default_factory=dict)
    severity: Severity = "error"
    hint: str = ""

    @classmethod
    def fault(cls, path: str, template: str, hint: str = "", **values: object) -> Self:
        """An error of a file or a place as a whole."""
        return cls(path, 0, 0, template, values, "error", hint)

    @classmethod
    def warning(cls, path: str, template: str, hint: str = "", **values: object) -> Self:
        """A warning about a file or a place as a whole."""
        return cls(path, 0, 0, template, values, "warning", hint)

    @classmethod
    def told(cls, error: AliceError, path: str = "") -> Self:
        """What an error says, where it says it, or of the file at ``path`` as a whole."""
        line, column = (0, 0) if path else (error.line, error.column)
        return cls(path or error.path, line, column, error.template, error.filling, "error", error.hint)

    @property
    def message(self) -> str:
        """The sentence in English."""
        return self.template.format(**self.values) if self.values else self.template

    def as_error(self, template: str = "{message}", hint: str = "", more: str = "") -> ProblemError:
        """The same as what ends a command; ``hint`` says what helps where the problem does not."""
        said, helps = {"message": self.message, "more": more}, self.hint or hint
        return ProblemError(template, hint=helps, path=self.path, line=self.line, column=self.column, **said)

    @property
    def where(self) -> str:
        """``path:line:column``, the form that editors and terminals turn into a link."""
        return f"{self.path}:{self.line}:{self.column}" if self.line else self.path


def first_error(problems: Iterable[Problem | None], path: str = "") -> Problem | None:
    """The first error among problems, or among those of one file; None where there is none."""
    return next(only_errors(problems, path), None)


def only_errors(problems: Iterable[Problem | None], path: str = "") -> Iterator[Problem]:
    """The errors among problems, or among those of one file."""
    return (p for p in problems if p is not None and p.severity == "error" and path in ("", p.path))


Pointer: TypeAlias = tuple[str | int, ...]
"""The path to a value in a document: keys and indexes from the root."""

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
"""Any JSON value."""


DIGITS = 4300
"""The most digits that an integer may have: Python refuses to convert longer ones (CVE-2020-10735)."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # json would keep the last of two equal keys and lose the other silently.
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("duplicate key")
    return members


def _finite(token: str) -> float:
    number = float(token)
    if math.isinf(number):
        raise ValueError("overflow")
    return number


def _short(token: str) -> int:
    if len(token) > DIGITS and len(token.lstrip("-")) > DIGITS:
        raise ValueError("too many digits")
    return int(token)


# NaN and Infinity, which ``int`` refuses as ``parse_constant`` should.
DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_float=_finite, parse_int=_short, parse_constant=int
)


def strict(text: str) -> Json:
    """The value of plain JSON; ``ValueError`` or ``RecursionError`` for anything else, and for what no file may hold:
    equal keys, NaN, a number that is too large, half a character."""
    value: Json = DECODER.decode(text)
    if "\\ud" in text.lower():
        json.dumps(value, ensure_ascii=False).encode()
    return value


def json_rows(data: bytes) -> Iterator[Any]:
    """The values of JSON lines; a line that a crash cut short, and whatever else is no JSON, is skipped."""
    for line in data.splitlines():
        with suppress(ValueError, RecursionError):
            yield json.loads(line)


def plain(value: object) -> str:
    """A text as it is, any other value as its JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
