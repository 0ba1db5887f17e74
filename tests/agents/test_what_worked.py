"""Commands that work and causes that held are kept without an agent's goodwill (DESIGN 14)."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alice_exp.agents.usecases.captured_sessions import command_of
from alice_exp.conversations import store
from alice_exp.conversations.rules import transcripts
from tests.case_tables import table

Call = Callable[..., Any]


@table("line", "command")
def test_a_command_is_told_without_its_files_and_secrets(line: str, command: str) -> None:
    assert command_of(line)[0] == command


def call(at: int, command: str, *, fails: bool = False) -> list[dict[str, Any]]:
    return [
        {"type": "assistant", "uuid": f"c{at}", "message": {"role": "assistant", "content": [
            {"type": "tool_use", "id": f"t{at}", "name": "Bash", "input": {"command": command}}]}},
        {"type": "user", "uuid": f"r{at}", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": f"t{at}", "is_error": fails, "content": "x"}]}},
    ]  # fmt: skip


def ended(cli: Call, folder: Path, session: str, *rows: dict[str, Any]) -> None:
    file = folder / f"{session}.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    sent = {"session_id": session, "cwd": str(folder), "transcript_path": str(file)}
    cli("hook", "claude-code", "end", stdin=json.dumps(sent))
    cli("hook", "--finish")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_folder: None) -> Path:
    made = tmp_path / "work"
    subprocess.run(["git", "init", "-q", str(made)], check=True)
    monkeypatch.chdir(made)
    return made


def said(text: str, role: str = "user") -> dict[str, Any]:
    return {"type": role, "uuid": text[:20], "message": {"role": role, "content": text}}


@pytest.mark.covers("B4.24")
def test_what_ran_well_in_four_sessions_is_one_candidate(home: Path, cli: Call, folder: Path) -> None:
    for number in range(6):
        rows = (
            said("fix the parser"),
            *call(1, "make test"),
            *call(2, "ls"),
            *call(3, "make lint", fails=True),
        )
        ended(cli, folder, f"s{number}", *rows)
        ended(cli, folder, f"s{number}", *rows)
        pool = [one["payload"] for one in cli("list", "--set", "low_value", "--json").json["blocks"]]
        assert pool == (["To run the tests, run `make test`."] if number >= 3 else []), number
    (one,) = cli("heartbeat", "--json").json["items"]
    cli("reject", one["id"], "--yes")
    ended(cli, folder, "s9", said("fix the parser"), *call(1, "make test"))
    assert cli("list", "--set", "low_value", "--json").json["blocks"] == []


def test_a_cause_that_a_success_follows_is_an_episode(home: Path, cli: Call, folder: Path) -> None:
    cause = said("The issue was a stale cache in conf.py. I clear it now.", "assistant")
    wrong = said("It turns out the disk is full.", "assistant")
    rows = (said("the tests fail, why?"), cause, *call(1, "make clean"), *call(2, "make test"), wrong)
    ended(cli, folder, "s1", *rows)
    ended(cli, folder, "s1", *rows)
    told = [one for one in cli("episode", "list", "--json").json["episodes"] if one["success"]]
    assert [(one["task"], one["reflection"]) for one in told] == [
        ("the tests fail, why?", "The issue was a stale cache in conf.py.")
    ]
    assert told[0]["action"] == "make clean\nmake test"
    assert told[0]["project"] == cli("project", "--json").json["project"]


def test_what_repeats_in_one_project_is_proposed_there_alone(
    home: Path, cli: Call, folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def add(task: str, *, at: Path) -> None:
        monkeypatch.chdir(at)
        for day in range(3):
            name = ("--task", f"{task} {day}", "--type", task.split()[-1], "--action")
            cli("episode", "add", *name, f"flush the {task.split()[-1]}", "--success")
            cli("episode", "add", *name, f"restart the {task.split()[-1]}", "--failed")

    other = tmp_path / "other"
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    add("repair the cache", at=folder)
    add("render the chart", at=folder)
    add("render the chart", at=other)
    cli("distill")
    blocks = cli("list", "--set", "low_value", "--json").json["blocks"]
    told = cli("episode", "list", "--json").json["episodes"]
    here = next(one["project"] for one in told if one["type"] == "cache")
    assert here and {(one.get("project", ""), "cache" in one["payload"]) for one in blocks} == {
        (here, True),
        ("", False),
    }


def test_a_transcript_is_read_once(
    home: Path, cli: Call, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[object] = []
    real = transcripts.rows_of
    monkeypatch.setattr(transcripts, "rows_of", lambda row: seen.append(row) or real(row))
    stored: list[object] = []
    parse = store.message_of
    monkeypatch.setattr(store, "message_of", lambda row: stored.append(row) or parse(row))
    rows = [said(f"The issue was number {at}.", ("user", "assistant")[at % 2]) for at in range(40)]
    ended(cli, folder, "s1", *rows, *call(1, "make test"))
    assert (len(seen), len(stored)) == (42, 40)


def test_a_dry_run_names_no_project(home: Path, cli: Call, folder: Path) -> None:
    local = home / "local.jsonc"
    before = local.read_text("utf-8") if local.exists() else ""
    cli("episode", "add", "--task", "repair", "--action", "flush", "--success", "--dry-run")
    assert (local.read_text("utf-8") if local.exists() else "") == before
    cli("episode", "add", "--task", "repair", "--action", "flush", "--success")
    assert "work-" in local.read_text("utf-8")
