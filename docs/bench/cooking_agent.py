"""A plain agent that plays TextWorld's cooking games, and its memory: none, or a home that ``import alice_exp`` opens.

The agent is the same in all arms. It reads the cookbook, then pursues one goal after the other: get each ingredient,
follow each direction, prepare the meal, eat it. For a goal it takes the offered command that names the most of
it; where none names both the verb and the food it does not know what to do, asks its memory, and draws lots where that is silent. A
command helped if the game says that it did what was wanted ("You fried the apple."), or if what it offers afterwards fits
the goal better: that is a lesson, the command with the food left out. Nothing about cooking is built in.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Protocol

from alice_exp import Alice, Evidence
from docs.bench.person import Person, now

IDLE = ("examine", "look", "inventory", "drop", "put", "insert", "close")
"""Verbs that only show or undo: the agent looks at nothing but the cookbook, and puts nothing away."""

PATIENCE = 8
"""Commands that are tried for one goal before the agent goes on to the next."""

SLOT = "{it}"
"""Where a lesson leaves out what the goal is about."""


@dataclass(frozen=True)
class Seen:
    """What a game shows after a command: its text, the commands that it offers, the points, whether it has ended."""

    text: str
    offered: tuple[str, ...]
    points: int
    over: bool


class Game(Protocol):
    """A game being played."""

    def start(self) -> Seen:
        """The beginning."""

    def step(self, command: str) -> Seen:
        """What a command led to."""


@dataclass(frozen=True)
class Played:
    """A game that was played: its points, the commands used, the lessons followed, and how many of these did not help."""

    points: int
    commands: int
    followed: int
    wrong: int


@dataclass(frozen=True)
class Goal:
    """One thing to do with one food: ``roast`` the ``red apple``."""

    verb: str
    food: str

    def fit(self, command: str) -> int:
        """How many of the goal's two parts a command names."""
        return (self.food in command) + (self.verb in command.split())

    def task(self, answer: str) -> str:
        """What a memory is asked, without the food, so that a lesson serves for all: what the game answered to the verb
        ("What do you want to slice it with?"), or the verb alone where the answer does not name it."""
        said = " ".join(answer.split(">")[0].split()).replace(f"the {self.food}", "it")
        first = re.split(r"(?<=[.?!]) ", said)[0]
        return first if self.verb in first.split() else f"how to {self.verb}"


def goals(cookbook: str) -> list[Goal]:
    """What the cookbook asks for, in its order; empty where the text is no recipe."""
    lines = [line.strip() for line in cookbook.splitlines()]
    if "Ingredients:" not in lines or "Directions:" not in lines:
        return []
    first, second = lines.index("Ingredients:"), lines.index("Directions:")
    found = [Goal("take", line) for line in lines[first + 1 : second] if line]
    for line in lines[second + 1 :]:
        told = re.fullmatch(r"([a-z]+) (?:the )?([a-z ]+)", line)
        found += [Goal(told[1], told[2])] if told else []
    return [*found, Goal("eat", "meal")]


def told_verb(text: str) -> str:
    """What a game says was done ("You fried the apple." → fry); empty where it says nothing of the kind."""
    told = re.match(r"\s*You ([a-z]+)", text)
    return re.sub(r"ed$", "", re.sub(r"ied$", "y", told[1])) if told else ""


def without_place(command: str) -> str:
    """A command without where a thing is taken from: that differs from game to game."""
    return re.sub(r"^(take .*) from .*", r"\1", command)


@dataclass(frozen=True)
class Advice:
    """What a memory says: the decision's id, and the lessons, best first, each (id, command with a slot). What it only
    watches stands last: it serves where nothing before it can be followed."""

    decision: str = ""
    lessons: tuple[tuple[str, str], ...] = ()


class NoMemory:
    """Nothing is kept."""

    def morning(self, at: datetime) -> None:
        """A day begins; the person looks."""

    def now(self, at: datetime) -> None:
        """What time it is."""

    def ask(self, task: str) -> Advice:
        """What is known of a task."""
        return Advice()

    def tell(self, advice: Advice, task: str, command: str, used: str, ok: bool, game: str) -> None:
        """What was done (``used``: the lesson that was followed, or empty) and how it ended."""


class OnHome(NoMemory):
    """A home, and a person who approves every lesson the next morning; what is in doubt is retired."""

    def __init__(self, root: Path) -> None:
        self.agent, self.person = Alice(root, "agent:player"), Person(root)

    def morning(self, at: datetime) -> None:
        self.now(at)
        told = self.person.heartbeat()
        if told.items:
            self.person.approve([one.placed.block.id for one in told.items])
        for placed in told.review:
            self.person.retire(placed.block.id)

    def now(self, at: datetime) -> None:
        now(at.strftime("%Y-%m-%dT%H:%M:%SZ"))

    def ask(self, task: str) -> Advice:
        made = self.agent.decide(task)
        blocks = [one.placed.block for one in (*made.applied, *made.observing)]
        return Advice(made.decision, tuple((one.id, one.payload.content) for one in blocks))

    def tell(self, advice: Advice, task: str, command: str, used: str, ok: bool, game: str) -> None:
        if used or not advice.lessons:
            done = self.agent.outcome_of(
                advice.decision, ok, scenario=game, result=command, used=[used] if used else []
            )
            episode = done.episode.id
        else:
            # What was applied could not be followed: no word about it, but what was done instead is kept.
            episode = self.agent.add_episode(task, action=command, success=ok).ids[0]
        if ok and not used:
            self._learn(task, command, episode)

    def _learn(self, task: str, command: str, episode: str) -> None:
        self.agent.memorize(command, task, type="solution", evidence=[Evidence("episode", ref=episode)])


class Unreviewed(OnHome):
    """What most memories do: every lesson is kept, the nearest is followed, nobody reviews and nothing is reported."""

    def morning(self, at: datetime) -> None:
        self.now(at)

    def ask(self, task: str) -> Advice:
        found = self.agent.recall(task, top=1)
        return Advice("", tuple((one.placed.block.id, one.placed.block.payload.content) for one in found))

    def tell(self, advice: Advice, task: str, command: str, used: str, ok: bool, game: str) -> None:
        if ok and not used:
            self.agent.memorize(command, task, type="solution")


@dataclass
class Player:
    """The agent in one game. ``luck`` draws where it does not know."""

    game: Game
    name: str
    memory: NoMemory
    luck: random.Random
    at: datetime
    most: int = 60
    """The most commands of a game."""

    used: int = field(default=0, init=False)
    followed: int = field(default=0, init=False)
    wrong: int = field(default=0, init=False)
    seen: Seen = field(init=False)
    foods: set[str] = field(default_factory=set, init=False)
    done: set[Goal] = field(default_factory=set, init=False)
    """What the game said that it did."""

    def play(self) -> Played:
        """Play to the end or until the commands are used up."""
        self.seen = self.game.start()
        best = self.seen.points
        wanted = goals(self._do("examine cookbook").text)
        self.foods = {goal.food for goal in wanted}
        for goal in wanted:
            self._pursue(goal)
            best = max(best, self.seen.points)
            if self._ended:
                break
        return Played(best, self.used, self.followed, self.wrong)

    @property
    def _ended(self) -> bool:
        return self.seen.over or self.used >= self.most

    def _do(self, command: str) -> Seen:
        self.used += 1
        self.at += timedelta(seconds=10)
        self.memory.now(self.at)
        self.seen = self.game.step(command)
        return self.seen

    def _pursue(self, goal: Goal) -> None:
        """Say it in the goal's own words first; where the game does not do it, ask and try."""
        if goal in self.done:
            return
        points, tried = self.seen.points, set[str]()
        task = goal.task(self._do(f"{goal.verb} {goal.food}").text)
        for _ in range(PATIENCE):
            offers = [one for one in self.seen.offered if one not in tried and not one.startswith(IDLE)]
            if self._ended or self.seen.points > points or goal in self.done or not offers:
                return
            tried.add(self._try(goal, task, offers))

    def _try(self, goal: Goal, task: str, offers: Sequence[str]) -> str:
        fit = max(map(goal.fit, offers))
        if fit == 2:
            command = self.luck.choice([one for one in offers if goal.fit(one) == fit])
            self._do(command)
            return command
        advice = self.memory.ask(task)
        told = [(block, text.replace(SLOT, goal.food)) for block, text in advice.lessons]
        fitting = [(block, one) for block, text in told for one in offers if without_place(one) == text]
        used, command = fitting[0] if fitting else ("", "")
        # The lot is drawn either way, so that it falls alike in all arms as long as they do the same.
        drawn = self._drawn(goal, offers)
        command = command or drawn
        before = self.seen.offered
        said = told_verb(self._do(command).text)
        newly = [one for one in self.seen.offered if one not in before and not one.startswith(IDLE)]
        fits_better = not self.seen.over and max(map(goal.fit, newly), default=0) > fit
        helped = (said == goal.verb and goal.food in command) or fits_better
        self.followed, self.wrong = self.followed + bool(used), self.wrong + (bool(used) and not helped)
        lesson = without_place(command).replace(goal.food, SLOT)
        self.memory.tell(advice, task, lesson, used, helped, self.name)
        if said and goal.food in command:
            self.done.add(Goal(said, goal.food))
        return command

    def _drawn(self, goal: Goal, offers: Sequence[str]) -> str:
        """A command by lot: in half of the cases one that names the food, else one that names no other goal's food."""
        with_food = [one for one in offers if goal.food in one]
        others = [one for one in offers if not any(food in one for food in self.foods)]
        first, second = self.luck.random(), self.luck.random()
        some = (with_food if first < 0.5 else others) or offers
        return some[int(second * len(some))]
