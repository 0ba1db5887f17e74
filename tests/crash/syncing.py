"""The scene ``sync`` of the crash matrix.

Two machines share a private remote and both acted and decided since. Afterwards the next sync goes through, both end byte-equal, no
act of either is lost, and none stands twice.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from scenes import AGENT, call, enter, state

OURS, THEIRS, BOTH = "what we learned", "what they learned", "what both know"
ADDRESS = "ssh://there.invalid/mine.git"
FOLLOWING = "what comes after the crash"
DECIDED = {"alice": "I decided this here", "bob": "I decided that there"}


def build(root: Path) -> None:
    """Two homes that were synced once; then one pushed, and the other acted without syncing."""
    enter_root(root)
    make_remote(root)
    for name in ("alice", "bob"):
        at = ("--home", str(root / name))
        assert call("init", *at)[0] == 0
        assert call("sync", "add", ADDRESS, "--private", "--name", "mine", "--yes", *at)[0] == 0
    assert call("memorize", BOTH)[0] == 0
    for name in ("alice", "bob", "bob", "alice", "alice", "bob"):
        _pair(root, name)
    assert call("remember", DECIDED["bob"], "--home", str(root / "bob"))[0] == 0
    assert call("memorize", THEIRS, "--home", str(root / "bob"), actor=AGENT)[0] == 0
    run_sync(root, "bob")
    assert call("remember", DECIDED["alice"])[0] == 0
    assert call("memorize", OURS, actor=AGENT)[0] == 0
    expect = {name: acts_of(root, name) for name in ("alice", "bob")}
    (root / "expect.json").write_text(json.dumps(expect), encoding="utf-8")


def _pair(root: Path, name: str) -> None:
    """Sync a home, and confirm the other machine's key where it is offered: from then on their ledgers merge."""
    at = ("--home", str(root / name))
    code, answer = call("sync", *at)
    assert code == 0, f"{name} could not sync: {answer}"
    if offered := answer["remotes"][0]["offered"]:
        assert call("sync", "confirm", offered, "--yes", *at)[0] == 0


def make_remote(root: Path) -> None:
    """An empty repository that the person's git finds under ``ADDRESS``."""
    # A sandbox is copied to another place, so the person's git finds the remote from where the command runs.
    (root / ".gitconfig").write_text(f'[url "there.git"]\n\tinsteadOf = {ADDRESS}\n', encoding="utf-8")
    _git(root, "init", "-q", "--bare", "--initial-branch=main", str(root / "there.git"))
    # The remote is as durable as a machine of its own would be: what it said it has, it has.
    for name, value in (("core.fsync", "all"), ("gc.auto", "0"), ("receive.autogc", "false")):
        _git(root / "there.git", "config", name, value)


def check(root: Path) -> None:
    """An ``AssertionError`` says what was lost."""
    code, step, acked = int(os.environ["CM_RC"]), int(os.environ["CM_N"]), os.environ["CM_ACKED"] == "1"
    mode = os.environ["CM_MODE"]
    expect = json.loads((root / "expect.json").read_text(encoding="utf-8"))
    enter_root(root)
    assert code in (0, 3, 8, 137), f"the command ended with {code}"
    if acked:
        assert THEIRS in state(root / "alice" / "experiences"), "an acknowledged sync took nothing in"
        # Plain git there forces no name of a reference to disk: what it lost is given again.
        if mode != "powercut-end":
            check_given(root, expect["alice"])
    if step % 2:
        assert call("list")[0] == 0, "the next reading command failed"
    assert call("memorize", FOLLOWING, actor=AGENT)[0] == 0, "the next writing command failed"
    unlock(root, said_so=not mode.startswith("powercut"))
    run_sync(root, "alice", "bob")
    _check_equal(root)
    for name in ("alice", "bob"):
        acts = Counter(acts_of(root, name))
        lost = {*expect["alice"], *expect["bob"]} - set(acts)
        assert not lost, f"{name} lost {len(lost)} acts"
        assert max(acts.values()) == 1, f"{name} has an act twice"
        check_repository(root / name / "experiences")


def unlock(root: Path, *, said_so: bool) -> None:
    """What the remote's own git left there as it died, whoever keeps the remote takes away; a sync has named it."""
    left = list((root / "there.git").rglob("*.lock"))
    if left and said_so:
        code, answer = call("sync", "--home", str(root / "alice"))
        named = any(str(path.relative_to(root)) in str(answer) for path in left)
        assert code == 0 or named, f"a lock in the remote is not named: {answer}"
    for path in left:
        path.unlink()


def check_given(root: Path, acts: list[str]) -> None:
    """What was reported as given is in the remote."""
    there = _git(root / "there.git", "log", "--format=%(trailers:key=Alice-Act,valueonly)", "main").split()
    assert set(acts) <= set(there), "an acknowledged sync gave nothing"


def _check_equal(root: Path) -> None:
    files = [
        {str(path.relative_to(root / name)): path.read_bytes() for path in _files(root / name)}
        for name in ("alice", "bob")
    ]
    differing = sorted(
        path for path in files[0].keys() | files[1] if files[0].get(path) != files[1].get(path)
    )
    assert not differing, f"the two differ in {differing}"
    heads = {_git(root / name / "experiences", "rev-parse", "refs/alice/ledger") for name in ("alice", "bob")}
    assert len(heads) == 1, "the two hold two ledgers"
    found = state(root / "alice" / "experiences")
    for text in (OURS, THEIRS, BOTH, FOLLOWING, *DECIDED.values()):
        assert len(found.get(text, ())) == 1, f"{text!r} stands {len(found.get(text, ()))} times"
    for text in DECIDED.values():
        told = call("recall", text)[1]["matches"]
        assert told[0]["approved"], f"the decision on {text!r} does not hold"


def _files(home: Path) -> list[Path]:
    return [path for path in (home / "experiences").rglob("*.json*") if ".git" not in path.parts]


def enter_root(root: Path) -> None:
    """Make this process one that runs commands on the homes below ``root``, from there."""
    enter(root)
    os.chdir(root)


def run_sync(root: Path, *names: str) -> None:
    """Sync each of the homes; it has to go through."""
    for name in names:
        code, answer = call("sync", "--home", str(root / name))
        assert code == 0, f"{name} could not sync: {answer}"


def acts_of(root: Path, name: str) -> list[str]:
    """The ids of all acts of a home."""
    form = "--format=%(trailers:key=Alice-Act,valueonly)"
    return _git(root / name / "experiences", "log", form).split()


def check_repository(experiences: Path) -> None:
    """git is content with a home's history, and nothing is left behind."""
    assert _git(experiences, "fsck", "--strict", "--no-dangling") == "", "git fsck is not content"
    left = _git(experiences, "status", "--porcelain", "--untracked-files=all")
    assert left == "", f"git status is not clean: {left}"
    assert (
        _git(experiences, "for-each-ref", "--format=%(refname)", "refs/alice")
        == "refs/alice/ledger\nrefs/alice/seen"
    ), "a mark was left"
    form = "--format=%(trailers:key=Alice-Ledger,valueonly)"
    for named in _git(experiences, "log", "--grep=^Alice-Ledger: ", form).split():
        _git(experiences, "merge-base", "--is-ancestor", named, "refs/alice/ledger")
    temporary = [path.name for path in experiences.parent.rglob("*") if ".alice-tmp-" in path.name]
    assert not temporary, f"left behind: {temporary}"


def _git(where: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=where, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"git {arguments[0]} ended with {done.returncode}: {done.stderr.strip()}"
    return (done.stdout + done.stderr).strip()
