"""``status``: one screen, at 80 columns, in both languages; it counts what the report counts and starts nothing."""

from collections.abc import Callable
from pathlib import Path

import pytest

from alice_exp.kernel import VERSION
from alice_exp.kernel.text.display import cells
from tests.conftest import Call


def test_a_new_home_has_nothing_to_say_in_every_row(home: Path, cli: Call) -> None:
    lines = cli("status").stdout.splitlines()
    assert lines[0] == str(home)
    assert [line.split("  ")[1].strip() for line in lines[1:]] == [
        *("waiting", "in doubt", "changed", "problems", "hosts", "sync"),
    ]
    document = cli("status", "--json").json
    assert {name: document[name] for name in ("waiting", "doubts", "problems", "changed", "hosts")} == {
        "waiting": 0,
        "doubts": [],
        "problems": [],
        "changed": [],
        "hosts": [],
    }
    assert document["sync"] == {"last": None, "remotes": []}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_it_is_one_screen_of_a_full_home(
    sample: Path, cli: Call, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for number in range(30):
        cli("memorize", f"第 {number} 条：" + "一句很长的话" * 20)
    (sample / "experiences/universal/broken.jsonc").write_text('{"blocks": [}\n', "utf-8")
    said = cli("status", "--lang", lang).stdout
    assert len(said.splitlines()) <= 24
    assert all(cells(line) <= 80 for line in said.splitlines()[1:])
    assert "alice-exp check" in said and "broken.jsonc:1:" in said
    assert ("waiting" in said) == (lang == "en")


def test_it_counts_what_the_report_counts_and_commits_nothing(
    sample: Path, cli: Call, git: Callable[..., str]
) -> None:
    head = git(sample, "rev-parse", "HEAD")
    found = cli("status", "--json").json
    report = cli("heartbeat", "--peek", "--json").json
    assert found["waiting"] == len(report["items"]) > 0
    assert len(found["changed"]) == len(report["changed"])
    assert git(sample, "rev-parse", "HEAD") == head


def test_a_block_in_doubt_stands_there_until_the_person_answers(home: Path, cli: Call) -> None:
    one = cli("memorize", "use rg", "--when", "searching code", "--json").json["id"]
    cli("approve", one, "--yes")
    for day in range(1, 9):
        now = {"ALICE_NOW": f"2026-03-{day:02}T09:00:00Z"}
        cli("outcome", one, "fail", "--scenario", f"s{day}", "--actor", "agent", env=now)
    (found,) = cli("status", "--json").json["doubts"]
    assert found["id"] == one and found["since"]
    assert f"{one}  use rg" in cli("status").stdout and "alice-exp keep" in cli("status").stdout
    cli("keep", one)
    assert cli("status", "--json").json["doubts"] == []


def test_contradictions_are_counted_as_the_report_counts_them(home: Path, cli: Call) -> None:
    old, new = (cli("remember", said, "--json").json["id"] for said in ("用户在阿里工作", "用户跳槽到腾讯了"))
    found = cli("status", "--json").json["contradictions"]
    assert [{one["id"], one["with"]["id"]} for one in found] == [{old, new}]
    assert found == cli("heartbeat", "--peek", "--json").json["settle"]
    (row,) = (line for line in cli("status").stdout.splitlines() if "opposed" in line)
    assert "1: 'alice-exp review'" in row
    cli("approve", new, "--both", old, "--yes")
    assert "opposed" not in cli("status").stdout


def test_a_connected_host_and_the_last_sync_are_named(
    home: Path, world: Path, cli: Call, git: Callable[..., str]
) -> None:
    cli("mcp", "install", "cursor")
    assert [row["host"] for row in cli("status", "--json").json["hosts"]] == ["cursor"]
    git(home, "init", "-q", "--bare", str(world / "far.git"))
    cli("sync", "add", str(world / "far.git"), "--private", "--name", "far", "--yes")
    assert cli("status", "--json").json["sync"]["last"] is None
    assert "far: never" in cli("status").stdout
    cli("sync", env={"ALICE_NOW": "2026-02-20T10:00:00Z"})
    assert cli("status", "--json").json["sync"]["last"] == "2026-02-20T10:00:00Z"
    cli("config", "set", "timezone", "Asia/Shanghai")
    assert "far: 2026-02-20 18:00" in cli("status").stdout


def test_an_agent_may_look(home: Path, cli: Call) -> None:
    assert cli("status", "--actor", "agent").code == 0


def test_init_says_what_to_do_next_once_and_beside_the_answer(cli: Call) -> None:
    first, again = cli("init"), cli("init")
    assert first.stdout.count("\n") == 1
    assert all(f"alice-exp {name}" in first.stderr for name in ("remember", "heartbeat"))
    assert again.stderr == ""


def test_an_empty_list_says_how_to_begin(home: Path, cli: Call) -> None:
    assert "alice-exp remember" in cli("list").stderr
    assert "alice-exp remember" not in cli("list", "--tag", "x").stderr


def test_a_number_without_a_report_names_the_command_that_opens_one(home: Path, cli: Call) -> None:
    done = cli("approve", "1", "--yes", check=False)
    assert (done.code, "alice-exp heartbeat" in done.stderr) == (4, True)


def test_the_version_is_a_document_where_one_is_asked_for(world: Path, cli: Call) -> None:
    for words in (("--version", "--json"), ("--json", "--version")):
        assert cli(*words).json == {"version": VERSION}
