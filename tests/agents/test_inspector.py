"""The protocol's own inspector, a client of another make, lists every tool and calls it.

It is fetched once into the virtual environment; where there is no Node or no registry, the test says so and is skipped.
"""

import json
import os
import subprocess
import sys
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.agents.npm import fetched
from tests.case_tables import cases

PACKAGE = "@modelcontextprotocol/inspector@0"
CALLS: dict[str, tuple[str, ...]] = dict(cases(__file__, "CALLS"))


@pytest.fixture(scope="session")
def inspector() -> Path:
    """The installed inspector; skipped where npm cannot fetch it."""
    return fetched(PACKAGE, "mcp-inspector")


def asked(inspector: Path, *arguments: str) -> Any:
    """One run of the inspector's command line: it starts the server, asks once, and prints JSON."""
    server = [sys.executable, "-m", "alice_exp", "mcp"]
    done = subprocess.run(
        [str(inspector), "--cli", *server, *arguments],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return json.loads(done.stdout)


def answers_of(inspector: Path, names: Collection[str], block: str) -> dict[str, Any]:
    """What the inspector shows of a call of each tool."""

    def call(name: str) -> Any:
        pairs = [part for pair in CALLS[name] for part in ("--tool-arg", pair.format(block=block))]
        return asked(inspector, "--method", "tools/call", "--tool-name", name, *pairs)

    with ThreadPoolExecutor(2) as two:
        answers = dict(zip(names, two.map(call, names), strict=True))
    for name, answer in answers.items():
        assert not answer.get("isError"), (name, answer)
        assert answer["structuredContent"], name
    assert answers["recall"]["structuredContent"]["matches"][0]["id"] == block
    return answers


def test_the_inspector_lists_every_tool_and_calls_one(home: Path, cli: Any, inspector: Path) -> None:
    block = cli("memorize", "use rg", "--when", "search code", "--json").json["id"]
    tools = asked(inspector, "--method", "tools/list")["tools"]
    assert {tool["name"] for tool in tools} == set(CALLS)
    answers_of(inspector, ("recall",), block)


@pytest.mark.slow
def test_the_inspector_calls_every_tool(home: Path, cli: Any, inspector: Path) -> None:
    block = cli("memorize", "use rg", "--when", "search code", "--json").json["id"]
    assert answers_of(inspector, CALLS, block).keys() == CALLS.keys()
