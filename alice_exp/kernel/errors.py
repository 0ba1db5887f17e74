"""What the package tells whoever runs it: how far long work has come, and exceptions, each with its exit code.

A fault in a person's file is a value (``kernel.jsonc.Problem``); an error is an exception. Each error keeps
its sentence apart from the values in it (``template`` and ``values``), so that a front end can translate it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar


class Hint(str):
    """What helps, as a filled-in sentence that still knows its template and values, so that it can be translated."""

    template: str
    values: dict[str, object]

    def __new__(cls, template: str, **values: object) -> Hint:
        """The template with its ``{name}`` placeholders filled; without values it is the sentence itself."""
        hint = super().__new__(cls, template.format(**values) if values else template)
        hint.template, hint.values = template, values
        return hint


class Names(str):
    """Several names in one value of a sentence, which each language parts in its own way."""

    names: tuple[str, ...]

    def __new__(cls, names: Iterable[str]) -> Names:
        """The names, parted by commas as in English."""
        known = (*names,)
        made = super().__new__(cls, ", ".join(known))
        made.names = known
        return made


class AliceError(Exception):
    """Any failure that a front end reports in one sentence.

    ``template`` is the English sentence with ``{name}`` placeholders, ``values`` fills them, ``hint`` names the
    command or step that helps. ``path``, ``line`` and ``column`` (both 1-based) locate the fault in a file, if any.
    """

    exit_code = 1
    code = "bug"

    def __init__(
        self,
        template: str,
        *,
        hint: str = "",
        path: str = "",
        line: int = 0,
        column: int = 0,
        **values: object,
    ) -> None:
        super().__init__(template)
        self.template = template
        self.values = values
        self.hint = hint
        self.path = path
        self.line = line
        self.column = column

    @property
    def filling(self) -> dict[str, object]:
        """The values for the template's placeholders, including ``path``, ``line`` and ``column``."""
        return {"path": self.path, "line": self.line, "column": self.column, **self.values}

    def __str__(self) -> str:
        return self.template.format(**self.filling)


class UsageError(AliceError):
    """An argument is wrong (exit 2)."""

    exit_code = 2
    code = "usage"


class ProblemError(AliceError):
    """A file holds a problem, the home is not in order, or the disk refuses (exit 3)."""

    exit_code = 3
    code = "problem"


class NotFoundError(AliceError):
    """Nothing has that id, name or commit (exit 4)."""

    exit_code = 4
    code = "not_found"


class BusyError(AliceError):
    """Another process holds the lock, or what was decided on has changed since (exit 5)."""

    exit_code = 5
    code = "busy"


class RefusedError(AliceError):
    """Only a person may do this, it was not confirmed, or it was rejected before (exit 6)."""

    exit_code = 6
    code = "refused"


class ProviderError(AliceError):
    """A language model or an embedder failed where it was the point of the command (exit 7)."""

    exit_code = 7
    code = "provider"


class PeerError(AliceError):
    """A peer failed or is not trusted (exit 8)."""

    exit_code = 8
    code = "peer"


def reason(error: BaseException) -> str:
    """What the system says of an error, as a part of a sentence."""
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).lower()


@contextmanager
def refused_as(template: str, path: object = "", hint: str = "") -> Iterator[None]:
    """What the system refuses during the block is a ``ProblemError`` with this sentence; its ``{why}`` says why."""
    try:
        yield
    except OSError as error:
        raise ProblemError(template, hint=hint, path=str(path), why=reason(error)) from error


T = TypeVar("T")

_at: list[int] = [0, 0]


def followed(items: Collection[T]) -> Iterator[T]:
    """Each item, in order, counted as it is taken; of work within work the inner one is counted."""
    _at[:] = [0, len(items)]
    try:
        for at, item in enumerate(items):
            _at[0] = at
            yield item
    finally:
        _at[:] = [0, 0]


def so_far() -> tuple[int, int]:
    """How many of how many items are done; ``(0, 0)`` where nothing is counted."""
    return _at[0], _at[1]
