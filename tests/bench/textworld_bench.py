"""Does an agent play TextWorld's cooking games better with what it learned in earlier games?

    python -m tests.bench.textworld_bench [--seeds 20] [--games DIR] [--write]

``textworld`` (Côté et al. 2018, arXiv 1806.11532) makes and runs the games; it needs an environment of its own, which
``make bench-learning`` builds. Each seed draws twenty of a hundred games and plays five a day, three times: without memory, with a home where the
person approves each lesson at once, and with one where the person approves the next morning. The games, the agent and
its lots are the same. A game is one kitchen, three ingredients that have to be found, cut and cooked as the cookbook says;
a wrong cut or a burnt food ends it. Counted is the share of the points that a game has.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from tests.bench.cooking_agent import Game, NoMemory, OnHome, Player, Seen
from tests.bench.person import now

GAMES, A_DAY, POOL = 20, 5, 100
BEGIN = datetime(2026, 1, 1, 6)
SETTINGS = {"recipe": 3, "take": 3, "open": True, "cook": True, "cut": True, "drop": False, "go": 1}
WITHOUT, AT_ONCE, NEXT_MORNING = "without", "approved at once", "approved next morning"
ARMS = (WITHOUT, AT_ONCE, NEXT_MORNING)
RESAMPLES = 10_000
MISSING = "textworld is not installed in this environment: `make bench-learning` builds one that has it"


class Kitchen(Game):
    """A game file, played."""

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
    """The game of a number; it is made where it is not there yet (some seconds)."""
    path = folder / f"cooking-{number:04}.z8"
    if not path.exists():
        import textworld
        from textworld.challenges.tw_cooking import cooking

        options = textworld.GameOptions()
        options.seeds = number + 1
        with tempfile.TemporaryDirectory(dir=folder) as place:
            options.path = str(Path(place) / path.name)
            game = cooking.make({**SETTINGS, "recipe_seed": number + 1, "split": None}, options)
            textworld.generator.compile_game(game, options)
            Path(options.path).replace(path)
    return path


@dataclass(frozen=True)
class Series:
    """One seed in one arm: the share of the points, and whether all were had, game by game."""

    shares: tuple[float, ...]
    commands: tuple[int, ...]

    @property
    def share(self) -> float:
        return statistics.fmean(self.shares)

    @property
    def won(self) -> float:
        return statistics.fmean(share == 1.0 for share in self.shares)


def played(arm: str, seed: int, folder: Path) -> Series:
    """The games of a seed, one after the other."""
    os.environ["TZ"] = "UTC"
    now(BEGIN.strftime("%Y-%m-%dT%H:%M:%SZ"))
    shares, commands = [], []
    with tempfile.TemporaryDirectory(prefix="alice-bench-") as place:
        memory = NoMemory() if arm == WITHOUT else OnHome(Path(place) / "alice", arm == AT_ONCE)
        drawn = random.Random(f"games {seed}").sample(range(POOL), GAMES)
        for number in range(GAMES):
            day, turn = divmod(number, A_DAY)
            if not turn:
                memory.morning(BEGIN + timedelta(days=day))
            kitchen = Kitchen(made(folder, drawn[number]))
            player = Player(
                kitchen, f"game {number}", memory, random.Random(f"{seed} {number}"),
                BEGIN + timedelta(days=day, hours=2 * (turn + 1)),
            )  # fmt: skip
            points = player.play()
            shares.append(points / kitchen.most)
            commands.append(player.used)
    return Series(tuple(shares), tuple(commands))


def of_seed(seed: int, folder: Path) -> dict[str, Series]:
    """One seed in all arms."""
    return {arm: played(arm, seed, folder) for arm in ARMS}


def interval(differences: Sequence[float]) -> tuple[float, float, float]:
    """Mean of paired differences and its 95 % interval, by percentile bootstrap over the seeds."""
    luck = random.Random(2026)
    means = sorted(statistics.fmean(luck.choices(differences, k=len(differences))) for _ in range(RESAMPLES))
    edge = RESAMPLES // 40
    return statistics.fmean(differences), means[edge], means[-edge - 1]


def main() -> None:
    """Play, print the table, and write the page where asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--games", type=Path, help="where the games are kept (default: made anew)")
    parser.add_argument("--write", action="store_true", help="write docs/learning-bench.md")
    asked = parser.parse_args()
    if find_spec("textworld") is None:
        sys.exit(MISSING)
    with tempfile.TemporaryDirectory(prefix="alice-games-") as place, ProcessPoolExecutor() as pool:
        folder = asked.games or Path(place)
        folder.mkdir(parents=True, exist_ok=True)
        list(pool.map(partial(made, folder), range(POOL)))
        some = list(pool.map(partial(of_seed, folder=folder), range(asked.seeds)))
    from tests.bench import textworld_page

    found: Mapping[str, list[Series]] = {arm: [one[arm] for one in some] for arm in ARMS}
    print(textworld_page.part(found))
    if asked.write:
        textworld_page.write(found)


if __name__ == "__main__":
    main()
