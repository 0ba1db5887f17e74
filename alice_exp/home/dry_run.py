"""The doors of a home that plan and write nothing: what ``--dry-run`` uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from alice_exp.model.values.block import SETS

if TYPE_CHECKING:
    from collections.abc import Collection

    from alice_exp.home.ports import Home
    from alice_exp.kernel.journal.act import Commit
    from alice_exp.model.values.block import Place
    from alice_exp.model.values.changes import Plan
    from alice_exp.model.values.config import Config
    from alice_exp.model.values.snapshot import Snapshot

R = TypeVar("R")


class DryHome:
    """The doors of a home that plans and writes nothing: what ``--dry-run`` uses."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def read(self, places: Collection[Place] = SETS, *, records: bool | str = False) -> Snapshot:
        """As the home itself reads."""
        return self._home.read(places, records=records)

    def apply(
        self, plan: Plan[R], places: Collection[Place] = SETS, *, records: bool | str = False
    ) -> tuple[Commit | None, R]:
        """Plan on what is there now; no commit."""
        _, answer = plan(self._home.read(places, records=records))
        return None, answer

    def config(self) -> Config:
        """As the home itself reads."""
        return self._home.config()

    def text(self, path: str) -> str | None:
        """As the home itself reads."""
        return self._home.text(path)
