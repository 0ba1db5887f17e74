"""A person's answer to a doubt: the block still holds (DESIGN 12.5)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.home.caller import require_person
from alice_exp.home.references import resolve
from alice_exp.kernel.errors import Hint, RefusedError
from alice_exp.kernel.journal.act import Act
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.doubt import still_true
from alice_exp.model.values.block import PLACES
from alice_exp.model.values.changes import ChangeSet, Put

if TYPE_CHECKING:
    from alice_exp.home.caller import Caller
    from alice_exp.home.ports import Home
    from alice_exp.kernel.journal.act import Commit
    from alice_exp.model.values.block import Placed
    from alice_exp.model.values.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Kept:
    """A block that a person stands by, and the commit that says so."""

    placed: Placed
    commit: Commit | None = None


def keep(home: Home, caller: Caller, reference: str, note: str = "") -> Kept:
    """Rest the doubt in a living block at a quarter, clear its open failures; ``RefusedError`` for an archived one."""
    require_person(caller, "keep a block", f"alice-exp keep {reference}")

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Kept]:
        placed = resolve(snapshot, reference)
        if placed.place == "archive":
            raise RefusedError(
                "{id} is archived: there is no doubt to answer",
                id=placed.block.id,
                hint=Hint("alice-exp revive {id}", id=placed.block.id),
            )
        after = replace(placed, block=still_true(placed.block, caller.now, note))
        act = Act("keep", caller.actor, caller.now, (placed.block.id,), "it still holds")
        return ChangeSet(act, (Put(after.block, after.path),)), Kept(after)

    commit, answer = home.apply(plan, PLACES)
    return replace(answer, commit=commit)
