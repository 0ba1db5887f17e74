"""Which blocks are told: the vectors of DESIGN 12.1."""

from typing import Any

import pytest

from alice_exp.finding.rules.choice import (
    IN_DOUBT_WARNING,
    LOW_VALUE_WARNING,
    Choice,
    choose,
    forbids,
    is_protected,
)
from alice_exp.finding.rules.ranking import Match
from alice_exp.model.values.block import (
    CONFIDENCE,
    IMPORTANT,
    TRUST,
    Block,
    Doubt,
    Evidence,
    Payload,
    Placed,
    Trigger,
    is_approved,
    path_of,
)
from tests.approvals import approved
from tests.case_tables import table

AT = "2026-02-20T09:00:00Z"
DOUBTED = Doubt(0.25, "2026-02-19", "2026-02-19T09:00:00Z")


def one(
    place: Any,
    name: str,
    *,
    outcomes: str = "",
    day: int = 1,
    approve: bool = True,
    text: str = "",
    **more: Any,
) -> Match:
    """A match of a block that was approved on a day, with outcomes (``+``, ``-``, and ``k`` for *still true*)."""
    effects = {"+": "ok", "-": "fail", "k": "still_true"}
    pieces = tuple(Evidence("episode", at=AT, effect=effects[each]) for each in outcomes)
    block = Block(name, Payload(text or name), evidence=pieces, **more)
    if approve and place != "low_value":
        block = approved(block, path_of(place, "tools"), f"2026-02-{day:02}T09:00:00Z")
    placed = Placed(block, path_of(place, "tools"))
    trust, confidence = TRUST[placed.place], CONFIDENCE[block.state]
    return Match(placed, trust * confidence, 0.5, 0.5, None, confidence, trust, 1.0, is_approved(placed))


def told(choice: Choice) -> list[str]:
    return [match.placed.block.id for match in choice.applied]


@pytest.mark.covers("R2.35")
@pytest.mark.parametrize(
    ("matches", "expected"),
    [
        ([one("universal", name) for name in "abcde"], ["e", "d", "c", "b", "a"]),
        # a value of three quarters without outcomes; the newest approval first where it is equal
        ([one("universal", "good", outcomes="++++"), one("universal", "bad", outcomes="+-"),
          one("universal", "old"), one("universal", "new", day=2)], ["good", "new", "old", "bad"]),
        # failures that a person answered are out
        ([one("universal", "answered", outcomes="---k"), one("universal", "good", outcomes="+")],
         ["good", "answered"]),
        # what forbids, and what the person marked, before what works best
        ([one("universal", "water", outcomes="++++", text="serve water first"),
          one("universal", "nuts", text="no peanuts, severe allergy"),
          one("universal", "marked", importance=IMPORTANT, outcomes="-")], ["nuts", "marked", "water"]),
        # what is about the person stands first
        ([one("universal", "tool", outcomes="++++"), one("personal", "me", outcomes="--")], ["me", "tool"]),
        # unreviewed, and approved with other words: not while something approved fits
        ([one("universal", "tool"), one("low_value", "lie", state="reliable"),
          one("universal", "edited", approve=False)], ["tool"]),
        # in doubt: silent, unless it forbids or is the person's word
        ([one("universal", "tool"), one("universal", "resting", doubt=DOUBTED)], ["tool"]),
        ([one("universal", "main", text="never push to main", doubt=DOUBTED),
          one("personal", "me", doubt=DOUBTED)], ["me", "main"]),
    ],
)  # fmt: skip
def test_the_order(matches: list[Match], expected: list[str]) -> None:
    assert told(choose(matches)) == expected


@pytest.mark.covers("R2.36")
def test_eight_and_four_about_the_person() -> None:
    own = [one("personal", f"p{n}", day=n + 1) for n in range(6)]
    tools = [one("universal", f"t{n}", day=n + 1, outcomes="+") for n in range(9)]
    found = choose([*own, *tools])
    assert told(found) == ["p5", "p4", "p3", "p2", *(f"t{n}" for n in range(8, 0, -1))]
    assert {match.placed.block.id for match in found.observing} == {"p0", "p1", "t0"}
    assert len(told(choose(own))) == 6, "the others stand among the eight"


def test_a_rival_of_one_that_is_told_is_left_out() -> None:
    def rivals(a: Placed, b: Placed) -> bool:
        return {a.block.id, b.block.id} == {"tabs", "spaces"}

    found = choose(
        [one("universal", "tabs"), one("universal", "spaces", day=2), one("universal", "wrap")], rivals
    )
    assert told(found) == ["spaces", "wrap"]
    found = choose([one("universal", "new"), one("universal", "old")], replaced={"old"})
    assert (told(found), [match.placed.block.id for match in found.observing]) == (["new"], ["old"])


@pytest.mark.covers("R2.20")
def test_the_pool_answers_where_nothing_approved_fits() -> None:
    pool = [one("low_value", name) for name in "abcd"]
    found = choose([*pool, one("low_value", "failed", open_failures={"A": AT})])
    assert (told(found), found.tier, found.disclaim) == (["a", "b", "c"], "low_value", True)
    assert found.warnings == (LOW_VALUE_WARNING,)
    assert told(choose(pool, is_like_rejected=lambda placed: placed.block.id == "a")) == ["b", "c", "d"]
    assert choose([]).tier == "reasoning"


def test_where_all_that_fits_is_in_doubt_no_lie_takes_its_place() -> None:
    found = choose([one("universal", "a", doubt=DOUBTED), one("low_value", "lie")])
    assert (found.tier, told(found), found.warnings) == ("reasoning", [], (IN_DOUBT_WARNING,))
    assert [match.placed.block.id for match in found.observing] == ["a"]


@table("own", "task", "is_told")
def test_a_context_that_contradicts_excludes(
    own: dict[str, Any], task: dict[str, Any], is_told: bool
) -> None:
    match = one("universal", "a", trigger=Trigger("t", (), own))
    assert bool(choose([match], context=task).applied) is is_told


@table("text", "expected")  # fmt: skip
def test_what_forbids(text: str, expected: bool) -> None:
    assert forbids(Block("exp-a", Payload(text))) is expected
    assert is_protected(one("universal", "a", text=text).placed) is expected
