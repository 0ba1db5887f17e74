"""What each weight of the ranking does when it is halved or doubled: ``python -m tests.bench.plateau``.

Recall@5 without the gate, at most ``ASKED`` questions of a set; a star where the 95 % interval of the questions'
differences (bootstrap) leaves out 0. A weight that stands on a plateau was not tuned to a set.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from unittest.mock import patch

from alice_exp.finding.rules import bm25
from tests.bench.bench_recall import SETS, load

WEIGHTS = {
    "B": "length",
    "PAIR": "pairs of words",
    "LIGHT": "light words",
    "TRANSLATED": "translations",
}
"""The weights by the names of their constants, each in [0, 1]."""

ASKED = 150
_TOP, _DRAWS = 5, 1000


@contextmanager
def weighing(name: str, value: Callable[[float], float]) -> Iterator[None]:
    """Set a weight wherever it was imported."""
    holders = [
        module
        for path, module in sys.modules.items()
        if path.startswith("alice_exp.finding") and isinstance(getattr(module, name, None), float)
    ]
    patches = [patch.object(one, name, value(getattr(one, name))) for one in holders]
    for one in patches:
        one.start()
    try:
        yield
    finally:
        for one in patches:
            one.stop()


def recalls(name: str) -> list[float]:
    """Recall@5 of each question of a set, in [0, 1]."""
    found = []
    for store in load(name):
        keys, ask = list(store.texts), bm25.matcher(list(store.texts.values()))
        asked = [one for one in store.questions if one.relevant]
        for question in asked[:: max(1, len(asked) // ASKED)]:
            matches = ask(question.query).matches
            ranked = sorted(matches, key=lambda index: (-round(matches[index], 6), index))
            top = [keys[index] for index in ranked if keys[index] not in question.exclude][:_TOP]
            found.append(len(question.relevant.keys() & set(top)) / len(question.relevant))
    return found


def is_apart(differences: Sequence[float]) -> bool:
    """Whether the 95 % interval of the mean leaves out 0."""
    chance, count = random.Random(1), len(differences)
    means = sorted(sum(chance.choices(differences, k=count)) / count for _ in range(_DRAWS))
    return means[int(_DRAWS * 0.025)] > 0 or means[int(_DRAWS * 0.975) - 1] < 0


def main() -> None:
    """Print the table, in points of recall@5."""
    base = {name: found for name in (*SETS, "talk_en") if (found := recalls(name))}
    print(f"| weight | times | {' | '.join(base)} |\n|---|--:|{'--:|' * len(base)}")
    print("| as it is |  | " + " | ".join(f"{100 * sum(v) / len(v):.1f}" for v in base.values()) + " |")
    for name, what in WEIGHTS.items():
        for times in (0.5, 2.0):
            cells = []
            with weighing(name, lambda weight, times=times: min(1.0, weight * times)):  # type: ignore[misc]
                for key, before in base.items():
                    moved = [now - was for was, now in zip(before, recalls(key), strict=True)]
                    star = "\\*" if is_apart(moved) else ""
                    cells.append(f"{100 * sum(moved) / len(moved):+.1f}{star}")
            print(f"| {what} | {times:g} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
