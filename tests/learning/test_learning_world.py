"""The worlds of ``learning_world``, small."""

from collections.abc import Sequence
from functools import cache

import pytest

from docs.bench import learning_page as page
from docs.bench import learning_trials as trials
from docs.bench import learning_world as world
from docs.bench.learning_policies import Plain, Task
from docs.bench.learning_world import ALICE, MAIN, POSTERIOR, Life, Person, Run, Setting

AT = "2026-02-20T09:00:00Z"


class Heard(Plain):
    """Tells one set, and keeps what it hears."""

    def __init__(self, told: Sequence[str] = ()) -> None:
        super().__init__()
        self.told, self.reports, self.signals = tuple(told), [], []  # type: tuple[str, ...], list[bool], list[bool]

    def pick(self, task: Task) -> tuple[str, ...]:
        return self.told

    def report(self, task: Task, told: Sequence[str], ok: bool) -> None:
        self.reports.append(ok)

    def signalled(self, task: Task, told: Sequence[str], ok: bool) -> None:
        self.signals.append(ok)


@cache
def lived(policy: str, place: str) -> Run:
    return world.run((policy, place, MAIN), 1)


def success(policy: str, place: str) -> float:
    return page.mean("success", [lived(policy, place)])[0]


def chance(setting: Setting, told: Sequence[str]) -> float:
    """The chance of success where a set is told, before the drift."""
    life = Life(lambda: Heard(told), setting, 1)
    return life.task(world.task_of(setting, 1, 1, 0), 0)


@pytest.mark.parametrize("place", ["rivals", "mixed"])
def test_the_rules_learn(place: str) -> None:
    assert success("no memory", place) == pytest.approx(50)
    assert success(POSTERIOR, place) < success(ALICE, place) < success("oracle", place)
    assert success(ALICE, place) >= 70


def test_the_two_trials() -> None:
    counts = [trials.noticed(behind) for behind in trials.BEHIND]
    assert counts[1:] == [11, 10, 7], "behind 5, 11 and 40 successes of the same day"
    assert 0 < trials.liar_told(1, Person()) <= trials.USES
