"""Which episodes are of one kind of task: by the host's type, else by the words of their tasks and what was done."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush

from alice_exp.kernel.text.tokens import tokens
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.records import GENERAL, Episode

LIKE_TASKS = 0.4
"""Cosine of two tasks' words, weighted by rarity, from which episodes without a type are of one kind."""

LIKE_WORK = 0.2
"""Likeness of tasks, deeds and contexts from which two groups of differently worded tasks are one kind."""

ONCE = 0.3
"""Weight of a word that a single episode has: it tells wordings apart, hardly what is done."""

MOST_JOINED = 400
"""Groups beyond which differently worded tasks are not joined; the comparison takes quadratic time."""

Bag = Counter[str]


def kinds_of_task(episodes: Sequence[Episode]) -> list[list[Episode]]:
    """The episodes by kind of task, each oldest first: by type, and those without one by their words (B5.8)."""
    by_type: defaultdict[str, list[Episode]] = defaultdict(list)
    for episode in episodes:
        by_type[episode.task_type].append(episode)
    untyped = by_type.pop(GENERAL, [])
    return [*by_type.values(), *_joined(_by_words(untyped))]


def _words(text: str) -> Iterable[str]:
    return (word for word in tokens(text) if word.isalpha())


def _by_words(episodes: Sequence[Episode]) -> list[list[Episode]]:
    """Episodes with like tasks, each put to the group whose words it shares most; a group of one stays alone."""
    bags = [frozenset(_words(one.task)) for one in episodes]
    spread = Counter(word for bag in bags for word in bag)
    weight = {word: math.log(1 + len(bags) / count) for word, count in spread.items() if count > 1}
    groups: list[tuple[Bag, list[Episode]]] = []
    for bag, episode in zip(bags, episodes, strict=True):
        scored = [
            (_alike(bag, words, len(all_), weight), -place) for place, (words, all_) in enumerate(groups)
        ]
        best = max(scored, default=(0.0, 0))
        if best[0] >= LIKE_TASKS:
            words, listed = groups[-best[1]]
            words.update(bag)
            listed.append(episode)
        else:
            groups.append((Counter(bag), [episode]))
    return [listed for _, listed in groups]


def _alike(bag: frozenset[str], words: Bag, size: int, weight: Mapping[str, float]) -> float:
    """Cosine between a task and the mean of a group's; what a single task says counts for nothing."""
    shared = sum(words[word] / size * weight[word] ** 2 for word in bag if word in words and word in weight)
    own = sum(weight.get(word, 0.0) ** 2 for word in bag)
    theirs = sum((count / size * weight.get(word, 0.0)) ** 2 for word, count in words.items())
    return shared / (own * theirs) ** 0.5 if own and theirs else float(bag == words.keys())


def _joined(groups: Sequence[list[Episode]]) -> list[list[Episode]]:
    """Groups of differently worded tasks in which the same is done, and the same is known, as one kind.

    The two that are most alike are joined, and compared anew, until none are alike enough.
    """
    if not 1 < len(groups) <= MOST_JOINED:
        return list(groups)
    every = [_Work.of(listed) for listed in groups]
    rarity = _rarity(every)
    alive = dict(enumerate(every))
    waiting = [
        (-likeness, one, other)
        for one in alive
        for other in range(one)
        if (likeness := _likeness(every[one], every[other], rarity)) >= LIKE_WORK
    ]
    heapify(waiting)
    while waiting:
        _, one, other = heappop(waiting)
        if one not in alive or other not in alive:
            continue
        joined, number = alive.pop(one) + alive.pop(other), len(every)
        for known, work in alive.items():
            if (likeness := _likeness(joined, work, rarity)) >= LIKE_WORK:
                heappush(waiting, (-likeness, number, known))
        every.append(joined)
        alive[number] = joined
    found = [sorted(work.episodes, key=lambda one: (one.timestamp, one.id)) for work in alive.values()]
    return sorted(found, key=lambda listed: (listed[0].timestamp, listed[0].id))


@dataclass(frozen=True, slots=True)
class _Work:
    """Episodes with the words of their tasks and of their actions, and the keys of their contexts."""

    episodes: tuple[Episode, ...]
    tasks: Bag
    deeds: Bag
    keys: Bag

    @classmethod
    def of(cls, listed: Sequence[Episode]) -> _Work:
        return cls(
            tuple(listed),
            Counter(word for one in listed for word in set(_words(one.task))),
            Counter(word for one in listed for word in set(_words(one.action))),
            Counter(key for one in listed for key in one.context),
        )

    def __add__(self, other: _Work) -> _Work:
        return _Work(
            self.episodes + other.episodes,
            self.tasks + other.tasks,
            self.deeds + other.deeds,
            self.keys + other.keys,
        )


def _rarity(every: Sequence[_Work]) -> Mapping[str, float]:
    """The weight of each word and key: the rarer among all episodes, the more."""
    spread: Bag = Counter()
    for work in every:
        for bag in (work.tasks, work.deeds, work.keys):
            spread.update(bag)
    count = sum(len(work.episodes) for work in every)
    return {word: math.log(1 + count / shown) * (ONCE if shown == 1 else 1) for word, shown in spread.items()}


def _likeness(one: _Work, other: _Work, rarity: Mapping[str, float]) -> float:
    """How alike the work is, in [0, 1]: by tasks and deeds, a little by what the contexts tell.

    Contexts alone join nothing: all work on one machine has one.
    """
    tasks = _cosine(one.tasks, other.tasks, rarity)
    deeds = _cosine(one.deeds, other.deeds, rarity)
    if not tasks and not deeds:
        return 0.0
    keys = (
        _cosine(one.keys, other.keys, rarity)
        if one.keys and other.keys
        else float(one.keys == other.keys) / 2
    )
    return max(0.4 * tasks + 0.4 * deeds + 0.2 * keys, 0.8 * deeds * keys)


def _cosine(one: Bag, other: Bag, rarity: Mapping[str, float]) -> float:
    if len(other) < len(one):
        one, other = other, one
    shared = sum(count * other[word] * rarity[word] ** 2 for word, count in one.items() if word in other)
    return shared / (_length(one, rarity) * _length(other, rarity)) if shared else 0.0


def _length(bag: Bag, rarity: Mapping[str, float]) -> float:
    return math.sqrt(sum((count * rarity[word]) ** 2 for word, count in bag.items()))
