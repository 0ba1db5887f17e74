"""Ranking of blocks for a query: which ones are answers, and in which order.

``score = trust · confidence · decay · match · (0.75 + 0.5 · importance)`` (DESIGN 10, 12.9). ``match`` is how much of
the query's information a block contains (``finding.rules.scorer``), blended with the context if both sides have one. If
no block fits with a probability of at least ``thresholds.fits``, the answer is empty.
"""

from __future__ import annotations

from functools import partial
from heapq import nsmallest
from itertools import chain, islice, takewhile
from typing import TYPE_CHECKING, cast

from alice_exp.finding.rules.corpus import Corpus
from alice_exp.finding.rules.parsed_query import Query
from alice_exp.finding.rules.scorer import Scored, Statistics, score
from alice_exp.kernel.text.tokens import is_cjk
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.consolidation import (
    DAY,
    DEFAULT_HALF_LIFE,
    HALF_LIFE_DAYS,
    block_decay,
    importance_factor,
    seconds,
)
from alice_exp.model.rules.similarity import CONTEXT_WEIGHT, TASK_WEIGHT, context_similarity
from alice_exp.model.values.block import CONFIDENCE, TRUST, is_approved
from alice_exp.model.values.config import Config

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from alice_exp.finding.ports import Collection
    from alice_exp.kernel.jsonc.problem import Json
    from alice_exp.model.values.block import Placed

GATE = Config().number("thresholds.fits")
"""The least probability that a block fits by its words (``thresholds.fits``, DESIGN 10)."""

FLOOR = 0.16
"""The match from which a block fits by its context."""

TAIL = 0.25
"""Blocks that reach this share of the best block's match are returned with it, even below the floor."""

RESCORED = 64
"""How many of the best matches an embedder, if there is one, puts in order."""

SHORTLIST = 256
"""The number of best matches that are scored at a time; further ones are scored only if too few of them pass."""

# Blocks are parsed in chunks of this size, so that filtering and ranking can stop early.
_CHUNK = 16


@dataclass(frozen=True, slots=True)
class Match:
    """A block that fits, with the factors of its score (``--explain``); all numbers lie in [0, 1], the score in
    [0, 1.25].

    ``context_match`` is ``None`` if one side has no context, so that the text alone decided. ``clear`` means that the
    match is an answer by itself; others are returned only together with a clear one. ``cosine`` in [-1, 1] is ``None``
    if no embedder took part. ``probability`` is that of fitting by its
    words, ``certainty`` how sure it is that it answers and is not only about the same subject.
    """

    placed: Placed
    score: float
    match: float
    text_match: float
    context_match: float | None
    confidence: float
    trust: float
    decay: float
    approved: bool
    clear: bool = True
    cosine: float | None = None
    probability: float = 0.0
    certainty: float = 0.0

    @property
    def importance(self) -> float:
        """The factor of the block's importance, in [0.75, 1.25]."""
        return importance_factor(self.placed.block)


def fit(
    placed: Placed,
    text_match: float,
    context: Mapping[str, Json],
    now: str | datetime,
    *,
    half_life_days: Mapping[str, float] = HALF_LIFE_DAYS,
    judged: tuple[bool, float, float] = (True, 0.0, 0.0),
) -> Match | None:
    """A block's match with all its factors, or ``None`` if it matches not at all (DESIGN 10).

    ``text_match`` in [0, 1] comes from ``finding.rules.scorer``. Match and score are rounded to 6 decimals, so that
    the order does not depend on the last bit. ``judged`` are ``clear``, probability and certainty.
    """
    block = placed.block
    near = context_similarity(context, block.trigger.context) if context and block.trigger.context else None
    match = blended(text_match, near)
    if match <= 0.0:
        return None
    decay = block_decay(block, now, half_life_days=half_life_days)
    trust, confidence = TRUST[placed.place], CONFIDENCE[block.state]
    score = round(trust * confidence * decay * match * importance_factor(block), 6)
    factors = (confidence, trust, decay, is_approved(placed))
    return Match(placed, score, match, text_match, near, *factors, judged[0], None, *judged[1:])


def blended(text_match: float, near: float | None) -> float:
    """0.4 · text + 0.6 · context if both sides have a context, else the text alone; 6 decimals (DESIGN 10)."""
    match = text_match if near is None else TASK_WEIGHT * text_match + CONTEXT_WEIGHT * near
    return round(min(1.0, match), 6)


def rank(
    blocks: Iterable[Placed] | Collection,
    query: str,
    context: Mapping[str, Json],
    now: str | datetime,
    top: int | None = None,
    *,
    gate: float = GATE,
    half_life_days: Mapping[str, float] = HALF_LIFE_DAYS,
    passing: Callable[[Placed], bool] | None = None,
) -> list[Match]:
    """The blocks that fit, best first: by score, then newest, then id (DESIGN 10, B0.6); at most ``top``.

    Candidates share a token or context with the query. Blocks that fail
    ``passing`` still count in the statistics, so that a filter changes no match. ``gate`` is the least probability in
    [0, 1] of fitting; words decide it, and a context can only add. Pass a ``Collection`` to query the
    same blocks more than once.
    """
    collection = _collected(blocks)
    found = _scored(collection, query)
    texts = found.matches
    matches = _with_context(texts, collection, context) if context else texts

    by_match = _descending(matches)
    best = list(islice(by_match, _CHUNK))
    said = _said(collection, query, [index for _, index in best if found.probability(index) < gate])

    def fits(index: int) -> bool:
        """Whether a block is an answer by itself."""
        if index in said or found.probability(index) >= gate:
            return True
        return matches[index] != texts.get(index) and round(matches[index], 6) >= FLOOR

    def weighed(index: int, placed: Placed) -> Match | None:
        judged = (fits(index), round(found.probability(index), 6), round(found.certainty(index), 6))
        return fit(placed, texts.get(index, 0.0), context, now, half_life_days=half_life_days, judged=judged)

    def could_fit(pair: tuple[float, int]) -> bool:
        """Whether a block with this match at most may still be an answer."""
        return bool(context or said) or found.most_probable(pair[0]) >= gate

    by_match = chain(best, by_match)
    seen = []
    for match, index in takewhile(could_fit, by_match):
        seen.append((match, index))
        if fits(index) and (passing is None or passing(collection.blocks([index])[0])):
            break
    else:
        return []
    lowest = TAIL * seen[-1][0] if gate else 0.0
    least = min((matches[index] for index in said), default=lowest)
    reaching = (
        pair
        for pair in takewhile(lambda pair: pair[0] >= min(least, lowest), chain(seen, by_match))
        if pair[0] >= lowest or pair[1] in said
    )
    standings = partial(_by_score, collection, now=seconds(now), half_life_days=half_life_days)
    return _answers(reaching, standings, partial(_best, collection, weighed=weighed, passing=passing), top)


def _scored(collection: Collection, question: str) -> Scored:
    query, whole = Query.of(question), collection.statistics
    postings = collection.postings(query.tokens)
    held = {token: dict(zip(one.indexes, one.counts, strict=True)) for token, one in postings.items()}
    holders = {token: len(one.indexes) for token, one in postings.items()}
    average = sum(whole.lengths) / max(1, whole.total)
    return score(query, Statistics(whole.total, average, whole.noise, holders), held, whole.lengths)


def _answers(
    reaching: Iterator[tuple[float, int]],
    standings: Callable[[Sequence[tuple[float, int]]], list[tuple[float, int]]],
    best: Callable[..., tuple[list[Match], int]],
    top: int | None,
) -> list[Match]:
    """The ``top`` best of what reaches the least match, window by window until enough have passed."""
    answers: list[Match] = []
    passed = 0
    while passed < (SHORTLIST if top is None else min(top, SHORTLIST)):
        window = list(islice(reaching, SHORTLIST))
        if not window:
            break
        some, count = best(likely=standings(window), top=top)
        answers, passed = ordered([*answers, *some])[:top], passed + count
    return answers


def _said(collection: Collection, query: str, indexes: Sequence[int]) -> frozenset[int]:
    """Those blocks of which the query says every subject word of the trigger: what holds "deploying the gateway" fits
    "deploy the payment gateway", however many rules have that trigger, so that none of its words is rare."""
    asked = frozenset(Query.of(query).terms) if indexes else frozenset()
    known: dict[str, bool] = {"": False}
    found = []
    for index, placed in zip(indexes, collection.blocks(indexes), strict=True):
        trigger = placed.block.trigger.text
        if trigger not in known:
            parsed = Query.of(trigger)
            subject = {term for term in parsed.terms if parsed.weights[term] == 1.0}
            # Of Chinese all characters and half of their pairs: the others lie across two words.
            pairs = {term for term in subject if is_cjk(term) and len(term) > 1}
            known[trigger] = (
                2 * len(pairs & asked) >= len(pairs) and bool(subject) and subject - pairs <= asked
            )
        if known[trigger]:
            found.append(index)
    return frozenset(found)


def _descending(matches: Mapping[int, float]) -> Iterator[tuple[float, int]]:
    """The matches, each before its index, best first; equal ones in the collection's order."""
    pairs = [(-match, index) for index, match in matches.items()]
    best = nsmallest(SHORTLIST, pairs)
    # Mostly the best ones are enough, and there may be tens of thousands.
    for match, index in chain(best, islice(_sorted(pairs), len(best), None)):
        yield -match, index


def _sorted(pairs: list[tuple[float, int]]) -> Iterator[tuple[float, int]]:
    """The pairs in order, sorted when the first is asked for."""
    yield from sorted(pairs)


def _collected(blocks: Iterable[Placed] | Collection) -> Collection:
    # `Collection` is a protocol that cannot be checked at runtime.
    if hasattr(blocks, "statistics"):
        return cast("Collection", blocks)
    return Corpus.of(blocks)


def _with_context(
    texts: Mapping[int, float], collection: Collection, context: Mapping[str, Json]
) -> Mapping[int, float]:
    near = {index: context_similarity(context, own) for index, own in collection.contexts().items()}
    both = {index: blended(texts.get(index, 0.0), share) for index, share in near.items()}
    return {**texts, **{index: match for index, match in both.items() if match > 0.0 or index in texts}}


def _by_score(
    collection: Collection,
    window: Sequence[tuple[float, int]],
    now: float,
    half_life_days: Mapping[str, float],
) -> list[tuple[float, int]]:
    """The expected scores of a window's blocks with their numbers, best first, without reading the blocks."""
    expected = []
    for (match, index), own in zip(window, collection.standings([index for _, index in window]), strict=True):
        age = max(0.0, now - own.updated) / DAY if own.updated is not None else 0.0
        half_life = half_life_days.get(own.type, DEFAULT_HALF_LIFE) * own.stretch
        expected.append((own.weight * match * 0.5 ** (age / half_life), index))
    return sorted(expected, reverse=True)


def _best(
    collection: Collection,
    likely: Sequence[tuple[float, int]],
    weighed: Callable[[int, Placed], Match | None],
    passing: Callable[[Placed], bool] | None,
    top: int | None,
) -> tuple[list[Match], int]:
    """The ``top`` blocks of ``likely`` that pass, by score, and how many passed of those that were read.

    Reading stops once no further block can be among them.
    """
    found: list[Match] = []
    count = 0
    # Mostly the first ones by expected score are the answer: no more of them are read than are asked for.
    step = SHORTLIST if top is None else min(_CHUNK, max(4, top))
    for start in range(0, len(likely), step):
        if top is not None and len(found) >= top and found[top - 1].score > round(likely[start][0], 6) + 1e-6:
            break
        indexes = [index for _, index in likely[start : start + step]]
        pairs = zip(indexes, collection.blocks(indexes), strict=True)
        fitting = [weighed(at, placed) for at, placed in pairs if passing is None or passing(placed)]
        count += len(fitting)
        found += [one for one in fitting if one is not None]
        if top is not None:
            found = ordered(found)[:top]
    return found, count


def ordered(matches: Iterable[Match]) -> list[Match]:
    """Matches by descending score, then newest (``updated_at``), then id (B0.6)."""

    def place(match: Match) -> tuple[float, float, str]:
        block = match.placed.block
        return (-match.score, -seconds(block.updated_at) if block.updated_at else 0.0, block.id)

    return sorted(matches, key=place)
