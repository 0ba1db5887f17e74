"""BM25 matching of texts against a query, extended by word pairs and English–Chinese translation.

Pure, and independent of how the collection is stored (``finding.ports``): a ``Segment`` holds the statistics of one
file's texts, and ``text_matches`` asks only for the postings of the query's tokens.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from dataclasses import field, replace
from itertools import chain
from typing import TYPE_CHECKING

from alice_exp.finding.ports import Posting, Statistics
from alice_exp.finding.rules.calibration import learn_noise, sample_size
from alice_exp.finding.rules.match_table import TextMatches
from alice_exp.finding.rules.parsed_query import Query, is_single, pairs_of
from alice_exp.finding.rules.stop_words import LIGHT
from alice_exp.finding.rules.topic_coverage import SINGLE, TRANSLATED, Subject
from alice_exp.kernel.text.tokens import is_cjk, thirds, tokens_many
from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from alice_exp.finding.ports import Noise
    from alice_exp.finding.rules.parsed_query import Concept

PAIR = 0.2
"""The weight of a pair of neighbouring words of the query that are neighbours in the text too."""


@dataclass(frozen=True, slots=True)
class Segment:
    """The statistics of one file's texts, in file order; a function of the texts.

    ``noise`` is the match that random words reach; ``postings`` hold single tokens and, as ``"a b"``, pairs of
    neighbouring Latin stems.
    """

    lengths: array[int]
    postings: Mapping[str, Posting]
    noise: Noise

    @classmethod
    def of(cls, texts: Sequence[str]) -> Segment:
        """Tokenise and count texts; the noise level is measured on the first ``sample_size``."""
        return cls(*index_texts(texts), learn_noise(tokens_many(texts[: sample_size(len(texts))])))


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
    Σ idf over the query's tokens. A text without a token borrows it from a synonym; the query's pairs add ``PAIR``
    times theirs. A second reading is that in the other language: its units are the concepts that the lexicon can
    translate, and the better of both counts.
    """
    asked = Query.of(query)
    if not asked.terms or not statistics.total:
        return TextMatches({}, 0.0)
    found = postings(asked.tokens)
    scoring = _Scoring(statistics, found)
    scores = [0.0] * statistics.total
    for term in asked.terms:
        scoring.add(scores, scoring.held(term), len(scoring.holders(term)), asked.weights[term])
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
        scoring.add(scores, scoring.held(pair), len(scoring.holders(pair)), PAIR)
    subject = scoring.subject(asked, [*synonyms, *classes])
    most = scoring.most(asked)
    matches = {index: min(1.0, score / most) for index, score in enumerate(scores) if score}
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
        known, matches={**matches, **better}, translated=near & better.keys(), translation=translation
    )


def matcher(texts: Sequence[str]) -> Callable[[str], TextMatches]:
    """``text_matches`` over texts without precomputed statistics, taken as one file, for any number of queries."""
    counted = Segment.of(texts)
    statistics = Statistics.of([(counted.lengths, counted.noise)])
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
    """What ``held`` found before: several readings ask for the same words."""

    def holders(self, token: str) -> Sequence[int]:
        posting = self.postings.get(token)
        return posting.indexes if posting else ()

    def held(self, *name: str) -> dict[int, float]:
        """The term weight n / (n + dampening), in (0, 1), of a word's weakest token, in each text that has all, by
        ascending index."""
        if name not in self.known:
            # Intersecting from the shortest list looks at the fewest texts.
            first, *rest = sorted(map(self._weighed, name), key=len)
            self.known[name] = (
                first
                if not rest
                else {
                    i: min(share, *(part[i] for part in rest))
                    for i, share in first.items()
                    if all(i in part for part in rest)
                }
            )
        return self.known[name]

    def _weighed(self, token: str) -> dict[int, float]:
        posting, dampening = self.postings.get(token), self.statistics.dampening
        if posting is None:
            return {}
        return {i: n / (n + dampening[i]) for i, n in zip(posting.indexes, posting.counts, strict=True)}

    def other_names(self, concept: Concept, names: Iterable[tuple[str, ...]]) -> tuple[dict[int, float], int]:
        """The texts that express a concept by one of ``names`` only, and how many express it by these or its own."""
        known = [self.held(*name) for name in names]
        own = self.held(*concept.own)
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
            both = {**named_by_member, **held, **self.held(*concept.own)}
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
        """The texts that express a concept by one of the names only."""
        return frozenset(index for concept, names in named for index in self.other_names(concept, names)[0])

    def add(self, scores: list[float], held: dict[int, float], holders: int, weight: float = 1.0) -> None:
        """Add a word's score, given its term weight in each text and the number of texts that hold it."""
        if not held:
            return
        idf = weight * self.statistics.idf(holders)
        for index, share in held.items():
            scores[index] += idf * share

    def _add_to(self, scores: dict[int, float], held: dict[int, float], holders: int, weight: float) -> None:
        """``add`` to those texts alone that have a score already."""
        if not held:
            return
        idf = weight * self.statistics.idf(holders)
        for index in scores.keys() & held.keys():
            scores[index] += idf * held[index]

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
