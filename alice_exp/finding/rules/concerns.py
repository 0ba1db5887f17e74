"""What the index keeps beside words: of a block how it stands and what a report may have to say of it, of a file by how
much its texts match by chance; and the one gate of every search.

A report reads the blocks that concern it rather than all (DESIGN 9). Whoever asks tests again: a concern says that a
block may be meant, its absence that it is not. Noise is measured on at most ``SAMPLE`` texts, chosen by position, so
that the same texts always give the same values. The probability that a text fits is a logistic regression on four
numbers that do not grow with the collection, fitted by ``docs/bench/calibrate.py`` on questions that have an answer and
as many that have none (DESIGN 10).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from alice_exp.kernel.jsonc import Json
from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.kernel.text.times import seconds
from alice_exp.kernel.text.tokens import is_cjk, thirds
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.doubt import (
    DAY,
    DEFAULT_HALF_LIFE,
    DOUBTED,
    REPLACING,
    is_in_doubt,
    trusted_since,
)
from alice_exp.model.values.block import (
    BLOCK_TYPES,
    CONFIDENCE,
    TRUST,
    Block,
    Place,
    Placed,
    is_approved,
    stretch,
)
from alice_exp.model.values.snapshot import Span

TRUSTED_PLACES: tuple[Place, ...] = ("personal", "universal")
"""The sets of which blocks are trusted."""

TRUSTED = "trusted"
"""Approved and trusted, by the time since when."""

UNAPPROVED = "unapproved"
"""In a set of which blocks are trusted, and nobody approved what it says now."""

_OWN = LazyPattern(r"\s*(?:(?:我|本人|用户)(?!们|的?[司校厂院组部])|i\b|my\b|(?:the )?user\b|the person\b)")


def begins_with_user(text: str) -> bool:
    """Whether a text begins with I, 我 or the user."""
    return bool(_OWN.match(text.lower()))


def concerns(placed: Placed) -> Iterator[tuple[str, str | float]]:
    """Each concern of a block, and its time: ISO-8601 UTC, of those that fade seconds since 1970."""
    block = placed.block
    if placed.place not in TRUSTED_PLACES:
        return
    if is_approved(placed):
        yield TRUSTED, trusted_since(block)
        if block.replaces:
            yield REPLACING, "-"
    else:
        yield UNAPPROVED, "-"
    if is_in_doubt(block):
        yield DOUBTED, "-"
    if block.state == "reliable" and block.updated_at:
        yield _fading(block.type), seconds(block.updated_at)


def came_up(concern: str, after: str = "") -> Span:
    """The blocks that a concern came up of after a time, or all of them."""
    return (concern, after, "~")


def faded(now: str, half_life_days: Mapping[str, float]) -> tuple[Span, ...]:
    """The blocks whose decay may be below a half: not changed for a half-life of their type, which consolidation and
    feelings only lengthen (R3.13)."""
    lives = ((name, half_life_days.get(name, DEFAULT_HALF_LIFE)) for name in BLOCK_TYPES)
    # A second more, for rounding.
    return tuple((_fading(name), 0.0, seconds(now) - days * DAY + 1) for name, days in lives)


def _fading(block_type: str) -> str:
    return f"fading {block_type}"


def block_text(block: Block) -> str:
    """A block's searchable text: trigger, keywords, payload with its steps, tags (DESIGN 10)."""
    trigger, payload = block.trigger, block.payload
    return "\n".join((trigger.text, *trigger.keywords, payload.content, *payload.steps, *block.tags))


def is_living(placed: Placed) -> bool:
    """Whether a block can be found: neither archived nor obsolete (DESIGN 4)."""
    return placed.place != "archive" and placed.block.state != "obsolete"


LONGEST = stretch(1.0, 1.0)
"""The most half-lives of its type that a block can last."""


class Standing(NamedTuple):
    """The parts of a block's score other than its match: its id, trust · confidence · importance's factor in [0, 1.25],
    the type (for the half-life), the last change (seconds since 1970; ``None``: just now), and by how much
    consolidation and emotional weight stretch the half-life, in [1, 4.5]."""

    id: str
    weight: float
    type: str
    updated: float | None
    stretch: float


def standing(block: Block, place: Place) -> Standing:
    """The ``Standing`` of a block in the set ``place``."""
    updated = seconds(block.updated_at) if block.updated_at else None
    weight = TRUST[place] * CONFIDENCE[block.state] * block.importance_factor
    lasting = stretch(block.consolidation_score, block.emotional_weight)
    return Standing(block.id, weight, block.type, updated, lasting)


TASK_WEIGHT, CONTEXT_WEIGHT = 0.4, 0.6
"""The weights of task and context in a similarity (R0.18)."""


def context_similarity(context_a: Mapping[str, Json], context_b: Mapping[str, Json]) -> float:
    """Equal values over the union of keys, in [0, 1]; both empty 1.0, exactly one 0.0 (R0.21, R0.22)."""
    if not context_a and not context_b:
        return 1.0
    # In Python 1 == True, but in a file they are different values.
    equal = sum(
        key in context_b and (value, type(value) is bool) == (context_b[key], type(context_b[key]) is bool)
        for key, value in context_a.items()
    )
    return equal / len(context_a.keys() | context_b.keys())


def contradicts(context: Mapping[str, Json], own: Mapping[str, Json]) -> bool:
    """Whether two contexts name one thing and say different values of it; a list names several values."""
    return any(_worded(context[key]).isdisjoint(_worded(own[key])) for key in own.keys() & context.keys())


def _worded(value: Json) -> set[str]:
    values = value if isinstance(value, list) else (value,)
    return {f"{type(one).__name__} {one}".casefold() for one in values}


K1 = 1.2
B = 0.6
"""The BM25 parameters k1 (saturation of repeated tokens) and b (length normalisation), DESIGN 10."""

FEWEST = 16
"""The fewest texts from which anything is learned about their collection; smaller ones use fixed values."""

SHORT, LONG = 4, 32
"""The query lengths, in words, for which noise is measured."""

SAMPLE = 128
"""The most texts that are looked at."""


@dataclass(frozen=True, slots=True)
class Noise:
    """The best match, in (0, 1], that a query of 4 or of 32 random words of the collection reaches."""

    short: float
    long: float

    def at(self, size: float) -> float:
        """The noise level of a query of ``size`` words (at least ``SHORT``): the power law through both points."""
        slope = math.log(self.long / self.short) / math.log(LONG / SHORT)
        return min(1.0, self.short * math.pow(max(1.0, size / SHORT), slope))

    @classmethod
    def joined(cls, parts: Iterable[tuple[int, Noise]]) -> Noise:
        """The geometric mean over (number of texts, noise), weighted by the number of texts."""
        # NO_NOISE is the prior, with the weight of FEWEST texts, so that small files move it little.
        known = [(FEWEST, NO_NOISE), *((count, noise) for count, noise in parts if count >= FEWEST)]
        whole = sum(count for count, _ in known)
        short = math.fsum(count * math.log(noise.short) for count, noise in known) / whole
        long = math.fsum(count * math.log(noise.long) for count, noise in known) / whole
        return cls(math.exp(short), math.exp(long))


NO_NOISE = Noise(0.28, 0.12)
"""The noise assumed for fewer than ``FEWEST`` texts."""


def sample_size(count: int) -> int:
    """How many of a file's ``count`` texts, the first ones, are looked at: a power of two up to ``SAMPLE``.

    So a text added to a file seldom changes what was learned; 0 for fewer than ``FEWEST`` texts.
    """
    return min(SAMPLE, 1 << (count.bit_length() - 1)) if count >= FEWEST else 0


# Odd, so that the median is one of the values.
_TRIES = 25


def learn_noise(rows: Sequence[Sequence[str]]) -> Noise:
    """The median of the best matches that random words reach in a sample of the texts."""
    sample = [row for row in rows if row]
    if len(sample) < FEWEST:
        return NO_NOISE
    jumble = _Jumble(sample)
    return Noise(jumble.middle(SHORT), jumble.middle(LONG))


class _Jumble:
    def __init__(self, sample: Sequence[Sequence[str]]) -> None:
        # Characters alone are no words: `_draw` adds those of a drawn pair, as a query with that word has them.
        self.words = [[token for token in row if not is_cjk(token) or len(token) == 2] for row in sample]
        self.words = [words for words in self.words if words]
        lengths = [sum(map(thirds, row)) for row in sample]
        average = sum(lengths) / len(sample)
        self.postings: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
        for index, (row, length) in enumerate(zip(sample, lengths, strict=True)):
            dampening = K1 * (1 - B + B * length / average)
            for token, count in Counter(row).items():
                self.postings[token].append((index, count / (count + dampening)))
        self.total = len(sample)

    def middle(self, size: int) -> float:
        """The median best match over the tries; at least 0.001, as ``Noise.at`` divides and takes logarithms."""
        if not self.words:
            return NO_NOISE.short if size == SHORT else NO_NOISE.long
        best = sorted(self._best(self._draw(size, number)) for number in range(_TRIES))
        return round(max(1e-3, best[_TRIES // 2]), 6)

    def _draw(self, size: int, number: int) -> list[str]:
        """Pseudo-random words, each from another text: positions by Knuth's multiplicative hash."""
        # Deterministic, because the same texts must give the same noise with and without the index.
        drawn: dict[str, None] = {}
        for turn in range(size):
            seed = (number * size + turn + 1) * 2654435761 % 4294967296
            words = self.words[seed % len(self.words)]
            word = words[(seed >> 12) % len(words)]
            drawn.update(dict.fromkeys((word, *word) if is_cjk(word) else (word,)))
        return list(drawn)

    def _best(self, tokens: Sequence[str]) -> float:
        scores = [0.0] * self.total
        most = 0.0
        for token in tokens:
            held = self.postings.get(token, [])
            count = max(1, len(held))
            idf = math.log1p((self.total - count + 0.5) / (count + 0.5))
            most += idf
            for index, share in held:
                scores[index] += idf * share
        return max(scores) / most if most else 0.0


LARGE = 64
"""From so many texts on the number of texts counts as this: chance matches better in more texts, up to the sample that
the noise level is measured on."""


FITTED = (3.17, 3.96, -0.80, 4.01, 1.47)
"""The weights of the regression: constant, ln(match / noise), ln(texts), the share of the subject's information that
the text has, and whether a part of it is a translation. As fitted, but for the last: half a point more than its 0.97,
because of questions in the other language that had no part in the fit 19 % met silence, with it 10 %."""

STRANGER = -5.0
"""Added to the odds where the question names somebody or something that no text has. Not fitted with the others, so
that it can only silence; from -4 to -6 it does nearly the same."""

LEAST = 0.01
"""Added to match and noise before the logarithm."""

SURE = 0.6
"""The ln(match / noise) from which an answer is surely known, and not only its subject: where the answer was taken out
of a set, 7 of 100 questions reach it on average (``docs/bench/bench_assess.py``)."""


def lift(match: float, noise: float) -> float:
    """How far a match lies above the noise level, both in [0, 1], as a logarithm: 0 where chance matches as well."""
    return math.log((match + LEAST) / (noise + LEAST))


def certainty(match: float, noise: float) -> float:
    """How sure it is, in [0, 1], that the answer itself is known, not only its subject.

    Of what was tried to tell these apart (share and number of words covered, the gap to the second match, the number
    of texts) nothing adds to the lift on sets that had no part in the choice.
    """
    return max(0.0, min(1.0, lift(match, noise) / SURE))


def probability(
    match: float, noise: float, texts: int, share: float, translated: bool, stranger: bool = False
) -> float:
    """The probability in (0, 1) that a text fits: from its match, the noise level and the share of the subject that it
    has, all in [0, 1]. ``stranger`` says that the question names what no text has."""
    constant, by_lift, by_texts, by_share, by_translation = FITTED
    odds = constant + by_lift * lift(match, noise) + by_texts * math.log(max(1, min(LARGE, texts)))
    odds += by_share * share + by_translation * translated + STRANGER * stranger
    return 1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, odds))))
