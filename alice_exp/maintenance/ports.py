"""What `doctor` looks at, as a Protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from alice_exp.kernel.jsonc.problem import Problem


class Inspection(Protocol):
    """What ``doctor`` looks at beside the files' content."""

    def look(self, check: str) -> tuple[Problem, ...]:
        """What is wrong with one of these.

        ``git``, ``history``, ``leftovers``, ``permissions``, ``disk``, ``index``, ``cloud`` or ``reads``.
        """
        ...

    def mend(self, check: str) -> int:
        """Mend what no person has to decide; how much was mended."""
        ...

    def commit_time(self) -> int:
        """The newest commit's time in epoch seconds; 0 where there is none."""
        ...
