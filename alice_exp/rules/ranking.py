"""Which blocks fit a query, in which order, and which of them may be applied.

``score = trust · confidence · decay · match`` (DESIGN 10). ``match`` is BM25 as a share of the most that the
query could score, blended with the context where both sides have one. ``choose`` is the tier rule
(R2.35-R2.38).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Literal

from alice_exp.core.config import Config, Json
from alice_exp.core.model import CONFIDENCE, TRUST, Block, Placed, is_approved
from alice_exp.rules.consolidation import HALF_LIFE_DAYS, decay_score, seconds
from alice_exp.rules.similarity import CONTEXT_WEIGHT, TASK_WEIGHT, context_similarity
from alice_exp.text.words import STOP_WORDS, fold, is_cjk, pieces, stems, tokens

K1 = 1.2
B = 0.75
"""BM25: how fast repeats stop counting, and how much a long text is discounted."""

GATE = Config().number("thresholds.match")
"""The least ``match`` that fits (``thresholds.match``, DESIGN 10)."""

HIGH_CONFIDENCE = Config().number("thresholds.high_confidence")
"""The least trust · confidence applied without a disclaimer (R2.38, ``thresholds.high_confidence``)."""

LOW_VALUE_WARNING = "⚠️ 启用低价值经验（所有高价值路径失效）"
"""What is said when only the pool has an answer (R2.35)."""

Tier = Literal["personal", "universal", "low_value", "reasoning"]


def block_text(block: Block) -> str:
    """A block's searchable text: trigger, keywords, payload with its steps, tags (DESIGN 10)."""
    trigger, payload = block.trigger, block.payload
    return "\n".join((trigger.text, *trigger.keywords, payload.content, *payload.steps, *block.tags))


@dataclass(frozen=True, slots=True)
class Corpus:
    """The blocks that can be found, with their folded texts, the words in them and their lengths in tokens.

    Made by ``Corpus.of``, once for each snapshot; all four tuples have one entry a block, in the same order.
    """

    blocks: tuple[Placed, ...]
    texts: tuple[str, ...]
    words: tuple[list[str], ...]
    lengths: tuple[int, ...]
    vocabulary: frozenset[str]

    @classmethod
    def of(cls, blocks: Iterable[Placed]) -> Corpus:
        """A corpus of the living blocks: the archive and obsolete ones are never found (DESIGN 4)."""
        living = tuple(
            placed for placed in blocks if placed.place != "archive" and placed.block.state != "obsolete"
        )
        texts = tuple(fold(block_text(placed.block)) for placed in living)
        rows = tuple(pieces(text) for text in texts)
        unique = set(chain.from_iterable(rows))
        sizes = {piece: 2 * len(piece) - 1 if is_cjk(piece) else piece not in STOP_WORDS for piece in unique}
        lengths = tuple(sum(map(sizes.__getitem__, row)) for row in rows)
        return cls(living, texts, rows, lengths, frozenset(piece for piece in unique if not is_cjk(piece)))

    def counts(self, wanted: frozenset[str]) -> dict[int, dict[str, int]]:
        """How often each block that has one of the tokens has which of them, by the block's index."""
        found: defaultdict[int, dict[str, int]] = defaultdict(dict)
        for token in sorted(wanted):
            if is_cjk(token):
                for index, text in enumerate(self.texts):
                    if token in text:
                        found[index][token] = text.count(token)
        # A stem begins as its word does, so that most words need no stemming.
        initials = {token[0] for token in wanted}
        near = stems(word for word in self.vocabulary if word[0] in initials)
        hits = {word: stem for word, stem in near.items() if stem in wanted}
        for index, row in enumerate(self.words):
            if not hits.keys().isdisjoint(row):
                found[index].update(Counter(hits[piece] for piece in row if piece in hits))
        return found


def text_matches(corpus: Corpus, query: str) -> dict[int, float]:
    """Each block's BM25 score over the most the query could score, in [0, 1], by the block's index.

    idf = ln(1 + (N - n + 0.5) / (n + 0.5)); the most is Σ idf · (k1 + 1) over the query's different tokens
    (DESIGN 10). A token that no block has counts there like one that a single block has, so that in a small
    home an unknown word does not outweigh all known ones.
    """
    wanted = frozenset(tokens(query))
    found = corpus.counts(wanted)
    if not found:
        return {}
    holders = Counter(chain.from_iterable(found.values()))
    total = len(corpus.blocks)
    idf = {t: math.log1p((total - n + 0.5) / (n + 0.5)) for t in wanted for n in [max(1, holders[t])]}
    most = math.fsum(idf.values()) * (K1 + 1)
    average = sum(corpus.lengths) / total
    matches: dict[int, float] = {}
    for index, counter in found.items():
        dampening = K1 * (1 - B + B * corpus.lengths[index] / average)
        gained = math.fsum(idf[t] * n * (K1 + 1) / (n + dampening) for t, n in counter.items())
        matches[index] = gained / most
    return matches


@dataclass(frozen=True, slots=True)
class Match:
    """A block that fits, and every factor of its score (``--explain``); all numbers lie in [0, 1].

    ``context_match`` is ``None`` where one side has no context, so that the text alone decided.
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


def fit(
    placed: Placed,
    text_match: float,
    context: Mapping[str, Json],
    now: str | datetime,
    *,
    gate: float = GATE,
    half_life_days: Mapping[str, float] = HALF_LIFE_DAYS,
) -> Match | None:
    """A block's match with all its factors, or ``None`` below the gate (DESIGN 10).

    ``text_match`` in [0, 1] comes from ``text_matches`` or an index. Match and score are rounded to 6
    decimals, so that neither the gate nor the order hangs on the last bit.
    """
    block = placed.block
    near = context_similarity(context, block.trigger.context) if context and block.trigger.context else None
    match = text_match if near is None else TASK_WEIGHT * text_match + CONTEXT_WEIGHT * near
    match = round(min(1.0, match), 6)
    if match <= 0.0 or match < gate:
        return None
    decay = decay_score(
        block.updated_at,
        block.type,
        now,
        half_life_days=half_life_days,
        consolidation_score=block.consolidation_score,
    )
    trust, confidence = TRUST[placed.place], CONFIDENCE[block.state]
    score = round(trust * confidence * decay * match, 6)
    return Match(placed, score, match, text_match, near, confidence, trust, decay, is_approved(placed))


def rank(
    blocks: Iterable[Placed] | Corpus,
    query: str,
    context: Mapping[str, Json],
    now: str | datetime,
    top: int | None = None,
    *,
    gate: float = GATE,
    half_life_days: Mapping[str, float] = HALF_LIFE_DAYS,
) -> list[Match]:
    """The blocks that fit, best first: by score, then newest, then id (DESIGN 10, B0.6); at most ``top``.

    A block is looked at where it shares a token with the query or a context with it. Give a ``Corpus`` to ask
    the same blocks more than once.
    """
    corpus = blocks if isinstance(blocks, Corpus) else Corpus.of(blocks)
    texts = text_matches(corpus, query)
    asked = range(len(corpus.blocks)) if context else sorted(texts)
    found = (
        fit(corpus.blocks[i], texts.get(i, 0.0), context, now, gate=gate, half_life_days=half_life_days)
        for i in asked
        if i in texts or corpus.blocks[i].block.trigger.context
    )
    return ordered(match for match in found if match is not None)[:top]


def ordered(matches: Iterable[Match]) -> list[Match]:
    """Matches by score from high to low, then newest (``updated_at``), then id (B0.6)."""

    def place(match: Match) -> tuple[float, float, str]:
        block = match.placed.block
        return (-match.score, -seconds(block.updated_at) if block.updated_at else 0.0, block.id)

    return sorted(matches, key=place)


@dataclass(frozen=True, slots=True)
class Choice:
    """What the tier rule chose: the tier, its matches to apply, those to watch, and whether to disclaim.

    ``observing`` are approved matches of the tiers that were asked, not yet trusted enough to apply: an
    outcome may credit them, else they could never rise (B2.16).
    """

    tier: Tier
    applied: tuple[Match, ...] = ()
    observing: tuple[Match, ...] = ()
    disclaim: bool = False
    warnings: tuple[str, ...] = ()


def choose(matches: Iterable[Match], threshold: float = HIGH_CONFIDENCE) -> Choice:
    """Personal (>= past), else approved universal (reliable), else the pool, else reasoning (R2.35-R2.38).

    A tier answers where trust · confidence reaches the threshold; decay orders and never gates (B2.14). Tiers
    below the one that answers are not even asked (R2.36). ``matches`` fit already and keep their order.
    """
    given = [match for match in matches if match.placed.block.state != "obsolete"]
    observing: list[Match] = []
    tiers: tuple[tuple[Tier, tuple[str, ...]], ...] = (
        ("personal", ("past", "reliable")),
        ("universal", ("reliable",)),
    )
    for tier, states in tiers:
        here = [match for match in given if match.placed.place == tier and match.approved]
        sure = [match for match in here if match.placed.block.state in states and _sure(match, threshold)]
        observing += [match for match in here if match not in sure]
        if sure:
            return Choice(tier, tuple(sure), tuple(observing))
    pool = tuple(match for match in given if match.placed.place == "low_value")
    if pool:
        return Choice("low_value", pool, tuple(observing), True, (LOW_VALUE_WARNING,))
    return Choice("reasoning", observing=tuple(observing))


def _sure(match: Match, threshold: float) -> bool:
    return round(match.trust * match.confidence, 6) >= threshold
