"""Two machines in step: made once for all tests, and copied for each."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.conftest import Call


class InStep(NamedTuple):
    """Two homes that were made apart, and the private remote that they were synced with."""

    here: Path
    there: Path
    remote: Path


def at(home: Path) -> dict[str, str]:
    """The environment in which this is the home."""
    return {"ALICE_HOME": str(home)}


def pair(cli: Call, here: Path, there: Path) -> None:
    """Sync two homes with the remote that both know, and confirm each one's key on the other."""
    for home in (here, there, there, here, here, there):
        (remote,) = cli("sync", "--json", env=at(home)).json["remotes"]
        if remote["offered"]:
            cli("sync", "confirm", remote["offered"], "--yes", env=at(home))


@pytest.fixture(scope="session")
def _synced(tmp_path_factory: pytest.TempPathFactory, _fresh_home: Path) -> Callable[[Call], InStep]:
    made: list[InStep] = []

    def once(cli: Call) -> InStep:
        if not made:
            place = tmp_path_factory.mktemp("in-step")
            one = InStep(place / "here", place / "there", place / "there.git")
            subprocess.run(["git", "init", "-q", "--bare", "--initial-branch=main", one.remote], check=True)
            for home in (one.here, one.there):
                shutil.copytree(_fresh_home, home, symlinks=True)
                words = ("sync", "add", str(one.remote), "--private", "--name", "mine", "--yes")
                cli(*words, env=at(home))
            pair(cli, one.here, one.there)
            made.append(one)
        return made[0]

    return once


@pytest.fixture
def in_step(world: Path, cli: Call, _synced: Callable[[Call], InStep]) -> InStep:
    """``alice`` (which ``ALICE_HOME`` names), ``bob`` and ``there.git`` in this test's own folder."""
    once, mine = _synced(cli), InStep(world / "alice", world / "bob", world / "there.git")
    for made, copy in zip(once, mine, strict=True):
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(made, copy, symlinks=True)
    for home in (mine.here, mine.there):
        known = home / "identity/remotes.json"
        known.write_text(known.read_text("utf-8").replace(str(once.remote), str(mine.remote)), "utf-8")
    return mine
