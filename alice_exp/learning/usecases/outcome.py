"""What using a block led to: the outcome, as one act."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.home.references import namespace_name, resolve
from alice_exp.kernel.errors import Hint, RefusedError
from alice_exp.kernel.journal.act import Act
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.lifecycle import Thresholds, outcome, scenario_digest, scenario_of
from alice_exp.model.values.block import PLACES, Archived, Evidence, Placed, is_approved, path_of
from alice_exp.model.values.changes import ChangeSet, Put

if TYPE_CHECKING:
    from alice_exp.home.caller import Caller
    from alice_exp.kernel.journal.act import Commit
    from alice_exp.learning.ports import Learning
    from alice_exp.model.rules.lifecycle import Change, Standing
    from alice_exp.model.values.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Outcome:
    """A block after an outcome, where it stands now, and what the outcome did."""

    placed: Placed
    change: Change
    commit: Commit | None = None


def thresholds_of(snapshot: Snapshot) -> Thresholds:
    """The levels' thresholds as the configuration has them."""
    return Thresholds.of(snapshot.config)


def report_outcome(
    learning: Learning, reference: str, ok: bool, scenario: str = "", note: str = ""
) -> Outcome:
    """One use of a block succeeded or failed (R2.10-R2.14); a refuted block goes to the archive in the same commit.

    ``scenario`` says where; without one, the outcomes of a day in the block's own context are one scenario (B5.4).
    """
    caller = learning.caller

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Outcome]:
        placed = resolve(snapshot, reference)
        if placed.place == "archive":
            raise RefusedError(
                "{id} is archived and takes no outcome",
                id=placed.block.id,
                hint=Hint("a person brings it back with 'alice-exp revive {id}'", id=placed.block.id),
            )
        block = placed.block
        where = scenario_of(scenario, block.trigger.context, caller.now[:10])
        change = outcome(
            block,
            ok,
            where,
            caller.now,
            Evidence("outcome", at=caller.now, quote=note),
            thresholds_of(snapshot),
            standing=standing_of(placed, caller),
        )
        after = settled_after(placed, change, caller.now)
        trailers = [
            ("From", change.before),
            ("To", change.after),
            ("Effect", change.effect),
            ("Scenario", scenario_digest(where)),
        ]
        act = Act("outcome", caller.actor, caller.now, (block.id,), _detail(change), tuple(trailers))
        return ChangeSet(act, (Put(after.block, after.path),)), Outcome(after, change)

    commit, answer = learning.home.apply(plan, PLACES)
    return replace(answer, commit=commit)


def standing_of(placed: Placed, caller: Caller) -> Standing:
    """Which failures of a block do no more than feed its doubt (DESIGN 12.1, 12.3)."""
    if placed.place == "low_value":
        return "candidate"
    is_own = placed.place == "personal" and is_approved(placed)
    return "own_word" if is_own and not caller.is_person else ""


def settled_after(placed: Placed, change: Change, now: str) -> Placed:
    """Where a block stands after an outcome: refuted ones in the archive, the others where they were."""
    if not change.archive:
        return Placed(change.block, placed.path)
    came_from = namespace_name(placed.path).replace("low_value/", "low_value_pool/")
    archived = replace(change.block, archived=Archived(came_from, now, "obsolete"))
    return Placed(archived, path_of("archive", "obsolete"))


def _detail(change: Change) -> str:
    count = f"({change.block.verifications} verified)"
    if change.before != change.after:
        return f"{change.before} → {change.after} {count}"
    return f"{change.effect.replace('_', ' ')}, {change.after} {count}"
