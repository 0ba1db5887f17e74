"""Trial by lot: what blocks bring, from outcomes of decisions that left them out by chance (DESIGN 12.6).

The lot decides before anything is known, so the share of held-out decisions among successes tells what a block brings,
whatever else changes meanwhile. Both tests are bets against that lot: they multiply by at most 1 on average while the
block brings nothing, so that the chance of ever reaching 40 is 1/40 (Ville 1939), however often somebody looks. Of two
such bets, one each way, 1/20: 5 %.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from alice_exp.kernel.sha256 import sha256
from alice_exp.model.values.block import Arms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Trial: TypeAlias = Mapping[str, Arms]
"""As ``Block.trial``: outcomes by share, as ``{"0.04": (ok with, failed with, ok without, failed without)}``."""

Gains: TypeAlias = tuple[float, float, float, float]
"""What each of the four counts adds to the log of a bet's wealth."""

Verdict = Literal["helps", "hurts", "open"]

CLAIM = 40.0
"""The E value from which a verdict is claimed, and at which a bet refutes an effect."""

SIZES = (0.3, 0.6, 1.0, 1.4)
"""Effects that the verdict bets on, as differences of log odds."""

STAKES = (0.1, 0.2, 0.4, 0.7, 0.95)
"""Shares of the wealth that the interval's bets can lose at most with one outcome."""

EFFECTS = tuple(step / 40 for step in range(-40, 41))
"""The effects that the interval tries: -1, -0.975 … 1."""

LEAST_SHARE = 1e-6
"""Rows whose share is nearer to 0 or 1 than this tell nothing about an effect."""

_NOTHING: Arms = (0, 0, 0, 0)
_LOG_CLAIM = math.log(CLAIM)
_LEAST_LOSS = 1e-12
_MOST_LOG = 700.0  # exp() overflows from 709 on


class EValues(NamedTuple):
    """Evidence that a block helps, and that it hurts: 1 is none, 40 a claim; both in [0, e^700]."""

    helps: float
    hurts: float


class Rates(NamedTuple):
    """Success rates in [0, 1] of decisions as the lot drew them; None for an arm that has no outcome."""

    applied: float | None
    held_out: float | None


# -- counting -----------------------------------------------------------------------------------------------------


def is_held_out(decision_id: str, block_id: str, share: float) -> bool:
    """Whether a decision leaves a block out: determined by both ids, so that it can be drawn again by anyone.

    The first 8 bytes (big-endian) of sha256(decision id, NUL, block id), below ``share`` · 2^64. A share of 0 holds
    out nothing, 1 everything.
    """
    drawn = sha256(f"{decision_id}\0{block_id}".encode()).digest()[:8]
    return int.from_bytes(drawn, "big") < share * 2**64


def booked(trial: Trial, share: float, held_out: bool, ok: bool) -> dict[str, Arms]:
    """A trial with one more outcome, in the arm that the lot drew; unchanged for a share of 0, which draws no lot."""
    if share <= 0:
        return dict(trial)
    key = repr(float(share))
    counts = list(trial.get(key, _NOTHING))
    counts[2 * held_out + (not ok)] += 1
    a, b, c, d = counts
    return dict(sorted({**trial, key: (a, b, c, d)}.items()))


def pooled(trials: Iterable[Trial]) -> dict[str, Arms]:
    """Several blocks' trials as one: each share's rows added up."""
    sums: defaultdict[str, Arms] = defaultdict(lambda: _NOTHING)
    for trial in trials:
        for key, (a, b, c, d) in trial.items():
            before = sums[key]
            sums[key] = (before[0] + a, before[1] + b, before[2] + c, before[3] + d)
    return dict(sorted(sums.items()))


def uses(trial: Trial) -> int:
    """How many outcomes a trial holds, of both arms."""
    return sum(sum(counts) for counts in trial.values())


# -- verdict ------------------------------------------------------------------------------------------------------


def evidence_for(trial: Trial) -> EValues:
    """The E values of both directions (likelihood ratios of who was held out, given how it ended; DESIGN 12.6).

    If applying adds v to the log odds of success, half of it above and half below the middle, a success was applied
    with P_ok = q·e^(v/2) / (q·e^(v/2) + (1 − q)·e^(−v/2)) in place of q = 1 − share; a failure with −v in place of v.
    E_v is the product of these ratios over all outcomes and rows, E the mean of E_v over ``SIZES``. Each row keeps its
    own q. The log of E_v is concave in v and 0 at 0, so never are both values above 1.
    """
    rows = _telling(trial)
    sizes = len(SIZES)
    logs = [
        sum(_dot(counts, _log_ratios(share)[index]) for share, counts in rows) for index in range(2 * sizes)
    ]
    helps, hurts = _log_mean(logs[:sizes]), _log_mean(logs[sizes:])
    return EValues(math.exp(min(helps, _MOST_LOG)), math.exp(min(hurts, _MOST_LOG)))


def verdict(trial: Trial) -> Verdict:
    """What is claimed: at most 5 % of blocks without an effect ever get a verdict, whenever and however often asked.

    True under any drift of the success rate, as long as both arms share it.
    """
    evidence = evidence_for(trial)
    if evidence.helps >= CLAIM:
        return "helps"
    return "hurts" if evidence.hurts >= CLAIM else "open"


@lru_cache(maxsize=64)
def _log_ratios(share: float) -> tuple[Gains, ...]:
    """What each of the four counts adds to log E_v, first for each size of help, then for each of harm."""
    q = 1 - share
    rows = []
    for v in (*SIZES, *(-size for size in SIZES)):
        # P_ok / q and (1 - P_ok) / (1 - q) have the same denominator; written so, no share divides by zero.
        ok = math.log(q * math.exp(v / 2) + share * math.exp(-v / 2))
        failed = math.log(q * math.exp(-v / 2) + share * math.exp(v / 2))
        rows.append((v / 2 - ok, -v / 2 - failed, -v / 2 - ok, v / 2 - failed))
    return tuple(rows)


# -- effect -------------------------------------------------------------------------------------------------------


def rates(trial: Trial) -> Rates:
    """Success rates with and without, by intention: each outcome counts in the arm that was drawn.

    Rows are weighted by n₁·n₀/(n₁ + n₀) as Mantel and Haenszel do (Greenland and Robins 1985), in both arms alike, so
    that a change of the share between good and bad times does not look like an effect. Where no row has both arms,
    each arm's plain rate.
    """
    weight = applied = held_out = 0.0
    for a, b, c, d in trial.values():
        if a + b and c + d:
            size = (a + b) * (c + d) / (a + b + c + d)
            weight += size
            applied += size * a / (a + b)
            held_out += size * c / (c + d)
    if weight:
        return Rates(applied / weight, held_out / weight)
    (a, b, c, d) = (sum(column) for column in zip(_NOTHING, *trial.values(), strict=True))
    return Rates(a / (a + b) if a + b else None, c / (c + d) if c + d else None)


def effect(trial: Trial) -> float | None:
    """What applying adds to the success rate, in [-1, 1]: the difference of ``rates``; None where an arm is missing."""
    applied, held_out = rates(trial)
    return None if applied is None or held_out is None else applied - held_out


def interval(trial: Trial) -> tuple[float, float]:
    """The effects that the outcomes do not refute, in [-1, 1]: a 95 % confidence sequence, valid at every look.

    By betting (Waudby-Smith and Ramdas 2024) on Z = (A − q)(X − ½ − d(A − q)), whose mean is 0 where d is the effect;
    A is 1 if applied, X is 1 if it worked. Each way (s = ±1) K = mean over the stakes x of the product of
    1 + s·x·Z/w over all outcomes and rows, w the largest loss of the row; d stays while both K are below 40. Given are
    the least and the largest d that stay. (-1, 1) without data, or with counts that the lot can hardly have drawn.
    """
    rows = [(counts, _log_gains(share)) for share, counts in _telling(trial)]
    if not rows:
        return -1.0, 1.0
    stay = [
        d
        for position, d in enumerate(EFFECTS)
        if all(_log_wealth(rows, position, side) < _LOG_CLAIM for side in (0, 1))
    ]
    return (stay[0], stay[-1]) if stay else (-1.0, 1.0)


def _log_wealth(
    rows: Sequence[tuple[Arms, Sequence[Sequence[Sequence[Gains]]]]], position: int, side: int
) -> float:
    """The log of K for one effect and side."""
    return _log_mean(
        [
            sum(_dot(counts, gains[position][side][stake]) for counts, gains in rows)
            for stake in range(len(STAKES))
        ]
    )


@lru_cache(maxsize=64)
def _log_gains(share: float) -> tuple[tuple[tuple[Gains, ...], ...], ...]:
    """log(1 + s·x·Z/w) by effect, side and stake."""
    return tuple(tuple(_side(share, d, s) for s in (1, -1)) for d in EFFECTS)


def _side(share: float, d: float, s: int) -> tuple[Gains, ...]:
    q = 1 - share
    # A - q is `share` for what was applied, -q for what was held out.
    z = [away * (x - 0.5 - d * away) for away in (share, -q) for x in (1, 0)]
    # Nothing can be lost against an effect of 1 or -1 at a share of a half: there one outcome that wins refutes it.
    worst = max(_LEAST_LOSS, *(-s * one for one in z))
    gains = []
    for stake in STAKES:
        a, b, c, e = (math.log1p(s * stake * one / worst) for one in z)
        gains.append((a, b, c, e))
    return tuple(gains)


# -- both ---------------------------------------------------------------------------------------------------------


def _telling(trial: Trial) -> list[tuple[float, Arms]]:
    """The rows whose share is a chance; a share typed by hand may be anything."""
    rows = []
    for key, counts in trial.items():
        try:
            share = float(key)
        except ValueError:
            continue
        if LEAST_SHARE <= share <= 1 - LEAST_SHARE and any(counts):
            rows.append((share, counts))
    return rows


def _dot(counts: Arms, gains: Gains) -> float:
    return counts[0] * gains[0] + counts[1] * gains[1] + counts[2] * gains[2] + counts[3] * gains[3]


def _log_mean(logs: Sequence[float]) -> float:
    """The log of the mean of what the logs stand for, without leaving the range of floats."""
    top = max(logs)
    return top + math.log(sum(math.exp(one - top) for one in logs) / len(logs))
