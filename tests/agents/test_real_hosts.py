"""Real hosts on an empty machine: connected, one conversation each against a stand-in model, what was said waits.

Their packages are large, so that `make soak` owns this; skipped with the reason where npm cannot install them.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.agents.model_stand_in import standing_in
from tests.agents.npm import fetched

pytestmark = [pytest.mark.slow, pytest.mark.needs("mcp")]
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


@pytest.fixture
def person(world: Path) -> Path:
    """The person's home folder, with no host and no home of ours in it."""
    return Path(os.environ["HOME"])


def configure(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def heard(cli: Call) -> set[str]:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        found = {item["payload"] for item in cli("heartbeat", "--peek", "--json").json["items"]}
        if found >= HEARD:
            break
        time.sleep(0.2)
    return found


def talk(cli: Call, host: str, command: Sequence[str], environ: Callable[[str], dict[str, str]]) -> list[str]:
    """Connect the host, hold one conversation, and return what its model was asked."""
    cli("connect", host)
    cli("remember", "ask before a deploy on Friday", "--when", "deploying")
    with standing_in("Noted.") as model:
        converse(command, clean() | environ(model.url))
        asked = list(model.asked)
    assert any("ask before a deploy on Friday" in one for one in asked), "the start was told"
    assert heard(cli) == HEARD
    assert cli("status", "--json").json["hosts"][0]["last_call"]
    return asked


def test_claude_code(person: Path, cli: Call) -> None:
    program = fetched("@anthropic-ai/claude-code", "claude", 300)

    def environ(url: str) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        }

    talk(cli, "claude-code", [str(program), "-p", SAID], environ)


def test_gemini_cli(person: Path, cli: Call) -> None:
    program = fetched("@google/gemini-cli", "gemini", 300)
    chosen = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
    configure(person / ".gemini/settings.json", json.dumps(chosen))

    def environ(url: str) -> dict[str, str]:
        return {
            "GOOGLE_GEMINI_BASE_URL": url,
            "GEMINI_API_KEY": "none",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }

    talk(cli, "gemini", [str(program), "-p", SAID, "-m", "gemini-2.5-pro"], environ)


def test_qwen_code(person: Path, cli: Call) -> None:
    program = fetched("@qwen-code/qwen-code", "qwen", 300)
    chosen = {"security": {"auth": {"selectedType": "openai"}}, "model": {"name": "one"}}
    configure(person / ".qwen/settings.json", json.dumps(chosen))

    def environ(url: str) -> dict[str, str]:
        return {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "one"}

    talk(cli, "qwen", [str(program), SAID], environ)
    traces = [path.read_text("utf-8") for path in (person / ".qwen/debug").glob("*.txt")]
    assert any("mcp__alice-exp__memorize" in one for one in traces), "the server's tools are listed"


CODEX = """\
model = "one"
model_provider = "standin"
[model_providers.standin]
name = "Stand-in"
base_url = "WHERE/v1"
wire_api = "responses"
"""


def test_codex(person: Path, cli: Call) -> None:
    """It runs hooks that its person trusted; nobody is there to trust them, hence the flag."""
    program = fetched("@openai/codex", "codex", 300)
    config = person / ".codex/config.toml"
    configure(config, CODEX)

    def environ(url: str) -> dict[str, str]:
        config.write_text(config.read_text("utf-8").replace("WHERE", url), encoding="utf-8")
        return {"RUST_LOG": "codex_otel=info"}

    flags = ["--dangerously-bypass-hook-trust", "--skip-git-repo-check"]
    talk(cli, "codex", [str(program), "exec", *flags, SAID], environ)
    listed = subprocess.run(
        [str(program), "mcp", "list"], env=clean(), capture_output=True, text=True, timeout=60
    )
    assert "alice-exp" in listed.stdout and "enabled" in listed.stdout


def test_opencode(person: Path, cli: Call) -> None:
    program = fetched("opencode-ai", "opencode", 300)
    config = Path(os.environ.get("XDG_CONFIG_HOME", person / ".config")) / "opencode/opencode.json"
    options = {"baseURL": "WHERE/v1", "apiKey": "none"}
    own = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"one": {"name": "one"}}}
    configure(config, json.dumps({"model": "standin/one", "provider": {"standin": own}}))

    def environ(url: str) -> dict[str, str]:
        config.write_text(config.read_text("utf-8").replace("WHERE", url), encoding="utf-8")
        return {}

    asked = talk(cli, "opencode", [str(program), "run", SAID], environ)
    assert any("alice-exp_memorize" in one for one in asked), "the server's tools reach the model"
