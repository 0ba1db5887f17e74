"""Ways to choose lessons for a task, for ``learning_world``: the project's rules, and what they are compared with.

Every policy sees the same lessons, decisions of the person, tasks and outcomes. ``Alice`` decides nothing by itself: it
calls the pure rules that the program calls.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import log, sqrt
from typing import Protocol

from alice_exp.finding.rules.ranking import fit, ordered
from alice_exp.learning.rules.decision_tiers import choose
from alice_exp.model.rules.approval import started
from alice_exp.model.rules.doubt import is_in_doubt, still_true
from alice_exp.model.rules.lifecycle import Standing, outcome, retire
from alice_exp.model.values.block import Approved, Block, Evidence, Payload, Placed, Trigger, content_hash
from alice_exp.review.rules.daily_report import is_asked

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

    def decided(self, lesson: str, approved: bool, at: str) -> None:
        """The person has decided on it."""

    def paired(self, lesson: str, rival: str, both: bool) -> None:
        """And said that it replaces its rival, or that both hold."""

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

    def decided(self, lesson: str, approved: bool, at: str) -> None:
        if approved:
            self.arms.setdefault(self.known[lesson].kind, []).append(lesson)

    def paired(self, lesson: str, rival: str, both: bool) -> None:
        pass

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
    """The project's rules."""

    held: dict[int, dict[str, Placed]] = field(default_factory=dict)
    gone: dict[str, Placed] = field(default_factory=dict)
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

    def decided(self, lesson: str, approved: bool, at: str) -> None:
        one = self.known[lesson]
        block = self.held[one.kind].pop(lesson).block
        if approved:
            block = replace(started(block), approved=Approved(at, "user", content_hash(block)), updated_at=at)
            self.held[one.kind][lesson] = Placed(
                block, "personal/user_profile.jsonc" if one.about else "universal/tools.jsonc"
            )

    def morning(self, at: str, before: str, judge: Judge) -> int:
        asked = 0
        for kept in self.held.values():
            for lesson, placed in list(kept.items()):
                if placed.place == "low_value" or not is_asked(placed.block, before, at):
                    continue
                asked += 1
                said = judge([lesson], at)
                if said == "":
                    kept[lesson] = replace(placed, block=still_true(placed.block, at))
                elif said is not None:
                    self.gone[lesson] = replace(
                        kept.pop(lesson), block=retire(placed.block, "no longer", at).block
                    )
        return asked

    def pick(self, task: Task) -> tuple[str, ...]:
        found = [fit(placed, FITS, {}, task.at) for placed in self.held.get(task.kind, {}).values()]
        return tuple(
            one.placed.block.id for one in choose(ordered(one for one in found if one is not None)).applied
        )

    def report(self, task: Task, told: Sequence[str], ok: bool) -> None:
        for lesson in told[:1]:
            placed = self.held[task.kind][lesson]
            standing: Standing = "candidate" if placed.place == "low_value" else ""
            standing = "own_word" if placed.place == "personal" else standing
            change = outcome(
                placed.block, ok, task.scenario, task.at, Evidence("episode", ref=f"ep-{task.key}"),
                standing=standing,
            )  # fmt: skip
            if is_in_doubt(change.block) and not is_in_doubt(placed.block):
                self.doubted.append(lesson)
            after = replace(placed, block=change.block)
            if change.archive:
                del self.held[task.kind][lesson]
                self.gone[lesson] = after
            else:
                self.held[task.kind][lesson] = after
