"""Real hosts on an empty machine: connected, one conversation each against a stand-in model, what was said waits.

Their packages are large, so that `make soak` owns this; skipped with the reason where npm cannot install them.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.agents.model_stand_in import standing_in
from tests.agents.npm import fetched

pytest.importorskip("mcp", reason="the extra 'mcp' is not installed")
pytestmark = pytest.mark.slow
Call = Callable[..., Any]
SAID = "Please always answer with a table. I live in Berlin."
HEARD = {"The user lives in Berlin", "The user's instruction: always answer with a table"}
ROOT = Path(__file__).parents[2]


def converse(command: Sequence[str], environ: dict[str, str]) -> None:
    done = subprocess.run(
        command,
        env=environ,
        cwd=environ["HOME"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.returncode == 0 and "Noted." in done.stdout, done.stdout + done.stderr


def clean() -> dict[str, str]:
    """The environment without what other hosts and models left in it."""
    foreign = ("CLAUDE", "ANTHROPIC", "GEMINI", "GOOGLE", "OPENAI", "ALICE_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    return {**kept, "PYTHONPATH": str(ROOT)}


def heard(cli: Call) -> set[str]:
    return {item["payload"] for item in cli("heartbeat", "--json").json["items"]}


def test_claude_code(world: Path, cli: Call) -> None:
    program = fetched("@anthropic-ai/claude-code", "claude", 300)
    cli("connect", "claude-code")
    cli("remember", "ask before a deploy on Friday", "--when", "deploying")
    with standing_in("Noted.") as model:
        environ = clean() | {
            "ANTHROPIC_BASE_URL": model.url,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        }
        converse([str(program), "-p", SAID], environ)
        assert any("ask before a deploy on Friday" in asked for asked in model.asked)
    assert heard(cli) == HEARD
    assert cli("status", "--json").json["hosts"][0]["last_call"]


def test_gemini_cli(world: Path, cli: Call) -> None:
    program = fetched("@google/gemini-cli", "gemini", 300)
    settings = Path(os.environ["HOME"]) / ".gemini/settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(
        json.dumps({"security": {"auth": {"selectedType": "gemini-api-key"}}}), encoding="utf-8"
    )
    cli("connect", "gemini")
    cli("remember", "ask before a deploy on Friday", "--when", "deploying")
    with standing_in("Noted.") as model:
        environ = clean() | {
            "GOOGLE_GEMINI_BASE_URL": model.url,
            "GEMINI_API_KEY": "none",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }
        converse([str(program), "-p", SAID, "-m", "gemini-2.5-pro"], environ)
        assert any("ask before a deploy on Friday" in asked for asked in model.asked)
    assert heard(cli) == HEARD
