"""How unlike all others each episode is, without comparing each with each (R0.39, B0.8, B0.9).

Episodes that say the same are taken once. A word is a row of bits, one for each episode that may have it; the rows of
an episode's words, added up bit by bit, say of all others at once how many words they share with it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from alice_exp.kernel.text.tokens import keywords
from alice_exp.model.rules.similarity import CONTEXT_WEIGHT, TASK_WEIGHT

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from alice_exp.kernel.jsonc.problem import Json
    from alice_exp.model.values.records import Episode

T = TypeVar("T", bound="Hashable")

BLOCK = 16_384
"""Episodes that are compared with one another, at most; beyond that those of alike contexts are, block by block."""

WORDS = 64
"""Words of an episode that count, at most, the rarest first; a longer task is compared whole with its likest alone."""


@dataclass(frozen=True, slots=True)
class Traits:
    """What a task is compared by: its keywords, its context's entries and the keys of that context."""

    words: frozenset[str]
    entries: frozenset[Hashable]
    names: frozenset[str]


def traits_of(task: str, context: Mapping[str, Json]) -> Traits:
    """The traits of a task in its context (B0.1, B0.2)."""
    return Traits(keywords(task), entries_of(context), frozenset(context))


def entries_of(context: Mapping[str, Json]) -> frozenset[Hashable]:
    """A context as a set of what it says, entry by entry."""
    return frozenset(map(_entry, context.items()))


def likeness(query: Traits, other: Traits) -> float:
    """``retrieval_similarity`` of two traits, in [0, 1], unrounded: tasks alone where the query has no context."""
    words = query.words
    shared = len(words & other.words)
    task = shared / (len(words) + len(other.words) - shared) if shared else 0.0
    if not query.names:
        return task
    return TASK_WEIGHT * task + CONTEXT_WEIGHT * contexts_alike(query, other)


def contexts_alike(query: Traits, other: Traits) -> float:
    """Equal entries over the union of keys, in [0, 1]; 0.0 where none is equal (R0.21, R0.22)."""
    equal = len(query.entries & other.entries)
    return equal / (len(query.names) + len(other.names) - len(query.names & other.names)) if equal else 0.0


def _entry(item: tuple[str, Json]) -> Hashable:
    # In Python 1 == True; in a file they are two values.
    key, value = item
    return key, isinstance(value, bool), _hashable(value)


def _hashable(value: Json) -> Hashable:
    if isinstance(value, list):
        return "list", tuple(map(_hashable, value))
    if isinstance(value, dict):
        return "object", frozenset((key, _hashable(inner)) for key, inner in value.items())
    return value


def uniquenesses(episodes: Iterable[Episode]) -> list[float]:
    """1 − the highest similarity to any other episode, 1.0 where it is alone, in the given order (R0.39, B0.8).

    Exact within ``BLOCK`` episodes of at most ``WORDS`` words that others have too; beyond that never too low.
    """
    traits = [traits_of(one.task, one.context) for one in episodes]
    contexts: dict[frozenset[Hashable], int] = {}
    same: defaultdict[tuple[int, frozenset[str]], list[int]] = defaultdict(list)
    for at, own in enumerate(traits):
        same[contexts.setdefault(own.entries, len(contexts)), own.words].append(at)
    # Alike contexts side by side: one search serves them all.
    kinds = sorted(same, key=lambda kind: kind[0])
    found = [1.0] * len(traits)
    for start in range(0, len(kinds), BLOCK):
        block = kinds[start : start + BLOCK]
        listed = [traits[same[kind][0]] for kind in block]
        for kind, best in zip(block, _Search(listed).likest(), strict=True):
            members = same[kind]
            own = traits[members[0]]
            if len(members) > 1:
                best = max(best, likeness(own, own))
            for at in members:
                found[at] = 1.0 - best
    return found


class _Search:
    """Each one's likest, over traits that all differ; a row of bits has bit n where the n-th is meant."""

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

    def likest(self) -> Iterator[float]:
        """The highest likeness of each to any other, in [0, 1]."""
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
            if adds + weight * len(counted) / max(1, size) <= best:
                break
            others = members & ~itself
            if others:
                best = max(best, adds)
                task, likest = self._jaccard(planes, others, size, (best - adds) / weight)
                best = max(best, adds + weight * task)
                if is_long and likest:
                    best = max(best, likeness(own, self._listed[likest.bit_length() - 1]))
        return best

    def _contexts(self, own: Traits) -> list[tuple[float, int]]:
        """What a context alike adds to a likeness and who has such a one, most first; last, everybody (0.0)."""
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
        """The highest share of words in common above ``floor``, and who reaches it; (0.0, 0) where nobody does."""
        count, most = _highest(planes, others)
        best, likest = floor, 0
        while count and count / size > best:
            for other, members in self._of_size:
                if other >= count and count / (size + other - count) <= best:
                    break
                if most & members:
                    best, likest = count / (size + other - count), most & members
                    break
            count -= 1
            most = _counting(planes, count, others)
        return (best, likest) if likest else (0.0, 0)


def _rows(listed: Iterable[tuple[int, Iterable[T]]]) -> dict[T, int]:
    """For each trait the row of bits of those that have it."""
    having: defaultdict[T, list[int]] = defaultdict(list)
    for at, traits in listed:
        for trait in traits:
            having[trait].append(at)
    rows = {}
    for trait, found in having.items():
        row = bytearray(found[-1] // 8 + 1)
        for at in found:
            row[at >> 3] |= 1 << (at & 7)
        rows[trait] = int.from_bytes(row, "little")
    return rows


def _added(rows: Iterable[int]) -> list[int]:
    """Rows added up: bit n of plane k is digit k of how many rows have bit n."""
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
    """The highest number that any of ``among`` reaches, and who reaches it."""
    number = 0
    for digit in range(len(planes) - 1, -1, -1):
        having = among & planes[digit]
        if having:
            among, number = having, number | 1 << digit
    return number, among


def _counting(planes: Sequence[int], number: int, among: int) -> int:
    """Who of ``among`` has exactly this number."""
    for digit, plane in enumerate(planes):
        among = among & plane if number >> digit & 1 else among & ~plane
    return among if number < 1 << len(planes) else 0
