"""A plain agent that puts things where they belong (TextWorld Commonsense), asking its memory where that is.

The agent opens what is closed, takes what lies about, and tries two places for each thing: first the one that its
memory names and that is on offer, else one drawn by lot. The score says whether a place was right; a right one that was
drawn is a lesson. Nothing about households is built in.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import datetime, timedelta

from docs.bench.cooking_agent import Game, NoMemory, Played

PLACES_TRIED = 2
"""How many places are tried for one thing."""


def play(game: Game, name: str, memory: NoMemory, luck: random.Random, at: datetime) -> Played:
    """One game, thing by thing."""
    seen = game.start()
    used = followed = wrong = 0
    for command in sorted(one for one in seen.offered if one.startswith("open ")):
        seen, used = game.step(command), used + 1
    for thing in sorted(one.removeprefix("take ") for one in seen.offered if one.startswith("take ")):
        seen, used = game.step(f"take {thing}"), used + 1
        tried: set[str] = set()
        for _ in range(PLACES_TRIED):
            at += timedelta(minutes=1)
            memory.now(at)
            task, before = f"where does the {thing} belong", seen.points
            advice = memory.ask(task)
            offers = _places(seen.offered, thing, tried)
            if not offers:
                break
            lesson, place = next(((block, one) for block, one in advice.lessons if one in offers), ("", ""))
            # The lot is drawn either way, so that it falls alike in all arms.
            drawn = luck.choice(offers)
            place = place or drawn
            tried.add(place)
            seen, used = game.step(f"put {thing} in {place}"), used + 1
            helped = seen.points > before
            followed, wrong = followed + bool(lesson), wrong + (bool(lesson) and not helped)
            memory.tell(advice, task, place, lesson, helped, name)
            if helped or seen.over:
                break
            seen, used = game.step(f"take {thing}"), used + 1
        if seen.over:
            break
    return Played(seen.points, used, followed, wrong)


def _places(offered: Sequence[str], thing: str, tried: set[str]) -> list[str]:
    start = f"put {thing} in "
    return sorted({one.removeprefix(start) for one in offered if one.startswith(start)} - tried)
