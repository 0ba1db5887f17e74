"""The person of a measured home: reads the heartbeat and decides, through the use cases that the commands call."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from alice_exp import Alice
from alice_exp.app.opening import open_session
from alice_exp.blocks.usecases.lifetime import keep, retire
from alice_exp.model.values.block import PLACES, content_hash
from alice_exp.review.rules.daily_report import Agenda
from alice_exp.review.usecases import decisions, todays_report


def now(at: str) -> None:
    """Set the clock of every home in this process (ISO-8601 UTC)."""
    os.environ["ALICE_NOW"] = at


class Person:
    """Who reviews one home, which is made."""

    def __init__(self, root: Path) -> None:
        self.session = open_session(str(root), "user")
        Alice(root, "user").init()

    def heartbeat(self) -> Agenda:
        """Today's report, shown."""
        return todays_report.heartbeat(self.session, peek=False)[0]

    def approve(self, ids: Sequence[str], replacing: Sequence[str] = (), both: Sequence[str] = ()) -> None:
        """同意, with the answer on a rival."""
        decided = decisions.approve(
            self.session.home, self.session.caller, ids, replacing=replacing, both=both, seen=self._read(ids)
        )
        assert set(ids) <= set(decided.ids), decided.skipped

    def reject(self, ids: Sequence[str]) -> None:
        """拒绝."""
        decided = decisions.reject(self.session.home, self.session.caller, ids, seen=self._read(ids))
        assert decided.ids == tuple(ids)

    def _read(self, ids: Sequence[str]) -> dict[str, str]:
        """Their texts as they stand, which the commands show before they decide."""
        found = (self.session.home.read(PLACES).find(one) for one in ids)
        return {placed.block.id: content_hash(placed.block) for placed in found if placed is not None}

    def keep(self, block: str) -> None:
        """It still holds."""
        keep(self.session.home, self.session.caller, block)

    def retire(self, block: str) -> None:
        """It holds no longer."""
        retire(self.session.home, self.session.caller, block, "no longer")
