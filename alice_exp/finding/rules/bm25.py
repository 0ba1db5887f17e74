"""BM25 matching of texts against a query, extended by neighbouring texts, word pairs and English–Chinese translation.

Pure, and independent of how the collection is stored (``finding.ports``): a ``Segment`` holds the statistics of one
file's texts, and ``text_matches`` asks only for the postings of the query's tokens.
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
from alice_exp.finding.rules.calibration import learn_lending, learn_noise
from alice_exp.finding.rules.query_correction import corrected_postings
from alice_exp.finding.rules.stop_words import weight_of, word_weight, words_beside
from alice_exp.finding.rules.topic_coverage import ANYTHING, SINGLE, Subject
from alice_exp.kernel.text.tokens import cjk_tokens, fold, is_cjk, pieces, stems, tokens_many

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from alice_exp.finding.ports import Noise

LENT = 256
"""A token in more texts than this, and in more than one of fifty, says too little to be lent to neighbours."""

PAIR = 0.2
"""The weight of a pair of neighbouring words of the query that are neighbours in the text too."""

TRANSLATED = 0.8
"""The weight of a word that the text has in the other language; a synonym in the same language counts in full."""

BESIDE = 2.0
"""The weight of a Latin word in a query with CJK words, because a CJK word is several tokens: characters and pairs."""

DENSE = 16
"""When more than one text in so many may have a score, scores are kept in a list: twice as fast as a dict."""

Scores: TypeAlias = "list[float] | defaultdict[int, float]"
"""The scores so far, by text index."""

GUESSED, UNSAID = 0.5, 0.4
"""A translated query matches worse, so the required match is multiplied by ``GUESSED``, plus ``UNSAID`` times the ratio
of the query's information that the lexicon does not know to that which it knows."""


@dataclass(frozen=True, slots=True)
class Segment:
    """The statistics of one file's texts, in file order; a function of the texts alone.

    ``lending`` is how much a text may borrow from the texts one and two places away, ``noise`` the match that random
    words reach; ``postings`` hold single tokens and, as ``"a b"``, pairs of neighbouring Latin stems.
    """

    lengths: array[int]
    postings: Mapping[str, Posting]
    lending: tuple[float, ...]
    noise: Noise

    @classmethod
    def of(cls, texts: Sequence[str]) -> Segment:
        """Tokenise and count texts; a text's length is its number of tokens."""
        rows = tokens_many(texts)
        found: defaultdict[str, list[int]] = defaultdict(list)
        for index, row in enumerate(rows):
            for token in chain(row, pairs_of(row)):
                found[token].append(index)
        postings = {token: posting_of(places) for token, places in found.items()}
        lending = learn_lending(rows, lambda token: len(postings[token].indexes))
        return cls(array("I", map(len, rows)), postings, lending, learn_noise(rows))


def posting_of(places: Sequence[int]) -> Posting:
    """A token's posting from the text index of each of its occurrences, ascending."""
    # Nearly every token occurs once in each text, and counting takes ten times as long.
    if len(set(places)) == len(places):
        return Posting(places, b"\1" * len(places))
    counted = Counter(places)
    # One byte a count in the index: BM25 saturates long before 255.
    return Posting(list(counted), bytes(min(count, 255) for count in counted.values()))


def pairs_of(row: Iterable[str]) -> Iterable[str]:
    """The pairs of neighbouring Latin stems in a row of tokens, as ``"a b"``."""
    return map(" ".join, pairwise(token for token in row if not is_cjk(token)))


@dataclass(frozen=True, slots=True)
class Concept:
    """A word of the query that the lexicon knows: its tokens, the tokens and weight of each other name, and the weight
    of the concept, below 1 if all its names are light words."""

    own: tuple[str, ...]
    names: tuple[tuple[tuple[str, ...], float], ...]
    cjk: bool
    weight: float
    is_light: bool


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query; ``size`` is its number of words, two CJK characters being one.

    ``weights`` are those of the terms (``stop_words``); ``unnamed`` is the number of Latin and of CJK words that the
    lexicon cannot translate; ``latin`` maps the folded Latin words, in order, to their terms; ``correct`` are the
    terms known to be spelt correctly.
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
        """Parse a query."""
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
        # A light word that no text contains is not a typo: the word list has it as it is.
        correct = frozenset(known).union(term for term, weight in weights.items() if weight < 1.0)
        # Sorted, because the order of a set differs between processes and float sums depend on the order.
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
        """Every token whose posting list is needed."""
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
    """The tokens of a word: the pairs alone for a CJK word of several characters."""
    if not is_cjk(word) or len(word) == 1:
        return (word,)
    # `cjk_tokens` gives the characters first, then the pairs.
    return tuple(cjk_tokens(word)[len(word) :])


@dataclass(frozen=True, slots=True)
class TextMatches:
    """The texts' matches in (0, 1] by index, and the match that random words of the collection would reach.

    ``doubt`` is the factor on the required match for a translated query (``GUESSED``, ``UNSAID``), 1 when the
    collection is written in the query's script. ``subject`` tells which texts cover the query's subject.
    """

    matches: Mapping[int, float]
    noise: float
    doubt: float = 1.0
    subject: Subject = ANYTHING


def text_matches(
    statistics: Statistics, postings: Callable[[frozenset[str]], Mapping[str, Posting]], query: str
) -> TextMatches:
    """How much of the query's information each text contains, in [0, 1] (DESIGN 10).

    A token contributes idf · n / (n + dampening), which is BM25 without its constant factor; the sum is divided by
    Σ idf over the query's tokens. A text without a token borrows it from its neighbours in the file, weighted by the
    segment's ``lending``, or from another name of the same concept; the query's pairs add ``PAIR`` times theirs.
    """
    asked = Query.of(query)
    if not asked.terms or not statistics.total:
        return TextMatches({}, 0.0)
    found = corrected_postings(query, asked.latin, asked.correct, postings(asked.tokens), postings)
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
    # A doubt other than 1 means that the query was translated.
    subject = scoring.subject(asked, weights, [held for held, _ in named], doubt != 1.0)
    return TextMatches(matches, statistics.noise.at(asked.size), doubt, subject)


def matches_in(texts: Sequence[str], query: str) -> TextMatches:
    """``text_matches`` over texts without precomputed statistics, taken as one file."""
    counted = Segment.of(texts)

    def postings(tokens: frozenset[str]) -> Mapping[str, Posting]:
        return {token: counted.postings[token] for token in tokens & counted.postings.keys()}

    return text_matches(Statistics.of([(counted.lengths, counted.lending, counted.noise)]), postings, query)


@dataclass(frozen=True, slots=True)
class _Scoring:
    statistics: Statistics
    postings: Mapping[str, Posting]

    def blank(self) -> Scores:
        """An empty score table, a list or a dict depending on how many texts the postings touch."""
        touched = sum(len(posting.indexes) for posting in self.postings.values())
        total = self.statistics.total
        return [0.0] * total if touched * DENSE > total else defaultdict(float)

    def holders(self, token: str) -> Sequence[int]:
        posting = self.postings.get(token)
        return posting.indexes if posting else ()

    def held(self, token: str) -> dict[int, float]:
        """The term weight n / (n + dampening) of the token in each text that has it, in (0, 1), by ascending index."""
        posting = self.postings.get(token)
        if posting is None:
            return {}
        once, dampening = self.statistics.once, self.statistics.dampening
        pairs = zip(posting.indexes, posting.counts, strict=True)
        return {i: once[i] if n == 1 else n / (n + dampening[i]) for i, n in pairs}

    def _spelt(self, name: tuple[str, ...]) -> dict[int, float]:
        """The term weight of a word of several tokens in the texts that have all of them: that of its weakest token."""
        if any(token not in self.postings for token in name):
            return {}
        parts = [self.held(token) for token in name]
        if len(parts) == 1:
            return parts[0]
        # Intersecting from the shortest list looks at the fewest texts.
        first, *rest = sorted(parts, key=len)
        return {
            i: min(share, *(part[i] for part in rest))
            for i, share in first.items()
            if all(i in part for part in rest)
        }

    def other_names(self, concept: Concept) -> tuple[dict[int, float], int]:
        """The texts that express a concept only by another name, and the number of texts that express it at all."""
        own = self._spelt(concept.own)
        found: dict[int, float] = {}
        for name, weight in concept.names:
            for index, share in self._spelt(name).items():
                if index not in own and found.get(index, 0.0) < weight * share:
                    found[index] = weight * share
        # Ascending, as `_with_neighbours` walks the spans along with the indexes.
        return dict(sorted(found.items())), len(own) + len(found)

    def add_term(self, scores: Scores, term: str, weight: float) -> None:
        """Add one token's score to every text that has or borrows it."""
        posting = self.postings.get(term)
        if posting is None:
            return
        if self._is_lent(len(posting.indexes)):
            self.add(scores, self.held(term), len(posting.indexes), weight)
            return
        # A frequent token is not lent, so its long posting list needs no intermediate dict.
        idf = weight * self.statistics.idf(len(posting.indexes))
        once, dampening = self.statistics.once, self.statistics.dampening
        for index, count in zip(posting.indexes, posting.counts, strict=True):
            scores[index] += idf * (once[index] if count == 1 else count / (count + dampening[index]))

    def add(self, scores: Scores, held: dict[int, float], holders: int, weight: float = 1.0) -> None:
        """Add a word's score, given its term weight in each text and the number of texts that hold it."""
        if not held:
            return
        idf = weight * self.statistics.idf(holders)
        for index, share in (self._with_neighbours(held) if self._is_lent(holders) else held).items():
            scores[index] += idf * share

    def _is_lent(self, holders: int) -> bool:
        return holders <= max(LENT, self.statistics.total // 50)

    def _with_neighbours(self, held: dict[int, float]) -> dict[int, float]:
        spans = iter(self.statistics.spans)
        start, stop, lending = next(spans)
        reached = dict(held)
        # `held` ascends, so that one pass over the spans finds each text's file: texts lend only within it.
        for index, share in held.items():
            while index >= stop:
                start, stop, lending = next(spans)
            for distance, weight in enumerate(lending, 1):
                lent = weight * share
                for other in (index - distance, index + distance):
                    if start <= other < stop and reached.get(other, 0.0) < lent:
                        reached[other] = lent
        return reached

    def weights(self, asked: Query) -> Mapping[str, float]:
        """The weight of each term; Latin terms count ``BESIDE`` times if the collection has CJK terms of the query."""
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
        """The subject words (those that are not light) and their texts.

        ``named`` are the texts that express each concept by another name.
        """
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
        """The highest possible score of the query, and its doubt (``TextMatches``).

        The highest score is the weighted Σ idf of its tokens and of the pairs that any text has. If the collection has
        no term of one of the query's scripts, the concepts replace the terms of that script.
        """
        idf = self.statistics.idf
        most, unsaid, said = 0.0, 0.0, 0.0
        for cjk in (False, True):
            terms = [term for term in asked.terms if is_cjk(term) is cjk]
            concepts = [concept for concept in asked.concepts if concept.cjk is cjk]
            if concepts and not any(term in self.postings for term in terms):
                said += math.fsum(concept.weight * idf(self.other_names(concept)[1]) for concept in concepts)
                # A word that cannot be translated is taken to be as informative as one that a single text has.
                unsaid += asked.unnamed[cjk] * idf(1)
            else:
                most += math.fsum(weights[term] * idf(len(self.holders(term))) for term in terms)
        known = (len(self.holders(pair)) for pair in asked.pairs)
        most += said + PAIR * math.fsum(idf(holders) for holders in known if holders)
        return most, GUESSED + UNSAID * unsaid / said if said else 1.0
