"""Two clones act at random and sync in random order: they end byte-equal, and no act is lost (issue 7)."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from alice_exp.api import Alice, RefusedError
from alice_exp.core.model import Placed
from alice_exp.usecases import life, review, syncing
from alice_exp.usecases.acts import ALL
from alice_exp.wiring import Wiring

ACTS = 60
SYNCED = 0.12
"""How often an act is a sync."""

_BEGAN = datetime(2026, 2, 20, 9, tzinfo=UTC)


@dataclass
class Clone:
    """One machine: its home, and what it did since the last commit was looked at."""

    name: str
    alice: Alice
    wiring: Wiring
    root: Path

    def places(self) -> list[Placed]:
        return list(self.wiring.home.read(ALL))

    def files(self) -> dict[str, bytes]:
        root = self.root / "experiences"
        found = (path for path in root.rglob("*.json*") if ".git" not in path.parts)
        return {str(path.relative_to(root)): path.read_bytes() for path in found}

    def acts(self) -> list[str]:
        told = subprocess.run(
            ["git", "log", "--format=%(trailers:key=Alice-Act,valueonly)"],
            cwd=self.root / "experiences",
            capture_output=True,
            text=True,
            check=True,
        )
        return told.stdout.split()

    def sync(self) -> syncing.Synced:
        w = self.wiring
        (done,) = syncing.sync(syncing.Machine(w.home, w.remotes, w.exchange, w.shares, w.caller))
        assert done.failure is None, done.failure
        return done


@dataclass
class World:
    """What both machines did, added up."""

    source: random.Random
    clones: list[Clone]
    tick: Callable[[], None]
    verified: Counter[str] = field(default_factory=Counter)
    made: set[str] = field(default_factory=set)
    comments: list[str] = field(default_factory=list)
    acts: set[str] = field(default_factory=set)
    episodes: int = 0
    thoughts: int = 0
    number: int = 0

    def step(self, clone: Clone) -> None:
        self.tick()
        self.number += 1
        act = self.source.choice([self.memorize, self.outcome, self.outcome, self.outcome, self.decide, self.move,
                                  self.retire, self.edit, self.comment, self.record])  # fmt: skip
        act(clone)
        if self.source.random() < SYNCED:
            clone.sync()
        self.acts.update(clone.acts())

    def some(self, clone: Clone, *places: str) -> Placed | None:
        found = [placed for placed in clone.places() if placed.place in places]
        return self.source.choice(found) if found else None

    def memorize(self, clone: Clone) -> None:
        word = self.source.choice(["rg", "fd", "jq", "uv", "make"])
        said = f"use {word} number {self.source.randint(1, 12)}"
        self.made.add(clone.alice.memorize(said, when=f"doing {word}").block.id)

    def outcome(self, clone: Clone) -> None:
        placed = self.some(clone, "low_value", "universal", "personal")
        if placed is None:
            return
        before = placed.block.verifications
        ok = before < 4 or self.source.random() < 0.8
        scenario = self.source.choice(["here", "there", clone.name])
        after = clone.alice.outcome(placed.block.id, ok, scenario=scenario).change.block.verifications
        self.verified[placed.block.id] += after - before

    def decide(self, clone: Clone) -> None:
        placed = self.some(clone, "low_value")
        if placed is None:
            return
        w = clone.wiring
        if self.source.random() < 0.7:
            to = self.source.choice(["", "personal/user_preferences", "universal/tool_usage"])
            review.approve(w.home, w.caller, [placed.block.id], to)
        else:
            review.reject(w.home, w.caller, [placed.block.id], "not so")

    def move(self, clone: Clone) -> None:
        placed = self.some(clone, "universal")
        if placed is not None:
            to = self.source.choice(
                ["universal/api_patterns", "universal/tool_usage", "personal/workflow_habits"]
            )
            life.move(clone.wiring.home, clone.wiring.caller, placed.block.id, to)

    def retire(self, clone: Clone) -> None:
        placed = self.some(clone, "universal", "personal")
        if placed is not None and self.source.random() < 0.3:
            life.retire(clone.wiring.home, clone.wiring.caller, placed.block.id, "the world changed")

    def edit(self, clone: Clone) -> None:
        placed = self.some(clone, "universal", "personal")
        if placed is not None:
            path = clone.root / "experiences" / placed.path
            old = f'"{placed.block.payload.content}"'
            path.write_text(path.read_text().replace(old, f'{old[:-1]} said {self.number}"', 1))
            clone.places()

    def comment(self, clone: Clone) -> None:
        placed = self.some(clone, "universal", "personal")
        if placed is not None:
            path = clone.root / "experiences" / placed.path
            said = f"// comment {self.number} of {clone.name}"
            where = f'"id": "{placed.block.id}",'
            path.write_text(path.read_text().replace(where, f"{where} {said}\n", 1))
            self.comments.append(said)
            clone.places()

    def record(self, clone: Clone) -> None:
        if self.source.random() < 0.5:
            clone.alice.add_episode(f"task {self.number}", success=True, reward=0.5)
            self.episodes += 1
        else:
            clone.alice.add_event(f"thought {self.number}")
            self.thoughts += 1


@pytest.fixture
def clones(home: Path, _fresh_home: Path, world: Path) -> Iterator[list[Clone]]:
    subprocess.run(["git", "init", "-q", "--bare", "--initial-branch=main", world / "there.git"], check=True)
    made = []
    for name in ("alice", "bob"):
        root = world / name
        if not root.exists():
            shutil.copytree(_fresh_home, root, symlinks=True)
        w = Wiring(str(root))
        machine = syncing.Machine(w.home, w.remotes, w.exchange, w.shares, w.caller)
        syncing.add(machine, str(world / "there.git"), "mine", private=True)
        made.append(Clone(name, Alice(root), w, root))
    yield made


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_two_clones_end_byte_equal_and_no_act_is_lost(
    clones: list[Clone], monkeypatch: pytest.MonkeyPatch, seed: int, sound: Callable[[Path], None]
) -> None:
    moment = [_BEGAN]

    def tick() -> None:
        moment[0] += timedelta(seconds=1)
        monkeypatch.setenv("ALICE_NOW", moment[0].strftime("%Y-%m-%dT%H:%M:%SZ"))

    both = World(random.Random(seed), clones, tick)
    turns = [clone for clone in clones for _ in range(ACTS)]
    both.source.shuffle(turns)
    for clone in turns:
        try:
            both.step(clone)
        except RefusedError:
            continue
    order = [clones[0], clones[1]]
    both.source.shuffle(order)
    for clone in (*order, order[0]):
        clone.sync()
    assert clones[0].files() == clones[1].files()
    _nothing_is_lost(both, clones[0])
    for clone in clones:
        sound(clone.root)
        assert clone.wiring.home.read(ALL, records=True).problems == ()


def _nothing_is_lost(both: World, clone: Clone) -> None:
    assert both.acts <= set(clone.acts())
    here = {placed.block.id: placed.block for placed in clone.places()}
    assert both.made <= here.keys()
    assert {i: here[i].verifications for i in both.verified} == dict(both.verified)
    text = b"".join(clone.files().values()).decode()
    assert [said for said in both.comments if said not in text] == []
    seen = clone.wiring.home.read((), records=True)
    assert seen.episodes is not None and len(seen.episodes.episodes) == both.episodes
    assert seen.timeline is not None and seen.timeline.total_events == both.thoughts
    assert sum(seen.timeline.lengths) == both.thoughts
