"""The calibrated probability that a text fits a query: the one gate of recall, decide, assess and searches (DESIGN 10).

A logistic regression on what does not grow with the collection, fitted by ``docs/bench/calibrate.py`` on questions
that have an answer and as many that have none, every set with the same weight. ``thresholds.fits`` is the least
probability of an answer. The fit of each figure in ``docs/finding.md`` leaves out the set that it is measured on.
"""

from __future__ import annotations

import math

from alice_exp.kernel.value_class import dataclass

LARGE = 64
"""From so many texts on the number of texts counts as this: chance matches better in more texts, up to the sample that
the noise level is measured on."""


@dataclass(frozen=True, slots=True)
class Coefficients:
    """The weights of the logistic regression: constant, ln(match / noise), ln(texts)."""

    constant: float
    lift: float
    texts: float


NATIVE = Coefficients(6.59, 5.98, -1.41)
"""The calibration of a question in the text's own language."""

TRANSLATED = (-2.65, 1.33, 5.20)
"""That of a translated one: constant, ln(words covered), share of the subject covered."""

STRANGER = -4.0
"""Added to the odds where the query names somebody or something that no text has. Not fitted with the others, so that
it can only silence: fitted beside them it is -3.9, translated -3.0, and anything from -2 to -5 does nearly the same."""

WHOLE = 0.5
"""The least probability that a text fits which has the only word that is asked for, however long it is."""

LEAST = 0.01
"""Added to match and noise before the logarithm."""

SURE = 0.6
"""The ln(match / noise) from which an answer is surely known, and not only its subject: where the answer was taken out
of a set, 7 of 100 questions reach it on average (``docs/bench/bench_assess.py``)."""

QUARTER = 0.25
"""Added to the number of words covered before the logarithm: the size of one CJK character."""


def lift(match: float, noise: float) -> float:
    """How far a match lies above the noise level, both in [0, 1], as a logarithm: 0 where chance matches as well."""
    return math.log((match + LEAST) / (noise + LEAST))


def certainty(match: float, noise: float) -> float:
    """How sure it is, in [0, 1], that the answer itself is known, not only its subject.

    Of what was tried to tell these apart (share and number of words covered, the gap to the second match, the number
    of texts) nothing adds to the lift on sets that had no part in the choice.
    """
    return max(0.0, min(1.0, lift(match, noise) / SURE))


def native(
    match: float, noise: float, texts: int, stranger: bool = False, by: Coefficients = NATIVE
) -> float:
    """The probability in (0, 1) that a text fits, from its match and the noise level, both in [0, 1].

    ``stranger`` says that the query names what no text has.
    """
    size = math.log(max(1, min(LARGE, texts)))
    return _logistic(by.constant + by.lift * lift(match, noise) + by.texts * size + STRANGER * stranger)


def translated(
    covered: float, share: float, stranger: bool = False, by: tuple[float, float, float] = TRANSLATED
) -> float:
    """The same for a text in the other language: ``covered`` words of the subject, a ``share`` in [0, 1] of it."""
    constant, words, part = by
    return _logistic(constant + words * math.log(QUARTER + covered) + part * share + STRANGER * stranger)


def _logistic(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, odds))))
