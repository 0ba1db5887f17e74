"""Whether a text says enough of what a question is about to be an answer, beyond how well it matches (DESIGN 10).

A question of several words whose best text has one of them asks most often for something that is not there: "when is
Tom's birthday" of a home that knows another's. Light words (``finding.rules.stop_words``) are not counted.
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
"""A text that has one word alone of several must match so many times as well, as far as the collection is large enough
to tell, and that well at most (chosen looking at public questions and at own ones, DESIGN 10)."""

ONE_WORD = 1.5
"""The most that one word comes to: a CJK word of two characters is a pair and two ``SINGLE``."""

SINGLE = 0.25
"""What a CJK character counts by itself: it may be a word, or stand in another one."""

LEAST_NAMED = 0.5
"""Of the words of which it is known how the other language names them, a text in it must say this share."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Where each word stands that says what a query is about: rising indexes or a mapping by index, and how many words
    it comes to. Without any, every text says enough.

    ``asked`` is how many words there are, in the collection or not; ``named`` is 0 where the collection writes the
    query's script, else how many words were translated. ``texts`` is how many texts the collection has.
    """

    held: tuple[tuple[Sequence[int] | Mapping[int, float], float], ...] = ()
    asked: float = 0.0
    named: int = 0
    texts: int = 0

    def said(self, index: int) -> float:
        """How many words of the subject a text says."""
        return math.fsum(size for where, size in self.held if _is_in(index, where))

    def least(self, index: int, floor: float, share: float) -> float:
        """The least match with which a text is an answer; infinite where no match is enough.

        ``floor`` is what any text must reach, ``share`` what is asked of it before a limit is set; both in [0, 1].
        Fewer than ``FEWEST`` texts tell too little to ask for more, and where nothing is asked nothing more is.
        """
        if not share or self.texts < FEWEST or (self.asked <= 1 and not self.named):
            return floor
        said = self.said(index)
        if self.named:
            return floor if said and said >= LEAST_NAMED * self.named else math.inf
        if said > ONE_WORD:
            return floor
        sure = self.texts / (self.texts + FEWEST)
        return max(floor, min(HIGHEST_ALONE, (1 + (ALONE - 1) * sure) * share))


ANYTHING = Subject()
"""The subject of a query of no words: every text says enough."""


def _is_in(index: int, where: Sequence[int] | Mapping[int, float]) -> bool:
    if isinstance(where, Mapping):
        return index in where
    at = bisect_left(where, index)
    return at < len(where) and where[at] == index
