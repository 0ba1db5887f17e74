"""What each weight of the ranking brings: ``python -m docs.bench.plateau``.

Each is taken out, and recall@5 without the gate shown beside that with it, at most ``ASKED`` questions of a set; a star
where the 95 % interval of the questions' differences (bootstrap) leaves out 0.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from unittest.mock import patch

from alice_exp.finding.rules.scorer import Texts
from docs.bench.bench_recall import NOW, load
from docs.bench.calibrate import NAMES

WITHOUT: Mapping[str, tuple[str, object]] = {
    "B": ("length", 0.0),
    "PAIR": ("pairs of words", 0.0),
    "LIGHT": ("light words", 1.0),
    "TRANSLATED": ("translations", 1.0),
    "MEMBER": ("members of a class", 1.0),
}
"""Constants, what they weigh, and the value with which they weigh nothing."""

ASKED = 150
_TOP, _DRAWS = 5, 1000


@contextmanager
def weighing(name: str, value: object) -> Iterator[None]:
    """Set a weight wherever it was imported."""
    holders = [
        module
        for path, module in sys.modules.items()
        if path.startswith("alice_exp.finding") and isinstance(getattr(module, name, None), type(value))
    ]
    patches = [patch.object(one, name, value) for one in holders]
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
        keys, ask = list(store.texts), Texts.of(list(store.texts.values())).find
        asked = [one for one in store.questions if one.relevant]
        for question in asked[:: max(1, len(asked) // ASKED)]:
            best = ask(question.query, now=NOW).best(len(keys))
            top = [keys[index] for index in best if keys[index] not in question.exclude][:_TOP]
            found.append(len(question.relevant.keys() & set(top)) / len(question.relevant))
    return found


def is_apart(differences: Sequence[float]) -> bool:
    """Whether the 95 % interval of the mean leaves out 0."""
    chance, count = random.Random(1), len(differences)
    means = sorted(sum(chance.choices(differences, k=count)) / count for _ in range(_DRAWS))
    return means[int(_DRAWS * 0.025)] > 0 or means[int(_DRAWS * 0.975) - 1] < 0


def main() -> None:
    """Print the table, in points of recall@5."""
    base = {name: found for name in NAMES if (found := recalls(name))}
    print(f"| without | {' | '.join(base)} | mean |\n|---|{'--:|' * len(base)}--:|")
    means = [100 * sum(found) / len(found) for found in base.values()]
    print(f"| nothing | {' | '.join(f'{mean:.1f}' for mean in means)} | {sum(means) / len(means):.1f} |")
    for name, (what, value) in WITHOUT.items():
        cells, moves = [], []
        with weighing(name, value):
            for key, before in base.items():
                moved = [now - was for was, now in zip(before, recalls(key), strict=True)]
                moves.append(100 * sum(moved) / len(moved))
                cells.append(f"{moves[-1]:+.1f}" + "\\*" * is_apart(moved))
        print(f"| {what} | {' | '.join(cells)} | {sum(moves) / len(moves):+.1f} |", flush=True)


if __name__ == "__main__":
    main()
