"""The worlds of ``learning_world`` lived on real homes through ``import alice_exp``: does the program tell what its rules do?

    python -m docs.bench.learning_home [--first 9000] [--seeds 3] [--days 120] [--write]

An agent proposes its lessons, asks ``decide`` and reports every outcome; a person reads the heartbeat each morning and
approves, rejects, keeps and retires, each act a commit in a home of its own under a simulated clock. World and luck are
the ones that the pure rules met. Compared is the set that was told, decision by decision: a choice that differs once
leaves other outcomes behind, so that what follows from it counts as differing, too.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from alice_exp import Alice, Decision, Evidence
from alice_exp.home import session as homes
from alice_exp.model.rules.doubt import is_in_doubt
from alice_exp.model.values.block import PLACES
from alice_exp.review.rules.daily_report import Agenda
from docs.bench import learning_policies as policies
from docs.bench.learning_page import mean
from docs.bench.learning_policies import Judge, Proposed
from docs.bench.learning_world import ALICE, DAYS, FRESH, GRID, MAIN, POLICIES, Life, lessons
from docs.bench.person import Person, now

LEAST = 0.97
"""The share of decisions in which a home has to tell what the rules do."""

SUBJECTS = (
    "compile the kernel module", "restore a database backup", "rotate the web certificate", "tune the search index",
    "publish the python package", "translate the user manual", "resize the photo gallery", "schedule a nightly report",
    "merge the customer spreadsheets", "calibrate the robot arm", "label the training images", "negotiate the office lease",
)  # fmt: skip
"""What each kind of task is called; no two share a word that is looked for."""


def letters(text: str) -> str:
    """Digits and points as letters, which nobody takes for a value."""
    return text.translate(str.maketrans("0123456789.", "abcdefghijk"))


def names(seed: int) -> dict[str, str]:
    """An id of a home for each lesson of a world, in the same order: where two are equal the ids decide."""
    known = sorted(one.id for one in lessons(GRID[MAIN], seed))
    return {lesson: f"exp-{letters(f'{number:08}')}" for number, lesson in enumerate(known)}


class OnHome(policies.Plain):
    """An agent and a person on one real home."""

    def __init__(self, root: Path, ids: Mapping[str, str]) -> None:
        super().__init__()
        self.agent, self.ids = Alice(root, "agent:bench"), ids
        self.lessons = {block: lesson for lesson, block in ids.items()}
        now("2026-01-01T00:00:00Z")
        self.person = Person(root)
        self.approved: set[str] = set()
        self.decision: Decision | None = None
        self.report_of: tuple[str, Agenda] | None = None

    def found(self, lesson: Proposed, at: str) -> None:
        super().found(lesson, at)
        now(at)
        name = self.ids[lesson.id]
        # Words of its own, as two lessons of a person have them: else one that is turned down marks all others as like it.
        text = " ".join(f"{name[4:]}{end}" for end in "pqr")
        if lesson.words:
            # Nearness sees that two of these give one thing different values.
            own = letters(lesson.words)
            text = f"set {own}p {own}q to {list(self.ids).index(lesson.id) + 11}"
        done = self.agent.add_episode(SUBJECTS[lesson.kind], success=True)
        homes.new_id = lambda _: name  # type: ignore[assignment]
        try:
            placed = self.agent.memorize(
                text, SUBJECTS[lesson.kind], type="solution", about="user" if lesson.about else "work",
                evidence=[Evidence("episode", ref=done.ids[0])],
            )  # fmt: skip
        finally:
            homes.new_id = _new_id
        assert placed.block.id == name

    def rival(self, lesson: str) -> str | None:
        one = self.known[lesson]
        told = [name for name in self.told(one.kind) if name in self.approved]
        return next((name for name in told if self.known[name].words == one.words != ""), None)

    def decided(self, lesson: str, approved: bool, at: str, replaces: str = "", both: str = "") -> None:
        self.read(at)
        if not approved:
            self.person.reject([self.ids[lesson]])
            return
        won, beside = ([self.ids[one]] if one else [] for one in (replaces, both))
        self.person.approve([self.ids[lesson]], won, beside)
        self.approved.add(lesson)

    def read(self, at: str) -> Agenda:
        """The heartbeat of a morning, read once."""
        now(at)
        if self.report_of is None or self.report_of[0] != at:
            self.report_of = at, self.person.heartbeat()
        return self.report_of[1]

    def morning(self, at: str, before: str, judge: Judge) -> int:
        asked = 0
        for question in self.read(at).review:
            there = self.person.session.home.read(PLACES).with_ids(question.ids)
            placed = there.get(question.placed.block.id)
            if placed is None or not is_in_doubt(placed.block):
                continue
            asked += 1
            said = judge([self.lessons[one] for one in question.ids if there[one].place != "archive"], at)
            if said:
                self.person.retire(self.ids[said])
            elif said is not None:
                self.person.keep(placed.block.id)
        return asked

    def told(self, kind: int) -> tuple[str, ...]:
        self.decision = self.agent.decide(SUBJECTS[kind])
        return tuple(self.lessons[one.placed.block.id] for one in self.decision.applied)

    def pick(self, task: policies.Task) -> tuple[str, ...]:
        now(task.at)
        return self.told(task.kind)

    def report(self, task: policies.Task, told: Sequence[str], ok: bool) -> None:
        assert self.decision is not None
        self.agent.outcome_of(self.decision, ok, scenario=task.scenario)


_new_id = homes.new_id


@dataclass(frozen=True)
class Compared:
    """One seed: how many decisions there were, how many were alike, and both lives' success."""

    seed: int
    decisions: int
    alike: int
    on_home: float
    by_rules: float
    differing: tuple[tuple[int, tuple[str, ...], tuple[str, ...]], ...] = ()
    """Where they differ: the decision's number, what the home told, what the rules say."""

    @property
    def agreement(self) -> float:
        return self.alike / self.decisions


def compared(seed: int, days: int = DAYS) -> Compared:
    """One world on a home and through the rules."""
    kept = {name: os.environ.get(name) for name in ("ALICE_NOW", "TZ")}
    os.environ["TZ"] = "UTC"
    try:
        with tempfile.TemporaryDirectory(prefix="alice-bench-") as place:
            ours = Life(partial(OnHome, Path(place) / "alice", names(seed)), GRID[MAIN], seed).lived(days)
    finally:
        for name, value in kept.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})
    rules = Life(POLICIES[ALICE], GRID[MAIN], seed).lived(days)
    pairs = list(zip(ours.told, rules.told, strict=True))
    differing = tuple((number, *pair) for number, pair in enumerate(pairs) if pair[0] != pair[1])
    on_home, by_rules = (mean("success", [one.done])[0] for one in (ours, rules))
    return Compared(seed, len(pairs), len(pairs) - len(differing), on_home, by_rules, differing)


def table(some: list[Compared]) -> str:
    """The agreement in Markdown, a row a seed."""
    rows = [
        "| seed | decisions | as the rules do | success on the home | by the rules |",
        "|---|---|---|---|---|",
    ]
    every = Compared(
        -1, sum(one.decisions for one in some), sum(one.alike for one in some),
        sum(one.on_home for one in some) / len(some), sum(one.by_rules for one in some) / len(some),
    )  # fmt: skip
    for one in (*some, every):
        name = "all" if one is every else one.seed
        rows.append(
            f"| {name} | {one.decisions:,} | {one.agreement:.1%} | {one.on_home:.1f} % | {one.by_rules:.1f} % |"
        )
    return "\n".join(rows)


def main() -> None:
    """Print the table, and where they differ first."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--first", type=int, default=FRESH, help="the first seed")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--days", type=int, default=DAYS)
    parser.add_argument("--write", action="store_true", help="write docs/learning-bench.md")
    asked = parser.parse_args()
    with ProcessPoolExecutor() as pool:
        some = list(
            pool.map(partial(compared, days=asked.days), range(asked.first, asked.first + asked.seeds))
        )
    print(table(some))
    for one in some:
        for number, home, rules in one.differing[:10]:
            print(f"seed {one.seed}, decision {number}: the home {home}, the rules {rules}")
    if asked.write:
        from docs.bench.learning_page import HOME, write_part

        write_part(f"{asked.days} days of the mixed world:\n\n{table(some)}\n", HOME)


if __name__ == "__main__":
    main()
