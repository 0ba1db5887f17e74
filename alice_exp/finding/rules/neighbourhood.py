"""The neighbours of a candidate among trusted, rejected and waiting blocks, and groups of candidates (DESIGN 13)."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Literal, TypeAlias

from alice_exp.finding.rules.concerns import TRUSTED_PLACES, block_text, is_living
from alice_exp.finding.rules.corpus import Corpus, Searchable
from alice_exp.finding.rules.nearness import Kind as Sure
from alice_exp.finding.rules.nearness import Pair
from alice_exp.finding.rules.ranking import rank
from alice_exp.finding.rules.statement import (
    NAMES,
    Statement,
    statement,
    vocabulary,
)
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.block import SETS, Placed, is_put_away
from alice_exp.model.values.snapshot import Catalogue, Snapshot

Where = Literal["trusted", "rejected", "waiting"]
Kind: TypeAlias = Sure | Literal["alike"]
"""``alike`` is said of rejected blocks alone: marked, though what it says is not sure."""

Nearest: TypeAlias = Callable[[str, str, str], tuple[Sequence[Placed], str]]
"""``nearest`` among some blocks."""

SHOWN: dict[Where, int] = {"trusted": 2, "rejected": 1, "waiting": 5}
"""How many neighbours are shown."""

MARK, MARK_WITH_TOPIC, NEARER = 0.36, 0.45, 0.15
"""The dice, and the dice with a quarter of the topic, from which a candidate is marked as like a rejected one; and by
how much nearer to it than to any trusted one it has to be."""

GROUP, LARGEST_GROUP = 0.45, 6
"""The strength from which waiting candidates stand together, and how many do."""

SEARCHED, RECALLED = 24, 0.15
"""How many blocks of each kind are compared closely; the match from which ``recall``'s first answer is a neighbour."""


A_QUESTION = 25
"""How many texts are read and counted in the time that the index takes for a question (5 ms of a processor)."""


@dataclass(frozen=True, slots=True)
class Relation:
    """What a known block (``placed``) is to a candidate; ``differs`` is what differs: the candidate's, its own."""

    placed: Placed
    where: Where
    kind: Kind
    strength: float
    differs: tuple[str, str]


def shelf(
    blocks: Iterable[Placed], paths: Collection[str] = (), catalogue: Catalogue | None = None
) -> Nearest:
    """Looks the nearest up among those of some ``paths``, by a catalogue where that answers, else by the words of all
    ``blocks``."""

    @cache
    def corpus() -> Corpus:
        whole = Corpus.of(blocks, lambda _: True)
        return whole.of_files(paths) if paths else whole

    def found(*asked: str) -> tuple[Sequence[Placed], str]:
        known = catalogue(lambda rows: nearest(rows.of_files(paths), *asked)) if catalogue else None
        return known or nearest(corpus(), *asked)

    return found


def trusted(snapshot: Snapshot, asked: int = 1) -> Nearest:
    """What a snapshot trusts, for about so many questions; not read where its catalogue knows all of it, but for a home
    so small that this costs less than to ask."""
    files = [file for file in snapshot.files if file.place in TRUSTED_PLACES]
    catalogue = snapshot.catalogue if all(file.is_unread for file in files) else None
    if catalogue and (catalogue(len) or 0) < A_QUESTION * asked:
        catalogue = None
    return shelf(filter(is_living, snapshot.within(*SETS)), [file.path for file in files], catalogue)


def nearest(blocks: Searchable, text: str, words: str, at: str) -> tuple[Sequence[Placed], str]:
    """The blocks that share most words with a text, or have one of ``words``, at most ``SEARCHED``; and the id of the
    one that ``recall`` answers first to the text at a time, "" where its match is below ``RECALLED`` or no time is
    given."""
    found = next(blocks.found(f"{text}\n{words}" if words else text, tuple), None)
    numbers = found.scored.best()[:SEARCHED] if found else []
    among = blocks.among(numbers)
    first = rank(among, text, {}, at, 1, passing=lambda one: not is_put_away(one)) if at else ()
    return blocks.blocks(numbers), next((one.placed.block.id for one in first if one.match >= RECALLED), "")


class Neighbourhood:
    """What candidates are compared with; built once a report, from one snapshot."""

    def __init__(
        self,
        trusted: Nearest | Iterable[Placed],
        rejected: Iterable[Placed] = (),
        waiting: Iterable[Placed] = (),
    ) -> None:
        self._nearest: dict[Where, Nearest] = {
            "trusted": trusted if callable(trusted) else shelf(trusted),
            "rejected": shelf(rejected),
            "waiting": shelf(waiting),
        }
        self._statements: dict[str, Statement] = {}
        self._found: dict[tuple[str, Where, bool], list[Relation]] = {}

    def contradicted(
        self, blocks: Sequence[Placed], among: Sequence[Where] = ("trusted",)
    ) -> Iterator[tuple[Placed, Relation]]:
        """Each of some blocks with all those beside it that oppose or replace it, the nearest first."""
        for placed in blocks:
            found = [one for where in among for one in self._compared(placed, where, recalls=False)]
            found.sort(key=lambda one: (-one.strength, one.placed.block.id))
            yield from ((placed, one) for one in found if one.kind in ("opposes", "replaces"))

    def relations(self, candidate: Placed) -> tuple[Relation, ...]:
        """What the candidate's neighbours are to it: at most two trusted ones, one rejected one, and those waiting.

        The surest first: named relations before mere nearness, then by strength.
        """
        return tuple(self._related(candidate))

    def mark(self, candidate: Placed) -> Relation | None:
        """The rejected block that the candidate repeats or is like; None if there is none."""
        found = (one for one in self.relations(candidate) if one.where == "rejected")
        return next((one for one in found if one.kind != "opposes"), None)

    def groups(self, candidates: Sequence[Placed]) -> tuple[tuple[Placed, ...], ...]:
        """The candidates that stand together, in the order of their first ones; every other one by itself.

        Two groups become one if at least half of their pairs are near each other: a chain of neighbours is no group.
        """
        place = {placed.block.id: at for at, placed in enumerate(candidates)}
        pairs = [
            (placed.block.id, one.placed.block.id)
            for placed in candidates
            for one in self.relations(placed)
            if one.where == "waiting" and one.placed.block.id in place
        ]
        near, group_of = {*map(frozenset, pairs)}, {block_id: [block_id] for block_id in place}
        for own, theirs in ((group_of[a], group_of[b]) for a, b in pairs):
            is_small = theirs is not own and len(own) + len(theirs) <= LARGEST_GROUP
            if is_small and 2 * sum({a, b} in near for a in own for b in theirs) >= len(own) * len(theirs):
                own += theirs
                group_of.update(dict.fromkeys(theirs, own))
        groups = {id(group): sorted(place[one] for one in group) for group in group_of.values()}
        return tuple(tuple(candidates[at] for at in group) for group in sorted(groups.values()))

    def _related(self, candidate: Placed) -> Iterator[Relation]:
        trusted = self._compared(candidate, "trusted")
        strongest = max((one.strength for one in trusted), default=0.0)
        for where, most in SHOWN.items():
            found = trusted if where == "trusted" else self._compared(candidate, where)
            told = [one for one in found if _is_told(one, strongest)]
            # Of two rejected blocks the one that it repeats counts, not the one that it denies.
            plain = ("near", "alike", "opposes" if where == "rejected" else "")

            def order(one: Relation, plain: Sequence[str] = plain) -> tuple[bool, float, str]:
                lifted = one.strength + 0.2 * (one.kind == "opposes")
                return one.kind in plain, -lifted, one.placed.block.id

            yield from heapq.nsmallest(most, told, key=order)

    def _compared(self, candidate: Placed, where: Where, *, recalls: bool = True) -> list[Relation]:
        key = candidate.block.id, where, recalls
        if key not in self._found:
            self._found[key] = list(self._compare(candidate, where, recalls=recalls))
        return self._found[key]

    def _compare(self, candidate: Placed, where: Where, *, recalls: bool) -> Iterator[Relation]:
        """What blocks are to a candidate that share most of its words, or the trigger, with it; of trusted ones the
        first that is recalled by what it says is shown whatever it is to it (``recalls``)."""
        block, own = candidate.block, self._statement(candidate)
        # Other values may stand in what it opposes or replaces.
        words = "\n".join(word for subject in own.said for word in _words_of().get(subject, ()))
        at = block.updated_at or block.created_at or "1970-01-01T00:00:00Z"
        asked = block_text(block), words, at if recalls and where == "trusted" else ""
        found, recalled = self._nearest[where](*asked)
        for placed in found:
            if placed.block.id != block.id:
                pair = Pair(own, self._statement(placed))
                kind = _kind(where, pair) or ("near" if placed.block.id == recalled else None)
                if kind:
                    yield Relation(placed, where, kind, pair.strength, pair.differs)

    def _statement(self, placed: Placed) -> Statement:
        if placed.block.id not in self._statements:
            self._statements[placed.block.id] = statement(placed)
        return self._statements[placed.block.id]


def _kind(where: Where, pair: Pair) -> Kind | None:
    """What a relation is worth saying of a block in one of the places."""
    if where == "waiting" and pair.kind == "near" and pair.strength < GROUP:
        return None
    if where == "rejected" and pair.kind in ("near", None):
        return "alike" if pair.dice >= MARK or pair.strength >= MARK_WITH_TOPIC else None
    return pair.kind


def _is_told(one: Relation, trusted: float) -> bool:
    """Whether a relation is said; who is nearer to what is trusted than to what was rejected repeats the one, not the
    other."""
    if one.where != "rejected" or one.kind in ("identical", "opposes", "same", "extends"):
        return True
    return one.strength >= trusted + (NEARER if one.kind == "alike" else 0)


@cache
def _words_of() -> Mapping[str, Sequence[str]]:
    """The words of each subject."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for text, (roles, values) in vocabulary().words.items():
        for subject in (*dict(values), *(NAMES[role] for role in roles if role in NAMES)):
            found[subject].add(text)
    return {subject: sorted(words) for subject, words in found.items()}
