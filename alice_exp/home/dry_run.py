"""The implementation of ``Home`` behind ``--dry-run``: it plans and writes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from alice_exp.model.values.block import SETS, Place

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from alice_exp.home.ports import Home
    from alice_exp.kernel.journal.act import Commit
    from alice_exp.kernel.jsonc.problem import Json
    from alice_exp.model.values.changes import Plan
    from alice_exp.model.values.config import Config
    from alice_exp.model.values.snapshot import Snapshot

R = TypeVar("R")


class DryHome:
    """A ``Home`` that runs plans on the present state and discards their change sets."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def read(self, places: Collection[Place] = SETS, *, records: bool | str = False) -> Snapshot:
        """See ``home.ports.Home.read``."""
        return self._home.read(places, records=records)

    def apply(
        self, plan: Plan[R], places: Collection[Place] = SETS, *, records: bool | str = False
    ) -> tuple[Commit | None, R]:
        """Run the plan and return its answer without a commit."""
        _, answer = plan(self._home.read((*places, "held"), records=records))
        return None, answer

    def config(self) -> Config:
        """See ``home.ports.Home.config``."""
        return self._home.config()

    def decide_here(self, values: Mapping[str, Json] | Callable[[Config], Mapping[str, Json]]) -> None:
        """Do nothing: a dry run decides nothing."""

    def text(self, path: str) -> str | None:
        """See ``home.ports.Home.text``."""
        return self._home.text(path)
