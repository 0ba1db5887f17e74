"""Protocol of the log of reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from alice_exp.model.values.block import Reads


class AccessLog(Protocol):
    """The log of reads: not versioned, visible at once, folded into the blocks once a day (R3.4-R3.6, B2.30)."""

    def record(self, ids: Sequence[str], at: str) -> None:
        """Append one read of each of these blocks; never raises."""
        ...

    def pending(self) -> dict[str, Reads]:
        """The reads since the last fold, by block id."""
        ...

    def seal(self, segment: str) -> None:
        """Move all pending reads into a segment of this name, which the folding commit then carries.

        Raises ``ProblemError`` if the file system refuses it.
        """
        ...

    def forget(self, segment: str) -> None:
        """Remove a segment whose folding commit has been made."""
        ...
