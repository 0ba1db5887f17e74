"""Episodes found by the words that they share with a task, weighed as ``recall`` weighs them (DESIGN 10).

The source's formula counts shared keywords against all keywords, so that a short question never reaches a long record
and long ones look all alike. It decides where a query has a context; without one, words find what it does not.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nlargest
from itertools import chain

from alice_exp.core.collection import Posting, Statistics
from alice_exp.core.config import Config
from alice_exp.core.records import Episode
from alice_exp.core.uncollected import uncollected
from alice_exp.rules.episode_index import THRESHOLD, EpisodeIndex, goes_on, with_places
from alice_exp.rules.episodes import Filters, Match, find_similar
from alice_exp.rules.matching import pairs_of, posting_of, text_matches
from alice_exp.rules.noise import learn_nearness, learn_noise
from alice_exp.rules.ranking import HIGHEST_FLOOR, TAIL
from alice_exp.rules.similarity import Similarity
from alice_exp.text.words import keywords, tokens_many

GATE = Config().number("thresholds.match")

LINE = 16
"""Keywords of a task that is still one line: up to here the formula's finds stand first, beyond, words rank alone."""


@dataclass(frozen=True, slots=True)
class _Counted:
    """The tokens of some episodes' texts, where each stands, and what they come to."""

    episodes: Sequence[Episode]
    rows: Sequence[Sequence[str]]
    places: Mapping[str, Sequence[int]]
    statistics: Statistics

    @classmethod
    def of(cls, episodes: Sequence[Episode], before: _Counted | None) -> _Counted:
        """Count; the texts that were counted before are not read again."""
        known = before.rows if before is not None else ()
        fresh = tokens_many([" ".join(_said(one)) for one in episodes[len(known) :]])
        places = with_places(
            before.places if before is not None else {},
            (chain(row, pairs_of(row)) for row in fresh),
            len(known),
        )
        rows = [*known, *fresh]
        near = learn_nearness(rows, lambda token: len(set(places[token])))
        lengths = array("I", map(len, rows))
        return cls(episodes, rows, places, Statistics.of([(lengths, near, learn_noise(rows))]))


def _said(one: Episode) -> tuple[str, str, str]:
    return one.task, one.action, one.reflection


class WordIndex:
    """The words of episodes' tasks, actions and reflections; derived (B0.7).

    They are counted at the first search: a task of one line may find all it needs by the formula. ``before`` is the
    index of an earlier moment; where its episodes begin these, only what has been added since is counted.
    """

    def __init__(self, episodes: Iterable[Episode], before: WordIndex | None = None) -> None:
        self.episodes = tuple(episodes)
        self._counted: _Counted | None = before._counted if before is not None else None
        self._postings: dict[str, Posting] = {}

    @cached_property
    def _types(self) -> frozenset[str]:
        return frozenset(one.task_type for one in self.episodes)

    @uncollected()
    def _count(self) -> _Counted:
        counted = self._counted
        if counted is None or counted.episodes is not self.episodes:
            known = counted is not None and goes_on(counted.episodes, self.episodes, _said)
            counted = self._counted = _Counted.of(self.episodes, counted if known else None)
        return counted

    def _held(self, tokens: frozenset[str]) -> Mapping[str, Posting]:
        """Where each of the tokens stands; one that is asked for often is made once."""
        known, places = self._postings, self._count().places
        for token in (tokens - known.keys()) & places.keys():
            known[token] = posting_of(places[token])
        return {token: known[token] for token in tokens & known.keys()}

    def find(self, task: str, filters: Filters, gate: float) -> list[tuple[float, Episode]]:
        """What holds most of a task's words, with that share in (0, 1], rounded to 6 decimals; in no order."""
        found = text_matches(self._count().statistics, self._held, task)
        floor = found.doubt * min(HIGHEST_FLOOR, gate * found.noise)
        best = max(found.matches.values(), default=0.0)
        least = min(floor, TAIL * best) if best >= floor else math.inf
        kind = filters.type if filters.type in self._types else ""
        shares = [(share, self.episodes[at]) for at, share in found.matches.items() if share >= least]
        return [
            (round(share, 6), one)
            for share, one in shares
            if share > 0.0 and filters.admits(one) and (not kind or one.task_type == kind)
        ]


def find_by_words(
    episodes: WordIndex | Iterable[Episode],
    task: str,
    top: int = 5,
    filters: Filters | None = None,
    gate: float = GATE,
) -> tuple[Match, ...]:
    """The episodes whose task, action and reflection hold most of what a task says; best, newest, id first.

    ``score`` is that share, in (0, 1]; none where the best is below ``gate`` of what jumbled words reach. The words of
    all given episodes count, whatever the filters admit; a type that no episode has filters nothing (R0.32).
    """
    index = episodes if isinstance(episodes, WordIndex) else WordIndex(episodes)
    found = index.find(task, filters or Filters(), gate)
    return tuple(Match(one, Similarity(share, "words", share, 0.0)) for share, one in _best(found, top))


def find_without_context(
    index: EpisodeIndex,
    words: WordIndex,
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
    more = [row for row in words.find(task, wanted, gate) if row[1].id not in known]
    return (
        *formula,
        *(
            Match(one, Similarity(round(THRESHOLD * share, 6), "words", share, 0.0))
            for share, one in _best(more, most - len(formula))
        ),
    )


def _best(found: Sequence[tuple[float, Episode]], top: int) -> Sequence[tuple[float, Episode]]:
    """The highest shares, of equals the newest, then by id."""
    limit = min(nlargest(top, (share for share, _ in found)), default=0.0)
    few = [row for row in found if row[0] >= limit]
    return sorted(few, key=lambda row: (-row[0], -row[1].timestamp, row[1].id))[: max(0, top)]
