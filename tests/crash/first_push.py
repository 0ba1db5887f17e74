"""The scene ``sync-first`` of the crash matrix.

A private remote has nothing yet. Afterwards the next sync goes through, a second machine gets every act from there
once, and what a sync said to have given is there.
"""

import json
import os
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from scenes import AGENT, call, state
from syncing import (
    ADDRESS,
    FOLLOWING,
    OURS,
    acts_of,
    check_given,
    check_repository,
    enter_root,
    make_remote,
    run_sync,
    unlock,
)


def build(root: Path) -> None:
    """A home that has acted, and an empty remote that it knows."""
    enter_root(root)
    make_remote(root)
    assert call("init")[0] == 0
    assert call("memorize", OURS, actor=AGENT)[0] == 0
    assert call("sync", "add", ADDRESS, "--private", "--name", "mine", "--yes")[0] == 0
    (root / "expect.json").write_text(json.dumps(acts_of(root, "alice")), encoding="utf-8")


def check(root: Path) -> None:
    """An ``AssertionError`` says what was lost."""
    code, step, acked = int(os.environ["CM_RC"]), int(os.environ["CM_N"]), os.environ["CM_ACKED"] == "1"
    mode = os.environ["CM_MODE"]
    expect = json.loads((root / "expect.json").read_text(encoding="utf-8"))
    enter_root(root)
    assert code in (0, 3, 8, 137), f"the command ended with {code}"
    # Plain git there forces no name of a reference to disk: what it lost is given again.
    if acked and mode != "powercut-end":
        check_given(root, expect)
    if step % 2:
        assert call("list")[0] == 0, "the next reading command failed"
    assert call("memorize", FOLLOWING, actor=AGENT)[0] == 0, "the next writing command failed"
    unlock(root, said_so=not mode.startswith("powercut"))
    run_sync(root, "alice")
    at = ("--home", str(root / "bob"))
    assert call("init", *at)[0] == 0
    assert call("sync", "add", ADDRESS, "--private", "--name", "mine", "--yes", *at)[0] == 0
    run_sync(root, "bob")
    there = Counter(acts_of(root, "bob"))
    lost = {*expect, *acts_of(root, "alice")} - set(there)
    assert not lost, f"{len(lost)} acts did not arrive"
    assert max(there.values()) == 1, "an act arrived twice"
    found = state(root / "bob" / "experiences")
    for text in (OURS, FOLLOWING):
        assert len(found.get(text, ())) == 1, f"{text!r} stands {len(found.get(text, ()))} times"
    check_repository(root / "alice" / "experiences")
