"""Retention of episodes: the value of keeping each one, and which ones a pruning removes.

The specification's "importance" (R0.37) is called retention here, because blocks have another importance (B0.15).
Sources: R0.36-R0.44, B0.8-B0.13.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.episodes.rules.uniqueness import uniquenesses
from alice_exp.kernel.text.times import milliseconds
from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from alice_exp.model.values.records import Episode, EpisodeBook

REWARD, RECENCY, UNIQUENESS, POPULARITY = 0.4, 0.3, 0.2, 0.1
"""The weights of the four factors (R0.37)."""

MONTH = 2_592_000_000
"""The age, in milliseconds, from which recency is 0: 30 days (R0.38)."""

FULL_REFERENCES = 10
"""The number of references from which popularity is 1 (R0.40)."""


@dataclass(frozen=True, slots=True)
class Retention:
    """The factors of an episode's retention and their weighted sum; all in [0, 1]."""

    reward: float
    recency: float
    uniqueness: float
    popularity: float
    score: float


@dataclass(frozen=True, slots=True)
class Weighed:
    """An episode with its retention; one that ``is_cited`` is never removed (B0.13)."""

    episode: Episode
    retention: Retention
    is_cited: bool


@dataclass(frozen=True, slots=True)
class Pruning:
    """The result of a pruning: the book after it, the episodes removed (lowest retention first), and all weighed."""

    book: EpisodeBook
    removed: tuple[Weighed, ...]
    weighed: tuple[Weighed, ...]


def retention(reward: float, age: int, uniqueness: float, references: int) -> Retention:
    """0.4 · reward + 0.3 · recency + 0.2 · uniqueness + 0.1 · popularity, in [0, 1] (R0.37-R0.40).

    ``reward`` and ``uniqueness`` lie in [0, 1]; ``age`` is in milliseconds, a negative one (a clock ahead) counts as
    new (B0.12); ``references`` >= 0.
    """
    recency = min(1.0, max(0.0, 1.0 - age / MONTH))
    popularity = min(1.0, references / FULL_REFERENCES)
    score = REWARD * reward + RECENCY * recency + UNIQUENESS * uniqueness + POPULARITY * popularity
    return Retention(reward, recency, uniqueness, popularity, score)


def weigh(
    episodes: Collection[Episode], now: str, references: Mapping[str, int], cited: Collection[str]
) -> tuple[Weighed, ...]:
    """Every episode with its retention at ``now`` (ISO-8601 UTC), in the given order.

    ``references`` counts, by id, the blocks that cite an episode and the searches that returned it since the last
    fold; those before are in its ``access_count`` (B0.8). ``cited`` holds the ids that living blocks cite.
    """
    present = milliseconds(now)
    kept = frozenset(cited)
    return tuple(
        Weighed(
            episode,
            retention(
                episode.reward,
                present - (episode.timestamp or present),
                uniqueness,
                references.get(episode.id, 0) + episode.access_count,
            ),
            episode.id in kept,
        )
        for episode, uniqueness in zip(episodes, uniquenesses(episodes), strict=True)
    )


def removal_count(size: int, capacity: int) -> int:
    """How many episodes a pruning removes: a fifth, or the excess if that is more (R0.42, B0.10). V: 1001 → 200."""
    return max(size // 5, size - capacity)


def is_due(book: EpisodeBook) -> bool:
    """Whether an addition has to prune: there are more episodes than the capacity (R0.36)."""
    return len(book.episodes) > book.capacity


def prune(
    book: EpisodeBook, now: str, references: Mapping[str, int] | None = None, cited: Collection[str] = ()
) -> Pruning:
    """Prune a book, due or not: the lowest retention goes first, of equals the older; cited ones stay (B0.13)."""
    weighed = weigh(book.episodes, now, references or {}, cited)
    free = [one for one in weighed if not one.is_cited]
    free.sort(key=lambda one: (one.retention.score, one.episode.timestamp, one.episode.id))
    removed = tuple(free[: removal_count(len(weighed), book.capacity)])
    gone = {id(one) for one in removed}
    left = tuple(one.episode for one in weighed if id(one) not in gone)
    return Pruning(replace(book, episodes=left), removed, weighed)
