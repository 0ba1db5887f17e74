"""The scene ``showing`` of the crash matrix.

A prompt's hook shows a block and keeps that as a decision: whole or not at all, and its outcome counts once. With a command
line it plays that with the host's JSON on stdin.
"""

import io
import os
import sys
from contextlib import redirect_stdout
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from scenes import AGENT, call, enter

ASKED = '{"session_id": "s", "prompt": "how do I deploy to production"}'


def build(root: Path) -> None:
    """A home with something to show."""
    enter(root)
    assert call("init")[0] == 0
    assert call("remember", "ask before Friday", "--when", "deploying to production")[0] == 0


def prompted(words: list[str]) -> int:
    """The command line of this process, with the prompt on stdin."""
    from alice_exp.app.main import run

    sys.stdin = io.TextIOWrapper(io.BytesIO(ASKED.encode()))
    return run(words)


def check(root: Path) -> None:
    """An ``AssertionError`` says what was lost, or what stands in half."""
    from alice_exp.kernel.journal.commit_writer import load_derived

    code, is_refused = int(os.environ["CM_RC"]), os.environ["CM_MODE"].startswith("errno")
    enter(root)
    assert code in (0, 137), f"the hook ended with {code}"
    kept = [load_derived(path) for path in (root / "alice/state/showings").glob("*.json")]
    assert None not in kept, "a showing stands in half"
    assert len(kept) <= 1 and (kept or code or is_refused), f"{len(kept)} showings"
    for one in kept:
        codes = [call("outcome", one["decision"], "ok", actor=AGENT)[0] for _ in range(2)]
        assert codes == [0, 6], f"its outcome ended with {codes}"
    said = io.StringIO()
    with redirect_stdout(said):
        assert prompted(["hook", "claude-code", "prompt"]) == 0, "the next prompt failed"
    assert "This is decision" in said.getvalue(), f"the next prompt is told {said.getvalue()}"
    assert call("check")[0] == 0, "the home is damaged"


def main() -> None:
    """The command line of this process, played."""
    sys.exit(prompted(sys.argv[1:]))


if __name__ == "__main__":
    main()
