"""Episodes found by the words that they share with a task, weighed as ``recall`` weighs them (DESIGN 10).

The source's formula counts shared keywords against all keywords, so that a short question never reaches a long record
and long ones look all alike. It decides where a query has a context; without one, words find what it does not.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nlargest
from itertools import chain, takewhile

from alice_exp.core.collection import KnownEpisodes, Noise, Outline, Posting, Statistics
from alice_exp.core.config import Config
from alice_exp.core.records import Episode
from alice_exp.core.uncollected import uncollected
from alice_exp.rules.episode_index import THRESHOLD, FormulaIndex, goes_on, with_places
from alice_exp.rules.episodes import Filters, Match, find_similar
from alice_exp.rules.matching import pairs_of, posting_of, text_matches
from alice_exp.rules.noise import SAMPLE, learn_nearness, learn_noise
from alice_exp.rules.ranking import HIGHEST_FLOOR, TAIL
from alice_exp.rules.similarity import Similarity
from alice_exp.text.words import keywords, tokens_many

GATE = Config().number("thresholds.match")

LINE = 16
"""Keywords of a task that is still one line: up to here the formula's finds stand first, beyond, words rank alone."""


class WordSearch(ABC):
    """Episodes by the words of their tasks, actions and reflections, wherever these are kept.

    ``outlines`` and ``whole`` as in ``FormulaIndex``.
    """

    def __init__(self, outlines: Sequence[Outline], whole: Callable[[int], Episode]) -> None:
        self.outlines = outlines
        self.whole = whole

    @property
    @abstractmethod
    def statistics(self) -> Statistics:
        """What all texts come to."""

    @abstractmethod
    def postings(self, tokens: frozenset[str]) -> Mapping[str, Posting]:
        """Where each of the tokens stands; one that stands nowhere is left out."""

    @cached_property
    def _types(self) -> frozenset[str]:
        return frozenset(one.task_type for one in self.outlines)

    def find(self, task: str, filters: Filters, gate: float) -> list[tuple[float, int]]:
        """What holds most of a task's words, with that share in (0, 1], rounded to 6 decimals; in no order."""
        found = text_matches(self.statistics, self.postings, task)
        floor = found.doubt * min(HIGHEST_FLOOR, gate * found.noise)
        best = max(found.matches.values(), default=0.0)
        least = min(floor, TAIL * best) if best >= floor else math.inf
        kind = filters.type if filters.type and filters.type in self._types else ""
        shares = [(share, at) for at, share in found.matches.items() if share >= least and share > 0.0]
        return [(round(share, 6), at) for share, at in shares if self._admits(at, filters, kind)]

    def _admits(self, at: int, filters: Filters, kind: str) -> bool:
        outline = self.outlines[at]
        return filters.admits(outline) and (not kind or outline.task_type == kind)

    def best(self, found: Sequence[tuple[float, int]], top: int) -> list[tuple[float, Episode]]:
        """The highest shares, of equals the newest, then by id."""
        limit = min(nlargest(top, (share for share, _ in found)), default=0.0)
        few = [row for row in found if row[0] >= limit]
        few.sort(key=lambda row: (-row[0], -self.outlines[row[1]].timestamp, self.outlines[row[1]].id))
        return [(share, self.whole(at)) for share, at in few[: max(0, top)]]


def said(one: Episode) -> tuple[str, str, str]:
    """What of an episode is searched by its words."""
    return one.task, one.action, one.reflection


def text_of(one: Episode) -> str:
    """The same as one text."""
    return " ".join(said(one))


def learned_from(count: int) -> int:
    """How many of so many texts teach what chance matches and what neighbours lend: all, or the first whole blocks, so
    that one more text changes neither."""
    return count if count < 2 * SAMPLE else count - count % SAMPLE


@dataclass(frozen=True, slots=True)
class Counted:
    """The tokens of some texts, where each stands, and what they teach."""

    rows: Sequence[Sequence[str]]
    places: Mapping[str, Sequence[int]]
    near: tuple[float, ...]
    noise: Noise

    @classmethod
    def of(cls, texts: Sequence[str], before: Counted | None = None) -> Counted:
        """Count; ``before`` is what the first of these texts came to, and they are not read again."""
        known = before.rows if before is not None else ()
        fresh = tokens_many(texts[len(known) :])
        tokens = (tokens_of(row) for row in fresh)
        places = with_places(before.places if before is not None else {}, tokens, len(known))
        rows = [*known, *fresh]
        enough = learned_from(len(rows))
        if before is not None and learned_from(len(known)) == enough:
            return cls(rows, places, before.near, before.noise)

        def holders(token: str) -> int:
            return len(set(takewhile(lambda place: place < enough, places[token])))

        learned = rows[:enough]
        return cls(rows, places, learn_nearness(learned, holders), learn_noise(learned))

    @property
    def lengths(self) -> array[int]:
        """The number of tokens of each text."""
        return array("I", map(len, self.rows))


def tokens_of(row: Sequence[str]) -> Iterable[str]:
    """What a text is found by: its tokens and its pairs of neighbours."""
    return chain(row, pairs_of(row))


class WordIndex(WordSearch):
    """The same in memory, made from episodes; derived (B0.7).

    They are counted at the first search: a task of one line may find all it needs by the formula. ``before`` is the
    index of an earlier moment; where its episodes begin these, only what has been added since is counted.
    """

    def __init__(self, episodes: Iterable[Episode], before: WordIndex | None = None) -> None:
        self.episodes = tuple(episodes)
        super().__init__(self.episodes, self.episodes.__getitem__)
        self._newest: tuple[Sequence[Episode], Counted] | None = before._newest if before else None
        self._postings: dict[str, Posting] = {}

    @property
    @uncollected()
    def counted(self) -> Counted:
        """What the texts come to."""
        if self._newest is None or self._newest[0] is not self.episodes:
            known = self._newest is not None and goes_on(self._newest[0], self.episodes, said)
            before = self._newest[1] if self._newest is not None and known else None
            self._newest = self.episodes, Counted.of([text_of(one) for one in self.episodes], before)
        return self._newest[1]

    @cached_property
    def statistics(self) -> Statistics:
        """See ``WordSearch``."""
        counted = self.counted
        return Statistics.of([(counted.lengths, counted.near, counted.noise)])

    def postings(self, tokens: frozenset[str]) -> Mapping[str, Posting]:
        """See ``WordSearch``; one that is asked for often is made once."""
        known, places = self._postings, self.counted.places
        for token in (tokens - known.keys()) & places.keys():
            known[token] = posting_of(places[token])
        return {token: known[token] for token in tokens & known.keys()}


class KnownWords(WordSearch):
    """The same of episodes that are kept elsewhere."""

    def __init__(self, known: KnownEpisodes) -> None:
        super().__init__(known.outlines, known.whole)
        self._known = known

    @property
    def statistics(self) -> Statistics:
        """See ``WordSearch``."""
        return self._known.statistics

    def postings(self, tokens: frozenset[str]) -> Mapping[str, Posting]:
        """See ``WordSearch``."""
        return self._known.postings(tokens)


def find_by_words(
    episodes: WordSearch | Iterable[Episode],
    task: str,
    top: int = 5,
    filters: Filters | None = None,
    gate: float = GATE,
) -> tuple[Match, ...]:
    """The episodes whose task, action and reflection hold most of what a task says; best, newest, id first.

    ``score`` is that share, in (0, 1]; none where the best is below ``gate`` of what jumbled words reach. The words of
    all given episodes count, whatever the filters admit; a type that no episode has filters nothing (R0.32).
    """
    index = episodes if isinstance(episodes, WordSearch) else WordIndex(episodes)
    found = index.find(task, filters or Filters(), gate)
    return tuple(Match(one, Similarity(share, "words", share, 0.0)) for share, one in index.best(found, top))


def find_without_context(
    index: FormulaIndex,
    words: WordSearch,
    task: str,
    top: int = 5,
    filters: Filters | None = None,
    gate: float = GATE,
) -> tuple[Match, ...]:
    """The episodes that are like a task of which no context is known, best first (B0.3, B0.4, DESIGN 10).

    A task of one line (``LINE`` keywords): first what the formula finds, by task similarity alone, then what words find
    beyond it, with a ``score`` below the formula's threshold. A longer one: by words; where they find nothing, by the
    formula.
    """
    wanted, most = filters or Filters(), max(0, top)
    if len(keywords(task)) > LINE:
        return find_by_words(words, task, most, wanted, gate) or find_similar(index, task, None, most, wanted)
    formula = find_similar(index, task, None, most, wanted)
    if len(formula) >= most:
        return formula
    known = {one.episode.id for one in formula}
    more = [row for row in words.find(task, wanted, gate) if words.outlines[row[1]].id not in known]
    return (
        *formula,
        *(
            Match(one, Similarity(round(THRESHOLD * share, 6), "words", share, 0.0))
            for share, one in words.best(more, most - len(formula))
        ),
    )
