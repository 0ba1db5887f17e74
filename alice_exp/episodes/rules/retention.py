"""Retention of episodes: the value of keeping each one, and which ones a pruning removes.

The specification's "importance" (R0.37) is called retention here, because blocks have another importance (B0.15).
Sources: R0.36-R0.44, B0.8-B0.13.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TypeVar

from alice_exp.finding.rules.concerns import CONTEXT_WEIGHT, TASK_WEIGHT
from alice_exp.kernel.jsonc import Json
from alice_exp.kernel.text.times import milliseconds
from alice_exp.kernel.text.tokens import keywords
from alice_exp.kernel.value_class import dataclass
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

    def rank(self) -> tuple[float, int, str]:
        """What goes first is the lowest: by retention, of equals the older."""
        return self.retention.score, self.episode.timestamp, self.episode.id


@dataclass(frozen=True, slots=True)
class Pruning:
    """The result of a pruning: the book after it, the episodes removed (lowest retention first), and all weighed."""

    book: EpisodeBook
    removed: tuple[Weighed, ...]
    weighed: tuple[Weighed, ...]


def retention(reward: float, age: int, uniqueness: float, references: int) -> Retention:
    """0.4 · reward + 0.3 · recency + 0.2 · uniqueness + 0.1 · popularity, all in [0, 1] (R0.37-R0.40); ``age`` in
    milliseconds, a negative one (a clock ahead) counts as new (B0.12)."""
    recency = min(1.0, max(0.0, 1.0 - age / MONTH))
    popularity = min(1.0, references / FULL_REFERENCES)
    score = REWARD * reward + RECENCY * recency + UNIQUENESS * uniqueness + POPULARITY * popularity
    return Retention(reward, recency, uniqueness, popularity, score)


def weigh(
    episodes: Collection[Episode], now: str, references: Mapping[str, int], cited: Collection[str]
) -> tuple[Weighed, ...]:
    """Every episode with its retention at ``now`` (ISO-8601 UTC), as given. ``references``: by id, the blocks that cite
    it and the searches that returned it since the last fold; those before are in ``access_count`` (B0.8). ``cited``: by
    living blocks."""
    present = milliseconds(now)
    return tuple(
        Weighed(
            episode,
            retention(
                episode.reward,
                present - (episode.timestamp or present),
                uniqueness,
                references.get(episode.id, 0) + episode.access_count,
            ),
            episode.id in cited,
        )
        for episode, uniqueness in zip(episodes, uniquenesses(episodes), strict=True)
    )


def removal_count(size: int, capacity: int) -> int:
    """How many episodes a pruning removes: a fifth, or the excess if that is more (R0.42, B0.10). V: 1001 → 200."""
    return max(size // 5, size - capacity)


def prune(
    book: EpisodeBook, now: str, references: Mapping[str, int] | None = None, cited: Collection[str] = ()
) -> Pruning:
    """Prune a book, due or not: the lowest retention goes first, of equals the older; cited ones stay (B0.13)."""
    weighed = weigh(book.episodes, now, references or {}, cited)
    free = sorted((one for one in weighed if not one.is_cited), key=Weighed.rank)
    removed = tuple(free[: removal_count(len(weighed), book.capacity)])
    gone = {id(one) for one in removed}
    left = tuple(one.episode for one in weighed if id(one) not in gone)
    return Pruning(replace(book, episodes=left), removed, weighed)


T = TypeVar("T", bound="Hashable")


def uniquenesses(episodes: Collection[Episode]) -> list[float]:
    """1 − the highest ``retrieval_similarity`` to any other, 1.0 for a single one, as given (R0.39, B0.8)."""
    # Bit n of a whole number stands for the n-th episode, so that one operation compares an episode with all.
    words = [keywords(one.task) for one in episodes]
    contexts = [(_entries(one.context), frozenset(one.context)) for one in episodes]
    of_word, of_size = _holders(words), sorted(_holders([(len(one),) for one in words]).items())
    of_entry, of_names = _holders([entries for entries, _ in contexts]), _holders([(n,) for _, n in contexts])
    everyone = (1 << len(words)) - 1

    @cache
    def levels(entries: frozenset[Hashable], names: frozenset[str]) -> list[tuple[float, int]]:
        """What a context adds to a similarity, each with those that it adds it to: from the most to nothing."""
        planes = _added(of_entry[entry] for entry in entries)
        found = defaultdict[float, int](int)
        for equal in range(1, len(entries) + 1):
            sharing = _counting(planes, equal, everyone)
            for theirs, members in of_names.items() if sharing else ():
                if both := sharing & members:
                    found[CONTEXT_WEIGHT * (equal / len(names | theirs))] |= both
        return [*sorted(found.items(), reverse=True), (0.0, everyone)]

    found = []
    for at, (own, (entries, names)) in enumerate(zip(words, contexts, strict=True)):
        apart, weight, best = ~(1 << at), TASK_WEIGHT if names else 1.0, 0.0
        planes = _added(of_word[word] & apart for word in own)
        for adds, members in levels(entries, names):
            if adds + weight <= best:
                break
            if others := members & apart:
                best = max(best, adds + weight * _task_similarity(planes, len(own), others, of_size))
        found.append(1.0 - best)
    return found


def _task_similarity(
    planes: Sequence[int], size: int, others: int, of_size: Sequence[tuple[int, int]]
) -> float:
    """The highest Jaccard similarity of a task of ``size`` words, shared as ``planes`` say, to one of the others."""
    best = 0.0
    for count in range(min(size, (1 << len(planes)) - 1), 0, -1):
        # No task that shares so many words is nearer than one that has no others.
        if count / size <= best:
            break
        if sharing := _counting(planes, count, others):
            least = next(words for words, members in of_size if words >= count and sharing & members)
            best = max(best, count / (size + least - count))
    return best


def _entries(context: Mapping[str, Json]) -> frozenset[Hashable]:
    # In Python 1 == True, in JSON they are different values.
    return frozenset((key, isinstance(value, bool), _hashable(value)) for key, value in context.items())


def _hashable(value: Json) -> Hashable:
    if isinstance(value, list):
        return "list", tuple(map(_hashable, value))
    if isinstance(value, dict):
        return "object", frozenset((key, _hashable(inner)) for key, inner in value.items())
    return value


def _holders(listed: Iterable[Iterable[T]]) -> dict[T, int]:
    """For each trait those that have it."""
    having = defaultdict[T, list[int]](list)
    for at, traits in enumerate(listed):
        for trait in traits:
            having[trait].append(at)
    rows = {}
    for trait, found in having.items():
        # Setting bits in a large integer one by one would copy it each time.
        row = bytearray(found[-1] // 8 + 1)
        for at in found:
            row[at >> 3] |= 1 << (at & 7)
        rows[trait] = int.from_bytes(row, "little")
    return rows


def _added(rows: Iterable[int]) -> list[int]:
    """The sum of bit sets, bit-sliced: bit n of plane k is binary digit k of the number of rows with bit n."""
    planes: list[int] = []
    for row in rows:
        carry = row
        for digit, plane in enumerate(planes):
            planes[digit], carry = plane ^ carry, plane & carry
            if not carry:
                break
        else:
            planes.append(carry)
    return planes


def _counting(planes: Sequence[int], number: int, among: int) -> int:
    """The bit set of those of ``among`` whose count is exactly ``number``."""
    for digit, plane in enumerate(planes):
        among = among & plane if number >> digit & 1 else among & ~plane
    return among if number < 1 << len(planes) else 0
