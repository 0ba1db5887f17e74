"""A server process spoken to line by line, without a client in between: for what is counted and timed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
OURS = (sys.executable, "-m", "alice_exp", "mcp")
SMALLEST = (
    sys.executable,
    "-c",
    "from mcp.server import MCPServer\n"
    "server = MCPServer('small', log_level='ERROR')\n"
    "@server.tool()\n"
    "def recall(query: str) -> str:\n"
    "    return query\n"
    "server.run('stdio')\n",
)
"""The smallest server that the SDK makes: one tool that gives its argument back."""


class Wire:
    """One server; a context manager that closes its input and waits for its end."""

    def __init__(self, command: Sequence[str] = OURS, environment: Mapping[str, str] | None = None) -> None:
        self._process = subprocess.Popen(
            command,
            env={**(os.environ if environment is None else environment), "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._asked = 0
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        }
        self.ask("initialize", hello)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    @property
    def pid(self) -> int:
        """The server's process."""
        return self._process.pid

    def call(self, tool: str, **arguments: Any) -> Any:
        """One call of a tool; its structured answer."""
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert not answer.get("isError"), answer
        return answer.get("structuredContent")

    def ask(self, method: str, params: Mapping[str, Any]) -> Any:
        """One request; its result."""
        self._asked += 1
        self._send({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params})
        assert self._process.stdout is not None
        while (answer := json.loads(self._process.stdout.readline())).get("id") != self._asked:
            continue
        return answer["result"]

    def _send(self, request: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_: object) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
        assert self._process.wait(10) == 0


def resident(pid: int) -> float:
    """Megabytes of memory that a process holds now."""
    asked = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True)
    return int(asked.stdout) / 1024
