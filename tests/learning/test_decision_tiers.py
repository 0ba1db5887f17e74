"""The tier rule: vectors of DESIGN 12.1."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from alice_exp.finding.rules.ranking import Match
from alice_exp.learning.rules.decision_tiers import (
    HIGH_CONFIDENCE,
    IN_DOUBT_WARNING,
    LOW_VALUE_WARNING,
    Choice,
    choose,
    is_withheld,
)
from alice_exp.model.values.block import (
    CONFIDENCE,
    TRUST,
    Approved,
    Block,
    Doubt,
    Evidence,
    Payload,
    Placed,
    content_hash,
    is_approved,
    path_of,
)

AT = "2026-02-20T09:00:00Z"


def one(
    place: Any, state: Any, name: str = "", *, match: float = 0.5, approve: bool = True, **more: Any
) -> Match:
    """A match of a block that a person approved, unless told otherwise."""
    block = Block(name or f"{place}-{state}", Payload(name or f"{place} {state}"), state=state, **more)
    if approve and place == "universal":
        block = replace(block, approved=block.approved or Approved(AT, "user", content_hash(block)))
    placed = Placed(block, path_of(place, "tools"))
    trust, confidence = TRUST[placed.place], CONFIDENCE[block.state]
    score = trust * confidence * match
    return Match(placed, score, match, match, None, confidence, trust, 1.0, is_approved(placed))


def chosen(*matches: Match, **more: Any) -> Choice:
    return choose(sorted(matches, key=lambda found: -found.score), **more)


def names(choice: Choice) -> tuple[str, list[str], list[str], bool]:
    applied = [f"+{a.placed.block.id}" if a.complement else a.placed.block.id for a in choice.applied]
    return choice.tier, applied, [m.placed.block.id for m in choice.observing], choice.disclaim


POOL = one("low_value", "possible")
DOUBTED = Doubt(1.2, "2026-02-19", "2026-02-19T09:00:00Z")


@pytest.mark.covers("R2.35")
def test_the_order_of_a_decision() -> None:
    below = [one("personal", "past"), one("universal", "reliable"), one("universal", "past"), POOL]
    tiers = [chosen(*below[at:]).tier for at in range(5)]
    assert tiers == ["personal", "universal", "trial", "low_value", "reasoning"]
    assert [chosen(*below[at:]).disclaim for at in range(5)] == [False, False, False, True, False]


@pytest.mark.parametrize(
    ("matches", "expected"),
    [
        # what is proven below and fits as well joins as a complement (B5.16)
        ([one("personal", "past"), one("universal", "reliable"), POOL],
         ("personal", ["personal-past", "+universal-reliable"], [], False)),
        pytest.param([one("personal", "past"), one("universal", "reliable", match=0.4), POOL],
                     ("personal", ["personal-past"], ["universal-reliable"], False),
                     marks=pytest.mark.covers("R2.36"), id="no lower tier answers"),
        # a weak match of a high tier never hides a strong one below it
        ([one("personal", "past", match=0.2), one("universal", "reliable")],
         ("universal", ["universal-reliable"], ["personal-past"], False)),
        ([one("personal", "past", match=0.3), one("universal", "reliable")],
         ("personal", ["personal-past", "+universal-reliable"], [], False)),
        # approved and not proven: one block on trial, before the pool (B5.17)
        pytest.param([one("universal", "past"), one("low_value", "reliable", match=0.7)],
                     ("trial", ["universal-past"], [], False),
                     marks=pytest.mark.covers("R2.20"), id="low value is the last reference"),
        ([one("universal", "possible")], ("trial", ["universal-possible"], [], False)),
        ([one("personal", "possible")], ("trial", ["personal-possible"], [], False)),
        ([one("universal", "possible"), one("universal", "past")],
         ("trial", ["universal-past"], ["universal-possible"], False)),
        # what nobody approved is not applied while an approved one fits, whatever its file says
        ([one("universal", "reliable", approve=False), POOL],
         ("low_value", ["low_value-possible"], [], True)),
        ([one("universal", "reliable", approve=False), one("universal", "possible")],
         ("trial", ["universal-possible"], [], False)),
        ([], ("reasoning", [], [], False)),
        # in doubt: not applied, but it counts as matching, so that no lie takes its place
        ([one("universal", "reliable", doubt=DOUBTED), POOL],
         ("reasoning", [], ["universal-reliable"], False)),
        ([one("universal", "past", doubt=DOUBTED), one("universal", "possible", match=0.4)],
         ("trial", ["universal-possible"], ["universal-past"], False)),
        # what the person said stays applied until the person answers
        ([one("personal", "past", doubt=DOUBTED)], ("personal", ["personal-past"], [], False)),
        # a candidate that failed waits for the review
        ([one("low_value", "possible", open_failures={"A": AT})], ("reasoning", [], [], False)),
    ],
)  # fmt: skip
def test_tiers(matches: list[Match], expected: tuple[str, list[str], list[str], bool]) -> None:
    choice = chosen(*matches)
    assert sorted(names(choice)[1]) == sorted(expected[1]) and names(choice)[0] == expected[0]
    assert (names(choice)[2], names(choice)[3]) == (expected[2], expected[3])


def test_at_most_three_of_a_tier_and_two_complements() -> None:
    own = [one("personal", "past", f"own{n}", match=0.5 - n / 100) for n in range(5)]
    tools = [one("universal", "reliable", f"tool{n}", match=0.6 - n / 100) for n in range(4)]
    assert names(chosen(*own, *tools))[1] == ["own0", "own1", "own2", "+tool0", "+tool1"]


def test_a_trial_takes_turns_by_what_came_of_it() -> None:
    def tried(name: str, effects: str, approved_at: str = AT, place: str = "universal") -> Match:
        pieces = tuple(
            Evidence("episode", at=AT, effect={"+": "ok", "-": "fail", "k": "still_true"}[e]) for e in effects
        )
        block = Block(name, Payload(name), evidence=pieces)
        mark = Approved(approved_at, "user", content_hash(block))
        return one(place, "possible", name, evidence=pieces, approved=mark)

    good, bad, fresh = tried("good", "++-"), tried("bad", "---"), tried("fresh", "")
    assert names(chosen(bad, fresh, good))[1] == ["fresh"], "(0+3)/(0+4) = .75 before (2+3)/(3+4) = .71"
    assert names(chosen(bad, good))[1] == ["good"]
    assert names(chosen(tried("answered", "---k"), good))[1] == ["answered"], (
        "failures that a person answered are out"
    )
    older, newer = tried("a", "", "2026-02-01T09:00:00Z"), tried("b", "", "2026-02-02T09:00:00Z")
    assert names(chosen(older, newer))[1] == ["b"], "the newest approved"
    assert names(chosen(newer, tried("p", "", place="personal")))[1] == ["p"], "personal first"


def test_what_the_lot_holds_out_is_as_if_it_did_not_exist() -> None:
    first, second = one("personal", "past", "first"), one("personal", "past", "second", match=0.45)
    choice = chosen(first, second, is_held_out=lambda block_id: block_id == "first")
    assert (names(choice), choice.held_out) == (("personal", ["second"], [], False), ("first",))
    choice = chosen(first, one("universal", "past"), is_held_out=lambda block_id: block_id == "first")
    assert choice.tier == "trial"
    alone = chosen(first, is_held_out=lambda _: True)
    assert (alone.tier, alone.observing, alone.held_out) == ("reasoning", (), ("first",))


@pytest.mark.parametrize("threshold", [0.421, 0.5, 0.54])
@pytest.mark.covers("B2.14")
def test_any_threshold_between_042_and_054_gives_the_same_tiers(threshold: float) -> None:
    assert HIGH_CONFIDENCE == 0.5
    assert chosen(one("personal", "past"), threshold=threshold).tier == "personal"
    assert chosen(one("personal", "possible"), threshold=threshold).tier == "trial"
    assert chosen(one("universal", "reliable"), threshold=threshold).tier == "universal"
    assert chosen(one("universal", "past"), threshold=threshold).tier == "trial"


def test_a_threshold_gates_by_trust_and_confidence() -> None:
    assert chosen(one("personal", "past"), threshold=0.6).tier == "trial"
    assert chosen(one("personal", "reliable"), threshold=0.6).tier == "personal"


@pytest.mark.covers("B3.14")
def test_decay_orders_and_never_gates() -> None:
    old = one("personal", "past")
    assert chosen(replace(old, decay=0.001, score=0.0)).tier == "personal"


def test_warnings() -> None:
    assert LOW_VALUE_WARNING == "⚠️ 启用低价值经验（所有高价值路径失效）"
    assert chosen(POOL).warnings == (LOW_VALUE_WARNING,)
    assert chosen(one("universal", "past", doubt=DOUBTED)).warnings == (IN_DOUBT_WARNING,)
    assert chosen().warnings == ()


def test_no_unreviewed_lie_beats_an_approved_truth() -> None:
    """However well the lie fits: 200 of 200 published poisoned texts won before."""
    for share in range(1, 101):
        truth, lie = (
            one("universal", "possible", "truth", match=share / 100),
            one("low_value", "past", "lie", match=1.0),
        )
        assert "lie" not in names(chosen(truth, lie))[1]


def test_only_candidates_are_withheld() -> None:
    assert is_withheld(one("low_value", "possible", open_failures={"A": AT}).placed)
    assert not is_withheld(one("universal", "past", open_failures={"A": AT}).placed)
