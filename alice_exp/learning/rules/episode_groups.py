"""Which episodes are of one kind of task, by the host's type, else by words and what was done; which of one kind belong
together, by what was done, by the situation; a phrase for their tasks."""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from heapq import heapify, heappop, heappush
from typing import Literal, TypeAlias, TypeVar

from alice_exp.kernel.text.tokens import STOP_WORDS, keywords, tokens
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.records import GENERAL, Episode

Basis = Literal["action", "step", "context", "word", "episode"]
"""What the episodes of a proposal share; ``episode``: the proposal rests on a single one."""

Trait: TypeAlias = tuple[Basis, str]
Mark = TypeVar("Mark", str, Trait)

LIKE_TASKS = 0.4
"""Cosine of two tasks' words, weighted by rarity, from which episodes without a type are of one kind."""

LIKE_WORK = 0.2
"""Likeness of tasks, deeds and contexts from which two groups of differently worded tasks are one kind."""

ONCE = 0.3
"""Weight of a word that a single episode has: it tells wordings apart, hardly what is done."""

MOST_JOINED = 400
"""Groups beyond which differently worded tasks are not joined; the comparison takes quadratic time."""

Bag = Counter[str]

LIKE_ACTIONS = 0.4
"""Share of common words (Jaccard) from which two wordings are one action."""

SHARED = 0.6
"""Share of the tasks that have a word from which it belongs to their phrase."""

TOLD = 4
"""The most words by which tasks without a common phrase are told."""

OFTEN = 0.25
"""Share of the tasks that have a word from which it belongs to those."""

_STEPS = re.compile(r"&&|\|\||;|,|→|->|\n|，|；|、|然后")
_FLAG = re.compile(r"(?<!\S)--?[\w-]+")
_IDLE = frozenset(
    {"run", "use", "using", "try", "just", "simpli", "simply", "then", "make", "via", "ran", "used"}
)
_DENIED = re.compile(r"\b(?:no|not|never|without|skip\w*|forg[eo]t\w*|omit\w*|bypass\w*)\b|不|没|未|跳过|忘")
_LINKING = frozenset("的了在把给到再先就用和与地得着过一个上下里后前按从对为被是不有来去行")
_WORD = r"(?:(?![\u2e80-\U0003ffff])[^\W_])+"
_PART = re.compile(rf"[\u2e80-\U0003ffff]|{_WORD}(?:['-]{_WORD})*|[^\w\s]")
_PLAIN = re.compile("[\u2e80-\U0003ffff]{2}|[a-z]{3,}")
_CJK = re.compile("[\u2e80-\U0003ffff]")
_NTH = re.compile(
    r"第\s*(?:\d+|[一二三四五六七八九十百]+)\s*[次遍回轮批期号个条份趟]?|\d+\s*[次遍回轮趟号楼层期批]"
)
"""What only counts a task or its thing: 第 3 次导出报表, 导出 3 号报表 are 导出报表."""


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
    bags = [Counter(set(_words(one.task))) for one in episodes]
    rarity = _rarity(bags, len(bags), once=0)
    groups: list[tuple[Bag, list[Episode]]] = []
    for bag, episode in zip(bags, episodes, strict=True):
        scored = [(_cosine(bag, words, rarity), -place) for place, (words, _) in enumerate(groups)]
        best = max(scored, default=(0.0, 0))
        if best[0] >= LIKE_TASKS:
            words, listed = groups[-best[1]]
            words.update(bag)
            listed.append(episode)
        else:
            groups.append((bag, [episode]))
    return [listed for _, listed in groups]


def _rarity(bags: Iterable[Bag], count: int, once: float) -> Mapping[str, float]:
    """What a word weighs: the more, the rarer it is among ``count`` episodes; times ``once`` if a single one has it."""
    spread: Bag = Counter()
    for bag in bags:
        spread.update(bag)
    return {word: math.log(1 + count / shown) * (once if shown == 1 else 1) for word, shown in spread.items()}


def _joined(groups: Sequence[list[Episode]]) -> list[list[Episode]]:
    """Groups of differently worded tasks in which the same is done, and the same is known, as one kind.

    The two that are most alike are joined, and compared anew, until none are alike enough.
    """
    if not 1 < len(groups) <= MOST_JOINED:
        return list(groups)
    every = [
        _Work(
            tuple(listed),
            Counter(word for one in listed for word in set(_words(one.task))),
            Counter(word for one in listed for word in set(_words(one.action))),
            Counter(key for one in listed for key in one.context),
        )
        for listed in groups
    ]
    bags = (bag for work in every for bag in (work.tasks, work.deeds, work.keys))
    rarity = _rarity(bags, sum(len(work.episodes) for work in every), ONCE)
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

    def __add__(self, other: _Work) -> _Work:
        bags = (self.tasks + other.tasks, self.deeds + other.deeds, self.keys + other.keys)
        return _Work(self.episodes + other.episodes, *bags)


def _likeness(one: _Work, other: _Work, rarity: Mapping[str, float]) -> float:
    """How alike the work is, in [0, 1]: by tasks and deeds, a little by what the contexts tell.

    Contexts alone join nothing: all work on one machine has one.
    """
    tasks = _cosine(one.tasks, other.tasks, rarity)
    deeds = _cosine(one.deeds, other.deeds, rarity)
    if not tasks and not deeds:
        return 0.0
    keys = float(one.keys == other.keys) / 2
    if one.keys and other.keys:
        keys = _cosine(one.keys, other.keys, rarity)
    return max(0.4 * tasks + 0.4 * deeds + 0.2 * keys, 0.8 * deeds * keys)


def _cosine(one: Bag, other: Bag, rarity: Mapping[str, float]) -> float:
    if len(other) < len(one):
        one, other = other, one
    shared = sum(count * other[word] * rarity[word] ** 2 for word, count in one.items() if word in other)
    if not shared:
        return 0.0
    squares = [sum((count * rarity[word]) ** 2 for word, count in bag.items()) for bag in (one, other)]
    return shared / math.sqrt(squares[0] * squares[1])


def action_groups(group: Sequence[Episode]) -> list[tuple[str, tuple[int, ...]]]:
    """The actions by what they do: the earliest wording, and the indexes of the episodes that took it.

    Wordings with like words are one action.
    """
    parts = [_action_words(episode.action) for episode in group]
    found: list[list[int]] = []
    for index, words in enumerate(parts):
        if group[index].action.strip():
            same = (each for each in found if any(_same_action(words, parts[other]) for other in each))
            if (own := next(same, None)) is None:
                found.append(own := [])
            own.append(index)
    return [(" ".join(group[each[0]].action.split()), tuple(each)) for each in found]


def word_groups(
    group: Sequence[Episode], known: Sequence[tuple[int, ...]], least: int
) -> list[tuple[str, tuple[int, ...]]]:
    """Actions by a single word, however they are worded beside it, and by the lack of one among like wordings.

    At least ``least`` episodes each; sets that are ``known`` are left out. The trait is the commonest wording.
    """
    taken = set(known)
    parts = [_every_word(episode.action) for episode in group]
    found: dict[tuple[int, ...], None] = {}
    for own in places_of(enumerate(parts)).values():
        inside = frozenset(own)
        lacking = [
            tuple(place for place in each if place not in inside)
            for each in known
            if len(each) > least and not inside.isdisjoint(each)
        ]
        for places in (own, *lacking):
            if least <= len(places) and places not in taken:
                found[places] = None
    return [(commonest([group[place] for place in places]), places) for places in found]


def _every_word(action: str) -> frozenset[str]:
    """The words of an action, single Chinese characters among them, and a mark where something was left out."""
    characters = {char for char in action if _CJK.match(char)} - _LINKING
    return _action_words(action) | characters | ({"¬"} if _DENIED.search(action) else set())


def commonest(episodes: Sequence[Episode]) -> str:
    """The wording of an action that most of the episodes have; of several the earliest."""
    counts = Counter(" ".join(episode.action.split()) for episode in episodes)
    return max(counts, key=lambda wording: counts[wording])


def left_out(group: Sequence[Episode]) -> tuple[int, ...]:
    """The episodes whose actions say that something was not done."""
    return tuple(index for index, episode in enumerate(group) if _DENIED.search(episode.action))


def shared_action(group: Sequence[Episode], places: Sequence[int]) -> str:
    """The commonest wording with a word that most of the actions have; empty if they have none in common."""
    counts = Counter(word for place in places for word in _action_words(group[place].action))
    word, count = max(counts.items(), key=lambda one: (one[1], one[0]), default=("", 0))
    if count < SHARED * len(places):
        return ""
    return commonest([group[place] for place in places if word in _action_words(group[place].action)])


def share_a_word(one: str, other: str) -> bool:
    """Whether two actions have a word in common."""
    return not _action_words(one).isdisjoint(_action_words(other))


def step_groups(group: Sequence[Episode]) -> list[tuple[str, tuple[int, ...]]]:
    """The steps of actions, with the indexes of their episodes."""
    return [*places_of((index, _steps(episode.action)) for index, episode in enumerate(group)).items()]


def places_of(marks: Iterable[tuple[int, Iterable[Mark]]]) -> dict[Mark, tuple[int, ...]]:
    """The indexes that have each mark, by mark, in the order of both."""
    found: defaultdict[Mark, list[int]] = defaultdict(list)
    for index, own in marks:
        for mark in own:
            found[mark].append(index)
    return {mark: tuple(found[mark]) for mark in sorted(found)}


def _steps(action: str) -> set[str]:
    steps = {" ".join(step.split()) for step in _STEPS.split(action)} - {""}
    # The only step of an action is the action itself.
    return steps if len(steps) > 1 else set()


def _action_words(action: str) -> frozenset[str]:
    """What an action is compared by: its words without numbers and idle verbs, and its flags as they are written."""
    plain = {word for word in tokens(_FLAG.sub(" ", action)) if not any(char.isdigit() for char in word)}
    short = {word.lower() for word in re.findall(r"\b[A-Za-z]{1,3}\b", action)} - STOP_WORDS
    return frozenset(plain | short | set(_FLAG.findall(action))) - _IDLE


def _same_action(one: frozenset[str], other: frozenset[str]) -> bool:
    every = one | other
    return not every or len(one & other) / len(every) >= LIKE_ACTIONS


def entries(episode: Episode) -> set[Trait]:
    """The entries of an episode's context, as traits."""
    texts = {
        key: one if isinstance(one, str) else json.dumps(one, ensure_ascii=False, sort_keys=True)
        for key, one in episode.context.items()
    }
    return {("context", f"{key}={text}") for key, text in texts.items()}


def task_words(episode: Episode) -> set[Trait]:
    """The words of an episode's task, as traits."""
    return set(_task_words(episode.task))


@lru_cache(4096)
def _task_words(task: str) -> frozenset[Trait]:
    return frozenset(("word", word) for word in keywords(task) - STOP_WORDS)


def shared_words(episodes: Sequence[Episode]) -> tuple[str, ...]:
    """The words that most of the tasks share, the commonest first, at most eight."""
    counts = Counter(word for one in episodes for word in keywords(_NTH.sub(" ", one.task)) - STOP_WORDS)
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return tuple(word for word, count in ordered if count >= SHARED * len(episodes))[:8]


def frequent_words(episodes: Sequence[Episode]) -> str:
    """The commonest words of tasks that share no phrase, as they are written; empty where none comes often."""
    written = [word for one in episodes for word in dict.fromkeys(_PLAIN.findall(one.task.lower()))]
    counts = Counter(word for word in written if word not in STOP_WORDS and _LINKING.isdisjoint(word))
    often = max(2, OFTEN * len(episodes))
    return ", ".join(word for word, count in counts.most_common(TOLD) if count >= often)


def whole_words(words: Sequence[str], text: str) -> tuple[str, ...]:
    """The words without Chinese pairs that straddle two words of a text: 数据 and 文件 of 数据文件, not 据文."""
    runs = re.split("[^\u2e80-\U0003ffff]|[" + "".join(sorted(_LINKING)) + "]", text)
    pairs = {run[at : at + 2] for run in runs for at in range(0, len(run) - 1, 2)}
    return tuple(word for word in words if not _CJK.match(word) or word in pairs or word not in text)


def phrase(episodes: Sequence[Episode]) -> str:
    """A general phrase for the tasks: the words that most of them share, in the order of the most typical task.

    Stop words stay between kept words only; empty if the tasks share nothing.
    """
    shared = set(shared_words(episodes))
    if not shared:
        return ""
    typical = max(episodes, key=lambda one: (len(keywords(one.task) & shared), -len(one.task)))
    parts = _PART.findall(_NTH.sub(" ", typical.task))
    kept = [False] * len(parts)
    for place, part in enumerate(parts):
        if _CJK.match(part):
            following = parts[place + 1] if place + 1 < len(parts) else ""
            if following and part + following in shared:
                kept[place] = kept[place + 1] = True
            kept[place] = kept[place] or part in shared
        else:
            kept[place] = bool(keywords(part) & shared)
    said = ""
    for place, part in enumerate(parts):
        bridged = 0 < place < len(parts) - 1 and kept[place - 1] and kept[place + 1]
        if kept[place] or (bridged and part.lower() in STOP_WORDS):
            tight = bool(said) and bool(_CJK.match(part)) and bool(_CJK.match(said[-1]))
            said += ("" if tight or not said else " ") + part
    return said.removeprefix("的")
