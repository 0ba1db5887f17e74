"""Topic coverage: whether a text contains enough of a query's subject words to be an answer (DESIGN 10).

Light words (``finding.rules.stop_words``) are not counted.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import TYPE_CHECKING

from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

TOPIC = 2
"""A subject of so many words names a topic; a longer one asks something of it."""

SINGLE = 0.25
"""The size of a single CJK character: it may be a word of its own, or part of another word."""

TRANSLATED = 0.8
"""The weight of a reading by the words that the lexicon knows, in the other language or in one's own, beside that by
characters; a synonym in the same language counts in full."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject words of a query: for each, the texts that contain it (ascending indexes, or a mapping by index) and
    its size in words; ``asked`` is the number of words, whether the collection has them or not."""

    held: tuple[tuple[Sequence[int] | dict[int, float], float], ...] = ()
    asked: float = 0.0

    def coverage(self, index: int) -> float:
        """How many words of the subject a text contains."""
        return math.fsum(size for where, size in self.held if _is_in(index, where))

    def is_topic(self, index: int) -> bool:
        """Whether a text contains every word of a topic: a subject of ``TOPIC`` words at most."""
        return 0 < self.asked <= TOPIC and self.coverage(index) >= self.asked

    @property
    def most(self) -> float:
        """The most words of the subject that any text can contain."""
        return math.fsum(size for _, size in self.held)

    def share(self, covered: float) -> float:
        """The share of the subject, in [0, 1], that so many of its words are; 0 without a subject."""
        return min(1.0, covered / max(1.0, self.asked))


ANYTHING = Subject()
"""The subject of a query without subject words."""


def _is_in(index: int, where: Sequence[int] | dict[int, float]) -> bool:
    # Much faster than asking whether it is a `Mapping`.
    if isinstance(where, dict):
        return index in where
    at = bisect_left(where, index)
    return at < len(where) and where[at] == index
