"""A few days of the world of ``learning_world`` on a real home: decision by decision what the pure rules say."""

import pytest

from alice_exp.finding.rules.choice import Choice
from alice_exp.learning.usecases import decision_outcome
from docs.bench.learning_home import LEAST, compared, names, table
from docs.bench.learning_world import GRID, MAIN, lessons


def test_a_home_chooses_as_the_rules_do() -> None:
    one = compared(1, days=3)
    assert one.decisions == 36
    assert one.agreement >= LEAST, one.differing
    assert one.on_home == pytest.approx(one.by_rules, abs=2)
    assert len(table([one]).splitlines()) == 4


def test_a_home_that_chooses_otherwise_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decision_outcome, "choose", lambda *_, **__: Choice("reasoning"))
    one = compared(1, days=2)
    assert one.agreement < LEAST and one.differing


def test_the_ids_of_a_home_stand_in_the_order_of_the_lessons() -> None:
    ids = names(0)
    known = sorted(one.id for one in lessons(GRID[MAIN], 0))
    assert sorted(ids.values()) == [ids[lesson] for lesson in known]
