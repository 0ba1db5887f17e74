"""Pairs of trusted blocks that contradict each other, and when a person is asked which one holds."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from alice_exp.finding.rules.concerns import TRUSTED, TRUSTED_PLACES, came_up, trusted_since
from alice_exp.kernel.text.times import days_before
from alice_exp.model.rules.doubt import STILL_TRUE
from alice_exp.model.rules.lifecycle import heirs
from alice_exp.model.values.block import is_approved

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from alice_exp.finding.rules.nearness.neighbourhood import Neighbourhood, Relation
    from alice_exp.model.values.block import Block, Placed
    from alice_exp.model.values.snapshot import Snapshot, Span

NEW_AT_ONCE, AGAIN_AT_ONCE = 50, 20
"""How many blocks that became trusted since the report before are compared with the others, and how many of earlier."""

ASKED_AGAIN = (7, 14, 28, 56, 112, 224)
"""After how many days a contradiction that nobody answered is asked about again."""


def contradictions(
    snapshot: Snapshot, around: Neighbourhood, since: str, now: str
) -> tuple[tuple[Placed, Relation], ...]:
    """Pairs of which one became trusted since the report before (``since``) and contradicts the other.

    Another value counts then, too: to approve what changes something is not yet to say that the old no longer holds.
    A pair that no report showed side by side is asked about again, until one of it is retired or kept.
    """
    # With a "~" behind it the end of a span is part of it: who looks at nine each day misses none.
    again = (
        (TRUSTED, days_before(since, days), days_before(now, days) + "~") for days in ASKED_AGAIN if since
    )
    spans = (came_up(TRUSTED, since), *again)
    late = [p for p in snapshot.concerned(*spans, most=NEW_AT_ONCE) if p.place in TRUSTED_PLACES]
    late.sort(key=lambda placed: (trusted_since(placed.block), placed.block.id), reverse=True)
    new = {placed.block.id for placed in _asked(late, spans[0], since)}
    fresh = [p for span in spans for p in _asked(late, span, since)]
    found: dict[frozenset[str], tuple[Placed, Relation]] = {}
    for placed, one in around.contradicted(fresh):
        # Of two the newer one changes the older.
        is_newer = trusted_since(placed.block) >= trusted_since(one.placed.block)
        is_named = one.kind == "opposes" or placed.block.id in new or _is_by_word(placed.block)
        if (
            is_newer
            and is_named
            and is_approved(one.placed)
            and not _is_answered(placed.block, one.placed.block)
        ):
            found.setdefault(frozenset((placed.block.id, one.placed.block.id)), (placed, one))
    for placed, one in _heirs_of_one(late, snapshot):
        pair = frozenset((placed.block.id, one.placed.block.id))
        if (
            is_approved(placed)
            and is_approved(one.placed)
            and not _is_answered(placed.block, one.placed.block)
        ):
            found.setdefault(pair, (placed, one))
    return tuple(found.values())


def _heirs_of_one(late: Sequence[Placed], snapshot: Snapshot) -> Iterator[tuple[Placed, Relation]]:
    """Pairs that took the place of one block, as two machines may decide: whatever they say, only one was to hold.

    The newer of the two comes first.
    """
    if not (ended := {block_id for placed in late for block_id in placed.block.replaces}):
        return
    from alice_exp.finding.rules.nearness.neighbourhood import Relation

    line = {block_id: heirs(placed.block) for block_id, placed in snapshot.with_ids(ended).items()}
    known = snapshot.with_ids({one for row in line.values() if len(row) > 1 for one in row})
    for placed in late:
        for other_id in (heir for loser in placed.block.replaces for heir in line.get(loser, ())):
            other = known.get(other_id)
            if other is not None and other.place in TRUSTED_PLACES and other_id != placed.block.id:
                second = Relation(other, "trusted", "opposes", 0.0, ("", ""))
                if trusted_since(placed.block) >= trusted_since(other.block):
                    yield placed, second


def _asked(late: Sequence[Placed], span: Span, since: str) -> Iterable[Placed]:
    """The first of some blocks that became trusted in a span, and are asked about for it."""
    _, after, before = map(str, span)
    within = (placed for placed in late if after < trusted_since(placed.block) < before)
    # Approved or not is asked of few: it takes a hash of what the block says.
    if after == since:
        return islice((placed for placed in within if is_approved(placed)), NEW_AT_ONCE)
    return islice((p for p in within if _is_by_word(p.block) and is_approved(p)), AGAIN_AT_ONCE)


def _is_by_word(block: Block) -> bool:
    """Whether the person's word alone made it trusted: no report showed it beside what it contradicts."""
    return block.approved is None or not block.approved.report


def _is_answered(one: Block, two: Block) -> bool:
    """Whether a person kept one of them since both stand."""
    both = max(trusted_since(one), trusted_since(two))
    return any(piece.effect == STILL_TRUE and piece.at >= both for of in (one, two) for piece in of.evidence)
