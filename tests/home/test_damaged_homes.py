"""Reads answer whatever is damaged in git or in what is derived; no damage to anything ends as a bug of ours."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Call
from tests.home.damage import damage
from tests.kernel.test_durable_files import Disk

ALL = 100
NUMBERS = range(int(os.environ.get("ALICE_DAMAGES", "0"))) or range(0, ALL, 14)
"""Every fourteenth one daily; ``make crash`` sets ALICE_DAMAGES to ``ALL``."""

SAID = "use ripgrep, which skips what git ignores"


@pytest.fixture(scope="session")
def _lived(tmp_path_factory: pytest.TempPathFactory, _fresh_home: Path) -> Path:
    """A home with everything in it that a damage could hit: packs, an index, reports, decisions, sessions, records."""
    import subprocess
    import sys

    root = tmp_path_factory.mktemp("lived") / "alice"
    shutil.copytree(_fresh_home, root, symlinks=True)
    environment = {
        **os.environ,
        "ALICE_HOME": str(root),
        "ALICE_NOW": "2026-02-20T09:00:00Z",
        "ALICE_ACTOR": "user",
    }

    def said(*arguments: str, stdin: str = "") -> None:
        command = [sys.executable, "-m", "alice_exp", *arguments, "--yes"]
        subprocess.run(command, env=environment, check=True, capture_output=True, input=stdin, text=True)

    said("remember", SAID, "--when", "searching code")
    said("memorize", "use jq for JSON", "--when", "reading JSON")
    said("episode", "add", "--task", "search code", "--success")
    said("event", "add", "the tests are red")
    said("heartbeat")
    said("recall", "searching code")
    said("decide", "searching code")
    said("session", "start")
    said("config", "set", "lang", "en")
    (root / "identity").mkdir(exist_ok=True)
    return root


@pytest.fixture
def lived(_lived: Path, world: Path) -> Path:
    return Path(shutil.copytree(_lived, world / "alice", symlinks=True))


@pytest.mark.parametrize("number", NUMBERS)
def test_every_read_answers(lived: Path, cli: Call, number: int) -> None:
    block_id = cli("list", "--set", "personal", "--json").json["blocks"][0]["id"]
    # The command ran in this process: what it left open would be damaged in its memory, not on the disk.
    gc.collect()
    done = damage(lived, number)
    done.apply()
    # What holds neither blocks nor history has no part in these reads; of what does, the files say what is known.
    readable = done.hits != "files"
    for command, wanted in (
        (("show", block_id), (0,)),
        (("recall", "searching code"), (0,)),
        (("decide", "searching code"), (0,)),
        (("list",), (0,)),
        (("heartbeat", "--peek"), (0,)),
        (("why", block_id), (0,) if done.hits != "git" else (0, 3)),
    ):
        for way in ((), ("--json",)):
            found = cli(*command, *way, check=False)
            assert found.code != 1 and "Traceback" not in found.stderr, (
                f"{done.name}: {command} {found.stderr}"
            )
            if readable:
                assert found.code in wanted, f"{done.name}: {command} ended with {found.code}: {found.stderr}"
            if readable and command[0] in ("show", "recall", "list", "why"):
                assert SAID in found.stdout, f"{done.name}: {command} said {found.stdout}"
    written = cli("memorize", "what comes after", "--json", check=False)
    assert written.code in (0, 3, 5), f"{done.name}: {written.stderr}"
    assert cli("doctor", "--fix", check=False).code in (0, 3)


def known(cli: Call) -> str:
    return str(cli("remember", SAID, "--when", "searching code", "--json").json["id"])


def test_an_immutable_file_is_found_out_before_an_act_is_decided(
    home: Path, cli: Call, git: Callable[..., str]
) -> None:
    import subprocess

    mine = known(cli)
    path, head = home / "experiences/personal/user_preferences.jsonc", git(home, "rev-parse", "HEAD")
    if subprocess.run(["chattr", "+i", path], capture_output=True, check=False).returncode:
        pytest.skip("no file can be made immutable here")
    try:
        done = cli("outcome", mine, "ok", check=False)
        assert done.code == 3 and "immutable" in done.stderr
        assert (
            git(home, "rev-parse", "HEAD") == head and git(home, "for-each-ref", "refs/alice/pending") == ""
        )
        assert cli("show", mine).code == 0 and cli("memorize", "something else").code == 0
    finally:
        subprocess.run(["chattr", "-i", path], check=True)
    assert cli("outcome", mine, "ok").code == 0


def test_an_act_that_cannot_be_finished_stops_no_read(
    home: Path, cli: Call, git: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from alice_exp.kernel.journal import atomic_files

    mine = known(cli)
    cli("outcome", mine, "ok")
    head = git(home, "rev-parse", "HEAD")
    git(home, "reset", "-q", "--hard", "HEAD~1")
    git(home, "update-ref", "refs/alice/seen", "HEAD")
    git(home, "update-ref", "refs/alice/pending", head)

    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(atomic_files, "swap_in", refused)
    for command in (("show", mine), ("recall", "searching code"), ("list",), ("decide", "searching code")):
        done = cli(*command)
        assert SAID in done.stdout and "could not be finished" in done.stderr
    assert cli("memorize", "something else", check=False).code == 3


@pytest.mark.parametrize(
    "path, text",
    [("refs/heads/main", ""), ("refs/heads/main", "nonsense\n"), ("HEAD", "\0\1\2"), ("HEAD", "")],
)
def test_a_broken_reference_is_named_and_mended_from_the_reflog(
    home: Path, cli: Call, git: Callable[..., str], path: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = known(cli)
    head = git(home, "rev-parse", "HEAD")
    (home / "experiences/.git" / path).write_text(text)
    for command in (
        ("show", mine),
        ("recall", "searching code"),
        ("decide", "searching code"),
        ("why", mine),
    ):
        assert SAID in cli(*command).stdout
    assert cli("check", "--json", check=False).json["problems"][0]["path"] == ".git"
    refused = cli("memorize", "something else", check=False)
    assert refused.code == 3 and "doctor --fix" in refused.stderr
    assert cli("doctor", check=False).code == 3
    with monkeypatch.context() as patched:
        disk = Disk(patched)
        assert cli("doctor", "--fix").code == 0
        assert not disk.lost(home / "experiences/.git" / path)
        assert (home / "experiences/.git" / path).stat().st_ino in disk.forced
    assert git(home, "rev-parse", "HEAD") == head
    assert cli("memorize", "something else").code == 0


def test_an_approval_that_nobody_can_check_any_more_is_not_believed(home: Path, cli: Call) -> None:
    """The history is gone, and the file is not the one that was committed last."""
    from tests.home.test_foreign_commits import believed, forged, put

    mine = known(cli)
    put(home, forged())
    (home / "experiences/.git/refs/heads/main").write_text("")
    assert not believed(cli)
    assert cli("show", mine, "--json").json["payload"] == SAID


def test_a_row_of_the_index_that_was_changed_is_not_shown(home: Path, cli: Call) -> None:
    import sqlite3

    mine = known(cli)
    cli("recall", "searching code")
    for change in (
        "UPDATE blocks SET body = replace(body, 'ripgrep', 'grep -r')",
        "UPDATE postings SET data = zeroblob(length(data))",
    ):
        with sqlite3.connect(home / "state/index.sqlite") as connection:
            connection.execute(change)
        for command in (("recall", "searching code"), ("show", mine), ("decide", "searching code")):
            assert SAID in cli(*command).stdout, change
