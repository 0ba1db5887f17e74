"""Every command in the README runs and answers what is shown, and every command is in the README."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import seeded
from tests.readme import BLOCK, README, commands, generated, is_transcript, replayed, same

TEXT = README.read_text(encoding="utf-8")
BLOCKS = BLOCK.findall(TEXT)
TRANSCRIPTS = [block for block in BLOCKS if is_transcript(block)]
CALLS = [block for block in BLOCKS if not is_transcript(block)]


def test_the_generated_parts_are_current() -> None:
    assert generated(TEXT) == TEXT


@pytest.mark.parametrize("name", [name for name, _ in commands()])
def test_every_command_is_documented(name: str) -> None:
    assert f"`{name}`" in TEXT


@pytest.mark.parametrize("block", TRANSCRIPTS, ids=lambda block: block.splitlines()[0][:40])
def test_every_transcript_is_what_the_program_answers(block: str) -> None:
    assert same(replayed(block)) == same(block), "run python -m tests.readme --write"


@pytest.mark.parametrize("program", re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL))
def test_every_program_runs(program: str, tmp_path: Path) -> None:
    environment = seeded.world(tmp_path)
    for words in (
        ["init", "-q"],
        ["remember", "ask before a deploy on Friday", "--when", "deploy to production"],
    ):
        subprocess.run(["alice-exp", *words], env=environment, check=True, capture_output=True)
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_picture_is_there() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", TEXT)
    assert len(pictures) >= 8
    assert all((README.parent / path).is_file() for path in pictures)


@pytest.mark.parametrize("block", CALLS, ids=lambda block: block.splitlines()[0][:40])
def test_every_command_line_runs(block: str, tmp_path: Path) -> None:
    """Lines after ``$`` run in one shell session over one home; ``# exit N`` says what is expected, else 0."""
    environment = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "ALICE_HOME": str(tmp_path / "alice"),
        "ALICE_NOW": "2026-02-20T09:00:00Z",
        "ALICE_ACTOR": "user",
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
    }
    (tmp_path / "lessons.jsonl").write_text(
        '{"payload": "use rg", "trigger": "searching code"}\n', encoding="utf-8"
    )
    if not block.startswith("$ alice-exp init"):
        subprocess.run(["alice-exp", "init", "-q"], env=environment, cwd=tmp_path, check=True)
    for line in block.splitlines():
        if not line.startswith("$ "):
            continue
        command, _, wanted = line[2:].partition("# exit ")
        done = subprocess.run(
            ["bash", "-c", _with_real_id(command, environment)],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.returncode == int(wanted or 0), f"{line}\n{done.stdout}{done.stderr}"


def _with_real_id(command: str, environment: dict[str, str]) -> str:
    """``exp-7k2m9q4x`` in a transcript stands for the first block of the home."""
    if "exp-7k2m9q4x" not in command:
        return command
    listed = subprocess.run(["alice-exp", "list", "--json"], env=environment, capture_output=True, text=True)
    blocks = json.loads(listed.stdout)["blocks"]
    return command.replace("exp-7k2m9q4x", blocks[0]["id"]) if blocks else command
