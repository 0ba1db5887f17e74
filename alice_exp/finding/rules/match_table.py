"""The matches of a query's texts by index, and how likely each is an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.finding.rules.fit_probability import certainty, native, translated
from alice_exp.finding.rules.topic_coverage import ANYTHING, Subject
from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping


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
