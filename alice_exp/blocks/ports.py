"""Which blocks were read, as a Protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alice_exp.model.values.block import Reads


class AccessLog(Protocol):
    """Which blocks were read: untracked, shown at once, folded once a day (R3.4-R3.6, B2.30)."""

    def record(self, ids: Sequence[str], at: str) -> None:
        """Append one read of some blocks; never raises."""
        ...

    def pending(self) -> dict[str, Reads]:
        """What was read since the last fold, by block id."""
        ...

    def seal(self, segment: str) -> None:
        """Put everything that is pending under one name, which the folding commit then carries.

        ``ProblemError`` where the disk refuses it.
        """
        ...

    def forget(self, segment: str) -> None:
        """The segment is folded: its commit stands."""
        ...
