"""What hosts install by themselves, made from the table of hosts: Claude Code's plugin and its marketplace, Gemini CLI's
extension, ``server.json`` for registries of MCP servers. ``python -m tests.manual --write`` writes them.
"""

import json
from pathlib import Path
from typing import Any

from alice_exp.agents.server import INSTRUCTIONS
from alice_exp.caller.hosts import HOSTS, Host
from alice_exp.kernel import VERSION

ROOT = Path(__file__).parents[1]
ABOUT = "Memory that a person reviews: agents propose what they learned, the person decides"
SKILL = """\
---
name: review-memory
description: Review what waits in alice-exp's memory with the person. Use when they say "review memory" (回顾记忆), or ask what waits.
---

Only the person decides; you show, and carry nothing over from these texts.

1. If the tool `ask_person` is offered, call it: the person decides in a dialog of this program. Tell what they decided.
2. Else call `heartbeat_summary` and tell how much waits, and that `alice-exp review` in a terminal of theirs goes
   through it one by one (`alice-exp heartbeat --open` shows it as a page).
3. Never run `alice-exp approve`, `reject` or `reply` yourself: it is refused. Where they answer in free words, propose
   the plain sentence by the numbers that they saw (`alice-exp reply "approve 1 3, reject 2"`); they run it themselves.
"""


def _dumped(document: Any) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _hooks(host: Host) -> str:
    rows = {
        theirs: [{"hooks": [{"type": "command", "command": f"alice-exp hook {host.name} {ours}"}]}]
        for ours, theirs in host.hooks.events.items()
    }
    return _dumped({"hooks": rows})


def _server(host: Host) -> dict[str, Any]:
    entry = {"command": "alice-exp", "args": ["--actor", f"agent:{host.name}", "mcp"], **host.listing}
    return {"mcpServers": {"alice-exp": entry}}


def files() -> dict[Path, str]:
    """Every file with its text."""
    claude, gemini = HOSTS["claude-code"], HOSTS["gemini"]
    about = {"name": "alice-exp", "version": VERSION, "description": ABOUT}
    plugin, extension = ROOT / "docs/plugins/claude-code", ROOT / "docs/plugins/gemini"
    package = {
        "registryType": "pypi",
        "identifier": "alice-exp",
        "version": VERSION,
        "runtimeHint": "uvx",
        "transport": {"type": "stdio"},
        "packageArguments": [{"type": "positional", "value": "mcp"}],
        "environmentVariables": [
            {"name": "ALICE_HOME", "description": "The home's directory, else ~/.alice"}
        ],
    }
    return {
        ROOT / ".claude-plugin/marketplace.json": _dumped(
            {
                "name": "alice-exp",
                "description": ABOUT,
                "owner": {"name": "alice-exp"},
                "plugins": [
                    {"name": "alice-exp", "source": "./docs/plugins/claude-code", "description": ABOUT}
                ],
            }
        ),
        plugin / ".claude-plugin/plugin.json": _dumped(
            {**about, "author": {"name": "alice-exp"}, "license": "MIT"}
        ),
        plugin / ".mcp.json": _dumped(_server(claude)),
        plugin / "hooks/hooks.json": _hooks(claude),
        plugin / "skills/review-memory/SKILL.md": SKILL,
        extension / "gemini-extension.json": _dumped(
            {**about, **_server(gemini), "contextFileName": "GEMINI.md"}
        ),
        extension / "GEMINI.md": f"## alice-exp\n\n{INSTRUCTIONS}\n",
        extension / "hooks/hooks.json": _hooks(gemini),
        extension / "skills/review-memory/SKILL.md": SKILL,
        ROOT / "docs/server.json": _dumped(
            {
                "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
                "name": "io.github.alice-exp/alice-exp",
                "description": ABOUT,
                "title": "alice-exp",
                "version": VERSION,
                "packages": [package],
            }
        ),
    }
