"""Trial by lot in simulated worlds: how often nothing is claimed to be something, what is found, what is covered."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest

from alice_exp.learning.rules.lot import booked, interval, pooled, verdict

Row = tuple[int, int, int, int]
Base = Callable[[int, random.Random, dict[str, Row]], float]
"""The success rate of both arms at a use: from its number, a source of chance, and all that was counted before."""

DRIFTS: dict[str, Base] = {
    "steady": lambda use, chance, trial: 0.5,
    "high": lambda use, chance, trial: 0.9,
    "falls at once": lambda use, chance, trial: 0.9 if use < 300 else 0.2,
    "waves": lambda use, chance, trial: 0.5 + 0.4 * math.sin(use / 40),
    "any": lambda use, chance, trial: chance.random(),
    "against us": lambda use, chance, trial: _spiteful(trial),
}
"""Worlds where a block brings nothing, whatever else changes."""


def allowed(promise: float, runs: int) -> float:
    """The promised rate with the error of so many runs (two standard deviations)."""
    return promise + 2 * math.sqrt(promise * (1 - promise) / runs)


def _spiteful(trial: dict[str, Row]) -> float:
    """A world that wants a claim: it makes successes sure while those held out failed more, else failures."""
    (counts,) = trial.values() or ((0, 0, 0, 0),)
    return 0.95 if counts[2] * (counts[0] + counts[1]) <= counts[0] * (counts[2] + counts[3]) else 0.05


def claims_falsely(base: Base, runs: int, uses: int, share: float) -> float:
    """The share of runs without an effect in which any verdict is ever claimed, looking after every use."""
    false = 0
    for run in range(runs):
        chance, trial = random.Random(f"{share} {run}"), {}
        for use in range(uses):
            rate = base(use, chance, trial)
            trial = booked(trial, share, chance.random() < share, chance.random() < rate)
            if verdict(trial) != "open":
                false += 1
                break
    return false / runs


@pytest.mark.parametrize(("world", "share"), list(zip(DRIFTS, [0.04, 0.3] * 3, strict=True)))
def test_at_most_one_in_twenty_is_claimed_falsely_however_often_one_looks(world: str, share: float) -> None:
    assert claims_falsely(DRIFTS[world], 60, 400, share) <= allowed(0.05, 60)


@pytest.mark.slow
@pytest.mark.parametrize("world", DRIFTS)
@pytest.mark.parametrize("share", [0.04, 0.3])
def test_the_same_in_many_long_runs(world: str, share: float) -> None:
    false = claims_falsely(DRIFTS[world], 1_500, 1_440, share)
    print(f"{world}, {share}: {false:.1%} claimed falsely")
    assert false <= allowed(0.05, 1_500)


def power(without: float, effect: float, share: float, uses: int, runs: int, blocks: int = 12) -> float:
    """The share of runs in which the portfolio of some blocks is found to help."""
    found = 0
    for run in range(runs):
        chance = random.Random(run)
        trials: list[dict[str, Row]] = [{} for _ in range(blocks)]
        for use in range(uses):
            held_out = chance.random() < share
            ok = chance.random() < without + effect * (not held_out)
            block = chance.randrange(blocks)
            trials[block] = booked(trials[block], share, held_out, ok)
            # Looking seldom finds less than looking after each use.
            if use % 20 == 19 and verdict(pooled(trials)) == "helps":
                found += 1
                break
    return found / runs


def test_a_portfolio_that_brings_25_points_is_found_within_1440_uses() -> None:
    # 91 % of 3,000 runs.
    assert power(0.5, 0.25, 0.05, 1_440, 200) >= 0.85


@pytest.mark.slow
@pytest.mark.parametrize(
    ("without", "share", "least"), [(0.5, 0.05, 0.9), (0.6, 0.05, 0.9), (0.7, 0.05, 0.9), (0.5, 0.04, 0.81)]
)
def test_the_same_from_other_rates(without: float, share: float, least: float) -> None:
    found = power(without, 0.25, share, 1_440, 3_000)
    print(f"{without} to {without + 0.25} at {share}: found in {found:.1%}")
    assert found >= least


def covered(effect: float, share: float, uses: int, runs: int, every: int, drift: bool) -> float:
    """The share of runs in which the interval holds the true effect at every look."""
    good = 0
    for run in range(runs):
        chance, trial = random.Random(run), {}
        for use in range(uses):
            held_out = chance.random() < share
            # The rate without the block may drift; what the block adds stays.
            rate = 0.4 + (0.3 * math.sin(use / 90) if drift else 0.0)
            trial = booked(trial, share, held_out, chance.random() < rate + effect * (not held_out))
            if use % every == every - 1:
                low, high = interval(trial)
                if not low <= effect <= high:
                    break
        else:
            good += 1
    return good / runs


@pytest.mark.parametrize(
    ("effect", "share", "drift"),
    [(0.25, 0.05, True), (0.0, 0.05, False), (-0.1, 0.3, True), (0.26, 0.3, False)],
)
def test_the_interval_holds_the_effect_at_every_look(effect: float, share: float, drift: bool) -> None:
    assert covered(effect, share, 1_440, 20, 72, drift) >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("effect", [0.25, 0.0, -0.1, 0.26])
@pytest.mark.parametrize("share", [0.05, 0.3])
@pytest.mark.parametrize("drift", [False, True])
def test_the_same_over_many_runs(effect: float, share: float, drift: bool) -> None:
    held = covered(effect, share, 1_440, 300, 24, drift)
    print(f"{effect:+} at {share}, drift {drift}: covered in {held:.1%}")
    assert held >= 0.95


def claims_of_a_portfolio(with_archive: bool, runs: int) -> float:
    """The share of runs with a false claim where every third failure of a block archives it for a new one."""
    false = 0
    for run in range(runs):
        chance = random.Random(run)
        living: list[dict[str, Row]] = [{} for _ in range(12)]
        archived: list[dict[str, Row]] = []
        for use in range(600):
            block, held_out, ok = chance.randrange(12), chance.random() < 0.05, chance.random() < 0.7
            living[block] = booked(living[block], 0.05, held_out, ok)
            # Only a failure of a block that was applied counts against it.
            if not held_out and not ok and chance.random() < 1 / 3:
                archived.append(living[block])
                living[block] = {}
            if use % 5 == 4 and verdict(pooled(living + archived * with_archive)) != "open":
                false += 1
                break
    return false / runs


@pytest.mark.slow
def test_a_portfolio_without_what_was_archived_would_flatter() -> None:
    survivors, all_of_them = claims_of_a_portfolio(False, 800), claims_of_a_portfolio(True, 800)
    print(f"survivors alone {survivors:.1%}, with the archive {all_of_them:.1%}")
    assert all_of_them <= 0.05 < survivors
