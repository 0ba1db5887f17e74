"""The open report, as a Protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alice_exp.kernel.journal.act import Commit


class Reports(Protocol):
    """The open report: what its numbers stand for. Momentary: rebuilt from history where it is lost."""

    def open_report(self) -> str:
        """Its id; empty before the first."""
        ...

    def open_at(self) -> str:
        """When it was made (ISO-8601 UTC); empty before the first."""
        ...

    def open_ids(self) -> tuple[str, ...]:
        """Block ids in the order of their numbers."""
        ...

    def prepare(self, report: str, at: str, ids: tuple[str, ...]) -> None:
        """Keep a new report in mind until its commit stands."""
        ...

    def publish(self, head: str = "") -> None:
        """Open the report that was prepared last, where there is one; ``head`` is the commit that it stands on."""
        ...

    def since(self, day_began: str) -> str:
        """The time that this report counts from (ISO-8601 UTC): the report before, or the newest of an earlier day."""
        ...

    def acts(self, day_began: str) -> Sequence[Commit]:
        """The acts since then, newest first."""
        ...

    def bookmark(self) -> str:
        """The block at which a review stopped last; empty where none did."""
        ...

    def keep_bookmark(self, block_id: str) -> None:
        """Remember where a review is."""
        ...
