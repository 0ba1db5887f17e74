"""Whom an outcome counts for, and who rests when a set fails: the vectors of DESIGN 12.3 and 12.4."""

from dataclasses import replace
from typing import Any

from alice_exp.learning.rules.impact import beside, counted, settled
from alice_exp.model.rules.doubt import is_in_doubt
from alice_exp.model.values.block import Block, Doubt, Evidence, Payload, Placed, Record, path_of
from tests.approvals import approved

AT = "2026-02-20T09:00:00Z"
PIECE = Evidence("episode", ref="ep-1", at=AT)


def placed(
    name: str, outcomes: str = "", *, place: Any = "universal", day: int = 1, text: str = "", **more: Any
) -> Placed:
    pieces = tuple(Evidence("episode", at=AT, effect="ok" if each == "+" else "fail") for each in outcomes)
    fields = {
        "state": "past",
        "verifications": 1,
        "record": Record(outcomes.count("+"), outcomes.count("-")),
        **more,
    }
    block = Block(name, Payload(text or name), evidence=pieces, **fields)
    path = path_of(place, "tools")
    return Placed(approved(block, path, f"2026-02-{day:02}T09:00:00Z"), path)


def test_one_outcome_counts_for_all_and_verifies_what_was_used_or_told_alone() -> None:
    told = [placed("a"), placed("b")]
    together = counted(told, (), True, "A", AT, PIECE)
    assert [(one.block.verifications, one.block.record) for one, _ in together] == [(1, Record(1, 0))] * 2
    assert [change.effect for _, change in together] == ["noted", "noted"]
    ((used, change),) = counted(told, ("b",), True, "A", AT, PIECE)
    assert (used.block.id, used.block.verifications, change.effect) == ("b", 2, "verified")
    ((alone, change),) = counted(told[:1], (), False, "A", AT, PIECE)
    assert (alone.block.verifications, alone.block.state, change.effect) == (0, "possible", "demoted")
    ((still, change),) = counted([alone], (), False, "B", AT, PIECE)
    assert (still.block.state, still.place, change.effect) == ("possible", "universal", "needs_review"), (
        "never archived"
    )


def test_a_candidate_that_failed_waits_whoever_it_stood_beside() -> None:
    pool = [placed("a", place="low_value"), placed("b", place="low_value")]
    assert all(one.block.open_failures for one, _ in counted(pool, (), False, "A", AT, PIECE))
    assert [one.block.verifications for one, _ in counted(pool, (), True, "A", AT, PIECE)] == [1, 1]


def test_the_lowest_of_a_set_that_tips_rests_and_the_others_start_again() -> None:
    near = Doubt(0.9, AT[:10])
    told = [
        placed("good", "++", doubt=near),
        placed("bad", "+-", doubt=near),
        placed("new", "+-", doubt=near, day=2),
    ]
    after = {one.block.id: one.block for one, _ in counted(told, (), False, "A", AT, PIECE)}
    assert [block.id for block in after.values() if is_in_doubt(block)] == ["new"], (
        "of equal worth the newest"
    )
    assert after["new"].doubt == Doubt(0.25, AT[:10], AT, "", ("good", "bad"))
    assert [after[name].doubt for name in ("good", "bad")] == [Doubt(0.25, AT[:10])] * 2


def test_what_forbids_or_is_marked_never_rests_before_another() -> None:
    near = Doubt(0.9, AT[:10])
    ban = placed("ban", "--", text="never push to main", doubt=near)
    marked = placed("marked", "--", importance=0.9, doubt=near)
    plain = placed("plain", "++++", doubt=near)
    after = [one for one, _ in counted([ban, marked, plain], (), False, "A", AT, PIECE)]
    assert [one.block.id for one in after if is_in_doubt(one.block)] == ["plain"]
    (alone,) = settled([replace(ban, block=replace(ban.block, doubt=Doubt(1.2, AT[:10])))], AT)
    assert is_in_doubt(alone.block), "alone it is asked about, and told all the same"


def test_a_newcomer_that_does_worse_is_in_doubt_alone() -> None:
    old = [placed(f"old{n}", "+" * 18 + "--") for n in range(4)]
    liar = placed("liar", day=9)
    assert beside(liar.block, [*old, liar]) == 0.9
    for number in range(2):
        told = [*old, liar]
        found = {one.block.id: one for one, _ in counted(told, (), False, "A", AT, PIECE)}
        liar, old = found["liar"], [found[one.block.id] for one in old]
        assert is_in_doubt(liar.block) is bool(number), "1/4, then times 3 and 3"
    assert liar.block.doubt is not None and liar.block.doubt.beside == ()
    assert not any(is_in_doubt(one.block) for one in old)


def test_only_established_blocks_say_what_is_usual() -> None:
    told = [placed("young", "+" * 9), placed("newcomer")]
    assert beside(told[1].block, told) is None
