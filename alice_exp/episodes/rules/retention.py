"""Retention of episodes: the value of keeping each one, and which ones a pruning removes.

The specification's "importance" (R0.37) is called retention here, because blocks have another importance (B0.15).
Sources: R0.36-R0.44, B0.8-B0.13.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from alice_exp.finding.rules.concerns import CONTEXT_WEIGHT, TASK_WEIGHT
from alice_exp.kernel.jsonc.scan import Json
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

BLOCK = 16_384
"""The most episodes compared with one another; more are compared in blocks of this size, equal contexts together."""

WORDS = 64
"""The most words of an episode that count, the rarest first; a longer task is compared whole only with its nearest."""


@dataclass(frozen=True, slots=True)
class Traits:
    """The features by which tasks are compared: keywords, context entries and context keys."""

    words: frozenset[str]
    entries: frozenset[Hashable]
    names: frozenset[str]


def traits_of(task: str, context: Mapping[str, Json]) -> Traits:
    """The traits of a task in its context (B0.1, B0.2)."""
    # In Python 1 == True, in JSON they are different values.
    entries = ((key, isinstance(value, bool), _hashable(value)) for key, value in context.items())
    return Traits(keywords(task), frozenset(entries), frozenset(context))


def likeness(query: Traits, other: Traits) -> float:
    """``retrieval_similarity`` of two traits, in [0, 1], unrounded; by task alone if the query has no context."""
    words = query.words
    shared = len(words & other.words)
    task = shared / (len(words) + len(other.words) - shared) if shared else 0.0
    if not query.names:
        return task
    # Equal entries over the union of keys, in [0, 1]; 0.0 if none is equal (R0.21, R0.22).
    equal = len(query.entries & other.entries)
    return TASK_WEIGHT * task + CONTEXT_WEIGHT * (equal / len(query.names | other.names) if equal else 0.0)


def _hashable(value: Json) -> Hashable:
    if isinstance(value, list):
        return "list", tuple(map(_hashable, value))
    if isinstance(value, dict):
        return "object", frozenset((key, _hashable(inner)) for key, inner in value.items())
    return value


def uniquenesses(episodes: Iterable[Episode]) -> list[float]:
    """1 − the highest similarity to any other episode, 1.0 for a single one, in the given order (R0.39, B0.8).

    Exact for up to ``BLOCK`` episodes with at most ``WORDS`` words that others have too; beyond that never too low.
    """
    traits = [traits_of(one.task, one.context) for one in episodes]
    contexts: dict[frozenset[Hashable], int] = {}
    same: defaultdict[tuple[int, frozenset[str]], list[int]] = defaultdict(list)
    for at, own in enumerate(traits):
        same[contexts.setdefault(own.entries, len(contexts)), own.words].append(at)
    # Equal contexts side by side, so that their context levels are computed once.
    kinds = sorted(same, key=lambda kind: kind[0])
    found = [1.0] * len(traits)
    for start in range(0, len(kinds), BLOCK):
        block = kinds[start : start + BLOCK]
        listed = [traits[same[kind][0]] for kind in block]
        for kind, best in zip(block, _Search(listed).nearest(), strict=True):
            members = same[kind]
            own = traits[members[0]]
            if len(members) > 1:
                best = max(best, likeness(own, own))
            for at in members:
                found[at] = 1.0 - best
    return found


class _Search:
    """Search for the nearest of each of several different traits; bit n of a bit set stands for the n-th."""

    def __init__(self, listed: Sequence[Traits]) -> None:
        self._listed = listed
        self._sizes = [len(one.words) for one in listed]
        self._of_size = sorted(_rows(enumerate((size,) for size in self._sizes)).items())
        self._spread = Counter(word for one in listed for word in one.words)
        shared = (
            (at, [word for word in one.words if self._spread[word] > 1]) for at, one in enumerate(listed)
        )
        self._words = _rows(shared)
        self._entries = _rows((at, one.entries) for at, one in enumerate(listed))
        self._shapes = _rows((at, (one.names,)) for at, one in enumerate(listed))
        self._everyone = (1 << len(listed)) - 1

    def nearest(self) -> Iterator[float]:
        """The highest similarity of each to any other, in [0, 1]."""
        context: frozenset[Hashable] | None = None
        levels: list[tuple[float, int]] = []
        for at, own in enumerate(self._listed):
            if own.entries != context:
                context, levels = own.entries, self._contexts(own)
            yield self._of(at, own, levels)

    def _of(self, at: int, own: Traits, levels: Sequence[tuple[float, int]]) -> float:
        counted = [word for word in own.words if self._spread[word] > 1]
        is_long = len(counted) > WORDS
        if is_long:
            counted = sorted(counted, key=lambda word: (self._spread[word], word))[:WORDS]
        planes = _added(self._words[word] for word in counted)
        weight = TASK_WEIGHT if own.names else 1.0
        itself, size, best = 1 << at, len(own.words), 0.0
        for adds, members in levels:
            # Levels descend, so no later one can do better either.
            if adds + weight * len(counted) / max(1, size) <= best:
                break
            if others := members & ~itself:
                best = max(best, adds)
                task, nearest = self._jaccard(planes, others, size, (best - adds) / weight)
                best = max(best, adds + weight * task)
                if is_long and nearest:
                    best = max(best, likeness(own, self._listed[nearest.bit_length() - 1]))
        return best

    def _contexts(self, own: Traits) -> list[tuple[float, int]]:
        """The possible contributions of the context to a similarity, each with the bit set of those that have it.

        In descending order; the last is 0.0 with everybody.
        """
        planes = _added(self._entries[entry] for entry in own.entries)
        levels: defaultdict[float, int] = defaultdict(int)
        for equal in range(1, len(own.entries) + 1):
            sharing = _counting(planes, equal, self._everyone)
            for names, members in self._shapes.items() if sharing else ():
                union = len(own.names) + len(names) - len(own.names & names)
                if sharing & members:
                    levels[CONTEXT_WEIGHT * (equal / union)] |= sharing & members
        return [*sorted(levels.items(), reverse=True), (0.0, self._everyone)]

    def _jaccard(self, planes: Sequence[int], others: int, size: int, floor: float) -> tuple[float, int]:
        """The highest Jaccard similarity above ``floor`` and the bit set of those with it; (0.0, 0) for none."""
        count, most = _highest(planes, others)
        best, nearest = floor, 0
        # Downwards from the most shared words: count / size is the bound for any task that shares so many.
        while count and count / size > best:
            for other, members in self._of_size:
                if other >= count and count / (size + other - count) <= best:
                    break
                if most & members:
                    best, nearest = count / (size + other - count), most & members
                    break
            count -= 1
            most = _counting(planes, count, others)
        return (best, nearest) if nearest else (0.0, 0)


def _rows(listed: Iterable[tuple[int, Iterable[T]]]) -> dict[T, int]:
    """For each trait the bit set of those that have it."""
    having: defaultdict[T, list[int]] = defaultdict(list)
    for at, traits in listed:
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


def _highest(planes: Sequence[int], among: int) -> tuple[int, int]:
    """The highest count of any member of ``among``, and the bit set of those that have it."""
    number = 0
    for digit in range(len(planes) - 1, -1, -1):
        if having := among & planes[digit]:
            among, number = having, number | 1 << digit
    return number, among


def _counting(planes: Sequence[int], number: int, among: int) -> int:
    """The bit set of those of ``among`` whose count is exactly ``number``."""
    for digit, plane in enumerate(planes):
        among = among & plane if number >> digit & 1 else among & ~plane
    return among if number < 1 << len(planes) else 0
