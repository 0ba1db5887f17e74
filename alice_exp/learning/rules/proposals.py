"""What is proposed of a lesson: its payload, trigger and evidence, and the numbers behind it (R0.51, D44)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from alice_exp.episodes.rules.search_episodes import as_told
from alice_exp.kernel.value_class import attributes, dataclass
from alice_exp.learning.rules.episode_groups import (
    Basis,
    Trait,
    frequent_words,
    phrase,
    shared_words,
    whole_words,
)
from alice_exp.model.rules.doubt import Rate, rate
from alice_exp.model.values.block import EVIDENCE_KEPT, Evidence, Payload, Trigger
from alice_exp.model.values.records import GENERAL, Episode
from alice_exp.timeline.rules.digest import shortened

Kind = Literal["advice", "warning"]

QUOTE = 160
"""The most characters of a quote."""

_CJK = re.compile("[\u2e80-\U0003ffff]")

SHORT = 4
"""A phrase of so few characters says too little of a kind of task."""


@dataclass(frozen=True, slots=True)
class Support:
    """The numbers behind a proposal: the success rate with the trait, that of the other episodes of the same kind of
    task, and the 90 % interval ``low`` to ``high`` of their difference, in [-1, 1].

    ``condition`` is the context entry or word under which it holds.
    """

    type: str
    basis: Basis
    trait: str
    own: Rate
    others: Rate
    low: float
    high: float
    condition: str = ""


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
        # An episode without a type is of the type general, which says nothing (B5.8).
        named = [one for one in (support.type, support.condition) if one and one != GENERAL]
        values: dict[str, object] = {
            "trait": f"{support.trait} ({', '.join(named)})" if named else support.trait,
            **attributes(support.own, "successes total"),
            "rate": round(100 * support.own.value),
            "from": round(100 * support.own.low),
            "to": round(100 * support.own.high),
            "other_successes": support.others.successes,
            "other_total": support.others.total,
            "other_rate": round(100 * support.others.value),
            "low": round(100 * support.low),
            "high": round(100 * support.high),
        }
        if support.basis == "episode":
            return "one episode, succeeded {successes} of {total}", values
        return (
            '"{trait}": succeeded {successes} of {total} = {rate} % [{from}, {to}], the others '
            "{other_successes} of {other_total} = {other_rate} %; difference {low} to {high} points (90 %)",
            values,
        )


@dataclass(frozen=True, slots=True)
class Group:
    """Episodes of one kind of task, oldest first, and the indexes of those that share a trait."""

    episodes: Sequence[Episode]
    basis: Basis
    trait: str
    places: tuple[int, ...]
    tried: int = 1
    """How many groups were looked at where the best of them was chosen by its outcomes (Bonferroni)."""

    def rates(self, places: Sequence[int]) -> tuple[Rate, Rate]:
        """The success rate of some of the episodes, and of all others of the kind."""
        own = sum(self.episodes[index].success for index in places)
        whole = sum(episode.success for episode in self.episodes)
        return rate(own, len(places)), rate(whole - own, len(self.episodes) - len(places))


@dataclass(frozen=True, slots=True)
class Lesson:
    """What is to be proposed: of these episodes, under this condition (none: whatever the situation)."""

    kind: Kind
    group: Group
    support: Support
    condition: Trait | None = None
    parting: frozenset[str] = frozenset()
    """The context keys by which success and failure part in this kind of task."""


def lesson(episode: Episode) -> Proposal:
    """The proposal from a single episode: its action, for tasks like its own (D44)."""
    episode = as_told(episode)
    kind: Kind = "advice" if episode.success else "warning"
    own = rate(int(episode.success), 1)
    support = Support(episode.task_type, "episode", episode.action, own, rate(0, 0), -1.0, 1.0)
    trigger = Trigger(episode.task, context=dict(episode.context))
    payload = Payload(_payload_text(kind, episode.action, episode))
    return Proposal(kind, payload, trigger, (_evidence(episode, kind),), support, (episode.id,))


def proposal(one: Lesson) -> Proposal:
    """What is proposed of a lesson: payload, trigger, and the episodes that took the action as evidence."""
    shown = [one.group.episodes[index] for index in one.group.places]
    telling = [episode for episode in shown if episode.success == (one.kind == "advice")]
    best = max(
        telling,
        key=lambda each: (bool(each.reflection), each.reward if one.kind == "advice" else -each.reward),
    )
    named = one.support.trait if one.support.basis in ("action", "step") else best.action
    evidence = tuple(_evidence(episode, one.kind) for episode in shown[-EVIDENCE_KEPT:])
    payload = Payload(_payload_text(one.kind, named, best))
    ids = tuple(episode.id for episode in shown)
    return Proposal(one.kind, payload, _trigger(one, shown), evidence, one.support, ids)


def _trigger(one: Lesson, shown: Sequence[Episode]) -> Trigger:
    """When it applies: a phrase for its tasks, the condition, and the context that the whole kind of task shares."""
    group = one.group.episodes
    condition = one.condition or (one.group.basis, one.group.trait)
    said = condition[1] if condition[0] in ("context", "word") else ""
    text = max(phrase(group), phrase(shown), key=lambda each: len(each) > SHORT)
    if text and " " not in text and not _CJK.search(text) and one.support.type != GENERAL:
        text = f"{one.support.type}: {text}"
    text = text or (
        one.support.type if one.support.type != GENERAL else frequent_words(group) or one.group.trait
    )
    keys = whole_words(shared_words(shown), text)
    if condition[0] == "word":
        keys = (said, *(word for word in keys if word != said))
    key = said.partition("=")[0] if condition[0] == "context" else ""
    context = {
        name: value
        for name, value in shown[-1].context.items()
        if _is_shared(name, shown) and (name in (key, *one.parting) or _is_shared(name, group))
    }
    return Trigger(text if not said or said.lower() in text.lower() else f"{text} ({said})", keys, context)


def _is_shared(name: str, episodes: Sequence[Episode]) -> bool:
    """Whether all episodes have one value under a context key; a missing key is no equal null."""
    return all(name in one.context and one.context[name] == episodes[0].context.get(name) for one in episodes)


def _payload_text(kind: Kind, action: str, example: Episode) -> str:
    """The payload: the action and what was learned from it, in the language of the episode. The trigger says when."""
    parts = [part for part in (shortened(action, 400), example.reflection.strip()) if part]
    # dict.fromkeys, because the reflection may repeat the action word for word.
    text = " — ".join(dict.fromkeys(parts)) or example.task
    if kind == "advice":
        return text
    return f"避免：{text}" if _CJK.search(example.task + text) else f"avoid: {text}"


def _evidence(episode: Episode, kind: Kind) -> Evidence:
    """An episode as evidence. What failed speaks for a warning: booked as an outcome, it would speak against it."""
    result = episode.result if isinstance(episode.result, str) else ""
    quote = " → ".join(part for part in (episode.action, result or episode.reflection) if part.strip())
    effect = "" if kind == "warning" else "ok" if episode.success else "fail"
    return Evidence("episode", episode.id, episode.at, shortened(quote or episode.task, QUOTE), effect=effect)
