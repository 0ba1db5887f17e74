"""Protocol of the store of the open report, and what the use cases of the review need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from alice_exp.blocks.ports import AccessLog
    from alice_exp.home.caller import Caller
    from alice_exp.home.ports import Home
    from alice_exp.kernel.journal.act import Commit
    from alice_exp.model.values.block import Placed


class Reports(Protocol):
    """The open report, which maps numbers to blocks. Derived: if lost, it is rebuilt from history."""

    def open_report(self) -> str:
        """The open report's id; empty before the first report."""
        ...

    def open_at(self) -> str:
        """The time of the open report (ISO-8601 UTC); empty before the first report."""
        ...

    def open_ids(self) -> tuple[str, ...]:
        """The ids of the open report's blocks, in the order of their numbers."""
        ...

    def prepare(
        self, report: str, at: str, ids: tuple[str, ...], groups: Mapping[str, tuple[str, ...]]
    ) -> None:
        """Prepare a new report, which becomes the open one with ``publish``, after its commit."""
        ...

    def publish(self, head: str = "") -> None:
        """Make the report prepared last, if any, the open one; ``head`` is the commit that it is based on."""
        ...

    def since(self, day_began: str) -> str:
        """The time from which today's report counts changes: that of the newest report before ``day_began``.

        Both are ISO-8601 UTC; empty if there was none.
        """
        ...

    def acts(self, day_began: str) -> Sequence[Commit]:
        """The acts since the time of ``since``, newest first."""
        ...

    def proposals(self, ids: Collection[str], day: str) -> Mapping[str, Commit]:
        """The acts since ``day`` (YYYYMMDD) that brought these blocks in, by id; one that is not found is left out."""
        ...

    def last_versions(self, ids: Collection[str], acts: Sequence[Commit]) -> Mapping[str, Placed]:
        """What the blocks were that went out of the files in one of these acts (newest first), by id."""
        ...

    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """The ids of the groups that the open report showed whole, by number."""
        ...

    def bookmark(self) -> str:
        """The id of the block at which an interactive review stopped; empty if the last one was finished."""
        ...

    def keep_bookmark(self, block_id: str) -> None:
        """Store the block at which an interactive review is; empty when it is finished."""
        ...


@dataclass(frozen=True, slots=True)
class Reviewing:
    """What the review needs: the home, its open report, the log of reads, the caller with the time, and when today
    began (ISO-8601 UTC)."""

    home: Home
    reports: Reports
    access: AccessLog
    caller: Caller
    day_began: str
