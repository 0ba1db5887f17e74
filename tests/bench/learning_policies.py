"""Ways to choose a lesson for a task, for the world of ``learning_world``: the project's rules, and what they are compared with.

Every policy sees the same lessons, decisions of the person, tasks and outcomes. ``Alice`` decides nothing by itself: it
calls the pure rules that the program calls.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import log, sqrt
from typing import Protocol

from alice_exp.learning.rules.decision_tiers import Choice, choose

from alice_exp.finding.rules.ranking import Match, fit, ordered
from alice_exp.model.rules.approval import started
from alice_exp.model.rules.doubt import is_in_doubt, outcomes_since_kept, still_true
from alice_exp.model.rules.lifecycle import Standing, outcome, retire, revive
from alice_exp.model.values.block import Approved, Block, Evidence, Payload, Placed, Trigger, content_hash
from alice_exp.review.rules.daily_report import is_asked

FITS = 0.5
"""How well every lesson of a kind matches each of its tasks: equally."""

REVIVED_FROM = 3
"""The fewest kept outcomes of a refuted block that is offered for revival (DESIGN 12.7)."""


@dataclass(frozen=True)
class Task:
    """One task: its kind, its moment, its scenario, and the policy's own luck (common to all policies)."""

    kind: int
    at: str
    scenario: str
    key: str


class Policy(Protocol):
    """What the world asks of a policy; a lesson is known by its id, own reasoning is None."""

    def found(self, lesson: str, kind: int, at: str) -> None:
        """A lesson is proposed."""

    def decided(self, lesson: str, approved: bool, at: str) -> None:
        """The person has decided on it."""

    def morning(self, at: str, before: str, judge: Callable[[str, str], bool | None]) -> int:
        """The person looks; the number of questions beyond new lessons. ``judge`` says whether a lesson holds."""

    def pick(self, task: Task) -> str | None:
        """What to follow."""

    def report(self, task: Task, lesson: str | None, ok: bool) -> None:
        """How it ended, as it was reported."""


@dataclass
class Plain:
    """No memory; and what every policy of approved lessons shares: ``arms``, oldest approval first, by kind."""

    arms: dict[int, list[str]] = field(default_factory=dict)
    kinds: dict[str, int] = field(default_factory=dict)

    def found(self, lesson: str, kind: int, at: str) -> None:
        self.kinds[lesson] = kind

    def decided(self, lesson: str, approved: bool, at: str) -> None:
        if approved:
            self.arms.setdefault(self.kinds[lesson], []).append(lesson)

    def morning(self, at: str, before: str, judge: Callable[[str, str], bool | None]) -> int:
        return 0

    def pick(self, task: Task) -> str | None:
        return None

    def report(self, task: Task, lesson: str | None, ok: bool) -> None:
        pass


class Newest(Plain):
    """The lesson that was approved last."""

    def pick(self, task: Task) -> str | None:
        arms = self.arms.get(task.kind)
        return arms[-1] if arms else None


@dataclass
class Counted(Plain):
    """Policies that count: outcomes of each lesson, and of own reasoning in each kind."""

    counts: dict[str, list[float]] = field(default_factory=dict)

    def tally(self, lesson: str | None, kind: int) -> list[float]:
        """[successes, failures]."""
        return self.counts.setdefault(lesson or f"own {kind}", [0.0, 0.0])

    def report(self, task: Task, lesson: str | None, ok: bool) -> None:
        self.tally(lesson, task.kind)[0 if ok else 1] += 1

    def options(self, task: Task) -> list[str | None]:
        return [*reversed(self.arms.get(task.kind, [])), None]

    def worth(self, task: Task, lesson: str | None) -> float:
        raise NotImplementedError

    def pick(self, task: Task) -> str | None:
        return max(self.options(task), key=lambda one: self.worth(task, one))


class Counters(Counted):
    """Helpful minus harmful; own reasoning is worth 0, the newest goes first on equality."""

    def worth(self, task: Task, lesson: str | None) -> float:
        ok, failed = self.tally(lesson, task.kind)
        return 0.0 if lesson is None else ok - failed


class Ucb(Counted):
    """UCB1 over the approved lessons and own reasoning."""

    def worth(self, task: Task, lesson: str | None) -> float:
        ok, failed = self.tally(lesson, task.kind)
        if not ok + failed:
            return float("inf")
        everything = sum(sum(self.tally(one, task.kind)) for one in self.options(task))
        return ok / (ok + failed) + sqrt(2 * log(everything) / (ok + failed))


class Thompson(Counted):
    """Thompson sampling from Beta(1 + successes, 1 + failures) over the approved lessons and own reasoning."""

    def worth(self, task: Task, lesson: str | None) -> float:
        ok, failed = self.tally(lesson, task.kind)
        return random.Random(f"{task.key} {lesson}").betavariate(1 + ok, 1 + failed)


class Discounted(Thompson):
    """The same, each count worth 0.98 of the day before's."""

    def morning(self, at: str, before: str, judge: Callable[[str, str], bool | None]) -> int:
        self.counts = {name: [0.98 * ok, 0.98 * bad] for name, (ok, bad) in self.counts.items()}
        return 0


@dataclass
class Alice(Plain):
    """The project's rules. ``follows`` says whether unreviewed advice is followed; ``lived`` whether a lesson cites the
    episode that it was learned from (an approval then starts it as past), else it is a bare inference."""

    follows: bool = True
    lived: bool = True
    revives: bool = False
    held: dict[int, dict[str, Placed]] = field(default_factory=dict)
    gone: dict[str, Placed] = field(default_factory=dict)
    refuted: list[str] = field(default_factory=list)
    doubted: list[str] = field(default_factory=list)
    """Every lesson as it came in doubt, once a time."""
    last: Choice | None = None

    def found(self, lesson: str, kind: int, at: str) -> None:
        super().found(lesson, kind, at)
        ref = f"ep-{lesson}" if self.lived else f"session-{lesson}#1"
        piece = Evidence("episode" if self.lived else "inference", ref=ref, at=at)
        block = Block(
            lesson, Payload(f"what {lesson} says"), Trigger(f"kind {kind}"), type="solution", evidence=(piece,),
            observations=1, created_at=at, updated_at=at,
        )  # fmt: skip
        self.held.setdefault(kind, {})[lesson] = Placed(block, "low_value_pool/pending_20260101.jsonc")

    def decided(self, lesson: str, approved: bool, at: str) -> None:
        kept = self.held[self.kinds[lesson]]
        block = kept.pop(lesson).block
        if approved:
            block = replace(started(block), approved=Approved(at, "user", content_hash(block)), updated_at=at)
            kept[lesson] = Placed(block, "universal/tools.jsonc")

    def morning(self, at: str, before: str, judge: Callable[[str, str], bool | None]) -> int:
        asked = 0
        for kept in self.held.values():
            for lesson, placed in list(kept.items()):
                if placed.place != "universal" or not is_asked(placed.block, before, at):
                    continue
                asked += 1
                holds = judge(lesson, at)
                if holds:
                    kept[lesson] = replace(placed, block=still_true(placed.block, at))
                elif holds is not None:
                    self.gone[lesson] = replace(
                        kept.pop(lesson), block=retire(placed.block, "no longer", at).block
                    )
        return asked + self._revival(at, judge)

    def _revival(self, at: str, judge: Callable[[str, str], bool | None]) -> int:
        asked = 0
        while self.refuted:
            lesson = self.refuted.pop()
            ok, failed = outcomes_since_kept(self.gone[lesson].block)
            if not self.revives or ok + failed < REVIVED_FROM or (ok + 1) / (ok + failed + 2) <= 0.5:
                continue
            asked += 1
            if judge(lesson, at):
                block = revive(self.gone.pop(lesson).block, at).block
                self.held[self.kinds[lesson]][lesson] = Placed(block, "universal/tools.jsonc")
        return asked

    def pick(self, task: Task) -> str | None:
        found = [fit(placed, FITS, {}, task.at) for placed in self.held.get(task.kind, {}).values()]
        self.last = choose(ordered(one for one in found if one is not None))
        if not self.last.applied or (self.last.tier == "low_value" and not self.follows):
            return None
        return self.last.applied[0].placed.block.id

    def report(self, task: Task, lesson: str | None, ok: bool) -> None:
        if lesson is None:
            return
        placed = self.held[task.kind][lesson]
        standing: Standing = "candidate" if placed.place == "low_value" else ""
        change = outcome(
            placed.block, ok, task.scenario, task.at, Evidence("episode", ref=f"ep-{task.key}"),
            standing=standing, boosted=self._is_overtaken(placed),
        )  # fmt: skip
        if is_in_doubt(change.block) and not is_in_doubt(placed.block):
            self.doubted.append(lesson)
        after = replace(placed, block=change.block)
        if change.archive:
            del self.held[task.kind][lesson]
            self.gone[lesson] = after
            self.refuted.append(lesson)
        else:
            self.held[task.kind][lesson] = after

    def _is_overtaken(self, placed: Placed) -> bool:
        """As an outcome of a decision asks: a newer approved block that matched and is not in doubt."""
        mine = placed.block.approved.at if placed.block.approved else ""
        choice = self.last or Choice("reasoning")
        others: list[Match] = [*(one.match for one in choice.applied), *choice.observing]
        return any(
            one.approved
            and one.placed.block.id != placed.block.id
            and one.placed.block.approved is not None
            and one.placed.block.approved.at > mine
            and not is_in_doubt(one.placed.block)
            for one in others
        )
