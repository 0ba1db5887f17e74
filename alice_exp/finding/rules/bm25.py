"""How well the texts of a collection match a query: BM25 with what its neighbours and another language add.

Pure and alike for every way of keeping a collection (``finding.ports``): a ``Segment`` is what one file's texts
come to, and ``text_matches`` asks only for the postings of the query's tokens.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING, TypeAlias

from alice_exp.finding.ports import Posting, Statistics
from alice_exp.finding.rules.bilingual_lexicon import known_words, same_concept
from alice_exp.finding.rules.calibration import learn_nearness, learn_noise
from alice_exp.finding.rules.query_correction import mended
from alice_exp.finding.rules.stop_words import weight_of, word_weight, words_beside
from alice_exp.finding.rules.topic_coverage import ANYTHING, SINGLE, Subject
from alice_exp.kernel.text.tokens import cjk_tokens, fold, is_cjk, pieces, stems, tokens_many

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from alice_exp.finding.ports import Noise

LENT = 256
"""A token that more texts have, and more than one in fifty, says too little to be lent to neighbours."""

PAIR = 0.2
"""What two words that stand side by side, as in the query, add to what the two words bring."""

TRANSLATED = 0.8
"""What a word counts where a text has it in the other language; in the same language it counts in full."""

BESIDE = 2.0
"""What a Latin word counts beside CJK ones, because a CJK word is several tokens: its characters and its pairs."""

DENSE = 16
"""Where more than one text in so many may have a score, all have a place in a list: that is twice as fast."""

Scores: TypeAlias = "list[float] | defaultdict[int, float]"
"""What texts have scored so far, by their indexes."""

GUESSED, UNSAID = 0.5, 0.4
"""A translated query matches worse, so a match must reach this share of what it else must; and so much more of it for
each part of the query that the lexicon does not know, as a multiple of the part that it knows."""


@dataclass(frozen=True, slots=True)
class Segment:
    """What the texts of one file come to, in file order; everything here follows from the texts alone.

    ``near`` says how much a text may borrow from the texts one and two places away, ``noise`` what jumbled
    words reach; ``postings`` hold single tokens and, as ``"a b"``, neighbouring Latin stems.
    """

    lengths: array[int]
    postings: Mapping[str, Posting]
    near: tuple[float, ...]
    noise: Noise

    @classmethod
    def of(cls, texts: Sequence[str]) -> Segment:
        """Tokenise texts and count; a text's length is its number of tokens."""
        rows = tokens_many(texts)
        found: defaultdict[str, list[int]] = defaultdict(list)
        for index, row in enumerate(rows):
            for token in chain(row, pairs_of(row)):
                found[token].append(index)
        postings = {token: posting_of(places) for token, places in found.items()}
        near = learn_nearness(rows, lambda token: len(postings[token].indexes))
        return cls(array("I", map(len, rows)), postings, near, learn_noise(rows))


def posting_of(places: Sequence[int]) -> Posting:
    """A token's posting from the index of each of its places, rising."""
    if len(set(places)) == len(places):  # as nearly always: counting takes ten times as long
        return Posting(places, b"\1" * len(places))
    counted = Counter(places)
    return Posting(list(counted), bytes(min(count, 255) for count in counted.values()))


def pairs_of(row: Iterable[str]) -> Iterable[str]:
    """The neighbouring Latin stems of a row of tokens, as ``"a b"``."""
    return map(" ".join, pairwise(token for token in row if not is_cjk(token)))


@dataclass(frozen=True, slots=True)
class Concept:
    """A word of the query that the lexicon knows: its tokens, the tokens of each other name with its weight, and what
    the concept counts: less than 1 where all its names are light words."""

    own: tuple[str, ...]
    names: tuple[tuple[tuple[str, ...], float], ...]
    cjk: bool
    weight: float
    is_light: bool


@dataclass(frozen=True, slots=True)
class Query:
    """A query taken apart; ``size`` is its number of words, two CJK characters being one.

    ``weights`` says what each term counts (``stop_words``); ``unnamed`` how many words of its Latin and of its CJK
    part the lexicon does not know, so that the other language cannot be asked for them; ``latin`` are the
    folded Latin words in their order, each with its term, ``correct`` the terms that are surely written so.
    """

    terms: tuple[str, ...]
    pairs: tuple[str, ...]
    concepts: tuple[Concept, ...]
    size: float
    weights: Mapping[str, float]
    unnamed: tuple[float, float]
    latin: Mapping[str, str]
    correct: frozenset[str]

    @classmethod
    def of(cls, text: str) -> Query:
        """Take a text apart. Sorted, so that sums do not hang on the order of a set."""
        runs = pieces(fold(text))
        stem_of = stems(run for run in runs if not is_cjk(run))
        row = [run if is_cjk(run) else stem_of.get(run, "") for run in runs]
        row = [run for run in row if run]
        terms = chain.from_iterable(cjk_tokens(run) if is_cjk(run) else (run,) for run in row)
        size = sum((len(run) + 1) // 2 if is_cjk(run) else 1 for run in dict.fromkeys(row))
        known = known_words(row)
        latin = {run for run in row if not is_cjk(run) and run not in known}
        cjk = words_beside([run for run in row if is_cjk(run)], [word for word in known if is_cjk(word)])
        weights = weight_of(row)
        correct = frozenset(known).union(term for term, weight in weights.items() if weight < 1.0)
        return cls(
            tuple(sorted(set(terms))),
            tuple(sorted(set(pairs_of(row)))),
            tuple(_concept(word) for word in known),
            size,
            weights,
            (len(latin), cjk),
            stem_of,
            correct,
        )

    @property
    def tokens(self) -> frozenset[str]:
        """Every token whose posting is needed."""
        named = (name for concept in self.concepts for name, _ in concept.names)
        own = (concept.own for concept in self.concepts)
        return frozenset(chain(self.terms, self.pairs, *named, *own))


def _concept(word: str) -> Concept:
    cjk = is_cjk(word)
    names = sorted(same_concept(word))
    weight = max(map(word_weight, (word, *names)))
    return Concept(
        _spelt(word),
        tuple((_spelt(name), 1.0 if is_cjk(name) == cjk else TRANSLATED * weight) for name in names),
        cjk,
        weight,
        word_weight(word) < 1.0,
    )


def _is_single(term: str) -> bool:
    return is_cjk(term) and len(term) == 1


def _spelt(word: str) -> tuple[str, ...]:
    """The tokens that stand for a word: a CJK word of several characters is its pairs."""
    if not is_cjk(word) or len(word) == 1:
        return (word,)
    return tuple(cjk_tokens(word)[len(word) :])


@dataclass(frozen=True, slots=True)
class TextMatches:
    """Each text's match in [0, 1] by its index, where it is above 0, and what jumbled words would reach.

    ``doubt`` above 0 says how many times as much a match must reach because of what could not be translated; it is
    1 where the collection writes the query's script. ``subject`` says which texts speak of what was asked.
    """

    matches: Mapping[int, float]
    noise: float
    doubt: float = 1.0
    subject: Subject = ANYTHING


def text_matches(
    statistics: Statistics, postings: Callable[[frozenset[str]], Mapping[str, Posting]], query: str
) -> TextMatches:
    """How much of the query's information each text holds, in [0, 1] (DESIGN 10).

    A token brings idf · n / (n + dampening), BM25 without its constant; divided by Σ idf over the query's
    tokens. A text without a token borrows it from the texts beside it in its file, as far as its segment's
    ``near`` says, or from another name of the same concept; the pairs of the query add ``PAIR`` of theirs.
    """
    asked = Query.of(query)
    if not asked.terms or not statistics.total:
        return TextMatches({}, 0.0)
    found = mended(query, asked.latin, asked.correct, postings(asked.tokens), postings)
    scoring = _Scoring(statistics, found)
    weights = scoring.weights(asked)
    scores = scoring.blank()
    for term in asked.terms:
        scoring.add_term(scores, term, weights[term])
    named = [scoring.other_names(concept) for concept in asked.concepts]
    for held, holders in named:
        scoring.add(scores, held, holders)
    for pair in asked.pairs:
        weight = PAIR * statistics.idf(len(scoring.holders(pair)))
        for index, share in scoring.held(pair).items():
            scores[index] += weight * share
    most, doubt = scoring.most(asked, weights)
    scored = enumerate(scores) if isinstance(scores, list) else scores.items()
    matches = {index: score / most if score < most else 1.0 for index, score in scored if score}
    subject = scoring.subject(asked, weights, [held for held, _ in named], doubt != 1.0)
    return TextMatches(matches, statistics.noise.at(asked.size), doubt, subject)


def matches_in(texts: Sequence[str], query: str) -> TextMatches:
    """The same among texts that nothing has counted yet, those of one file."""
    counted = Segment.of(texts)

    def postings(tokens: frozenset[str]) -> Mapping[str, Posting]:
        return {token: counted.postings[token] for token in tokens & counted.postings.keys()}

    return text_matches(Statistics.of([(counted.lengths, counted.near, counted.noise)]), postings, query)


@dataclass(frozen=True, slots=True)
class _Scoring:
    statistics: Statistics
    postings: Mapping[str, Posting]

    def blank(self) -> Scores:
        """No scores yet."""
        touched = sum(len(posting.indexes) for posting in self.postings.values())
        total = self.statistics.total
        return [0.0] * total if touched * DENSE > total else defaultdict(float)

    def holders(self, token: str) -> Sequence[int]:
        posting = self.postings.get(token)
        return posting.indexes if posting else ()

    def held(self, token: str) -> dict[int, float]:
        """How far each text that has the token is filled with it, in (0, 1), by rising index."""
        posting = self.postings.get(token)
        if posting is None:
            return {}
        once, dampening = self.statistics.once, self.statistics.dampening
        pairs = zip(posting.indexes, posting.counts, strict=True)
        return {i: once[i] if n == 1 else n / (n + dampening[i]) for i, n in pairs}

    def _spelt(self, name: tuple[str, ...]) -> dict[int, float]:
        """The same for a word of several tokens: all of them, as far as the rarest fills the text."""
        if any(token not in self.postings for token in name):
            return {}
        parts = [self.held(token) for token in name]
        if len(parts) == 1:
            return parts[0]
        first, *rest = sorted(parts, key=len)
        return {
            i: min(share, *(part[i] for part in rest))
            for i, share in first.items()
            if all(i in part for part in rest)
        }

    def other_names(self, concept: Concept) -> tuple[dict[int, float], int]:
        """Texts that say a concept in other words alone, and in how many texts it is said at all."""
        own = self._spelt(concept.own)
        found: dict[int, float] = {}
        for name, weight in concept.names:
            for index, share in self._spelt(name).items():
                if index not in own and found.get(index, 0.0) < weight * share:
                    found[index] = weight * share
        return dict(sorted(found.items())), len(own) + len(found)

    def add_term(self, scores: Scores, term: str, weight: float) -> None:
        """Add one token's share of every text that has it or borrows it, as far as the token counts."""
        posting = self.postings.get(term)
        if posting is None:
            return
        if self._is_lent(len(posting.indexes)):
            self.add(scores, self.held(term), len(posting.indexes), weight)
            return
        idf = weight * self.statistics.idf(len(posting.indexes))
        once, dampening = self.statistics.once, self.statistics.dampening
        for index, count in zip(posting.indexes, posting.counts, strict=True):
            scores[index] += idf * (once[index] if count == 1 else count / (count + dampening[index]))

    def add(self, scores: Scores, held: dict[int, float], holders: int, weight: float = 1.0) -> None:
        """The same for a word of which it is known how far each text is filled with it."""
        if not held:
            return
        idf = weight * self.statistics.idf(holders)
        for index, share in (self._with_neighbours(held) if self._is_lent(holders) else held).items():
            scores[index] += idf * share

    def _is_lent(self, holders: int) -> bool:
        return holders <= max(LENT, self.statistics.total // 50)

    def _with_neighbours(self, held: dict[int, float]) -> dict[int, float]:
        spans = iter(self.statistics.spans)
        start, stop, near = next(spans)
        reached = dict(held)
        for index, share in held.items():
            while index >= stop:
                start, stop, near = next(spans)
            for distance, weight in enumerate(near, 1):
                lent = weight * share
                for other in (index - distance, index + distance):
                    if start <= other < stop and reached.get(other, 0.0) < lent:
                        reached[other] = lent
        return reached

    def weights(self, asked: Query) -> Mapping[str, float]:
        """What each term counts: its own weight, and that of a name where it stands beside CJK words."""
        if not any(is_cjk(term) and term in self.postings for term in asked.terms):
            return asked.weights
        return {term: weight * (1.0 if is_cjk(term) else BESIDE) for term, weight in asked.weights.items()}

    def subject(
        self,
        asked: Query,
        weights: Mapping[str, float],
        named: Sequence[Mapping[int, float]],
        is_translated: bool,
    ) -> Subject:
        """Where the words stand that are not light; ``named`` are the texts that say each concept in other words."""
        sizes = {
            term: SINGLE if _is_single(term) else 1.0 if is_cjk(term) else weights[term]
            for term in asked.terms
            if asked.weights[term] == 1.0
        }
        heavy = [where for concept, where in zip(asked.concepts, named, strict=True) if not concept.is_light]
        held = [(self.holders(term), size) for term, size in sizes.items() if term in self.postings]
        return Subject(
            (*held, *((where, 1.0) for where in heavy)),
            math.fsum(size for term, size in sizes.items() if not _is_single(term)),
            len(heavy) if is_translated else 0,
            self.statistics.total,
        )

    def most(self, asked: Query, weights: Mapping[str, float]) -> tuple[float, float]:
        """The most that the query could score, and the doubt where it was translated (``TextMatches``).

        That is Σ idf of its tokens, as far as they count, and of its pairs that any text has. Where the collection
        does not write the query's script at all, the concepts stand for its words.
        """
        idf = self.statistics.idf
        most, unsaid, said = 0.0, 0.0, 0.0
        for cjk in (False, True):
            terms = [term for term in asked.terms if is_cjk(term) is cjk]
            concepts = [concept for concept in asked.concepts if concept.cjk is cjk]
            if concepts and not any(term in self.postings for term in terms):
                said += math.fsum(concept.weight * idf(self.other_names(concept)[1]) for concept in concepts)
                unsaid += asked.unnamed[cjk] * idf(1)
            else:
                most += math.fsum(weights[term] * idf(len(self.holders(term))) for term in terms)
        known = (len(self.holders(pair)) for pair in asked.pairs)
        most += said + PAIR * math.fsum(idf(holders) for holders in known if holders)
        return most, GUESSED + UNSAID * unsaid / said if said else 1.0
