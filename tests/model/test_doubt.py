"""Doubt: the vectors of DESIGN 12.4, the promise about false alarms, and what two machines agree on."""

import random
from dataclasses import replace
from datetime import date, timedelta

import pytest

from alice_exp.model.rules import doubt as doubting
from alice_exp.model.rules.doubt import (
    LIMIT,
    after_outcome,
    is_in_doubt,
    kept_record,
    outcomes_since_kept,
    replayed,
    rested,
    still_true,
    value,
    with_outcome,
)
from alice_exp.model.values.block import Block, Doubt, Evidence, Payload, Record
from tests.case_tables import table

AT = "2026-02-20T09:00:00Z"


def at(day: int, hour: int = 9) -> str:
    return f"{date(2026, 1, 1) + timedelta(days=day)}T{hour:02}:00:00Z"


@table("ok", "failed", "rate")
def test_the_usual_rate(ok: int, failed: int, rate: float) -> None:
    after = after_outcome(Doubt(1.0, AT[:10]), Record(ok, failed), False, AT)
    assert after.value == pytest.approx((1 + 1 / 512) * (1 - rate / 2) / (1 - rate))


def test_a_day_and_a_use_add_a_failure_doubles_a_success_halves() -> None:
    first = after_outcome(None, Record(), True, AT)
    assert first == Doubt((1 / 32 + 1 / 512) / 2, "2026-02-20")
    again = after_outcome(first, Record(1, 0), True, AT)
    assert again.value == pytest.approx((first.value + 1 / 512) / 2), "one thirty-second a day, not a use"
    failed = after_outcome(None, Record(), False, AT)
    assert failed.value == pytest.approx((1 / 32 + 1 / 512) * (1 - 0.3) / (1 - 0.6))


@pytest.mark.parametrize(("successes", "failures"), [(0, 8), (5, 11), (11, 10), (40, 7)])
def test_failures_of_one_day_are_noticed_by_the_twelfth(successes: int, failures: int) -> None:
    doubt: Doubt | None = None
    record, count = Record(), 0
    for number in range(successes + 20):
        ok = number < successes
        doubt = after_outcome(doubt, record, ok, AT)
        record = Record(record.ok + ok, record.failed + (not ok))
        count += not ok
        if doubt.value >= LIMIT:
            break
    assert count == failures


def test_a_newcomer_is_tested_against_what_stands_beside_it() -> None:
    first = doubting.tested(Doubt(0.1, "2026-02-20"), Record(), True, 0.9)
    assert (first.rate, first.against) == (0.9, pytest.approx(0.25 * 0.7 / 0.9))
    second = doubting.tested(first, Record(1, 0), False, 0.3)
    assert second.rate == 0.9, "the rate stays that of the beginning"
    assert second.against == pytest.approx(first.against * 0.3 / 0.1)
    assert doubting.tested(second, Record(10, 10), False, 0.9) == second, "its first twenty outcomes alone"
    assert doubting.tested(Doubt(0.1, "2026-02-20"), Record(), False, 0.99).rate == 0.95
    untested = Doubt(0.1, "2026-02-20")
    for before, beside in ((Record(), None), (Record(), 0.49), (Record(1, 0), 0.9)):
        assert doubting.tested(untested, before, False, beside) == untested


def test_still_true_rests_it_and_forgets_failures_in_its_value() -> None:
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
    assert value(block) == 4 / 7
    kept = still_true(block, at(9), "seen again")
    assert value(kept) == 4 / 5
    assert kept.doubt == Doubt(0.25, "2026-01-10") and kept.open_failures == {}
    assert outcomes_since_kept(block) == (1, 2) and outcomes_since_kept(kept) == (1, 0)
    assert kept.evidence[-1].effect == "still_true"
    assert rested(block, at(9)) == replace(block, doubt=kept.doubt), (
        "where another is named its failures stay"
    )
    sound = replace(block, doubt=Doubt(0.003, "2026-01-03"))
    assert still_true(sound, at(9)).doubt == Doubt(0.003, "2026-01-10"), "an answer brings no doubt in"


def test_who_stands_by_what_nobody_doubted_brings_no_doubt_in() -> None:
    kept = still_true(Block("exp-aaaaaaaa", Payload("x")), AT)
    assert kept.doubt is None and kept.evidence[-1].effect == "still_true"


def test_an_older_home_is_worked_out_from_its_pieces_and_latches_nothing_by_reading() -> None:
    pieces = tuple(Evidence("outcome", at=at(n), effect="fail") for n in range(6))
    old = Block("exp-aaaaaaaa", Payload("x"), evidence=pieces)
    assert not is_in_doubt(old)
    now = with_outcome(old, True, at(9))
    assert now.record == Record(1, 6) and not is_in_doubt(now)


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
    kept = still_true(with_outcome(Block("exp-aaaaaaaa", Payload("x"), record=Record()), True, AT), AT)
    assert replayed([Evidence("outcome", at=AT, effect="ok"), *kept.evidence], Record(1, 0)) == kept.doubt


@pytest.mark.parametrize("uses", [1, 12, 60])
@pytest.mark.parametrize("rate", [0.6, 0.75, 0.9])
def test_false_alarms_stay_below_their_bound(uses: int, rate: float) -> None:
    """A block whose rate stands: P(a doubt of one within N days and n uses) is at most N/32 + n/512."""
    days, alarms, runs = 12, 0, 100 if uses < 60 else 40
    source = random.Random(uses * 100 + int(rate * 10))
    for _ in range(runs):
        block = Block("exp-aaaaaaaa", Payload("x"), record=Record(round(40 * rate), 40 - round(40 * rate)))
        highest = 0.0
        for day in range(days):
            for use in range(uses):
                block = with_outcome(block, source.random() < rate, at(day, use % 24))
                assert block.doubt is not None
                highest = max(highest, block.doubt.value)
        alarms += highest >= LIMIT
    assert alarms / runs <= min(1, days / 32 + days * uses / 512)


def test_only_the_pieces_time_counts() -> None:
    late = after_outcome(Doubt(0.5, "2026-03-01"), Record(4, 0), True, "2026-02-01T00:00:00Z")
    assert late == replace(late, value=(0.5 + 1 / 512) / 2, day="2026-03-01"), "what comes late adds no day"
