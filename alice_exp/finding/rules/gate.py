"""Silence: the calibrated probability that a text fits a question, the one gate of every search (DESIGN 10).

A logistic regression on four numbers that do not grow with the collection, fitted by ``docs/bench/calibrate.py`` on
questions that have an answer and as many that have none. ``thresholds.fits`` is the least probability of an answer.
"""

from __future__ import annotations

import math

LARGE = 64
"""From so many texts on the number of texts counts as this: chance matches better in more texts, up to the sample that
the noise level is measured on."""


FITTED = (3.17, 3.96, -0.80, 4.01, 1.47)
"""The weights of the regression: constant, ln(match / noise), ln(texts), the share of the subject's information that
the text has, and whether a part of it is a translation. As fitted, but for the last: half a point more than its 0.97,
because of questions in the other language that had no part in the fit 19 % met silence, with it 10 %."""

STRANGER = -5.0
"""Added to the odds where the question names somebody or something that no text has. Not fitted with the others, so
that it can only silence; from -4 to -6 it does nearly the same."""

LEAST = 0.01
"""Added to match and noise before the logarithm."""

SURE = 0.6
"""The ln(match / noise) from which an answer is surely known, and not only its subject: where the answer was taken out
of a set, 7 of 100 questions reach it on average (``docs/bench/bench_assess.py``)."""


def lift(match: float, noise: float) -> float:
    """How far a match lies above the noise level, both in [0, 1], as a logarithm: 0 where chance matches as well."""
    return math.log((match + LEAST) / (noise + LEAST))


def certainty(match: float, noise: float) -> float:
    """How sure it is, in [0, 1], that the answer itself is known, not only its subject.

    Of what was tried to tell these apart (share and number of words covered, the gap to the second match, the number
    of texts) nothing adds to the lift on sets that had no part in the choice.
    """
    return max(0.0, min(1.0, lift(match, noise) / SURE))


def probability(
    match: float, noise: float, texts: int, share: float, translated: bool, stranger: bool = False
) -> float:
    """The probability in (0, 1) that a text fits: from its match, the noise level and the share of the subject that it
    has, all in [0, 1]. ``stranger`` says that the question names what no text has."""
    seen = (1.0, lift(match, noise), math.log(max(1, min(LARGE, texts))), share, translated)
    odds = STRANGER * stranger + math.fsum(weight * one for weight, one in zip(FITTED, seen, strict=True))
    return 1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, odds))))
