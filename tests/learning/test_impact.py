"""What blocks bring: ``impact`` by rule and by command; how far signals agree with reports."""

from dataclasses import replace
from typing import Any

import pytest

from alice_exp.learning.rules.impact import impact, qualities
from alice_exp.model.values.block import Block, Doubt, Payload, Placed, Record
from alice_exp.model.values.records import Episode
from tests.approvals import approved

AT = "2026-02-20T09:00:00Z"


def lesson(name: str, ok: int = 0, failed: int = 0, at: str = AT, **more: Any) -> Placed:
    block = Block(f"exp-{name}", Payload(f"do {name}"), record=Record(ok, failed), **more)
    path = "universal/tool_usage.jsonc"
    return Placed(approved(block, path, at), path)


def lived(tier: str, ok: int, failed: int) -> list[Episode]:
    return [
        Episode(f"ep-{tier}{n}", "t", {}, f"{tier}: exp-a", None, n < ok, 0.0, AT, "")
        for n in range(ok + failed)
    ]


def test_tasks_with_what_is_approved_are_compared_with_those_without() -> None:
    episodes = [*lived("universal", 18, 2), *lived("personal", 9, 1), *lived("reasoning", 15, 15)]
    episodes += [*lived("low_value", 0, 50), replace(lived("x", 1, 0)[0], action="used the script: blue")]
    found = impact([lesson("a", 27, 3)], episodes, AT)
    assert (found.told.successes, found.told.total) == (27, 30)
    assert (found.without.successes, found.without.total) == (15, 30)
    assert 0.15 < found.difference[0] < 0.4 < found.difference[1]


@pytest.mark.parametrize(
    ("placed", "verdict"),
    [
        (lesson("a", 27, 3), "helped"),
        (lesson("a", 6, 4), "open"),
        (lesson("a"), "unused"),
        (lesson("new", at="2026-02-20T09:00:01Z"), "open"),
        (lesson("old"), "open"),
        (lesson("a", 27, 3, doubt=Doubt(0.25, AT[:10], AT)), "in_doubt"),
    ],
)
def test_what_is_said_of_a_block(placed: Placed, verdict: str) -> None:
    told = lesson("z", replaces=("exp-old",))
    one, _ = impact([placed, told], lived("reasoning", 15, 15), "2026-02-27T09:00:00Z").blocks
    assert one.verdict == verdict


def test_the_most_used_stands_first_and_what_nobody_approved_is_left_out() -> None:
    unread = Placed(
        Block("exp-c", Payload("c"), record=Record(9, 0)), "low_value_pool/pending_20260220.jsonc"
    )
    found = impact([lesson("b", 1), lesson("a", 5), unread], [], AT)
    assert [one.placed.block.id for one in found.blocks] == ["exp-a", "exp-b"]


def test_shares_are_of_the_decisions_that_were_reported_so() -> None:
    rows: list[tuple[dict[str, bool], bool | None]] = [
        *[({"tests": True}, True)] * 21, *[({"tests": False}, True)] * 4,
        *[({"tests": False, "words": True}, False)] * 4, *[({"tests": True}, False)] * 2,
        ({"tests": True}, None), ({}, True),
    ]  # fmt: skip
    tests, words = qualities(rows)
    assert (tests.kind, tests.seen, tests.both) == ("tests", 32, 31)
    assert (round(tests.ok.value, 2), round(tests.failed.value, 2)) == (0.84, 0.67)
    assert (words.both, words.failed.value, words.ok.total) == (4, 0.0, 0)


def test_nothing_seen_is_nothing_told() -> None:
    assert qualities([({}, True), ({}, None)]) == ()
