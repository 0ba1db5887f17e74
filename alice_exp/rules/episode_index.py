"""Episodes by what they share: keywords and contexts, so that a search touches only those that share anything.

Scores are those of ``rules.similarity.retrieval_similarity``, number for number (a property test holds them equal).
Episodes of one context are a group: their context counts once, whatever their number.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from heapq import nlargest
from itertools import chain
from typing import TYPE_CHECKING

from alice_exp.rules.similarity import CONTEXT_WEIGHT, TASK_WEIGHT, Similarity
from alice_exp.text.words import keywords

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

    from alice_exp.core.collection import KnownEpisodes, Outline
    from alice_exp.core.problem import Json
    from alice_exp.core.records import Episode
    from alice_exp.rules.similarity import Rule

THRESHOLD = 0.3
"""An episode is similar above this score, after rounding (R0.28, B0.5)."""

_SURELY_BELOW = THRESHOLD - 1e-6


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


def similarity_of(query: Traits, other: Traits) -> Similarity:
    """The same with its terms and the rule that gave it; ``score`` is rounded to 6 decimals (B0.3-B0.5)."""
    shared = len(query.words & other.words)
    task = shared / (len(query.words) + len(other.words) - shared) if shared else 0.0
    contexts = contexts_alike(query, other) if query.names or other.names else 1.0
    rule: Rule = "task_and_context"
    if not query.names:
        rule = "task_alone_no_query_context" if other.names else "task_alone_no_contexts"
    return Similarity(round(likeness(query, other), 6), rule, task, contexts)


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


def goes_on(
    earlier: Sequence[Episode], now: Sequence[Episode], of: Callable[[Episode], tuple[object, ...]]
) -> bool:
    """Whether the episodes of an earlier moment begin those of now, as far as ``of`` looks at them."""
    pairs = zip(earlier, now, strict=False)
    return len(earlier) <= len(now) and all(was is one or of(was) == of(one) for was, one in pairs)


def with_places(
    known: Mapping[str, Sequence[int]], rows: Iterable[Iterable[str]], first: int
) -> Mapping[str, Sequence[int]]:
    """Where each word stands, rising, with more rows of words from place ``first`` on; ``known`` is left as it is."""
    grown: defaultdict[str, list[int]] = defaultdict(list)
    for at, row in enumerate(rows, first):
        for word in row:
            grown[word].append(at)
    if not known:
        return grown
    return {**known, **{word: [*known.get(word, ()), *places] for word, places in grown.items()}}


class FormulaIndex(ABC):
    """Episodes by their keywords and contexts, wherever these are kept: in memory, or in a database of the home.

    ``outlines`` are the episodes in the order of their file, ``sizes`` how many keywords each has, ``group_of`` which
    of the ``contexts`` (each different one once, without words); ``places`` tells where each of some words stands, and
    ``whole`` reads one episode.
    """

    def __init__(
        self,
        outlines: Sequence[Outline],
        sizes: Sequence[int],
        group_of: Sequence[int],
        places: Callable[[frozenset[str]], Iterable[Sequence[int]]],
        whole: Callable[[int], Episode],
    ) -> None:
        self.outlines = outlines
        self.sizes = sizes
        self.group_of = group_of
        self.whole = whole
        self._places = places

    @property
    @abstractmethod
    def contexts(self) -> Sequence[Traits]:
        """Each different context once."""

    @cached_property
    def members(self) -> list[list[int]]:
        """The episodes of each context, in order."""
        listed: list[list[int]] = [[] for _ in self.contexts]
        for at, group in enumerate(self.group_of):
            listed[group].append(at)
        return listed

    @cached_property
    def by_entry(self) -> Mapping[Hashable, list[int]]:
        """The contexts that have an entry."""
        listed: defaultdict[Hashable, list[int]] = defaultdict(list)
        for group, context in enumerate(self.contexts):
            for entry in context.entries:
                listed[entry].append(group)
        return listed

    @cached_property
    def by_type(self) -> Mapping[str, frozenset[int]]:
        """The episodes of each type (R0.32)."""
        listed: defaultdict[str, list[int]] = defaultdict(list)
        for at, outline in enumerate(self.outlines):
            listed[outline.task_type].append(at)
        return {name: frozenset(found) for name, found in listed.items()}

    def likest(self, query: Traits, admits: Callable[[int], bool], top: int) -> list[int]:
        """The episodes above the threshold that ``admits`` lets pass: highest score, newest, lowest id first."""
        shared = Counter(chain.from_iterable(self._places(query.words)))
        found = [(score, at) for at, score in self._scores(query, shared) if admits(at)]
        limit = min(nlargest(top, (score for score, _ in found)), default=0.0)
        few = [row for row in found if row[0] >= limit]
        few += self._by_context_alone(query, shared, admits, top)
        few.sort(key=lambda row: (-row[0], *self._newest(row[1])))
        return [at for _, at in few[:top]]

    def _newest(self, at: int) -> tuple[int, str]:
        outline = self.outlines[at]
        return -outline.timestamp, outline.id

    def _scores(self, query: Traits, shared: Mapping[int, int]) -> Iterator[tuple[int, float]]:
        """Every episode that shares a word with the query and is above the threshold, with its rounded score."""
        near = self._near(query)
        size, sizes, group_of = len(query.words), self.sizes, self.group_of
        weight = TASK_WEIGHT if query.names else 1.0
        for at, count in shared.items():
            score = weight * (count / (size + sizes[at] - count)) + near.get(group_of[at], 0.0)
            if score > _SURELY_BELOW:
                score = round(score, 6)
                if score > THRESHOLD:
                    yield at, score

    def _near(self, query: Traits) -> dict[int, float]:
        """What each context that shares an entry with the query's adds to a score."""
        if not query.names:
            return {}
        groups = chain.from_iterable(self.by_entry.get(entry, ()) for entry in query.entries)
        return {group: CONTEXT_WEIGHT * contexts_alike(query, self.contexts[group]) for group in {*groups}}

    def _by_context_alone(
        self, query: Traits, shared: Mapping[int, int], admits: Callable[[int], bool], top: int
    ) -> Iterator[tuple[float, int]]:
        """Of each context that alone lifts its episodes above the threshold, the newest that share no word."""
        for group, adds in self._near(query).items():
            score = round(adds, 6)
            if score <= THRESHOLD:
                continue
            free = [at for at in self.members[group] if at not in shared and admits(at)]
            if len(free) > top:
                free = sorted(free, key=self._newest)[:top]
            yield from ((score, at) for at in free)


class EpisodeIndex(FormulaIndex):
    """The same in memory, made from episodes; derived (B0.7).

    ``before`` is the index of an earlier moment: where the episodes of then begin those of now, with the same tasks and
    contexts, only what has been added since is taken in. It is left as it is.
    """

    def __init__(self, episodes: Iterable[Episode], before: EpisodeIndex | None = None) -> None:
        self.episodes: Sequence[Episode] = tuple(episodes)
        self.words: list[frozenset[str]] = []
        self._contexts: list[Traits] = []
        group_of: list[int] = []
        self._postings: Mapping[str, Sequence[int]] = {}
        if before is not None and goes_on(
            before.episodes, self.episodes, lambda one: (one.task, one.context)
        ):
            self.words += before.words
            self._contexts += before.contexts
            group_of += before.group_of
            self._postings = before._postings
        first = len(self.words)
        self.words += (keywords(episode.task) for episode in self.episodes[first:])
        self._postings = with_places(self._postings, self.words[first:], first)
        group_of += grouped((episode.context for episode in self.episodes[first:]), self._contexts)
        sizes = list(map(len, self.words))
        super().__init__(self.episodes, sizes, group_of, self._held, self.episodes.__getitem__)

    def _held(self, words: frozenset[str]) -> Iterable[Sequence[int]]:
        return (self._postings.get(word, ()) for word in words)

    @property
    def contexts(self) -> Sequence[Traits]:
        """See ``FormulaIndex``."""
        return self._contexts

    def traits(self, at: int) -> Traits:
        """What one episode is compared by."""
        context = self._contexts[self.group_of[at]]
        return Traits(self.words[at], context.entries, context.names)


class KnownIndex(FormulaIndex):
    """The same of episodes that are kept elsewhere."""

    def __init__(self, known: KnownEpisodes) -> None:
        super().__init__(known.outlines, known.sizes, known.group_of, known.places, known.whole)
        self._known = known

    @cached_property
    def contexts(self) -> Sequence[Traits]:
        """See ``FormulaIndex``."""
        return [Traits(frozenset(), entries_of(one), frozenset(one)) for one in self._known.contexts()]


def grouped(contexts: Iterable[Mapping[str, Json]], known: list[Traits]) -> list[int]:
    """The number of each context among those ``known``, to which new ones are added."""
    numbers = {context.entries: number for number, context in enumerate(known)}
    group_of = []
    for context in contexts:
        entries = entries_of(context)
        number = numbers.setdefault(entries, len(numbers))
        if number == len(known):
            known.append(Traits(frozenset(), entries, frozenset(context)))
        group_of.append(number)
    return group_of
