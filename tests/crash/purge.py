"""The scene ``purge`` of the crash matrix.

Afterwards the next command finds one history or the other: the block and all its past, or no object that holds it.
"""

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from scenes import call, enter

SECRET = "tulip-4711 is the word"
VICTIM = "exp-aaaaaaa2"
BLOCK = (
    '// head\n{"blocks": [\n  // tulip-4711 too\n  {"id": "exp-aaaaaaa2", "payload": "tulip-4711 is the word"},\n'
    '  {"id": "exp-bbbbbbb2", "payload": "stays"} // stays too\n]}\n'
)


def build(root: Path) -> None:
    """A home whose block has a past in two files, and another line of history."""
    enter(root)
    path = root / "alice" / "experiences" / "personal" / "notes.jsonc"
    path.parent.mkdir(parents=True)
    path.write_text(BLOCK, encoding="utf-8")
    assert call("init")[0] == 0
    assert call("outcome", VICTIM, "ok")[0] == 0
    assert call("memorize", "a candidate")[0] == 0
    assert call("move", VICTIM, "personal/other")[0] == 0
    assert call("decide", SECRET)[0] == 0
    (decision,) = _decisions(root)
    assert call("outcome", decision, "ok")[0] == 0
    assert call("decide", SECRET)[0] == 0
    assert call("heartbeat", "--unseen")[0] == 0
    page = root / "alice" / "state" / "report.html"
    page.write_text(page.read_text(encoding="utf-8") + SECRET, encoding="utf-8")
    _git(root, "tag", "light", "HEAD~1")


def _decisions(root: Path) -> list[str]:
    return [path.stem for path in (root / "alice" / "state" / "decisions").glob("dec-*.json")]


def check(root: Path) -> None:
    """An ``AssertionError`` says what was lost, or what was kept."""
    code, step, acked = int(os.environ["CM_RC"]), int(os.environ["CM_N"]), os.environ["CM_ACKED"] == "1"
    enter(root)
    assert code in (0, 3, 137), f"the command ended with {code}"
    if step % 2:
        assert call("list")[0] == 0, "the next reading command failed"
    assert call("memorize", "what comes after")[0] == 0, "the next writing command failed"
    ops = _git(root, "log", "--format=%(trailers:key=Alice-Op,valueonly,separator=%x2C)").split()
    purged = ["memorize", "purge", "outcome", "move", "memorize", "outcome", "adopt"]
    assert ops in (purged, ["memorize", *purged[2:]]), f"unexpected acts: {ops}"
    happened = ops == purged
    assert happened or not acked, "an acknowledged purge did not happen"
    files = [path for path in (root / "alice").rglob("*") if path.is_file() and "objects" not in path.parts]
    texts = b"".join(path.read_bytes() for path in files)
    assert bool(_decisions(root)) is not happened, (
        "an open decision went without the purge, or stayed with it"
    )
    page = root / "alice" / "state" / "report.html"
    assert page.exists() is not happened, "the page of the report went without the purge, or stayed with it"
    objects = _git(root, "cat-file", "--batch-all-objects", "--batch")
    assert ("tulip" in objects) is not happened, (
        "the repository holds what was purged" if happened else "text is lost"
    )
    assert (b"tulip" in texts) is not happened, (
        "a file holds what was purged" if happened else "a file lost the block"
    )
    assert b"stays too" in texts, "a comment of another block is gone"
    counted = _git(root, "show", "HEAD:records/episodes.jsonc")
    assert ('"task": "(purged)"' in counted) is happened and counted.count('"ep-') == 1, "an episode is lost"
    assert _git(root, "fsck", "--strict", "--no-dangling") == "", "git fsck is not content"
    assert _git(root, "status", "--porcelain", "--untracked-files=all") == "", "git status is not clean"
    assert (
        _git(root, "for-each-ref", "--format=%(refname)", "refs/alice")
        == "refs/alice/ledger\nrefs/alice/seen"
    ), "a mark was left"


def _git(root: Path, *arguments: str) -> str:
    where = root / "alice" / "experiences"
    done = subprocess.run(["git", *arguments], cwd=where, capture_output=True, check=False)
    assert done.returncode == 0, f"git {arguments[0]}: {done.stderr.decode()}"
    return done.stdout.decode("utf-8", "replace").strip()
