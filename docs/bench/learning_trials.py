"""Two small trials of the rules: a harmful lesson among four good ones, and successes and failures of one day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from docs.bench.learning_policies import Alice, Proposed, Task
from docs.bench.learning_world import HARM, NEEDED, TRUE_RATE, Person, answered, draw

BEFORE, USES = 20, 120
"""Uses of the good ones before the liar is approved, and those that are counted then; one a day."""
LIAR = "exp-liar"
BEHIND = (0, 5, 11, 40)
SAME_DAY = 16


def at(day: int, hour: int = 9, minute: int = 0) -> str:
    return (datetime(2026, 1, 1, hour, minute) + timedelta(days=day)).strftime("%Y-%m-%dT%H:%M:%SZ")


def approved(policy: Alice, names: Sequence[str], day: int) -> None:
    """The person approves lessons of one kind in the morning of a day."""
    for minute, name in enumerate(names):
        policy.found(Proposed(name, 0, False, ""), at(day, 5, minute))
        policy.decided(name, True, at(day, 6, minute))


def liar_told(seed: int, person: Person) -> int:
    """In how many of the ``USES`` a lesson of -20 points is told beside four that together reach 90 %."""
    policy, told, before = Alice(), 0, ""
    effects = {f"exp-good{number}": (TRUE_RATE - 0.5) / NEEDED for number in range(NEEDED)} | {LIAR: -HARM}
    approved(policy, [*effects][:-1], 0)
    for day in range(1, BEFORE + USES + 1):
        if day == BEFORE + 1:
            approved(policy, [LIAR], day)
        policy.morning(
            at(day, 7), before, lambda some, when: answered(seed, person, some, effects.__getitem__, when)
        )
        before = at(day, 7)
        task = Task(0, at(day), f"s{day % 4}", f"{seed}-{day}")
        chosen = policy.pick(task)
        told += LIAR in chosen
        luck = draw(seed, "trial", day).random()
        policy.report(task, chosen, luck < 0.5 + sum(effects[one] for one in chosen))
    return told


def noticed(behind: int) -> int:
    """After how many failures a lesson with some successes, all on one day, comes in doubt; 0: not by the sixteenth."""
    policy = Alice()
    approved(policy, ["exp-one"], 0)
    for number in range(behind + SAME_DAY):
        task = Task(0, at(1, 9 + number // 60, number % 60), f"s{number}", f"one-{number}")
        policy.report(task, policy.pick(task), number < behind)
        if policy.doubted:
            return number + 1 - behind
    return 0
