"""Doubt: when recent outcomes say that a lesson may no longer hold (DESIGN 12.4, 12.5, 12.8).

Every failure about doubles the doubt in a lesson, every success halves it, each day of use lays a thirty-second on it;
at one it rests until a person says whether the lesson still holds. The value is a sequential test: against a block
whose success rate stands, the chance that it ever reaches one in N days of use is at most N/32, however many uses a
day has.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.model.values.block import EVIDENCE_KEPT, Doubt, Evidence, Record

if TYPE_CHECKING:
    from collections.abc import Iterable

    from alice_exp.model.values.block import Block

OUTCOMES = ("ok", "fail", "debounced")
"""Effects of the pieces of evidence that are outcomes."""

STILL_TRUE = "still_true"
"""Effect of the piece that keeps a person's answer: it still holds."""

DAILY = 1 / 32
"""What the first outcome of a day adds."""

BOOSTED = 1 / 16
"""The same while a newer approved block that is not in doubt matches the same decision."""

RESTED = 1 / 4
"""The value after a person's *still true*."""

LIMIT = 1.0
"""From this value on a block is in doubt."""


def usual_rate(record: Record) -> float:
    """The success rate that a record before an outcome speaks for, less a fifth, in [0.5, 0.8]:
    min(.8, max(.5, (a + 4)/(a + f + 5) - .2))."""
    return min(0.8, max(0.5, (record.ok + 4) / (record.ok + record.failed + 5) - 0.2))


def after_outcome(doubt: Doubt | None, before: Record, ok: bool, at: str, *, boosted: bool = False) -> Doubt:
    """The doubt after one outcome at ``at`` (ISO-8601 UTC), with the record ``before`` it.

    ``since`` is a latch: once set, no success takes it away.
    """
    day = at[:10]
    value = doubt.value if doubt is not None else 0.0
    if doubt is None or day > doubt.day:
        value += BOOSTED if boosted else DAILY
    rate = usual_rate(before)
    value = value / 2 if ok else value * (1 - rate / 2) / (1 - rate)
    since = doubt.since if doubt is not None else ""
    if not since and round(value, 9) >= LIMIT:
        since = at
    newest = max(day, doubt.day) if doubt is not None else day
    return Doubt(round(value, 9), newest, since)


def with_outcome(block: Block, ok: bool, at: str, *, boosted: bool = False) -> Block:
    """A block with one more outcome in its record and its doubt; its evidence is the caller's.

    What an older version wrote has neither: both are worked out from the pieces that it kept.
    """
    before = block.record
    doubt = block.doubt
    if before is None:
        before = kept_record(block.evidence)
        doubt = replayed(block.evidence, before) if doubt is None else doubt
        if doubt is not None:
            # Reading the past latches nothing: a person is asked about what happens from now on (12.8).
            doubt = replace(doubt, since="")
    record = Record(before.ok + ok, before.failed + (not ok))
    return replace(block, record=record, doubt=after_outcome(doubt, before, ok, at, boosted=boosted))


def is_in_doubt(block: Block) -> bool:
    """Whether a person is asked if the block still holds."""
    return block.doubt is not None and block.doubt.since != ""


def still_true(block: Block, at: str, note: str = "") -> Block:
    """A person's answer that it still holds: the doubt rests at a quarter, open failures are cleared (12.5)."""
    piece = Evidence("decision", at=at, quote=note, effect=STILL_TRUE)
    return replace(
        block,
        # Who stands by what nobody doubted brings no doubt in.
        doubt=Doubt(RESTED, max(at[:10], block.doubt.day)) if block.doubt is not None else None,
        open_failures={},
        evidence=(*block.evidence, piece)[-EVIDENCE_KEPT:],
    )


def deserves_revival(block: Block) -> bool:
    """Whether an archived block's kept outcomes speak for it: at least three, and (ok + 1)/(n + 2) > 1/2 (12.7).

    What a person retired stays retired: the person has answered.
    """
    if block.archived is None or block.archived.reason != "obsolete":
        return False
    if any(piece.kind == "retired" and piece.at == block.archived.at for piece in block.evidence):
        return False
    kept = kept_record(block.evidence)
    uses = kept.ok + kept.failed
    return uses >= 3 and (kept.ok + 1) / (uses + 2) > 0.5


def outcomes_since_kept(block: Block) -> tuple[int, int]:
    """(ok, failed) among the kept pieces after the last *still true*: what orders trials (12.1, 12.5)."""
    ok = failed = 0
    for piece in block.evidence:
        if piece.effect == STILL_TRUE:
            # Failures that a person has answered count no more; successes stay.
            failed = 0
        elif piece.effect == "ok":
            ok += 1
        elif piece.effect in OUTCOMES:
            failed += 1
    return ok, failed


def kept_record(evidence: Iterable[Evidence]) -> Record:
    """The outcomes among some pieces."""
    effects = [piece.effect for piece in evidence if piece.effect in OUTCOMES]
    return Record(effects.count("ok"), len(effects) - effects.count("ok"))


def replayed(evidence: Iterable[Evidence], record: Record) -> Doubt | None:
    """The doubt worked out anew over pieces, in the order of time (12.8); None without an outcome.

    From 0, or from 1/4 after the last *still true*, 1/32 a day. The record before the first piece is ``record`` less
    the pieces themselves.
    """
    pieces = sorted(
        (piece for piece in evidence if piece.effect in (*OUTCOMES, STILL_TRUE)),
        key=lambda piece: (piece.at, piece.ref),
    )
    if not pieces:
        return None
    kept = kept_record(pieces)
    before = Record(max(0, record.ok - kept.ok), max(0, record.failed - kept.failed))
    doubt: Doubt | None = None
    for piece in pieces:
        if piece.effect == STILL_TRUE:
            doubt = Doubt(RESTED, piece.at[:10])
            continue
        ok = piece.effect == "ok"
        doubt = after_outcome(doubt, before, ok, piece.at)
        before = Record(before.ok + ok, before.failed + (not ok))
    return doubt
