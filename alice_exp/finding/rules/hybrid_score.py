"""Hybrid score: the match by words combined with an embedder's cosine, weighted by what the collection teaches.

An absolute cosine means nothing: with one model unrelated texts have 0.1, with another 0.8. So (DESIGN 10):

- ``chance`` is the cosine that the best of as many unrelated texts rarely reaches. Only the part above it counts, as
  a share of the way from there to 1 (the *lift*), so that a query without an answer lifts nothing.
- ``learned_weight`` is how often a text lies nearer to the text that shares rare words with it than to others. It is
  near 1 for a model that knows the collection's language, near 0 for one that does not (or for random vectors).
- The combination is ``match + weight · lift · (1 - match)``: a cosine can only raise a match. A text without a vector
  keeps its match by words, and with weight or lift 0 the result is the same as without an embedder.
"""

from __future__ import annotations

import math
from operator import mul
from typing import TYPE_CHECKING

from alice_exp.finding.ports import Nearness
from alice_exp.finding.rules.bm25 import text_matches

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from alice_exp.finding.ports import Collection

ANCHORS = 16
"""The number of texts, evenly spaced over the collection, whose neighbours are compared."""

OTHERS = 32
"""The number of unrelated texts with which each anchor is compared."""

PRIOR, PRIOR_ANCHORS = 0.5, 4
"""The prior weight of cosines, which counts as much as four anchors."""

MISTAKEN = 0.01
"""The share of queries without an answer for which some text exceeds ``chance``. Measured on simulated vectors with the
public sets: at 0.1 four times as many off-topic questions were answered as by words alone, at 0.01 as many."""

_SPREAD = 1.4826
"""The standard deviation of a normal distribution, in median absolute deviations."""

_ANCHOR_TEXT = 200
# math.sumprod exists from Python 3.12 on.
_exact_dot: Callable[[Sequence[float], Sequence[float]], float] | None = getattr(math, "sumprod", None)


def unit(vector: Sequence[float]) -> list[float]:
    """The vector scaled to length 1; a zero vector stays zero."""
    length = math.hypot(*vector)
    return [value / length for value in vector] if length > 0.0 else [0.0] * len(vector)


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of two unit vectors of equal dimension, in [-1, 1] up to rounding."""
    return _exact_dot(one, other) if _exact_dot else sum(map(mul, one, other))


def chance(cosines: Sequence[float]) -> float:
    """The cosine that the best of so many unrelated texts rarely reaches, in [0, 1], 1 for no texts.

    median + spread · √(2 ln (n / ``MISTAKEN``)), which the largest of n normal values exceeds with a probability of at
    most ``MISTAKEN``. Median and median absolute deviation are robust against the few texts that do answer. With one
    or two texts nothing can be told, and the value is above all of them.
    """
    if not cosines:
        return 1.0
    # Loaded with an embedder alone: it brings fractions and decimals along.
    from statistics import median

    middle = median(cosines)
    spread = _SPREAD * median(abs(value - middle) for value in cosines)
    return min(1.0, max(0.0, middle + spread * math.sqrt(2 * math.log(len(cosines) / MISTAKEN))))


def lifts(cosines: Mapping[int, float]) -> dict[int, float]:
    """How far each cosine exceeds ``chance``, as a share in (0, 1] of the way to 1; those that do not are left out."""
    base = chance(list(cosines.values()))
    if base >= 1.0:
        return {}
    return {i: min(1.0, (value - base) / (1 - base)) for i, value in cosines.items() if value > base}


def joined(matches: Mapping[int, float], near: Nearness) -> dict[int, float]:
    """The matches by words, each in [0, 1], raised by cosines: match + weight · lift · (1 - match)."""
    both = dict(matches)
    for index, lift in lifts(near.cosines).items():
        words = both.get(index, 0.0)
        match = words + near.weight * lift * (1 - words)
        if match > 0.0:
            both[index] = match
    return both


def learned_weight(
    collection: Collection, texts: Mapping[int, str], vectors: Mapping[int, Sequence[float]]
) -> float:
    """How much cosines count in this collection, in [0, 1].

    ``texts`` and ``vectors`` (unit) by number. For each anchor, the other text with the best match by words, if above
    the noise level, should have a higher cosine than the texts below the noise level: 2 · (share of them that it
    beats) - 1, averaged over the anchors with the prior; at least 0.
    """
    taught = [
        taught
        for index in _evenly(sorted(vectors), ANCHORS)
        if (taught := _one_anchor(collection, texts[index], index, vectors)) is not None
    ]
    whole = PRIOR * PRIOR_ANCHORS + math.fsum(taught)
    return round(max(0.0, whole / (PRIOR_ANCHORS + len(taught))), 6)


def _one_anchor(
    collection: Collection, text: str, index: int, vectors: Mapping[int, Sequence[float]]
) -> float | None:
    """One anchor's value in [-1, 1]; ``None`` if no text is related to it, or all are."""
    found = text_matches(collection.statistics, collection.postings, text[:_ANCHOR_TEXT])
    matches = {i: match for i, match in found.matches.items() if i != index and i in vectors}
    related = max(matches, key=lambda i: (matches[i], -i), default=None)
    if related is None or matches[related] < found.noise:
        return None
    rest = [i for i in vectors if i != index and matches.get(i, 0.0) < found.noise]
    others = _evenly(sorted(rest), OTHERS)
    if not others:
        return None
    own = vectors[index]
    nearest = cosine(own, vectors[related])
    beaten = math.fsum(_beats(nearest, cosine(own, vectors[other])) for other in others)
    return 2 * beaten / len(others) - 1


def _beats(one: float, other: float) -> float:
    # A tie counts half, so that a model with the same vector for all texts gets the value 0.
    return 0.5 if math.isclose(one, other, abs_tol=1e-6) else float(one > other)


def _evenly(values: Sequence[int], most: int) -> list[int]:
    """At most ``most`` of the values, evenly spaced."""
    count = min(most, len(values))
    return [values[at * len(values) // count] for at in range(count)]
