"""Topic coverage: whether a text contains enough of a query's subject words to be an answer (DESIGN 10).

Light words (``finding.rules.stop_words``) are not counted.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import field
from typing import TYPE_CHECKING

from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TOPIC = 2
"""A subject of so many words names a topic; a longer one asks something of it."""

NEAR_WORDS, NEAR_SUBJECT, NEAR_TEXT = 2.0, 0.4, 0.25
"""In a home of a few texts no word is rare, so a match says little. What stands for it: so many shared words, or this
share of the subject, or of a short text's words ("my wife is vegetarian" for a dinner with her)."""

FEW = 3
"""A verb that says what the task is has to be in no more texts to stand for the whole task."""

ACT = 0.5
"""The weight of a reading by that verb alone."""

SINGLE = 0.25
"""The size of a single CJK character: it may be a word of its own, or part of another word."""

TRANSLATED = 0.8
"""The weight of a reading by the words that the lexicon knows, in the other language or in one's own, beside that by
characters; a synonym in the same language counts in full."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject words of a query: for each, the texts that contain it (ascending indexes, or a mapping by index) and
    its size in words; ``asked`` is the number of words, whether the collection has them or not. ``named`` says that
    these are words that the lexicon knows, and nothing but light words stands beside them; ``act`` are the texts with
    the verb of the task, if they are few."""

    held: tuple[tuple[Sequence[int] | dict[int, float], float], ...] = ()
    asked: float = 0.0
    named: bool = False
    act: Mapping[int, float] = field(default_factory=dict)

    def coverage(self, index: int) -> float:
        """How many words of the subject a text contains."""
        return math.fsum(size for where, size in self.held if _is_in(index, where))

    def is_whole(self, index: int) -> bool:
        """Whether a text contains the only word of a subject of one word, every word of a named one, or the verb that
        says what the task is."""
        return index in self.act or 0 < self.asked <= (self.asked if self.named else 1) <= self.coverage(
            index
        )

    @property
    def can_be_whole(self) -> bool:
        """Whether ``is_whole`` can hold for some text."""
        return self.named or bool(self.act) or self.asked <= 1

    def is_topic(self, index: int) -> bool:
        """Whether a text contains every word of a topic: a subject of ``TOPIC`` words at most."""
        return 0 < self.asked <= TOPIC and self.coverage(index) >= self.asked

    def is_near(self, index: int, length: int) -> bool:
        """Whether a text of ``length`` thirds of a word shares enough of the subject, where no word is rare.

        A subject of light words alone is compared by these.
        """
        shared = self.coverage(index)
        least = min(NEAR_WORDS, NEAR_SUBJECT * self.asked, NEAR_TEXT * length / 3)
        return not self.asked or index in self.act or (shared > 0 and shared >= least)

    @property
    def most(self) -> float:
        """The most words of the subject that any text can contain."""
        return math.fsum(size for _, size in self.held)

    def share(self, covered: float) -> float:
        """The share of the subject, in [0, 1], that so many of its words are; 0 without a subject."""
        return min(1.0, covered / max(1.0, self.asked))

    def by_word(self, matches: Mapping[int, float]) -> dict[int, float]:
        """The match in [0, 1] of each text that has the only word of a named subject, or the verb of the task, where it
        is higher.

        Pairs of the question's characters across words, which no text has, would lower it, as would what is done to.
        """
        where = self.held[0][0] if self.named and len(self.held) == 1 else {}
        found = where.items() if isinstance(where, dict) else ()
        known = {i: TRANSLATED * share for i, share in found} | {
            i: ACT * share for i, share in self.act.items()
        }
        return {i: share for i, share in known.items() if share > matches.get(i, 0.0)}


ANYTHING = Subject()
"""The subject of a query without subject words."""


def _is_in(index: int, where: Sequence[int] | dict[int, float]) -> bool:
    # Much faster than asking whether it is a `Mapping`.
    if isinstance(where, dict):
        return index in where
    at = bisect_left(where, index)
    return at < len(where) and where[at] == index
