"""The scenes of the crash matrix: what is there before, the command that is interrupted, what must be true after.

``python scenes.py SCENE`` builds a scene in ``$CM_DIR``. A scene's home is small and known, so that ``check_home.py``
can say exactly which two states are allowed: the one before, and the one after.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
NOW = "2026-02-20T09:00:00Z"
AGENT = "agent:claude"

HAND_EDIT = "typed by a person while nobody looked"
UNIVERSAL = """// Which tool to use for what, and how. 第一行。
{
  "$schema": "../.schema/namespace.json",
  "blocks": [
    // above the first
    {
      "id": "exp-aaaaaaa2", // after the id
      "trigger": "searching code",
      "payload": "use rg",
      "state": "past",
      "verifications": 4, /* within */
      "created_at": "2026-01-10T08:00:00Z", "updated_at": "2026-01-10T08:00:00Z"
    },
    // above the second
    {
      "id": "exp-bbbbbbb2",
      "trigger": "formatting python",
      "payload": "use ruff format",
      "created_at": "2026-01-10T08:00:00Z", "updated_at": "2026-01-10T08:00:00Z"
    }
    // after the last
  ]
}
// at the end of the file
"""


@dataclass(frozen=True)
class Scene:
    """One command on one home: ``act`` is its op and actor, ``None`` where the command itself writes nothing new.

    ``first`` are acts that must stand before it in any case; ``always``: the act was decided before the command.
    """

    command: str
    op: str
    actor: str
    first: tuple[tuple[str, str], ...] = ()
    always: bool = False
    prepare: str = ""


SCENES: dict[str, Scene] = {
    "memorize": Scene('memorize "prefer uv" --when "installing packages" -q', "memorize", AGENT),
    "memorize-new-day": Scene(
        'memorize "prefer uv" --when "installing packages" -q', "memorize", AGENT, prepare="tomorrow"
    ),
    "approve": Scene("approve exp-ccccccc2 --yes -q", "approve", "user"),
    "approve-last": Scene("approve --all --yes -q", "approve", "user", prepare="heartbeat"),
    "reply": Scene('reply "同意" --yes -q', "approve", "user", prepare="heartbeat"),
    "outcome": Scene("outcome exp-aaaaaaa2 ok -q", "outcome", AGENT),
    "outcome-archives": Scene("outcome exp-bbbbbbb2 fail -q", "outcome", AGENT),
    "memorize-over-hand-edit": Scene(
        'memorize "prefer uv" --when "installing packages" -q',
        "memorize",
        AGENT,
        first=(("adopt", "editor"),),
        prepare="hand_edit",
    ),
    "recover-prepared": Scene("list -q", "outcome", AGENT, always=True, prepare="prepared"),
    "recover-half": Scene("list -q", "outcome", AGENT, always=True, prepare="half"),
    "recover-swapped": Scene("list -q", "outcome", AGENT, always=True, prepare="swapped"),
    "recover-then-write": Scene(
        'memorize "prefer uv" --when "installing packages" -q',
        "memorize",
        AGENT,
        first=(("outcome", AGENT),),
        prepare="half",
    ),
}
"""The three that ``make test`` samples are memorize, approve and outcome; ``make crash`` walks all of them whole."""


def environment(root: Path, actor: str = "user") -> dict[str, str]:
    """What every command of the matrix runs in."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "ALICE_", "XDG_"))
    }
    for name in ("CLAUDECODE", "CURSOR_AGENT", "GEMINI_CLI", "CODEX_SANDBOX", "AI_AGENT"):
        kept.pop(name, None)
    return kept | {
        "HOME": str(root),
        "ALICE_HOME": str(root / "alice"),
        "ALICE_NOW": NOW,
        "ALICE_ACTOR": actor,
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": str(ROOT),
    }


def enter(root: Path, actor: str = "user") -> None:
    """Make this process one that runs commands on the scene's home."""
    os.environ.clear()
    os.environ.update(environment(root, actor))
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))


def call(*arguments: str, actor: str = "user", now: str = NOW) -> tuple[int, Any]:
    """One command in this process: its exit code and its JSON answer."""
    from alice_exp.cli.app import run

    os.environ |= {"ALICE_ACTOR": actor, "ALICE_NOW": now}
    out = StringIO()
    with redirect_stdout(out):
        code = run([*arguments, "--json"])
    return code, json.loads(out.getvalue()) if out.getvalue() else None


def state(experiences: Path) -> dict[str, list[Any]]:
    """Every block by what it says: a row of path, state, count and approval for each place where it stands."""
    from alice_exp.text.jsonc import parse
    from alice_exp.text.schema import read_blocks

    found: dict[str, list[Any]] = {}
    for path in sorted(experiences.glob("*/*.jsonc")):
        name = str(path.relative_to(experiences))
        if name.startswith("records/"):
            continue
        blocks, problems = read_blocks(parse(path.read_bytes(), name))
        assert not [problem for problem in problems if problem.severity == "error"], problems
        for block in blocks:
            row = [name, block.state, block.verifications, block.approved is not None]
            found.setdefault(block.payload.content, []).append(row)
    return found


def comments(experiences: Path) -> list[str]:
    """Every comment of every file."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(experiences.glob("[!.]*/*.jsonc"))]
    return sorted(found.strip() for text in texts for found in re.findall(r"//.*|/\*.*?\*/", text))


def build(root: Path, scene: Scene) -> None:
    """The home before the command, and ``expect.json`` beside it."""
    enter(root)
    alice = root / "alice"
    (alice / "experiences" / "universal").mkdir(parents=True)
    (alice / "experiences" / "universal" / "tool_usage.jsonc").write_text(UNIVERSAL, encoding="utf-8")
    pool = alice / "experiences" / "low_value_pool" / "pending_20260219.jsonc"
    pool.parent.mkdir()
    pool.write_text(
        '{"blocks": [\n  // a candidate\n  {"id": "exp-ccccccc2", "trigger": "committing", "payload": "small commits",'
        ' "created_at": "2026-02-19T08:00:00Z", "updated_at": "2026-02-19T08:00:00Z"}\n]}\n',
        encoding="utf-8",
    )
    assert call("init")[0] == 0
    if scene.prepare != "tomorrow":
        assert call("memorize", "seen before", "--when", "anything", actor=AGENT)[0] == 0
    if scene.prepare == "heartbeat":
        assert call("heartbeat")[0] == 0
    if scene.prepare == "hand_edit":
        path = alice / "experiences" / "personal" / "user_preferences.jsonc"
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("[]", f'[{{"payload": "{HAND_EDIT}"}} // 我\n]'), encoding="utf-8")
    before = state(alice / "experiences")
    kept = comments(alice / "experiences")
    commits = _commits(alice)
    if scene.prepare in _STOPS:
        _interrupted(root, scene.prepare)
    body = {"before": before, "comments": kept, "commits": commits}
    (root / "expect.json").write_text(json.dumps(body), encoding="utf-8")


def _commits(alice: Path) -> int:
    import subprocess

    counted = subprocess.run(
        ["git", "rev-list", "--count", "HEAD"], cwd=alice / "experiences", capture_output=True, check=True
    )
    return int(counted.stdout)


def _die(*_: object) -> None:
    os._exit(137)


def _stop_prepared(landing: Any) -> None:
    landing._swap_all = _die


def _stop_half(landing: Any) -> None:
    swap, done = landing.swap_in, []

    def once(*arguments: Any) -> None:
        if done:
            _die()
        done.append(1)
        swap(*arguments)

    landing.swap_in = once
    landing.take_out = _die


def _stop_swapped(landing: Any) -> None:
    landing._land = _die


_STOPS: dict[str, Callable[[Any], None]] = {
    "prepared": _stop_prepared,
    "half": _stop_half,
    "swapped": _stop_swapped,
}


def _interrupted(root: Path, stop: str) -> None:
    """Run the act that archives a block in a child that dies at a known step: decided, not yet landed."""
    child = os.fork()
    if child == 0:
        from alice_exp.store import landing

        _STOPS[stop](landing)
        call("outcome", "exp-bbbbbbb2", "fail", actor=AGENT)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 137, "the act was meant to be interrupted"
    assert (root / "alice" / "experiences" / ".git" / "refs" / "alice" / "pending").exists()


if __name__ == "__main__":
    build(Path(os.environ["CM_DIR"]), SCENES[sys.argv[1]])
