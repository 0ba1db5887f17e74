"""The protocol for what ``doctor`` inspects besides the content of files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from alice_exp.kernel.jsonc.problem import Problem


class Inspection(Protocol):
    """Inspection and repair of a home's surroundings: git, permissions, disk, leftovers, index."""

    def look(self, check: str) -> tuple[Problem, ...]:
        """The problems found by one check.

        ``git``, ``history``, ``leftovers``, ``permissions``, ``disk``, ``index``, ``cloud`` or ``reads``.
        """
        ...

    def mend(self, check: str) -> int:
        """Mend what needs no decision by a person; returns the number of things mended."""
        ...

    def commit_time(self) -> int:
        """The newest commit's time in epoch seconds; 0 if there is none."""
        ...
