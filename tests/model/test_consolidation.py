"""The vectors R3.7-R3.15 and B3.1-B3.9."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alice_exp.model.rules.doubt import (
    HALF_LIFE_DAYS,
    WEIGHTS,
    age_days,
    block_decay,
    consolidation_of,
)
from alice_exp.model.values.block import Block, Payload
from alice_exp.model.values.config import Config
from tests.case_tables import cases, table

_NOW = datetime(2026, 2, 20, 9, tzinfo=UTC)


def ago(days: float) -> str:
    return (_NOW - timedelta(days=days)).isoformat().replace("+00:00", "Z")


NOW = ago(0)


def block(updated: str, kind: str = "feature", *, n: int = 0, created: str = NOW, c: float = 0.0) -> Block:
    return Block(
        "exp-aaaaaaaa",
        Payload("x"),
        type=kind,  # type: ignore[arg-type]
        access_count=n,
        created_at=created,
        updated_at=updated,
        consolidation_score=c,
    )


def score(n: int, created: str, updated: str, kind: str = "feature") -> float:
    return consolidation_of(block(updated, kind, n=n, created=created), NOW).score


@pytest.mark.parametrize(("n", "expected"), [*cases(__file__, "test_frequency"), (10**9, 1.0)])
@pytest.mark.covers("R3.8")
def test_frequency(n: int, expected: float) -> None:
    assert consolidation_of(block(NOW, n=n), NOW).frequency == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("days", "expected"), [(100, 0.27397), (365, 1.0), (730, 1.0), (0, 0.0), (-3, 0.0)])
@pytest.mark.covers("R3.9")
def test_longevity(days: float, expected: float) -> None:
    assert consolidation_of(block(NOW, created=ago(days)), NOW).longevity == pytest.approx(expected, abs=1e-5)


@pytest.mark.covers("R3.7")
def test_consolidation_is_half_use_a_fifth_age_and_three_tenths_freshness() -> None:
    assert score(10, ago(73), ago(90)) == pytest.approx(0.5 * 0.520696 + 0.2 * 0.2 + 0.3 * 0.5**0.5, abs=1e-6)


@pytest.mark.covers("R3.10")
def test_recency_decays_by_the_base_half_life_however_settled_it_is() -> None:
    for reads in (0, 99):
        settled = block(ago(180), n=reads, created=ago(400), c=1.0)
        assert (
            consolidation_of(settled, NOW).recency == block_decay(block(ago(180)), NOW) == pytest.approx(0.5)
        )


@pytest.mark.parametrize(("n", "expected"), [(0, 0.353641), (10, 0.613990), (100, 0.853641)])
@pytest.mark.covers("R3.11")
def test_consolidation_of_the_sources_table(n: int, expected: float) -> None:
    assert score(n, ago(100), ago(1)) == pytest.approx(expected, abs=1e-6)


@table("n", "expected")
@pytest.mark.covers("R3.12")
def test_consolidation_of_a_new_record_by_its_reads(n: int, expected: float) -> None:
    assert score(n, NOW, NOW) == pytest.approx(expected, abs=1e-6)


@pytest.mark.covers("B3.6")
def test_consolidation_of_a_block_reads_its_fields_and_never_the_stored_score() -> None:
    read = block(ago(1), n=10, created=ago(100), c=0.9)
    assert consolidation_of(read, NOW).score == pytest.approx(0.613990, abs=1e-6)
    often_alone = {"frequency": 1.0, "longevity": 0.0, "recency": 0.0}
    assert consolidation_of(read, NOW, weights=often_alone).score == pytest.approx(0.520696, abs=1e-6)


@table("days", "c", "expected")
@pytest.mark.covers("R3.14")
def test_decay(days: float, c: float, expected: float) -> None:
    assert block_decay(block(ago(days), c=c), NOW) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(("c", "times"), [(0.0, 1), (0.5, 2), (1.0, 3)])
@pytest.mark.covers("R3.13")
def test_consolidation_stretches_the_half_life_up_to_three_times(c: float, times: int) -> None:
    assert block_decay(block(ago(180 * times), c=c), NOW) == pytest.approx(0.5)


@table("block_type", "days")
@pytest.mark.covers("R3.15")
def test_half_lives(block_type: str, days: int) -> None:
    assert block_decay(block(ago(days), block_type), NOW) == pytest.approx(0.5)


@pytest.mark.covers("R3.28")
def test_half_lives_come_from_the_configuration() -> None:
    assert dict(HALF_LIFE_DAYS) == Config().half_life_days
    assert dict(WEIGHTS) == Config().numbers("consolidation")
    assert block_decay(block(ago(10), "goal"), NOW, half_life_days={"goal": 10}) == pytest.approx(0.5)


def test_a_time_ahead_of_the_clock_or_none_counts_as_now() -> None:
    assert block_decay(block(ago(-5)), NOW) == 1.0
    assert block_decay(block(""), NOW) == 1.0
    assert age_days(ago(2), ago(0)) == 2.0


@given(st.integers(0, 10**6), st.floats(0, 4000), st.floats(0, 4000), st.floats(0, 1))
def test_ranges(n: int, created: float, updated: float, c: float) -> None:
    assert 0.0 <= score(n, ago(created), ago(updated), "goal") <= 1.0
    plain = block_decay(block(ago(updated), "goal"), NOW)
    assert plain <= block_decay(block(ago(updated), "goal", c=c), NOW) <= 1.0
