"""A home in a state that must not be written: a sentence, an exit code, nothing changed, and the way on."""

import errno
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.case_tables import cases, table

Call = Callable[..., Any]
WRITES: list[tuple[str, ...]] = cases(__file__, "WRITES")


@pytest.fixture
def known(home: Path, cli: Call) -> str:
    """The id of one block of the home."""
    return str(cli("remember", "tea", "--json").json["id"])


def refused(cli: Call, known: str, home: Path, writes: Any = None) -> list[str]:
    """Every write ends with exit code 3 and one sentence, and changes nothing; the sentences."""
    before = _everything(home)
    said = []
    for words in writes or WRITES:
        result = cli(*(known if word == "ID" else word for word in words), check=False)
        assert result.code == 3, f"{words} ended with {result.code}: {result.stderr}"
        lines = [line for line in result.stderr.splitlines() if "hand edits wait" not in line]
        assert len(lines) == 1
        said.append(lines[0])
        assert _everything(home) == before, f"{words} changed something"
    return said


def _everything(home: Path) -> dict[str, bytes]:
    kept = [path for path in (home / "experiences").rglob("*") if path.is_file() and path.name != "index"]
    return {str(path): path.read_bytes() for path in sorted(kept)}


def test_a_missing_git_is_said_and_nothing_is_written(home: Path, cli: Call, known: str) -> None:
    shutil.move(home / "experiences/.git", home / "elsewhere")
    sentences = refused(cli, known, home, writes=WRITES[:3])
    assert all("init" in sentence for sentence in sentences)
    assert cli("undo", "--yes", check=False).code in (3, 4)
    assert [one["payload"] for one in cli("list", "--json").json["blocks"]] == ["tea"]
    shutil.move(home / "elsewhere", home / "experiences/.git")
    cli("remember", "coffee")


def test_a_detached_head_waits(home: Path, cli: Call, known: str, git: Callable[..., str]) -> None:
    git(home, "checkout", "--quiet", "--detach", "HEAD")
    assert all("detached" in sentence for sentence in refused(cli, known, home))
    assert [one["payload"] for one in cli("list", "--json").json["blocks"]] == ["tea"]
    git(home, "checkout", "--quiet", "main")
    cli("remember", "coffee")


@table("mark", "word")
def test_what_git_is_in_the_middle_of_waits(mark: str, word: str, home: Path, cli: Call, known: str) -> None:
    path = home / "experiences/.git" / mark
    path.mkdir() if mark.startswith("rebase") else path.write_text("0" * 40)
    assert all(word in sentence for sentence in refused(cli, known, home))
    assert [one["payload"] for one in cli("list", "--json").json["blocks"]] == ["tea"]


@pytest.mark.parametrize("folder", ["personal", "universal", "low_value_pool"])
def test_a_missing_directory_is_never_taken_for_all_deleted(
    folder: str, home: Path, cli: Call, known: str, git: Callable[..., str]
) -> None:
    made = cli("memorize", "use rg", "--json").json["id"]
    cli("approve", cli("memorize", "use fd", "--json").json["id"], "--yes")
    cli("memorize", "use jq")
    before = {one["id"] for one in cli("list", "--json").json["blocks"]}
    head = git(home, "rev-parse", "HEAD")
    shutil.move(home / "experiences" / folder, home / "moved")
    assert {one["id"] for one in cli("list", "--json").json["blocks"]} == before, (
        "the last good version answers"
    )
    assert cli("check", check=False).stdout.startswith(f"{folder}: error: this directory is missing")
    target = {
        "personal": ("remember", "coffee"),
        "low_value_pool": ("memorize", "b"),
        "universal": ("approve", made, "--yes"),
    }
    result = cli(*target[folder], check=False)
    assert result.code == 3
    assert folder in result.stderr
    assert git(home, "rev-parse", "HEAD") == head
    assert not (home / "experiences" / folder).exists()
    other = ("memorize", "b") if folder == "personal" else ("remember", "coffee")
    cli(*other)
    assert git(home, "log", "-1", "--format=%an") == "user"
    shutil.move(home / "moved", home / "experiences" / folder)
    assert {one["id"] for one in cli("list", "--json").json["blocks"]} > before
    assert git(home, "status", "--porcelain") == ""


def test_a_directory_that_is_a_link_or_a_file_is_named(
    home: Path, cli: Call, known: str, git: Callable[..., str]
) -> None:
    folder = home / "experiences/personal"
    for kind in ("file", "link"):
        shutil.move(folder, home / "moved")
        folder.write_text("") if kind == "file" else folder.symlink_to(home / "moved")
        head = git(home, "rev-parse", "HEAD")
        assert [one["id"] for one in cli("list", "--json").json["blocks"]] == [known]
        assert cli("remember", "coffee", check=False).code == 3
        assert git(home, "rev-parse", "HEAD") == head
        folder.unlink()
        shutil.move(home / "moved", folder)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT, errno.EIO])
@pytest.mark.covers("RC.5")
def test_a_disk_that_refuses_the_temporary_file_changes_nothing(
    number: int, home: Path, cli: Call, known: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from alice_exp.kernel.journal import transaction

    def full(*_: object) -> Path:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(transaction, "write_beside", full)
        sentences = refused(cli, known, home)
    assert all(os.strerror(number).lower() in sentence for sentence in sentences)
    cli("remember", "coffee")


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_read_only_home_answers_and_refuses(home: Path, cli: Call, known: str) -> None:
    folders = [home, *(path for path in home.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o500)
    try:
        assert [one["payload"] for one in cli("list", "--json").json["blocks"]] == ["tea"]
        refused(cli, known, home)
    finally:
        for folder in folders:
            folder.chmod(0o700)


def test_a_git_that_only_reads_keeps_no_stale_lock(home: Path, cli: Call, known: str) -> None:
    """A pager left open, or what a running server reads history with, takes no lock: whoever made it is dead."""
    repository = home / "experiences" / ".git"
    command = ["git", "-C", str(home / "experiences"), "-c", "core.pager=cat", "cat-file", "--batch"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as reader:
        (repository / "refs" / "alice").mkdir(exist_ok=True)
        (repository / "refs" / "alice" / "pending.lock").touch()
        cli("memorize", "what comes after")
        assert reader.poll() is None and reader.stdin is not None
        reader.stdin.close()
    assert sorted(path.name for path in (repository / "refs" / "alice").iterdir()) == ["ledger", "seen"]


def test_the_name_of_fetched_history_goes_with_the_process_that_gave_it(home: Path, cli: Call) -> None:
    """A sync that was killed leaves it behind; one that runs now keeps its own."""
    repository = home / "experiences" / ".git"
    head = (repository / "refs" / "heads" / "main").read_text()
    with subprocess.Popen(["true"]) as dead:
        dead.wait()
    fetched = repository / "refs" / "alice" / "fetched"
    fetched.mkdir(parents=True)
    for process in (dead.pid, os.getpid()):
        (fetched / str(process)).write_text(head)
    cli("memorize", "what comes after")
    assert [path.name for path in fetched.iterdir()] == [str(os.getpid())]


@pytest.mark.parametrize("said", ["write error: No space left on device", "write error. Out of diskspace"])
def test_a_git_that_finds_no_room_is_a_full_disk(
    home: Path, cli: Call, known: str, world: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    git = shutil.which("git")
    (world / "bin").mkdir()
    (world / "bin/git").write_text(
        f'#!/bin/sh\ncase "$*" in *fast-import*) printf \'fatal: {said}\\n\' >&2; exit 128;; esac\nexec {git} "$@"\n'
    )
    (world / "bin/git").chmod(0o700)
    monkeypatch.setenv("PATH", f"{world / 'bin'}:{os.environ['PATH']}")
    for sentence in refused(cli, known, home, writes=WRITES[:3]):
        assert "the disk is full" in sentence and "make room" in sentence


def test_a_file_that_is_a_link_is_named_by_whoever_would_write_to_it(
    home: Path, cli: Call, known: str
) -> None:
    path = home / "experiences/personal/user_preferences.jsonc"
    path.rename(home / "elsewhere.jsonc")
    path.symlink_to(home / "elsewhere.jsonc")
    for sentence in refused(cli, known, home, writes=[("remember", "coffee"), ("outcome", known, "ok")]):
        assert "this is a symbolic link" in sentence and "missing" not in sentence
