"""The recipes for hosts and programs do what they say: they are run as they stand in the documents."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

PAGE = (Path(__file__).parents[1] / "docs/agents.md").read_text(encoding="utf-8")
SCRIPTS = re.findall(r"```sh\n(#!/bin/sh\n.*?)```", PAGE, re.DOTALL)
SETTINGS = [
    json.loads(text) for text in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL) if '"hooks"' in text
]
PROGRAM = next(text for text in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "before_model" in text)


@pytest.fixture
def place(home: Path, tmp_path: Path) -> dict[str, str]:
    """An environment in which the recipes' scripts are on the path and the home holds one approved thing."""
    commands = tmp_path / "bin"
    commands.mkdir()
    ending = commands / "alice-session-end"
    ending.write_text(SCRIPTS[0], encoding="utf-8")
    ending.chmod(0o755)
    found = f"{commands}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    environ = {**os.environ, "PATH": found, "ALICE_HOME": str(home), "ALICE_ACTOR": "user"}
    ran("alice-exp remember 'ask before a deploy on Friday'", environ)
    return {**environ, "ALICE_ACTOR": "agent:host"}


def ran(command: str, environ: Mapping[str, str], told: str = "") -> str:
    done = subprocess.run(
        ["sh", "-c", command], env=dict(environ), input=told, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def commands_of(settings: Any, event: str) -> list[str]:
    """What a host runs at an event, in either host's form."""
    groups = settings["hooks"][event]
    return [one["command"] for group in groups for one in group.get("hooks", [group])]


def transcript(folder: Path) -> str:
    """A host's transcript and what it tells its hook at the end of a session."""
    rows = [
        {"type": "summary", "summary": "a talk", "leafUuid": "x"},
        {"type": "user", "sessionId": "4f2a-1", "message": {"role": "user", "content": "我叫张三，是程序员"}},
        {
            "type": "assistant",
            "sessionId": "4f2a-1",
            "message": {"role": "assistant", "content": [{"type": "text", "text": "你好"}]},
        },
    ]
    file = folder / "talk.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return json.dumps({"session_id": "4f2a-1", "transcript_path": str(file), "hook_event_name": "SessionEnd"})


@pytest.mark.parametrize(
    ("number", "start", "end"), [(0, "SessionStart", "SessionEnd"), (1, "sessionStart", "sessionEnd")]
)
def test_a_hosts_hooks(place: dict[str, str], tmp_path: Path, number: int, start: str, end: str) -> None:
    (first,) = commands_of(SETTINGS[number], start)
    assert "ask before a deploy on Friday" in ran(first, place)
    (last,) = commands_of(SETTINGS[number], end)
    ran(last, place, transcript(tmp_path))
    waiting = json.loads(ran("alice-exp heartbeat --peek --json", place))["items"]
    assert {item["payload"] for item in waiting} == {"用户名字是张三", "用户是程序员"}
    assert json.loads(ran("alice-exp session list --json", place))["sessions"] == []


def test_the_loop_in_the_shell(place: dict[str, str]) -> None:
    model = "python3 -c 'import json, sys; print(len(json.load(sys.stdin)[\"messages\"]))'"
    ran(SCRIPTS[1], {**place, "MODEL": model}, "I live in Berlin\nI prefer tea\n")
    (session,) = json.loads(ran("alice-exp session list --json", place))["sessions"]
    assert (session["messages"], session["unextracted"], bool(session["ended"])) == (5, 0, True)
    shown = json.loads(ran(f"alice-exp session show {session['id']} --json", place))["messages"]
    assert [one["content"] for one in shown if one["role"] == "assistant"] == ["2", "4"]
    waiting = json.loads(ran("alice-exp heartbeat --peek --json", place))["items"]
    assert {item["payload"] for item in waiting} == {"The user lives in Berlin", "The user prefers tea"}


def test_the_program(place: dict[str, str], tmp_path: Path) -> None:
    program = tmp_path / "loop.py"
    program.write_text(PROGRAM.replace('"~/.alice"', repr(place["ALICE_HOME"])), encoding="utf-8")
    ran(f"python {program}", place)
    waiting = json.loads(ran("alice-exp heartbeat --peek --json", place))["items"]
    assert {item["payload"] for item in waiting} == {"用户名字是张三", "用户是程序员"}
