"""The vectors R2.6-R2.15, B2.1-B2.9 and the acceptance checks D14-D21."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alice_exp.agents.cli.context_commands import context
from alice_exp.finding.cli import recall
from alice_exp.kernel.errors import RefusedError
from alice_exp.model.rules.lifecycle import (
    LEVELS,
    TABLE,
    Change,
    Thresholds,
    level,
    outcome,
    retire,
    revive,
    scenario_of,
)
from alice_exp.model.values.block import (
    CONFIDENCE,
    EVIDENCE_KEPT,
    STATES,
    Archived,
    Block,
    Evidence,
    Payload,
    Placed,
    Record,
)
from alice_exp.model.values.config import Config
from alice_exp.sharing.rules.bundle import lacks
from tests.approvals import approved
from tests.case_tables import table
from tests.readme import diagram

covers = pytest.mark.covers

THEN, NOW = "2026-01-01T00:00:00Z", "2026-02-20T09:00:00Z"


def block(state: str = "possible", v: int = 0, **more: Any) -> Block:
    fields: dict[str, Any] = {
        "state": state,
        "verifications": v,
        "verifications_local": v,
        "updated_at": THEN,
    }
    return Block("exp-aaaaaaaa", Payload("x"), **{**fields, **more})


def run(start: Block, *steps: str) -> list[Change]:
    """Outcomes in a row: ``+A`` succeeds in scenario A, ``-A`` fails there."""
    changes = []
    for step in steps:
        changes.append(outcome(start, step[0] == "+", step[1:], NOW))
        start = changes[-1].block
    return changes


def story(start: Block, *steps: str) -> list[tuple[int, str, str]]:
    return [(c.block.verifications, c.after, c.effect) for c in run(start, *steps)]


@pytest.mark.parametrize(
    ("state", "confidence", "at", "up", "down"),
    [
        pytest.param("possible", 0.3, 3, "past", "possible", marks=covers("R2.6"), id="possible"),
        pytest.param("past", 0.6, 10, "reliable", "possible", marks=covers("R2.7"), id="past"),
        pytest.param("reliable", 0.9, 50, "super_reliable", "reliable", marks=covers("R2.8"), id="reliable"),
    ],
)
def test_a_state_has_its_confidence_its_threshold_and_its_fall(
    state: str, confidence: float, at: int, up: str, down: str
) -> None:
    assert CONFIDENCE[state] == confidence  # type: ignore[index]
    rising, failing = run(block(state, at - 2), "+A", "+A"), outcome(block(state, at - 1), False, "A", NOW)
    assert [change.after for change in rising] == [state, up]
    assert failing.after == down


@pytest.mark.covers("B2.11")
def test_tables_are_complete_and_states_ranked() -> None:
    assert tuple(TABLE) == tuple(CONFIDENCE) == STATES
    assert len(set(CONFIDENCE.values())) == len(STATES), "states are ranked by their confidence"


@pytest.mark.covers("R2.12")
def test_thresholds_are_the_configurations() -> None:
    assert Thresholds.of(Config()) == Thresholds() == Thresholds(3, 10, 50)
    assert Thresholds.of(Config({"thresholds.past": 5})).past == 5


@pytest.mark.parametrize(("start", "v"), [("possible", 0), ("past", 1)])
@pytest.mark.covers("R2.13")
def test_successes_promote_at_exactly_3_10_and_50(start: str, v: int) -> None:  # R2.13, D14
    changes = run(block(start, v), *["+A"] * (51 - v))
    promoted = {c.block.verifications: (c.after, CONFIDENCE[c.block.state])
                for c in changes if c.effect == "promoted"}  # fmt: skip
    expected = {3: ("past", 0.6), 10: ("reliable", 0.9), 50: ("super_reliable", 0.9)}
    assert promoted == {count: row for count, row in expected.items() if count > 3 or start == "possible"}
    assert {c.effect for c in changes} == {"promoted", "verified"}


@pytest.mark.parametrize(
    ("start", "steps", "expected"),
    [
        (block("past", 5), ["-A", "-A", "-B"],
         [(4, "possible", "demoted"), (4, "possible", "debounced"), (3, "possible", "needs_review")]),  # D15
        (block("past", 5), ["-A", "+A"], [(4, "possible", "demoted"), (5, "past", "promoted")]),  # D16
        (block("possible", 0), ["-A"], [(0, "possible", "needs_review")]),  # D19
        (block("reliable", 10), ["-A", "-A", "-B"],
         [(9, "reliable", "needs_review"), (9, "reliable", "debounced"), (8, "reliable", "needs_review")]),  # D17
        (block("reliable", 50), ["-A", "+A"],
         [(49, "reliable", "needs_review"), (50, "super_reliable", "promoted")]),  # D18
    ],
)  # fmt: skip
@pytest.mark.covers("R2.14")
def test_lives_downwards(start: Block, steps: list[str], expected: list[tuple[int, str, str]]) -> None:
    assert story(start, *steps) == expected


@pytest.mark.parametrize(
    ("start", "steps", "expected"),
    [
        pytest.param(block("reliable", 99), ["+A", "-B", "+C", "+D"],
                     [(100, "super_reliable", "verified"), (99, "super_reliable", "needs_review"),
                      (100, "super_reliable", "verified"), (101, "super_reliable", "verified")],
                     marks=covers("R2.10"), id="counts on without bound"),
        pytest.param(block("past", 30), ["-A", "-A", "-A"],
                     [(29, "possible", "demoted"), (29, "possible", "debounced"), (29, "possible", "debounced")],
                     marks=covers("R2.11"), id="once a scenario"),
        pytest.param(block("possible", 60), ["+A", "+A", "+A"],
                     [(61, "past", "promoted"), (62, "reliable", "promoted"),
                      (63, "super_reliable", "promoted")],
                     marks=covers("B2.7"), id="one level a success"),  # D20
        pytest.param(block("past", 60), ["+A", "-B", "-B", "+A"],
                     [(61, "reliable", "promoted"), (60, "reliable", "needs_review"),
                      (60, "reliable", "debounced"), (61, "super_reliable", "promoted")],
                     marks=covers("B2.6"), id="no failure grants the badge"),
        pytest.param(block("reliable", 20), ["-A", "-B", "+A", "-B", "-A"],
                     [(19, "reliable", "needs_review"), (18, "reliable", "needs_review"),
                      (19, "reliable", "verified"), (19, "reliable", "debounced"),
                      (18, "reliable", "needs_review")],
                     marks=covers("B2.3"), id="a success clears its own scenario"),
        pytest.param(block("past", 0), ["-A"], [(0, "possible", "demoted")], marks=covers("B2.5"), id="never below zero"),
        (block("past", 2), ["+A"], [(3, "past", "verified")]),
    ],
)  # fmt: skip
def test_outcomes(start: Block, steps: list[str], expected: list[tuple[int, str, str]]) -> None:
    assert story(start, *steps) == expected


def test_levels_before_and_after_tell_the_badge() -> None:
    lost = outcome(block("reliable", 50), False, "A", NOW)
    assert (lost.before, lost.after, lost.block.state) == ("super_reliable", "reliable", "reliable")


def test_local_verifications_move_along_and_never_below_zero() -> None:
    seen = outcome(block("reliable", 72, verifications_local=0), False, "A", NOW).block
    assert (seen.verifications, seen.verifications_local) == (71, 0)
    assert outcome(seen, True, "A", NOW).block.verifications_local == 1


def test_an_outcome_is_kept_as_evidence_with_scenario_and_effect() -> None:
    given_ = Evidence("episode", "ep-1", quote="it worked")
    ok = outcome(block("past", 1), True, "A", NOW, given_).block
    assert ok.evidence == (Evidence("episode", "ep-1", NOW, "it worked", "A", "ok"),)
    failed = run(ok, "-A", "-A")[-1].block
    assert [piece.effect for piece in failed.evidence] == ["ok", "fail", "debounced"]
    assert failed.open_failures == {"A": NOW}


def test_the_newest_evidence_is_kept() -> None:
    changes = run(block("reliable", 10), *[f"+{n}" for n in range(EVIDENCE_KEPT + 5)])
    kept = [piece.scenario for piece in changes[-1].block.evidence]
    assert kept == [str(n) for n in range(5, EVIDENCE_KEPT + 5)]


@pytest.mark.covers("B3.13")
def test_updated_at_follows_an_effect_and_not_a_debounced_failure() -> None:
    failing = block("reliable", 10, open_failures={"A": THEN})
    assert outcome(failing, False, "A", NOW).block.updated_at == THEN
    assert outcome(failing, False, "B", NOW).block.updated_at == NOW
    assert outcome(failing, True, "B", NOW).block.updated_at == NOW


def test_an_obsolete_block_takes_no_outcome() -> None:
    with pytest.raises(RefusedError, match="exp-aaaaaaaa is obsolete") as caught:
        outcome(block("obsolete", 3), True, "A", NOW)
    assert "revive exp-aaaaaaaa" in caught.value.hint


def test_thresholds_are_obeyed() -> None:
    quick = Thresholds(1, 2, 3)
    start, levels = block(), []
    for _ in range(3):
        change = outcome(start, True, "A", NOW, thresholds=quick)
        start, levels = change.block, [*levels, change.after]
    assert levels == ["past", "reliable", "super_reliable"]


@table("state", "v", "expected")
@pytest.mark.covers("B2.1")
def test_level(state: str, v: int, expected: str) -> None:
    assert level(block(state, v)) == expected


@pytest.mark.covers("R2.37")
def test_order_of_levels() -> None:
    assert LEVELS == ("obsolete", "possible", "past", "reliable", "super_reliable")


@pytest.mark.parametrize("command", [recall, context])
def test_help_names_every_level_that_may_be_asked_for(command: Callable[..., Any]) -> None:
    (option,) = inspect.signature(command, eval_str=True).parameters["min_state"].annotation.__metadata__
    assert option.help == f"{', '.join(LEVELS[1:-1])} or {LEVELS[-1]}."


@pytest.mark.covers("B2.4")
def test_scenario_is_the_name_or_the_context_of_a_day_or_the_day() -> None:
    assert scenario_of(" nightly build ", {"os": "linux"}, "2026-02-20") == "nightly build"
    assert scenario_of("", {}, "2026-02-20") == "day-2026-02-20"
    one = scenario_of("", {"os": "linux", "ci": True}, "2026-02-20")
    assert one == scenario_of("", {"ci": True, "os": "linux"}, "2026-02-20")
    others = {
        scenario_of("", {"os": "macos", "ci": True}, "2026-02-20"),
        scenario_of("", {"os": "linux", "ci": True}, "2026-02-21"),
        scenario_of("", {"os": "linux", "ci": 1}, "2026-02-20"),
        scenario_of("", {}, "2026-02-20"),
    }
    assert len(others) == 4
    assert one not in others


def test_a_bystander_counts_in_value_and_doubt_alone() -> None:
    for ok in (True, False):
        change = outcome(block("past", 4), ok, "A", NOW, standing="bystander")
        assert (change.block.state, change.block.verifications, change.effect) == ("past", 4, "noted")
        assert change.block.open_failures == {} and change.block.record == Record(ok, not ok)
        assert change.block.doubt is not None and change.block.doubt.value > 0
        assert [piece.effect for piece in change.block.evidence] == ["ok" if ok else "fail"]


def test_a_failure_never_archives_a_candidate() -> None:
    change = outcome(block("possible", 0), False, "A", NOW, standing="candidate")
    assert (change.block.state, change.effect) == ("possible", "withheld")
    assert change.block.open_failures == {"A": NOW}


def test_the_newest_twenty_open_failures_stay() -> None:
    failing = block("reliable", 90)
    for day in range(25):
        failing = outcome(failing, False, f"day-{day}", f"2026-01-{day + 1:02}T00:00:00Z").block
    assert len(failing.open_failures) == 20 and "day-0" not in failing.open_failures


@table("state", "to")
@pytest.mark.covers("B2.9")
def test_retire(state: str, to: Any) -> None:  # D21, B2.9
    change = retire(block(state, 12), "the API moved", NOW, to)
    assert (change.block.state, change.block.verifications) == (to, 12)
    assert change.block.evidence[-1] == Evidence("retired", at=NOW, quote="the API moved")
    assert (change.before, change.after, change.effect) == (state, to, "retired")
    assert change.block.updated_at == NOW


@pytest.mark.parametrize(("state", "to"), [("past", "past"), ("possible", "past"), ("obsolete", "obsolete")])
def test_retiring_never_raises(state: str, to: Any) -> None:
    with pytest.raises(RefusedError, match=f"is {state} and cannot be retired to {to}"):
        retire(block(state, 12), "", NOW, to)


@pytest.mark.covers("R2.15")
def test_a_retired_block_rises_again_with_few_successes() -> None:  # R2.15
    assert outcome(retire(block("reliable", 12), "", NOW, "past").block, True, "A", NOW).after == "reliable"


@pytest.mark.covers("B2.10")
def test_revive() -> None:  # D19, B2.10
    dead = block(
        "obsolete", 7, open_failures={"A": THEN}, archived=Archived("universal/tools", THEN, "obsolete")
    )
    change = revive(dead, NOW)
    assert (change.block.state, change.block.verifications) == ("possible", 7)
    assert (change.block.archived, change.block.open_failures) == (None, {})
    assert (change.before, change.after, change.effect) == ("obsolete", "possible", "revived")
    rejected = block("past", 1, archived=Archived("low_value/pending_20260220", THEN, "rejected"))
    assert revive(rejected, NOW).block.state == "possible"
    with pytest.raises(RefusedError, match="nothing to revive"):
        revive(block("past", 1), NOW)


def shared(**more: Any) -> Placed:
    path = more.pop("path", "universal/tools.jsonc")
    fields = {"shareable": True, **more}
    made = block(fields.pop("state", "reliable"), fields.pop("verifications", 50), **fields)
    return Placed(approved(made, path, THEN), path)


@pytest.mark.parametrize(
    ("placed", "expected"),
    [
        (shared(), True),
        (shared(path="personal/habits.jsonc"), False),
        (shared(path="low_value_pool/pending_20260220.jsonc"), False),
        (shared(shareable=False), False),
        (shared(verifications=72, verifications_local=49), False),  # B2.38
        (shared(verifications=49), False),
        (shared(state="past"), False),
        (Placed(replace(shared().block, payload=Payload("y")), "universal/tools.jsonc"), False),
        (Placed(replace(shared().block, entry=None), "universal/tools.jsonc"), False),
    ],
)
@pytest.mark.covers("R2.46")
def test_what_leaves(placed: Placed, expected: bool) -> None:
    assert (not lacks(placed)) is expected


def test_sharing_stops_and_returns_with_the_badge() -> None:  # D18
    failed = outcome(shared().block, False, "A", NOW).block
    assert lacks(Placed(failed, "universal/tools.jsonc"))
    assert not lacks(Placed(outcome(failed, True, "A", NOW).block, "universal/tools.jsonc"))


def test_diagram_draws_the_table() -> None:
    drawn = diagram().splitlines()
    assert drawn[0] == "stateDiagram-v2"
    for line in (
        "possible --> past: success, 3 verified",
        "possible --> past: a person approves it",
        "past --> reliable: success, 10 verified",
        "reliable --> super_reliable: success, 50 verified",
        "past --> possible: failure in a new scenario",
        "reliable --> past: a person retires it",
        "obsolete --> possible: a person revives it",
    ):
        assert "    " + line in drawn
    assert not any("reliable --> possible" in line for line in drawn)


STEPS = st.lists(st.tuples(st.booleans(), st.sampled_from("ABC")), max_size=40)


@given(st.sampled_from(["possible", "past", "reliable"]), st.integers(0, 70), STEPS)
def test_laws(state: str, v: int, steps: list[tuple[bool, str]]) -> None:
    now = block(state, v)
    for ok, scenario in steps:
        change = outcome(now, ok, scenario, NOW)
        rise = LEVELS.index(change.after) - LEVELS.index(change.before)
        assert change.before == level(now)
        assert change.after == level(change.block)
        assert change.block.verifications >= 0
        assert change.block.verifications_local >= 0
        assert -1 <= change.block.verifications - now.verifications <= 1
        assert rise <= (1 if ok else 0)
        assert rise >= (0 if ok else -1)
        assert len(change.block.evidence) <= EVIDENCE_KEPT
        if not ok and scenario in now.open_failures:
            same = replace(now, record=change.block.record, doubt=change.block.doubt)
            assert change.block == replace(same, evidence=change.block.evidence)
        now = change.block
