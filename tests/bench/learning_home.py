"""The world of ``learning_world`` lived on real homes through ``import alice_exp``: does the program choose as its rules do?

    python -m tests.bench.learning_home [--seeds 3] [--days 120] [--write]

An agent proposes its lessons, asks ``decide`` and reports every outcome; a person reads the heartbeat each morning and
approves, rejects, keeps and retires, each act a commit in a home of its own under a simulated clock. World and luck are
the ones that the pure rules met. Compared is what was followed, decision by decision: a choice that differs once leaves
other outcomes behind, so that what follows from it counts as differing, too.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from alice_exp import Alice, Decision, Evidence
from alice_exp.home import session as homes
from alice_exp.review.rules.daily_report import Agenda
from tests.bench import learning_policies as policies
from tests.bench.learning_world import ALICE, DAYS, MAIN, POLICIES, Life, lessons, mean
from tests.bench.person import Person, now

LEAST = 0.97
"""The share of decisions in which a home has to choose as the rules do."""

SUBJECTS = (
    "compile the kernel module", "restore a database backup", "rotate the web certificate", "tune the search index",
    "publish the python package", "translate the user manual", "resize the photo gallery", "schedule a nightly report",
    "merge the customer spreadsheets", "calibrate the robot arm", "label the training images", "negotiate the office lease",
)  # fmt: skip
"""What each kind of task is called; no two share a word that is looked for."""


def names(seed: int) -> dict[str, str]:
    """An id of a home for each lesson of a world, in the same order: where two are equal the smaller id goes first."""
    letters = str.maketrans("0123456789", "abcdefghij")
    known = sorted(one.id for one in lessons(MAIN, seed))
    return {lesson: f"exp-{number:08}".translate(letters) for number, lesson in enumerate(known)}


class OnHome(policies.Plain):
    """An agent and a person on one real home."""

    def __init__(self, root: Path, ids: Mapping[str, str]) -> None:
        super().__init__()
        self.agent, self.ids = Alice(root, "agent:bench"), ids
        self.lessons = {block: lesson for lesson, block in ids.items()}
        now("2026-01-01T00:00:00Z")
        self.person = Person(root)
        self.decision: Decision | None = None
        self.report_of: tuple[str, Agenda] | None = None

    def found(self, lesson: str, kind: int, at: str) -> None:
        now(at)
        done = self.agent.add_episode(SUBJECTS[kind], success=True)
        homes.new_id = lambda _: self.ids[lesson]  # type: ignore[assignment]
        try:
            placed = self.agent.memorize(
                f"follow advice {self.ids[lesson][4:]}", SUBJECTS[kind], type="solution",
                evidence=[Evidence("episode", ref=done.ids[0])],
            )  # fmt: skip
        finally:
            homes.new_id = _new_id
        assert placed.block.id == self.ids[lesson]

    def decided(self, lesson: str, approved: bool, at: str) -> None:
        self.read(at)
        (self.person.approve if approved else self.person.reject)([self.ids[lesson]])

    def read(self, at: str) -> Agenda:
        """The heartbeat of a morning, read once."""
        now(at)
        if self.report_of is None or self.report_of[0] != at:
            self.report_of = at, self.person.heartbeat()
        return self.report_of[1]

    def morning(self, at: str, before: str, judge: Callable[[str, str], bool | None]) -> int:
        asked = self.read(at).review
        for placed in asked:
            holds = judge(self.lessons[placed.block.id], at)
            if holds:
                self.person.keep(placed.block.id)
            elif holds is not None:
                self.person.retire(placed.block.id)
        return len(asked)

    def pick(self, task: policies.Task) -> str | None:
        now(task.at)
        self.decision = self.agent.decide(SUBJECTS[task.kind])
        applied = self.decision.applied
        return self.lessons[applied[0].placed.block.id] if applied else None

    def report(self, task: policies.Task, lesson: str | None, ok: bool) -> None:
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
    differing: tuple[tuple[int, str | None, str | None], ...] = ()
    """Where they differ: the decision's number, what the home followed, what the rules say."""

    @property
    def agreement(self) -> float:
        return self.alike / self.decisions


def compared(seed: int, days: int = DAYS) -> Compared:
    """One world on a home and through the rules."""
    kept = {name: os.environ.get(name) for name in ("ALICE_NOW", "TZ")}
    os.environ["TZ"] = "UTC"
    try:
        with tempfile.TemporaryDirectory(prefix="alice-bench-") as place:
            ours = Life(partial(OnHome, Path(place) / "alice", names(seed)), MAIN, seed).lived(days)
    finally:
        for name, value in kept.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})
    rules = Life(POLICIES[ALICE], MAIN, seed).lived(days)
    pairs = list(zip(ours.followed, rules.followed, strict=True))
    differing = tuple((number, *pair) for number, pair in enumerate(pairs) if pair[0] != pair[1])
    success = [mean("success", [one.done])[0] for one in (ours, rules)]
    return Compared(seed, len(pairs), len(pairs) - len(differing), *success, differing)


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
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--days", type=int, default=DAYS)
    parser.add_argument("--write", action="store_true", help="write docs/learning-bench.md")
    asked = parser.parse_args()
    with ProcessPoolExecutor() as pool:
        some = list(pool.map(partial(compared, days=asked.days), range(asked.seeds)))
    print(table(some))
    for one in some:
        for number, home, rules in one.differing[:10]:
            print(f"seed {one.seed}, decision {number}: the home {home}, the rules {rules}")
    if asked.write:
        from tests.bench.learning_page import HOME, write_part

        write_part(f"{asked.days} days of the main setting:\n\n{table(some)}\n", HOME)


if __name__ == "__main__":
    main()
