"""Worlds of episodes with planted lessons, written before the rule that is to find them was changed.

They stand in ``worlds.json``. Tasks and actions are worded in many ways, with and without a type; each world names its lessons: the direction, words of
which the advice has one, and the condition. ``WORKED`` was looked at while the rule was made, ``HELD`` and the first run
over ``LIVED`` were not: 12 of 12, 14 of 14 and 7 of 9 are found, where the rule before found 3, 6 and 1.

Those of the second half were written after the rule was finished, as an agent would write them down: ``FRESH`` and
``LATER`` were looked at when the rule was mended by them (9 of 11 and 5 of 7 found before, two false), ``LAST`` was not.
"""

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from alice_exp.kernel.text.times import iso_time
from alice_exp.model.values.records import Episode

Deed = tuple[list[str], dict[str, str], int, int, list[str]]
"""Wordings of an action, the context, successes, failures, reflections."""

Lesson = tuple[str, list[str], str]
World = tuple[list[Episode], list[Lesson]]
_FILE = json.loads(Path(__file__).with_name("worlds.json").read_text("utf-8"))


def world(
    name: str,
    type_: str,
    tasks: list[str],
    deeds: Sequence[Deed],
    seed: int,
    extra: Mapping[str, list[str]] | None = None,
) -> list[Episode]:
    """The episodes of a world in a shuffled order; ``extra`` adds context that means nothing."""
    r = random.Random(seed)
    rows = [
        (wordings[k % len(wordings)], context, k < ok, reflections)
        for wordings, context, ok, bad, reflections in deeds
        for k in range(ok + bad)
    ]
    r.shuffle(rows)
    out = []
    for n, (action, context, ok, reflections) in enumerate(rows):
        c = dict(context)
        for key, values in (extra or {}).items():
            c[key] = r.choice(values)
        task = tasks[(n * 7 + seed) % len(tasks)].format(
            n=r.randint(2, 400), x=r.choice(["alpha", "billing", "hr", "north", "beta"])
        )
        out.append(
            Episode(
                f"ep-{name}{n:03}",
                task,
                c,
                action.format(n=r.randint(2, 90)),
                "ok" if ok else "error",
                ok,
                round(r.uniform(0.7, 0.95) if ok else r.uniform(0.05, 0.3), 2),
                iso_time(1_760_000_000 + seed * 50_000 + n * 7000),
                r.choice(reflections) if reflections else "",
                type_,
            )
        )
    return out


def lived(
    name: str, type_: str, rows: Sequence[tuple[str, str, bool, dict[str, str], str]], seed: int
) -> list[Episode]:
    """Episodes each of which has its own words: (task, action, success, context, reflection)."""
    shuffled = list(rows)
    random.Random(seed).shuffle(shuffled)
    return [
        Episode(
            f"ep-{name}{n:03}",
            task,
            dict(context),
            action,
            "",
            ok,
            0.9 if ok else 0.1,
            iso_time(1_761_000_000 + seed * 40_000 + n * 5000),
            reflection,
            type_,
        )
        for n, (task, action, ok, context, reflection) in enumerate(shuffled)
    ]


def _worlds(name: str) -> dict[str, World]:
    """The worlds of one group of the file."""
    built: dict[str, World] = {}
    for key, one in _FILE[name].items():
        if "rows" in one:
            episodes = lived(one["name"], one["type"], one["rows"], one["seed"])
        else:
            episodes = world(one["name"], one["type"], one["tasks"], one["deeds"], one["seed"], one["extra"])
        built[key] = (episodes, [tuple(lesson) for lesson in one["lessons"]])
    return built


WORKED, HELD, LIVED, FRESH, LATER, LAST = map(_worlds, ("WORKED", "HELD", "LIVED", "FRESH", "LATER", "LAST"))


def noise() -> list[Episode]:
    """Sixty episodes that teach nothing."""
    r = random.Random(99)
    tasks, actions = _FILE["noise"].values()
    return [
        Episode(
            f"ep-noise{n:03}",
            r.choice(tasks).format(n=n),
            {"day": r.choice(["mon", "tue", "wed"])},
            r.choice(actions),
            "",
            r.random() < 0.65,
            round(r.random(), 2),
            iso_time(1_760_300_000 + n * 9000),
            "",
            r.choice(["", "", "chores"]),
        )
        for n in range(60)
    ]


def nothing(seed: int) -> list[Episode]:
    """A world whose outcomes are chance."""
    r = random.Random(seed)
    share, number, place = r.choice([0.4, 0.5, 0.6, 0.7, 0.8]), r.randint(15, 40), seed % 3
    tasks, actions = _FILE["nothing"].values()
    return [
        Episode(
            f"ep-{k:03}",
            r.choice(tasks[place]).format(n=r.randint(2, 99)),
            {"a": r.choice("xy"), "b": r.choice("pqr")},
            r.choice(actions[place]),
            "",
            r.random() < share,
            0.5,
            iso_time(1_760_000_000 + k * 5000),
            "",
            "t" if seed % 2 else "",
        )
        for k in range(number)
    ]
