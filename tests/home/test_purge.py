"""The right to be forgotten: after ``purge`` no object of the repository holds the text (B2.29, DESIGN 5)."""

import errno
import json
import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alice_exp.home.store import purge
from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.git_process import Repository
from alice_exp.kernel.journal.git_references import SEEN
from alice_exp.model.formats.block_edits import forget
from tests.blocks.conftest import TOOLS
from tests.blocks.test_lifetime_commands import _said
from tests.conftest import ROOT, Call
from tests.home.conftest import REMARK, SECRET
from tests.kernel.test_durable_files import Disk


def everything(home: Path) -> bytes:
    """Every object of the repository, reachable or not, and every other file of the home."""
    run = ["git", "cat-file", "--batch-all-objects", "--batch", "--unordered"]
    objects = subprocess.run(run, cwd=home / "experiences", capture_output=True, check=True).stdout
    files = [path.read_bytes() for path in home.rglob("*") if path.is_file() and "objects" not in path.parts]
    return objects + b"".join(files)


def holds(home: Path, *words: str) -> list[str]:
    found = everything(home)
    return [word for word in words if word.encode() in found or json.dumps(word)[1:-1].encode() in found]


WORDS = (SECRET, REMARK, "tulip")


def acts(git: Callable[..., str], home: Path) -> list[str]:
    return git(
        home, "log", "--format=%(trailers:key=Alice-Act,valueonly,separator=%x2C) %an %at"
    ).splitlines()


@pytest.mark.covers("B2.29")
def test_nothing_holds_the_text_any_more_and_all_else_is_as_it_was(
    world: Path, cli: Call, git: Callable[..., str], sound: Callable[[Path], None], secret: str
) -> None:
    home = world / "alice"
    assert holds(home, *WORDS) == [*WORDS]
    before = acts(git, home)
    tools = (home / "experiences/universal/tool_usage.jsonc").read_bytes()
    done = cli("purge", secret, "--yes", "--json").json
    assert holds(home, *WORDS) == []
    assert done["versions"] >= 5 and done["elsewhere"] == []
    after = acts(git, home)
    assert after[1:] == before
    assert (home / "experiences/universal/tool_usage.jsonc").read_bytes() == tools
    tombstone = git(home, "log", "-1", "--format=%B%n%as")
    lines = [line for line in tombstone.splitlines() if line]
    assert lines[0] == f"purge {secret}" and lines[-1] == "2026-02-20"
    assert sorted(line.split(":")[0] for line in lines[1:-1]) == [
        f"Alice-{name}" for name in ("Act", "Actor", "At", "Block", "Op")
    ]
    sound(home)
    for command in ("show", "restore", "purge"):
        assert cli(command, secret, "--yes", check=False).code == 4
    assert "nothing brings it back" in cli("why", secret).stdout
    assert len(cli("log", secret, "--json").json["commits"]) == 6
    cli("remember", "something else")
    sound(home)


def test_what_others_say_of_it_loses_its_id() -> None:
    gone, other = "exp-aaaa2222", "exp-bbbb2222"
    rows = [
        {"id": gone, "payload": "use rg"},
        {"id": "exp-cccc2222", "payload": "use fd", "replaces": [gone], "both": [other, gone]},
        {"id": "exp-dddd2222", "payload": "use find", "related": [gone, other], "supersedes": gone},
    ]
    left = forget(json.dumps({"blocks": rows}).encode(), TOOLS, gone, ())
    assert left is not None and json.loads(left)["blocks"] == [
        {"id": "exp-cccc2222", "payload": "use fd", "both": [other]},
        {"id": "exp-dddd2222", "payload": "use find", "related": [other]},
    ]


def test_the_id_is_typed_on_a_terminal(world: Path, cli: Call, secret: str) -> None:
    assert cli("purge", secret, check=False).code == 6
    for typed, code in (("yes", 6), (secret[:-1], 6), (secret, 0)):
        pid, terminal = pty.fork()
        if pid == 0:
            environment = {**os.environ, "PYTHONPATH": str(ROOT)}
            os.execve(sys.executable, [sys.executable, "-m", "alice_exp", "purge", secret[:9]], environment)
        os.write(terminal, f"{typed}\n".encode())
        said = _said(pid, terminal)
        assert said.code == code, said.stdout
        assert "Type its id" in said.stdout
    assert holds(world / "alice", *WORDS) == []


def test_a_failing_git_leaves_the_old_history(
    world: Path,
    cli: Call,
    git: Callable[..., str],
    sound: Callable[[Path], None],
    secret: str,
    monkeypatch: Any,
) -> None:
    def refuse(*_: object) -> None:
        raise ProblemError("no space left on device")

    home = world / "alice"
    head = git(home, "rev-parse", "HEAD")
    with monkeypatch.context() as patch:
        patch.setattr(purge, "_decide", refuse)
        assert cli("purge", secret, "--yes", check=False).code == 3
    cli("list")
    assert git(home, "rev-parse", "HEAD") == head
    assert holds(home, SECRET) == [SECRET]
    sound(home)


STEPS = ("_decide", "_swap_files", "_unstage", "_clean")


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
def test_killed_at_a_step_the_next_command_has_one_history_or_the_other(
    world: Path,
    cli: Call,
    git: Callable[..., str],
    sound: Callable[[Path], None],
    secret: str,
    step: str,
    before: bool,
) -> None:
    home = world / "alice"
    head = git(home, "rev-parse", "HEAD")
    child = os.fork()
    if child == 0:
        real = getattr(purge, step)

        def die(*arguments: Any, **named: Any) -> Any:
            if not before:
                real(*arguments, **named)
            os._exit(137)

        setattr(purge, step, die)
        cli("purge", secret, "--yes", check=False)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 137
    cli("list")
    sound(home)
    ops = [row["op"] for row in cli("log", "--json").json["commits"]]
    if step == "_decide" and before:
        assert git(home, "rev-parse", "HEAD") == head and "purge" not in ops
        assert cli("show", secret, "--json").json["payload"] == SECRET
        cli("purge", secret, "--yes")
    else:
        assert ops.count("purge") == 1 and ops[0] == "purge"
    assert holds(home, *WORDS) == []
    assert ops.count("adopt") == 2


def test_a_reflog_that_would_not_go_is_tried_again(
    world: Path, cli: Call, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk refuses once: an old history that a reflog leads to must not be taken for gone."""
    home, git_dir = world / "alice", world / "alice/experiences/.git"
    logs = git_dir / "logs"
    logs.mkdir(exist_ok=True)
    (logs / "HEAD").write_text(
        f"{'0' * 40} {(git_dir / 'refs/heads/main').read_text().strip()} a <a> 0 +0000\n"
    )

    def refuse(path: Path, ignore_errors: bool = False) -> None:
        if not ignore_errors:
            raise OSError(errno.EIO, "input/output error", str(path))

    with monkeypatch.context() as patch:
        patch.setattr("alice_exp.home.store.purge.shutil.rmtree", refuse)
        told = cli("purge", secret, "--yes", check=False)
    assert told.code == 3 and "the next command tries again" in told.stderr
    cli("list")
    assert holds(home, *WORDS) == []
    assert not logs.exists()


def test_what_git_left_of_a_pack_does_not_refuse_the_next_try(
    world: Path, cli: Call, secret: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk refuses while git marks the ledger's pack: the next try writes the same pack, which a mark forbids."""
    packs, write = world / "alice/experiences/.git/objects/pack", Repository.write_ledger

    def refuse(self: Repository, *given: Any, **named: Any) -> None:
        shutil.copytree(self.work_tree, tmp_path / "copy")
        write(Repository(tmp_path / "copy"), *given, **named)
        for pack in (tmp_path / "copy/.git/objects/pack").glob("*.pack"):
            (packs / pack.with_suffix(".keep").name).touch()
        raise OSError(errno.EIO, "input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(Repository, "write_ledger", refuse)
        assert cli("purge", secret, "--yes", check=False).code == 3
    cli("list")
    assert holds(world / "alice", *WORDS) == []


def test_a_person_who_commits_before_it_is_finished_keeps_that(
    world: Path, cli: Call, git: Callable[..., str], secret: str
) -> None:
    home = world / "alice"
    child = os.fork()
    if child == 0:
        purge._swap_files = lambda *_: os._exit(137)  # type: ignore[assignment]
        cli("purge", secret, "--yes", check=False)
    os.waitpid(child, 0)
    git(home, "-c", "user.name=me", "-c", "user.email=me@x", "commit", "-q", "--allow-empty", "-m", "mine")
    cli("list")
    assert git(home, "log", "--format=%s").splitlines()[:2] == ["adopt: 1 foreign commit", "mine"]
    assert (
        git(home, "for-each-ref", "--format=%(refname)", "refs/alice") == "refs/alice/ledger\nrefs/alice/seen"
    )
    cli("purge", secret, "--yes")
    assert holds(home, *WORDS) == []
    assert git(home, "log", "-1", "--skip=2", "--format=%s") == "mine"


def test_a_disk_that_fills_up_between_two_references_makes_no_act_foreign(
    world: Path, cli: Call, git: Callable[..., str], secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git moves the branch, and not what says how far history was seen: our own acts would lose their approvals."""
    home = world / "alice"
    move = Repository.point

    def point(self: Repository, changes: list[tuple[str, str, str | None]]) -> None:
        move(self, [change for change in changes if change[0] != SEEN])
        if any(name == SEEN for name, *_ in changes):
            raise ProblemError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(Repository, "point", point)
        cli("purge", secret, "--yes", check=False)
    assert git(home, "rev-parse", SEEN) != git(home, "rev-parse", "HEAD")
    cli("memorize", "what comes next")
    ops = git(home, "log", "-2", "--format=%(trailers:key=Alice-Op,valueonly,separator=%x2C)")
    assert ops.split() == ["memorize", "purge"]
    assert git(home, "rev-parse", SEEN) == git(home, "rev-parse", "HEAD")


def test_a_purge_is_on_the_disk_when_it_is_decided_and_when_it_is_done(
    world: Path, secret: str, cli: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Decided, it is finished from the disk; done, no power cut brings the old history back."""
    home = world / "alice"
    git, disk, decided = home / "experiences/.git", Disk(monkeypatch, moved=()), list[str]()
    real = purge.finish

    def finish(repository: Repository, **named: Any) -> None:
        decided.extend(disk.lost(git / "refs/alice/purging", *(git / "objects/pack").iterdir()))
        real(repository, **named)

    monkeypatch.setattr(purge, "finish", finish)
    cli("purge", secret, "--yes")
    assert not decided
    file = home / "experiences/personal/workflow_habits.jsonc"
    places = [git / "refs/heads/main", git / "logs", home / "state/decisions"]
    assert not disk.lost(file, *places, *(git / "objects/pack").iterdir())
