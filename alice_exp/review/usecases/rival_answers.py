"""A person's answers on two rivals of which both are trusted, or of which neither holds."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from alice_exp.blocks.usecases.lifetime import asked_with
from alice_exp.home.caller import Caller, require_person
from alice_exp.home.references import namespace_name, resolve
from alice_exp.kernel.errors import Hint, RefusedError
from alice_exp.kernel.journal.act import Act
from alice_exp.model.rules.doubt import rested
from alice_exp.model.rules.lifecycle import retire
from alice_exp.model.values.block import PLACES, Archived, Placed, path_of
from alice_exp.model.values.changes import ChangeSet, Put
from alice_exp.review.rules.rival_pairs import with_answers
from alice_exp.review.usecases.decisions import Decided, Seen, is_seen, refused, where_to

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alice_exp.home.ports import Home
    from alice_exp.model.values.snapshot import Snapshot


def answered(
    home: Home, caller: Caller, reference: str, replacing: Sequence[str] = (), both: Sequence[str] = ()
) -> Decided:
    """Say of a trusted block that it takes the place of others, which wait while it is there, or that both hold."""
    require_person(caller, "approve", f"alice-exp approve {reference}")

    def plan(snapshot: Snapshot) -> tuple[ChangeSet, Decided]:
        placed = resolve(snapshot, reference)
        pairs = [[resolve(snapshot, name) for name in names] for names in (replacing, both)]
        block, others = with_answers(placed.block, *pairs)
        words = zip(("replaces", "beside"), pairs, strict=True)
        said = [f"{word} {one.block.id}" for word, ones in words for one in ones]
        puts = (Put(block, placed.path), *others)
        act = Act("keep", caller.actor, caller.now, tuple(put.block.id for put in puts), ", ".join(said))
        return ChangeSet(act, puts), Decided((replace(placed, block=block),))

    commit, answer = home.apply(plan, PLACES)
    return replace(answer, commit=commit)


def neither(home: Home, caller: Caller, new: str, old: str, *, seen: Seen = MappingProxyType({})) -> Decided:
    """Say of two rivals that neither holds: what waits is rejected, what is trusted retired, in one act.

    A candidate that changed since it was shown is skipped, as in ``approve``.
    """
    require_person(caller, "reject", f"alice-exp reject {new} --neither {old}")

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Decided]:
        pair = [resolve(snapshot, one) for one in (new, old)]
        changed = [p for p in pair if p.place == "low_value" and not is_seen(p.block, seen)]
        if changed:
            return None, Decided((), tuple((p.block.id, "changed") for p in changed))
        ended = tuple((refused if p.place == "low_value" else _retired)(p, caller.now) for p in pair)
        # To say which one no longer holds answers for the others that were asked about with it.
        group = {other.block.id: other for p in pair for other in asked_with(snapshot, p.block.id)}
        for put in ended:
            group.pop(put.block.id, None)
        puts = (*ended, *(Put(rested(p.block, caller.now), p.path) for p in group.values()))
        act = Act("reject", caller.actor, caller.now, tuple(put.block.id for put in puts), where_to(ended))
        return ChangeSet(act, puts), Decided(tuple(Placed(put.block, put.path) for put in ended))

    commit, answer = home.apply(plan, PLACES)
    return replace(answer, commit=commit)


def _retired(old: Placed, now: str) -> Put:
    """A trusted block on its way to the archive."""
    if old.place == "archive":
        raise RefusedError(
            "{id} is archived already",
            id=old.block.id,
            hint=Hint("see 'alice-exp why {id}'", id=old.block.id),
        )
    done = retire(old.block, "no longer true", now)
    archived = Archived(namespace_name(old.path), now, "obsolete")
    return Put(replace(done.block, archived=archived), path_of("archive", "obsolete"))
