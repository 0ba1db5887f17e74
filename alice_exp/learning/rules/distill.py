"""Distils what repeats in episodes into proposals: advice from actions that worked, warnings of those that failed.

Episodes are compared within a kind of task: their type, or, where the host sends none, tasks with like words. Within a
kind, actions are grouped by what they do, whatever their wording. Of each group it is asked whether it works; where it
does both, by which condition success and failure part (a context entry, a word of the task; the first branch of a
decision list, by Fisher's exact test, corrected for the number of conditions tried). What holds of a condition whatever
is done is said of the condition. Deterministic. Sources: R0.3, R0.5, R0.51, B5.8.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from alice_exp.episodes.rules.search_episodes import as_told
from alice_exp.learning.rules.episode_groups import (
    Trait,
    action_groups,
    commonest,
    entries,
    kinds_of_task,
    left_out,
    places_of,
    share_a_word,
    shared_action,
    step_groups,
    task_words,
    word_groups,
)
from alice_exp.learning.rules.impact import fisher
from alice_exp.learning.rules.proposals import Group, Kind, Lesson, Proposal, Support, proposal
from alice_exp.model.rules.doubt import Rate, difference
from alice_exp.model.values.records import Episode

REPEATS = 3
"""The fewest episodes with a trait, and without it, from which anything is concluded."""

CHANCE = 0.05
"""The error probability of a condition, corrected for the number of conditions tried (Bonferroni)."""

UNLIKE = 0.1
"""The error probability at which an action that always works, or always fails, differs from the others."""

PURE = 0.8
"""The least share of one outcome on the side of a condition of which something is said."""

ENOUGH, COMPARED, LUCK = 5, 10, 0.2
"""Episodes that need no others to be compared with; the fewest of other kinds that tell what is usual; the error
probability from which fewer may be luck."""

MOST_WORDS = 60
"""The most words of actions, those of the greatest contrast, by which a kind of task is searched."""

OVERLAP = 0.6
"""A lesson whose episodes an earlier one of its kind mostly explains says nothing new."""


def distill(episodes: Iterable[Episode], limit: int = 20) -> tuple[Proposal, ...]:
    """At most ``limit`` proposals, one a lesson, the strongest first."""
    reported = (as_told(one) for one in episodes if not one.unreported)
    ordered = sorted(reported, key=lambda one: (one.timestamp, one.id))
    found = [lesson_ for group in kinds_of_task(ordered) for lesson_ in _of_kind(group, ordered)]
    found.sort(
        key=lambda one: (-_strength(one.support), one.support.type, one.support.basis, one.support.trait)
    )
    return tuple(proposal(one) for one in found[:limit])


def _of_kind(group: Sequence[Episode], book: Sequence[Episode]) -> list[Lesson]:
    """The lessons of one kind of task: of its actions, of steps of them, then of what holds whatever is done."""
    actions = action_groups(group)
    words = word_groups(group, [places for _, places in actions], REPEATS)
    # A set and its complement are one test.
    tried = len({min(places, _others(group, places)) for _, places in words})
    repeated = max(1, sum(len(places) >= REPEATS for _, places in actions) - 1)
    alike = [
        *(Group(group, "action", trait, places, repeated) for trait, places in actions),
        *(Group(group, "step", trait, places) for trait, places in step_groups(group)),
    ]
    words = sorted(words, key=lambda one: -_contrast(group, one[1]))[:MOST_WORDS]
    # What is done in all of them, or left out, was not chosen by how it ended.
    given = (len(group), left_out(group))
    by_word = [
        Group(group, "action", trait, places, 1 if len(places) == given[0] or places == given[1] else tried)
        for trait, places in words
    ]
    told = [
        lesson_
        for one in (*alike, *by_word)
        if len(one.places) >= REPEATS and not _may_be_luck(one, book)
        for lesson_ in _conditional(one) or _plain(one)
    ]
    found: list[Lesson] = []
    _keep(found, sorted(told, key=lambda one: -_strength(one.support)))
    parting = frozenset(one.condition[1].partition("=")[0] for one in found if one.condition)
    _keep(found, _situations(group))
    _keep(found, _other_side(group, found))
    return [replace(one, parting=parting) for one in found if not _is_reverse(one, found)]


def _other_side(group: Sequence[Episode], found: Sequence[Lesson]) -> list[Lesson]:
    """What holds of all that was done instead of what a lesson names, however it is worded.

    Under a condition, or of a word that most of it shares: 备份 where the lesson is 没备份.
    """
    taken = [place for one in found if not one.condition for place in one.group.places]
    rest = _others(group, taken)
    if not taken or len(rest) < REPEATS:
        return []
    like = shared_action(group, rest)
    other = Group(group, "action", like or commonest([group[place] for place in rest]), rest)
    return _conditional(other) or (_plain(other) if like else [])


def _may_be_luck(one: Group, book: Sequence[Episode]) -> bool:
    """Whether a few episodes, with none beside them in their kind, end as those of other kinds mostly do."""
    (own, others), rest = one.rates(one.places), len(book) - len(one.episodes)
    if own.total >= ENOUGH or others.total >= REPEATS or rest < COMPARED:
        return False
    ok = sum(episode.success for episode in book) - own.successes - others.successes
    return fisher(own.successes, own.total - own.successes, ok, rest - ok) > LUCK


def _is_reverse(one: Lesson, found: Sequence[Lesson]) -> bool:
    """Whether it only says that all is well where a warning does not hold: one lesson, told by the warning."""
    if one.kind == "warning":
        return False
    warned = [each for each in found if each.kind == "warning"]
    if one.condition and one.condition[0] == "word":
        return any(share_a_word(_deeds(one), _deeds(each)) for each in warned)
    key = _situation(one).partition("=")[0]
    return bool(key) and any(_situation(each).partition("=")[0] == key for each in warned)


def _situation(one: Lesson) -> str:
    """The context entry under which a lesson holds; empty where it holds in any, or for a word."""
    basis, trait = one.condition or (one.group.basis, one.group.trait)
    return trait if basis == "context" else ""


def _deeds(one: Lesson) -> str:
    """The actions of a lesson's episodes, as one text."""
    return "; ".join(one.group.episodes[place].action for place in one.group.places)


def _contrast(group: Sequence[Episode], places: Sequence[int]) -> float:
    """How far the success rate of some episodes is from that of their kind, times the root of their number."""
    usual = sum(episode.success for episode in group) / len(group)
    own = sum(group[index].success for index in places) / len(places)
    return abs(own - usual) * math.sqrt(len(places))


def _others(group: Sequence[Episode], places: Sequence[int]) -> tuple[int, ...]:
    inside = frozenset(places)
    return tuple(index for index in range(len(group)) if index not in inside)


def _keep(found: list[Lesson], new: Sequence[Lesson]) -> None:
    """Add the lessons whose episodes none of the same direction explains already."""
    for one in new:
        own = set(one.group.places)
        if all(
            len(own & set(other.group.places)) < OVERLAP * min(len(own), len(other.group.places))
            for other in found
            if other.kind == one.kind
        ):
            found.append(one)


def _conditional(one: Group) -> list[Lesson]:
    """The lessons of an action that works in one situation and fails in another; none if no test parts them."""
    found = _parting(one)
    if found is None:
        return []
    condition, inside = found
    outside = tuple(index for index in one.places if index not in inside)
    lessons = [
        _under(one, mark, side)
        for mark, side in ((condition, inside), (_opposite(one.episodes, condition, outside), outside))
        if mark is not None and len(side) >= REPEATS and _is_pure(one.rates(side)[0])
    ]
    # One lesson: that it fails here says that it works elsewhere.
    return sorted(lessons, key=lambda each: each.kind, reverse=True)[:1]


def _is_pure(own: Rate) -> bool:
    return max(own.value, 1 - own.value) >= PURE


def _parting(one: Group) -> tuple[Trait, tuple[int, ...]] | None:
    """The condition that best parts success from failure, with the episodes under it; a context entry before a word."""
    for marks in (entries, task_words):
        shown: defaultdict[tuple[int, ...], list[Trait]] = defaultdict(list)
        for mark, where in places_of((place, marks(one.episodes[place])) for place in one.places).items():
            if 2 <= len(where) <= len(one.places) - 2:
                shown[where].append(mark)
        best = min(((_chance(one, where), where) for where in shown), default=None)
        parted = {min(where, tuple(index for index in one.places if index not in where)) for where in shown}
        if best and best[0] * len(parted) * one.tried <= CHANCE:
            return min(shown[best[1]]), best[1]
    return None


def _chance(one: Group, where: Sequence[int]) -> float:
    """The probability that chance parts the outcomes of a group as unevenly as a condition does."""
    own, whole = (sum(one.episodes[index].success for index in places) for places in (where, one.places))
    return fisher(own, len(where) - own, whole - own, (len(one.places) - len(where)) - (whole - own))


def _opposite(episodes: Sequence[Episode], condition: Trait, outside: Sequence[int]) -> Trait | None:
    """The one other value that the key of a condition has elsewhere; None if there are several, or for a word."""
    key = condition[1].partition("=")[0] + "="
    marks = [{mark for mark in entries(episodes[index]) if mark[1].startswith(key)} for index in outside]
    other = set().union(*marks) if marks else set()
    return other.pop() if condition[0] == "context" and len(other) == 1 and all(marks) else None


def _under(one: Group, mark: Trait, side: tuple[int, ...]) -> Lesson:
    """What holds of an action under a condition; of the condition alone where the same holds whatever is done."""
    marks = entries if mark[0] == "context" else task_words
    beside = tuple(
        index
        for index, episode in enumerate(one.episodes)
        if index not in one.places and mark in marks(episode)
    )
    own, rest = one.rates(side)[0], one.rates(beside)[0]
    kind: Kind = "advice" if own.value > 0.5 else "warning"
    if rest.total > 1 and abs(rest.value - own.value) < 1 - PURE:
        return _lesson(kind, Group(one.episodes, *mark, tuple(sorted((*side, *beside)))))
    return _lesson(kind, Group(one.episodes, one.basis, one.trait, side), mark)


def _plain(one: Group) -> list[Lesson]:
    """The lesson of an action that works, or fails, whatever the situation; none if it may be chance."""
    own, _ = one.rates(one.places)
    like = _like_situations(one)
    mine, others = like.rates(like.places)
    low, high = _gap(mine, others)
    average = (mine.successes + others.successes) / (mine.total + others.total)
    # Alone, a clear rate of its own is enough; among other actions theirs has to be another one, too.
    whole = Group(like.episodes, one.basis, one.trait, tuple(range(len(like.episodes))))
    by_chance = _chance(whole, like.places) * one.tried
    if others.total >= REPEATS and by_chance > UNLIKE:
        return []
    clear = one.tried == 1 or others.total >= REPEATS
    if (low > 0 and own.low > average) or (clear and own.low > 0.5 and high > 0):
        return [_lesson("advice", one)]
    if clear and own.high < 0.5 and low < 0:
        return [_lesson("warning", one)]
    return []


def _like_situations(one: Group) -> Group:
    """The episodes of the contexts in which both the action and another were taken; all where those are too few.

    What is done depends on the situation: otherwise an action would be praised for the easy tasks that call for it.
    """
    inside = frozenset(one.places)
    taken: defaultdict[tuple[Trait, ...], set[bool]] = defaultdict(set)
    where = [tuple(sorted(entries(episode))) for episode in one.episodes]
    for index, situation in enumerate(where):
        taken[situation].add(index in inside)
    chosen = [index for index, situation in enumerate(where) if len(taken[situation]) > 1]
    own = tuple(place for place, index in enumerate(chosen) if index in inside)
    if min(len(own), len(chosen) - len(own)) < REPEATS:
        return one
    return Group([one.episodes[index] for index in chosen], one.basis, one.trait, own)


def _gap(own: Rate, others: Rate) -> tuple[float, float]:
    """The interval of a difference in success rate, in [-1, 1]; of too few others it says nothing."""
    return difference(own, others) if others.total >= REPEATS else (-1.0, 1.0)


def _situations(group: Sequence[Episode]) -> list[Lesson]:
    """What holds under a context entry, or of a word of the task, whatever is done."""
    whole = Group(group, "context", "", tuple(range(len(group))))
    found: list[Lesson] = []
    for marks in (entries, task_words):
        shown = {
            mark: where
            for mark, where in places_of((index, marks(one)) for index, one in enumerate(group)).items()
            if REPEATS <= len(where) <= len(group) - REPEATS
        }
        for mark, where in shown.items():
            one = Group(group, *mark, where)
            own = one.rates(where)[0]
            if _is_pure(own) and _chance(whole, where) * len(shown) <= CHANCE:
                found.append(_lesson("advice" if own.value > 0.5 else "warning", one))
    return found


def _lesson(kind: Kind, one: Group, condition: Trait | None = None) -> Lesson:
    own, others = one.rates(one.places)
    like = _like_situations(one)
    low, high = _gap(*like.rates(like.places))
    said = condition[1] if condition else ""
    support = Support(one.episodes[0].task_type, one.basis, one.trait, own, others, low, high, said)
    return Lesson(kind, one, support, condition)


def _strength(support: Support) -> float:
    """How far the intervals are from chance, in [0, 1]."""
    return max(support.low, -support.high, support.own.low - 0.5, 0.5 - support.own.high, 0.0)
