"""One home in the state machine's hands: who acts on it, when, and what must hold after every step (DESIGN 1, 5, 6)."""

import os
import random
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

from alice_exp.app.opening import open_session
from alice_exp.blocks.usecases import capture, lifetime
from alice_exp.blocks.usecases.capture import Draft
from alice_exp.conversations.store import chats
from alice_exp.finding import usecases as recall
from alice_exp.finding.store.search_index import HomeIndex
from alice_exp.home import session
from alice_exp.home.session import Session
from alice_exp.kernel.errors import AliceError, ProblemError, RefusedError
from alice_exp.kernel.journal import git_process
from alice_exp.model.rules.lifecycle import Thresholds
from alice_exp.model.values.block import PLACES, Payload, Placed, Trigger, content_hash, is_approved
from alice_exp.review.store import reports
from alice_exp.review.usecases import decisions, todays_report
from alice_exp.sharing.rules.bundle import bundle
from tests.machine.watch import SETS, Watch, blob

_BEGAN = datetime(2026, 2, 20, 10, tzinfo=UTC)
_ID = re.compile(r"exp-[a-z2-9]{8}")
_WORD = re.compile(r"word\d+")


@dataclass
class Step:
    """What the step that runs now may do; an invariant that meets anything else fails.

    ``person``: trust may come; ``removes``: blocks and words may leave the files; ``commits``: acts that it made;
    ``foreign``: commits that something else made.
    """

    name: str = ""
    person: bool = False
    removes: bool = False
    commits: int = 0
    actor: str = ""
    foreign: int = 0


class World:
    """A home, two processes that use it, a person who edits its files, and a calendar."""

    def __init__(self, template: Path) -> None:
        self.place = Path(tempfile.mkdtemp(prefix="alice-machine-"))
        self.root = Path(shutil.copytree(template, self.place / "alice", symlinks=True))
        self.watch = Watch(self.root)
        self.now = _BEGAN
        self.source = random.Random(7)
        self.words = 0
        self.broken: dict[str, bytes] = {}
        self.step = Step()
        self._patches = [
            patch.dict(os.environ, {"ALICE_NOW": ""}),
            # Nothing here cuts the power: what a disk forgets is the crash matrix's to look at.
            patch.object(os, "fsync", lambda handle: None),
            patch.dict(git_process._OPTIONS, {"core.fsync": "none"}),
            patch.object(session, "new_id", lambda kind: f"{kind}-{self.letters()}"),
        ]
        for one in self._patches:
            one.start()
        self.pass_time(timedelta())
        self.warnings: list[AliceError] = []
        self.machines = [open_session(str(self.root), "", self.warnings.append) for _ in range(2)]
        self.machines[0].home.read(PLACES)
        self.head = self.watch.head()
        self.acts: set[str] = set()
        self.before: dict[str, Placed] = {placed.block.id: placed for placed in self.blocks()}
        self.trusted = {i: content_hash(p.block) for i, p in self.before.items() if is_approved(p)}
        self.spoken: set[str] = set()
        self.turns = 0
        self.refusals: Counter[str] = Counter()

    def close(self) -> None:
        for one in self._patches:
            one.stop()
        self.watch.close()
        shutil.rmtree(self.place, ignore_errors=True)

    # -- acting -------------------------------------------------------------------------------------------------

    def letters(self) -> str:
        return "".join(self.source.choices(session.ALPHABET, k=8))

    def word(self) -> str:
        """A word that nobody said before: where it is, what the person said is."""
        self.words += 1
        return f"word{self.words}"

    def pass_time(self, span: timedelta) -> None:
        self.now += span
        os.environ["ALICE_NOW"] = self.now.strftime("%Y-%m-%dT%H:%M:%SZ")

    def by(self, actor: str) -> Session:
        """The process whose turn it is, acting as ``actor``; the two take turns and keep what they remember."""
        self.pass_time(timedelta(seconds=1))
        self.turns += 1
        machine = self.machines[self.turns % 2]
        machine.actor_option = actor
        machine.__dict__.pop("acting", None)
        self.step.actor = actor
        return machine

    @contextmanager
    def acting(self, name: str, *, person: bool = False, removes: bool = False) -> Iterator[Step]:
        """One step: what it may do, and that a refusal is one of ours, with nothing changed."""
        self.step = Step(name, person, removes)
        try:
            yield self.step
        except ProblemError:
            if not self.broken:
                raise
        except AliceError as refusal:
            self.refusals[type(refusal).__name__] += 1

    def did(self, answer: Any) -> Any:
        """Count the commit of an answer, wherever it stands there."""
        commit = answer[1] if isinstance(answer, tuple) else answer.commit
        self.step.commits += commit is not None
        return answer

    def refused(self, act: Callable[[], object]) -> None:
        """An agent tries what only a person may do."""
        try:
            act()
        except RefusedError:
            return
        raise AssertionError(f"an agent could {self.step.name}")

    # -- a person at the files ----------------------------------------------------------------------------------

    def text(self, path: str) -> str:
        return (self.root / "experiences" / path).read_text(encoding="utf-8")

    def save(self, path: str, text: str) -> None:
        """As an editor saves: a new file in the old one's place."""
        full = self.root / "experiences" / path
        full.parent.mkdir(exist_ok=True)
        beside = full.with_name(f".{full.name}.swp")
        beside.write_text(text, encoding="utf-8")
        beside.replace(full)
        if not path.startswith("low_value_pool/"):
            self.spoken |= set(_WORD.findall(text))

    def commit_as_a_stranger(self) -> None:
        """As a coding agent commits by itself: everything that changed, with git alone."""
        git = ["git", "-C", str(self.root / "experiences"), "-c", "user.name=bot", "-c", "user.email=b@c"]
        done = subprocess.run([*git, "commit", "-qam", "wip"], capture_output=True, check=False)
        self.step.foreign += done.returncode == 0

    # -- looking ------------------------------------------------------------------------------------------------

    def blocks(self, *places: str) -> list[Placed]:
        """What the last good versions say, read apart from the product, with what the ledger holds of each."""
        tracked = self.watch.tracked()
        found: list[Placed] = []
        for path, oid in sorted(tracked.items()):
            if path.startswith(places or SETS):
                found += self.watch.blocks(path, self.watch.object(oid))
        ledger = self.machines[0].home.standings  # type: ignore[attr-defined]
        ledger.follow()
        return [replace(placed, block=ledger.mark(placed.block)) for placed in found]

    def check(self) -> None:
        """Every invariant, after every step."""
        self.machines[self.turns % 2].home.read(PLACES, records=True)
        files = self.watch.on_disk()
        self._check_files(files)
        self._check_history()
        self._check_blocks()
        self._check_sharing()
        self._check_words(files)
        self.step = Step()

    def _check_files(self, files: dict[str, bytes]) -> None:
        tracked = self.watch.tracked()
        assert self.watch.index() == tracked, "git's index differs from the newest commit"
        for path, data in self.broken.items():
            assert files.pop(path) == data, f"the broken {path} was touched"
            tracked.pop(path, None)
        assert {path: blob(data) for path, data in files.items()} == tracked, "the tree is not clean"
        assert self.watch.marks() == [], "a mark of an act was left"
        assert self.watch.momentary() == [], "a temporary file was left"
        self.watch.check_records(files)

    def _check_history(self) -> None:
        commits = self.watch.since(self.head)
        self.head = self.watch.head()
        foreign = [entry for entry in commits if not entry.trailers]
        assert len(foreign) == self.step.foreign and {one.author for one in foreign} <= {"bot"}
        commits = [entry for entry in commits if entry.trailers]
        for entry in commits:
            for name in ("Act", "Op", "Actor", "At"):
                assert len(entry.trailers[name]) == 1, f"{entry.subject} has no single Alice-{name}"
            assert entry.trailers["Actor"] == [entry.author]
            assert entry.trailers["Act"][0] not in self.acts, "two commits carry one act"
            self.acts.add(entry.trailers["Act"][0])
            assert "word" not in entry.subject, "a commit message says what a block says"
        own = [entry for entry in commits if entry.op != "adopt"]
        assert len(own) == self.step.commits, f"{self.step} made {[entry.subject for entry in commits]}"
        assert {entry.author for entry in own} <= {self.step.actor}
        assert {entry.author for entry in commits if entry.op == "adopt"} <= {"editor"}

    def _check_blocks(self) -> None:
        present = self.blocks()
        counted = Counter(placed.block.id for placed in present)
        assert not counted or max(counted.values()) == 1, "an id stands twice"
        for placed in present:
            block = placed.block
            counts = (block.verifications, block.verifications_local, block.observations, block.access_count)
            assert (
                _ID.fullmatch(block.id)
                and min(counts) >= 0
                and block.verifications_local <= block.verifications
            )
            assert (placed.place == "archive") == (block.archived is not None)
        here = {placed.block.id: placed for placed in present}
        gone = [placed for block_id, placed in self.before.items() if block_id not in here]
        for placed in gone:
            expires = placed.place == "low_value" and placed.block.reported is not None
            assert self.step.removes or expires, f"{self.step.name} lost {placed.block.id} of {placed.path}"
        trusted = {i: content_hash(placed.block) for i, placed in here.items() if is_approved(placed)}
        fresh = {i for i, digest in trusted.items() if self.trusted.get(i) != digest}
        assert self.step.person or not fresh, f"{self.step.name} made {fresh} trusted without a person"
        self.before, self.trusted = here, trusted

    def _check_sharing(self) -> None:
        personal = {p.block.payload.content for p in self.before.values() if p.place == "personal"}
        thresholds = Thresholds.of(self.machines[0].home.config())
        try:
            made = bundle("alice", self.before.values(), thresholds)
        except RefusedError:
            return
        for block in made.blocks:
            placed = self.before[block.id]
            assert placed.place == "universal" and is_approved(placed) and placed.block.shareable
            assert placed.block.about == "work" and block.payload.content not in personal

    def _check_words(self, files: dict[str, bytes]) -> None:
        """A person's words leave the files by a person's act alone; git, which never loses a commit, keeps them.

        What is in the pool alone is not watched: a file there goes with its last candidate, and with it what was
        typed at its head. An act may carry a word into the pool, though: a candidate that was retired comes back.
        """
        words = {path: set(_WORD.findall(data.decode("utf-8", "replace"))) for path, data in files.items()}
        lost = self.spoken.difference(*words.values())
        assert self.step.removes or not lost or self.broken, f"{self.step.name} lost {lost}"
        self.spoken = set().union(
            *(said for path, said in words.items() if not path.startswith("low_value_pool/"))
        )

    def check_index(self, machine: Session, query: str) -> None:
        """The index finds what the files find."""
        asked = [(query, {})]
        by_index = recall.search(machine, asked, recall.Filters())
        with patch.object(HomeIndex, "ask", lambda index, question: None):
            by_files = recall.search(machine, asked, recall.Filters())
        told = [
            [[(m.placed.block.id, round(m.score, 9)) for m in row] for row in all_]
            for all_ in (by_index, by_files)
        ]
        assert told[0] == told[1], "the index answers otherwise than the files"

    def finish(self) -> None:
        """What git itself says of the home at the end."""
        for arguments in (
            ["fsck", "--strict", "--no-dangling"],
            ["status", "--porcelain", "--untracked-files=all"],
        ):
            told = self.machines[0].home.repository.run(*arguments).decode().splitlines()
            assert [line for line in told if line[3:] not in self.broken] == []
        for block_id, placed in self.before.items():
            assert self.machines[0].history.last_text(block_id) is not None, (
                f"history cannot restore {placed}"
            )


def furnish(root: Path) -> None:
    """Something of everything, so that every act finds what it is for: the machine starts from a copy of this."""
    universal = root / "experiences" / "universal" / "tool_usage.jsonc"
    universal.write_text(FURNITURE, encoding="utf-8")
    agent, user = open_session(str(root), "agent:claude"), open_session(str(root), "user")
    for tool in ("rg", "fd", "jq", "uv"):
        capture.memorize(
            agent.home, agent.caller, [Draft(Payload(f"use {tool} number 1"), Trigger(f"doing {tool}"))]
        )
    todays_report.heartbeat(user, peek=False)
    for said in ("I like tea", "I write Python"):
        capture.remember(user.home, user.caller, Draft(Payload(said)))
    decisions.approve(user.home, user.caller, ["exp-aaaaaaa2", "exp-bbbbbbb2"])
    lifetime.retire(user.home, user.caller, "exp-bbbbbbb2", "the world changed")
    decisions.reject(user.home, user.caller, [reports(user).open.ids[-1]], "not so")
    chats(user).start("talk", user.caller.now)


FURNITURE = """{
  "blocks": [
    // what everybody may know
    {"id": "exp-aaaaaaa2", "trigger": "doing rg", "payload": "rg reads no ignored file", "type": "rule",
     "state": "reliable", "verifications": 80, "verifications_local": 80},
    {"id": "exp-bbbbbbb2", "trigger": "doing make", "payload": "make -j is faster", "state": "past", "verifications": 3},
    {"id": "exp-ccccccc2", "trigger": "doing uv", "payload": "uv is typed by hand and waits", "type": "rule"}
  ]
}
"""
