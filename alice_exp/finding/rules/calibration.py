"""What a collection teaches about itself: what its texts lend their neighbours, and what mere chance matches.

Nothing here is tuned to a kind of text: both are measured on the texts, from a sample of at most ``SAMPLE`` of them,
chosen by place, so that the same texts always teach the same.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from itertools import chain
from typing import TYPE_CHECKING

from alice_exp.finding.ports import FEWEST, K1, LONG, NO_NOISE, SHORT, B, Noise
from alice_exp.kernel.text.tokens import is_cjk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

SAMPLE = 256
"""At most so many texts, or pairs of texts, are looked at."""

DISTANCES = (1, 2)
"""Neighbours so many places away may lend."""

CERTAIN = 2.5
"""So many standard errors neighbours must be likelier than texts far apart: a few facts in no order are likely by
accident, and would answer for one another."""

_FAR = ((1, 2), (1, 3), (1, 4), (2, 5))
_TRIES = 25


def learn_nearness(
    rows: Sequence[Sequence[str]], holders: Callable[[str], int] | None = None
) -> tuple[float, ...]:
    """How much texts at each of ``DISTANCES`` may lend, in [0, 1): the share of their likeness that is no chance.

    1 − (mean likeness of texts far apart) / (mean likeness of neighbours, less one standard error), where neighbours
    are likelier by ``CERTAIN`` standard errors. Lines of
    a conversation lend about a half, unordered facts nothing; an empty tuple where nothing is lent. ``holders`` tells
    how many rows have a token, where that is known already.
    """
    count = len(rows)
    if count < FEWEST:
        return ()
    likeness = _Likeness(rows, holders or Counter(chain.from_iterable(map(set, rows))).__getitem__)
    far = [value for up, down in _FAR for value in likeness.at(count * up // down)]
    chance, chance_error = _mean(far)
    lent = []
    for distance in DISTANCES:
        mean, error = _mean(likeness.at(distance))
        is_certain = mean - chance > CERTAIN * math.hypot(error, chance_error)
        lent.append(round(1 - chance / (mean - error), 4) if is_certain else 0.0)
    return tuple(lent) if any(lent) else ()


def _mean(values: Sequence[float]) -> tuple[float, float]:
    """The mean and its standard error."""
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / len(values)
    return mean, math.sqrt(variance / len(values))


class _Likeness:
    """Information that two texts share over the geometric mean of what each has, in [0, 1]."""

    def __init__(self, rows: Sequence[Sequence[str]], holders: Callable[[str], int]) -> None:
        self._rows = rows
        self._holders = holders
        self._sets: dict[int, frozenset[str]] = {}
        self._information: dict[str, float] = {}
        self._weights: dict[int, float] = {}

    def at(self, distance: int) -> list[float]:
        """The likeness of up to ``SAMPLE`` pairs of texts so many places apart."""
        last = len(self._rows) - distance
        step = max(1, -(-last // SAMPLE))
        return [self._of(index, index + distance) for index in range(0, last, step)]

    def _of(self, first: int, second: int) -> float:
        whole = self._weight(first) * self._weight(second)
        shared = self._set(first) & self._set(second)
        return self._sum(shared) / math.sqrt(whole) if whole else 0.0

    def _set(self, index: int) -> frozenset[str]:
        known = self._sets.get(index)
        if known is None:
            known = self._sets[index] = frozenset(self._rows[index])
        return known

    def _weight(self, index: int) -> float:
        known = self._weights.get(index)
        if known is None:
            known = self._weights[index] = self._sum(self._set(index))
        return known

    def _sum(self, tokens: Iterable[str]) -> float:
        # fsum, because the order of a set differs from one process to the next.
        return math.fsum(map(self._informs, tokens))

    def _informs(self, token: str) -> float:
        known = self._information.get(token)
        if known is None:
            known = self._information[token] = math.log(len(self._rows) / self._holders(token))
        return known


def learn_noise(rows: Sequence[Sequence[str]]) -> Noise:
    """The middle of what jumbled words reach in a sample of the texts."""
    if len(rows) < FEWEST:
        return NO_NOISE
    step = max(1, -(-len(rows) // SAMPLE))
    sample = [row for row in rows[::step] if row]
    if len(sample) < FEWEST:
        return NO_NOISE
    jumble = _Jumble(sample)
    return Noise(jumble.middle(SHORT), jumble.middle(LONG))


class _Jumble:
    def __init__(self, sample: Sequence[Sequence[str]]) -> None:
        self.words = [[token for token in row if not is_cjk(token) or len(token) == 2] for row in sample]
        self.words = [words for words in self.words if words]
        average = sum(map(len, sample)) / len(sample)
        self.postings: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
        for index, row in enumerate(sample):
            dampening = K1 * (1 - B + B * len(row) / average)
            for token, count in Counter(row).items():
                self.postings[token].append((index, count / (count + dampening)))
        self.total = len(sample)

    def middle(self, size: int) -> float:
        """The median over the tries; a little above 0 at least."""
        if not self.words:
            return NO_NOISE.short if size == SHORT else NO_NOISE.long
        best = sorted(self._best(self._draw(size, number)) for number in range(_TRIES))
        return round(max(1e-3, best[_TRIES // 2]), 6)

    def _draw(self, size: int, number: int) -> list[str]:
        """Words from places that a multiplication scatters (Knuth's golden ratio hash), each from another text."""
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
