"""Episodes as experience: finding similar ones, warning of similar failures, counting, joining two books.

Sources: R0.28-R0.35, R0.45, R0.46, R0.48, R0.51, R0.54, B0.3-B0.7, B0.14, B0.16.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from alice_exp.core.times import milliseconds
from alice_exp.rules.episode_index import EpisodeIndex, FormulaIndex, similarity_of, traits_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from alice_exp.core.collection import Outline
    from alice_exp.core.problem import Json
    from alice_exp.core.records import Episode, EpisodeBook, ImportMode
    from alice_exp.rules.similarity import Similarity

RESULT_LIMIT = 1000
"""Characters of a result that are kept (R0.48)."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Which episodes a search may return: all that are given must hold (R0.32-R0.34, R0.54).

    ``after``: later than this ISO time, strictly; ``success``: only successes or only failures; ``type``: as
    ``Episode.task_type``; ``min_reward`` in [0, 1].
    """

    after: str = ""
    success: bool | None = None
    type: str = ""
    min_reward: float = 0.0

    def admits(self, episode: Outline) -> bool:
        """Whether an episode passes, type apart."""
        if self.success is not None and episode.success != self.success:
            return False
        if episode.reward < self.min_reward:
            return False
        return not self.after or episode.timestamp > milliseconds(self.after)


@dataclass(frozen=True, slots=True)
class Match:
    """A similar episode and how its score came about."""

    episode: Episode
    similarity: Similarity

    @property
    def score(self) -> float:
        """The similarity, in (0.3, 1]."""
        return self.similarity.score


@dataclass(frozen=True, slots=True)
class EpisodeStatistics:
    """Counts of a book (R0.45): ``average_reward`` in [0, 1], times in milliseconds; all 0 where it is empty."""

    total: int
    successful: int
    average_reward: float
    oldest_timestamp: int
    newest_timestamp: int
    types: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Joined:
    """Two books as one: what is new, and the ids of records that exist with another content and were left."""

    book: EpisodeBook
    added: tuple[Episode, ...]
    left: tuple[str, ...]


def find_similar(
    episodes: FormulaIndex | Iterable[Episode],
    task: str,
    context: Mapping[str, Json] | None = None,
    top: int = 5,
    filters: Filters = Filters(),
) -> tuple[Match, ...]:
    """The episodes that are similar to a task, best first, then the newest, then by id; at most ``top`` (R0.28-R0.35).

    A type that no episode has filters nothing (R0.32). Give an index where several searches follow.
    """
    index = episodes if isinstance(episodes, FormulaIndex) else EpisodeIndex(episodes)
    query = traits_of(task, context or {})
    of_type = index.by_type.get(filters.type) if filters.type else None

    def admits(at: int) -> bool:
        return (of_type is None or at in of_type) and filters.admits(index.outlines[at])

    everything = of_type is None and filters == Filters(type=filters.type)
    best = index.likest(query, _always if everything else admits, max(0, top))
    found = map(index.whole, best)
    return tuple(Match(one, similarity_of(query, traits_of(one.task, one.context))) for one in found)


def _always(_: int) -> bool:
    return True


def similar_failures(
    episodes: FormulaIndex | Iterable[Episode],
    task: str,
    context: Mapping[str, Json] | None = None,
    top: int = 3,
) -> tuple[Match, ...]:
    """What failed at a similar task: the warnings of a decision (R0.51)."""
    return find_similar(episodes, task, context, top, Filters(success=False))


def statistics(episodes: Iterable[Episode]) -> EpisodeStatistics:
    """How many, how well, since when (R0.45)."""
    listed = list(episodes)
    times = [episode.timestamp for episode in listed if episode.at]
    return EpisodeStatistics(
        len(listed),
        sum(episode.success for episode in listed),
        sum(episode.reward for episode in listed) / len(listed) if listed else 0.0,
        min(times, default=0),
        max(times, default=0),
        dict(Counter(episode.task_type for episode in listed).most_common()),
    )


def shorten_result(episode: Episode, limit: int = RESULT_LIMIT) -> Episode:
    """The episode with a result of at most ``limit`` characters and "...", which says that it was cut (R0.48, B0.14).

    A text is measured as it is, anything else as its JSON text. Shortening twice is shortening once.
    """
    whole = episode.result
    text = whole if isinstance(whole, str) else json.dumps(whole, ensure_ascii=False)
    if episode.result_truncated or len(text) <= limit:
        return episode
    # Two halves of one character, where a text holds them apart, stay together.
    end = limit - ("\ud800" <= text[limit - 1 : limit] <= "\udbff" and "\udc00" <= text[limit] <= "\udfff")
    return replace(episode, result=text[:end] + "...", result_truncated=True, result_length=len(text))


def join(
    book: EpisodeBook,
    incoming: Iterable[Episode],
    ids: Iterator[str],
    mode: ImportMode = "merge",
) -> Joined:
    """A book with imported episodes (B0.16): ``merge`` adds what is not there, ``replace`` keeps nothing else.

    An episode without an id takes one of ``ids``, unless one that says the same is there: importing twice changes
    nothing. Where an id stands for something else here, ours stays and the id is told.
    """
    present = list(book.episodes) if mode == "merge" else []
    by_id = {episode.id: episode for episode in present}
    said = {_content(episode) for episode in present}
    added: list[Episode] = []
    left: list[str] = []
    for episode in incoming:
        if episode.id in by_id:
            ours = replace(by_id[episode.id], access_count=episode.access_count)
            left += [episode.id] if ours != episode else []
            continue
        if not episode.id and _content(episode) in said:
            continue
        named = episode if episode.id else replace(episode, id=next(ids))
        by_id[named.id] = named
        said.add(_content(named))
        added.append(named)
    return Joined(replace(book, episodes=(*present, *added)), tuple(added), tuple(left))


def _content(episode: Episode) -> str:
    """What an episode says, whatever its id."""
    parts = (
        episode.task,
        dict(episode.context),
        episode.action,
        episode.result,
        episode.success,
        episode.reward,
        episode.at,
        episode.reflection,
        episode.type,
    )
    return json.dumps(parts, ensure_ascii=False, sort_keys=True)
