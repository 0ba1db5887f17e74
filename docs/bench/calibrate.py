"""Choose the weights of ``finding.rules.concerns``, and say what they reach on sets that had no part in it.

``python -m docs.bench.calibrate`` prints the weights chosen on all sets, and for each set how often an answerable
question is met with silence and how often a question of other sets is answered, with weights chosen without any set of
the same family. Answerable and other questions of each set weigh the same, and agents' notes half of all. A part of the rows asks windows of a set's
texts, so that small homes are among what is learned from. ``KEPT`` has no part, nor has the kept half of
``agent_notes``. ``STRANGER`` is added, not fitted: every other question in English names somebody, and weights that
were fitted beside it would loosen silence for all the rest.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from alice_exp.finding.rules.concerns import LARGE, STRANGER, lift
from alice_exp.finding.rules.ranking import GATE
from alice_exp.finding.rules.scorer import Scored, Texts
from docs.bench.bench_recall import NOW, OWN_NOTES, SETS, Question, Store, load, strangers_of

NAMES = (*SETS, "talk_en")

FAMILIES = {
    "mb_zh2en": "mb_across",
    "mb_en2zh": "mb_across",
    "talk_en": "locomo",
    "fresh_notes": "agent",
}
"""Sets of one family are left out together; others are a family by their first word."""

KEPT = "fresh_notes"
"""The set that nothing is chosen on."""

WINDOWS = (3, 8, 14, 24, 48, 128)
"""The sizes of the windows of a set's texts."""

WINDOW_SHARE = 0.3
"""The weight of all windows of a set beside the whole set."""

_FEWEST, _RIDGE = 20, 0.01
"""A kind of fewer rows than this gets less weight; the strength of the regularisation."""

NOTES = 0.5
"""The share of the whole weight that agents' own notes have: they are what a home holds most."""

ACROSS = 0.5
"""Added to the fitted weight of a translation (``rules.concerns.FITTED``)."""


@dataclass(frozen=True)
class Row:
    """One question put to one collection: what the regression sees of the best match, and whether it has an answer.

    ``traits`` is ``None`` where nothing matches at all; ``stranger`` says that the question names what no text has.
    """

    name: str
    answerable: bool
    traits: tuple[float, ...] | None
    is_whole: bool
    half: str
    stranger: bool = False


def family(name: str) -> str:
    """The family of a set."""
    return FAMILIES.get(name, name.partition("_")[0])


def traits(found: Scored) -> tuple[float, ...] | None:
    """The constant and the four numbers of ``rules.concerns`` for the best match."""
    best = found.best(1)
    if not best:
        return None
    share, _, is_translated = found.covered(best[0])
    above = lift(found.matches[best[0]], found.noise)
    return 1.0, above, math.log(min(LARGE, found.known.total)), share, float(is_translated)


def rows(name: str) -> Iterator[Row]:
    """The rows of one set: the whole, and windows of it."""
    strangers = strangers_of(name)
    rng = random.Random(name)
    for store in load(name):
        langs = {question.lang for question in store.questions}
        own = [one for one in store.questions if one.relevant]
        others = [one for one in strangers if one.lang in langs]
        others += [one for one in store.questions if not one.relevant]
        texts = list(store.texts.values())
        asked = [(one, True) for one in own[:: max(1, len(own) // 200)]] + [(one, False) for one in others]
        yield from _asked(name, texts, asked, is_whole=True)
        for size in WINDOWS:
            if size < len(texts) and own:
                for _ in range(10):
                    one = rng.choice(own)
                    yield from _asked(name, _window(store, one, size, rng), [(one, True)], is_whole=False)
                    few = [(other, False) for other in rng.sample(others, min(3, len(others)))]
                    yield from _asked(name, _window(store, one, size, rng), few, is_whole=False)


def _window(store: Store, question: Question, size: int, rng: random.Random) -> list[str]:
    """So many texts in a row, an answer among them."""
    keys = list(store.texts)
    at = keys.index(rng.choice(sorted(question.relevant)))
    first = max(0, min(len(keys) - size, at - rng.randrange(size)))
    return [store.texts[key] for key in keys[first : first + size]]


def _asked(
    name: str, texts: Sequence[str], asked: Iterable[tuple[Question, bool]], *, is_whole: bool
) -> Iterator[Row]:
    collection = Texts.of(texts)
    for question, answerable in asked:
        found = collection.find(question.query, now=NOW)
        yield Row(name, answerable, traits(found), is_whole, question.half, found.stranger)


def fit(some: Sequence[Row]) -> list[float]:
    """The weights of a logistic regression by Newton's method: every kind of row of every set weighs the same, but for
    agents' notes, which weigh ``NOTES`` of all."""
    shares = _shares(some)
    size = len(some[0].traits or ())
    weights = [0.0] * size
    for _ in range(30):
        slope = [-_RIDGE * weight * (at > 0) for at, weight in enumerate(weights)]
        curve = [[_RIDGE * (at == to) for to in range(size)] for at in range(size)]
        for row, share in zip(some, shares, strict=True):
            seen = row.traits or ()
            said = probability(weights, seen)
            for at, value in enumerate(seen):
                slope[at] += share * (row.answerable - said) * value
                for to, other in enumerate(seen):
                    curve[at][to] += share * said * (1 - said) * value * other
        step = _solved(curve, slope)
        weights = [weight + part for weight, part in zip(weights, step, strict=True)]
        if max(map(abs, step)) < 1e-6:
            break
    return weights


def _shares(some: Sequence[Row]) -> list[float]:
    """What each row weighs."""
    kinds = Counter((row.name, row.answerable, row.is_whole) for row in some)
    plain = [
        (1.0 if row.is_whole else WINDOW_SHARE) / max(_FEWEST, kinds[row.name, row.answerable, row.is_whole])
        for row in some
    ]
    notes = sum(share for row, share in zip(some, plain, strict=True) if row.name in OWN_NOTES)
    others = sum(plain) - notes
    more = NOTES / (1 - NOTES) * others / notes if notes and others else 1.0
    return [share * more if row.name in OWN_NOTES else share for row, share in zip(some, plain, strict=True)]


def probability(weights: Sequence[float], seen: Sequence[float], more: float = 0.0) -> float:
    """The logistic function of a weighted sum, and of what is added to it."""
    odds = more + sum(weight * value for weight, value in zip(weights, seen, strict=True))
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, odds))))


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """The solution of a system of linear equations, by elimination; the matrix is positive definite."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for at, row in enumerate(rows):
        for other in rows:
            if other is not row:
                part = other[at] / row[at]
                other[:] = [value - part * own for value, own in zip(other, row, strict=True)]
    return [row[-1] / row[at] for at, row in enumerate(rows)]


def likely(row: Row, weights: Sequence[float], stranger: float = STRANGER) -> float:
    """The stated probability that a row's best match is an answer."""
    return probability(weights, row.traits, stranger * row.stranger) if row.traits else 0.0


def answered(
    some: Sequence[Row], weights: Sequence[float], stranger: float = STRANGER
) -> tuple[list[bool], list[bool]]:
    """Which answerable questions are met with silence, and which of the others are answered."""
    silent, false = [], []
    for row in some:
        told = likely(row, weights, stranger) >= GATE
        (silent if row.answerable else false).append(told != row.answerable)
    return silent, false


def share(flags: Sequence[bool]) -> str:
    """The share in percent with its 95 % interval (Wilson, "Probable inference", 1927)."""
    count, z = len(flags), 1.96
    part = sum(flags) / count
    middle = (part + z * z / (2 * count)) / (1 + z * z / count)
    wide = z * math.sqrt(part * (1 - part) / count + (z / (2 * count)) ** 2) / (1 + z * z / count)
    return f"{100 * part:.1f} % ({100 * max(0.0, middle - wide):.0f}–{100 * min(1.0, middle + wide):.0f})"


def left_out(every: Sequence[Row]) -> dict[str, list[float]]:
    """For each family, the weights that were chosen without it; for "" those chosen on all."""
    learned = [row for row in every if row.traits is not None and row.half != "kept" and row.name != KEPT]
    families = {"", *(family(row.name) for row in every)}
    chosen = {one: fit([row for row in learned if family(row.name) != one]) for one in sorted(families)}
    return {
        one: [*weights[:4], *(weight + ACROSS for weight in weights[4:])] for one, weights in chosen.items()
    }


def parts(every: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    """The rows of each whole set; of ``agent_notes`` each half, which questions of other sets do not have."""
    for name in dict.fromkeys(row.name for row in every):
        whole = [row for row in every if row.name == name and row.is_whole]
        for half in ("chosen", "kept") if name == "agent_notes" else ("",):
            some = [row for row in whole if not half or row.half in (half, "")]
            yield f"{name}, {half} half" if half else name, some


def without(every: Sequence[Row], at: int) -> list[Row]:
    """The rows without one trait."""
    return [
        replace(row, traits=row.traits[:at] + row.traits[at + 1 :]) if row.traits else row for row in every
    ]


BANDS = (0.0, 0.05, 0.15, 0.3, 0.5, 0.7, 0.9, 1.01)


def curve(every: Sequence[Row], chosen: Mapping[str, list[float]]) -> str:
    """What is stated against what is observed, a set and a band of the probability; with it the number of questions.

    Questions with and without an answer count as they were asked, as many as they are.
    """
    heads = [f"{low:g}–{min(1.0, high):g}" for low, high in pairwise(BANDS)]
    lines = [f"| set | {' | '.join(heads)} |", "|---|" + "--:|" * len(heads)]
    for name, some in parts(every):
        said = [(likely(row, chosen[family(some[0].name)]), row.answerable) for row in some]
        cells = []
        for low, high in pairwise(BANDS):
            here = [one for one in said if low <= one[0] < high]
            stated, seen = (
                100 * sum(column) / max(1, len(here))
                for column in zip(*(here or [(0.0, False)]), strict=True)
            )
            cells.append(f"{stated:.0f} → {seen:.0f} ({len(here)})" if here else "–")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def average(every: Sequence[Row], stranger: float = STRANGER) -> str:
    """Both shares averaged over the parts, with weights chosen without each family."""
    chosen = left_out(every)
    found = [answered(some, chosen[family(some[0].name)], stranger) for _, some in parts(every)]
    shares = [100 * sum(sum(one) / len(one) for one in kind) / len(kind) for kind in zip(*found, strict=True)]
    return " | ".join(f"{one:.1f} %" for one in shares)


def main() -> None:
    """Print the weights, the shares of each set with weights chosen without its family, what is stated against what is
    observed, and what each trait brings."""
    every = [row for name in NAMES if load(name) for row in rows(name)]
    chosen = left_out(every)
    print(", ".join(f"{weight:.2f}" for weight in chosen[""]))
    head = "silent on answerable | answers to questions of other sets"
    print(f"\n| set | {head} |\n|---|--:|--:|")
    for name, some in parts(every):
        print(f"| {name} | {' | '.join(map(share, answered(some, chosen[family(some[0].name)])))} |")
    print(f"\n{curve(every, chosen)}")
    print(f"\n| without | {head} |\n|---|--:|--:|\n| nothing | {average(every)} |")
    names = (
        "match beside the noise",
        "number of texts",
        "share of the subject",
        "whether it is a translation",
    )
    for at, name in enumerate(names, 1):
        print(f"| {name} | {average(without(every, at))} |")
    print(f"| names that no text has | {average(every, 0.0)} |")


if __name__ == "__main__":
    main()
