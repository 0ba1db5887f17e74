"""Which of two trusted blocks waits for the other, by the person's word or by what they say (DESIGN 12.1)."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from alice_exp.finding.rules.concerns import REPLACING, TRUSTED_PLACES, came_up, is_of_user, trusted_since
from alice_exp.kernel.text.bilingual_lexicon import same_concept
from alice_exp.kernel.text.tokens import tokens
from alice_exp.model.rules.doubt import is_in_doubt
from alice_exp.model.rules.rejection import inference
from alice_exp.model.values.block import Placed, is_approved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from alice_exp.finding.rules.nearness.neighbourhood import Kind
    from alice_exp.finding.rules.nearness.statement import Statement
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


def could_be_rivals(one: Placed, other: Placed) -> bool:
    """Whether what two blocks say may be at odds, without taking them apart: they share a word or a name of one
    concept, both are about the user, or both name a value, a number or a side of opposites."""
    if is_of_user(one.block) and is_of_user(other.block):
        return True
    said = [inference(of.block.payload) for of in (one, other)]
    if not _names(said[0]).isdisjoint(tokens(said[1])):
        return True
    if not all(map(str.isascii, said)):
        return True
    # Loaded where two share no word.
    from alice_exp.finding.rules.nearness.statement import subjects

    return not subjects(said[0]).isdisjoint(subjects(said[1]))


@lru_cache(maxsize=64)
def _names(text: str) -> frozenset[str]:
    """The words of a text and their names of the same concepts."""
    words = tokens(text)
    return frozenset(words).union(*map(same_concept, words))


def rivalry() -> Callable[[Placed, Placed], bool]:
    """Tells whether two approved blocks are rivals, by the person's word, else by what they say.

    What was taken apart is kept as long as the function that is returned.
    """
    taken: dict[str, Statement] = {}

    def are(one: Placed, other: Placed) -> bool:
        if not could_be_rivals(one, other):
            return are_rivals(one, other, None) is not None
        # Loaded where two could be at odds.
        from alice_exp.finding.rules.nearness.relation import likeness
        from alice_exp.finding.rules.nearness.statement import statement

        for placed in (one, other):
            if placed.block.id not in taken:
                taken[placed.block.id] = statement(placed)
        kind = likeness(taken[one.block.id], taken[other.block.id]).kind
        return are_rivals(one, other, kind) is not None

    return are


def _reaches(start: str, goal: str, below: defaultdict[str, set[str]]) -> bool:
    met, left = {start}, [start]
    while left:
        here = left.pop()
        if here == goal:
            return True
        left += below.get(here, set()) - met
        met |= below.get(here, set())
    return False
