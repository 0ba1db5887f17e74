"""The scene ``heard`` of the crash matrix.

What a host left is taken in once more afterwards: each sentence that was kept waits still, and each is there once, as
its candidate is.
"""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from scenes import NOW, call, enter

SAID = ("From now on use tabs in the Makefile.", "We never push to main.", "Look at the header.")
ORDERS = SAID[:2]


def build(root: Path) -> None:
    """A home, a host's transcript, and what its hook left to be done."""
    from alice_exp.agents.store import Spool

    enter(root)
    assert call("init")[0] == 0
    rows = (
        {"type": "user", "uuid": str(at), "timestamp": NOW, "message": {"role": "user", "content": text}}
        for at, text in enumerate(SAID)
    )
    talk = root / "talk.jsonl"
    talk.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    left = {"host": "claude-code", "event": "end", "session": "claude-code-s", "transcript": str(talk)}
    Spool(root / "alice" / "state", lambda: NOW).leave({**left, "cwd": "", "project": "web"})


def check(root: Path) -> None:
    """An ``AssertionError`` says what was lost, or what stands twice."""
    code = int(os.environ["CM_RC"])
    enter(root)
    assert code in (0, 3, 137), f"the command ended with {code}"
    kept = _waiting(root)
    from alice_exp.app.main import run

    assert run(["hook", "--finish"]) == 0, "the next reading failed"
    waits = _waiting(root)
    assert kept <= waits, f"a sentence that was kept is gone: {kept - waits}"
    assert sorted(text for _, text in waits) == sorted(SAID), f"what waits is {waits}"
    assert not list((root / "alice/state/hooks").glob("*.json")), "what was left was not done"
    blocks = [one["payload"] for one in call("list", "--set", "low_value")[1]["blocks"]]
    assert sorted(blocks) == sorted(ORDERS), f"the candidates are {blocks}"
    said = [one["content"] for one in call("session", "show", "claude-code-s")[1]["messages"]]
    assert said == list(SAID), f"the conversation is {said}"


def _waiting(root: Path) -> set[tuple[str, str]]:
    from alice_exp.caller.heard_queue import HeardQueue

    return {(one.id, one.text) for one in HeardQueue(root / "alice/state/heard").waiting()}
