"""The worlds of ``learning_world``, small."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from xml.etree import ElementTree

import pytest

from docs.bench import learning_page as page
from docs.bench import learning_trials as trials
from docs.bench import learning_world as world
from docs.bench.learning_policies import Plain, Task
from docs.bench.learning_world import (
    ALICE,
    DAYS,
    LIST,
    MAIN,
    POSTERIOR,
    Life,
    Person,
    Run,
    Setting,
    answered,
    lessons,
)

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


def test_what_is_told_in_one_slot_is_rivals_and_what_is_told_in_several_adds() -> None:
    adding, rivals, mixed = Setting("adds"), Setting("rivals"), Setting("mixed")
    rules = [f"exp-01-true{number}" for number in range(4)]
    assert [chance(adding, rules[:count]) for count in range(5)] == pytest.approx([0.5, 0.6, 0.7, 0.8, 0.9])
    liar = next(one.id for one in lessons(adding, 1) if "liar" in one.id)
    assert chance(adding, [*rules, liar]) == pytest.approx(0.7)
    heir = next(one.id for one in lessons(adding, 1) if "successor" in one.id)
    assert chance(adding, [heir.replace("successor", "true"), heir]) == pytest.approx(0.6)
    lie = next(one for one in lessons(rivals, 1) if "liar" in one.id)
    truth = f"exp-{lie.kind:02}-true0"
    assert [chance(rivals, told) for told in ([truth, lie.id], [lie.id, truth])] == pytest.approx([0.9, 0.15])
    assert chance(mixed, [*rules, "exp-01-truefact"]) == pytest.approx(0.9)


def test_every_policy_meets_the_same_world() -> None:
    setting = Setting()
    assert lessons(setting, 1) == lessons(setting, 1) != lessons(setting, 2)
    assert repr(world.run((LIST, "mixed", MAIN), 1)) == repr(lived(LIST, "mixed")), "no number is not itself"
    assert len(lived(LIST, "mixed").success) == DAYS


def test_what_is_reported_and_what_it_seems() -> None:
    def heard(setting: Setting) -> Heard:
        policy = Heard()
        Life(lambda: policy, setting, 1).lived(20)
        return policy

    assert not heard(Setting(reported=0)).reports
    assert 5 <= len(heard(Setting(reported=0.1)).reports) <= 50
    assert set(heard(Setting(complaints=True)).reports) == {False}
    assert heard(Setting(signal=(1.0, 1.0))).signals == [True] * 240


def test_a_person_answers_rightly_wrongly_or_not() -> None:
    effects = {"bad": -0.2, "worse": -0.4, "good": 0.1, "idle": 0.0}

    def said(some: Sequence[str], person: Person) -> str | None:
        return answered(1, person, some, effects.__getitem__, AT)

    assert said(["good", "bad", "worse"], Person(right=1)) == "worse"
    assert said(["good", "idle"], Person(right=1)) == ""
    assert said(["good", "worse"], Person(right=0)) in ("", "good")
    assert said(["good"], Person(right=0)) == "good"
    assert said(["good"], Person(answers=False)) is None


def test_the_two_trials() -> None:
    counts = [trials.noticed(behind) for behind in trials.BEHIND]
    assert counts[1:] == [11, 10, 7], "behind 5, 11 and 40 successes of the same day"
    assert 0 < trials.liar_told(1, Person()) <= trials.USES


def test_the_page_and_the_picture() -> None:
    flat = Run([0.5] * DAYS, 0.1, [1] * DAYS, 0.02, 1.0)
    found = {(name, place, MAIN): [flat] * 2 for name in world.POLICIES for place in world.WORLDS}
    for name in (world.COMPLAINTS, world.WORTHLESS):
        found |= {(policy, "mixed", name): [flat] * 2 for policy in world.COMPARED}
    better = replace(flat, success=[0.8] * DAYS)
    good = {job: [better] * 2 if job[0] == ALICE else some for job, some in found.items()}
    text = page.part(good, range(2))
    assert "| mixed: success ≥ 76 % | 80.0 ± 0.0 | yes |" in text
    assert "| mixed: ahead of newest eight by ≥ 4, the interval above 3 | 30.0 ± 0.0 | yes |" in text
    assert "| mixed: success ≥ 76 % | 50.0 ± 0.0 | **no** |" in page.part(found, range(2))
    assert "| main | 80.0 %, +30.0 ± 0.0, +30.0 ± 0.0 |" in text
    ElementTree.fromstring(page.svg(found))
    text = f"above\n{page.BEGIN}\nold\n{page.END}\nbelow\n"
    assert page.written(text, "new\n") == f"above\n{page.BEGIN}\nnew\n{page.END}\nbelow\n"
