"""A person's answer to a doubt: the block still holds (DESIGN 12.5)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.home.caller import require_person
from alice_exp.home.references import resolve
from alice_exp.kernel.errors import Hint, RefusedError
from alice_exp.kernel.journal.act import Act
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.doubt import DOUBTED, is_in_doubt, still_true
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
    """Rest the doubt in a living block at a quarter, clear its open failures; ``RefusedError`` for an archived one.

    Of one that a person is asked about it answers that none of those told together fails: it holds for all.
    """
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
        group = asked_with(snapshot, placed.block.id) if is_in_doubt(placed.block) else ()
        others = [Put(still_true(one.block, caller.now), one.path) for one in group]
        ids = (placed.block.id, *(put.block.id for put in others))
        act = Act("keep", caller.actor, caller.now, ids, "it still holds")
        return ChangeSet(act, (Put(after.block, after.path), *others)), Kept(after)

    commit, answer = home.apply(plan, PLACES)
    return replace(answer, commit=commit)


def asked_with(snapshot: Snapshot, named: str) -> tuple[Placed, ...]:
    """All living others of the questions that the block ``named`` is part of, those in doubt among them: a person's
    answer about one is an answer about all (DESIGN 12.5)."""
    groups = (
        {placed.block.id, *placed.block.doubt.beside}
        for placed in snapshot.concerned((DOUBTED, "", "~"))
        if placed.block.doubt is not None and is_in_doubt(placed.block)
    )
    ids = {one for group in groups if named in group for one in group} - {named}
    return tuple(placed for placed in snapshot.with_ids(ids).values() if placed.place != "archive")
