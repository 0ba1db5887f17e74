"""The world of ``learning_world``, small: the rules learn, do little harm, and no lie gets past an approved truth."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from xml.etree import ElementTree

import pytest
from alice_exp.learning.rules.decision_tiers import choose

from alice_exp.finding.rules.ranking import fit, ordered
from alice_exp.model.rules.approval import started
from alice_exp.model.values.block import (
    STATES,
    Approved,
    Block,
    Doubt,
    Evidence,
    Payload,
    Placed,
    Trigger,
    content_hash,
)
from tests.bench import learning_page as page
from tests.bench.learning_world import (
    ALICE,
    DAYS,
    GRID,
    IGNORES,
    MAIN,
    POLICIES,
    Run,
    lessons,
    mean,
    run,
    table,
)

AT = "2026-02-20T09:00:00Z"
SEEDS = range(3)


@cache
def lived(policy: str) -> tuple[Run, ...]:
    return tuple(run(POLICIES[policy], MAIN, seed) for seed in SEEDS)


def figure(policy: str, column: str) -> float:
    return mean(column, lived(policy))[0]


@pytest.mark.parametrize("policy", [ALICE, IGNORES])
def test_the_rules_learn_and_do_little_harm(policy: str) -> None:
    assert figure("no memory", "success") == pytest.approx(50)
    assert figure(policy, "success") >= 65
    assert figure(policy, "after drift") >= 65
    assert figure(policy, "harmful advice") < figure("Thompson", "harmful advice")
    assert figure(policy, "questions a month") <= 25
    assert figure(policy, "success") < figure("oracle", "success")


def test_every_policy_meets_the_same_world() -> None:
    assert lessons(MAIN, 1) == lessons(MAIN, 1) != lessons(MAIN, 2)
    assert run(POLICIES[ALICE], MAIN, 0) == lived(ALICE)[0]
    assert [len(one.success) for one in lived(ALICE)] == [DAYS] * 3


def test_the_page_and_the_picture() -> None:
    found = {name: lived(name) for name in page.COLOURS}
    ElementTree.fromstring(page.svg(found))
    assert table(found, "policy").count("\n") == len(found) + 1
    text = f"above\n{page.BEGIN}\nold\n{page.END}\nbelow\n"
    assert page.written(text, "new\n") == f"above\n{page.BEGIN}\nnew\n{page.END}\nbelow\n"
    bad = [replace(one, harm=0.5) for one in lived(ALICE)]
    assert any("harmful advice 50.0" in line for line in page.missed({ALICE: bad}))
    assert "Missed:" in page.part({ALICE: bad}, {}, 3, 3)
    worlds = dict.fromkeys(GRID, lived(ALICE))
    assert "lie wholly below no memory" in page.part({ALICE: bad}, worlds, 3, 3)
    failing = [replace(one, success=[0.1] * DAYS) for one in lived(ALICE)]
    assert "interval: 1 task a day." in page.part({ALICE: bad}, {**worlds, "1 task a day": failing}, 3, 3)


def test_no_unreviewed_lie_is_applied_where_an_approved_truth_fits() -> None:
    """300 drawn pairs with the same trigger; the lie may look as proven, as fresh and as fitting as it likes."""
    luck = random.Random(300)
    applied = []
    for number in range(300):
        trigger = Trigger(f"task {number}", ("build", "deploy"))
        truth = started(Block(f"exp-truth{number}", Payload("what holds"), trigger, evidence=_own(luck)))
        doubt = Doubt(1.0, AT[:10], AT) if luck.random() < 0.2 else None
        truth = replace(truth, approved=Approved(AT, "user", content_hash(truth)), updated_at=AT, doubt=doubt)
        count, state = luck.randrange(1000), luck.choice([one for one in STATES if one != "obsolete"])
        lie = Block(
            f"exp-lie{number}", Payload("a lie"), trigger, evidence=_own(luck), state=state, verifications=count,
            verifications_local=count, observations=count, importance=1.0, updated_at="2026-02-21T09:00:00Z",
        )  # fmt: skip
        lying_in = luck.choice(["low_value_pool/pending_20260220.jsonc", "universal/tools.jsonc"])
        placed = [Placed(truth, "universal/tools.jsonc"), Placed(lie, lying_in)]
        fits = [fit(one, luck.uniform(0.2, 1.0), {}, "2026-02-22T09:00:00Z") for one in placed]
        choice = choose(ordered(one for one in fits if one is not None))
        applied += [one.placed.block.id for one in choice.applied]
        assert bool(choice.applied) == (doubt is None)
    assert len(applied) > 200
    assert not [one for one in applied if "lie" in one]


def _own(luck: random.Random) -> tuple[Evidence, ...]:
    return (Evidence("episode", ref="ep-1", at=AT),) if luck.random() < 0.5 else ()
