"""The state machine of a block: four states, and the effect of outcomes on them (R2.6-R2.15, B2.1-B2.13).

``TABLE`` is the whole state machine; docs/states.md draws it. Blocks rise only on success and by one level at a time; a
failure counts once per scenario until a success there clears it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

from alice_exp.kernel.errors import Hint, RefusedError
from alice_exp.kernel.jsonc import Json
from alice_exp.kernel.value_class import dataclass, sha256
from alice_exp.model.rules.doubt import with_outcome
from alice_exp.model.values.block import CLAIM, EVIDENCE_KEPT, Block, Evidence, Placed, State
from alice_exp.model.values.config import Config, Pauses, Wait
from alice_exp.model.values.snapshot import ChangeSet, Snapshot

Level: TypeAlias = Literal["obsolete", "possible", "past", "reliable", "super_reliable"]
LEVELS: tuple[Level, ...] = get_args(Level)
"""Every level in ascending order (R2.37): the states, and the badge ``super_reliable``."""

Effect = Literal[
    "verified",
    "promoted",
    "demoted",
    "needs_review",
    "debounced",
    "noted",
    "withheld",
    "retired",
    "revived",
    "kept",
]
"""The effect of an act on a block.

``verified``: one verification more; ``promoted``: and one level up; ``demoted``: one less and one level down;
``needs_review``: one less, the state as it was (B2.8); ``debounced``: a failure that this scenario had already (R2.11);
``noted``: it counts in value and doubt alone, the level and its count stay; ``withheld``: a candidate's failure, which
waits for the review; ``retired``, ``revived``, ``kept``: a person's acts.
"""

Standing = Literal["", "bystander", "candidate"]
"""Whose outcomes do less: a ``bystander`` was told beside others and nobody said that it was used (DESIGN 12.3);
``candidate`` is what no person has decided on (DESIGN 12.1)."""

OPEN_FAILURES_KEPT = 20

PROMOTED = "promoted"
"""The kind of evidence that records a promotion to reliable above the badge's threshold (see ``level``)."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The verifications that each level needs, integers >= 0 (R2.12; from the configuration)."""

    past: int = 3
    reliable: int = 10
    super_reliable: int = 50

    @classmethod
    def of(cls, config: Config) -> Thresholds:
        """The thresholds in a configuration."""
        return cls(*(config.count(f"thresholds.{name}") for name in ("past", "reliable", "super_reliable")))


DEFAULT = Thresholds()


@dataclass(frozen=True, slots=True)
class Row:
    """One state: the next level (a field of ``Thresholds``) and the state after a failure.

    ``demotes_to`` is None if a failure alone does not change the state; ``retires_to`` are the states to which a person
    may retire it.
    """

    promotes_to: Literal["past", "reliable", "super_reliable"] | None
    demotes_to: State | None
    retires_to: tuple[State, ...]


TABLE: Mapping[State, Row] = MappingProxyType(
    {
        # The sources archive it here; no outcome does, since only the person takes back what they approved (B5.3).
        "possible": Row("past", None, ("obsolete",)),
        "past": Row("reliable", "possible", ("obsolete",)),
        "reliable": Row("super_reliable", None, ("obsolete", "past")),
        "obsolete": Row(None, None, ()),
    }
)
"""The state machine (R2.6-R2.9). ``super_reliable`` is a badge of reliable blocks rather than a state (B2.1)."""


@dataclass(frozen=True, slots=True)
class Change:
    """A block after an act, its levels before and after, and the effect.

    Moving an obsolete one to the archive and filling in ``archived`` is up to the caller.
    """

    block: Block
    before: Level
    after: Level
    effect: Effect

    @property
    def word(self) -> str:
        """The effect as a person reads it: what kept its state has failed, and nobody is asked about it yet."""
        return "failed" if self.effect == "needs_review" else self.effect.replace("_", " ")


def lived(block: Block) -> int:
    """The count that decides: where a sender claims one, what succeeded here alone, and the yes that began it."""
    is_sent = block.origin.startswith("shared_from_") or any(one.kind == CLAIM for one in block.evidence)
    return min(block.verifications, block.verifications_local + 1) if is_sent else block.verifications


def level(block: Block, thresholds: Thresholds = DEFAULT) -> Level:
    """The block's level: its state, or ``super_reliable`` (B2.1: reliable with enough verifications).

    A block that became reliable with more verifications than the badge needs has to succeed once more: one success
    raises it by one level at most (B2.7), and no failure raises it (B2.6). Its evidence records this (``PROMOTED``).
    """
    if block.state != "reliable" or lived(block) < thresholds.super_reliable:
        return block.state
    told = (piece for piece in reversed(block.evidence) if piece.effect == "ok" or piece.kind == PROMOTED)
    last = next(told, None)
    return "reliable" if last is not None and last.effect != "ok" else "super_reliable"


def risen(state: State, verifications: int, thresholds: Thresholds) -> State:
    """The next state if a success with so many verifications leads there, else the same; the badge is none."""
    goal = TABLE[state].promotes_to
    if goal is None or goal == "super_reliable" or verifications < getattr(thresholds, goal):
        return state
    return goal


def scenario_of(scenario: str, context: Mapping[str, Json], day: str) -> str:
    """The scenario of an outcome: the given name, else the context's fingerprint with the UTC ``day``, else the day.

    The fingerprint does not depend on the order of keys. Without the day a default scenario would debounce failures
    for ever (DESIGN 12.8, B5.4).
    """
    if name := scenario.strip():
        return name
    if not context:
        return f"day-{day}"
    canonical = json.dumps(dict(context), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return f"context-{sha256(canonical.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}-{day}"


def scenario_digest(scenario: str) -> str:
    """What a commit's message says of a scenario, whose name is a person's text and stands in the block alone."""
    return sha256(scenario.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def outcome(
    block: Block,
    ok: bool,
    scenario: str,
    now: str,
    evidence: Evidence | None = None,
    thresholds: Thresholds = DEFAULT,
    *,
    standing: Standing = "",
    beside: float | None = None,
) -> Change:
    """What one use of a block, successful or not, does to it (R2.10-R2.14, B2.3-B2.8, DESIGN 12.3, 12.4).

    Every outcome counts in the block's record and its doubt (``beside``: see ``doubt.tested``); ``standing`` says which
    do no more than that. None archives a block.

    ``scenario`` comes from ``scenario_of``, ``now`` is ISO-8601 UTC. ``evidence`` (by default an empty piece) is added
    with the scenario and its effect. RefusedError if the block is obsolete, since only a person may revive it.
    """
    if block.state == "obsolete":
        hint = Hint("alice-exp revive {id}", id=block.id)
        raise RefusedError("{id} is obsolete and takes no outcome", hint=hint, id=block.id)
    piece = replace(evidence or Evidence("outcome"), scenario=scenario)
    piece = replace(piece, at=piece.at or now)
    if standing == "bystander":
        same = _with(block, now, replace(piece, effect="ok" if ok else "fail"))
        stands = level(block, thresholds)
        change = Change(same, stands, stands, "noted")
    elif ok:
        change = _success(block, piece, now, thresholds)
    else:
        change = _failure(block, piece, now, thresholds, is_candidate=standing == "candidate")
    # The record before this outcome decides how much it says, so the doubt is asked of the block as it was.
    judged = with_outcome(block, ok, piece.at, beside)
    return replace(change, block=replace(change.block, record=judged.record, doubt=judged.doubt))


def _success(block: Block, piece: Evidence, now: str, thresholds: Thresholds) -> Change:
    before = level(block, thresholds)
    count = lived(block) + 1
    state = risen(block.state, count, thresholds)
    new = [replace(piece, effect="ok")]
    # Without the mark this success would earn the state and the badge at once, which is two levels (B2.7).
    if state != block.state and state == "reliable" and count >= thresholds.super_reliable:
        new.append(Evidence(PROMOTED, at=now, quote=f"{before} → {state}"))
    after = replace(
        _with(block, now, *new),
        state=state,
        verifications=block.verifications + 1,
        verifications_local=block.verifications_local + 1,
        open_failures={name: at for name, at in block.open_failures.items() if name != piece.scenario},
    )
    reached = level(after, thresholds)
    return Change(after, before, reached, "verified" if reached == before else "promoted")


def _failure(
    block: Block, piece: Evidence, now: str, thresholds: Thresholds, *, is_candidate: bool
) -> Change:
    before = level(block, thresholds)
    if piece.scenario in block.open_failures:
        # Recorded, but without effect: repeated retries must not even make the block look fresh.
        same = _with(block, block.updated_at, replace(piece, effect="debounced"))
        return Change(same, before, before, "debounced")
    state = TABLE[block.state].demotes_to or block.state
    failures = {**block.open_failures, piece.scenario: now}
    if len(failures) > OPEN_FAILURES_KEPT:
        # The newest: a default scenario names the day, so that without a limit they would only grow.
        kept = sorted(failures.items(), key=lambda item: (item[1], item[0]))
        failures = dict(kept[-OPEN_FAILURES_KEPT:])
    after = replace(
        _with(block, now, replace(piece, effect="fail")),
        state=state,
        verifications=max(0, block.verifications - 1),
        verifications_local=max(0, block.verifications_local - 1),
        open_failures=failures,
    )
    effect: Effect = "withheld" if is_candidate else "demoted" if state != block.state else "needs_review"
    return Change(after, before, level(after, thresholds), effect)


def _with(block: Block, updated_at: str, *pieces: Evidence) -> Block:
    return replace(block, evidence=(*block.evidence, *pieces)[-EVIDENCE_KEPT:], updated_at=updated_at)


def retire(
    block: Block,
    reason: str,
    now: str,
    to: Literal["obsolete", "past"] = "obsolete",
    thresholds: Thresholds = DEFAULT,
) -> Change:
    """Retire a block because the world has changed: to obsolete, or from reliable to past (R2.8, B2.9).

    The reason becomes evidence, the count stays (R2.15). RefusedError if ``TABLE`` does not allow it. For persons only.
    """
    if to not in TABLE[block.state].retires_to:
        raise RefusedError(
            "{id} is {state} and cannot be retired to {to}", id=block.id, state=block.state, to=to
        )
    after = replace(_with(block, now, Evidence("retired", at=now, quote=reason)), state=to)
    return Change(after, level(block, thresholds), to, "retired")


def revive(block: Block, now: str, thresholds: Thresholds = DEFAULT) -> Change:
    """Give an obsolete or archived block a second chance: possible, with its count (R2.9, B2.10). For persons only.

    Open failures are cleared, so that every scenario counts anew. RefusedError if the block is neither.
    """
    if block.state != "obsolete" and block.archived is None:
        raise RefusedError("{id} is {state}: there is nothing to revive", id=block.id, state=block.state)
    after = replace(
        _with(block, now, Evidence("revived", at=now)), state="possible", open_failures={}, archived=None
    )
    return Change(after, level(block, thresholds), "possible", "revived")


def expires_at(block: Block, wait: Wait) -> str:
    """When a candidate expires: so many days after the first report that showed it, a pause left out; empty if none has
    shown it (B2.21)."""
    if block.reported is None:
        return ""
    shown = datetime.fromisoformat(block.reported.at)
    due = shown + timedelta(days=wait.days)
    for began, until in wait.pauses:
        if shown < until and began < due:
            due += until - max(began, shown)
    return due.strftime("%Y-%m-%dT%H:%M:%SZ")


def paused(pauses: Pauses, now: datetime, until: datetime) -> str:
    """``heartbeat.paused`` when a pause lasts from now until a time; one that is not after now ends what runs.

    What runs goes on from when it began; what is over stays, since a candidate shown before it waits longer.
    """
    kept = [(began, min(end, now)) for began, end in pauses if began < now]
    if until > now:
        began = kept.pop()[0] if kept and kept[-1][1] == now else now
        kept.append((began, until))
    return " ".join(f"{began.isoformat()}/{end.isoformat()}" for began, end in kept)


def is_expired(block: Block, now: str, wait: Wait) -> bool:
    """Whether a candidate has expired; at the exact second it has (R2.43)."""
    due = expires_at(block, wait)
    return bool(due) and datetime.fromisoformat(now) >= datetime.fromisoformat(due)


def expired(snapshot: Snapshot, now: str) -> tuple[Placed, ...]:
    """The expired candidates, which a person's report or act removes (B2.22).

    Those in a file with a problem stay until it is mended, since nothing is written to such a file.
    """
    wait = snapshot.config.wait
    pool = snapshot.within("low_value")
    return tuple(placed for placed in pool if not placed.stale and is_expired(placed.block, now, wait))


def with_expired(changes: ChangeSet, snapshot: Snapshot) -> ChangeSet:
    """A person's change set, extended to remove all expired candidates that it does not touch itself; anybody else's as
    it is.

    The act's message names each of them, so that ``log`` and ``restore`` can find them.
    """
    if not changes.act.actor.is_person:
        return changes
    touched = {put.block.id for put in changes.puts} | set(changes.removes)
    ids = tuple(p.block.id for p in expired(snapshot, changes.act.at) if p.block.id not in touched)
    if not ids:
        return changes
    trailers = tuple((name, block_id) for block_id in ids for name in ("Expired", "Block"))
    act = replace(changes.act, trailers=(*changes.act.trailers, *trailers))
    return replace(changes, act=act, removes=(*changes.removes, *ids))
