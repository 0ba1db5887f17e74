"""Topic coverage: whether a text contains enough of a query's subject words to be an answer (DESIGN 10).

A query of several words whose best text has only one of them mostly asks for something that is not there: "when is
Tom's birthday" in a home that knows another person's. Light words (``finding.rules.stop_words``) are not counted.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from alice_exp.finding.ports import FEWEST

if TYPE_CHECKING:
    from collections.abc import Sequence

ALONE, HIGHEST_ALONE = 1.2, 0.24
"""The factor on the required match of a text that has only one of several subject words (full in large collections),
and the most that it can require (chosen on public and own questions, DESIGN 10)."""

ONE_WORD = 1.5
"""The largest size of a single word: a CJK word of two characters is one pair and two ``SINGLE``."""

SINGLE = 0.25
"""The size of a single CJK character: it may be a word of its own, or part of another word."""

LEAST_NAMED = 0.5
"""The share of the query's translatable words that a text in the other language must contain."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject words of a query: for each, the texts that contain it (ascending indexes, or a mapping by index) and
    its size in words. With none, every text covers the query.

    ``asked`` is the number of words, whether the collection has them or not; ``named`` the number of translated words,
    0 when the collection is written in the query's script; ``texts`` the number of texts in the collection.
    """

    held: tuple[tuple[Sequence[int] | Mapping[int, float], float], ...] = ()
    asked: float = 0.0
    named: int = 0
    texts: int = 0

    def coverage(self, index: int) -> float:
        """How many words of the subject a text contains."""
        return math.fsum(size for where, size in self.held if _is_in(index, where))

    def least(self, index: int, floor: float, share: float) -> float:
        """The least match with which a text is an answer; infinite if no match is enough.

        ``floor`` is required of any text; ``share`` is the same requirement before its upper limit; both in [0, 1].
        With fewer than ``FEWEST`` texts, or a ``share`` of 0, nothing above the floor is required.
        """
        if not share or self.texts < FEWEST or (self.asked <= 1 and not self.named):
            return floor
        covered = self.coverage(index)
        if self.named:
            return floor if covered and covered >= LEAST_NAMED * self.named else math.inf
        if covered > ONE_WORD:
            return floor
        # Approaches 1 with the size of the collection: a small one tells little about what one word proves.
        sure = self.texts / (self.texts + FEWEST)
        return max(floor, min(HIGHEST_ALONE, (1 + (ALONE - 1) * sure) * share))


ANYTHING = Subject()
"""The subject of a query without subject words: every text covers it."""


def _is_in(index: int, where: Sequence[int] | Mapping[int, float]) -> bool:
    if isinstance(where, Mapping):
        return index in where
    at = bisect_left(where, index)
    return at < len(where) and where[at] == index
