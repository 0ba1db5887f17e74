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

from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.git_process import Repository
from alice_exp.kernel.journal.git_references import SEEN
from alice_exp.model.formats.block_edits import forget
from tests.blocks.conftest import TOOLS
from tests.blocks.test_lifetime_commands import _said
from tests.conftest import ROOT, Call
from tests.kernel.test_durable_files import Disk

SECRET = "我的银行密码是 tulip-4711"
REMARK = "never tell anybody about the tulip"


@pytest.fixture
def secret(world: Path, cli: Call) -> str:
    """A home in which a block with a comment has been moved, edited, retired and revived; its id."""
    root = world / "alice" / "experiences"
    (root / "universal").mkdir(parents=True)
    (root / "universal" / "tool_usage.jsonc").write_text(TOOLS, encoding="utf-8")
    cli("init")
    block_id = cli("remember", SECRET, "--when", "logging in to the tulip bank", "--json").json["id"]
    path = root / "personal" / "user_preferences.jsonc"
    text = path.read_text().replace(f'"id": "{block_id}",', f'"id": "{block_id}", // {REMARK}')
    path.write_text(text)
    cli("outcome", block_id, "ok", "--note", "tulip opened")
    cli("move", block_id, "personal/workflow_habits")
    cli("retire", block_id, "--reason", "changed")
    cli("revive", block_id, "--yes")
    cli("outcome", "exp-aaaaaaa2", "ok")
    return str(block_id)


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


def test_a_decision_that_has_nothing_to_do_with_it_keeps_waiting_for_its_outcome(
    world: Path, cli: Call, secret: str
) -> None:
    named = cli("decide", "logging in to the tulip bank", "--json").json
    assert secret in [one["id"] for one in named["applied"]]
    said = cli("decide", f"type {SECRET} somewhere", "--json", check=False).json["decision"]
    other = cli("decide", "searching code", "--json").json["decision"]
    cli("purge", secret, "--yes")
    left = {path.stem for path in (world / "alice/state/decisions").iterdir()}
    assert left == {other}, (named["decision"], said)
    cli("outcome", other, "ok")


def test_other_branches_tags_stashes_and_what_was_set_aside_are_rewritten_too(
    world: Path, cli: Call, git: Callable[..., str], secret: str
) -> None:
    home = world / "alice"
    git(home, "branch", "mine", "HEAD~1")
    git(home, "tag", "light", "HEAD~2")
    git(
        home,
        "-c",
        "user.name=me",
        "-c",
        "user.email=me@x",
        "tag",
        "-a",
        "-m",
        f"about {SECRET}",
        "noted",
        "HEAD",
    )
    git(home, "update-ref", "refs/alice/lost/" + git(home, "rev-parse", "HEAD"), "HEAD")
    git(home, "update-ref", "refs/remotes/old/main", "HEAD")
    git(home, "update-ref", "ORIG_HEAD", "HEAD")
    git(home, "repack", "-a", "-d", "-q")
    (next((home / "experiences/.git/objects/pack").glob("*.pack")).with_suffix(".keep")).touch()
    cli("purge", secret, "--yes")
    assert holds(home, *WORDS) == []
    refs = git(home, "for-each-ref", "--format=%(refname)").splitlines()
    assert "refs/heads/mine" in refs and "refs/tags/noted" in refs and "refs/tags/light" in refs
    assert sum(ref.startswith("refs/alice/lost/") for ref in refs) == 1 and len(refs) == 7
    assert git(home, "fsck", "--strict", "--no-dangling") == ""


def test_a_message_that_quotes_it_and_a_version_nobody_can_read_lose_it(
    world: Path, cli: Call, git: Callable[..., str], secret: str
) -> None:
    home = world / "alice"
    path = home / "experiences/personal/workflow_habits.jsonc"
    good = path.read_text()
    path.write_text(good + "}}}")
    git(home, "-c", "user.name=me", "-c", "user.email=me@x", "commit", "-qam", f"I broke it\n\nwith {SECRET}")
    path.write_text(good)
    git(home, "-c", "user.name=me", "-c", "user.email=me@x", "commit", "-qam", "mended")
    cli("purge", secret, "--yes")
    assert holds(home, *WORDS) == []
    assert git(home, "log", "-1", "--format=%B", "HEAD~3").split() == ["I", "broke", "it", "(purged)"]


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


def test_a_version_typed_without_an_id_is_known_by_what_it_says(
    world: Path, cli: Call, git: Callable[..., str], secret: str
) -> None:
    home = world / "alice"
    path = home / "experiences/personal/user_preferences.jsonc"
    path.write_text(json.dumps({"blocks": [{"payload": SECRET}, {"payload": "harmless"}]}))
    git(home, "-c", "user.name=me", "-c", "user.email=me@x", "commit", "-qam", "by hand")
    path.write_text('{"blocks": [{"payload": "harmless"}]}')
    cli("list")
    cli("purge", secret, "--yes")
    assert holds(home, SECRET) == []
    assert holds(home, "harmless") == ["harmless"]


def test_a_candidate_and_a_rejected_one(home: Path, cli: Call, sound: Callable[[Path], None]) -> None:
    one = cli("memorize", "use tulip one", "--json").json["id"]
    cli("heartbeat")
    cli("reject", one)
    cli("purge", one, "--yes")
    assert holds(home, "use tulip one") == []
    cli("memorize", "use tulip one")
    two = cli("memorize", "use tulip two", "--json").json["id"]
    cli("purge", cli("list", "--json").json["blocks"][0]["id"], "--yes")
    cli(
        "purge",
        two if cli("show", two, check=False).code == 0 else cli("list", "--json").json["blocks"][0]["id"],
        "--yes",
    )
    assert holds(home, "tulip") == []
    assert list((home / "experiences/low_value_pool").iterdir()) == []
    sound(home)


def test_what_is_derived_goes(world: Path, cli: Call, secret: str) -> None:
    state = world / "alice/state"
    for name in ("index.sqlite", "index.sqlite-wal", "files.json"):
        (state / name).write_text(SECRET)
    cli("purge", secret, "--yes")
    assert holds(world / "alice", *WORDS) == []


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


def test_a_broken_file_that_holds_it_stops_everything(
    world: Path, cli: Call, git: Callable[..., str], secret: str
) -> None:
    home = world / "alice"
    path = home / "experiences/personal/workflow_habits.jsonc"
    path.write_text(path.read_text() + "}}}")
    head, text = git(home, "rev-parse", "HEAD"), path.read_bytes()
    refused = cli("purge", secret, "--yes", "--json", check=False)
    assert refused.code == 3 and refused.error["path"] == "personal/workflow_habits.jsonc"
    assert git(home, "rev-parse", "HEAD") == head and path.read_bytes() == text
    assert (
        git(home, "for-each-ref", "--format=%(refname)", "refs/alice") == "refs/alice/ledger\nrefs/alice/seen"
    )


def test_a_failing_git_leaves_the_old_history(
    world: Path,
    cli: Call,
    git: Callable[..., str],
    sound: Callable[[Path], None],
    secret: str,
    monkeypatch: Any,
) -> None:
    from alice_exp.home.store import purge
    from alice_exp.kernel.errors import ProblemError

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
        from alice_exp.home.store import purge

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


def test_a_person_who_commits_before_it_is_finished_keeps_that(
    world: Path, cli: Call, git: Callable[..., str], secret: str
) -> None:
    home = world / "alice"
    child = os.fork()
    if child == 0:
        from alice_exp.home.store import purge

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


def test_a_copy_of_the_home_purges_as_well(world: Path, cli: Call, secret: str) -> None:
    copy = world / "copy"
    shutil.copytree(world / "alice", copy, symlinks=True)
    cli("purge", secret, "--yes", "--home", str(copy))
    assert holds(copy, *WORDS) == []
    assert holds(world / "alice", SECRET) == [SECRET]


def test_nothing_in_words_stays_in_messages_or_in_state_and_what_left_is_named(home: Path, cli: Call) -> None:
    """A scenario's name, the task of an open decision, a published bundle: none of them is the block, all speak of it."""
    one = cli("memorize", SECRET, "--when", "calling home", "--json").json["id"]
    cli("approve", one, "--yes")
    cli("outcome", one, "ok", "--scenario", "the clinic in Basel")
    cli("decide", f"calling home about {SECRET}", check=False)
    published = home / "state/published/there"
    published.mkdir(parents=True)
    (published / "bundle.json").write_text(SECRET)
    (home / "identity").mkdir(exist_ok=True)
    remote = {"name": "mine", "address": "x", "private": True, "at": "2026-01-01T00:00:00Z"}
    (home / "identity/remotes.json").write_text(
        json.dumps([remote, remote | {"name": "before", "synced": "2026-02-19T09:00:00Z"}])
    )
    row = {"at": "x", "to": "alice_bob", "way": "peer", "sha256": "x", "blocks": [{"id": one, "hash": "x"}]}
    (home / "identity/shared.jsonl").write_text(json.dumps(row) + "\n")
    messages = subprocess.run(
        ["git", "log", "--format=%B"], cwd=home / "experiences", capture_output=True, text=True, check=True
    ).stdout
    assert "Basel" not in messages and "Alice-Scenario: " in messages
    done = cli("purge", one, "--yes", "--json")
    assert done.json["left"] == ["mine", "alice_bob"]
    assert not list((home / "state").rglob("dec-*.json")) and not published.exists()
    found = subprocess.run(["grep", "-rl", "-e", SECRET, "-e", "Basel", home], capture_output=True, text=True)
    assert found.stdout == ""


def test_a_scenario_that_a_home_of_before_named_in_its_messages_goes_with_the_block(
    home: Path, cli: Call, git: Callable[..., str]
) -> None:
    one = cli("remember", SECRET, "--json").json["id"]
    text = git(home, "log", "-1", "--format=%B") + "\nAlice-Scenario: the clinic in Basel\n"
    git(home, "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-q", "--amend", "-m", text)
    git(home, "update-ref", "refs/alice/seen", "HEAD")
    cli("purge", one, "--yes")
    assert "Basel" not in git(home, "log", "--format=%B")
    assert [row["op"] for row in cli("log", one, "--json").json["commits"]] == ["purge", "remember"]


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
    from alice_exp.home.store import purge

    home = world / "alice"
    git, disk, decided = home / "experiences/.git", Disk(monkeypatch, moved=()), list[str]()
    real = purge.finish

    def finish(repository: Repository, **named: Any) -> bool:
        decided.extend(disk.lost(git / "refs/alice/purging", *(git / "objects/pack").iterdir()))
        return real(repository, **named)

    monkeypatch.setattr(purge, "finish", finish)
    cli("purge", secret, "--yes")
    assert not decided
    file = home / "experiences/personal/workflow_habits.jsonc"
    places = [git / "refs/heads/main", git / "logs", home / "state/decisions"]
    assert not disk.lost(file, *places, *(git / "objects/pack").iterdir())


def test_the_conversation_that_a_candidate_came_of_is_named(home: Path, cli: Call) -> None:
    session = cli("session", "start", "--json").json["id"]
    cli("session", "say", session, "user", "I prefer to be written to at tess.lindq@gmail.com")
    cli("session", "end", session)
    cli("heartbeat")
    done = cli("reject", "1", "--purge", "--yes")
    assert f"sessions/{session}.jsonl still says the same" in done.stderr
    assert f"'alice-exp session forget {session}'" in done.stderr
    cli("session", "forget", session)
    assert holds(home, "tess.lindq") == []
