"""Doubt: the vectors of DESIGN 12.4, the promise about false alarms, and what two machines agree on."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date, timedelta

import pytest

from alice_exp.model.rules.doubt import (
    after_outcome,
    deserves_revival,
    is_in_doubt,
    kept_record,
    outcomes_since_kept,
    replayed,
    still_true,
    usual_rate,
    with_outcome,
)
from alice_exp.model.values.block import Archived, Block, Doubt, Evidence, Payload, Record, Trigger

AT = "2026-02-20T09:00:00Z"


def at(day: int, hour: int = 9) -> str:
    return f"{date(2026, 1, 1) + timedelta(days=day)}T{hour:02}:00:00Z"


@pytest.mark.parametrize(
    ("ok", "failed", "rate"),
    [
        (0, 0, 0.6),  # 4/5 - .2
        (0, 3, 0.5),  # 4/8 - .2 = .3, at least .5
        (96, 0, 0.7900990099),  # 100/101 - .2
        (1000, 0, 0.7990049751),  # 1004/1005 - .2, never over .8
        (6, 4, 0.5),  # 10/15 - .2 = .4667
        (16, 0, 0.7523809524),  # 20/21 - .2
    ],
)
def test_the_usual_rate(ok: int, failed: int, rate: float) -> None:
    assert usual_rate(Record(ok, failed)) == pytest.approx(rate)


def test_a_day_adds_a_failure_doubles_a_success_halves() -> None:
    first = after_outcome(None, Record(), True, AT)
    assert first == Doubt(1 / 64, "2026-02-20")
    again = after_outcome(first, Record(1, 0), True, AT)
    assert again.value == 1 / 128, "one thirty-second a day, not a use"
    boosted = after_outcome(None, Record(), True, AT, boosted=True)
    assert boosted.value == 1 / 32
    failed = after_outcome(None, Record(), False, AT)
    assert failed.value == pytest.approx(1 / 32 * (1 - 0.3) / (1 - 0.6))


def test_a_lesson_that_held_and_fails_again_and_again_is_in_doubt() -> None:
    block = Block("exp-aaaaaaaa", Payload("use make -j"))
    for day in range(40):
        block = with_outcome(block, True, at(day))
    assert block.record == Record(40, 0) and not is_in_doubt(block)
    failures = 0
    while not is_in_doubt(block):
        block = with_outcome(block, False, at(50 + failures))
        failures += 1
    assert failures == 3, "a factor of 3 a failure at a usual rate of .78"
    assert block.doubt is not None and block.doubt.since == at(52)
    rescued = with_outcome(block, True, at(60))
    assert is_in_doubt(rescued), "a latch: only a person answers"


def test_still_true_rests_it_and_forgets_failures_in_the_order_of_trials() -> None:
    pieces = tuple(
        Evidence("outcome", at=at(n), effect=effect) for n, effect in enumerate(["ok", "fail", "fail"])
    )
    block = Block(
        "exp-aaaaaaaa",
        Payload("x"),
        evidence=pieces,
        doubt=Doubt(2.0, "2026-01-03", at(2)),
        open_failures={"A": AT},
    )
    kept = still_true(block, at(9), "seen again")
    assert kept.doubt == Doubt(0.25, "2026-01-10") and kept.open_failures == {}
    assert outcomes_since_kept(block) == (1, 2) and outcomes_since_kept(kept) == (1, 0)
    assert kept.evidence[-1].effect == "still_true"


def test_who_stands_by_what_nobody_doubted_brings_no_doubt_in() -> None:
    kept = still_true(Block("exp-aaaaaaaa", Payload("x")), AT)
    assert kept.doubt is None and kept.evidence[-1].effect == "still_true"


def test_an_older_home_is_worked_out_from_its_pieces_and_latches_nothing_by_reading() -> None:
    pieces = tuple(Evidence("outcome", at=at(n), effect="fail") for n in range(6))
    old = Block("exp-aaaaaaaa", Payload("x"), evidence=pieces)
    assert not is_in_doubt(old)
    now = with_outcome(old, True, at(9))
    assert now.record == Record(1, 6) and not is_in_doubt(now)
    assert is_in_doubt(with_outcome(old, False, at(9)))


def test_replaying_all_pieces_is_what_happened_one_by_one() -> None:
    source = random.Random(7)
    block, pieces = Block("exp-aaaaaaaa", Payload("x"), record=Record()), []
    for day in range(12):
        ok = source.random() < 0.7
        block = with_outcome(block, ok, at(day))
        pieces.append(Evidence("outcome", ref=f"ep-{day}", at=at(day), effect="ok" if ok else "fail"))
    source.shuffle(pieces)
    assert block.record is not None
    assert replayed(pieces, block.record) == block.doubt
    assert kept_record(pieces) == block.record
    assert replayed([], Record(3, 1)) is None


@pytest.mark.parametrize("uses", [1, 12, 60])
@pytest.mark.parametrize("rate", [0.6, 0.75, 0.9])
def test_false_alarms_stay_below_a_thirty_second_a_day(uses: int, rate: float) -> None:
    """A block whose rate stands: P(in doubt within N days of use) is at most N/32, however many uses a day has."""
    days, alarms, runs = 12, 0, 100 if uses < 60 else 40
    source = random.Random(uses * 100 + int(rate * 10))
    for _ in range(runs):
        block = Block("exp-aaaaaaaa", Payload("x"), record=Record(round(40 * rate), 40 - round(40 * rate)))
        for day in range(days):
            for use in range(uses):
                block = with_outcome(block, source.random() < rate, at(day, use % 24))
        alarms += is_in_doubt(block)
    assert alarms / runs <= days / 32


def test_only_the_pieces_time_counts() -> None:
    late = after_outcome(Doubt(0.5, "2026-03-01"), Record(4, 0), True, "2026-02-01T00:00:00Z")
    assert late == replace(late, value=0.25, day="2026-03-01"), "what comes late adds no day"


def test_doubt_is_dated_by_the_outcome_that_first_reached_the_limit() -> None:
    doubt: Doubt | None = None
    record = Record(0, 0)
    reached = ""
    for day in range(8):
        doubt = after_outcome(doubt, record, False, at(day))
        record = Record(0, record.failed + 1)
        if not reached and doubt.value >= 1:
            reached = at(day)
    assert reached
    assert reached < at(7)
    assert doubt is not None
    assert doubt.since == reached


@pytest.mark.parametrize(
    ("ok", "failed", "expected"),
    [
        (2, 0, False),  # 3/4 speaks for it, but two uses are too few
        (3, 0, True),  # 4/5
        (2, 1, True),  # 3/5
        (2, 2, False),  # 3/6 is not more than a half
        (0, 3, False),
    ],
)
def test_revival_needs_three_uses_that_speak_for_it(ok: int, failed: int, expected: bool) -> None:
    pieces = tuple(
        Evidence("outcome", at=at(day), effect="ok" if day < ok else "fail") for day in range(ok + failed)
    )
    archived = Archived("mine/coding", at(20), "obsolete")
    block = Block(
        id="exp-00000001", payload=Payload("p"), trigger=Trigger("t"), evidence=pieces, archived=archived
    )
    assert deserves_revival(block) is expected
