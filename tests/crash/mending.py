"""The scene ``doctor-fix`` of the crash matrix.

A pack of the history is cut in two, so that no act can follow it. Afterwards the same command completes what was
interrupted: one history is set aside and named, every block stands as it was, approved or not, and acts go on.
"""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from check_home import acts_of, check_repository
from scenes import AGENT, ROOT, UNIVERSAL, call, enter, state

sys.path.insert(0, str(ROOT))
FOLLOWING = "what follows"


def build(root: Path) -> None:
    """A home with what a person approved, whose newest history cannot be read any more."""
    from tests.home.damage import GIT

    enter(root)
    experiences = root / "alice" / "experiences"
    (experiences / "universal").mkdir(parents=True)
    (experiences / "universal" / "tool_usage.jsonc").write_text(UNIVERSAL, encoding="utf-8")
    assert call("init")[0] == 0
    assert call("memorize", "seen before", "--when", "anything", actor=AGENT)[0] == 0
    (root / "expect.json").write_text(json.dumps(state(experiences)), encoding="utf-8")
    GIT["halved objects/pack/*.pack"](experiences / ".git")


def check(root: Path) -> None:
    """An ``AssertionError`` says what was lost."""
    enter(root)
    code, experiences = int(os.environ.get("CM_RC", "0")), root / "alice" / "experiences"
    expect = json.loads((root / "expect.json").read_text(encoding="utf-8"))
    assert code in (0, 3, 137), f"the command ended with {code}"
    if int(os.environ.get("CM_N", "0")) % 2:
        assert call("list")[0] == 0, "the next reading command failed"
    assert state(experiences) == expect, "a file was touched"
    assert call("doctor", "--fix")[0] == 0, "the next doctor did not complete it"
    assert call("memorize", FOLLOWING, actor=AGENT)[0] == 0, "the next act failed"
    present = state(experiences)
    assert len(present.pop(FOLLOWING)) == 1 and present == expect, f"{present} instead of {expect}"
    kept = sorted(path.name for path in experiences.glob(".git-*"))
    assert len(kept) == 1 and kept[0].startswith(".git-damaged-"), f"set aside: {kept}"
    assert [op for op, _ in acts_of(experiences)][-2:] == ["doctor", "memorize"], (
        "the new history has no beginning"
    )
    check_repository(experiences)
