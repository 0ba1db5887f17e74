"""The agents of the games in a kitchen and a room made by hand: they learn what the game says, and use it."""

import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree

import pytest

from docs.bench import textworld_page as page
from docs.bench import tidying_agent
from docs.bench.cooking_agent import (
    Goal,
    NoMemory,
    OnHome,
    Played,
    Player,
    Seen,
    Unreviewed,
    goals,
    told_verb,
    without_place,
)
from docs.bench.person import now
from docs.bench.textworld_bench import ARMS, GAMES, Series, interval
from tests.case_tables import table

BOOK = """You open the book:

Ingredients:
  red apple

Directions:
  fry the red apple
  prepare meal
"""
BEGIN = datetime(2026, 1, 1, 6)


class Kitchen:
    """An apple in a closed fridge, a stove that fries and an oven that ruins."""

    def __init__(self) -> None:
        self.is_open = self.is_fried = self.is_held = self.over = False
        self.points = 0

    def _seen(self, text: str) -> Seen:
        offered = ["examine cookbook", "look"]
        if not self.is_open:
            offered.append("open fridge")
        elif not self.is_held:
            offered.append("take red apple from fridge")
        if self.is_held:
            offered += ["cook red apple with oven", "cook red apple with stove", "drop red apple"]
        return Seen(text, tuple(offered), self.points, self.over)

    def start(self) -> Seen:
        return self._seen("A kitchen.")

    def step(self, command: str) -> Seen:
        if command == "examine cookbook":
            return self._seen(BOOK)
        if command == "open fridge":
            self.is_open = True
            return self._seen("You open the fridge, revealing a red apple.")
        if command.startswith("take red apple") and self.is_open:
            self.is_held, self.points = True, 1
            return self._seen("You take the red apple.")
        if command.startswith("take"):
            return self._seen("You can't see any such thing.")
        if command.startswith("cook red apple"):
            self.over = self.is_fried or command.endswith("oven")
            self.is_fried = True
            self.points += not self.over
            return self._seen(f"You {'roasted' if command.endswith('oven') else 'fried'} the red apple.")
        if command == "prepare meal" and self.is_fried:
            self.points += 1
            return self._seen("You prepare the meal.")
        if command == "eat meal":
            self.points, self.over = self.points + 1, True
            return self._seen("You eat the meal.")
        return self._seen("That's not a verb I recognise.")


def play(memory: NoMemory, luck: int) -> int:
    return Player(Kitchen(), f"game {luck}", memory, random.Random(luck), BEGIN).play().points


@pytest.fixture
def memory(world: Path) -> Iterator[OnHome]:
    now("2026-01-01T06:00:00Z")
    return OnHome(world / "cook")


def test_a_cookbook_says_the_goals() -> None:
    assert goals(BOOK) == [
        Goal("take", "red apple"), Goal("fry", "red apple"), Goal("prepare", "meal"), Goal("eat", "meal"),
    ]  # fmt: skip
    assert goals("no recipe") == []


@table("text", "verb")
def test_a_game_says_what_was_done(text: str, verb: str) -> None:
    assert told_verb(text) == verb


def test_a_lesson_serves_for_every_food_and_place() -> None:
    assert without_place("take knife from counter") == "take knife"
    assert without_place("cook {it} with oven") == "cook {it} with oven"
    asked = "What do you want to slice the red apple with? \n\n > -= Kitchen =-"
    assert Goal("slice", "red apple").task(asked) == "What do you want to slice it with?"
    assert Goal("fry", "red apple").task("That's not a verb I recognise.") == "how to fry"


def test_what_one_game_taught_wins_the_next(memory: OnHome) -> None:
    lucks = range(12)
    assert {play(NoMemory(), luck) for luck in lucks} == {1, 4}, "by lot the oven ruins some of them"
    lucky = next(luck for luck in lucks if play(NoMemory(), luck) == 4)
    assert play(memory, lucky) == 4
    memory.morning(BEGIN + timedelta(days=1))
    learned = {placed.block.payload.content for placed in memory.person.session.home.read(("universal",))}
    assert learned == {"open fridge", "cook {it} with stove"}
    unlucky = next(luck for luck in lucks if play(NoMemory(), luck) == 1)
    assert play(memory, unlucky) == 4


class Room:
    """A shirt and a closed wardrobe, where it belongs; the bed is wrong."""

    def start(self) -> Seen:
        self.offered, self.points, self.log = ["open wardrobe", "take blue shirt"], 0, []
        return Seen("", tuple(self.offered), 0, False)

    def step(self, command: str) -> Seen:
        self.log.append(command)
        self.points += command == "put blue shirt in wardrobe"
        held = command.startswith("take")
        offered = [f"put blue shirt in {one}" for one in ("bed", "wardrobe")] if held else ["take blue shirt"]
        return Seen("", tuple(offered), self.points, bool(self.points))


@pytest.mark.parametrize("kind", [OnHome, Unreviewed])
def test_a_thing_once_tidied_away_goes_there_at_once(world: Path, kind: type[OnHome]) -> None:
    now("2026-01-01T06:00:00Z")
    memory, room = kind(world / "tidy"), Room()

    def tidied(memory: NoMemory, luck: int, day: int) -> Played:
        return tidying_agent.play(
            room, f"game {day}", memory, random.Random(luck), BEGIN + timedelta(days=day)
        )

    wrong_first = next(luck for luck in range(9) if tidied(NoMemory(), luck, 0).commands == 5)
    assert tidied(memory, wrong_first, 0) == Played(1, 5, 0, 0), "the bed first, then the wardrobe"
    memory.morning(BEGIN + timedelta(days=1))
    assert tidied(memory, wrong_first, 1) == Played(1, 3, 1, 0)


def test_the_part_of_the_page_and_the_picture() -> None:
    def series(share: float) -> Series:
        return Series(((share, Played(1, 10, 4, 1)),) * GAMES)

    found = {arm: [series(0.3 + 0.1 * number), series(0.5)] for number, arm in enumerate(ARMS)}
    said = page.part(found)
    assert "approved next morning** beside **without**: +10.0 points of a hundred, +0.0 to +20.0." in said
    assert "10.0 ± 0.0 | 25.0 ± 0.0 % |" in said
    ElementTree.fromstring(page.svg(found))
    assert interval([1.0, 1.0, 1.0]) == (1.0, 1.0, 1.0)
