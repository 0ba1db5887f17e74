"""Calibration on a collection's own texts: how much neighbouring texts lend each other, and what chance matches.

Nothing is tuned to a kind of text. Both are measured on a sample of at most ``SAMPLE`` texts, chosen by position, so
that the same texts always give the same values.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from alice_exp.finding.ports import FEWEST, K1, LONG, NO_NOISE, SHORT, B, Noise
from alice_exp.kernel.text.tokens import is_cjk, thirds

if TYPE_CHECKING:
    from collections.abc import Sequence

SAMPLE = 128
"""The most texts that are looked at."""


def sample_size(count: int) -> int:
    """How many of a file's ``count`` texts, the first ones, are looked at: a power of two up to ``SAMPLE``.

    So a text added to a file seldom changes what was learned; 0 for fewer than ``FEWEST`` texts.
    """
    return min(SAMPLE, 1 << (count.bit_length() - 1)) if count >= FEWEST else 0


NEAR = (0.5, 0.25)
"""What texts that stand in an order lend to those one and two places away: turns of a conversation, lessons of a
day."""

FAR = (7, 11, 17)
"""The distances with which the first two are compared: near enough that both are of one part of the file."""

CERTAIN = 3.0
"""The number of standard errors by which neighbours must be more alike than distant texts. In the public sets,
shuffled, the largest difference is 2.2; of those in order it is 3.4 or more, but for one user whose chats are about
everything."""

# Odd, so that the median is one of the values.
_TRIES = 25


TOGETHER = 0.9
"""The share of neighbours that have to be of one minute: what a person says from day to day is often about the same
things, and yet no talk, in which each text completes the next."""


def learn_lending(rows: Sequence[Sequence[str]], times: Sequence[str] = ()) -> tuple[float, ...]:
    """What texts of one file lend to those one and two places away: ``NEAR`` if they stand in an order, else nothing.

    They do if neighbours are more alike than distant texts by ``CERTAIN`` standard errors, and were told one after the
    other: ``times`` are when (ISO-8601 UTC), for each text or none.
    """
    minutes = [time[:16] for time in times]
    together = sum(one == other for one, other in pairwise(minutes))
    if together < TOGETHER * (len(minutes) - 1):
        return ()
    sample = [frozenset(row) for row in rows]
    count = len(sample)
    if count < FEWEST:
        return ()
    holders = Counter(chain.from_iterable(sample))
    informs = {token: math.log(count / held) for token, held in holders.items()}
    # fsum, because the order of a set differs from one process to the next.
    weights = [math.fsum(informs[token] for token in row) for row in sample]

    def likeness(distances: Sequence[int]) -> tuple[float, float]:
        pairs = [(at, at + distance) for distance in distances for at in range(count - distance)]
        found = [
            math.fsum(informs[token] for token in sample[one] & sample[other]) / math.sqrt(whole)
            if whole
            else 0.0
            for one, other in pairs
            for whole in [weights[one] * weights[other]]
        ]
        mean = math.fsum(found) / len(found)
        return mean, math.fsum((value - mean) ** 2 for value in found) / len(found) ** 2

    near, near_error = likeness((1, 2))
    far, far_error = likeness([distance for distance in FAR if distance < count])
    return NEAR if near - far > CERTAIN * math.sqrt(near_error + far_error) else ()


def learn_noise(rows: Sequence[Sequence[str]]) -> Noise:
    """The median of the best matches that random words reach in a sample of the texts."""
    if len(rows) < FEWEST:
        return NO_NOISE
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
