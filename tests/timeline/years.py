"""Years of thoughts in two languages, in ``years.json``: six thoughts of each decide something, the rest is routine.

The ``first`` was written before the rule that is to keep what mattered: its decisions are worded as no list has them, its
routine in thirty ways, some of which sound decisive ("decided what to have for lunch"). The rule before kept one of the
English six and none of the Chinese. The ``later`` one was written after the rule; its questions are asked in either
language (10 of 13 across were answered when the rule was first run) and by time, on 10 February 2026.
"""

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from alice_exp.kernel.text.times import iso_time
from alice_exp.model.values.records import Event

Planted = tuple[int, Event, list[str], str]
"""The number of a thought that decides something, the thought, questions after it, a word of the answer."""

_YEARS: Mapping[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))


def _planted(year: str) -> dict[str, list[Planted]]:
    return {
        language: [(number, Event("", *thought), asked, word) for number, thought, asked, word in rows]
        for language, rows in _YEARS[year]["planted"].items()
    }


FIRST, LATER = _planted("first"), _planted("later")
ACROSS: Mapping[str, list[tuple[str, int]]] = _YEARS["later"]["across"]
BY_TIME: list[tuple[str, int]] = _YEARS["later"]["by_time"]


def year_of(language: str, seed: int, count: int = 5000, *, later: bool = False) -> dict[int, Event]:
    """The thoughts by number."""
    year = _YEARS["later" if later else "first"]
    routine, names = year["routine"][language], year["names"][language]
    planted = {number: one for number, one, _, _ in (LATER if later else FIRST)[language]}
    r, found = random.Random(seed), {}

    def said() -> str:
        return r.choice(routine).format(n=r.randint(1, 900), x=r.choice(names))

    for n in range(1, count + 1):
        at = iso_time(1_735_689_600 + 6300 * n)
        if n in planted:
            one = planted[n]
            found[n] = Event(at, one.thought, one.context, one.action, one.result or None)
            continue
        thought, share = said(), r.random()
        action = "" if share < 0.4 else said()
        outcome = r.random() if later else share
        found[n] = Event(at, thought, "", action, None if outcome < 0.6 else "ok")
    return found
