"""Whatever is written into the files and whatever git does without ``refs/alice/``: what is trusted never grows (DESIGN 6).

Ten thousand steps of it: ``pytest -m slow tests/machine/test_ledger_machine.py``.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from hypothesis.stateful import run_state_machine_as_test as run_machine

from alice_exp.home.session import Session
from alice_exp.home.store.list_files import write_local
from alice_exp.kernel.errors import AliceError
from alice_exp.kernel.jsonc.reader import parse
from alice_exp.model.values.block import PLACES, content_hash, is_approved
from alice_exp.model.values.config import HAND_EDITS_TRUSTED
from tests.case_tables import cases
from tests.conftest import Call

STEPS, EXAMPLES = 14, 6
TEMPLATE = Path()

FILES = st.sampled_from(cases(__file__, "FILES"))
AT = st.integers(0, 10_000)
FIELDS = st.sampled_from(cases(__file__, "FIELDS"))
Told = frozenset[tuple[str, str, bool]]


class Attacker(RuleBasedStateMachine):
    """Somebody who writes files and runs git, but leaves ``refs/alice/`` alone."""

    steps = 0

    def __init__(self) -> None:
        super().__init__()
        self.root = Path()
        self.old: list[dict[str, bytes]] = []
        self.known: list[dict[str, Any]] = []

    @initialize()
    def begin(self) -> None:
        """A home in which a person decided some things."""
        self.root = TEMPLATE.with_name("attacked")
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(TEMPLATE, self.root, symlinks=True)
        self.experiences = self.root / "experiences"
        self.trusted = self.told()
        assert len(self.trusted) == 3
        self.remember()

    def told(self) -> Told:
        """What is trusted: content, project, whether it may be shared."""
        blocks = Session(str(self.root)).home.read(PLACES)
        return frozenset(
            (content_hash(p.block), p.block.project, p.block.shareable) for p in blocks if is_approved(p)
        )

    def remember(self) -> None:
        """Keep every version of the files and of the blocks that an editor or a backup could bring back."""
        files = {
            path.relative_to(self.experiences).as_posix(): path.read_bytes()
            for path in self.experiences.rglob("*.jsonc")
            if ".git" not in path.parts
        }
        if files not in self.old:
            self.old.append(files)
        for path, data in files.items():
            value = parse(data, path).value
            listed = value.get("blocks", []) if isinstance(value, dict) else []
            self.known += [one for one in listed if isinstance(one, dict) and one not in self.known]

    def put(self, path: str, data: bytes) -> None:
        """Write a file, whose folder git may have removed."""
        (self.experiences / path).parent.mkdir(exist_ok=True)
        (self.experiences / path).write_bytes(data)

    def git(self, *arguments: str) -> None:
        """Run git as an agent would; what it refuses is refused."""
        who = cases(__file__, "WHO")
        environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true"}
        subprocess.run(
            ["git", *who, *arguments], cwd=self.experiences, capture_output=True, check=False, env=environment
        )

    @rule(
        path=FILES, at=AT, change=FIELDS, approve=st.booleans(), rename=st.booleans(), instead=st.booleans()
    )
    def write_a_block(
        self, path: str, at: int, change: dict[str, Any], approve: bool, rename: bool, instead: bool
    ) -> None:
        """Type a block that was seen somewhere into a file, as it was or with other fields."""
        block = {**self.known[at % len(self.known)], **change}
        if rename:
            block["id"] = f"exp-{at % 9 + 1}bcdefgh"
        if approve:
            block["approved"] = {"at": "2026-02-20T09:00:00Z", "by": "user", "hash": "0" * 64}
        full = self.experiences / path
        value = parse(full.read_bytes(), path).value if full.exists() else {}
        listed = value.get("blocks", []) if isinstance(value, dict) and not instead else []
        listed = [one for one in listed if one.get("id") != block.get("id")]
        self.put(path, json.dumps({"blocks": [*listed, block]}).encode())

    @rule(path=FILES, at=AT)
    def undo_in_an_editor(self, path: str, at: int) -> None:
        """Bring one file back as it was at some time."""
        data = self.old[at % len(self.old)].get(path)
        if data is not None:
            self.put(path, data)

    @rule(path=FILES, other=FILES)
    def copy_a_file(self, path: str, other: str) -> None:
        """What a folder sync or ``cp`` does."""
        if (self.experiences / path).exists() and path != other:
            self.put(other, (self.experiences / path).read_bytes())

    @rule(path=FILES)
    def remove_a_file(self, path: str) -> None:
        """``rm``."""
        (self.experiences / path).unlink(missing_ok=True)

    @rule(at=AT)
    def restore_half_a_backup(self, at: int) -> None:
        """The files of some time, beside the history of today."""
        for path, data in self.old[at % len(self.old)].items():
            self.put(path, data)

    @rule(amend=st.booleans())
    def commit(self, amend: bool) -> None:
        """Commit what is there with plain git."""
        self.git("add", "-A")
        self.git("commit", "-q", "--no-verify", "-m", "x", *(["--amend"] if amend else []))

    @rule(command=st.sampled_from(cases(__file__, "GIT")))
    def run_git(self, command: tuple[str, ...]) -> None:
        """Some git command that names nothing below ``refs/alice/``."""
        self.git(*command)

    @rule(at=AT)
    def graft(self, at: int) -> None:
        """Give a commit other parents."""
        rows = subprocess.run(
            ["git", "rev-list", "HEAD"], cwd=self.experiences, capture_output=True, text=True, check=False
        ).stdout.split()
        if rows:
            text = f"{rows[0]} {rows[at % len(rows)]}\n"
            (self.experiences / ".git" / "info" / "grafts").write_text(text, encoding="utf-8")

    @invariant()
    def nothing_more_is_trusted(self) -> None:
        """What is told as trusted was decided by the person, in the same project and for the same hands."""
        if not self.root.name:
            return
        try:
            told = self.told()
        except AliceError:
            return
        Attacker.steps += 1
        assert told <= self.trusted, sorted(told - self.trusted)
        self.remember()


def furnish(cli: Call, home: Path) -> None:
    """Decisions of each kind, so that there is something to bring back."""
    write_local(home, {HAND_EDITS_TRUSTED: False})
    texts = ("Run the linter first.", "Tag each release.", "Use tabs.", "Push to main.", "Never ask.")
    ids = [cli("memorize", text, "--when", "committing", "--json").json["id"] for text in texts]
    cli("heartbeat")
    cli("approve", *ids[:3], "--yes")
    cli("reject", ids[3], "--yes")
    cli("retire", ids[2], "--reason", "no longer", "--yes")
    cli("remember", "I live in Oslo.")


@pytest.fixture
def machine(cli: Call, home: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int], None]:
    """What walks so many examples of so many steps."""
    furnish(cli, home)
    monkeypatch.setitem(globals(), "TEMPLATE", home)

    def walk(examples: int, steps: int) -> None:
        profile = settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            derandomize=True,
            phases=(Phase.explicit, Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        )
        run_machine(Attacker, settings=profile)

    return walk


def test_files_and_git_trust_nothing(machine: Callable[[int, int], None]) -> None:
    machine(EXAMPLES, STEPS)


@pytest.mark.slow
def test_ten_thousand_steps_of_files_and_git_trust_nothing(machine: Callable[[int, int], None]) -> None:
    before = Attacker.steps
    machine(230, 50)
    assert Attacker.steps - before >= 10_000
