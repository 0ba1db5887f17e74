"""What an agent did is read from each host's records: commands with their ends, edits, prompts, without secrets."""

import json
from pathlib import Path
from typing import Any

import pytest

from alice_exp.agents.rules import deeds_of
from alice_exp.conversations.rules.transcripts import read

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "host_actions.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("row", ROWS, ids=[row["host"] for row in ROWS])
def test_each_hosts_calls_are_read_with_their_ends(row: dict[str, Any]) -> None:
    deeds = deeds_of(read(row["records"]))
    assert [told for one in deeds if (told := one.prompt or one.told)] == row["did"]
    # A record again, as after a rewrite of the transcript, adds no call.
    again = deeds_of(read([*row["records"], *row["records"]]))
    assert [one.told for one in again if one.told] == [one.told for one in deeds if one.told]


def called(command: str, name: str = "Bash", key: str = "command") -> list[dict[str, Any]]:
    call = {"type": "tool_use", "id": "t", "name": name, "input": {key: command}}
    return [{"type": "assistant", "uuid": "1", "message": {"role": "assistant", "content": [call]}}]


def test_an_action_is_short_and_holds_no_secret() -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    (one,) = deeds_of(read(called(f"curl -H 'Authorization: token {key}' x && " + "y " * 300)))
    assert key not in one.told and one.told.startswith("curl") and len(one.told) <= 200


def test_what_a_helper_did_is_not_the_sessions() -> None:
    assert deeds_of(read([{**row, "isSidechain": True} for row in called("rm -r build")])) == []


def test_a_reading_of_a_file_is_no_edit() -> None:
    (one,) = deeds_of(read(called("a.py", "Read", "file_path")))
    assert not one.is_edit and one.told == ""


@pytest.mark.parametrize(
    "nonsense", [{"message": {"content": [[{"name": 1, "input": "x"}]]}}, {"parts": 3}, {}]
)
def test_what_reads_as_no_call_is_passed_over(nonsense: dict[str, Any]) -> None:
    assert deeds_of(read([nonsense])) == []
