"""Which of what a person approves is a rival of what is told now, so that they are asked which of the two holds."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Literal

from alice_exp.finding.rules.concerns import TRUSTED_PLACES
from alice_exp.finding.rules.neighbourhood import Kind, Neighbourhood, trusted
from alice_exp.finding.rules.rivals import are_rivals, replaced
from alice_exp.kernel.errors import RefusedError
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.doubt import is_in_doubt
from alice_exp.model.values.block import Block, Placed, is_approved
from alice_exp.model.values.snapshot import Put, Snapshot
from alice_exp.review.rules.daily_report import candidates

Answer = Literal["new", "old", "both", "neither"]
"""What a person says of two rivals: which of them holds."""


@dataclass(frozen=True, slots=True)
class Rival:
    """``new`` is to be approved or was approved later, ``old`` is told now or waits as well; ``kind`` is ``opposes``
    or ``replaces``."""

    new: Placed
    old: Placed
    kind: Kind


def told_rivals(
    snapshot: Snapshot, chosen: Sequence[Placed], answered: Collection[str] = (), *, asks: bool = False
) -> dict[str, Rival]:
    """The first rival of each block to be approved, by that block's id: one that is told now, or another of
    ``chosen`` that says the opposite; with ``asks`` any other candidate that does.

    ``answered`` are the ids of which the person says with the approval whether they hold.
    """
    waiting = candidates(snapshot) if asks else [one for one in chosen if one.place == "low_value"]
    silent = replaced(snapshot)
    found: dict[str, Rival] = {}
    for new, old, kind in _contradicted(snapshot, chosen, waiting):
        is_told = is_approved(old) and not is_in_doubt(old.block) and old.block.id not in silent
        is_open = is_told if old.place in TRUSTED_PLACES else old in waiting
        if is_open and old.block.id not in answered and are_rivals(new, old, kind) == "rival":
            found.setdefault(new.block.id, Rival(new, old, kind))
    return found


def _contradicted(
    snapshot: Snapshot, chosen: Sequence[Placed], waiting: Sequence[Placed]
) -> Iterator[tuple[Placed, Placed, Kind]]:
    around = Neighbourhood(trusted(snapshot), (), waiting if len(waiting) > 1 else ())
    for new, one in around.contradicted(chosen, ("trusted", "waiting")):
        if one.where == "trusted" or one.kind == "opposes":
            yield new, one.placed, one.kind
    # What it claims to replace need not be near it in words.
    claimed = snapshot.with_ids({block_id for placed in chosen for block_id in placed.block.replaces})
    for new in chosen:
        yield from ((new, claimed[one], "replaces") for one in new.block.replaces if one in claimed)


def with_answers(
    block: Block, replacing: Sequence[Placed], both: Sequence[Placed]
) -> tuple[Block, list[Put]]:
    """The block with a person's answers on it and others, and those of the trusted others that held an earlier
    answer on this pair, without it."""
    puts = []
    for other in {one.block.id: one for one in (*replacing, *both)}.values():
        block = _unanswered(block, other.block.id)
        if other.place == "low_value":
            continue
        if other.place not in TRUSTED_PLACES:
            raise RefusedError("{id} is not trusted: nothing can take its place", id=other.block.id)
        if (after := _unanswered(other.block, block.id)) != other.block:
            puts.append(Put(after, other.path))
    # One that waits and does not hold is rejected: there is nothing to silence.
    silenced = [one for one in replacing if one.place != "low_value"]
    won, beside = (tuple(dict.fromkeys(one.block.id for one in each)) for each in (silenced, both))
    return replace(block, replaces=(*block.replaces, *won), both=(*block.both, *beside)), puts


def _unanswered(block: Block, other: str) -> Block:
    replaces, both = (tuple(one for one in ids if one != other) for ids in (block.replaces, block.both))
    return replace(block, replaces=replaces, both=both)
