"""The matches of a query's texts by index, and how likely each is an answer; the best are found without sorting all.

A question of common words matches most of a large collection: a list of all texts is filled and searched several times
as fast as a dict of those that match.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from heapq import nlargest
from typing import TYPE_CHECKING, TypeAlias

from alice_exp.finding.rules.fit_probability import certainty, native, translated
from alice_exp.finding.rules.topic_coverage import ANYTHING, Subject
from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

DENSE = 16
"""When more than one text in so many may have a score, scores are kept in a list: twice as fast as a dict."""

SAMPLE = 1024
"""How many of a collection's scores tell which are among the best."""

Scores: TypeAlias = "list[float] | defaultdict[int, float]"
"""The scores so far, by text index."""


def blank(texts: int, touched: int) -> Scores:
    """An empty score table for a collection of ``texts`` whose postings have ``touched`` entries in all."""
    return [0.0] * texts if touched * DENSE > texts else defaultdict(float)


def shares(scores: Scores, most: float) -> Matches:
    """The scores as shares of the highest possible one, in (0, 1]; texts without a score are left out."""
    if isinstance(scores, list):
        return EveryText(scores, most)
    return {index: min(1.0, score / most) for index, score in scores.items() if score}


class EveryText(Mapping[int, float]):
    """A mapping from index to match, ``scores`` (one for every text, 0: absent) as shares of ``most``, at most 1.

    ``better`` are matches that replace lower ones.
    """

    __slots__ = ("_better", "_most", "_scores")

    def __init__(self, scores: list[float], most: float) -> None:
        self._scores = scores
        self._most = most
        self._better: Mapping[int, float] = {}

    def __getitem__(self, index: int) -> float:
        match = self.get(index)
        if not match:
            raise KeyError(index)
        return match

    def get(self, index: int, default: float = 0.0) -> float:  # type: ignore[override]
        """The match of a text, ``default`` if it has none."""
        if index in self._better:
            return self._better[index]
        score = self._scores[index] if 0 <= index < len(self._scores) else 0.0
        return min(1.0, score / self._most) if score else default

    def __iter__(self) -> Iterator[int]:
        return (index for index, score in enumerate(self._scores) if score or index in self._better)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def raised(self, better: Mapping[int, float]) -> EveryText:
        """The same with some texts' matches replaced by higher ones."""
        both = EveryText(self._scores, self._most)
        both._better = {**self._better, **better}
        return both

    def least_of(self, count: int) -> float:
        """A match, above 0 if possible, that ``count`` texts at least reach; 0 if there are fewer."""
        return min(1.0, ranked(self._scores, count) / self._most)

    def reaching(self, least: float) -> list[tuple[int, float]]:
        """See the function ``reaching``."""
        # Only what passes the cheap comparison of scores is divided; the slack is that of the division.
        bar, most, better = least * self._most * (1 - 1e-9), self._most, self._better
        likely = [(index, score) for index, score in enumerate(self._scores) if score >= bar and score]
        pairs = [(index, min(1.0, score / most)) for index, score in likely if index not in better]
        return [pair for pair in (*pairs, *better.items()) if pair[1] >= least]


Matches: TypeAlias = "dict[int, float] | EveryText"


def raised(matches: Matches, better: Mapping[int, float]) -> Matches:
    """The matches with some of them replaced by ``better`` ones."""
    return matches.raised(better) if isinstance(matches, EveryText) else {**matches, **better}


def least_of(matches: Mapping[int, float], count: int) -> float:
    """A match, above 0 if possible, that ``count`` texts at least reach; 0 if there are fewer."""
    if isinstance(matches, EveryText):
        return matches.least_of(count)
    return ranked([*matches.values()], count)


def reaching(matches: Mapping[int, float], least: float) -> list[tuple[int, float]]:
    """The texts whose match is above 0 and at least ``least``, each with it, in no order."""
    if isinstance(matches, EveryText):
        return matches.reaching(least)
    return [pair for pair in matches.items() if pair[1] >= least]


def ranked(values: Sequence[float], count: int) -> float:
    """The ``count``-th largest of some values, 0 if there are fewer."""
    step = len(values) // SAMPLE | 1
    sample = sorted(values[::step], reverse=True)
    if step > 1:
        # By a sample, what about twice as many reach and a few more: to sort these takes half as long as a heap of all.
        at = 2 * count // step + 8
        bar = sample[at] if at < len(sample) else 0.0
        likely = [value for value in values if value >= bar] if bar > 0 else []
        sample = sorted(likely, reverse=True) if len(likely) >= count else nlargest(count, values)
    return sample[count - 1] if len(sample) >= count else 0.0


@dataclass(frozen=True, slots=True)
class TextMatches:
    """The texts' matches in (0, 1] by index, and how likely each text is an answer.

    ``noise`` is the match that random words of the collection would reach, ``subject`` tells the subject words that
    each text has, ``translated`` the texts that match better in the other language, with the subject of that reading;
    ``stranger`` says that the query names somebody or something that no text has. ``texts`` is their number in
    the collection.
    """

    matches: Mapping[int, float]
    noise: float = 0.0
    subject: Subject = ANYTHING
    translated: frozenset[int] = frozenset()
    translation: Subject = ANYTHING
    texts: int = 0
    stranger: bool = False

    def probability(self, index: int) -> float:
        """The probability in [0, 1) that a text fits by its words (``rules.fit_probability``); 0 without a match."""
        match = self.matches.get(index, 0.0)
        if not match:
            return 0.0
        if index in self.translated:
            return self._by_translation(self.translation.coverage(index))
        return native(match, self.noise, self.texts, self.stranger)

    def certainty(self, index: int) -> float:
        """How sure it is, in [0, 1], that the text answers and is not only about the subject; 1 for a whole topic."""
        if index not in self.translated and self.subject.is_topic(index):
            return 1.0
        return certainty(self.matches.get(index, 0.0), self.noise)

    def most_probable(self, match: float) -> float:
        """The highest probability that a text with at most this match can have."""
        if not self.texts:
            return 0.0
        probability = native(match, self.noise, self.texts, self.stranger)
        return (
            max(probability, self._by_translation(self.translation.most)) if self.translated else probability
        )

    def _by_translation(self, covered: float) -> float:
        return translated(covered, self.translation.share(covered), self.stranger)
