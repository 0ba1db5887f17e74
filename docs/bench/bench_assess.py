"""What ``assess`` says where the answer is in the home, after it was taken out, and to questions of other sets.

``python -m docs.bench.bench_assess`` prints two Markdown tables, the second of all sets with the same weight. Every block is reliable, read and of today, so that the
words alone decide the level. For each set, ``SURE`` is chosen on the sets of other families: the least of ``STEPS`` with
which at most ``MOST`` of the questions whose answer was taken out are surely known, every set with the same weight.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args
from unittest.mock import patch

from alice_exp.finding.rules import concerns
from alice_exp.finding.rules.ranking import rank
from alice_exp.finding.rules.scorer import Corpus
from alice_exp.learning.rules.impact import Grade, assess
from alice_exp.model.values.block import Block, Payload, Placed
from alice_exp.model.values.config import Config
from docs.bench.bench_recall import load, strangers_of
from docs.bench.calibrate import NAMES, family

NOW = "2026-02-20T09:00:00Z"
MOST = 0.1
ASKED = 40
"""So many questions of a set are asked, and as many of others."""

KINDS = ("answer there", "taken out", "of other sets")
STEPS = tuple(step / 20 for step in range(1, 31))
SHOWN: tuple[Grade, ...] = ("high", "medium", "low")

_TALL = 3.0
"""A value of ``SURE`` that no lift reaches: only a whole topic is sure with it."""


@dataclass(frozen=True)
class Said:
    """One answer: the kind of question, what ``assess`` counted, and the best certainty with ``SURE`` at ``_TALL``."""

    kind: str
    found: tuple[Placed, ...]
    certainty: float

    def certain(self, sure: float) -> float:
        """The certainty with another value of ``SURE``."""
        return min(1.0, self.certainty * _TALL / sure)

    def level(self, sure: float) -> Grade:
        """The level with another value of ``SURE``."""
        return assess("", self.found, NOW, Config(), self.certain(sure)).grade


def answers(name: str) -> Iterator[Said]:
    """What is said of a set's own questions, with and without their answers, and of questions of other sets."""
    for store in load(name):
        own = [one for one in store.questions if one.relevant]
        others = [one for one in store.questions if not one.relevant]
        others += [one for one in strangers_of(name) if one.lang in {one.lang for one in own}]
        whole = _known(store.texts)
        for question in own[:: max(1, len(own) // ASKED)]:
            out = {*question.relevant, *question.exclude}
            yield _said(KINDS[0], whole, question.query)
            left = {key: text for key, text in store.texts.items() if key not in out}
            yield _said(KINDS[1], _known(left), question.query)
        for question in others[:: max(1, len(others) // ASKED)]:
            yield _said(KINDS[2], whole, question.query)


def _known(texts: Mapping[str, str]) -> Corpus:
    return Corpus.of(
        Placed(
            Block(
                key, Payload(text), state="reliable", created_at=NOW, updated_at=NOW, consolidation_score=0.5
            ),
            "personal/facts.jsonc",
        )
        for key, text in texts.items()
    )


def _said(kind: str, known: Corpus, query: str) -> Said:
    matches = rank(known, query, {}, NOW)
    found = tuple(one.placed for one in matches)
    return Said(kind, found, max((one.certainty for one in matches), default=0.0))


def chosen(sets: Collection[Sequence[Said]]) -> float:
    """The least ``SURE`` with which at most ``MOST`` of the questions with their answer taken out are surely known."""

    def known(sure: float) -> float:
        gone = [[one.certain(sure) >= 1.0 for one in some if one.kind == KINDS[1]] for some in sets]
        return sum(sum(some) / max(1, len(some)) for some in gone) / len(gone)

    return next((step for step in STEPS if known(step) <= MOST), STEPS[-1])


def main() -> None:
    """Print the levels of each set with ``SURE`` chosen without its family, and how often each level is right."""
    with patch.object(concerns, "SURE", _TALL):
        said = {name: list(answers(name)) for name in NAMES if load(name)}
    print(f"SURE chosen on all sets: {chosen(said.values()):g}\n")
    head = " | ".join(f"{kind}: {', '.join(SHOWN)}" for kind in KINDS)
    print(f"| set | SURE without it | {head} |\n|---|--:|--:|--:|--:|")
    rates: defaultdict[tuple[str, Grade], list[float]] = defaultdict(list)
    for name, some in said.items():
        sure = chosen([other for key, other in said.items() if family(key) != family(name)])
        cells = []
        for kind in KINDS:
            own = [one.level(sure) for one in some if one.kind == kind]
            for level in get_args(Grade):
                rates[kind, level].append(own.count(level) / len(own))
            cells.append(", ".join(f"{100 * own.count(level) / len(own):.0f} %" for level in SHOWN))
        print(f"| {name} | {sure:g} | {' | '.join(cells)} |")
    print(f"\n| stated level | {' | '.join(KINDS)} | right, of questions with and without an answer |")
    print("|---|--:|--:|--:|--:|")
    for level in reversed(get_args(Grade)):
        shares = [100 * sum(rates[kind, level]) / len(said) for kind in KINDS]
        right = f"{100 * shares[0] / (shares[0] + shares[1]):.0f} %" if shares[0] + shares[1] else "–"
        print(f"| {level} | {' | '.join(f'{share:.1f} %' for share in shares)} | {right} |")


if __name__ == "__main__":
    main()
