"""What do lessons do for an agent in worlds that change, with a person who errs and lessons that lie?

    python -m docs.bench.learning_world [--first 9000] [--seeds 40] [--grid 12] [--write]

Twelve kinds of task, 120 days. A policy answers a task with a set of lessons, in order. Each lesson has a slot: of those
told in one slot the first is followed, what is followed in different slots adds:

    chance of success = base + Σ over the slots of effect(first told of the slot), cut to [.05, .95]

**rivals**: one slot a kind. Its true lesson reaches 90 %, two so-so ones 35 to 65 %, on average one liar 15 %.
**adds**: four true rules a kind, each in a slot of its own, which only together reach 90 %; two idle ones (-5 to +5
points), on average one harmful one (-20 points). **mixed**: kinds of both sorts in turn, and facts about the person: one
a kind, worth 10 of the points up to 90 %; in every third kind a wrong one (-10).

True lessons and facts are found in days 1 to 14, the others on any day. On day 60 half of the truths turn false, and what
replaces one (same slot) is found within a week. A person looks each morning, and errs. 3 % of the reports say the
opposite of what happened.

Every draw is made from a key that names the seed and the occasion, so that all policies meet the same world. Counted is
the chance of success of what was told, not the draw.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from docs.bench.learning_policies import (
    Alice,
    Counters,
    Discounted,
    Newest,
    Plain,
    Policy,
    Posterior,
    Proposed,
    Task,
    Thompson,
    Ucb,
)

WORLDS = ("rivals", "adds", "mixed")
KINDS, DAYS, DRIFT, MONTH = 12, 120, 60, 30
TRUE_RATE, FALSE_RATE = 0.9, 0.15
NEEDED, HARM, FACT = 4, 0.2, 0.1
FRESH = 9000
"""The first of the seeds that nothing was chosen on."""
BEGIN = datetime(2026, 1, 1)


@dataclass(frozen=True)
class Person:
    """How often a person looks (days), which share of each sort is approved, and how often an answer is right.

    What is about the person is known better: 98 % of what is true is approved, a quarter of ``false`` of what is not.
    """

    every: int = 1
    true: float = 0.9
    so_so: float = 0.6
    false: float = 0.2
    right: float = 0.8
    answers: bool = True
    """Whether questions about doubt are answered."""


@dataclass(frozen=True)
class Setting:
    """A world's knobs; the defaults are the main setting."""

    world: str = "mixed"
    traffic: int = 12
    base: float = 0.5
    flipped: float = 0.03
    scenarios: int = 4
    reported: float = 1.0
    """The share of the outcomes that is reported."""
    complaints: bool = False
    """Only failures are reported."""
    plain: float = 0.8
    """The share of lessons whose words let nearness see a rival that is worded as plainly."""
    signal: tuple[float, float] | None = None
    """P(it seems to have gone well | it did), the same | it failed: what a policy hears of each task beside reports."""
    person: Person = Person()


@dataclass(frozen=True)
class Lesson(Proposed):
    """A lesson of the world: when it is found (day, task of that day), its effect before and after the drift."""

    slot: str
    found: tuple[int, int]
    before: float
    after: float

    def effect(self, day: int) -> float:
        """Its points of success, in [-1, 1]."""
        return self.before if day < DRIFT else self.after

    def sort(self, day: int) -> str:
        """``true``, ``so_so`` or ``false``, as fields of ``Person``."""
        return "so_so" if "-soso" in self.id else "true" if self.effect(day) > 0 else "false"


def draw(*key: object) -> random.Random:
    """The luck of one occasion."""
    return random.Random(" ".join(map(str, key)))


def adds(setting: Setting, kind: int) -> bool:
    """Whether the true rules of a kind add."""
    return setting.world == "adds" or (setting.world == "mixed" and kind % 2 == 1)


def lessons(setting: Setting, seed: int) -> list[Lesson]:
    """Every lesson that will ever be found, in the order of its finding."""
    made: list[Lesson] = []
    truths: list[tuple[int, int | str]] = []
    truths += [(kind, part) for kind in range(KINDS) for part in range(NEEDED if adds(setting, kind) else 1)]
    if setting.world == "mixed":
        truths += [(kind, "fact") for kind in range(KINDS)]
    turning = set(draw(seed, "turning").sample(truths, len(truths) // 2))

    def add(kind: int, name: str, slot: object, days: tuple[int, int], before: float, after: float) -> None:
        luck = draw(seed, "found", kind, name)
        found = (luck.randint(*days), int(luck.random() * setting.traffic))
        words = f"{kind}.{slot}" if luck.random() < setting.plain else ""
        made.append(
            Lesson(
                f"exp-{kind:02}-{name}", kind, "fact" in name, words, f"{kind}.{slot}", found, before, after
            )
        )

    for kind, part in truths:
        parts, false = (NEEDED, -HARM) if adds(setting, kind) else (1, FALSE_RATE - setting.base)
        good = (TRUE_RATE - setting.base - FACT * (setting.world == "mixed")) / parts
        good, false = (FACT, -FACT) if part == "fact" else (good, false)
        turns = (kind, part) in turning
        add(kind, f"true{part}", part, (1, 14), good, false if turns else good)
        if turns:
            add(kind, f"successor{part}", part, (DRIFT, DRIFT + 6), good, good)
    for kind in range(KINDS):
        is_adding = adds(setting, kind)
        for number in range(2):
            rate = draw(seed, "so-so", kind, number).uniform(0.35, 0.65)
            effect = (rate - 0.5) / 3 if is_adding else rate - setting.base
            add(kind, f"soso{number}", f"soso{number}" if is_adding else 0, (1, DAYS), effect, effect)
        effect = -HARM if is_adding else FALSE_RATE - setting.base
        for number in range(draw(seed, "liars", kind).choice((0, 1, 1, 2))):
            add(kind, f"liar{number}", f"liar{number}" if is_adding else 0, (1, DAYS), effect, effect)
        if setting.world == "mixed" and kind % 3 == 0:
            add(kind, "liar-fact", "liar-fact", (1, DAYS), -FACT, -FACT)
    return sorted(made, key=lambda one: (one.found, one.id))


@dataclass
class Run:
    """One policy in one world: expected success day by day, and what it took."""

    success: list[float] = field(default_factory=list)
    harm: float = 0.0
    """Share of the tasks in which something followed lowered the chance."""
    asked: list[int] = field(default_factory=list)
    """Questions day by day: new lessons, pairs, and what else the policy asks; empty where nobody is asked."""
    killed: float = math.nan
    """Share of the approved truths that are archived or retired while they are true."""
    alarms: float = math.nan
    """How often a month a lesson came in doubt while it was true."""

    @property
    def recovery(self) -> float:
        """Days from the drift until a week's success is within five points of the two weeks before."""
        usual = statistics.fmean(self.success[DRIFT - 15 : DRIFT - 1])
        for start in range(DRIFT - 1, DAYS - 6):
            if statistics.fmean(self.success[start : start + 7]) >= usual - 0.05:
                return float(start - (DRIFT - 1))
        return float(DAYS - DRIFT)


def moment(day: int, share: float) -> str:
    """Morning is at 06:00, tasks between 08:00 and 20:00."""
    at = BEGIN + timedelta(days=day - 1, hours=6 if share < 0 else 8 + 12 * share)
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def answered(
    seed: int, person: Person, some: Sequence[str], effect: Callable[[str], float], at: str
) -> str | None:
    """Which of a set a person says no longer holds; "": none; None: no answer.

    Right is the most harmful one, or none where none harms; wrong is any other answer.
    """
    if not person.answers:
        return None
    worst = min(some, key=effect)
    right = worst if effect(worst) < 0 else ""
    if draw(seed, "judges", *some, at).random() < person.right:
        return right
    return draw(seed, "errs", *some, at).choice([one for one in ("", *some) if one != right])


class Oracle(Plain):
    """Knows every effect and tells the best lesson of each slot that was found, be it approved or not."""

    def __init__(self, effect: Callable[[str], float]) -> None:
        super().__init__()
        self.effect = effect

    def found(self, lesson: Proposed, at: str) -> None:
        super().found(lesson, at)
        super().decided(lesson.id, True, at)

    def decided(self, lesson: str, approved: bool, at: str, replaces: str = "", both: str = "") -> None:
        pass

    def pick(self, task: Task) -> tuple[str, ...]:
        known = sorted(self.arms.get(task.kind, []), key=self.effect, reverse=True)
        return tuple(one for one in known if self.effect(one) > 0)


class Life:
    """One policy living through one world (None: the oracle); the same arguments give the same life."""

    def __init__(self, make: Callable[[], Policy] | None, setting: Setting, seed: int) -> None:
        self.setting, self.seed, self.day = setting, seed, 1
        self.known = {one.id: one for one in lessons(setting, seed)}
        self.coming = list(self.known.values())
        self.waiting: list[Lesson] = []
        self.policy: Policy = make() if make else Oracle(self.effect)
        self.done = Run()
        self.approved: set[str] = set()
        self.before = ""
        self.false_alarms = 0
        self.told: list[tuple[str, ...]] = []
        """What was told, task by task."""

    def lived(self, days: int = DAYS) -> Life:
        """The same life after its first days."""
        for day in range(1, days + 1):
            self.day = day
            self.morning()
            self.tasks()
        return self

    def effect(self, lesson: str) -> float:
        """A lesson's effect today."""
        return self.known[lesson].effect(self.day)

    def judge(self, some: Sequence[str], at: str) -> str | None:
        """Which of a set the person says no longer holds (see ``answered``)."""
        return answered(self.seed, self.setting.person, some, self.effect, at)

    def better(self, new: str, old: str) -> str:
        """The person's answer to a pair of rivals: which holds; "" (both) is always wrong."""
        first, second = sorted((new, old), key=self.effect, reverse=True)
        if draw(self.seed, "pair", new, old).random() < self.setting.person.right:
            return first
        return draw(self.seed, "mixes", new, old).choice(["", second])

    def approves(self, lesson: Lesson) -> bool:
        person, sort = self.setting.person, lesson.sort(self.day)
        share = (0.98 if sort == "true" else person.false / 4) if lesson.about else getattr(person, sort)
        return bool(draw(self.seed, "approves", lesson.id).random() < share)

    def morning(self) -> None:
        """The person looks, or does not come today."""
        self.done.asked.append(0)
        if (self.day - 1) % self.setting.person.every:
            return
        at = moment(self.day, -1)
        for one in self.waiting:
            is_approved = self.approves(one)
            old = self.policy.rival(one.id) if is_approved else None
            holds = self.better(one.id, old) if old else one.id
            self.done.asked[-1] += 1 + bool(old)
            is_approved = is_approved and holds != old
            self.approved |= {one.id} if is_approved else set()
            said = {"replaces" if holds else "both": old} if old and is_approved else {}
            self.policy.decided(one.id, is_approved, at, **said)
        self.done.asked[-1] += self.policy.morning(at, self.before, self.judge)
        self.waiting, self.before = [], at

    def tasks(self) -> None:
        """A day's tasks."""
        chances = []
        for number in range(self.setting.traffic):
            task = task_of(self.setting, self.seed, self.day, number)
            while self.coming and self.coming[0].found <= (self.day, number):
                new = self.coming.pop(0)
                self.waiting.append(new)
                self.policy.found(new, task.at)
            chances.append(self.task(task, number))
        self.done.success.append(statistics.fmean(chances))

    def task(self, task: Task, number: int) -> float:
        """One task; its chance of success."""
        told = self.policy.pick(task)
        self.told.append(told)
        followed: dict[str, float] = {}
        for one in told:
            followed.setdefault(self.known[one].slot, self.effect(one))
        chance = min(0.95, max(0.05, self.setting.base + sum(followed.values())))
        self.done.harm += any(effect < 0 for effect in followed.values()) / (DAYS * self.setting.traffic)
        luck = draw(self.seed, "luck", self.day, number)
        ok = luck.random() < chance
        said = ok != (luck.random() < self.setting.flipped)
        doubted = getattr(self.policy, "doubted", [])
        count = len(doubted)
        if self.setting.signal:
            self.policy.signalled(task, told, luck.random() < self.setting.signal[not ok])
        if luck.random() < self.setting.reported and not (said and self.setting.complaints):
            self.policy.report(task, told, said)
        self.false_alarms += sum(self.known[one].sort(self.day) == "true" for one in doubted[count:])
        return chance

    def ended(self) -> Run:
        """What it came to."""
        if type(self.policy) in (Plain, Oracle):
            self.done.asked = []
        if isinstance(self.policy, Alice):
            truths = [one for one in self.approved if self.known[one].sort(self.day) == "true"]
            self.done.killed = sum(one in self.policy.gone for one in truths) / max(1, len(truths))
            self.done.alarms = self.false_alarms * MONTH / DAYS
        return self.done


def task_of(setting: Setting, seed: int, day: int, number: int) -> Task:
    luck = draw(seed, "task", day, number)
    kind = luck.randrange(KINDS)
    scenario = f"s{luck.randrange(setting.scenarios)}" if setting.scenarios else f"s{day}-{number}"
    return Task(kind, moment(day, number / setting.traffic), scenario, f"{seed}-{day}-{number}")


ALICE, LIST, POSTERIOR = "alice", "newest eight", "plain posterior"
POLICIES: Mapping[str, Callable[[], Policy] | None] = {
    "no memory": Plain,
    LIST: Newest,
    POSTERIOR: Posterior,
    "helpful − harmful": Counters,
    "UCB1": Ucb,
    "Thompson": Thompson,
    "discounted Thompson": Discounted,
    ALICE: Alice,
    "oracle": None,
}
COMPARED = (ALICE, LIST, POSTERIOR)

MAIN, COMPLAINTS, WORTHLESS = "main", "complaints alone", "a worthless signal"
GRID: Mapping[str, Setting] = {
    MAIN: Setting(),
    "60 tasks a day": Setting(traffic=60),
    "1 task a day": Setting(traffic=1),
    "10 % reported": Setting(reported=0.1),
    "0 % reported": Setting(reported=0.0),
    COMPLAINTS: Setting(complaints=True),
    "person careless": Setting(person=Person(true=0.9, so_so=0.8, false=0.6, right=0.55)),
    "nobody answers": Setting(person=Person(answers=False)),
    "base 30 %": Setting(base=0.3),
    "base 70 %": Setting(base=0.7),
    "15 % flipped": Setting(flipped=0.15),
    "no rival seen": Setting(plain=0.0),
    WORTHLESS: Setting(signal=(0.6, 0.6)),
}

Job = tuple[str, str, str]
"""Policy, world, setting."""


def run(job: Job, seed: int) -> Run:
    """One policy in one world."""
    policy, world, setting = job
    return Life(POLICIES[policy], replace(GRID[setting], world=world), seed).lived().ended()


def _one(job: tuple[Job, int]) -> Run:
    return run(*job)


def runs(jobs: Sequence[Job], seeds: Sequence[int]) -> dict[Job, list[Run]]:
    """The runs of each job, seed by seed."""
    every = [(job, seed) for job in jobs for seed in seeds]
    with ProcessPoolExecutor() as pool:
        done = list(pool.map(_one, every, chunksize=2))
    return {job: done[number * len(seeds) : (number + 1) * len(seeds)] for number, job in enumerate(jobs)}


def main() -> None:
    """Measure, print, and write the page where asked to."""
    from docs.bench import learning_page as page

    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--first", type=int, default=FRESH, help="the first seed")
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--grid", type=int, default=12, help="seeds of the other settings")
    parser.add_argument("--write", action="store_true", help="write docs/learning-bench.md")
    asked = parser.parse_args()
    seeds = range(asked.first, asked.first + asked.seeds)
    whole = [(policy, world, MAIN) for world in WORLDS for policy in POLICIES]
    whole += [(policy, "mixed", name) for name in (COMPLAINTS, WORTHLESS) for policy in COMPARED]
    rest = [(one, world, name) for world in WORLDS for name in GRID for one in COMPARED]
    found = runs(whole, seeds)
    found |= runs([job for job in rest if job not in found], seeds[: asked.grid]) if asked.grid else {}
    text = page.part(found, seeds)
    print(text)
    if asked.write:
        page.PICTURE.write_text(page.svg(found), encoding="utf-8")
        page.write_part(text, page.BEGIN)


if __name__ == "__main__":
    main()
