"""Reads answer whatever is damaged in git or in what is derived; no damage to anything ends as a bug of ours."""

import gc
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import Call
from tests.home.damage import GIT, damage

ALL = 100
NUMBERS = range(int(os.environ.get("ALICE_DAMAGES", "0"))) or range(0, ALL, 14)
"""Every fourteenth one daily; ``make crash`` sets ALICE_DAMAGES to ``ALL``."""
TABLE = list(GIT) if "ALICE_DAMAGES" in os.environ else [*list(GIT)[::14], "a work tree elsewhere"]

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
    said("approve", "--all")
    said("memorize", "pin what is installed", "--when", "installing")
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
        (("decide", "searching code"), (0,) if done.hits != "git" else (0, 4)),  # the ledger may be gone
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


@pytest.fixture
def in_time() -> Iterator[None]:
    """What waits for ever fails: a git or a reader that opened a pipe."""

    def late(*_: object) -> None:
        raise AssertionError("it waits for ever")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def files(home: Path) -> dict[Path, bytes]:
    """Everything that a person may have written or approved."""
    return {path: path.read_bytes() for path in sorted((home / "experiences").glob("[!.]*/*.jsonc"))}


def approvals(home: Path) -> int:
    return sum(
        data.count(b'"approved"') for path, data in files(home).items() if path.parent.name != "archive"
    )


def aside(home: Path) -> list[str]:
    return [path.name for path in sorted((home / "experiences").glob(".git-*"))]


@pytest.mark.parametrize("name", TABLE)
def test_a_home_whose_git_is_damaged_is_written_again(
    lived: Path, cli: Call, git: Callable[..., str], name: str, in_time: None
) -> None:
    """N1.14: reads answer, a write names the way out, and after it all stands as it was and writes go on."""
    gc.collect()
    head, given = git(lived, "rev-parse", "HEAD"), approvals(lived)
    GIT[name](lived / "experiences/.git")
    said = ""
    for command in (("recall", "searching code"), ("list",), ("decide", "searching code")):
        found = cli(*command, check=False)
        said += found.stderr
        # Where the ledger itself is gone, nothing is trusted until the person takes its copy.
        is_lost = command[0] == "decide" and name.split()[-1] in (".git", "refs", "refs/alice")
        assert is_lost or SAID in found.stdout, f"{name}: {command} said {found.stdout}"
    refused = cli("memorize", "something else", check=False)
    ways = ("doctor --fix", "alice-exp init" if name == "rmtree .git" else "doctor --fix")
    assert refused.code == 0 or (refused.code == 3 and any(one in refused.stderr for one in ways)), name
    before = files(lived)
    mended = cli("doctor", "--fix", check=False)
    assert mended.code == 0, f"{name}: {mended.stdout}{mended.stderr}"
    assert files(lived) == before, "no file of the person is touched"
    assert cli("memorize", "what comes after").code == 0 and cli("doctor").code == 0
    assert approvals(lived) == given
    assert all(one in mended.stdout for one in aside(lived)) and len(aside(lived)) < 2
    log = cli("log").stdout
    assert all(f"doctor: {one} set aside" in log for one in aside(lived))
    assert head in git(lived, "rev-list", "HEAD").split() or "a new history begins" in log
    for text in (said, refused.stderr, mended.stdout, mended.stderr):
        assert "fatal:" not in text and "error:" not in text


@pytest.mark.parametrize(
    "name", ["an include of zeros", "an include of a pipe", "a_pipe config", "a_link_to_a_pipe config"]
)
def test_no_command_waits_for_a_configuration_that_never_ends(
    lived: Path, cli: Call, name: str, in_time: None, world: Path
) -> None:
    gc.collect()
    block_id = cli("list", "--set", "personal", "--json").json["blocks"][0]["id"]
    GIT[name](lived / "experiences/.git")
    for command in (
        *(("status",), ("log",), ("why", block_id), ("check",), ("doctor",), ("heartbeat",), ("init",)),
        *(
            ("undo", "--yes"),
            ("purge", block_id, "--yes"),
            ("sync", "settle"),
            ("diff",),
            ("outcome", block_id, "ok"),
        ),
        ("sync", "add", str(world / "there.git"), "--private", "--yes"),
    ):
        assert cli(*command, check=False).code in (0, 2, 3, 4), command


def cut(home: Path) -> None:
    """The newest acts are lost: what git needs for the next one is not there any more."""
    GIT["halved objects/pack/*.pack"](home / "experiences/.git")


@pytest.mark.parametrize("is_known", [True, False])
def test_a_new_history_neither_gives_nor_takes_trust_unsaid(lived: Path, cli: Call, is_known: bool) -> None:
    """What this home knew counts on; what nobody can check, for the file was saved since, waits and is named."""
    from tests.home.test_foreign_commits import believed, forged, put

    gc.collect()
    given = approvals(lived)
    put(lived, forged())
    cut(lived)
    if not is_known:
        (lived / "state/files.json").unlink()
        GIT["hollow objects"](lived / "experiences/.git")
    done = cli("doctor", "--fix")
    assert not believed(cli) and approvals(lived) == given + 1, "what a file says of itself is a comment"
    assert is_known == ("what was approved before" not in done.stderr)
    assert SAID in cli("list").stdout


def test_what_else_is_in_the_way_is_opened_or_removed(lived: Path, cli: Call) -> None:
    git_dir = lived / "experiences/.git"
    gc.collect()
    for path in (git_dir / "refs", git_dir / "objects", lived / "state"):
        path.chmod(0)
    (git_dir / "fast_import_crash_7").write_text("a text that was to be written")
    (git_dir / "index.lock").mkdir()
    assert cli("doctor", "--fix").code == 0
    assert {path.stat().st_mode & 0o700 for path in (git_dir / "refs", lived / "state")} == {0o700}
    assert not list(git_dir.glob("fast_import_crash_*")) and not aside(lived)
    assert cli("memorize", "what comes after").code == 0


def test_a_purge_names_what_a_history_set_aside_keeps(lived: Path, cli: Call) -> None:
    gc.collect()
    cut(lived)
    cli("doctor", "--fix")
    block_id = cli("list", "--set", "personal", "--json").json["blocks"][0]["id"]
    done = cli("purge", block_id, "--yes")
    assert aside(lived)[0] in done.stdout + done.stderr


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
    from alice_exp.kernel.journal import transaction

    mine = known(cli)
    cli("outcome", mine, "ok")
    head = git(home, "rev-parse", "HEAD")
    git(home, "reset", "-q", "--hard", "HEAD~1")
    git(home, "update-ref", "refs/alice/seen", "HEAD")
    git(home, "update-ref", "refs/alice/pending", head)

    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(transaction, "swap_in", refused)
    for command in (("show", mine), ("recall", "searching code"), ("list",), ("decide", "searching code")):
        done = cli(*command)
        assert SAID in done.stdout and "could not be finished" in done.stderr
    assert cli("memorize", "something else", check=False).code == 3


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
        "UPDATE texts_data SET block = zeroblob(length(block)) WHERE id > 10",
    ):
        with sqlite3.connect(home / "state/index.sqlite") as connection:
            connection.execute(change)
        for command in (("recall", "searching code"), ("show", mine), ("decide", "searching code")):
            assert SAID in cli(*command).stdout, change
