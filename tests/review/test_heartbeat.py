"""The daily report: what it shows, in which form, on which day (R2.39-R2.44, D17, D23, D27, D28, D30; B2.20-B2.26)."""

import json
import os
import pty
import re
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from alice_exp.kernel.text.display import cells
from tests.approvals import trust_as_it_stands
from tests.case_tables import table
from tests.conftest import ROOT, Call
from tests.cost import seconds

FIRST = "2026-02-13T09:00:00Z"


def at(moment: str) -> dict[str, str]:
    return {"ALICE_NOW": moment}


# ------------------------------------------------------------------------------------------------- what it shows


@pytest.mark.covers("RC.7")
def test_the_table_and_the_json_have_the_same_rows(sample: Path, cli: Call) -> None:
    report = cli("heartbeat", "--json").json
    text = cli("heartbeat").stdout
    assert report["new"] == 11
    assert report["today"] == 6
    assert len(report["items"]) == 11
    for item in report["items"]:
        (row,) = [
            line for line in text.splitlines() if item["id"] in line and line.startswith(str(item["number"]))
        ]
        assert item["payload"] in row
        assert f"{item['state']} {item['confidence']:.1f}" in row
        assert item["suggested"] in row
        assert item["evidence"] in row
    assert report["summary"] in text
    assert report["summary"].startswith("11 things wait for your decision, all of them new.")


def test_what_another_machine_approved_beside_another_value_is_asked_about_once(
    home: Path, cli: Call
) -> None:
    old = cli("remember", "the weekly report goes out on Thursday", "--json", env=at(FIRST)).json["id"]
    new = cli(
        "memorize", "the weekly report goes out on Monday", "--json", env=at("2026-02-14T08:00:00Z")
    ).json["id"]
    report = cli("heartbeat", "--json", env=at("2026-02-14T09:00:00Z")).json
    assert report["items"][0]["relations"][0]["relation"] == "replaces"
    cli("approve", new, "--replaces", old, "--yes", env=at("2026-02-14T09:05:00Z"))
    for path in (home / "experiences").glob("*/*.jsonc"):  # As a merge leaves them, where nobody was asked.
        path.write_text(re.sub(r'\s*"replaces": \[[^]]*\],?', "", path.read_text()))
    trust_as_it_stands(home)
    days = [
        cli("heartbeat", "--json", env=at(f"2026-02-{day}T09:00:00Z")).json["settle"] for day in (15, 16, 21)
    ]
    assert [[(one["id"], one["with"]["id"]) for one in day] for day in days] == [[(new, old)], [], []]


# ------------------------------------------------------------------------------------------------ counts and days


def test_a_lost_state_is_read_back_from_history(home: Path, cli: Call) -> None:
    cli("memorize", "one")
    cli("memorize", "two", env=at("2026-02-20T09:00:01Z"))
    first = cli("heartbeat", "--json", env=at("2026-02-20T10:00:00Z")).json
    for file in filter(Path.is_file, (home / "state").iterdir()):
        file.unlink()
    again = cli("heartbeat", "--peek", "--json", env=at("2026-02-20T10:00:00Z")).json
    assert (again["report"], again["items"]) == (first["report"], first["items"])


@pytest.mark.covers("BX.100")
@pytest.mark.parametrize("is_lost", [False, True])
def test_a_second_report_of_a_day_gives_no_number_to_another_thing(
    home: Path, cli: Call, is_lost: bool
) -> None:
    def numbers(moment: str) -> dict[str, int]:
        items = cli("heartbeat", "--json", env=at(moment)).json["items"]
        return {item["payload"]: item["number"] for item in items}

    for text in ("zinc", "work in pairs", "water the plants"):
        cli("memorize", text, env=at("2026-02-20T09:00:00Z"))
    first = numbers("2026-02-20T10:00:00Z")
    gone, *rest = sorted(first, key=lambda one: first[one])
    cli("reject", str(first[gone]), env=at("2026-02-20T10:01:00Z"))
    cli("memorize", "I live in Berlin", "--about", "user", env=at("2026-02-20T10:02:00Z"))
    for moment in ("2026-02-20T11:00:00Z", "2026-02-20T12:00:00Z"):
        assert numbers(moment) == {one: first[one] for one in rest} | {"I live in Berlin": 4}
        for file in filter(Path.is_file, (home / "state").iterdir() if is_lost else ()):
            file.unlink()
    cli("reply", "approve 1", "--yes", env=at("2026-02-20T12:30:00Z"), check=False)
    assert {block["state"] for block in cli("list", "--set", "low_value", "--json").json["blocks"]} == {
        "possible"
    }
    assert len(cli("heartbeat", "--peek", "--json", env=at("2026-02-20T12:30:00Z")).json["items"]) == 3
    assert sorted(numbers("2026-02-21T10:00:00Z").values()) == [1, 2, 3], "a new day counts anew"


@pytest.mark.covers("BX.101")
def test_an_example_names_only_what_waits_and_is_decided_along_with_others(home: Path, cli: Call) -> None:
    for text in (
        "one is done",
        "two waits",
        "the key is sk-proj-4fK9aQ2LxT7vB1nM8cZ3eR6yW5uH0jD2",
        "three waits",
    ):
        cli("memorize", text)
    items = {item["payload"]: item["number"] for item in cli("heartbeat", "--json").json["items"]}
    cli("reply", f"approve {items['one is done']}", "--yes")
    one, two = sorted((items["two waits"], items["three waits"]))
    assert f"reply approve {one}, reject {two}" in cli("heartbeat", "--peek", "--json").json["summary"]
    hint = json.loads(cli("reply", "approve the perhaps", "--json", check=False).stderr)["error"]["hint"]
    named = {int(number) for number in re.findall(r"\d+", hint)}
    assert len(named) == 2 and items["one is done"] not in named
    said = json.loads(cli("reply", "all but the key one", "--json", check=False).stderr)["error"]["hint"]
    assert not re.search(rf"\b{items['one is done']}\b", said), said


# ------------------------------------------------------------------------------------------------------- expiry


@pytest.fixture
def shown(home: Path, cli: Call) -> str:
    """A candidate that a report showed on 2026-02-13 at nine."""
    block_id: str = cli("memorize", "the port is 80", "--json", env=at("2026-02-12T09:00:00Z")).json["id"]
    cli("heartbeat", env=at(FIRST))
    return block_id


# ----------------------------------------------------------------------------------------------------- rejection


# ---------------------------------------------------------------------------------------------------------- forms


def test_the_page_is_one_file_that_asks_the_world_for_nothing(sample: Path, cli: Call) -> None:
    cli("memorize", '<script>alert("x")</script> [a](http://example.com)')
    page = cli("heartbeat", "--format", "html").stdout
    assert page.startswith("<!DOCTYPE html>")
    # Its own one script, whose hash its policy names (tests/review/test_report_page.py).
    body = re.sub(r"<script>.*?</script>", "", page, count=1, flags=re.DOTALL)
    assert not re.search(r"<(?:script|link|img|iframe)|(?:src|href)=|@import|url\(", body)
    assert "&lt;script&gt;" in page
    assert "prefers-color-scheme:dark" in page
    assert page.count("<li id=") == 12


def test_chinese_and_english_say_the_same(sample: Path, cli: Call) -> None:
    english = cli("heartbeat", "--json").json
    chinese = cli("heartbeat", "--json", "--lang", "zh").json
    assert {**english, "summary": ""} == {**chinese, "summary": ""}
    assert chinese["summary"].startswith("有 11 条等你决定，都是新的。")
    assert not re.search("[a-z]{4,} [a-z]{2,} [a-z]{2,}", re.sub("'[^']*'", "", chinese["summary"]))


# ------------------------------------------------------------------------------------------- first of the day


@table("command")
def test_these_commands_are_never_preceded_by_it(home: Path, cli: Call, command: tuple[str, ...]) -> None:
    cli("memorize", "one")
    cli("heartbeat")
    assert "alice-exp heartbeat" not in cli(*command, env=at("2026-02-21T09:00:00Z")).stderr


@pytest.mark.covers("R2.39")
def test_an_agents_line_does_not_take_the_persons_report_away(home: Path, cli: Call) -> None:
    cli("memorize", "one")
    agent = {**at("2026-02-21T08:00:00Z"), "ALICE_ACTOR": "agent"}
    assert cli("list", env=agent).stderr
    assert cli("list", env=agent).stderr == ""
    screen = on_terminal(home, "list", moment="2026-02-21T09:00:00Z")
    assert "One thing waits for your decision" in screen
    assert "waits for your decision" not in on_terminal(home, "list", moment="2026-02-21T09:01:00Z")
    report = cli("heartbeat", "--json", "--peek", env=at("2026-02-21T09:02:00Z")).json
    assert report["items"][0]["expires_at"] is None, "a notice is no report: it starts no clock"


def test_on_a_terminal_of_60_columns_nothing_is_cut_or_overflows(sample: Path) -> None:
    screen = on_terminal(sample, "heartbeat", columns=60)
    from alice_exp.kernel.text.display import cells

    lines = screen.replace("\r", "").split("\n")
    assert max(cells(line) for line in lines) <= 60
    assert "按 reported_at 去重，补传的旧点不触发告警" in screen.replace("\r\n     ", "")


def test_a_later_command_of_the_day_pays_next_to_nothing(home: Path, cli: Call) -> None:
    from alice_exp.app.opening import greet, open_session
    from alice_exp.terminal.console import Terminal

    cli("list")
    terminal = Terminal(open_session)
    greet(terminal, "list")
    assert seconds(lambda: [greet(terminal, "list") for _ in range(100)]) / 100 < 0.003


def test_each_screen_names_the_next_one_and_counts_what_comes_behind_it(home: Path, cli: Call) -> None:
    lines = "\n".join(f'{{"payload": "lesson {n} of topic {n}"}}' for n in range(25))
    cli("memorize", "--from", "-", stdin=lines)
    said = [on_terminal(home, "heartbeat", "--page", str(page)) for page in (1, 2, 3)]
    assert "15 more" in said[0] and "--page 2" in said[0]
    assert "5 more" in said[1] and "--page 3" in said[1]
    assert "more are" not in said[2] and "--page" not in said[2]
    assert "25 things wait" in said[0] and "things" not in said[2], "the summary is read once"


def test_the_line_of_a_decision_fits_the_terminal(home: Path, cli: Call) -> None:
    for text in ("发布之前先在预发环境把所有接口完整地回归一遍，然后再通知值班的同事", "short"):
        cli("memorize", text)
    cli("heartbeat")
    said = on_terminal(home, "approve", "1", "2", "--yes", columns=80)
    lines = [line.rstrip() for line in said.splitlines() if "approved:" in line]
    assert len(lines) == 2 and all(cells(line) <= 80 for line in lines)
    assert any("…" in line for line in lines) and any("short" in line for line in lines)


def on_terminal(home: Path, *arguments: str, moment: str = "2026-02-20T09:00:00Z", columns: int = 80) -> str:
    """What a person sees on a terminal: stdin, stdout and stderr are one."""
    environment: dict[str, Any] = {
        **os.environ,
        "ALICE_HOME": str(home),
        "ALICE_NOW": moment,
        "COLUMNS": str(columns),
        "PYTHONPATH": str(ROOT),
        "TERM": "dumb",
    }
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "alice_exp", *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
    )
    os.close(theirs)
    said = b""
    while select.select([ours], [], [], 20)[0]:
        try:
            piece = os.read(ours, 4096)
        except OSError:
            break
        if not piece:
            break
        said += piece
    process.wait(20)
    os.close(ours)
    return said.decode()
