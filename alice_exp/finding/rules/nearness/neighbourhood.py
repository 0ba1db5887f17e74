"""The neighbours of a candidate among trusted, rejected and waiting blocks, and groups of candidates (DESIGN 13)."""

from __future__ import annotations

import heapq
from collections import defaultdict
from functools import cache, cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

from alice_exp.finding.rules.nearness.persons import is_of_user
from alice_exp.finding.rules.nearness.relation import CHARACTER, LEAST, likeness, weight_of
from alice_exp.finding.rules.nearness.relation import Kind as Sure
from alice_exp.finding.rules.nearness.rough_keys import (
    FIRST,
    LAST,
    TRIGGER,
    RoughKeys,
    is_character,
    looked_up,
)
from alice_exp.finding.rules.nearness.shelf import Catalogued, Listed
from alice_exp.finding.rules.nearness.statement import statement
from alice_exp.finding.rules.nearness.vocabulary import exclusive, vocabulary
from alice_exp.kernel.text.bilingual_lexicon import members, same_concept
from alice_exp.kernel.text.tokens import fingerprint_text, is_cjk, stems
from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from alice_exp.finding.rules.nearness.relation import Likeness
    from alice_exp.finding.rules.nearness.shelf import Shelf
    from alice_exp.finding.rules.nearness.statement import Statement
    from alice_exp.model.values.block import Placed

Where = Literal["trusted", "rejected", "waiting"]
Kind: TypeAlias = Sure | Literal["alike"]
"""``alike`` is said of rejected blocks alone: marked, though what it says is not sure."""

EVERYWHERE: tuple[Where, ...] = ("trusted", "rejected", "waiting")

SEARCHED, SAME_TRIGGER = 24, 6
"""How many blocks are compared closely: by shared weight, and more for their equal trigger."""

LEAST_SHARE = 0.25
"""The share of the best one's weight below which a block is not compared closely."""

SHARED_BY_NEWS = 4.0
"""The shared weight from which what moved or changed work is compared with what else is about the user."""

SHOWN = 2
"""How many trusted neighbours are shown."""

MARK, MARK_WITH_TOPIC = 0.36, 0.45
"""The dice, and the dice with a quarter of the topic, from which a candidate is marked as like a rejected one.

A little below those of DESIGN 13, whose prototype counted filling words: published paraphrases marked 64 % against 60,
texts on other subjects 0 of 640 at both."""

CLEAR = 0.2
"""By how much nearer to the rejected block than to any trusted one counts as alike in a dense domain, too.

Of 58 rewordings in a home of 200 texts of one subject it marks 97 % (without it 76) at 1.5 % of the innocent (0.8)."""

SAMPLE = 200
"""How many trusted blocks tell how alike the innocent are to what was rejected, in a dense domain."""

GROUP, LARGEST_GROUP = 0.45, 6
"""The strength from which waiting candidates stand together, and how many do."""

ANTONYM = 0.2
"""What an opposite adds in the order of neighbours."""


@dataclass(frozen=True, slots=True)
class Relation:
    """What a known block (``placed``) is to a candidate; ``differs`` is what differs: the candidate's, its own."""

    placed: Placed
    where: Where
    kind: Kind
    strength: float
    differs: tuple[str, str]


class Neighbourhood:
    """An index of the blocks that candidates are compared with; built once a report, from one snapshot."""

    def __init__(
        self,
        trusted: Iterable[Placed] | Catalogued,
        rejected: Iterable[Placed] = (),
        waiting: Iterable[Placed] = (),
    ) -> None:
        rough = self._rough = RoughKeys()
        shelves: tuple[tuple[Where, Shelf], ...] = (
            ("trusted", trusted if isinstance(trusted, Catalogued) else Listed(trusted, rough)),
            ("rejected", Listed(rejected, rough)),
            ("waiting", Listed(waiting, rough)),
        )
        # Each with the numbers of its blocks: of the first, and behind the last.
        self._shelves: list[tuple[int, int, Where, Shelf]] = []
        self._total = 0
        for where, shelf in shelves:
            start, self._total = self._total, self._total + len(shelf)
            self._shelves.append((start, self._total, where, shelf))
        self._taken: dict[str, Statement] = {}
        self._holders: dict[str, list[tuple[int, Sequence[int]]]] = {}
        self._weights: dict[str, float] = {}
        self._asked: dict[str, set[str]] = {}
        self._known: dict[int, Placed] = {}
        self._nearest: dict[tuple[str, Sequence[Where]], list[tuple[Where, int]]] = {}
        self._relations: dict[str, tuple[Relation, ...]] = {}

    def contradicted(
        self, blocks: Sequence[Placed], among: Sequence[Where] = ("trusted",)
    ) -> Iterable[tuple[Placed, Relation]]:
        """Each of some blocks with all those beside it that oppose or replace it, the nearest first."""
        self.expect(blocks, among)
        for placed in blocks:
            found = [
                Relation(other, where, like.kind, round(like.strength, 3), like.differs)
                for where, other, like in self._compared(placed, among)
                if like.kind in ("opposes", "replaces")
            ]
            yield from (
                (placed, one) for one in sorted(found, key=lambda one: (-one.strength, one.placed.block.id))
            )

    def relations(self, candidate: Placed) -> tuple[Relation, ...]:
        """What the candidate's neighbours are to it: at most two trusted ones, one rejected one, and those waiting.

        The surest first: named relations before mere nearness, then by strength.
        """
        known = self._relations.get(candidate.block.id)
        if known is None:
            known = self._relations[candidate.block.id] = tuple(self._related(candidate))
        return known

    def mark(self, candidate: Placed) -> Relation | None:
        """The rejected block that the candidate repeats or is like; None if there is none."""
        found = (one for one in self.relations(candidate) if one.where == "rejected")
        return next((one for one in found if one.kind != "opposes"), None)

    def groups(self, candidates: Sequence[Placed]) -> tuple[tuple[Placed, ...], ...]:
        """The candidates that stand together, in the order of their first ones; every other one by itself.

        Two groups become one if at least half of their pairs are near each other: a chain of neighbours is no group.
        """
        by_id = {placed.block.id: placed for placed in candidates}
        beside = {
            placed.block.id: {one.placed.block.id for one in self.relations(placed) if one.where == "waiting"}
            for placed in candidates
        }
        group_of: dict[str, list[str]] = {}
        for placed in candidates:
            own = group_of.setdefault(placed.block.id, [placed.block.id])
            for one in self.relations(placed):
                other = one.placed.block.id
                if one.where != "waiting" or other not in by_id:
                    continue
                theirs = group_of.setdefault(other, [other])
                if theirs is own or len(own) + len(theirs) > LARGEST_GROUP:
                    continue
                near = sum(a in beside[b] or b in beside[a] for a in own for b in theirs)
                if 2 * near < len(own) * len(theirs):
                    continue
                own += theirs
                for member in theirs:
                    group_of[member] = own
        place = {placed.block.id: at for at, placed in enumerate(candidates)}
        seen: set[str] = set()
        found = []
        for placed in candidates:
            if placed.block.id not in seen:
                members = sorted(group_of[placed.block.id], key=place.__getitem__)
                seen.update(members)
                found.append(tuple(by_id[member] for member in members))
        return tuple(found)

    def weigh(self, key: str) -> float:
        """A key's weight (``relation.weight_of``), N at least 200; of a single CJK character 0.35 of it."""
        known = self._weights.get(key)
        if known is None:
            self._learn((key,))
            known = self._weights[key]
        return known

    def _learn(self, keys: Iterable[str]) -> None:
        """Weigh keys: those of many texts at once, since a shelf may have to ask for them."""
        new = [key for key in dict.fromkeys(keys) if key not in self._weights]
        held: defaultdict[str, int] = defaultdict(int)
        asked: list[str] = []
        for key in new:
            if is_character(key):
                asked += (FIRST + key, LAST + key)
            elif key in self._holders:
                held[key] = sum(len(places) for _, places in self._holders[key])
            else:
                asked.append(key)
        for *_, shelf in self._shelves if asked else ():
            for key, number in shelf.counts(asked).items():
                held[key] += number
        count = max(LEAST, self._total)
        for key in new:
            # Of a single CJK character about how many hold it, by the pairs that it is part of.
            of_pairs = min(self._total, max(held[FIRST + key], held[LAST + key])) if is_character(key) else 0
            weight = weight_of(max(1, of_pairs or held[key]), count)
            self._weights[key] = weight * CHARACTER if is_character(key) else weight

    # ------------------------------------------------------------------------------------------------- searching

    def _related(self, candidate: Placed, among: Sequence[Where] = EVERYWHERE) -> Iterable[Relation]:
        found: dict[Where, list[tuple[bool, float, str, Relation]]] = defaultdict(list)
        compared = list(self._compared(candidate, among))
        trusted = max((like.strength for where, _, like in compared if where == "trusted"), default=0.0)
        for where, placed, like in compared:
            kind = self._kind(where, like, trusted)
            if kind is not None:
                # Of two rejected blocks the one that it repeats counts, not the one that it denies.
                is_named = kind not in ("near", "alike", "opposes" if where == "rejected" else "")
                rank = like.strength + (ANTONYM if kind == "opposes" else 0)
                row = Relation(placed, where, kind, round(like.strength, 3), like.differs)
                found[where].append((not is_named, -rank, placed.block.id, row))
        for where, most in (("trusted", SHOWN), ("rejected", 1), ("waiting", LARGEST_GROUP - 1)):
            for *_, relation in heapq.nsmallest(most, found[where]):
                yield relation

    def _kind(self, where: Where, like: Likeness, trusted: float) -> Kind | None:
        """What a block is worth saying; ``trusted`` is the candidate's strength to the nearest trusted block."""
        if where == "trusted":
            return like.kind
        if where == "waiting":
            return like.kind if like.kind != "near" or like.strength >= GROUP else None
        if like.kind in ("identical", "opposes"):
            return like.kind
        named = like.kind if like.kind in ("replaces", "same", "extends") else None
        # Who is nearer to what is trusted than to what was rejected repeats the one, not the other.
        is_nearest = named in ("same", "extends") or like.strength >= trusted
        is_marked = named or like.dice >= MARK or like.strength >= MARK_WITH_TOPIC
        is_clear = like.strength >= min(self._innocent, trusted + CLEAR)
        return (named or "alike") if is_marked and is_nearest and is_clear else None

    def _compared(
        self, candidate: Placed, among: Sequence[Where] = EVERYWHERE
    ) -> Iterable[tuple[Where, Placed, Likeness]]:
        self.expect((candidate,), among)
        own = self._statement(candidate)
        for where, at in self._nearest[candidate.block.id, among]:
            placed = self._known[at]
            if placed.block.id != candidate.block.id:
                yield where, placed, likeness(own, self._statement(placed), self.weigh)

    def expect(
        self,
        candidates: Sequence[Placed],
        among: Sequence[Where] = EVERYWHERE,
    ) -> None:
        """Look up at once what many candidates will be compared with: that changes no answer, and asks a shelf less."""
        new = [placed for placed in candidates if (placed.block.id, among) not in self._nearest]
        if not new:
            return
        self._look_up({key for placed in new for key in (*self._keys(placed), _trigger(placed))})
        for placed in new:
            self._nearest[placed.block.id, among] = list(self._near(placed, among))
        asked = {at for placed in new for _, at in self._nearest[placed.block.id, among]} - self._known.keys()
        for start, stop, _, shelf in self._shelves:
            own = sorted(at for at in asked if start <= at < stop)
            self._known.update(zip(own, shelf.blocks([at - start for at in own]), strict=True))
        told = [self._statement(placed) for placed in (*new, *map(self._known.__getitem__, sorted(asked)))]
        self._learn(key for one in told for key in (*one.signs, *one.line))

    def _near(self, candidate: Placed, among: Sequence[Where]) -> Iterable[tuple[Where, int]]:
        """The numbers of the blocks worth a close comparison: by shared weight, for each kind of block apart."""
        shares: defaultdict[int, float] = defaultdict(float)
        habitual = max(64, self._total // 20)
        keys = self._keys(candidate)
        for key in keys:
            held = self._holders[key]
            if held and sum(len(places) for _, places in held) <= habitual:
                weight = self.weigh(key)
                for start, places in held:
                    for at in places:
                        shares[start + at] += weight
        of_trigger = {start + at for start, places in self._holders[_trigger(candidate)] for at in places}
        # What shares next to nothing with it is neither near it nor anything else to it. Of who lives or works where,
        # one rare word is enough: 公司搬到亦庄了.
        least = LEAST_SHARE * max(shares.values(), default=0.0)
        if is_of_user(candidate.block) and not keys.isdisjoint(_moves()):
            least = min(least, SHARED_BY_NEWS)
        likely = [at for at, share in shares.items() if share >= least]
        for start, stop, where, _ in self._shelves:
            if where not in among:
                continue
            rows = [at for at in likely if start <= at < stop]
            chosen = heapq.nsmallest(SEARCHED, rows, key=lambda at: (-shares[at], at))
            yield from ((where, at) for at in chosen)
            more = [at for at in of_trigger.difference(chosen) if start <= at < stop]
            own = heapq.nsmallest(SAME_TRIGGER, more, key=lambda at: (-shares.get(at, 0.0), at))
            yield from ((where, at) for at in own)

    def _keys(self, candidate: Placed) -> set[str]:
        known = self._asked.get(candidate.block.id)
        if known is None:
            keys = self._rough.of(looked_up(candidate.block))
            known = self._asked[candidate.block.id] = self._wide(keys, is_of_user(candidate.block))
        return known

    def _look_up(self, keys: Iterable[str]) -> None:
        """Find the holders of keys."""
        new = [key for key in keys if key not in self._holders]
        self._holders.update((key, []) for key in new)
        for start, _, _, shelf in self._shelves if new else ():
            for key, places in shelf.holding(new).items():
                self._holders[key].append((start, places))

    def _wide(self, keys: frozenset[str], about_user: bool) -> set[str]:
        """The keys with the other names of their concepts, the other names of typed values, and their opposites; of
        what is said about the user all cities, since a person lives in one, and all of a kind of tool (npm, yarn)."""
        found = set(keys)
        for key in keys:
            found.update(same_concept(key))
            found.update(_partners().get(key, ()))
        for names in exclusive() if about_user else ():
            if not found.isdisjoint(names):
                found |= names
        return found

    def _statement(self, placed: Placed) -> Statement:
        known = self._taken.get(placed.block.id)
        if known is None:
            known = self._taken[placed.block.id] = statement(placed)
        return known

    @cached_property
    def _innocent(self) -> float:
        """The 99th percentile of the trusted blocks' own strength to their nearest rejected one; from 100 blocks on.

        Without it a domain of like sentences would mark what nobody ever rejected.
        """
        shelf = self._shelves[0][3]
        if len(shelf) < 100:
            return 0.0
        sample = shelf.blocks(range(0, len(shelf), max(1, len(shelf) // SAMPLE))[:SAMPLE])
        self.expect(sample, ("rejected",))
        nearest = sorted(
            max(
                (like.strength for _, _, like in self._compared(placed, ("rejected",))),
                default=0.0,
            )
            for placed in sample
        )
        return nearest[int(0.99 * (len(nearest) - 1))]


def _trigger(placed: Placed) -> str:
    """The key of what has the same trigger; where there is none, one that nothing holds."""
    return TRIGGER + fingerprint_text(placed.block.trigger.text)


@cache
def _moves() -> frozenset[str]:
    """What tells that somebody or something moved, as blocks are looked up by it."""
    known = vocabulary()
    words = (*known.latin.items(), *known.cjk.items())
    told = {word for word, meaning in words if "update" in meaning.roles and meaning.roles & _FRAME_OF.keys()}
    return frozenset(stems([word]).get(word, word) for word in told)


_FRAME_OF = {"lives": "lives", "employed": "employed", "works chinese": "employed"}


@cache
def _partners() -> dict[str, frozenset[str]]:
    """The other names of a typed value, a word's opposites, and what else says where somebody lives or works, by which
    a block is looked up as well."""
    known = vocabulary()
    names: defaultdict[object, set[str]] = defaultdict(set)
    by_word: dict[str, list[object]] = {}
    stem_of = stems((*known.latin, *known.cjk))
    for word, meaning in (*known.latin.items(), *known.cjk.items()):
        keys = stem_of.get(word, word)
        for side, pair in ((side, pair) for pair, side in meaning.sides):
            names[pair, side].add(keys)
            by_word.setdefault(keys, []).append((pair, -side))
        for value in (*meaning.values, *(_FRAME_OF[role] for role in meaning.roles if role in _FRAME_OF)):
            names[value].add(keys)
            by_word.setdefault(keys, []).append(value)
    # Chinese is looked up by pairs of characters, and the last one of an occupation names it: 产品经理 is a 经理.
    for job in filter(is_cjk, members("工作")):
        names["employed"].add(job[-2:])
        by_word.setdefault(job[-2:], []).append("employed")
    return {word: frozenset().union(*(names[one] for one in others)) for word, others in by_word.items()}
