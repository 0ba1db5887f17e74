"""What the system refuses where nobody expected it is a sentence and exit 3; a reader that went away is no failure."""

import json
import os
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.case_tables import table

Call = Callable[..., Any]
Start = Callable[..., subprocess.Popen[str]]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", [("namespace", "list"), ("heartbeat", "--json")])
def test_an_answer_that_cannot_be_written_is_the_disks_fault(
    home: Path, start: Start, arguments: tuple[str, ...]
) -> None:
    with Path("/dev/full").open("w") as full:
        command = start(*arguments, stdout=full)
    assert command.wait(30) == 3
    said = command.stderr.read() if command.stderr else ""
    assert "no space left" in said
    assert "Exception" not in said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_an_act_whose_answer_cannot_be_written_is_said_to_be_done(
    home: Path, start: Start, cli: Call
) -> None:
    with Path("/dev/full").open("w") as full:
        command = start("remember", "green tea", stdout=full)
    said = command.communicate(timeout=30)[1]
    assert command.returncode == 3
    assert "the answer cannot be written" in said
    assert "is done" in said
    assert [one["payload"] for one in cli("list", "--json").json["blocks"]] == ["green tea"]


@table("arguments")
def test_a_time_that_no_zone_or_span_can_be_added_to_is_none(
    home: Path, cli: Call, arguments: tuple[str, ...]
) -> None:
    done = cli(*arguments, check=False)
    assert done.code == 2
    assert "not a time" in done.stderr


@pytest.mark.parametrize(
    ("language", "said"), [("en", "TZ is not a time zone: UTC-99"), ("zh", "TZ 不是时区：UTC-99")]
)
def test_a_zone_a_day_off_is_none(home: Path, run: Call, language: str, said: str) -> None:
    for arguments in (("remember", "x"), ("list",), ("heartbeat", "--json"), ("log",)):
        done = run(*arguments, env={"TZ": "UTC-99", "ALICE_LANG": language}, check=False)
        assert (done.code, said in done.stderr) == (2, True), (arguments, done)
    assert run("remember", "x", env={"TZ": "UTC-23:59"}).code == 0


def test_a_reader_that_went_away_is_no_failure(home: Path, start: Start) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = start("namespace", "list", "--json", stdout=writing)
    os.close(writing)
    assert command.wait(30) == 0
    assert "Exception" not in (command.stderr.read() if command.stderr else "")


def test_an_odd_place_that_refuses_is_named(home: Path, cli: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "/somewhere/odd")

    import alice_exp.finding.cli as face

    monkeypatch.setattr(face, "listing", refuse)
    done = cli("list", "--json", check=False)
    said = json.loads(done.stderr)["error"]
    assert (done.code, said["code"], said["path"]) == (3, "problem", "/somewhere/odd")
    assert "permission denied" in said["message"]


def test_doctor_finds_an_index_that_says_something_else(home: Path, cli: Call) -> None:
    cli("remember", "green tea")
    os.utime(home / "experiences/personal/user_preferences.jsonc", (1_700_000_000, 1_700_000_000))
    cli("recall", "tea")
    path = home / "state/index.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE files SET taken = taken + 10000000000")
    assert cli("doctor").code == 0
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE blocks SET body = replace(body, 'green', 'black')")
    assert "personal/user_preferences.jsonc" in cli("doctor").stdout
    cli("doctor", "--fix", "--yes")
    assert cli("recall", "tea", "--json").json["matches"][0]["payload"] == "green tea"
