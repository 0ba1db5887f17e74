"""Distils repeated patterns of episodes into proposals for the pool: advice from successes, warnings from failures.

Episodes of one type are compared by their traits: the action, a step of it, a context entry, a word of the task. A
trait is proposed if its success rate differs from the average and from the other episodes of the type by more than
90 % intervals allow; an action also if its own rate is clear; a falling reward is a warning. Deterministic: the same
episodes give the same proposals. Sources: R0.3, R0.5, R0.51; issue 5.2.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from alice_exp.kernel.text.tokens import STOP_WORDS, keywords
from alice_exp.learning.rules.success_rates import (
    Z,
    difference,
    rate,
    stratified_difference,
    trend,
)
from alice_exp.model.values.block import EVIDENCE_KEPT, Evidence, Payload, Trigger
from alice_exp.model.values.records import GENERAL
from alice_exp.timeline.rules.digest import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from alice_exp.kernel.jsonc.problem import Json
    from alice_exp.learning.rules.success_rates import Rate
    from alice_exp.model.values.records import Episode

Kind = Literal["advice", "warning"]
Basis = Literal["action", "step", "context", "word", "trend", "episode"]
"""What the episodes of a proposal share; ``episode``: the proposal rests on a single one."""

REPEATS = 3
"""The fewest episodes with a trait, and without it, from which anything is concluded."""

TREND_LENGTH = 6
"""The fewest rewards in which a trend is looked for."""

TREND_KEPT = 200
"""The newest rewards in which a trend is looked for; the test takes quadratic time."""

QUOTE = 160
"""The most characters of a quote."""

# Of several traits of exactly the same episodes the first of these is proposed: it says most about what to do.
_PRIORITY: Sequence[Basis] = ("trend", "action", "context", "step", "word")
_STEPS = re.compile(r"\s*(?:&&|\|\||;|,|→|->|\n|，|；|、|然后)\s*")
_CJK = re.compile("[\u2e80-\U0003ffff]")

Trait: TypeAlias = tuple[Basis, str]


@dataclass(frozen=True, slots=True)
class Support:
    """The numbers behind a proposal: the success rate with the trait, that of the other episodes of the type, and the
    90 % interval ``low`` to ``high`` of their difference, in [-1, 1].

    ``falling`` holds the mean rewards of the older and the newer half if the proposal is a trend.
    """

    type: str
    basis: Basis
    trait: str
    own: Rate
    others: Rate
    low: float
    high: float
    falling: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """A candidate for the pool. It rests on experience, so it starts as ``past`` with one verification (R0.51, D44)."""

    kind: Kind
    payload: Payload
    trigger: Trigger
    evidence: tuple[Evidence, ...]
    support: Support
    episodes: tuple[str, ...]
    """The ids of all episodes that show the trait; ``evidence`` quotes the newest of them."""

    @property
    def block_type(self) -> Literal["solution", "pattern"]:
        """The type of the block to be created."""
        return "solution" if self.kind == "advice" else "pattern"

    @property
    def explanation(self) -> tuple[str, Mapping[str, object]]:
        """A message template and its values: counts, rates, the interval (in percent)."""
        support = self.support
        values: dict[str, object] = {
            "trait": support.trait,
            "type": support.type,
            "successes": support.own.successes,
            "total": support.own.total,
            "rate": round(100 * support.own.value),
            "from": round(100 * support.own.low),
            "to": round(100 * support.own.high),
            "other_successes": support.others.successes,
            "other_total": support.others.total,
            "other_rate": round(100 * support.others.value),
            "low": round(100 * support.low),
            "high": round(100 * support.high),
        }
        if support.falling is not None:
            values |= {"older": round(support.falling[0], 2), "newer": round(support.falling[1], 2)}
            return (
                '"{trait}" ({type}): the mean reward fell from {older} to {newer} over {total} episodes',
                values,
            )
        if support.basis == "episode":
            return "one episode of type {type}, succeeded {successes} of {total}", values
        return (
            '"{trait}" ({type}): succeeded {successes} of {total} = {rate} % [{from}, {to}], the others '
            "{other_successes} of {other_total} = {other_rate} %; difference {low} to {high} points (90 %)",
            values,
        )


def distill(episodes: Iterable[Episode], limit: int = 20) -> tuple[Proposal, ...]:
    """At most ``limit`` proposals from repeated traits, the strongest first."""
    by_type: defaultdict[str, list[Episode]] = defaultdict(list)
    for episode in sorted(episodes, key=lambda one: (one.timestamp, one.id)):
        by_type[episode.task_type].append(episode)
    found = [proposal for kind, group in by_type.items() for proposal in _of_type(kind, group)]
    found.sort(
        key=lambda one: (-_strength(one.support), one.support.type, one.support.basis, one.support.trait)
    )
    return tuple(found[:limit])


def lesson(episode: Episode) -> Proposal:
    """The proposal from a single episode: its action, for tasks like its own (D44)."""
    kind: Kind = "advice" if episode.success else "warning"
    own = rate(int(episode.success), 1)
    support = Support(episode.task_type, "episode", episode.action, own, rate(0, 0), -1.0, 1.0)
    trigger = Trigger(episode.task, context=dict(episode.context))
    payload = Payload(_payload_text(kind, episode.action, episode))
    return Proposal(kind, payload, trigger, (_evidence(episode),), support, (episode.id,))


def _of_type(kind: str, group: Sequence[Episode]) -> list[Proposal]:
    """The proposals of one type; ``group`` is oldest first."""
    shown: defaultdict[Trait, list[int]] = defaultdict(list)
    for index, episode in enumerate(group):
        for trait in traits(episode):
            shown[trait].append(index)
    successes = sum(episode.success for episode in group)
    # Keyed by the episodes, because traits of exactly the same episodes cannot be told apart.
    found: dict[tuple[int, ...], tuple[Support, Kind]] = {}
    for trait in sorted(shown, key=lambda one: (_PRIORITY.index(one[0]), one[1])):
        places = tuple(shown[trait])
        if len(places) < REPEATS or places in found:
            continue
        own = rate(sum(group[index].success for index in places), len(places))
        others = rate(successes - own.successes, len(group) - own.total)
        gap = _gap(group, trait, places, own, others)
        verdict = _verdict(kind, trait, own, others, gap) or _falling(kind, trait, own, others, group, places)
        if verdict is not None:
            found[places] = verdict
    return [
        _proposal(support, verdict_kind, [group[index] for index in places])
        for places, (support, verdict_kind) in found.items()
    ]


def _gap(
    group: Sequence[Episode], trait: Trait, places: Sequence[int], own: Rate, others: Rate
) -> tuple[float, float]:
    """The interval of the difference in success rate with and without a trait, in [-1, 1]."""
    if others.total < REPEATS:
        return -1.0, 1.0
    # What is done depends on the situation, so actions are compared within equal contexts if there are enough:
    # otherwise an action would be praised for the easy tasks that call for it.
    if trait[0] in ("action", "step"):
        strata = _strata(group, frozenset(places))
        if min(sum(one[1] for one in strata), sum(one[3] for one in strata)) >= REPEATS:
            return stratified_difference(strata)
    return difference(own, others)


def _strata(group: Sequence[Episode], places: frozenset[int]) -> list[tuple[int, int, int, int]]:
    """Successes and trials with the trait, then without, for each context in which both occurred."""
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for index, episode in enumerate(group):
        own = counts[json.dumps(dict(episode.context), ensure_ascii=False, sort_keys=True)]
        at = 0 if index in places else 2
        own[at] += episode.success
        own[at + 1] += 1
    return [(a, b, c, d) for a, b, c, d in counts.values() if b and d]


def _verdict(
    kind: str, trait: Trait, own: Rate, others: Rate, gap: tuple[float, float]
) -> tuple[Support, Kind] | None:
    """Whether a trait tells success from failure; ``None`` if it does not.

    Its interval must lie entirely above (or below) the average of its type, and the interval of the difference must
    exclude 0. For an action its own interval above (or below) one half is enough, unless the difference contradicts.
    """
    low, high = gap
    support = Support(kind, *trait, own, others, low, high)
    # Compared with the average too, because a trait that most episodes have is no advice just because the few others
    # failed.
    average = (own.successes + others.successes) / (own.total + others.total)
    is_alone = trait[0] == "action"
    if (low > 0 and own.low > average) or (is_alone and own.low > 0.5 and high > 0):
        return support, "advice"
    if (high < 0 and own.high < average) or (is_alone and own.high < 0.5 and low < 0):
        return support, "warning"
    return None


def _falling(
    kind: str, trait: Trait, own: Rate, others: Rate, group: Sequence[Episode], places: Sequence[int]
) -> tuple[Support, Kind] | None:
    """A warning if the rewards of an action fall significantly; ``None`` otherwise."""
    rewards = [group[index].reward for index in places[-TREND_KEPT:]]
    if trait[0] != "action" or len(rewards) < TREND_LENGTH or trend(rewards) > -Z:
        return None
    middle = len(rewards) // 2
    halves = (sum(rewards[:middle]) / middle, sum(rewards[middle:]) / (len(rewards) - middle))
    return Support(kind, "trend", trait[1], own, others, -1.0, 1.0, halves), "warning"


def _strength(support: Support) -> float:
    """How far the interval is from chance, in [0, 1]; for a trend, how far the mean reward fell."""
    if support.falling is not None:
        return max(0.0, support.falling[0] - support.falling[1])
    alone = max(support.own.low - 0.5, 0.5 - support.own.high) if support.basis == "action" else 0.0
    return max(support.low, -support.high, alone, 0.0)


def traits(episode: Episode) -> set[Trait]:
    """The traits that an episode can share with others."""
    action = " ".join(episode.action.split())
    steps = {" ".join(step.split()) for step in _STEPS.split(episode.action)} - {""}
    traits: set[Trait] = {("action", action)} if action else set()
    # The only step of an action is the action itself.
    if len(steps) > 1:
        traits |= {("step", step) for step in steps}
    traits |= {("word", word) for word in _words(episode)}
    return traits | {("context", _entry(key, value)) for key, value in episode.context.items()}


def _words(episode: Episode) -> frozenset[str]:
    return keywords(episode.task) - STOP_WORDS


def _entry(key: str, value: Json) -> str:
    return (
        f"{key}={value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)}"
    )


def _proposal(support: Support, kind: Kind, shown: Sequence[Episode]) -> Proposal:
    """``shown`` are the episodes with the trait, oldest first."""
    # A trend is a warning even if all of its episodes succeeded.
    telling = [episode for episode in shown if episode.success == (kind == "advice")] or list(shown)
    best = max(
        telling, key=lambda one: (bool(one.reflection), one.reward if kind == "advice" else -one.reward)
    )
    named = support.trait if support.basis in ("action", "step", "trend") else best.action
    evidence = tuple(map(_evidence, shown[-EVIDENCE_KEPT:]))
    ids = tuple(episode.id for episode in shown)
    payload = Payload(_payload_text(kind, named, best))
    return Proposal(kind, payload, _trigger(support, shown), evidence, support, ids)


def _trigger(support: Support, shown: Sequence[Episode]) -> Trigger:
    """The trigger of a proposal: the words that most of its tasks share, and the context that all of them share."""
    counts = Counter(word for episode in shown for word in _words(episode))
    common = [word for word, count in sorted(counts.items(), key=lambda one: (-one[1], one[0]))]
    shared = tuple(word for word in common if 2 * counts[word] > len(shown))[:8]
    typical = max(shown, key=lambda one: sum(counts[word] for word in _words(one) & set(shared)))
    context = {
        key: value
        for key, value in shown[-1].context.items()
        # A missing key must not count as an equal null.
        if all(key in episode.context and episode.context[key] == value for episode in shown)
    }
    if support.basis == "word":
        shared = (support.trait, *(word for word in shared if word != support.trait))
    about = "" if support.type == GENERAL else f"{support.type}: "
    text = typical.task if support.basis in ("action", "step", "trend") else about + " ".join(shared)
    return Trigger(text.rstrip(": ") or support.trait, shared, context)


def _payload_text(kind: Kind, action: str, example: Episode) -> str:
    """The payload: the action and what was learned from it, in the language of the episode."""
    learned = example.reflection.strip()
    parts = [part for part in (shortened(action, 400), learned) if part]
    # dict.fromkeys, because the reflection may repeat the action word for word.
    text = " — ".join(dict.fromkeys(parts)) or example.task
    if kind == "advice":
        return text
    return f"避免：{text}" if _CJK.search(example.task + text) else f"avoid: {text}"


def _evidence(episode: Episode) -> Evidence:
    result = episode.result if isinstance(episode.result, str) else ""
    quote = " → ".join(part for part in (episode.action, result or episode.reflection) if part.strip())
    effect = "ok" if episode.success else "fail"
    return Evidence("episode", episode.id, episode.at, shortened(quote or episode.task, QUOTE), effect=effect)
