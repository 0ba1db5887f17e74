"""The vectors R3.7-R3.15 and B3.1-B3.9."""

import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alice_exp.model.rules.consolidation import (
    HALF_LIFE_DAYS,
    Weights,
    age_days,
    consolidation,
    consolidation_of,
    decay_score,
    frequency,
    longevity,
    seconds,
)
from alice_exp.model.values.block import Block, Payload
from alice_exp.model.values.config import Config

NOW = datetime(2026, 2, 20, 9, tzinfo=UTC)


def ago(days: float) -> str:
    return (NOW - timedelta(days=days)).isoformat().replace("+00:00", "Z")


@pytest.mark.parametrize(
    ("n", "expected"),
    [(0, 0.0), (1, 0.150515), (2, 0.238561), (10, 0.520696), (99, 1.0), (100, 1.0), (10**9, 1.0), (-1, 0.0)],
)
@pytest.mark.covers("R3.8")
def test_frequency(n: int, expected: float) -> None:
    assert frequency(n) == pytest.approx(expected, abs=1e-6)
    assert frequency(n) <= 1.0


@pytest.mark.parametrize(("days", "expected"), [(100, 0.27397), (365, 1.0), (730, 1.0), (0, 0.0), (-3, 0.0)])
@pytest.mark.covers("R3.9")
def test_longevity(days: float, expected: float) -> None:
    assert longevity(days) == pytest.approx(expected, abs=1e-5)


@pytest.mark.covers("R3.7")
def test_consolidation_is_half_use_a_fifth_age_and_three_tenths_freshness() -> None:
    found = consolidation(10, ago(73), ago(90), "feature", NOW)
    assert found.score == pytest.approx(0.5 * 0.520696 + 0.2 * 0.2 + 0.3 * 0.5**0.5, abs=1e-6)


@pytest.mark.covers("R3.10")
def test_recency_decays_by_the_base_half_life_however_settled_it_is() -> None:
    for reads in (0, 99):
        recency = consolidation(reads, ago(400), ago(180), "feature", NOW).recency
        assert recency == decay_score(ago(180), "feature", NOW) == pytest.approx(0.5)


@pytest.mark.parametrize(("n", "expected"), [(0, 0.353641), (10, 0.613990), (100, 0.853641)])
@pytest.mark.covers("R3.11")
def test_consolidation_of_the_sources_table(n: int, expected: float) -> None:
    assert consolidation(n, ago(100), ago(1), "feature", NOW).score == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("n", "expected"),
    [(0, 0.3), (1, 0.375258), (2, 0.419281), (3, 0.450515), (10, 0.560348), (99, 0.8)],
)
@pytest.mark.covers("R3.12")
def test_consolidation_of_a_new_record_by_its_reads(n: int, expected: float) -> None:
    assert consolidation(n, NOW, NOW, "feature", NOW).score == pytest.approx(expected, abs=1e-6)


@pytest.mark.covers("B3.6")
def test_consolidation_of_a_block_reads_its_fields_and_never_the_stored_score() -> None:
    block = Block(
        "exp-aaaaaaaa",
        Payload("x"),
        type="feature",
        access_count=10,
        created_at=ago(100),
        updated_at=ago(1),
        consolidation_score=0.9,
    )
    assert consolidation_of(block, NOW).score == pytest.approx(0.613990, abs=1e-6)
    assert consolidation_of(block, NOW, weights=Weights(1.0, 0.0, 0.0)).score == pytest.approx(
        0.520696, abs=1e-6
    )


@pytest.mark.parametrize(
    ("days", "c", "expected"),
    [
        (30, None, 0.8909),
        (30, 0.0, 0.8909),
        (30, 1.0, 0.9622),
        (30, 0.5, 0.9439),
        (30, 0.3536, 0.9346),
        (180, None, 0.5),
        (180, 1.0, 0.7937),
        (540, 1.0, 0.5),
    ],
)
@pytest.mark.covers("R3.14")
def test_decay(days: float, c: float | None, expected: float) -> None:
    assert decay_score(ago(days), "feature", NOW, consolidation_score=c) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(("c", "times"), [(None, 1), (0.0, 1), (0.5, 2), (1.0, 3)])
@pytest.mark.covers("R3.13")
def test_consolidation_stretches_the_half_life_up_to_three_times(c: float | None, times: int) -> None:
    assert decay_score(ago(180 * times), "feature", NOW, consolidation_score=c) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("block_type", "days"),
    [("identity", 730), ("preference", 365), ("habit", 365), ("rule", 365), ("feature", 180), ("fact", 180),
     ("pattern", 180), ("solution", 180), ("goal", 90), ("event", 30), ("unheard_of", 180)],
)  # fmt: skip
@pytest.mark.covers("R3.15")
def test_half_lives(block_type: str, days: int) -> None:
    assert decay_score(ago(days), block_type, NOW) == pytest.approx(0.5)


@pytest.mark.covers("R3.28")
def test_half_lives_come_from_the_configuration() -> None:
    assert dict(HALF_LIFE_DAYS) == Config().half_life_days
    assert Weights.of(Config()) == Weights()
    assert decay_score(ago(10), "goal", NOW, half_life_days={"goal": 10}) == pytest.approx(0.5)


def test_a_time_ahead_of_the_clock_or_none_counts_as_now() -> None:
    assert decay_score(ago(-5), "fact", NOW) == 1.0
    assert decay_score("", "fact", NOW) == 1.0
    assert age_days(ago(2), ago(0)) == 2.0


def test_times() -> None:
    assert seconds("2023-10-12T15:10:56.789Z") == pytest.approx(1697123456.789)
    assert seconds("2026-02-20T09:00:00") == seconds("2026-02-20T09:00:00Z") == NOW.timestamp()
    assert seconds("2026-02-20T17:00:00+08:00") == NOW.timestamp()
    with pytest.raises(ValueError):
        seconds("yesterday")


def test_a_time_without_a_zone_is_utc_wherever_the_machine_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("TZ", "Asia/Shanghai")
        time.tzset()
        assert seconds("2026-02-20T09:00:01") == NOW.timestamp() + 1
        assert seconds(datetime(2026, 2, 20, 9)) == NOW.timestamp()
    time.tzset()


@given(st.integers(0, 10**6), st.floats(0, 4000), st.floats(0, 4000), st.floats(0, 1))
def test_ranges(n: int, created: float, updated: float, c: float) -> None:
    assert 0.0 <= consolidation(n, ago(created), ago(updated), "goal", NOW).score <= 1.0
    plain = decay_score(ago(updated), "goal", NOW)
    assert plain <= decay_score(ago(updated), "goal", NOW, consolidation_score=c) <= 1.0
