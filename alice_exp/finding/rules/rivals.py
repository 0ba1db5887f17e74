"""Which of two trusted blocks waits for the other, by the person's word or by what they say (DESIGN 12.1)."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Literal

from alice_exp.finding.rules.concerns import REPLACING, TRUSTED_PLACES, came_up, trusted_since
from alice_exp.model.rules.doubt import is_in_doubt
from alice_exp.model.values.block import Placed, is_approved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from alice_exp.finding.rules.nearness import Kind
    from alice_exp.finding.rules.statement import Statement
    from alice_exp.model.values.snapshot import Snapshot


def are_rivals(one: Placed, other: Placed, nearness: Kind | None) -> Literal["replaced", "rival"] | None:
    """Whether two blocks cannot both be told; ``nearness`` is what ``other`` is to ``one`` (``Relation.kind``).

    "replaced": the person said that one of them replaces the other (``replaces``). "rival": they oppose
    each other or give other values of one thing, and the person has not answered. None: they hold beside each other,
    as the person said (``both``) or for all that is known. Two answers at odds, as two machines may give, are none.
    What a candidate claims of itself is no answer.
    """
    answers = [
        kind
        for a, b in ((one, other), (other, one))
        if a.place in TRUSTED_PLACES
        for kind, ids in (("replaced", a.block.replaces), (None, a.block.both))
        if b.block.id in ids
    ]
    at_odds = "replaced" in answers and len(answers) > 1
    if at_odds or (not answers and nearness in ("opposes", "replaces")):
        return "rival"
    return "replaced" if answers and answers[0] else None


def replaced(snapshot: Snapshot) -> frozenset[str]:
    """The ids of the trusted blocks that wait: the person said that another one replaces them, which is there,
    approved and not in doubt. Few blocks are read where a catalogue knows them."""
    return waiting(snapshot.concerned(came_up(REPLACING)))


def waiting(blocks: Iterable[Placed]) -> frozenset[str]:
    """The ids that wait for one of some blocks; those that are not trusted, or in doubt, make nothing wait.

    In a circle, as two machines may close one, the word said last holds and the one that closes the circle does not.
    """
    winners = {
        p.block.id: p for p in blocks if p.block.replaces and is_approved(p) and not is_in_doubt(p.block)
    }
    said = sorted(winners.values(), key=lambda p: (trusted_since(p.block), p.block.id), reverse=True)
    below: defaultdict[str, set[str]] = defaultdict(set)
    for placed in said:
        for loser in placed.block.replaces:
            held = winners.get(loser)
            has_both = loser in placed.block.both or (held and placed.block.id in held.block.both)
            if not has_both and not _reaches(loser, placed.block.id, below):
                below[placed.block.id].add(loser)
    return frozenset().union(*below.values())


def rivalry() -> Callable[[Placed, Placed], bool]:
    """Tells whether two approved blocks are rivals, by the person's word, else by what they say.

    What was taken apart is kept as long as the function that is returned.
    """
    taken: dict[str, Statement] = {}

    def are(one: Placed, other: Placed) -> bool:
        # Loaded where two are compared.
        from alice_exp.finding.rules.nearness import Pair
        from alice_exp.finding.rules.statement import statement

        for placed in (one, other):
            if placed.block.id not in taken:
                taken[placed.block.id] = statement(placed)
        kind = Pair(taken[one.block.id], taken[other.block.id]).kind
        return are_rivals(one, other, kind) is not None

    return are


def _reaches(start: str, goal: str, below: Mapping[str, set[str]]) -> bool:
    met = left = {start}
    while left:
        left = set[str]().union(*(below.get(one, set()) for one in left)) - met
        met = met | left
    return goal in met
