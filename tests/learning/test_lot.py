"""Trial by lot: every number of DESIGN 12.6 beside the formula as it is printed there, multiplied out directly."""

from __future__ import annotations

import math
import time
from fractions import Fraction
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alice_exp.learning.rules.lot import (
    EFFECTS,
    Rates,
    Trial,
    booked,
    effect,
    evidence_for,
    interval,
    is_held_out,
    pooled,
    rates,
    uses,
    verdict,
)

Row = tuple[int, int, int, int]


def direct_e(trial: dict[float, Row], s: int) -> float:
    """The mean over v of E_v, as products of probability ratios."""
    values = []
    for v in (0.3, 0.6, 1.0, 1.4):
        product = 1.0
        for share, (ok_with, failed_with, ok_without, failed_without) in trial.items():
            q = 1 - share
            p_ok = q * math.e ** (s * v / 2) / (q * math.e ** (s * v / 2) + (1 - q) * math.e ** (-s * v / 2))
            p_fail = (
                q * math.e ** (-s * v / 2) / (q * math.e ** (-s * v / 2) + (1 - q) * math.e ** (s * v / 2))
            )
            product *= (p_ok / q) ** ok_with * ((1 - p_ok) / (1 - q)) ** ok_without
            product *= (p_fail / q) ** failed_with * ((1 - p_fail) / (1 - q)) ** failed_without
        values.append(product)
    return sum(values) / len(values)


def direct_interval(trial: dict[Fraction, Row]) -> tuple[float, float]:
    """The least and largest d that no bet refutes; each factor an exact fraction until it is multiplied."""
    stay = []
    for d in (Fraction(step, 40) for step in range(-40, 41)):
        wealth = []
        for s in (1, -1):
            products = []
            for x in (Fraction(1, 10), Fraction(1, 5), Fraction(2, 5), Fraction(7, 10), Fraction(19, 20)):
                product = 1.0
                for share, counts in trial.items():
                    q = 1 - share
                    z = [
                        (a - q) * (ok - Fraction(1, 2) - d * (a - q))
                        for a, ok in [(1, 1), (1, 0), (0, 1), (0, 0)]
                    ]
                    w = max(-s * one for one in z)
                    for count, one in zip(counts, z, strict=True):
                        # Where nothing can be lost, the stake may be as high as one likes.
                        gain = s * x * one / w if w else Fraction(100) * (one != 0)
                        product *= float(1 + gain) ** count
                products.append(product)
            wealth.append(sum(products) / 5)
        if max(wealth) < 40:
            stay.append(float(d))
    return (stay[0], stay[-1]) if stay else (-1.0, 1.0)


TRIALS: list[dict[str, Row]] = [
    {"0.04": (30, 10, 1, 2)},
    {"0.04": (350, 110, 4, 16)},
    {"0.5": (90, 10, 50, 50)},
    {"0.5": (20, 80, 55, 45)},
    {"0.1": (300, 60, 12, 30), "0.04": (200, 90, 2, 8)},
    {"0.5": (0, 7, 9, 0)},
]


@pytest.mark.parametrize("trial", TRIALS)
def test_the_e_values_are_those_of_the_formula(trial: dict[str, Row]) -> None:
    shares = {float(share): row for share, row in trial.items()}
    evidence = evidence_for(trial)
    assert evidence.helps == pytest.approx(direct_e(shares, 1), rel=1e-9)
    assert evidence.hurts == pytest.approx(direct_e(shares, -1), rel=1e-9)


@pytest.mark.parametrize("trial", TRIALS)
def test_the_interval_is_that_of_the_formula(trial: dict[str, Row]) -> None:
    assert interval(trial) == direct_interval({Fraction(share): row for share, row in trial.items()})


def test_an_e_value_by_hand() -> None:
    # Half held out, one success with: P_ok / q = 2·e^(v/2) / (e^(v/2) + e^(-v/2)) = 1 + tanh(v/2).
    expected = sum(1 + math.tanh(v / 2) for v in (0.3, 0.6, 1.0, 1.4)) / 4
    assert evidence_for({"0.5": (1, 0, 0, 0)}).helps == pytest.approx(expected)
    assert evidence_for({"0.5": (0, 0, 0, 1)}).helps == pytest.approx(expected)
    assert evidence_for({"0.5": (0, 1, 0, 0)}).hurts == pytest.approx(expected)
    assert evidence_for({"0.5": (0, 0, 1, 0)}).hurts == pytest.approx(expected)


def test_verdicts() -> None:
    assert verdict({"0.5": (90, 10, 50, 50)}) == "helps"
    assert verdict({"0.5": (50, 50, 90, 10)}) == "hurts"
    assert verdict({"0.5": (52, 48, 48, 52)}) == "open"
    assert verdict({"0.04": (900, 60, 36, 4)}) == "open", "a high rate alone says nothing"


@pytest.mark.parametrize("trial", [{}, {"0.04": (0, 0, 0, 0)}])
def test_without_data_all_is_open(trial: Trial) -> None:
    assert (evidence_for(trial), verdict(trial), interval(trial)) == ((1.0, 1.0), "open", (-1.0, 1.0))
    assert (rates(trial), effect(trial), uses(trial)) == ((None, None), None, 0)


@pytest.mark.parametrize("share", ["0", "1", "0.0", "1.0", "-1", "7", "1e-300", "nan", "inf", "some"])
def test_a_share_that_draws_no_lot_tells_nothing(share: str) -> None:
    trial: Trial = {share: (5, 6, 7, 8)}
    assert (verdict(trial), interval(trial), uses(trial)) == ("open", (-1.0, 1.0), 26)
    told: Trial = {"0.5": (90, 10, 50, 50)}
    assert interval({**told, **trial}) == interval(told)
    assert evidence_for({**told, **trial}) == evidence_for(told)


def test_counts_of_any_size_stay_numbers() -> None:
    huge: Trial = {"0.04": (10**9, 10**6, 10**6, 10**9)}
    assert verdict(huge) == "helps" and math.isfinite(evidence_for(huge).helps)
    low, high = interval(huge)
    assert -1 <= low <= high <= 1


def test_counts_that_no_lot_draws_refute_no_effect() -> None:
    assert interval({"0.04": (0, 0, 9000, 0)}) == (-1.0, 1.0)


_ROW = st.tuples(*(st.integers(0, 3000),) * 4)


@given(st.dictionaries(st.sampled_from(["0.04", "0.1", "0.5", "0", "1"]), _ROW, max_size=3))
@settings(max_examples=60, deadline=None)
def test_laws(trial: dict[str, Row]) -> None:
    evidence = evidence_for(trial)
    assert min(evidence) <= 1 + 1e-9, "never for both directions"
    turned = {share: (b, a, d, c) for share, (a, b, c, d) in trial.items()}
    assert evidence_for(turned) == pytest.approx((evidence.hurts, evidence.helps))
    low, high = interval(trial)
    assert low in EFFECTS and high in EFFECTS and low <= high
    # Turning results round turns the interval round.
    assert interval(turned) == (-high, -low)
    assert interval(dict(reversed(trial.items()))) == (low, high)
    with_, without = rates(trial)
    assert all(rate is None or 0 <= rate <= 1 + 1e-12 for rate in (with_, without))


def test_an_interval_takes_milliseconds() -> None:
    trial: Trial = {"0.04": (4000, 2000, 160, 140), "0.1": (3000, 900, 300, 150)}
    interval(trial)
    began = time.process_time()
    for _ in range(20):
        interval(trial)
    assert (time.process_time() - began) / 20 < 0.005


# -- counting -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("decision", "block"), [("dec-2", "exp-a"), ("dec-决", "exp-b"), ("", "")])
def test_the_lot_is_the_first_eight_bytes(decision: str, block: str) -> None:
    drawn = Fraction(int(sha256(f"{decision}\0{block}".encode()).hexdigest()[:16], 16), 2**64)
    assert not is_held_out(decision, block, 0)
    assert is_held_out(decision, block, 1)
    assert is_held_out(decision, block, float(drawn) + 1e-9)
    assert not is_held_out(decision, block, float(drawn) - 1e-9)


def test_a_known_draw() -> None:
    # printf 'dec-22222222\0exp-22222222' | sha256sum: d2c71cbabcb70872…
    known = 0xD2C71CBABCB70872 / 2**64
    assert is_held_out("dec-22222222", "exp-22222222", known + 1e-6)
    assert not is_held_out("dec-22222222", "exp-22222222", known - 1e-6)


def test_the_lot_holds_out_its_share_of_decisions_and_of_blocks() -> None:
    drawn = [is_held_out(f"dec-{n}", "exp-a", 0.04) for n in range(20_000)]
    assert sum(drawn) == pytest.approx(800, abs=90)  # more than three standard deviations of 27.7
    assert sum(is_held_out("dec-a", f"exp-{n}", 0.04) for n in range(20_000)) == pytest.approx(800, abs=90)


def test_each_outcome_has_its_arm_and_each_share_its_row() -> None:
    trial: dict[str, Row] = {}
    for held_out, ok in [
        (False, True),
        (False, False),
        (False, False),
        (True, True),
        (True, True),
        (True, True),
    ]:
        trial = booked(trial, 0.04, held_out, ok)
    trial = booked(trial, 0.04, True, False)
    assert trial == {"0.04": (1, 2, 3, 1)}
    assert booked(trial, 0.1, False, True) == {"0.04": (1, 2, 3, 1), "0.1": (1, 0, 0, 0)}
    assert booked(trial, 0.0, False, True) == trial, "no lot was drawn"
    assert booked(trial, 1, True, True)["1.0"] == (0, 0, 1, 0)
    assert trial == {"0.04": (1, 2, 3, 1)}, "what was given stays as it was"


def test_blocks_together() -> None:
    whole = pooled([{"0.04": (1, 2, 3, 4)}, {}, {"0.1": (1, 0, 0, 0), "0.04": (10, 20, 30, 40)}])
    assert whole == {"0.04": (11, 22, 33, 44), "0.1": (1, 0, 0, 0)}
    assert uses(whole) == 111
    assert pooled([]) == {}


# -- the point estimate -------------------------------------------------------------------------------------------


def test_rates_of_one_row_are_plain() -> None:
    assert rates({"0.04": (30, 10, 1, 3)}) == pytest.approx(Rates(0.75, 0.25))
    assert effect({"0.04": (30, 10, 1, 3)}) == pytest.approx(0.5)
    assert rates({"0.04": (3, 1, 0, 0)}) == Rates(0.75, None)
    assert effect({"0.04": (3, 1, 0, 0)}) is None
    assert rates({"0.04": (0, 0, 1, 1)}) == Rates(None, 0.5)


def test_a_change_of_the_share_between_good_and_bad_times_is_no_effect() -> None:
    # Good times (90 %) with few held out, bad times (30 %) with half: pooled plainly, 0.70 beside 0.36.
    trial: Trial = {"0.1": (810, 90, 90, 10), "0.5": (150, 350, 150, 350)}
    assert effect(trial) == pytest.approx(0)
    assert verdict(trial) == "open"
    low, high = interval(trial)
    assert low < 0 < high
    assert verdict({"0.3": (960, 440, 240, 360)}) == "helps", "in one row it would have been claimed"


def test_rows_are_weighted_as_mantel_and_haenszel_do() -> None:
    trial: Trial = {"0.2": (30, 10, 2, 6), "0.5": (10, 10, 5, 15)}
    # Their differences are 0.5 and 0.25.
    first, second = 40 * 8 / 48, 20 * 20 / 40
    assert effect(trial) == pytest.approx((first * 0.5 + second * 0.25) / (first + second))
    only_with: Trial = {**trial, "0.01": (0, 50, 0, 0)}
    assert effect(only_with) == effect(trial), "a row with a single arm compares nothing"
