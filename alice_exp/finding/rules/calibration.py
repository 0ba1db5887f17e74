"""Calibration on a collection's own texts: how much neighbouring texts lend each other, and what chance matches.

Nothing is tuned to a kind of text. Both are measured on a sample of at most ``SAMPLE`` texts, chosen by position, so
that the same texts always give the same values.
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
"""The most texts, or pairs of texts, that are sampled."""

DISTANCES = (1, 2)
"""The distances, in texts of one file, at which a text may lend."""

CERTAIN = 2.5
"""The number of standard errors by which neighbours must be more alike than distant texts: a few unordered facts are
alike by accident, and would otherwise be returned for one another."""

# Distances of texts that are far apart, as fractions of the collection's size.
_FAR = ((1, 2), (1, 3), (1, 4), (2, 5))
# Odd, so that the median is one of the values.
_TRIES = 25


def learn_lending(
    rows: Sequence[Sequence[str]], holders: Callable[[str], int] | None = None
) -> tuple[float, ...]:
    """How much texts at each of ``DISTANCES`` may lend, in [0, 1): the share of their similarity that is not chance.

    1 − (mean similarity of distant texts) / (mean similarity of neighbours, less one standard error) if neighbours are
    more alike by ``CERTAIN`` standard errors, else 0; an empty tuple if no distance lends. Lines of a conversation
    lend about a half, unordered facts nothing. ``holders`` gives the number of rows with a token, if already known.
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
    """The mean of the values and its standard error."""
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / len(values)
    return mean, math.sqrt(variance / len(values))


class _Likeness:
    """The similarity of two texts: shared information over the geometric mean of each one's, in [0, 1]."""

    def __init__(self, rows: Sequence[Sequence[str]], holders: Callable[[str], int]) -> None:
        self._rows = rows
        self._holders = holders
        self._sets: dict[int, frozenset[str]] = {}
        self._information: dict[str, float] = {}
        self._weights: dict[int, float] = {}

    def at(self, distance: int) -> list[float]:
        """The similarity of up to ``SAMPLE`` evenly spaced pairs of texts ``distance`` places apart."""
        last = len(self._rows) - distance
        # Division rounded up: rounded down, there could be nearly twice as many pairs.
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
    """The median of the best matches that random words reach in a sample of the texts."""
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
        # Characters alone are no words: `_draw` adds those of a drawn pair, as a query with that word has them.
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
