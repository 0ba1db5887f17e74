"""BM25 matching of texts against a query, extended by neighbouring texts, word pairs and English–Chinese translation.

Pure, and independent of how the collection is stored (``finding.ports``): a ``Segment`` holds the statistics of one
file's texts, and ``text_matches`` asks only for the postings of the query's tokens.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from dataclasses import field, replace
from itertools import chain, compress
from typing import TYPE_CHECKING

from alice_exp.finding.ports import Posting, Statistics
from alice_exp.finding.rules.calibration import learn_lending, learn_noise, sample_size
from alice_exp.finding.rules.match_table import Scores, TextMatches, blank, raised, shares
from alice_exp.finding.rules.parsed_query import Query, is_single, pairs_of
from alice_exp.finding.rules.stop_words import LIGHT
from alice_exp.finding.rules.topic_coverage import SINGLE, TRANSLATED, Subject
from alice_exp.kernel.text.tokens import is_cjk, thirds, tokens_many
from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from alice_exp.finding.ports import Noise
    from alice_exp.finding.rules.parsed_query import Concept

LENT_SMALL, LENT_SHARE, LENT = 32, 0.2, 256
"""A token is lent to neighbours if it is in at most so many texts, or in at most this share of them, of large
collections at most one in fifty and so many more: a frequent one says too little, and its long posting list costs
much."""

PAIR = 0.2
"""The weight of a pair of neighbouring words of the query that are neighbours in the text too."""

_REPEATED = b"\0\0" + b"\1" * 254
"""Translates a count to 1 if the token is repeated, else to 0."""


@dataclass(frozen=True, slots=True)
class Segment:
    """The statistics of one file's texts, in file order; a function of the texts and of when they were told.

    ``lending`` is how much a text may borrow from the texts one and two places away, ``noise`` the match that random
    words reach; ``postings`` hold single tokens and, as ``"a b"``, pairs of neighbouring Latin stems.
    """

    lengths: array[int]
    postings: Mapping[str, Posting]
    lending: tuple[float, ...]
    noise: Noise

    @classmethod
    def of(cls, texts: Sequence[str], times: Sequence[str] = ()) -> Segment:
        """Tokenise and count texts; ``times`` are when they were told (ISO-8601 UTC), if that is known."""
        first = sample_size(len(texts))
        return cls(*index_texts(texts), *learn(texts[:first], times[:first]))


def index_texts(texts: Sequence[str]) -> tuple[array[int], dict[str, Posting]]:
    """The lengths of texts in thirds of a word, and the postings of their tokens and pairs."""
    rows = tokens_many(texts)
    found: defaultdict[str, list[int]] = defaultdict(list)
    for index, row in enumerate(rows):
        for token in chain(row, pairs_of(row)):
            found[token].append(index)
    return array("I", (sum(map(thirds, row)) for row in rows)), {
        token: posting_of(places) for token, places in found.items()
    }


def learn(texts: Sequence[str], times: Sequence[str] = ()) -> tuple[tuple[float, ...], Noise]:
    """What texts of a file lend their neighbours, and its noise level, from its first ``sample_size`` texts."""
    rows = tokens_many(texts)
    return learn_lending(rows, times), learn_noise(rows)


def posting_of(places: Sequence[int]) -> Posting:
    """A token's posting from the text index of each of its occurrences, ascending."""
    # Nearly every token occurs once in each text, and counting takes ten times as long.
    if len(set(places)) == len(places):
        return Posting(places, b"\1" * len(places))
    counted = Counter(places)
    # One byte a count in the index: BM25 saturates long before 255.
    return Posting(list(counted), bytes(min(count, 255) for count in counted.values()))


def text_matches(
    statistics: Statistics, postings: Callable[[frozenset[str]], Mapping[str, Posting]], query: str
) -> TextMatches:
    """How much of the query's information each text contains, in [0, 1] (DESIGN 10).

    A token contributes idf · n / (n + dampening), which is BM25 without its constant factor; the sum is divided by
    Σ idf over the query's tokens. A text without a token borrows it from its neighbours in the file, weighted by the
    segment's ``lending``, or from a synonym; the query's pairs add ``PAIR`` times theirs. A second reading is that in
    the other language: its units are the concepts that the lexicon can translate, and the better of both counts.
    """
    asked = Query.of(query)
    if not asked.terms or not statistics.total:
        return TextMatches({}, 0.0)
    found = postings(asked.tokens)
    scoring = _Scoring(statistics, found)
    scores = blank(statistics.total, sum(len(posting.indexes) for posting in found.values()))
    for term in asked.terms:
        scoring.add_term(scores, term, asked.weights[term])
    synonyms = [
        (concept, *scoring.other_names(concept, concept.synonyms))
        for concept in asked.concepts
        if concept.synonyms
    ]
    classes = [(concept, *scoring.members(concept)) for concept in asked.concepts if concept.members]
    for _, held, holders in synonyms:
        scoring.add(scores, held, holders)
    for concept, held, holders in classes:
        scoring.add(scores, held, holders, concept.weight)
    for pair in asked.pairs:
        weight = PAIR * statistics.idf(len(scoring.holders(pair)))
        for index, share in scoring.held(pair).items():
            scores[index] += weight * share
    subject = scoring.subject(asked, [*synonyms, *classes])
    matches = shares(scores, scoring.most(asked))
    known = TextMatches(
        matches,
        statistics.noise.at(asked.size),
        subject,
        texts=statistics.total,
        stranger=not asked.names <= found.keys(),
    )
    other = scoring.translated(asked)
    if other is None:
        return known
    translation, by_translation, near = other
    better = {index: match for index, match in by_translation.items() if match > matches.get(index, 0.0)}
    return replace(
        known, matches=raised(matches, better), translated=near & better.keys(), translation=translation
    )


def matcher(texts: Sequence[str]) -> Callable[[str], TextMatches]:
    """``text_matches`` over texts without precomputed statistics, taken as one file, for any number of queries."""
    counted = Segment.of(texts)
    statistics = Statistics.of([(counted.lengths, counted.lending, counted.noise)])
    held = counted.postings
    return lambda query: text_matches(
        statistics, lambda tokens: {token: held[token] for token in tokens & held.keys()}, query
    )


def matches_in(texts: Sequence[str], query: str) -> TextMatches:
    """The matches of one query in a few texts; see ``matcher``."""
    return matcher(texts)(query)


@dataclass(frozen=True, slots=True)
class _Scoring:
    statistics: Statistics
    postings: Mapping[str, Posting]
    known: dict[tuple[str, ...], dict[int, float]] = field(default_factory=dict)
    """What ``_spelt`` found before: several readings ask for the same words."""
    weighed: dict[str, list[float]] = field(default_factory=dict)
    """What ``_terms`` worked out before."""

    def holders(self, token: str) -> Sequence[int]:
        posting = self.postings.get(token)
        return posting.indexes if posting else ()

    def held(self, token: str) -> dict[int, float]:
        """The term weight n / (n + dampening) of the token in each text that has it, in (0, 1), by ascending index."""
        posting = self.postings.get(token)
        if posting is None:
            return {}
        return dict(zip(posting.indexes, self._terms(token, posting), strict=True))

    def _terms(self, token: str, posting: Posting) -> list[float]:
        """The term weights of a token's posting, in its order."""
        if token in self.weighed:
            return self.weighed[token]
        once, dampening = self.statistics.once, self.statistics.dampening
        terms = list(map(once.__getitem__, posting.indexes))
        # Most tokens occur once in a text, so the others are looked for without a loop over all.
        for at in compress(range(len(terms)), bytes(posting.counts).translate(_REPEATED)):
            n = posting.counts[at]
            terms[at] = n / (n + dampening[posting.indexes[at]])
        self.weighed[token] = terms
        return terms

    def _spelt(self, name: tuple[str, ...]) -> dict[int, float]:
        """The term weight of a word of several tokens in the texts that have all of them: that of its weakest token."""
        if name not in self.known:
            self.known[name] = self._looked_up(name)
        return self.known[name]

    def _looked_up(self, name: tuple[str, ...]) -> dict[int, float]:
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

    def other_names(self, concept: Concept, names: Iterable[tuple[str, ...]]) -> tuple[dict[int, float], int]:
        """The texts that express a concept by one of ``names`` only, and how many express it by these or its own."""
        known = [self._spelt(name) for name in names]
        own = self._spelt(concept.own)
        found: dict[int, float] = {}
        for held in filter(None, known):
            for index, share in held.items():
                if index not in own and found.get(index, 0.0) < share:
                    found[index] = share
        return found, len(own) + len(found)

    def members(self, concept: Concept) -> tuple[dict[int, float], int]:
        """The texts that name only a member of a class, as a light word, and how many name it at all."""
        held, holders = self.other_names(concept, concept.members)
        others = self.other_names(concept, (*concept.synonyms, *concept.translations))[0]
        return {index: LIGHT * share for index, share in held.items() if index not in others}, holders

    def translated(self, asked: Query) -> tuple[Subject, dict[int, float], frozenset[int]] | None:
        """The reading by concepts: its subject, each text's match in [0, 1], and the texts in the other language.

        Its units are the concepts that the lexicon translates and the Latin words that either language writes alike:
        names of programs and things. ``None`` if no text has a translation.
        """
        concepts = [concept for concept in asked.concepts if concept.cjk == asked.cjk]
        named = [
            (concept, *self.other_names(concept, (*concept.synonyms, *concept.translations)))
            for concept in concepts
            if concept.translations or concept.foreign_members
        ]
        near = self._near((one, (*one.translations, *one.foreign_members)) for one in concepts)
        if not near:
            return None
        # A text in the query's own language that names a member must not stand behind one in the other that does.
        said = near | self._near((one, one.members) for one in concepts)
        scores = dict.fromkeys(said, 0.0)
        units: list[tuple[Sequence[int] | dict[int, float], float]] = []
        most = size = 0.0
        latin, unknown = asked.unnamed
        same = latin if not asked.cjk else {term for term in asked.terms if not is_cjk(term)}
        foreign = sorted(term for term in same if asked.cjk or self.holders(term))
        for term in foreign:
            weight = asked.weights[term]
            self._add_to(scores, self.held(term), len(self.holders(term)), weight)
            most += weight * self.statistics.idf(len(self.holders(term)))
            if weight == 1.0:
                units.append((self.holders(term), 1.0))
                size += 1
        for concept, held, holders in named:
            named_by_member = self.members(concept)[0] if concept.members else {}
            both = {**named_by_member, **held, **self._spelt(concept.own)}
            self._add_to(scores, both, holders, concept.weight)
            most += concept.weight * self.statistics.idf(holders)
            if not concept.is_light:
                units.append((both, 1.0))
                size += 1
        # A word that cannot be translated is taken to be as informative as one that a single text has.
        unnamed = unknown if asked.cjk else len(latin.difference(foreign))
        most += unnamed * self.statistics.idf(1)
        matches = {index: min(1.0, TRANSLATED * score / most) for index, score in scores.items() if score}
        return Subject(tuple(units), size + unnamed), matches, near

    def _near(self, named: Iterable[tuple[Concept, Sequence[tuple[str, ...]]]]) -> frozenset[int]:
        """The texts that express a concept by one of the names only, themselves or beside them."""
        said = {index for concept, names in named for index in self.other_names(concept, names)[0]}
        reach = max((len(span.lending) for span in self.statistics.spans), default=0)
        return frozenset(index + step for index in said for step in range(-reach, reach + 1))

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
        for index, share in zip(posting.indexes, self._terms(term, posting), strict=True):
            scores[index] += idf * share

    def add(self, scores: Scores, held: dict[int, float], holders: int, weight: float = 1.0) -> None:
        """Add a word's score, given its term weight in each text and the number of texts that hold it."""
        if not held:
            return
        idf = weight * self.statistics.idf(holders)
        for index, share in (self._with_neighbours(held) if self._is_lent(holders) else held).items():
            scores[index] += idf * share

    def _add_to(self, scores: dict[int, float], held: dict[int, float], holders: int, weight: float) -> None:
        """``add`` to those texts alone that have a score already."""
        if not held:
            return
        idf = weight * self.statistics.idf(holders)
        shares = self._with_neighbours(held) if self._is_lent(holders) else held
        for index in scores.keys() & shares.keys():
            scores[index] += idf * shares[index]

    def _is_lent(self, holders: int) -> bool:
        total = self.statistics.total
        return holders <= max(LENT_SMALL, min(LENT_SHARE * total, LENT + total // 50))

    def _with_neighbours(self, held: dict[int, float]) -> dict[int, float]:
        """The term weights after each text lent to its neighbours: n / dampening adds up, then saturates as before."""
        spans = iter(self.statistics.spans)
        start, stop, lending = next(spans)
        summed: defaultdict[int, float] = defaultdict(float)
        # In order, so that one pass over the spans finds each text's file: texts lend only within it.
        for index, share in sorted(held.items()):
            while index >= stop:
                start, stop, lending = next(spans)
            strength = share / (1.0 - share)
            summed[index] += strength
            for distance, weight in enumerate(lending, 1):
                for other in (index - distance, index + distance):
                    if start <= other < stop:
                        summed[other] += weight * strength
        return {index: strength / (1.0 + strength) for index, strength in summed.items()}

    def subject(self, asked: Query, synonyms: Iterable[tuple[Concept, dict[int, float], int]]) -> Subject:
        """The subject words (those that are not light) and their texts."""
        sizes = {
            term: SINGLE if is_single(term) else 1.0 for term in asked.terms if asked.weights[term] == 1.0
        }
        held = [(self.holders(term), size) for term, size in sizes.items() if term in self.postings]
        same = [(where, 1.0) for concept, where, _ in synonyms if where and not concept.is_light]
        return Subject((*held, *same), math.fsum(size for term, size in sizes.items() if not is_single(term)))

    def most(self, asked: Query) -> float:
        """The highest possible score: the weighted Σ idf of the tokens, and of the pairs that any text has."""
        idf = self.statistics.idf
        known = (len(self.holders(pair)) for pair in asked.pairs)
        most = math.fsum(asked.weights[term] * idf(len(self.holders(term))) for term in asked.terms)
        return most + PAIR * math.fsum(idf(holders) for holders in known if holders)
