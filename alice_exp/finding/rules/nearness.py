"""What one statement is to another, where it is sure: the first condition of ``Pair.kind`` that holds (DESIGN 13)."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache, cached_property, partial
from itertools import product
from typing import Literal, TypeAlias

from alice_exp.finding.rules.concerns import (
    TRUSTED_PLACES,
    begins_with_user,
    block_text,
    is_living,
    is_of_user,
)
from alice_exp.finding.rules.ranking import rank
from alice_exp.finding.rules.scorer import Corpus, Searchable
from alice_exp.finding.rules.statement import (
    WHEN,
    Statement,
    is_compared,
    is_other,
    is_pair,
    is_turned,
    statement,
    text_keys,
    vocabulary,
)
from alice_exp.kernel.text.bilingual_lexicon import same_concept
from alice_exp.kernel.text.tokens import is_cjk, same_inference
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.identity import inference
from alice_exp.model.values.block import SETS, Placed, is_put_away
from alice_exp.model.values.snapshot import Catalogue, Snapshot

Sure = Literal["identical", "opposes", "replaces", "same", "extends", "near"]

NEAR, OF_ONE, CLEAR = 0.3, 0.6, 0.75
"""The strength from which two statements are near each other; the topic, or the share, from which they are about one
thing; the share from which they may say the same."""

ONE_OF_PERSON = {"home", "employer", "city", "age", "marital status", "called"}
"""The subjects of which a person has one value, in whatever words it is said."""


class Pair:
    """A new statement and a known one compared: what they share, what each has alone, and what of it is opposed or
    another value. ``dice`` and ``topic``, in [0, 1], are how much the texts and the triggers share; neighbours are
    ordered by their ``strength``, dice + topic / 4."""

    def __init__(self, one: Statement, two: Statement) -> None:
        self.one, self.two = one, two
        both = [subject for subject in one.said if subject in two.said]
        self.opposites = [
            name for name in both if is_pair(name) and is_turned(one.said[name], two.said[name])
        ]
        # "Before" one thing and "after" another may put one order.
        anchors = [set().union(*of.order.values()) for of in (one, two)]
        if all(anchors) and anchors[0].isdisjoint(anchors[1]):
            self.opposites = [name for name in self.opposites if name != "<before"]
        self.changed = [name for name in both if is_other(name, one, two)]
        # What is compared on purpose, opposites and values, is no part of what both are about.
        names = (*self.opposites, *self.changed)
        self.apart = {
            key for name in names for of in (one, two) for said in of.said[name] for key in said.keys
        }
        left, right = one.signs.keys() - self.apart, two.signs.keys() - self.apart
        self.shared = {key for key in left if not right.isdisjoint((key, *same_concept(key)))}
        many, fewer = len(left) + len(right), min(len(left), len(right))
        self.dice = min(1.0, 2 * len(self.shared) / (many or 1))
        self.cover = min(1.0, len(self.shared) / (fewer or 1))
        self.blocks = [of.placed.block for of in (one, two) if of.placed]
        when = [text_keys(" ".join((block.trigger.text, *block.trigger.keywords))) for block in self.blocks]
        self.topic = len(when[0] & when[1]) / (len(when[0] | when[1]) or 1)
        self.strength = round(self.dice + self.topic / 4, 3)
        self.says_only_that = not fewer
        self.is_beside = ("beside" in one.roles) != ("beside" in two.roles)
        self.of_user = all(map(is_of_user, self.blocks))
        self.agrees = all(one.signs[key] * two.signs.get(key, 1) >= 0 for key in self.shared)
        self.words = [{word for line in of.lines for word, _ in line} for of in (one, two)]

    @cached_property
    def kind(self) -> Sure | None:
        """What the known one is to the new one: the first that is sure."""
        if self.dice >= OF_ONE and same_inference(*(inference(block.payload) for block in self.blocks)):
            return "identical"
        is_of_one_project = len({block.project for block in self.blocks} - {""}) < 2
        if is_of_one_project and self._is_of_one_scope():
            if self._is_opposed():
                # Of two values (dark, light) one replaces the other.
                are_values = self.opposites and all(name[0] == "=" for name in self.opposites)
                return "replaces" if are_values else "opposes"
            if self._is_replaced() or self._is_updated():
                return "replaces"
            if self._is_reworded():
                # A prohibition with more words forbids less: "never edit a merged migration".
                if self.dice >= CLEAR and max(self.over) < (0.3 if self.one.negations else 1):
                    return "same"
                if self.cover >= 0.9:
                    return "extends"
        if is_of_one_project and self.blocks[1].id in self.blocks[0].replaces:
            return "replaces"
        return "near" if self.strength >= NEAR or self.topic == 1 else None

    @property
    def differs(self) -> tuple[str, str]:
        """What stands in one place of both: the values, the opposites, or the words."""
        one, two = "", ""
        if self.kind in (None, "identical"):
            pass
        elif names := [*self.changed, *self.opposites]:
            one, two = (
                ", ".join({said.written: 0 for said in of.said[names[0]]}) for of in (self.one, self.two)
            )
        elif self.exchanged:
            one, two = (("" if is_cjk(of[0][0]) else " ").join(w for w, _ in of) for of in self.exchanged[0])
        return one, two

    def _is_of_one_scope(self) -> bool:
        """Whether both hold for one thing: of machines and environments one may be silent; a sister that only one names
        is another person, and so is a name in front of what the user does."""
        one, two = self.one, self.two
        for name in {name for of in (one, two) for name in of.said if name.startswith("scope")}:
            a, b = one.values(name), two.values(name)
            if a.isdisjoint(b) and ((a and b) or name == "scope: person"):
                return False
        are_own = [begins_with_user(block.payload.content) for block in self.blocks]
        other = are_own[0]
        return are_own[0] == are_own[1] or self._first(other) in self.words[not other]

    def _is_opposed(self) -> bool:
        """Whether one affirms what the other denies, of one subject."""
        # "No coffee in the afternoon" and "coffee in the morning" are turned twice, and agree.
        is_turned = len(self.opposites) % 2 == 1
        are_sides = self.agrees and (self.cover >= 0.25 or self.says_only_that)
        if not (are_sides if is_turned else self._denies()) or self.exchanged:
            return False
        # "Not in the afternoon" denies a part; green tea and no black tea are different values.
        one, two = self.one.said, self.two.said
        is_of_one_time = one.keys().isdisjoint(WHEN) == two.keys().isdisjoint(WHEN)
        names = (name for name in one if name in two and name not in self.opposites)
        values = ((self.one.values(name), self.two.values(name)) for name in names)
        return is_of_one_time and not any(left.isdisjoint(right) for left, right in values)

    def _denies(self) -> bool:
        # "It is fine", "it is not fine": nearly the same but for one negation, wherever that stands.
        is_one_more = (self.one.negations + self.two.negations) % 2 == 1
        return (is_one_more and max(self.over) < 0.2) or any(
            self._denies_clause(*clauses) for clauses in product(self.one.clauses, self.two.clauses)
        )

    def _denies_clause(self, one: dict[str, int], two: dict[str, int]) -> bool:
        shared = [key for key in one if key in two]
        denied = sum(one[key] * two[key] < 0 for key in shared)
        # "Not in the afternoon" of one thing denies nothing of another in the afternoon.
        is_when = all(key[1:].rpartition(":")[0] in WHEN for key in shared)
        is_general = self.of_user and len(shared) >= 0.65 * len(one)
        is_of_one = is_general or 2 * len(shared) > OF_ONE * (len(one) + len(two))
        return is_of_one and 2 * denied >= len(shared) and not is_when

    def _is_replaced(self) -> bool:
        """Whether both state the value of one thing, and another one."""
        one, two, changed = self.one, self.two, self.changed
        if self.is_beside:
            return False
        if self.of_user and not ONE_OF_PERSON.isdisjoint(changed):
            return True
        if not changed:
            # Both say what one thing is, and differ in one short place alone (名字是张三, 名字是李四).
            spots = [first[0][1] and second[0][1] for first, second in self.exchanged]
            return self.cover >= 0.4 and one.negations == two.negations and spots == [True]
        if not self.of_user and self._first(0) == self._first(1) in [f"={name}" for name in changed]:
            return False  # What both begin with is what they are about (the Beijing office …, the Shanghai office …).
        return self.cover >= 0.4 and self.agrees and not self.exchanged

    def _is_updated(self) -> bool:
        """Whether the new one tells that what the known one says was so before: moved, no longer, 换成, 离职."""
        least = 0.3 if self.topic >= OF_ONE else OF_ONE
        is_of_one = self.cover >= least or (self.says_only_that and bool(self.changed))
        return is_of_one and "update" in self.one.roles - self.two.roles and not self.is_beside

    def _is_reworded(self) -> bool:
        """Whether both speak with one sign, of equal values, in the same order of events."""
        one, two = self.one, self.two
        names = filter(is_compared, one.said.keys() | two.said.keys())
        orders = ((one.order[word], two.order[word]) for word in one.order.keys() & two.order.keys())
        return (
            len({block.key for block in self.blocks} - {""}) < 2
            and one.negations == two.negations
            and all(one.values(name, 1) == two.values(name, 1) for name in names)
            and all(2 * len(left & right) > min(len(left), len(right)) for left, right in orders)
            and not self.exchanged
        )

    def _first(self, side: int) -> str:
        return next((word for line in (self.one, self.two)[side].lines for word, _ in line), "")

    @cached_property
    def exchanged(self) -> list[list[list[tuple[str, bool]]]]:
        """The words that stand in one clause of one statement alone, and those in the same clause of the other."""
        known = [words | self.apart for words in reversed(self.words)]
        found = []
        for lines in product(self.one.lines, self.two.lines):
            # Of typed values only one that begins a clause is its subject (Python …, Go …).
            words = [[word for at, word in enumerate(line) if word[0][0] != "=" or not at] for line in lines]
            alone = [[*filter(partial(_is_alone, held), own)] for held, own in zip(known, words, strict=True)]
            # A clause that shares nothing is another statement, not another word in the place of one.
            if all(0 < len(some) < len(own) for some, own in zip(alone, words, strict=True)):
                found.append(alone)
        return found

    @cached_property
    def over(self) -> tuple[float, float]:
        """How many words each side has alone, a CJK character being a sixth of one."""
        one, two = self.words
        left, right = (sum(1 / 6 if is_cjk(word) else 1 for word in of) for of in (one - two, two - one))
        return left, right


def _is_alone(known: Collection[str], word: tuple[str, bool]) -> bool:
    return not any(name in known for name in (word[0], *same_concept(word[0])))


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

SEARCHED, RECALLED, A_QUESTION = 24, 0.15, 25
"""How many blocks of each kind are compared closely; the match from which ``recall``'s first answer is a neighbour; how
many texts are read and counted in the time that the index takes for a question (5 ms of a processor)."""


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
    corpus = cache(lambda: Corpus.of(blocks, lambda _: True))

    def found(*asked: str) -> tuple[Sequence[Placed], str]:
        def of(rows: Searchable) -> tuple[Sequence[Placed], str]:
            return nearest(rows.of_files(paths) if paths else rows, *asked)

        return (catalogue(of) if catalogue else None) or of(corpus())

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
        self._found: dict[tuple[str, Where], list[Relation]] = {}

    def contradicted(
        self, blocks: Sequence[Placed], among: Sequence[Where] = ("trusted",)
    ) -> Iterator[tuple[Placed, Relation]]:
        """Each of some blocks with all those beside it that oppose or replace it, the nearest first."""
        for placed in blocks:
            found = [one for where in among for one in self._compared(placed, where)]
            found.sort(key=lambda one: (-one.strength, one.placed.block.id))
            yield from ((placed, one) for one in found if one.kind in ("opposes", "replaces"))

    def relations(self, candidate: Placed) -> tuple[Relation, ...]:
        """What the candidate's neighbours are to it: at most two trusted ones, one rejected one, and those waiting.

        The surest first: named relations before mere nearness, then by strength.
        """
        told: list[Relation] = []
        # Who is nearer to what is trusted than to what was rejected repeats the one, not the other.
        nearest = max((one.strength for one in self._compared(candidate, "trusted")), default=0.0)
        for where, most in SHOWN.items():
            # Of two rejected blocks the one that it repeats counts, not the one that it denies.
            plain = ("near", "alike", "opposes" if where == "rejected" else "")
            found = [
                (one.kind in plain, -one.strength - 0.2 * (one.kind == "opposes"), one.placed.block.id, one)
                for one in self._compared(candidate, where)
                if where != "rejected"
                or one.kind in ("identical", "opposes", "same", "extends")
                or one.strength >= nearest + NEARER * (one.kind == "alike")
            ]
            told += (one for *_, one in heapq.nsmallest(most, found))
        return tuple(told)

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

    def _compared(self, candidate: Placed, where: Where) -> list[Relation]:
        """What blocks are to a candidate that share most of its words with it; of trusted ones the first that is
        recalled by what it says is near whatever it is to it."""
        block = candidate.block
        if (block.id, where) in self._found:
            return self._found[block.id, where]
        related = self._found[block.id, where] = []
        own = self._statement(candidate)
        # Other values may stand in what it opposes or replaces.
        words = "\n".join(word for subject in own.said for word in vocabulary().of_subject.get(subject, ()))
        at = block.updated_at or block.created_at or "1970-01-01T00:00:00Z"
        asked = block_text(block), words, at if where == "trusted" else ""
        found, recalled = self._nearest[where](*asked)
        for placed in found:
            if placed.block.id == block.id:
                continue
            pair = Pair(own, self._statement(placed))
            kind: Kind | None = pair.kind or ("near" if placed.block.id == recalled else None)
            if where == "rejected" and kind in ("near", None):
                kind = "alike" if pair.dice >= MARK or pair.strength >= MARK_WITH_TOPIC else None
            if kind and (where, kind, pair.strength < GROUP) != ("waiting", "near", True):
                related.append(Relation(placed, where, kind, pair.strength, pair.differs))
        return related

    def _statement(self, placed: Placed) -> Statement:
        if placed.block.id not in self._statements:
            self._statements[placed.block.id] = statement(placed)
        return self._statements[placed.block.id]
