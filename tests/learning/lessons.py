"""Thirteen lessons planted among episodes, with distractors, written before the rule that is to find them.

Each lesson is told in varied words, with parameters that mean nothing (names, numbers), as an agent writes them down.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from alice_exp.kernel.text.times import iso_time
from alice_exp.model.values.records import Episode
from tests.case_tables import cases


@dataclass(frozen=True)
class Planted:
    """A lesson: what to do or avoid, a word that its action has, and the condition under which alone it holds."""

    name: str
    kind: str
    word: str
    condition: str = ""
    episodes: tuple[Episode, ...] = ()


@dataclass(frozen=True)
class Deed:
    """Episodes with one action in several wordings: ``good`` successes and ``bad`` failures under a context."""

    actions: Sequence[str]
    good: int = 0
    bad: int = 0
    context: dict[str, str] | None = None
    reflection: str = ""


def told(name: str, type_: str, tasks: Sequence[str], deeds: Sequence[Deed], seed: int) -> list[Episode]:
    """The episodes of a scenario in a shuffled order."""
    rng = random.Random(seed)
    rows = [(deed, ok) for deed in deeds for ok in [True] * deed.good + [False] * deed.bad]
    rng.shuffle(rows)
    turn: dict[int, int] = {}
    found = []
    for number, (deed, ok) in enumerate(rows):
        place = turn[id(deed)] = turn.get(id(deed), -1) + 1
        found.append(
            Episode(
                f"ep-{name}{number:03}",
                tasks[number % len(tasks)].format(n=rng.randint(2, 99), x=rng.choice(NAMES)),
                dict(deed.context or {}),
                deed.actions[place % len(deed.actions)],
                "done" if ok else "failed",
                ok,
                0.9 if ok else 0.1,
                iso_time(1_760_000_000 + 3_600 * (seed * 97 + number * 13)),
                deed.reflection,
                type_,
            )
        )
    return found


NAMES = ("users", "orders", "invoices", "sessions", "carts", "events", "refunds", "items")


def scenarios() -> dict[str, tuple[list[Episode], list[Planted]]]:
    """By name: the episodes, and the lessons in them."""
    found: dict[str, tuple[list[Episode], list[Planted]]] = {}
    for seed, (name, type_, tasks, deeds, lessons) in enumerate(cases(__file__, "SCENARIOS"), 1):
        found[name] = (
            told(name, type_, tasks, [Deed(*deed) for deed in deeds], seed),
            [Planted(name, kind, word, condition) for kind, word, condition in lessons],
        )
    return found


def distractors(count: int = 60) -> list[Episode]:
    """Episodes that teach nothing: baking, notes and meetings whose outcome is chance, chores that always work."""
    rng = random.Random(5)
    found = []
    for number in range(count):
        task, action = rng.choice(
            [
                ("bake a loaf of sourdough", ["fold it four times", "rest overnight", "preheat the stone"]),
                ("write up the notes of meeting {n}", ["summarise by topic", "list who said what"]),
                ("整理第{n}次会议的纪要", ["按议题整理", "按时间整理"]),
                ("book a table for {n}", ["call them", "book online", "write a mail"]),
            ]
        )
        ok = rng.random() < 0.5
        found.append(
            Episode(
                f"ep-noise{number:03}",
                task.format(n=rng.randint(2, 40)),
                {"weather": rng.choice(["sun", "rain", "fog"])},
                rng.choice(action),
                None,
                ok,
                float(ok),
                iso_time(1_760_000_000 + 7_001 * number),
            )
        )
    for number in range(12):
        found.append(
            Episode(
                f"ep-chore{number:03}",
                f"list the folder {number}",
                {},
                rng.choice(["ls -la", "tree", "find . -maxdepth 1"]),
                None,
                True,
                1.0,
                iso_time(1_760_000_000 + 9_001 * number),
                "",
                "chores",
            )
        )
    return found
