"""What using a block led to: the outcome, as one act."""

from __future__ import annotations

from dataclasses import replace

from alice_exp.home.caller import Caller
from alice_exp.home.references import resolve
from alice_exp.home.session import Session
from alice_exp.kernel.errors import Hint, RefusedError
from alice_exp.kernel.journal.act import Act, Commit
from alice_exp.kernel.value_class import dataclass
from alice_exp.learning.rules.credit import counted
from alice_exp.model.rules.lifecycle import Change, Thresholds, level, scenario_digest, scenario_of
from alice_exp.model.values.block import PLACES, Evidence, Placed
from alice_exp.model.values.changes import ChangeSet, Put
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


def report_outcome(session: Session, reference: str, ok: bool, scenario: str = "", note: str = "") -> Outcome:
    """One use of a block succeeded or failed (R2.10-R2.14).

    ``scenario`` says where; without one, the outcomes of a day in the block's own context are one scenario (B5.4).
    """
    caller = session.caller
    if session.team is not None and (theirs := session.team.of([reference] * reference.startswith("team-"))):
        return _of_team(session, theirs[reference], ok, scenario, note)

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
        if is_own_word(placed, caller):
            stands = level(block, thresholds_of(snapshot))
            return None, Outcome(placed, Change(block, stands, stands, "noted"))
        piece = Evidence("outcome", at=caller.now, quote=note)
        ((after, change),) = counted([placed], (), ok, where, caller.now, piece, thresholds_of(snapshot))
        trailers = [
            ("From", change.before),
            ("To", change.after),
            ("Effect", change.effect),
            ("Scenario", scenario_digest(where)),
        ]
        act = Act("outcome", caller.actor, caller.now, (block.id,), _detail(change), tuple(trailers))
        return ChangeSet(act, (Put(after.block, after.path),)), Outcome(after, change)

    commit, answer = session.target.apply(plan, PLACES)
    return replace(answer, commit=commit)


def _of_team(session: Session, placed: Placed, ok: bool, scenario: str, note: str) -> Outcome:
    """What a use of a team's block led to: it stays here, and makes no commit."""
    caller = session.caller
    where = scenario_of(scenario, placed.block.trigger.context, caller.now[:10])
    piece = Evidence("outcome", at=caller.now, quote=note)
    thresholds = Thresholds.of(session.target.config())
    ((after, change),) = counted([placed], (), ok, where, caller.now, piece, thresholds)
    if session.team is not None:
        session.team.keep([after])
    return Outcome(after, change)


def is_own_word(placed: Placed, caller: Caller) -> bool:
    """Whether a block is about the person and somebody else reports: no agent's outcome credits or blames it
    (DESIGN 12.3)."""
    return placed.place == "personal" and not caller.is_person


def _detail(change: Change) -> str:
    count = f"({change.block.verifications} verified)"
    if change.before != change.after:
        return f"{change.before} → {change.after} {count}"
    return f"{change.effect.replace('_', ' ')}, {change.after} {count}"
