"""Whom an outcome counts for, and which block rests when those told together fail (DESIGN 12.3, 12.4)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from alice_exp.finding.rules.choice import is_protected
from alice_exp.finding.rules.concerns import trusted_since
from alice_exp.model.rules.doubt import ESTABLISHED, LIMIT, RESTED, is_in_doubt, outcomes_since_kept, value
from alice_exp.model.rules.lifecycle import DEFAULT, Change, Standing, Thresholds, outcome
from alice_exp.model.values.block import Block, Evidence, Placed


def beside(block: Block, told: Iterable[Placed]) -> float | None:
    """The pooled success rate in [0, 1], over their kept outcomes, of the established blocks told with this one; None
    without any."""
    others = (one.block for one in told if one.block.id != block.id and one.block.record is not None)
    counts = [
        outcomes_since_kept(one)
        for one in others
        if one.record is not None and one.record.ok + one.record.failed >= ESTABLISHED
    ]
    uses = sum(ok + failed for ok, failed in counts)
    return sum(ok for ok, _ in counts) / uses if uses else None


def counted(
    told: Sequence[Placed],
    used: Collection[str],
    ok: bool,
    scenario: str,
    now: str,
    piece: Evidence,
    thresholds: Thresholds = DEFAULT,
) -> tuple[tuple[Placed, Change], ...]:
    """What one outcome does to the blocks that were told: to all, or where some were ``used`` to those alone.

    It counts in the value and the doubt of each; the count of verifications moves for those that were used, or for the
    only one that was told. A failed candidate waits for the review, whoever it stood beside.
    """
    meant = [one for one in told if not used or one.block.id in used]
    changes = []
    for placed in meant:
        is_candidate = placed.place == "low_value"
        is_named = placed.block.id in used or len(told) == 1
        standing: Standing = "candidate" if is_candidate and (is_named or not ok) else ""
        if not (is_named or standing):
            standing = "bystander"
        approved = () if is_candidate else told
        changes.append(
            outcome(
                placed.block,
                ok,
                scenario,
                now,
                piece,
                thresholds,
                standing=standing,
                beside=beside(placed.block, approved),
            )
        )
    after = [replace(one, block=change.block) for one, change in zip(meant, changes, strict=True)]
    trusted = {one.block.id: one for one in settled([one for one in after if one.place != "low_value"], now)}
    return tuple((trusted.get(one.block.id, one), change) for one, change in zip(after, changes, strict=True))


def settled(told: Sequence[Placed], at: str) -> tuple[Placed, ...]:
    """The blocks that one outcome counted for, once it is known which of them a person is asked about (``at`` is now).

    A newcomer that does worse than what stands beside it is in doubt alone. Else, where a doubt reaches one, the block
    of the lowest value rests, of equal ones the newest; one that may not rest (``is_protected``) only where all are
    such. Those that reached one start again from 1/4.
    """
    newcomers = {
        one.block.id
        for one in told
        if one.block.doubt is not None and one.block.doubt.against >= LIMIT and not is_in_doubt(one.block)
    }
    tipped = {one.block.id for one in told if one.block.doubt is not None and one.block.doubt.value >= LIMIT}
    asked: dict[str, tuple[str, ...]] = dict.fromkeys(newcomers, ())
    if tipped and not newcomers:
        newest = sorted(told, key=lambda one: (trusted_since(one.block), one.block.id), reverse=True)
        answering = [one for one in newest if not is_in_doubt(one.block)]
        able = [one for one in answering if not is_protected(one)] or answering
        suspect = min((one.block for one in able), key=value, default=None)
        if suspect is not None:
            asked[suspect.id] = tuple(one.block.id for one in told if one.block.id != suspect.id)
    after = []
    for one in told:
        doubt = one.block.doubt
        if doubt is not None and one.block.id in tipped:
            doubt = replace(doubt, value=RESTED)
        if doubt is not None and one.block.id in asked:
            doubt = replace(doubt, since=at, beside=asked[one.block.id])
        after.append(replace(one, block=replace(one.block, doubt=doubt)) if doubt != one.block.doubt else one)
    return tuple(after)
