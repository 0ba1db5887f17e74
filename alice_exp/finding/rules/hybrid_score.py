"""How the cosine of an embedder joins the match by words (DESIGN 10: by weight, learned on the collection alone).

A cosine says nothing by itself: with one model unrelated texts have 0.1, with another 0.8. So three things are
learned, all from the collection:

- ``chance``: the cosine that the best of as many unrelated texts hardly reaches. Only what lies above it counts, as a
  share of the way from there to 1 (the *lift*), so that a question which has no answer lifts nothing.
- ``learned_weight``: how often a text lies nearer to the one that it shares rare words with than to others. A model
  that knows the collection's language comes to 1, one that does not (or random vectors) to 0.
- the joining, ``match + weight · lift · (1 - match)``: meaning only ever adds. A text that has no vector yet keeps its
  match by words, and with weight or lift 0 everything is as it is without an embedder.
"""

from __future__ import annotations

import math
from operator import mul
from statistics import median
from typing import TYPE_CHECKING

from alice_exp.finding.ports import Nearness
from alice_exp.finding.rules.bm25 import text_matches

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from alice_exp.finding.ports import Collection

ANCHORS = 16
"""So many texts, evenly spaced over the collection, are asked what lies near them."""

OTHERS = 32
"""So many unrelated texts each anchor is compared with."""

PRIOR, PRIOR_ANCHORS = 0.5, 4
"""Until the collection has taught something, meaning counts half, as if four anchors had said so."""

MISTAKEN = 0.01
"""Of a hundred questions without an answer, one at most finds a text above ``chance``. Measured on simulated vectors
with the public sets: at 0.1 four times as many strange questions were answered as by words alone, at 0.01 as many."""

_SPREAD = 1.4826
"""The standard deviation of a normal distribution, in median absolute deviations."""

_ANCHOR_TEXT = 200
_exact_dot: Callable[[Sequence[float], Sequence[float]], float] | None = getattr(math, "sumprod", None)


def unit(vector: Sequence[float]) -> list[float]:
    """The vector at length 1; a vector of zeros stays what it is."""
    length = math.hypot(*vector)
    return [value / length for value in vector] if length > 0.0 else [0.0] * len(vector)


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of two unit vectors of the same length, in [-1, 1] but for rounding."""
    return _exact_dot(one, other) if _exact_dot else sum(map(mul, one, other))


def chance(cosines: Sequence[float]) -> float:
    """What the best of so many unrelated texts hardly reaches: median + spread · √(2 ln (n / ``MISTAKEN``)), at most 1.

    That bounds the largest of n normal values but for a share of ``MISTAKEN``; median and median deviation, so that
    the few texts that do answer leave it alone. One or two texts cannot tell: then it is above each of them.
    """
    if not cosines:
        return 1.0
    middle = median(cosines)
    spread = _SPREAD * median(abs(value - middle) for value in cosines)
    return min(1.0, max(0.0, middle + spread * math.sqrt(2 * math.log(len(cosines) / MISTAKEN))))


def lifts(cosines: Mapping[int, float]) -> dict[int, float]:
    """How far each cosine stands above chance, as a share in (0, 1] of what lies above; what does not is left out."""
    base = chance(list(cosines.values()))
    if base >= 1.0:
        return {}
    return {i: min(1.0, (value - base) / (1 - base)) for i, value in cosines.items() if value > base}


def joined(matches: Mapping[int, float], near: Nearness) -> dict[int, float]:
    """The matches by words, each in [0, 1], with what meaning adds: match + weight · lift · (1 - match)."""
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
    """How far cosines may be trusted in this collection, in [0, 1].

    ``texts`` and ``vectors`` (unit) by number. For each anchor: the other text that matches its words best, where
    that is more than jumbled words reach, has to be nearer to it than the texts that match no better than those.
    2 · (share of them that it is nearer than) - 1, averaged with the prior; below 0 counts as 0.
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
    """What one anchor teaches, in [-1, 1]; ``None`` where no text is related to it or none is not."""
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
    return 0.5 if math.isclose(one, other, abs_tol=1e-6) else float(one > other)


def _evenly(values: Sequence[int], most: int) -> list[int]:
    """At most so many of the values, evenly spaced."""
    count = min(most, len(values))
    return [values[at * len(values) // count] for at in range(count)]
