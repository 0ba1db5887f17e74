"""The recipes for programs do what they say: they are run as they stand in the documents."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[1] / "docs/agents.md").read_text(encoding="utf-8")
SCRIPTS = re.findall(r"```sh\n(#!/bin/sh\n.*?)```", PAGE, re.DOTALL)
PROGRAM = next(text for text in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "before_model" in text)


@pytest.fixture
def place(home: Path) -> dict[str, str]:
    """An environment with the program on the path, and a home that holds one approved thing."""
    found = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environ = {**os.environ, "PATH": found, "ALICE_HOME": str(home), "ALICE_ACTOR": "user"}
    ran("alice-exp remember 'ask before a deploy on Friday'", environ)
    return {**environ, "ALICE_ACTOR": "agent:host"}


def ran(command: str, environ: Mapping[str, str], told: str = "") -> str:
    done = subprocess.run(
        ["sh", "-c", command], env=dict(environ), input=told, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_loop_in_the_shell(place: dict[str, str]) -> None:
    model = "python3 -c 'import json, sys; print(len(json.load(sys.stdin)[\"messages\"]))'"
    ran(SCRIPTS[0], {**place, "MODEL": model}, "I live in Berlin\nI prefer tea\n")
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
