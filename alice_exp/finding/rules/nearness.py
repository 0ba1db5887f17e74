"""What one statement is to another, where it is sure: the first condition of ``Pair.kind`` that holds (DESIGN 13)."""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property, partial
from itertools import product
from typing import Literal, TypeAlias

from alice_exp.finding.rules.concerns import TRUSTED_PLACES, block_text
from alice_exp.finding.rules.ranking import rank
from alice_exp.finding.rules.scorer import Corpus, Searchable
from alice_exp.finding.rules.statement import WHEN, joined, mass, statement, text_keys, vocabulary
from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.kernel.text.tokens import is_cjk, same_inference
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.doubt import replaced
from alice_exp.model.rules.identity import inference
from alice_exp.model.values.block import SETS, Block, Placed, is_approved, is_put_away
from alice_exp.model.values.snapshot import Snapshot

Sure = Literal["identical", "opposes", "replaces", "same", "extends", "near"]

NEAR, OF_SUBJECT, OF_ONE, CLEAR = 0.3, 0.4, 0.6, 0.75
"""The strength from which two statements are near each other; the cover from which they speak of one subject; the
topic, or the share, from which they are about one thing; the share from which they may say the same."""

_USES = LazyPattern(
    r"(?:(?:always|please|only|now|we) )*(?:use|prefer|choose|pick)\b|[请一律统优先都总是只]*(?:使用|选用|采用|用)",
    re.IGNORECASE,
)

ONE_OF_PERSON = {"home", "employer", "city", "age", "marital status", "called", "name"}
"""The subjects of which a person has one value, in whatever words it is said."""


class Pair:
    """A new statement and a known one compared: what they share, what each has alone, and what of it is opposed or
    another value. ``dice`` and ``topic``, in [0, 1], are how much the texts and the triggers share; neighbours are
    ordered by their ``strength``, dice + topic / 4."""

    def __init__(self, new: Block, known: Block) -> None:
        self.blocks = new, known
        one, two = self.one, self.two = statement(new), statement(known)
        both = [subject for subject in one.said if subject in two.said]
        self.opposites = [name for name in both if one.is_turned(name, two)]
        self.changed = [name for name in both if one.is_other(name, two)]
        # What is compared on purpose, opposites and values, is no part of what both are about.
        names = (*self.opposites, *self.changed)
        self.apart = {
            key for name in names for of in (one, two) for said in of.said[name] for key in said.keys
        }
        left, right = ({*of.signs} - self.apart if names else of.signs.keys() for of in (one, two))
        shared, fewer = left & two.names, min(len(left), len(right))
        self.dice = min(1.0, 2 * len(shared) / (len(left) + len(right) or 1))
        self.cover = min(1.0, len(shared) / fewer) if fewer else float(bool(names))
        when, before = (text_keys(" ".join((of.text, *of.keywords))) for of in (new.trigger, known.trigger))
        self.topic = len(when & before) / (len(when | before) or 1)
        # A number that a trigger says as well names a thing: "ward 5 answers in 15 s", when calling ward 5.
        named = ({*one.signs} & (when - before), {*two.signs} & (before - when))
        self.is_numbered = all(any(key.startswith("=number:") for key in keys) for keys in named)
        self.strength = round(self.dice + self.topic / 4, 3)
        self.of_user = (new.about == "user" or one.is_own) and (known.about == "user" or two.is_own)
        self.agrees = self.cover >= OF_SUBJECT and all(
            one.signs[key] * two.signs.get(key, 1) >= 0 for key in shared
        )

    @cached_property
    def kind(self) -> Sure | None:
        """What the known one is to the new one: the first that is sure."""
        if self.dice >= OF_ONE and same_inference(*(inference(block.payload) for block in self.blocks)):
            return "identical"
        is_of_one_project = len({block.project for block in self.blocks} - {""}) < 2
        is_claimed = is_of_one_project and self.blocks[1].id in self.blocks[0].replaces
        if is_of_one_project and self._is_of_one_scope():
            if self._is_opposed():
                # Of two values (dark, light) one replaces the other.
                return "replaces" if any(name[0] == "=" for name in self.opposites) else "opposes"
            if is_claimed or self._is_replaced():
                return "replaces"
            if self.cover >= CLEAR and self._is_reworded():
                # A prohibition with more words forbids less: "never edit a merged migration".
                return "same" if self.over < (0.3 if self.one.negations else 1) else "extends"
        if is_claimed:
            return "replaces"
        return "near" if self.strength >= NEAR or self.topic == 1 else None

    @property
    def differs(self) -> tuple[str, str]:
        """What stands in one place of both: the values, the opposites, or the words."""
        names = (*self.changed, *self.opposites)
        if self.kind in (None, "identical") or not (names or self.exchanged):
            return "", ""
        if names:
            new, old = ([said.written for said in of.said[names[0]]] for of in (self.one, self.two))
            return ", ".join(dict.fromkeys(new)), ", ".join(dict.fromkeys(old))
        one, two = (joined([word for word, _ in of]) for of in self.exchanged[0])
        is_news = any(vocabulary().words.get(word, ((),))[0] for word in (one, two))
        return ("", "") if is_news else (one, two)  # 迁到 tells of another value, and is none.

    def _is_of_one_scope(self) -> bool:
        """Whether both hold for one thing: of machines and environments one may be silent; a sister that only one names
        is another person, and so is a name in front of what the user does."""
        one, two = self.one, self.two
        for name in {name for of in (one, two) for name in of.said if name.startswith("scope")}:
            a, b = one.values(name), two.values(name)
            if a.isdisjoint(b) and ((a and b) or name == "scope: person"):
                return False
        own, other = (one, two) if one.is_own else (two, one)
        return one.is_own == two.is_own or other.first in own.words

    def _is_opposed(self) -> bool:
        """Whether one affirms what the other denies, of one subject."""
        if not ((self.opposites and self.agrees) or self._denies()) or self.exchanged:
            return False
        # "Not in the afternoon" denies a part; green tea and no black tea are different values.
        one, two = self.one, self.two
        alike = (name for name in one.said if name in two.said and name not in self.opposites)
        is_of_one_time = one.said.keys().isdisjoint(WHEN) == two.said.keys().isdisjoint(WHEN)
        return is_of_one_time and not any(one.values(name).isdisjoint(two.values(name)) for name in alike)

    def _denies(self) -> bool:
        # Nearly the same but for one negation ("it is not fine"); "use pnpm" and "use pnpm, not npm" agree.
        is_one_more = (self.one.negations + self.two.negations) % 2 == 1 and (self.changed or not self.agrees)
        is_reversed = self.cover >= CLEAR and self.agrees and self.one.is_reversed(self.two)
        clauses = product(self.one.clauses, self.two.clauses)
        return (
            (is_one_more and self.over < 0.2)
            or is_reversed
            or any(self._denies_clause(*at) for at in clauses)
        )

    def _denies_clause(self, one: dict[str, int], two: dict[str, int]) -> bool:
        shared = one.keys() & two.keys()
        # "Never tag from main, tag from a branch" denies "tag from main", though it affirms a part of it, too.
        acts = [key for key in one if key in shared and key[1:].rpartition(":")[0] not in WHEN]
        turns = [one[key] == -two[key] for key in acts]
        if len(shared) == len(one) == len(two) > 1 and any(turns) and turns == sorted(turns):
            return True  # 参考文献 may stand before what is denied
        fewer = min(one, two, key=len)
        if acts and all(turns) and shared == fewer.keys() and max(fewer.values()) < 0 and self.cover >= CLEAR:
            return True  # 图表放 img/，别用 figures/
        # "Do not use npm" denies nothing of "use pnpm, not npm".
        alone = (own.keys() - other.keys() for own, other in ((one, two), (two, one)))
        if all(any(map(str.isascii, keys)) for keys in alone):
            return False
        turned = [(self.one.signs[key] * self.two.signs[key], key) for key in shared if one[key] != two[key]]
        denied, both = (mass(key for sign, key in turned if sign == of) for of in (-1, 0))
        whole, mine, theirs = map(mass, (shared, one, two))
        # "Before a commit" alone affirms nothing that "never squash the commits" denies.
        if len(shared) == 1 and any(len(own) > 1 and min(own.values()) < 0 for own in (one, two)):
            return False
        is_general = self.of_user and whole >= CLEAR * mine
        # "Not in the afternoon" of one thing denies nothing of another in the afternoon.
        is_of_it = acts and (is_general or 2 * whole > OF_ONE * (mine + theirs))
        return bool(is_of_it) and 2 * (denied - both) >= whole

    def _is_replaced(self) -> bool:
        """Whether both state the value of one thing, and another one; or the new one tells that what the known one says
        was so before: moved, no longer, 换成, 离职."""
        one, two = self.one, self.two
        if "beside" in one.roles ^ two.roles or (self.is_numbered and len(self.changed) > 1):
            return False
        is_updated = "update" in one.roles - two.roles
        if is_updated and self.cover >= (OF_SUBJECT if self.topic >= OF_ONE else OF_ONE):
            return True
        if self.of_user and not ONE_OF_PERSON.isdisjoint(self.changed):
            return True
        if self.cover < OF_SUBJECT:
            return False
        if not self.changed:
            # Both say what one thing is, and differ in one short place alone (名字是张三, 名字是李四).
            spots = [first[0][1] and second[0][1] for first, second in self.exchanged]
            return one.negations == two.negations and spots == [True]
        # What both begin with is what they are about (the Beijing office …), but for what is to be used (use pnpm).
        if not self.of_user and one.first == two.first in [f"={name}" for name in self.changed]:
            is_used = all(_USES.match(block.payload.content) for block in self.blocks)
            if not is_used or one.said.keys() != two.said.keys():
                return False
        return self.agrees and not self.exchanged

    def _is_reworded(self) -> bool:
        """Whether both speak with one sign, of equal values, in one order of events, and deny the same, if anything."""
        one, two = self.one, self.two
        orders = ((one.order[word], two.order[word]) for word in one.order.keys() & two.order.keys())
        return (
            len({block.key for block in self.blocks} - {""}) < 2
            and one.negations == two.negations
            and one.affirmed == two.affirmed
            and one.denied.isdisjoint(two.denied) != bool(one.denied)
            and not one.is_crossed(two)
            and all(2 * len(left & right) > min(len(left), len(right)) for left, right in orders)
            and not self.exchanged
        )

    @cached_property
    def exchanged(self) -> list[tuple[list[tuple[str, bool]], list[tuple[str, bool]]]]:
        """The words that stand in one clause of one statement alone, and those in the same clause of the other."""
        new, old = (of.spellings | self.apart for of in (self.one, self.two))
        return [*product(self.one.alone(old), self.two.alone(new))]

    @cached_property
    def over(self) -> float:
        """How many words one side has alone at most, a CJK character being a sixth of one."""
        alone = (self.one.words - self.two.words, self.two.words - self.one.words)
        return max(sum(1 / 6 if is_cjk(word) else 1 for word in of) for of in alone)


Near: TypeAlias = tuple[Sequence[Placed], str]
Shelf: TypeAlias = Callable[[Callable[[Searchable], Near]], Near]
"""Asks some blocks, wherever they can be searched, which of them are nearest."""

SEARCHED, RECALLED, A_QUESTION = 24, 0.15, 25
"""How many blocks of each kind are compared closely; the match from which ``recall``'s first answer is a neighbour; how
many texts are read and counted in the time that the index takes for a question (5 ms of a processor)."""


def _shelf(blocks: Iterable[Placed], questions: int = 1) -> Shelf:
    """Some blocks: a few as they are, of many those that a search finds; of a snapshot what it trusts."""
    if isinstance(blocks, Snapshot):
        return _trusted(blocks, questions)
    known = cache(lambda: tuple(blocks))
    corpus = cache(lambda: Corpus.of(known(), lambda _: True))
    return lambda asked: (known(), "") if len(known()) <= SEARCHED else asked(corpus())


def _trusted(snapshot: Snapshot, questions: int) -> Shelf:
    """What a snapshot trusts, for about so many questions; not read where its catalogue knows all of it, but for a home
    so small that this costs less than to ask."""
    files = [file for file in snapshot.files if file.place in TRUSTED_PLACES]
    paths = [file.path for file in files]
    corpus = cache(lambda: Corpus.of(snapshot.within(*SETS)).of_files(paths))
    catalogue = snapshot.catalogue if all(file.is_unread for file in files) else None
    if catalogue and (catalogue(lambda rows: rows.files.total) or 0) < A_QUESTION * questions:
        catalogue = None

    def found(asked: Callable[[Searchable], Near]) -> Near:
        known = catalogue(lambda rows: asked(rows.of_files(paths))) if catalogue else None
        return known or asked(corpus())

    return found


def _nearest(blocks: Searchable, text: str, words: str, at: str, *, is_recalled: bool) -> Near:
    """The blocks that share most words with a text, or have one of ``words``, at most ``SEARCHED``; the id of the one
    that ``recall`` answers first to it at a time, "" where its match is below ``RECALLED``, no time is given or nobody
    asks for it."""
    question, day = (f"{text}\n{words}", "") if words else (text, at[:10])
    found = next(blocks.found(question, now=day), None)
    numbers = found.scored.best(SEARCHED) if found else []
    # Without other words its matches are those of ``recall``.
    due = (
        at
        and is_recalled
        and found
        and (words or max(found.scored.matches.values(), default=0.0) >= RECALLED)
    )
    first = (
        rank(blocks.among(numbers), text, {}, at, 1, passing=lambda one: not is_put_away(one)) if due else ()
    )
    return blocks.blocks(numbers), next((one.placed.block.id for one in first if one.match >= RECALLED), "")


Where = Literal["trusted", "rejected", "waiting"]
Kind: TypeAlias = Sure | Literal["alike"]
"""``alike`` is said of rejected blocks alone: marked, though what it says is not sure."""

SHOWN: dict[Where, int] = {"trusted": 2, "rejected": 1, "waiting": 5}
"""How many neighbours are shown."""

MARK, MARK_WITH_TOPIC, NEARER = 0.36, 0.45, 0.15
"""The dice, and the dice with a quarter of the topic, from which a candidate is marked as like a rejected one; and by
how much nearer to it than to any trusted one it has to be."""

GROUP, LARGEST_GROUP = 0.45, 6
"""The strength from which waiting candidates stand together, and how many do."""


@dataclass(frozen=True, slots=True)
class Relation:
    """What a known block (``placed``) is to a candidate; ``differs`` is what differs: the candidate's, its own."""

    placed: Placed
    where: Where
    kind: Kind
    strength: float
    differs: tuple[str, str]


class Neighbourhood:
    """What candidates are compared with, about so many of them; built once a report, from one snapshot."""

    def __init__(
        self,
        trusted: Iterable[Placed],
        rejected: Iterable[Placed] = (),
        waiting: Iterable[Placed] = (),
        questions: int = 1,
    ) -> None:
        self._named = trusted.with_ids if isinstance(trusted, Snapshot) else lambda _: {}
        # What waits for the block that the person set in its place is no neighbour, nor what nobody approved.
        self._silent = cache(lambda: replaced(trusted)) if isinstance(trusted, Snapshot) else None
        self._shelves: dict[Where, Shelf] = {
            "trusted": _shelf(trusted, questions),
            "rejected": _shelf(rejected),
            "waiting": _shelf(waiting),
        }
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
        """What its neighbours are to it, as many as are ``SHOWN``: named relations first, then by strength."""
        told: list[Relation] = []
        block, is_shown = candidate.block, candidate.place not in TRUSTED_PLACES
        at = (block.updated_at or block.created_at or "1970-01-01T00:00:00Z") if is_shown else ""
        # Who is nearer to what is trusted than to what was rejected repeats the one, not the other.
        closest = max((one.strength for one in self._compared(candidate, "trusted", at)), default=0.0)
        for where, most in SHOWN.items():
            # Of two rejected blocks the one that it repeats counts, not the one that it denies.
            plain = ("near", "alike", "opposes" if where == "rejected" else "")
            found = [
                (one.kind in plain, -one.strength - 0.2 * (one.kind == "opposes"), one.placed.block.id, one)
                for one in self._compared(candidate, where, at)
                if where != "rejected"
                or one.kind in ("identical", "opposes", "same", "extends")
                or one.strength >= closest + NEARER * (one.kind == "alike")
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
        groups = {id(group): sorted(map(place.__getitem__, group)) for group in group_of.values()}
        return tuple(tuple(candidates[at] for at in group) for group in groups.values())

    def _is_told(self, placed: Placed) -> bool:
        return self._silent is None or (is_approved(placed) and placed.block.id not in self._silent())

    def _compared(self, candidate: Placed, where: Where, at: str = "") -> list[Relation]:
        """What blocks are to a candidate that share most of its words with it; of trusted ones the first that is
        recalled at a time by what it says is near whatever it is to it."""
        block = candidate.block
        if (block.id, where) in self._found:
            return self._found[block.id, where]
        related = self._found[block.id, where] = []
        # Other values may stand in what it opposes or replaces.
        of_subject = vocabulary().of_subject
        words = "\n".join(word for said in statement(block).said for word in of_subject.get(said, ()))
        asked = partial(_nearest, text=block_text(block), words=words, at=at, is_recalled=where == "trusted")
        found, recalled = self._shelves[where](asked)
        # What it claims to replace need not be near it in words.
        claimed = self._named(block.replaces).values() if block.replaces else ()
        places = {"trusted": TRUSTED_PLACES, "waiting": ("low_value",)}.get(where, ())
        found = [*found, *(one for one in claimed if one.place in places)]
        for placed in {one.block.id: one for one in found}.values():
            if placed.block.id == block.id:
                continue
            pair = Pair(block, placed.block)
            kind: Kind | None = pair.kind or ("near" if placed.block.id == recalled else None)
            if where == "rejected" and kind in ("near", None):
                kind = "alike" if pair.dice >= MARK or pair.strength >= MARK_WITH_TOPIC else None
            is_told = kind and (where != "trusted" or self._is_told(placed))
            if kind and is_told and (where, kind, pair.strength < GROUP) != ("waiting", "near", True):
                related.append(Relation(placed, where, kind, pair.strength, pair.differs))
        return related
