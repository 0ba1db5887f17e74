"""A hypothesis machine: clones act at random and sync in random order; they end byte-equal, no act lost (issue 7)."""

import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from alice_exp.app.api import Alice, RefusedError
from alice_exp.app.opening import open_session
from alice_exp.blocks.usecases import lifetime
from alice_exp.home.session import Session
from alice_exp.model.rules.identity import sameness
from alice_exp.model.values.block import PLACES, Placed
from alice_exp.review.usecases import decisions
from alice_exp.sync import usecases as syncing

ACTS = (
    *("read", "memorize", "memorize", "outcome", "outcome", "outcome", "outcome", "decide", "move", "retire"),
    *("edit", "comment", "record", "sync", "pull"),
)
"""One rule draws from these, so that no example is left without some of them (hypothesis swarms over rules)."""

_BEGAN = datetime(2026, 2, 20, 9, tzinfo=UTC)
_WHO = st.integers(0, 5)
_ANY = st.integers(0, 250)
_WHO_PULLS = ("-c", "user.name=x", "-c", "user.email=x@x")


@dataclass
class Clone:
    """One machine and its home."""

    name: str
    alice: Alice
    session: Session
    root: Path

    def places(self) -> list[Placed]:
        return list(self.session.home.read(PLACES))

    def files(self) -> dict[str, bytes]:
        root = self.root / "experiences"
        found = (path for path in root.rglob("*.json*") if ".git" not in path.parts)
        return {str(path.relative_to(root)): path.read_bytes() for path in found}

    def git(self, *words: str) -> str:
        done = subprocess.run(["git", *words], cwd=self.root / "experiences", capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def acts(self) -> list[str]:
        return self.git("log", "--format=%(trailers:key=Alice-Act,valueonly)").split()

    def pull(self, there: str) -> None:
        """A plain ``git pull``; where git stops (a file that one side removed), one command finishes it."""
        command = ["git", *_WHO_PULLS, "pull", "-q", "--no-rebase", "--no-edit", there, "main"]
        done = subprocess.run(command, cwd=self.root / "experiences", capture_output=True, text=True)
        if done.returncode:
            assert "CONFLICT (modify/delete)" in done.stdout and "CONFLICT (content)" not in done.stdout
            assert syncing.settle(self.session) is not None

    def sync(self) -> syncing.Synced:
        (done,) = syncing.sync(self.session)
        assert done.failure is None, done.failure
        return done


@dataclass
class Told:
    """What all machines did, added up."""

    captured: int = 0
    conflicts: int = 0
    verified: int = 0
    episodes: int = 0
    thoughts: int = 0
    comments: list[str] = field(default_factory=list)
    acts: set[str] = field(default_factory=set)


class Machines(RuleBasedStateMachine):
    """Every rule is one act of one clone, or one sync; ``teardown`` brings all together and compares."""

    def __init__(self, clones: list[Clone], tick: Callable[[], None], judge: Callable[[Path], None]) -> None:
        super().__init__()
        self.clones, self.tick, self.judge = clones, tick, judge
        self.told = Told()
        self.number = 0

    def who(self, number: int) -> Clone:
        self.tick()
        self.number += 1
        return self.clones[number % len(self.clones)]

    def some(self, clone: Clone, which: int, *places: str) -> Placed | None:
        found = [placed for placed in clone.places() if placed.place in places]
        return found[which * len(found) // 251] if found else None

    @rule(act=st.sampled_from(ACTS), who=_WHO, which=_ANY, luck=_ANY)
    def step(self, act: str, who: int, which: int, luck: int) -> None:
        getattr(self, act)(who, which, luck)

    def memorize(self, who: int, which: int, _: int) -> None:
        word = ("rg", "fd", "jq")[which % 3]
        with suppress(RefusedError):
            self.who(who).alice.memorize(f"use {word} number {which // 60}", when=f"doing {word}")
            self.told.captured += 1

    def outcome(self, who: int, which: int, luck: int) -> None:
        clone = self.who(who)
        placed = self.some(clone, which, "low_value", "universal", "personal")
        if placed is not None:
            before = placed.block.verifications
            scenario = ("here", "there", clone.name)[luck % 3]
            done = clone.alice.outcome(placed.block.id, before < 4 or luck < 200, scenario=scenario)
            self.told.verified += done.change.block.verifications - before

    def decide(self, who: int, which: int, luck: int) -> None:
        clone = self.who(who)
        placed = self.some(clone, which, "low_value")
        if placed is None:
            return
        w, to = clone.session, ("", "personal/user_preferences", "universal/tool_usage")[luck % 3]
        with suppress(RefusedError):
            if luck < 180:
                decisions.approve(w.home, w.caller, [placed.block.id], to)
            else:
                decisions.reject(w.home, w.caller, [placed.block.id], "not so")

    def move(self, who: int, which: int, to: int) -> None:
        clone = self.who(who)
        placed = self.some(clone, which, "universal")
        if placed is not None:
            names = ("universal/api_patterns", "universal/tool_usage", "personal/workflow_habits")
            with suppress(RefusedError):
                lifetime.move(clone.session.home, clone.session.caller, placed.block.id, names[to % 3])

    def retire(self, who: int, which: int, luck: int) -> None:
        clone = self.who(who)
        placed = self.some(clone, which, "universal", "personal")
        if placed is not None and luck < 80:
            with suppress(RefusedError):
                lifetime.retire(
                    clone.session.home, clone.session.caller, placed.block.id, "the world changed"
                )

    def edit(self, who: int, which: int, _: int) -> None:
        clone = self.who(who)
        placed = self.some(clone, which, "universal", "personal", "low_value")
        if placed is not None:
            path = clone.root / "experiences" / placed.path
            old = f'"{placed.block.payload.content}"'
            path.write_text(path.read_text().replace(old, f'{old[:-1]} said {self.number}"', 1))
            clone.places()

    def comment(self, who: int, which: int, _: int) -> None:
        clone = self.who(who)
        placed = self.some(clone, which, "universal", "personal")
        if placed is not None:
            path = clone.root / "experiences" / placed.path
            said = f"// comment {self.number} of {clone.name}"
            where = f'"id": "{placed.block.id}",'
            path.write_text(path.read_text().replace(where, f"{where} {said}\n", 1))
            self.told.comments.append(said)
            clone.places()

    def record(self, who: int, which: int, _: int) -> None:
        clone = self.who(who)
        if which % 2:
            clone.alice.add_episode(f"task {self.number}", success=True, reward=0.5)
            self.told.episodes += 1
        else:
            clone.alice.add_event(f"thought {self.number}")
            self.told.thoughts += 1

    def read(self, who: int, which: int, _: int) -> None:
        clone = self.who(who)
        if which % 2:
            clone.alice.heartbeat()
        else:
            clone.alice.recall("doing rg")

    def sync(self, who: int, _: int = 0, __: int = 0) -> None:
        clone = self.who(who)
        self.told.acts.update(clone.acts())
        self.told.conflicts += len(clone.sync().exchanged.conflicts)

    def pull(self, who: int, step: int, _: int) -> None:
        """A plain ``git pull`` from another clone: the merge driver and the hook do the rest."""
        clone, other = self.who(who), self.clones[(who + step % 5 + 1) % len(self.clones)]
        if clone is not other:
            self.told.acts.update((*clone.acts(), *other.acts()))
            before = {placed.block.id for placed in (*clone.places(), *other.places())}
            there = str(other.root / "experiences")
            clone.pull(there)
            self.told.conflicts += len({placed.block.id for placed in clone.places()} - before)

    def teardown(self) -> None:
        for clone in (*self.clones, *self.clones):
            self.sync(self.clones.index(clone))
        first = self.clones[0]
        for clone in self.clones:
            assert clone.files() == first.files()
            assert clone.session.home.read(PLACES, records=True).problems == ()
            self.judge(clone.root)
        self._nothing_is_lost(first)

    def _nothing_is_lost(self, clone: Clone) -> None:
        told, here = self.told, [placed.block for placed in clone.places()]
        assert told.acts <= set(clone.acts())
        alike = Counter(sameness(block) for block in here)
        assert sum(block.verifications for block in here) == told.verified
        seen = len(here) + sum(block.observations for block in here)
        spare = told.conflicts + sum(count for count in alike.values() if count > 1)
        # Where both wrote anew what one of them had folded, and it was never used, nothing tells that it was folded.
        spare += sum(block.observations for block in here if " said " in block.payload.content)
        assert told.captured <= seen <= told.captured + spare
        waiting = [p.block for p in clone.places() if p.place == "low_value" and not p.block.replaces]
        assert len({sameness(block) for block in waiting}) == len(waiting)
        text = b"".join(clone.files().values()).decode()
        assert [said for said in told.comments if said not in text] == []
        kept = clone.session.home.read((), records=True)
        assert kept.episodes is not None and len(kept.episodes.episodes) == told.episodes
        assert kept.timeline is not None and kept.timeline.total_events == told.thoughts
        assert sum(kept.timeline.lengths) == told.thoughts


@pytest.fixture
def run(
    _fresh_home: Path,
    world: Path,
    monkeypatch: pytest.MonkeyPatch,
    sound: Callable[[Path], None],
) -> Callable[..., None]:
    """``run(machines, steps, examples, number)``: machines that begin anew for each example, from one seed."""
    moment = [_BEGAN]

    def tick() -> None:
        moment[0] += timedelta(seconds=1)
        monkeypatch.setenv("ALICE_NOW", moment[0].strftime("%Y-%m-%dT%H:%M:%SZ"))

    def begin(machines: int) -> Machines:
        from alice_exp.home import session

        ids = random.Random(2026)
        monkeypatch.setattr(
            session, "new_id", lambda kind: f"{kind}-" + "".join(ids.choices(session.ALPHABET, k=8))
        )
        moment[0] = _BEGAN
        shutil.rmtree(world / "run", ignore_errors=True)
        there = world / "run" / "there.git"
        subprocess.run(["git", "init", "-q", "--bare", "--initial-branch=main", there], check=True)
        names = ("alice", "bob", "carol")[:machines]
        return Machines([_clone(_fresh_home, world / "run" / name, there) for name in names], tick, sound)

    def call(machines: int, steps: int, examples: int, number: int) -> None:
        def factory() -> Machines:
            return begin(machines)

        chosen: Any = seed(number)(factory)
        run_state_machine_as_test(
            chosen,
            settings=settings(
                max_examples=examples,
                stateful_step_count=steps,
                deadline=None,
                database=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            ),
        )

    return call


def _clone(fresh: Path, root: Path, there: Path) -> Clone:
    shutil.copytree(fresh, root, symlinks=True)
    clone = Clone(root.name, Alice(root), open_session(str(root)), root)
    syncing.add(clone.session, str(there), "mine", private=True)
    return clone


def test_two_clones_end_byte_equal_and_no_act_is_lost(run: Callable[..., None]) -> None:
    run(2, 70, 2, 2)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(1, 6))
def test_two_clones_of_two_hundred_acts_each(run: Callable[..., None], number: int) -> None:
    run(2, 460, 2, number)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(1, 4))
def test_three_clones(run: Callable[..., None], number: int) -> None:
    run(3, 300, 2, number)
