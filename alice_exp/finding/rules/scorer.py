"""The one scorer of every search: how much of a question's information a text holds, and whether it is an answer.

``match = Σ weight · idf · tf / (tf + dampening)`` over the question's tokens: BM25 without its constant factor. Where a
text lacks a word, another name of it counts, or a member of the class that it names; neighbouring words that are
neighbours in the text too add a little. The sum is divided by the most that the question's tokens could bring (DESIGN
10). Pure, and without a home: ``Texts.of(texts).find(question)`` is all that a search over some thousand texts needs.
``Corpus`` is the living blocks as such texts, and ``Searchable`` what it has in common with the index.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field, replace
from functools import cached_property
from heapq import nlargest
from itertools import accumulate, chain
from typing import NamedTuple, Protocol

from alice_exp.finding.rules.concerns import (
    FEWEST,
    K1,
    B,
    Noise,
    Standing,
    block_text,
    certainty,
    is_living,
    learn_noise,
    probability,
    sample_size,
    standing,
)
from alice_exp.finding.rules.parsed_query import MEMBER, TRANSLATED, Concept, Query, pairs_of
from alice_exp.kernel.jsonc import Json
from alice_exp.kernel.text.tokens import is_cjk, thirds, tokens_many
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.block import Placed

PAIR = 0.2
"""The weight of two neighbouring words of the question that are neighbours in the text too."""

NEAR_WORDS, NEAR_SUBJECT, NEAR_TEXT = 2.0, 0.4, 0.25
"""In a home of a few texts no word is rare, so a match says little. What stands for it: so many shared words, or this
share of the subject, or of a short text's words ("my wife is vegetarian" for a dinner with her)."""

MOST = 64
"""The most tokens by which candidates are looked for: a class has many members, a pasted text thousands of words."""

REACH = 1 / 2
"""The question's words find, the rarest first, until those taken occur in half as many texts as there are (128 at
least): what is common ranks what rarer words found."""

TOPIC = 2
"""A subject of so many words names a topic; a longer one asks something of it."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """A collection: its texts, their mean length in thirds of a word, its noise, and how many situations have each
    token (``situations``)."""

    total: int
    average: float
    noise: Noise
    holders: Mapping[str, int]

    def idf(self, holders: int) -> float:
        """ln(1 + (N − n + 0.5) / (n + 0.5)); a token that occurs nowhere counts like one that occurs in one text."""
        held = max(1, min(holders, self.total))
        return math.log1p((self.total - held + 0.5) / (held + 0.5))

    def rarity(self, token: str) -> float:
        """The idf of a token."""
        return self.idf(self.holders.get(token, 0))


@dataclass(frozen=True, slots=True)
class Word:
    """A subject word of the question: what it informs, its tokens, its size in words, and its other names, each with
    what it counts and whether it is of the other language."""

    value: float
    own: tuple[str, ...]
    size: float
    names: tuple[tuple[tuple[str, ...], float, bool], ...] = ()


@dataclass(frozen=True)
class Scored:
    """The texts that share something with the question: their matches in (0, 1] by number.

    ``held`` gives, by token, how often each text has it; ``lengths`` are those of the texts, in thirds of a word.
    """

    query: Query
    known: Statistics
    matches: Mapping[int, float]
    held: Mapping[str, Mapping[int, float]]
    lengths: Mapping[int, int] | Sequence[int]

    def best(self, most: int) -> list[int]:
        """The numbers of the ``most`` best texts, best first, equal ones in their order."""
        least = min(nlargest(most, self.matches.values()), default=0.0) - 1e-6
        near = (text for text, match in self.matches.items() if match >= least)
        return sorted(near, key=lambda text: (-round(self.matches[text], 6), text))[:most]

    def probability(self, text: int) -> float:
        """The probability in [0, 1) that a text fits by its words (``rules.concerns``); 0 without a match."""
        match = self.matches.get(text, 0.0)
        if not match:
            return 0.0
        share, size, translated = self.covered(text)
        near = min(NEAR_WORDS, NEAR_SUBJECT * self._asked[1], NEAR_TEXT * self.lengths[text] / 3)
        if self.known.total < FEWEST and not translated and not 0 < size >= near:
            return 0.0
        return probability(match, self.noise, self.known.total, share, translated, self.stranger)

    def certainty(self, text: int) -> float:
        """How sure it is, in [0, 1], that a text answers and is not only about the subject; 1 for a whole topic."""
        share, _, translated = self.covered(text)
        is_topic = len(self.subject) <= TOPIC and share >= 1.0 - 1e-9 and not translated
        return 1.0 if is_topic else certainty(self.matches.get(text, 0.0), self.noise)

    @cached_property
    def noise(self) -> float:
        """The match that as many random words of the collection reach."""
        return self.known.noise.at(self.query.size)

    @cached_property
    def stranger(self) -> bool:
        """Whether the question names somebody or something that no text has."""
        return not self.query.names <= self.held.keys()

    @cached_property
    def subject(self) -> list[Word]:
        """The words of the question that are not light; all of them where every one is."""
        return [*_subject(self.query, self.known, 1.0)] or [*_subject(self.query, self.known, 0.0)]

    def covered(self, text: int) -> tuple[float, float, bool]:
        """The share in [0, 1] of the subject's information that a text has, how many words, and whether translated."""
        value, size, translated = self._covered.get(text, (0.0, 0.0, False))
        return value / self._asked[0], size, translated

    @cached_property
    def _asked(self) -> tuple[float, float]:
        """What the subject informs, and of how many words it is."""
        value = math.fsum(word.value for word in self.subject)
        return value or 1.0, math.fsum(word.size for word in self.subject)

    @cached_property
    def _covered(self) -> dict[int, tuple[float, float, bool]]:
        """What of the subject each text has, by itself or by another name."""
        found: dict[int, tuple[float, float, bool]] = {}
        for word in self.subject:
            having: dict[int, tuple[float, bool]] = {}
            for name, share, is_foreign in (*reversed(word.names), (word.own, 1.0, False)):
                # A translation says the same.
                counts = 1.0 if share == TRANSLATED else share
                having.update(dict.fromkeys(self._texts_with(name), (counts, is_foreign)))
            for text, (share, is_foreign) in having.items():
                value, size, translated = found.get(text, (0.0, 0.0, False))
                found[text] = value + share * word.value, size + share * word.size, translated or is_foreign
        return found

    def _texts_with(self, name: tuple[str, ...]) -> AbstractSet[int]:
        first, *rest = (self.held.get(token, {}).keys() for token in name)
        return {*first}.intersection(*rest) if rest else first


def score(
    query: Query,
    known: Statistics,
    held: Mapping[str, Mapping[int, float]],
    lengths: Mapping[int, int] | Sequence[int],
    shares: dict[str, dict[int, float]],
) -> Scored:
    """The matches of a question in those texts of a collection that ``held`` and ``lengths`` describe (``Scored``);
    ``shares`` takes what is worked out of a token, for the next question to the same texts."""
    query = query.said_of(known.holders.keys())
    base, slope = K1 * (1 - B), K1 * B / (known.average or 1.0)

    def share(token: str) -> dict[int, float]:
        """n / (n + dampening), in (0, 1), in each text that has a token n times."""
        if token not in shares:
            texts = held.get(token, {}).items()
            shares[token] = {text: n / (n + base + slope * lengths[text]) for text, n in texts}
        return shares[token]

    def whole(name: tuple[str, ...]) -> dict[int, float]:
        """What the weakest token of a word brings in each text that has them all."""
        if len(name) == 1:
            return share(name[0])
        first, *rest = sorted(map(share, name), key=len)
        both = (text for text in first if all(text in part for part in rest))
        return {text: min(first[text], *(part[text] for part in rest)) for text in both}

    def named(concept: Concept) -> tuple[float, dict[int, float]]:
        """A concept's value, and its share in the texts that have it by another name only."""
        own, found = whole(concept.own), dict[int, float]()
        for name, weight, _ in concept.names:
            for text, part in whole(name).items():
                if text not in own and found.get(text, 0.0) < weight * part:
                    found[text] = weight * part
        return _value(concept, query, known) if found else 0.0, found

    scores: defaultdict[int, float] = defaultdict(float)
    values = {term: query.weights[term] * known.rarity(term) for term in query.terms}
    for value, parts in chain(
        ((values[term], share(term)) for term in query.terms),
        map(named, query.concepts),
        ((PAIR * max(map(known.rarity, pair.split(" "))), share(pair)) for pair in query.pairs),
    ):
        for text, part in parts.items():
            scores[text] += value * part
    most = math.fsum(values.values())
    return Scored(query, known, {text: min(1.0, s / most) for text, s in scores.items()}, held, lengths)


def looked_up(query: Query, known: Statistics) -> list[str]:
    """The tokens by which candidates are looked for: of the question's own and the rarest one of each other name at
    most the rarest ``MOST``, as far as ``REACH`` goes."""
    has = known.holders.keys()

    def rarity(token: str) -> tuple[int, str]:
        return known.holders[token], token

    names = (name for concept in query.concepts for name, *_ in concept.names if has >= {*name})
    every = sorted({min(name, key=rarity) for name in names}.union(has & {*query.terms}), key=rarity)[:MOST]
    found = accumulate(known.holders[token] for token in every)
    reach = REACH * max(256, known.total)
    return [token for token, reached in zip(every, found, strict=True) if reached <= reach] or every[:1]


def _value(concept: Concept, query: Query, known: Statistics) -> float:
    """What a concept brings that a text has by another name: as much as its own tokens, at the rarity of all names."""
    every = (concept.own, *(name for name, share, _ in concept.names if share != MEMBER))
    holders = sum(min(known.holders.get(token, 0) for token in name) for name in every)
    own = 1.0
    if concept.cjk:
        # The word's pairs, and its characters.
        mine = {*concept.own, *"".join(concept.own)}
        own = math.fsum(query.weights[term] for term in query.terms if term in mine)
    return concept.weight * own * known.idf(holders)


def _subject(query: Query, known: Statistics, least: float) -> Iterator[Word]:
    """The words of the question of at least this weight."""
    of = {concept.own: concept for concept in query.concepts}
    taken: set[str] = set()
    for own, concept in of.items():
        if concept.cjk and not (least and concept.is_light):
            taken.update(own)
            yield Word(math.fsum(map(known.rarity, own)) / len(own), own, 1.0, concept.names)
    for term in query.terms:
        if query.weights[term] < least or term in taken:
            continue
        if not is_cjk(term):
            others = of[term,].names if (term,) in of else ()
            yield Word(known.rarity(term), (term,), 1.0, others)
        elif len(term) > 1:
            # Half of the pairs lie across two words.
            yield Word(0.5 * known.rarity(term), (term,), 0.5)


# ------------------------------------------------------------------------------------------- texts at hand


@dataclass(frozen=True)
class Texts:
    """Texts in memory as a collection; ``rows`` gives by token how often each text has it."""

    rows: Mapping[str, Mapping[int, int]]
    lengths: Sequence[int]
    known: Statistics
    shares: dict[str, dict[int, float]] = field(default_factory=dict, compare=False)
    """What ``score`` has worked out of tokens for all these texts."""

    @classmethod
    def of(cls, texts: Sequence[str], situations: Sequence[str] = (), sizes: Sequence[int] = ()) -> Texts:
        """Take texts in. ``situations`` are theirs, if they have any: a word of a situation counts once for all texts
        of it, or five rules of one situation would make its words common and silence each other. ``sizes`` says how
        many texts each file has; the noise is measured on the first texts of each."""
        listed = tokens_many(texts)
        rows: defaultdict[str, dict[int, int]] = defaultdict(dict)
        for text, tokens in enumerate(listed):
            for token, count in Counter(chain(tokens, pairs_of(tokens))).items():
                rows[token][text] = count
        lengths = [sum(map(thirds, tokens)) for tokens in listed]
        holders = {token: len(held) for token, held in rows.items()}
        for situation, count in Counter(map(tuple, tokens_many(situations))).items():
            for token in {*situation}:
                holders[token] -= count - 1
        ends = [*accumulate(sizes or [len(texts)])]
        files = [(end - size, size) for end, size in zip(ends, sizes or [len(texts)], strict=True)]
        noise = Noise.joined(
            (size, learn_noise(listed[start : start + sample_size(size)])) for start, size in files
        )
        average = sum(lengths) / max(1, len(lengths))
        return cls(rows, lengths, Statistics(len(texts), average, noise, holders))

    def find(self, question: str, only: AbstractSet[int] | None = None, now: str = "") -> Scored:
        """The matches of a question, in all texts or in some; ``now`` as in ``Query.of``."""
        query = Query.of(question, now)
        held: dict[str, Mapping[int, int]] = {t: self.rows[t] for t in query.tokens if t in self.rows}
        if only is not None and 2 * len(only) < len(self.lengths):
            held = {token: {at: row[at] for at in only if at in row} for token, row in held.items()}
            return score(query, self.known, held, self.lengths, {})
        # Of most texts the shares that all questions have in common are known.
        scored = score(query, self.known, held, self.lengths, self.shares)
        if only is None:
            return scored
        return replace(scored, matches={at: match for at, match in scored.matches.items() if at in only})


AT_ONCE = 256
"""How many texts of a large collection are scored at a time, the best by plain BM25 first."""


class Found(NamedTuple):
    """Blocks by number that may be answers: their matches, and what tells how one of them stands."""

    scored: Scored
    standing: Callable[[int], Standing]


class Searchable(Protocol):
    """The searchable blocks of a home (not archived, not obsolete), by numbers that mean nothing outside of it.

    Two implementations: ``Corpus`` over blocks in memory, and the index in ``store.index_query``.
    """

    def found(self, question: str, also: Iterable[int] = (), now: str = "") -> Iterator[Found]:
        """The blocks that share a word with the question or another name of one, at most ``AT_ONCE`` at a time, the
        likeliest first; the first of these with the blocks ``also``. ``now`` as in ``Query.of``."""

    def of_files(self, paths: Collection[str]) -> Searchable:
        """The same collection, of which the blocks of some files alone may be answers."""

    def among(self, numbers: Collection[int]) -> Searchable:
        """The same collection, of which some blocks alone may be answers."""

    def blocks(self, numbers: Sequence[int]) -> Sequence[Placed]:
        """The blocks with these numbers, in the order asked."""

    def contexts(self) -> Mapping[int, Mapping[str, Json]]:
        """The trigger context of each block that has one, by the block's number."""


@dataclass(frozen=True)
class Corpus:
    """A ``Searchable`` of blocks in memory, used where the index does not answer: every block is scored."""

    placed: tuple[Placed, ...]
    texts: Texts
    only: frozenset[int] | None = None

    @classmethod
    def of(cls, blocks: Iterable[Placed], counts: Callable[[Placed], bool] | None = None) -> Corpus:
        """A corpus of the living blocks, or those that count, file by file, with each file's in the order given."""
        living = sorted(filter(counts or is_living, blocks), key=lambda placed: placed.path)
        return cls(
            tuple(living),
            Texts.of(
                [block_text(one.block) for one in living],
                [one.block.trigger.text for one in living],
                [*Counter(one.path for one in living).values()],
            ),
        )

    def among(self, numbers: Collection[int]) -> Corpus:
        """See ``Searchable``."""
        return replace(self, only=frozenset(numbers))

    def of_files(self, paths: Collection[str]) -> Corpus:
        """See ``Searchable``."""
        return self.among([number for number, one in enumerate(self.placed) if one.path in paths])

    def found(self, question: str, also: Iterable[int] = (), now: str = "") -> Iterator[Found]:  # noqa: ARG002
        """See ``Searchable``."""
        if self.placed:
            scored = self.texts.find(question, self.only, now)
            yield Found(scored, lambda at: standing(self.placed[at].block, self.placed[at].place))

    def blocks(self, numbers: Sequence[int]) -> Sequence[Placed]:
        """See ``Searchable``."""
        return [self.placed[number] for number in numbers]

    def contexts(self) -> Mapping[int, Mapping[str, Json]]:
        """See ``Searchable``."""
        return {at: own for at, one in enumerate(self.placed) if (own := one.block.trigger.context)}
