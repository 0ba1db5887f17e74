"""Episodes by what they share: keywords and context entries, so that only those that share anything are compared.

Scores are those of ``rules.similarity.retrieval_similarity``, number for number (a property test holds them equal).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from alice_exp.rules.similarity import CONTEXT_WEIGHT, TASK_WEIGHT, Similarity
from alice_exp.text.words import keywords

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from alice_exp.core.config import Json
    from alice_exp.core.records import Episode
    from alice_exp.rules.similarity import Rule

NEIGHBOURS = 256
"""Episodes that one is compared with, at most, when its nearest is looked for: the cost stays linear."""


@dataclass(frozen=True, slots=True)
class Traits:
    """What a task is compared by: its keywords, its context's entries and the keys of that context."""

    words: frozenset[str]
    entries: frozenset[Hashable]
    names: frozenset[str]


def traits_of(task: str, context: Mapping[str, Json]) -> Traits:
    """The traits of a task in its context (B0.1, B0.2)."""
    return Traits(keywords(task), frozenset(_entry(key, context[key]) for key in context), frozenset(context))


def likeness(query: Traits, other: Traits) -> float:
    """``retrieval_similarity`` of two traits, in [0, 1], unrounded: tasks alone where the query has no context."""
    words, names = query.words, query.names
    shared = len(words & other.words)
    task = shared / (len(words) + len(other.words) - shared) if shared else 0.0
    if not names:
        return task
    equal = len(query.entries & other.entries)
    if not equal:
        return TASK_WEIGHT * task
    union = len(names) + len(other.names) - len(names & other.names)
    return TASK_WEIGHT * task + CONTEXT_WEIGHT * (equal / union)


def similarity_of(query: Traits, other: Traits) -> Similarity:
    """The same with its terms and the rule that gave it; ``score`` is rounded to 6 decimals (B0.3-B0.5)."""
    shared = len(query.words & other.words)
    task = shared / (len(query.words) + len(other.words) - shared) if shared else 0.0
    contexts = _contexts(query, other) if query.names or other.names else 1.0
    rule: Rule = "task_and_context"
    if not query.names:
        rule = "task_alone_no_query_context" if other.names else "task_alone_no_contexts"
    return Similarity(round(likeness(query, other), 6), rule, task, contexts)


def _contexts(query: Traits, other: Traits) -> float:
    equal = len(query.entries & other.entries)
    return equal / (len(query.names) + len(other.names) - len(query.names & other.names)) if equal else 0.0


def _entry(key: str, value: Json) -> Hashable:
    # In Python 1 == True; in a file they are two values.
    return key, isinstance(value, bool), _hashable(value)


def _hashable(value: Json) -> Hashable:
    if isinstance(value, list):
        return "list", tuple(map(_hashable, value))
    if isinstance(value, dict):
        return "object", frozenset((key, _hashable(inner)) for key, inner in value.items())
    return value


class EpisodeIndex:
    """An inverted index over episodes; derived, and made anew when they change (B0.7)."""

    def __init__(self, episodes: Iterable[Episode]) -> None:
        self.episodes: Sequence[Episode] = tuple(episodes)
        self.traits = [traits_of(episode.task, episode.context) for episode in self.episodes]
        self.by_type: defaultdict[str, list[int]] = defaultdict(list)
        self._words: defaultdict[str, list[int]] = defaultdict(list)
        self._entries: defaultdict[Hashable, list[int]] = defaultdict(list)
        self._alike: defaultdict[frozenset[Hashable], list[int]] = defaultdict(list)
        # Small sets first: among those that share as much, they are the likest, so that bounds close early.
        for index in sorted(range(len(self.traits)), key=lambda one: len(self.traits[one].words)):
            for word in self.traits[index].words:
                self._words[word].append(index)
        for index in sorted(range(len(self.traits)), key=lambda one: len(self.traits[one].names)):
            for entry in self.traits[index].entries:
                self._entries[entry].append(index)
        for index, episode in enumerate(self.episodes):
            self.by_type[episode.task_type].append(index)
            self._alike[self.traits[index].entries].append(index)

    def candidates(self, query: Traits) -> set[int]:
        """Every episode that a query's likeness to is above 0, and none that shares nothing with it."""
        found: set[int] = set()
        for word in query.words:
            found.update(self._words.get(word, ()))
        for entry in query.entries:
            found.update(self._entries.get(entry, ()))
        return found

    def nearest(self, index: int) -> float:
        """The highest likeness of one episode to any other, in [0, 1]; 0.0 where it shares nothing with any.

        Looks through the rarest traits first and stops where no unseen episode can be more alike; exact unless more
        than ``NEIGHBOURS`` had to be compared, and then never too high.
        """
        return _Nearest(self, index).found()

    def rarest(self, own: Traits) -> list[tuple[bool, Sequence[int]]]:
        """The episodes of each trait, shortest list first; whether the trait is a word."""
        lists: list[tuple[bool, Sequence[int]]] = [(True, self._words[word]) for word in own.words]
        lists += [(False, self._entries[entry]) for entry in own.entries]
        return sorted(lists, key=lambda one: len(one[1]))

    def alike(self, own: Traits) -> Sequence[int]:
        """The episodes with exactly this context."""
        return self._alike[own.entries]


class _Nearest:
    """The search for the episode that is most like one."""

    def __init__(self, index: EpisodeIndex, at: int) -> None:
        self._index = index
        self._own = index.traits[at]
        self._seen = {at}
        self._best = 0.0
        self._words = len(self._own.words)
        self._entries = len(self._own.entries)

    def found(self) -> float:
        """The likeness of the nearest."""
        for other in self._index.alike(self._own)[:2] if self._entries else ():
            self._compare(other)
        for is_word, listed in self._index.rarest(self._own):
            if self._best >= self._bound(0) or len(self._seen) > NEIGHBOURS:
                break
            self._scan(listed, is_word)
            self._words -= is_word
            self._entries -= not is_word
        return self._best

    def _scan(self, listed: Sequence[int], is_word: bool) -> None:
        """Compare those of a list that are unseen, until none of the rest can be more alike."""
        index, own, seen, best = self._index, self._own, self._seen, self._best
        size, bound = -1, self._bound(0)
        for other in listed:
            if other in seen:
                continue
            traits = index.traits[other]
            if is_word and len(traits.words) != size:
                size = len(traits.words)
                bound = self._bound(size)
            if best >= bound or len(seen) > NEIGHBOURS:
                break
            seen.add(other)
            alike = likeness(own, traits)
            if alike > best:
                best = alike
        self._best = best

    def _compare(self, other: int) -> None:
        if other not in self._seen:
            self._seen.add(other)
            self._best = max(self._best, likeness(self._own, self._index.traits[other]))

    def _bound(self, size: int) -> float:
        """The most that an unseen episode of ``size`` words or more could be alike, given the traits still to come."""
        own = self._own
        union = max(len(own.words), len(own.words) + size - self._words)
        task = self._words / union if union else 0.0
        if not own.names:
            return task
        return TASK_WEIGHT * task + CONTEXT_WEIGHT * self._entries / len(own.names)
