"""Ways to choose lessons for a task, for ``learning_world``: the project's rules, and what they are compared with.

Every policy sees the same lessons, decisions of the person, tasks and outcomes. ``Alice`` decides nothing by itself: it
calls the pure rules that the program calls.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log, sqrt
from typing import Protocol

from alice_exp.finding.rules.choice import are_rivals, choose
from alice_exp.finding.rules.ranking import Match, fit, ordered
from alice_exp.learning.rules.impact import counted
from alice_exp.model.rules.approval import started
from alice_exp.model.rules.doubt import is_in_doubt, rested, still_true, waiting
from alice_exp.model.rules.ledger import bound
from alice_exp.model.values.block import Approved, Block, Evidence, Payload, Placed, Trigger, content_hash
from alice_exp.review.rules.doubts import AT_ONCE, is_asked

FITS = 0.5
"""How well every lesson of a kind matches each of its tasks: equally."""


MOST = 8
"""The most lessons that a policy tells for a task."""

Judge = Callable[[Sequence[str], str], "str | None"]
"""Asks the person which of some lessons no longer holds, at a time: its id; "": none; None: no answer."""


@dataclass(frozen=True)
class Task:
    """One task: its kind, its moment, its scenario, and the policy's own luck (common to all policies)."""

    kind: int
    at: str
    scenario: str
    key: str


@dataclass(frozen=True)
class Proposed:
    """What a policy sees of a lesson: whether it is about the person, and its words: equal ones, unless "", are rivals."""

    id: str
    kind: int
    about: bool
    words: str


class Policy(Protocol):
    """What the world asks of a policy; a lesson is known by its id."""

    def found(self, lesson: Proposed, at: str) -> None:
        """A lesson is proposed."""

    def rival(self, lesson: str) -> str | None:
        """What the person is asked to compare it with before it is approved."""

    def decided(self, lesson: str, approved: bool, at: str, replaces: str = "", both: str = "") -> None:
        """The person has decided on it, and said which rival it replaces or holds beside."""

    def morning(self, at: str, before: str, judge: Judge) -> int:
        """The person looks; the number of questions beyond new lessons."""

    def pick(self, task: Task) -> tuple[str, ...]:
        """What to tell, in order; nothing: own reasoning."""

    def report(self, task: Task, told: Sequence[str], ok: bool) -> None:
        """How it ended, as it was reported."""

    def signalled(self, task: Task, told: Sequence[str], ok: bool) -> None:
        """How it seemed to end; a report may follow."""


@dataclass
class Plain:
    """No memory; and what every policy of approved lessons shares: ``arms``, oldest approval first, by kind."""

    arms: dict[int, list[str]] = field(default_factory=dict)
    known: dict[str, Proposed] = field(default_factory=dict)

    def found(self, lesson: Proposed, at: str) -> None:
        self.known[lesson.id] = lesson

    def rival(self, lesson: str) -> str | None:
        return None

    def decided(self, lesson: str, approved: bool, at: str, replaces: str = "", both: str = "") -> None:
        if approved:
            self.arms.setdefault(self.known[lesson].kind, []).append(lesson)

    def morning(self, at: str, before: str, judge: Judge) -> int:
        return 0

    def pick(self, task: Task) -> tuple[str, ...]:
        return ()

    def report(self, task: Task, told: Sequence[str], ok: bool) -> None:
        pass

    def signalled(self, task: Task, told: Sequence[str], ok: bool) -> None:
        pass


class Newest(Plain):
    """The newest eight that were approved, newest first."""

    def pick(self, task: Task) -> tuple[str, ...]:
        return tuple(self.arms.get(task.kind, [])[: -MOST - 1 : -1])


@dataclass
class Counted(Plain):
    """Policies that count each outcome for all that was told, and for own reasoning where nothing was.

    They tell the eight of most worth, those alone that are worth more than own reasoning; equal: newest first.
    """

    counts: dict[str, list[float]] = field(default_factory=dict)

    def tally(self, lesson: str) -> list[float]:
        """[successes, failures]."""
        return self.counts.setdefault(lesson, [0.0, 0.0])

    def report(self, task: Task, told: Sequence[str], ok: bool) -> None:
        for one in told or [f"own {task.kind}"]:
            self.tally(one)[0 if ok else 1] += 1

    def worth(self, task: Task, lesson: str) -> float:
        raise NotImplementedError

    def pick(self, task: Task) -> tuple[str, ...]:
        own = self.worth(task, f"own {task.kind}")
        found = [(self.worth(task, one), one) for one in reversed(self.arms.get(task.kind, []))]
        better = [one for one in found if one[0] >= own]
        return tuple(one for _, one in sorted(better, key=lambda one: one[0], reverse=True)[:MOST])


class Posterior(Counted):
    """(ok + 3)/(n + 4), an approval's prior; own reasoning is worth nothing."""

    def worth(self, task: Task, lesson: str) -> float:
        ok, failed = self.tally(lesson)
        return 0.0 if lesson.startswith("own") else (ok + 3) / (ok + failed + 4)


class Counters(Counted):
    """Helpful minus harmful; own reasoning is worth 0."""

    def worth(self, task: Task, lesson: str) -> float:
        ok, failed = self.tally(lesson)
        return 0.0 if lesson.startswith("own") else ok - failed


class Ucb(Counted):
    """UCB1 over the approved lessons and own reasoning."""

    def worth(self, task: Task, lesson: str) -> float:
        ok, failed = self.tally(lesson)
        if not ok + failed:
            return float("inf")
        arms = [*self.arms.get(task.kind, []), f"own {task.kind}"]
        everything = sum(sum(self.tally(one)) for one in arms)
        return ok / (ok + failed) + sqrt(2 * log(everything) / (ok + failed))


class Thompson(Counted):
    """Thompson sampling from Beta(1 + successes, 1 + failures) over the approved lessons and own reasoning."""

    def worth(self, task: Task, lesson: str) -> float:
        ok, failed = self.tally(lesson)
        return random.Random(f"{task.key} {lesson}").betavariate(1 + ok, 1 + failed)


class Discounted(Thompson):
    """The same, each count worth 0.98 of the day before's."""

    def morning(self, at: str, before: str, judge: Judge) -> int:
        self.counts = {name: [0.98 * ok, 0.98 * bad] for name, (ok, bad) in self.counts.items()}
        return 0


@dataclass
class Alice(Plain):
    """The project's rules, block by block as a home keeps them; lessons of the same words are rivals to nearness."""

    held: dict[int, dict[str, Placed]] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    """What a person approved and took back."""
    rejected: set[tuple[int, str]] = field(default_factory=set)
    """Kind and words of what a person turned down: a candidate that is worded so is not tried (DESIGN 13)."""
    doubted: list[str] = field(default_factory=list)
    """Every lesson as it came in doubt, once a time."""

    def found(self, lesson: Proposed, at: str) -> None:
        super().found(lesson, at)
        block = Block(
            lesson.id, Payload(f"what {lesson.id} says"), Trigger(f"kind {lesson.kind}"), type="solution",
            evidence=(Evidence("episode", ref=f"ep-{lesson.id}", at=at),), observations=1, created_at=at, updated_at=at,
        )  # fmt: skip
        self.held.setdefault(lesson.kind, {})[lesson.id] = Placed(
            block, "low_value_pool/pending_20260101.jsonc"
        )

    def rival(self, lesson: str) -> str | None:
        one = self.known[lesson]
        alike = (
            told for told in self._told(one.kind, self.held[one.kind][lesson].block.updated_at)
            if told.approved and self._are_rivals(told.placed, self.held[one.kind][lesson])
        )  # fmt: skip
        return next((told.placed.block.id for told in alike), None)

    def decided(self, lesson: str, approved: bool, at: str, replaces: str = "", both: str = "") -> None:
        one = self.known[lesson]
        block = self.held[one.kind].pop(lesson).block
        if not approved and one.words:
            self.rejected.add((one.kind, one.words))
        if approved:
            block = replace(started(block), updated_at=at)
            block = replace(block, replaces=(replaces,) * bool(replaces), both=(both,) * bool(both))
            place = "personal/user_profile.jsonc" if one.about else "universal/tools.jsonc"
            mark = Approved(at, "user", content_hash(block))
            block = replace(block, approved=mark, entry=bound("trusted", block, place))
            self.held[one.kind][lesson] = Placed(block, place)

    def _are_rivals(self, one: Placed, other: Placed) -> bool:
        ours, theirs = self.known[one.block.id], self.known[other.block.id]
        return are_rivals(one, other, "replaces" if ours.words == theirs.words != "" else None) is not None

    def morning(self, at: str, before: str, judge: Judge) -> int:
        every = [one for kept in self.held.values() for one in kept.values() if is_in_doubt(one.block)]
        due = [one.block for one in every if is_asked(one.block, at[:10], at)]
        asked = 0
        for block in sorted(due, key=lambda one: one.doubt.asked if one.doubt else "")[:AT_ONCE]:
            kept = self.held[self.known[block.id].kind]
            placed = kept.get(block.id)
            doubt = placed.block.doubt if placed is not None else None
            if placed is None or doubt is None or not doubt.since:
                continue
            asked += 1
            kept[block.id] = replace(placed, block=replace(placed.block, doubt=replace(doubt, asked=at)))
            group = [one for one in (block.id, *doubt.beside) if one in kept]
            said = judge(group, at)
            if said is None:
                continue
            answered = {one for some in self._groups(kept, said or block.id) for one in some if one in kept}
            if said:
                self.gone.add(said)
                del kept[said]
            for one in answered - {said}:
                kept[one] = replace(kept[one], block=(rested if said else still_true)(kept[one].block, at))
        return asked

    def _groups(self, kept: Mapping[str, Placed], named: str) -> list[set[str]]:
        """The questions that a block is part of."""
        found = [
            {one.block.id, *one.block.doubt.beside}
            for one in kept.values()
            if one.block.doubt is not None and one.block.doubt.since
        ]
        return [group for group in found if named in group]

    def _told(self, kind: int, at: str) -> tuple[Match, ...]:
        kept = self.held.get(kind, {}).values()
        found = [fit(placed, FITS, {}, at) for placed in kept]
        return choose(
            ordered(one for one in found if one is not None),
            self._are_rivals,
            waiting(kept),
            self._is_like_rejected,
        ).applied

    def _is_like_rejected(self, candidate: Placed) -> bool:
        one = self.known[candidate.block.id]
        return (one.kind, one.words) in self.rejected

    def pick(self, task: Task) -> tuple[str, ...]:
        return tuple(one.placed.block.id for one in self._told(task.kind, task.at))

    def report(self, task: Task, told: Sequence[str], ok: bool) -> None:
        kept = self.held.get(task.kind, {})
        # What is about the person gets no outcome from an agent.
        meant = [kept[one] for one in told if kept[one].place != "personal"]
        piece = Evidence("episode", ref=f"ep-{task.key}", at=task.at)
        for after, _ in counted(meant, (), ok, task.scenario, task.at, piece):
            name = after.block.id
            if is_in_doubt(after.block) and not is_in_doubt(kept[name].block):
                self.doubted.append(name)
            kept[name] = after
