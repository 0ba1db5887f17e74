"""Value types of the package: faults in a person's file, JSON values, and pointers into a document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Literal, TypeAlias

from alice_exp.kernel.errors import ProblemError
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

    @property
    def message(self) -> str:
        """The sentence in English."""
        return self.template.format(**self.values) if self.values else self.template

    def as_error(self, template: str = "{message}", hint: str = "") -> ProblemError:
        """The same as what ends a command; ``hint`` says what helps where the problem does not."""
        said, helps = self.message, self.hint or hint
        return ProblemError(
            template, message=said, path=self.path, line=self.line, column=self.column, hint=helps
        )

    @property
    def where(self) -> str:
        """``path:line:column``, the form that editors and terminals turn into a link."""
        return f"{self.path}:{self.line}:{self.column}" if self.line else self.path


def first_error(problems: Iterable[Problem | None], path: str = "") -> Problem | None:
    """The first error among problems, or among those of one file; None where there is none."""
    errors = (one for one in problems if one is not None and one.severity == "error")
    return next((one for one in errors if not path or one.path == path), None)


Pointer: TypeAlias = tuple[str | int, ...]
"""The path to a value in a document: keys and indexes from the root."""


Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
"""Any JSON value."""
