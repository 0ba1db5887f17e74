"""What do lessons do for an agent in a world that changes, with a person who errs and lessons that lie?

    python -m tests.bench.learning_world [--seeds 40] [--grid] [--write]

The world of DESIGN 12. Twelve kinds of task, 120 days, twelve tasks a day; own reasoning succeeds in half of them. Each
kind has a true lesson (90 %, found in days 1 to 14), two so-so ones (35 to 65 %) and on average one liar (15 %), the
latter two found on any day. On day 60 half of the true lessons turn false (15 %), and what is true from then on is found
within a week. A person looks each morning, and errs. 3 % of the reports say the opposite of what happened.

Every draw is made from a key that names the seed and the occasion, so that all policies meet the same world. Counted is
the chance of success of what was followed, not the draw.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from tests.bench.learning_policies import (
    Alice,
    Counters,
    Discounted,
    Newest,
    Plain,
    Policy,
    Task,
    Thompson,
    Ucb,
)

KINDS, DAYS, DRIFT, MONTH = 12, 120, 60, 30
TRUE_RATE, FALSE_RATE = 0.9, 0.15
GRID_SEEDS = 8
BEGIN = datetime(2026, 1, 1)


@dataclass(frozen=True)
class Person:
    """How often a person looks (days), what is approved, and how often asked again the judgement is right."""

    every: int = 1
    true: float = 0.9
    so_so: float = 0.6
    false: float = 0.2
    right: float = 0.8
    answers: bool = True


@dataclass(frozen=True)
class Setting:
    """A world's knobs; the defaults are the main setting."""

    traffic: int = 12
    base: float = 0.5
    liars: bool = True
    flipped: float = 0.03
    scenarios: int = 4
    """0: every task has a scenario of its own."""
    person: Person = Person()


MAIN = Setting()


@dataclass(frozen=True)
class Lesson:
    """A lesson of the world: when it is found (day, task of that day), its chance of success before and after the drift."""

    id: str
    kind: int
    found: tuple[int, int]
    before: float
    after: float

    def rate(self, day: int) -> float:
        return self.before if day < DRIFT else self.after


def draw(*key: object) -> random.Random:
    """The luck of one occasion."""
    return random.Random(" ".join(map(str, key)))


def lessons(setting: Setting, seed: int) -> list[Lesson]:
    """Every lesson that will ever be found, in the order of its finding."""
    turning = set(draw(seed, "turning").sample(range(KINDS), KINDS // 2))
    made: list[Lesson] = []

    def add(kind: int, name: str, days: tuple[int, int], before: float, after: float) -> None:
        luck = draw(seed, "found", kind, name)
        moment = (luck.randint(*days), int(luck.random() * setting.traffic))
        made.append(Lesson(f"exp-{kind:02}-{name}", kind, moment, before, after))

    for kind in range(KINDS):
        turns = kind in turning
        add(kind, "true", (1, 14), TRUE_RATE, FALSE_RATE if turns else TRUE_RATE)
        if turns:
            add(kind, "successor", (DRIFT, DRIFT + 6), TRUE_RATE, TRUE_RATE)
        for number in range(2):
            rate = draw(seed, "so-so", kind, number).uniform(0.35, 0.65)
            add(kind, f"soso{number}", (1, DAYS), rate, rate)
        for number in range(draw(seed, "liars", kind).choice((0, 1, 1, 2)) if setting.liars else 0):
            add(kind, f"liar{number}", (1, DAYS), FALSE_RATE, FALSE_RATE)
    return sorted(made, key=lambda one: (one.found, one.id))


@dataclass
class Run:
    """One policy in one world: expected success day by day, and what it took."""

    success: list[float]
    harm: float
    asked: list[int]
    """Questions day by day: new lessons, and what else the policy asks; empty where nobody is asked."""
    doubts: int = 0
    killed: float = math.nan
    """Share of the approved truths that are gone while they are true."""
    alarms: float = math.nan
    """Share of the times that a lesson came in doubt while it was true."""

    @property
    def recovery(self) -> float:
        """Days from the drift until a week's success is within five points of the two weeks before."""
        if not self.asked:
            return math.nan
        usual = statistics.fmean(self.success[DRIFT - 15 : DRIFT - 1])
        for start in range(DRIFT - 1, DAYS - 6):
            if statistics.fmean(self.success[start : start + 7]) >= usual - 0.05:
                return float(start - (DRIFT - 1))
        return float(DAYS - DRIFT)

    @property
    def months(self) -> list[int]:
        return [sum(self.asked[start : start + MONTH]) for start in range(0, DAYS, MONTH)]


def moment(day: int, share: float) -> str:
    """Morning is at 06:00, tasks between 08:00 and 20:00."""
    at = BEGIN + timedelta(days=day - 1, hours=6 if share < 0 else 8 + 12 * share)
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def approves(setting: Setting, seed: int, lesson: Lesson, day: int) -> bool:
    person, rate = setting.person, lesson.rate(day)
    share = person.true if rate == TRUE_RATE else person.false if rate == FALSE_RATE else person.so_so
    return draw(seed, "approves", lesson.id).random() < share


class Oracle(Plain):
    """Knows every rate and follows the best lesson that was found, be it approved or not."""

    def __init__(self, rates: Callable[[str], float], base: float) -> None:
        super().__init__()
        self.rates, self.base = rates, base

    def found(self, lesson: str, kind: int, at: str) -> None:
        self.arms.setdefault(kind, []).append(lesson)

    def decided(self, lesson: str, approved: bool, at: str) -> None:
        pass

    def pick(self, task: Task) -> str | None:
        best = max(self.arms.get(task.kind, []), key=lambda one: self.rates(one), default=None)
        return best if best is not None and self.rates(best) > self.base else None


def run(make: Callable[[], Policy] | None, setting: Setting, seed: int) -> Run:
    """One policy in one world (None: the oracle); the same arguments give the same run."""
    return Life(make, setting, seed).lived().ended()


class Life:
    """One policy living through one world."""

    def __init__(self, make: Callable[[], Policy] | None, setting: Setting, seed: int) -> None:
        self.setting, self.seed, self.day = setting, seed, 1
        self.known = {one.id: one for one in lessons(setting, seed)}
        self.coming = list(self.known.values())
        self.waiting: list[Lesson] = []
        self.policy: Policy = make() if make else Oracle(self.rate, setting.base)
        self.done = Run([], 0.0, [])
        self.approved: set[str] = set()
        self.before = ""
        self.false_alarms = 0
        self.followed: list[str | None] = []
        """What was chosen, task by task; None: own reasoning."""

    def lived(self, days: int = DAYS) -> Life:
        """The same life after its first days."""
        for day in range(1, days + 1):
            self.day = day
            self.morning()
            self.tasks()
        return self

    def rate(self, lesson: str) -> float:
        """A lesson's chance of success today."""
        return self.known[lesson].rate(self.day)

    def judge(self, lesson: str, at: str) -> bool | None:
        """What the person says of an approved lesson when asked again: whether it holds; None: no answer."""
        if not self.setting.person.answers:
            return None
        is_right = draw(self.seed, "judges", lesson, at).random() < self.setting.person.right
        return (self.rate(lesson) >= self.setting.base) == is_right

    def morning(self) -> None:
        """The person looks, or does not come today."""
        self.done.asked.append(0)
        if (self.day - 1) % self.setting.person.every:
            return
        at = moment(self.day, -1)
        for one in self.waiting:
            is_approved = approves(self.setting, self.seed, one, self.day)
            self.approved |= {one.id} if is_approved else set()
            self.policy.decided(one.id, is_approved, at)
        doubts = self.policy.morning(at, self.before, self.judge)
        self.done.asked[-1] += len(self.waiting) + doubts
        self.done.doubts += doubts
        self.waiting, self.before = [], at

    def tasks(self) -> None:
        """A day's tasks."""
        chances = []
        for number in range(self.setting.traffic):
            task = task_of(self.setting, self.seed, self.day, number)
            while self.coming and self.coming[0].found <= (self.day, number):
                new = self.coming.pop(0)
                self.waiting.append(new)
                self.policy.found(new.id, new.kind, task.at)
            chances.append(self.task(task, number))
        self.done.success.append(statistics.fmean(chances))

    def task(self, task: Task, number: int) -> float:
        """One task; the chance of success of what was followed."""
        followed = self.policy.pick(task)
        self.followed.append(followed)
        chance = self.setting.base if followed is None else self.rate(followed)
        self.done.harm += (chance < self.setting.base) / (DAYS * self.setting.traffic)
        luck = draw(self.seed, "luck", self.day, number)
        ok = (luck.random() < chance) != (luck.random() < self.setting.flipped)
        doubted = getattr(self.policy, "doubted", [])
        count = len(doubted)
        self.policy.report(task, followed, ok)
        self.false_alarms += len(doubted) > count and chance == TRUE_RATE
        return chance

    def ended(self) -> Run:
        """What it came to."""
        if type(self.policy) in (Plain, Oracle):
            self.done.asked = []
        if isinstance(self.policy, Alice):
            gone, doubted = self.policy.gone, self.policy.doubted
            truths = [one for one in self.approved if self.rate(one) == TRUE_RATE]
            self.done.killed = sum(one in gone for one in truths) / max(1, len(truths))
            self.done.alarms = self.false_alarms / max(1, len(doubted))
        return self.done


def task_of(setting: Setting, seed: int, day: int, number: int) -> Task:
    luck = draw(seed, "task", day, number)
    kind = luck.randrange(KINDS)
    scenario = f"s{luck.randrange(setting.scenarios)}" if setting.scenarios else f"s{day}-{number}"
    return Task(kind, moment(day, number / setting.traffic), scenario, f"{seed}-{day}-{number}")


ALICE, IGNORES = "alice", "alice, ignores unreviewed"
POLICIES: Mapping[str, Callable[[], Policy] | None] = {
    "no memory": Plain,
    "newest approved": Newest,
    "helpful − harmful": Counters,
    "UCB1": Ucb,
    "Thompson": Thompson,
    "discounted Thompson": Discounted,
    ALICE: Alice,
    IGNORES: partial(Alice, follows=False),
    "alice, bare inferences": partial(Alice, lived=False),
    "alice, with revival": partial(Alice, revives=True),
    "alice, bare inferences, with revival": partial(Alice, lived=False, revives=True),
    "oracle": None,
}

CARELESS = Person(true=0.9, so_so=0.8, false=0.6, right=0.55)
GRID: Mapping[str, Setting] = {
    "main": MAIN,
    "1 task a day": replace(MAIN, traffic=1),
    "60 tasks a day": replace(MAIN, traffic=60),
    "300 tasks a day": replace(MAIN, traffic=300),
    "a scenario each": replace(MAIN, scenarios=0),
    "person weekly": replace(MAIN, person=Person(every=7)),
    "person perfect": replace(MAIN, person=Person(true=1.0, so_so=0.5, false=0.0, right=1.0)),
    "person careless": replace(MAIN, person=CARELESS),
    "no liars": replace(MAIN, liars=False),
    "15 % flipped": replace(MAIN, flipped=0.15),
    "nobody answers": replace(MAIN, person=Person(answers=False)),
    "base 30 %": replace(MAIN, base=0.3),
    "base 70 %": replace(MAIN, base=0.7),
}


def _one(job: tuple[str, str, int]) -> Run:
    policy, setting, seed = job
    return run(POLICIES[policy], GRID[setting], seed)


def runs(jobs: Sequence[tuple[str, str]], seeds: int) -> dict[tuple[str, str], list[Run]]:
    """The runs of each policy in each setting, seed by seed."""
    every = [(policy, setting, seed) for policy, setting in jobs for seed in range(seeds)]
    with ProcessPoolExecutor() as pool:
        done = list(pool.map(_one, every, chunksize=2))
    return {job: done[number * seeds : (number + 1) * seeds] for number, job in enumerate(jobs)}


def _asked(one: Run, what: Callable[[list[int]], float]) -> float:
    return float(what(one.months)) if one.asked else math.nan


COLUMNS: Mapping[str, tuple[Callable[[Run], float], str]] = {
    "success": (lambda one: 100 * statistics.fmean(one.success), "%"),
    "after drift": (lambda one: 100 * statistics.fmean(one.success[DRIFT - 1 :]), "%"),
    "days to recover": (lambda one: one.recovery, ""),
    "harmful advice": (lambda one: 100 * one.harm, "%"),
    "questions a month": (lambda one: _asked(one, statistics.fmean), ""),
    "of them about doubt": (lambda one: _asked(one, lambda _: one.doubts / (DAYS / MONTH)), ""),
    "worst month": (lambda one: _asked(one, max), ""),
    "killed truths": (lambda one: 100 * one.killed, "%"),
    "false alarms": (lambda one: 100 * one.alarms, "%"),
}


def mean(column: str, some: Sequence[Run]) -> tuple[float, float]:
    """Mean and half of its 95 % interval over seeds; NaN where a policy has no such figure."""
    figures = [COLUMNS[column][0](one) for one in some]
    if any(math.isnan(figure) for figure in figures):
        return math.nan, math.nan
    spread = statistics.stdev(figures) if len(figures) > 1 else 0.0
    return statistics.fmean(figures), 1.96 * spread / math.sqrt(len(figures))


def table(some: Mapping[str, Sequence[Run]], first: str) -> str:
    """The figures in Markdown, a row a name."""
    rows = [
        f"| {first} | " + " | ".join(COLUMNS) + " |",
        "|---" * (1 + len(COLUMNS)) + "|",
    ]
    for name, found in some.items():
        cells = []
        for column, (_, unit) in COLUMNS.items():
            value, error = mean(column, found)
            cells.append(
                "–" if math.isnan(value) else f"{value:.1f} ± {error:.1f}{' ' + unit if unit else ''}"
            )
        rows.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def main() -> None:
    """Print the tables, and write the page where asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--grid", action="store_true", help="the sensitivity grid, too")
    parser.add_argument("--write", action="store_true", help="write docs/learning-bench.md")
    asked = parser.parse_args()
    found = {
        policy: some for (policy, _), some in runs([(one, "main") for one in POLICIES], asked.seeds).items()
    }
    print(table(found, "policy"))
    grid: dict[str, Sequence[Run]] = {}
    if asked.grid:
        jobs = [(policy, setting) for setting in GRID for policy in (ALICE, "Thompson")]
        for (policy, setting), some in runs(jobs, GRID_SEEDS).items():
            grid[setting if policy == ALICE else f"{setting}, {policy}"] = some
        print("\n" + table(grid, "setting"))
    if asked.write:
        from tests.bench.learning_page import write

        write(found, grid, asked.seeds, GRID_SEEDS)


if __name__ == "__main__":
    main()
