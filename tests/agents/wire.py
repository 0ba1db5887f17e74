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

    def __init__(
        self,
        command: Sequence[str] = OURS,
        environment: Mapping[str, str] | None = None,
        version: str = "2025-06-18",
    ) -> None:
        """Start it and shake hands; without a ``version`` the caller speaks first."""
        self.process = subprocess.Popen(
            command,
            env={**(os.environ if environment is None else environment), "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._asked = 0
        if version:
            hello = {
                "protocolVersion": version,
                "capabilities": {},
                "clientInfo": {"name": "t", "version": "1"},
            }
            self.hello = self.ask("initialize", hello)
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    @property
    def pid(self) -> int:
        """The server's process."""
        return self.process.pid

    def call(self, tool: str, **arguments: Any) -> Any:
        """One call of a tool; its structured answer."""
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert not answer.get("isError"), answer
        return answer.get("structuredContent")

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> Any:
        """One request; its result, or the error of the protocol."""
        answer = self.answer_to(self.begin(method, params or {}))
        return answer["result"] if "result" in answer else answer["error"]

    def begin(self, method: str, params: Mapping[str, Any]) -> int:
        """Send one request; its id."""
        self._asked += 1
        self.send({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params})
        return self._asked

    def answer_to(self, asked: int) -> Any:
        """The message with this id; what comes before it is dropped."""
        while (answer := self.read()).get("id") != asked:
            continue
        return answer

    def read(self) -> Any:
        """The next message."""
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def send(self, message: Mapping[str, Any] | bytes) -> None:
        """One message, or one line as it is."""
        assert self.process.stdin is not None
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_: object) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()
        assert self.process.wait(10) == 0


def resident(pid: int) -> float:
    """Megabytes of memory that a process holds now."""
    asked = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True)
    return int(asked.stdout) / 1024
