"""The daily report: what it shows, in which form, on which day (R2.39-R2.44, D17, D23, D27, D28, D30; B2.20-B2.26)."""

import json
import os
import pty
import re
import select
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alice_exp.kernel.text.display import cells
from tests.approvals import trust_as_it_stands
from tests.case_tables import table
from tests.conftest import ROOT, Call
from tests.cost import seconds

FIRST = "2026-02-13T09:00:00Z"
LAST_SECOND = "2026-02-20T08:59:59Z"
OVER = "2026-02-20T09:00:00Z"
Git = Callable[..., str]


def at(moment: str) -> dict[str, str]:
    return {"ALICE_NOW": moment}


def edit(home: Path, path: str, change: Callable[[str], str]) -> None:
    file = home / "experiences" / path
    file.write_text(change(file.read_text(encoding="utf-8")), encoding="utf-8")


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


def test_near_duplicates_and_contradictions_stand_together(sample: Path, cli: Call) -> None:
    report = cli("heartbeat", "--json").json
    found = [
        (item["id"], one["relation"], one["where"], one["id"])
        for item in report["items"]
        for one in item["relations"]
        if one["relation"] != "near"
    ]
    assert found == [
        ("exp-yf9oceyb", "opposes", "trusted", "exp-c78jx2vd"),
        ("exp-cwtlg9nb", "same", "waiting", "exp-ncmhkfko"),
        ("exp-ncmhkfko", "same", "waiting", "exp-cwtlg9nb"),
    ]
    groups = {item["id"]: item["group"] for item in report["items"] if item["group"]}
    assert groups == {"exp-cwtlg9nb": 1, "exp-ncmhkfko": 1}
    (opposite,) = [item["number"] for item in report["items"] if item["id"] == "exp-yf9oceyb"]
    assert f"Opposite of what you trust: {opposite}." in report["summary"]
    assert [item["number"] for item in report["items"]] == [*range(1, len(report["items"]) + 1)]


def test_what_is_about_the_person_stands_in_no_group_of_work(home: Path, cli: Call) -> None:
    cli("memorize", "format Python code with ruff", "--about", "user")
    cli("memorize", "Python code is formatted with ruff")
    cli("memorize", "format all Python code with ruff")
    items = cli("heartbeat", "--peek", "--json").json["items"]
    groups = {item["suggested"].partition("/")[0]: item["group"] for item in items}
    assert groups == {"personal": None, "universal": 1}


def test_what_changed_since_the_report_before_is_named(home: Path, cli: Call) -> None:
    ids = [cli("remember", f"fact number {name}", "--json").json["id"] for name in ("one", "two", "three")]
    cli("heartbeat", env=at("2026-02-20T09:00:01Z"))
    for _ in range(9):
        cli("outcome", ids[0], "ok", env=at("2026-02-20T10:00:00Z"))
    cli("outcome", ids[1], "fail", "--scenario", "A", env=at("2026-02-20T10:00:00Z"))
    cli("outcome", ids[1], "fail", "--scenario", "A", env=at("2026-02-20T10:00:01Z"))
    cli("outcome", ids[2], "ok", env=at("2026-02-20T10:00:00Z"))
    report = cli("heartbeat", "--json", env=at("2026-02-21T09:00:00Z")).json
    rows = {row["id"]: (row["effect"], row["from"], row["to"], row["times"]) for row in report["changed"]}
    assert rows == {
        ids[0]: ("promoted", "past", "reliable", 9),
        ids[1]: ("demoted", "past", "possible", 2),
        ids[2]: ("verified", "past", "past", 1),
    }
    assert "One block was promoted. One block was demoted." in report["summary"]
    again = cli("heartbeat", "--json", env=at("2026-02-21T18:00:00Z")).json
    assert again["changed"] == report["changed"], "the same day's report says the same again"
    assert cli("heartbeat", "--json", env=at("2026-02-22T09:00:00Z")).json["changed"] == []


@pytest.mark.covers("B2.43")
def test_a_block_refuted_before_anyone_saw_it_is_named(home: Path, cli: Call) -> None:
    cli("heartbeat")
    block_id = cli("memorize", "the port is 80", "--json").json["id"]
    cli("outcome", block_id, "fail", env=at("2026-02-20T10:00:00Z"))
    report = cli("heartbeat", "--json", env=at("2026-02-21T09:00:00Z")).json
    assert [(row["id"], row["effect"], row["set"]) for row in report["changed"]] == [
        (block_id, "withheld", "low_value")
    ]
    assert [item["id"] for item in report["items"]] == [block_id], "it waits for the person with its record"
    made = cli("decide", "which port", "--json", env=at("2026-02-21T09:30:00Z"), check=False).json
    assert made["applied"] == [], "and is not applied meanwhile"


def doubted(home: Path, cli: Call) -> str:
    """A block that an agent's failures of three days brought into doubt, after twelve successes."""
    told = ("memorize", "go through staging", "--when", "deploying billing", "--json")
    block_id = str(cli(*told, env=at("2026-01-01T08:00:00Z")).json["id"])
    cli("approve", block_id, "--yes", env=at("2026-01-01T08:30:00Z"))
    agent = {"ALICE_ACTOR": "agent"}
    for day in range(12):
        cli("outcome", block_id, "ok", env={**agent, **at(f"2026-01-{day + 1:02}T09:00:00Z")})
    for day in range(5):
        cli("outcome", block_id, "fail", env={**agent, **at(f"2026-02-{day + 1:02}T09:00:00Z")})
    return block_id


def test_a_block_in_doubt_is_asked_about_weekly_and_kept_with_one_word(home: Path, cli: Call) -> None:
    block_id = doubted(home, cli)
    shown = cli("show", block_id, "--json").json
    since = shown["doubt"]["since"]
    assert since == "2026-02-04T09:00:00Z" and shown["record"] == {"ok": 12, "failed": 5}
    asked = {
        day: [
            row["id"]
            for row in cli("heartbeat", "--json", env=at(f"2026-02-{day:02}T10:00:00Z")).json["review"]
        ]
        for day in (5, 5, 6, 7, 12, 13, 20)
    }
    assert {day for day, ids in asked.items() if ids} == {5, 12, 20}, (
        "weekly, and not lost by who looks seldom"
    )
    text = cli("heartbeat", env=at("2026-02-28T10:00:00Z")).stdout
    assert "In doubt: which no longer holds?" in text and f"alice-exp keep {block_id}" in text
    assert cli("keep", block_id, env={"ALICE_ACTOR": "agent"}, check=False).code == 6
    kept = cli("keep", block_id, "--json", env=at("2026-02-28T11:00:00Z")).json
    assert kept["id"] == block_id and kept["doubt"] == 0.25 and kept["commit"]
    assert cli("heartbeat", "--json", env=at("2026-03-27T10:00:00Z")).json["review"] == []


def test_what_is_in_doubt_is_observed_until_the_person_answers(home: Path, cli: Call) -> None:
    doubt = doubted(home, cli)
    made = cli("decide", "deploying billing", "--json", check=False).json
    assert (made["tier"], made["applied"]) == ("reasoning", [])
    assert [one["doubt"]["failed"] for one in made["observing"]] == [5]
    cli("keep", doubt)
    made = cli("decide", "deploying billing", "--json").json
    assert [one["id"] for one in made["applied"]] == [doubt]


def test_what_a_person_said_and_contradicted_is_asked_again_until_they_answer(home: Path, cli: Call) -> None:
    old = cli("remember", "用户在阿里工作", "--json", env=at(FIRST)).json["id"]
    new = cli("remember", "用户跳槽到腾讯了", "--json", env=at("2026-02-14T09:00:00Z")).json["id"]

    def asked(day: str) -> list[tuple[str, str]]:
        report = cli("heartbeat", "--json", env=at(f"2026-{day}T09:00:00Z")).json
        assert (new in report["summary"]) == bool(report["settle"])
        return [(one["id"], one["with"]["id"]) for one in report["settle"]]

    assert [len(asked(day)) for day in ("02-15", "02-16", "02-21", "02-22")] == [1, 0, 1, 0]
    assert asked("02-28") == [(new, old)]
    cli("keep", old, env=at("2026-03-01T11:00:00Z"))
    assert asked("03-14") == [(new, old)], "that one of them is true says nothing about the other"
    cli("approve", new, "--both", old, "--yes", env=at("2026-03-15T11:00:00Z"))
    assert asked("04-11") == []


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


@pytest.mark.covers("R3.33")
def test_settled_blocks_that_fade_are_offered(home: Path, cli: Call) -> None:
    block_id = cli("remember", "learn one chapter a week", "--type", "goal", "--json").json["id"]
    for _ in range(9):
        cli("outcome", block_id, "ok")
    fresh = cli("heartbeat", "--json", env=at("2026-05-20T09:00:00Z")).json
    faded = cli("heartbeat", "--json", env=at("2026-05-23T09:00:00Z")).json
    assert (fresh["fading"], [row["id"] for row in faded["fading"]]) == ([], [block_id])


@pytest.mark.covers("R2.5")
def test_what_a_person_types_into_universal_waits(home: Path, cli: Call) -> None:
    edit(
        home,
        "universal/tool_usage.jsonc",
        lambda text: text.replace("[]", '[{"payload": "use fd, not find"}]'),
    )
    (row,) = cli("heartbeat", "--json").json["unapproved"]
    assert row["payload"] == "use fd, not find"
    assert cli("recall", "use fd, not find", "--json", check=False).json["matches"][0]["approved"] is False
    cli("approve", row["id"], "--yes")
    assert cli("heartbeat", "--json").json["unapproved"] == []


def test_what_a_person_trusted_and_went_out_of_a_file_is_named_with_its_words(home: Path, cli: Call) -> None:
    cli("heartbeat")
    tea = cli("remember", "I like tea", "--json").json["id"]
    gone, namespace = (cli("remember", "I take the train", "--json").json[key] for key in ("id", "namespace"))
    path = home / "experiences" / f"personal/{namespace}.jsonc"
    cli("heartbeat", env={"ALICE_NOW": "2026-02-20T10:00:00Z"})
    path.unlink()
    later = {"ALICE_NOW": "2026-02-21T10:00:00Z"}
    report = cli("heartbeat", "--json", env=later).json
    assert {row["id"]: (row["standing"], row["payload"]) for row in report["lost"]} == {
        tea: ("trusted", "I like tea"),
        gone: ("trusted", "I take the train"),
    }
    assert "The files lack 2 decisions of yours" in report["summary"]
    cli("restore", gone, env=later)
    report = cli("heartbeat", env=later)
    assert "I like tea" in report.stdout and "train" not in report.stdout


def test_trust_raised_by_hand_and_a_changed_configuration_are_named(home: Path, cli: Call) -> None:
    kept = [cli("remember", f"habit {name}", "--json").json["id"] for name in ("one", "two")]
    cli("heartbeat")
    path = "personal/user_preferences.jsonc"
    edit(home, path, lambda text: text.replace('"habit one"', '"habit one", "verifications": 40'))
    edit(home, path, lambda text: text.replace("habit two", "habit number two"))
    edit(home, "config.jsonc", lambda text: text.replace('"capacity": 1000', '"capacity": 500'))
    report = cli("heartbeat", "--json", env=at("2026-02-20T10:00:00Z")).json
    assert cli("show", kept[0], "--json").json["verifications"] == 40
    assert sorted(report["by_hand"]) == sorted([kept[0], "config.jsonc"])
    assert "Changed by hand" in cli("heartbeat", env=at("2026-02-20T10:00:01Z")).stdout


def test_an_edit_that_only_takes_trust_away_is_not_named(home: Path, cli: Call) -> None:
    cli("remember", "one", "--json")
    cli("heartbeat")
    edit(
        home,
        "personal/user_preferences.jsonc",
        lambda text: text.replace('"one"', '"on", "state": "possible"'),
    )
    assert cli("list", "--json").json["blocks"][0]["state"] == "possible"
    assert cli("heartbeat", "--json").json["by_hand"] == []


def test_problems_in_files_are_named(home: Path, cli: Call) -> None:
    edit(
        home,
        "universal/tool_usage.jsonc",
        lambda text: text.replace("[]", '[{"payload": "x", "payload": "y"}]'),
    )
    report = cli("heartbeat", "--json").json
    assert report["problems"][0]["path"] == "universal/tool_usage.jsonc"
    assert "One file has a problem" in report["summary"]


# ------------------------------------------------------------------------------------------------ counts and days


@pytest.mark.covers("R2.40")
def test_new_counts_since_the_last_report_and_today_since_midnight(home: Path, cli: Call) -> None:
    cli("memorize", "late yesterday", env=at("2026-02-19T23:50:00Z"))
    cli("heartbeat", env=at("2026-02-19T23:55:00Z"))
    cli("memorize", "after the report", env=at("2026-02-19T23:58:00Z"))
    cli("memorize", "this morning", "--when", "at dawn", env=at("2026-02-20T08:00:00Z"))
    report = cli("heartbeat", "--json").json
    assert (len(report["items"]), report["new"], report["today"]) == (3, 2, 1)
    assert [item["new"] for item in report["items"]] == [False, True, True]
    newest = report["items"][2]
    assert (newest["trigger"], newest["payload"], newest["confidence"]) == ("at dawn", "this morning", 0.3)
    tomorrow = cli("heartbeat", "--json", env=at("2026-02-21T09:00:00Z")).json
    assert (len(tomorrow["items"]), tomorrow["new"], tomorrow["today"]) == (3, 0, 0)


@pytest.mark.covers("R2.44")
def test_the_report_says_in_a_sentence_what_waits(home: Path, cli: Call) -> None:
    cli("memorize", "use rg")
    told = cli("heartbeat", "--json").json["summary"]
    assert told.startswith("One thing waits for your decision")
    assert told in cli("heartbeat").stdout
    assert "条等你决定" in cli("--lang", "zh", "heartbeat").stdout


def test_nothing_new_makes_no_commit_and_keeps_the_numbers(home: Path, cli: Call, git: Git) -> None:
    cli("memorize", "one")
    first = cli("heartbeat", "--json").json
    head = git(home, "rev-parse", "HEAD")
    assert cli("heartbeat", "--json").json["items"] == first["items"]
    assert cli("heartbeat", "--json", env=at("2026-02-21T09:00:00Z")).json["items"][0]["number"] == 1
    assert git(home, "rev-parse", "HEAD") == head


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


@pytest.mark.covers("B2.22")
def test_the_next_writer_removes_it_in_its_own_commit(shown: str, cli: Call, home: Path, git: Git) -> None:
    before = int(git(home, "rev-list", "--count", "HEAD"))
    cli("memorize", "another thing", env=at(LAST_SECOND))
    assert shown in (home / "experiences/low_value_pool/pending_20260212.jsonc").read_text(encoding="utf-8")
    cli("memorize", "a third thing", env=at(OVER))
    assert int(git(home, "rev-list", "--count", "HEAD")) == before + 2
    assert not (home / "experiences/low_value_pool/pending_20260212.jsonc").exists()
    assert f"Alice-Expired: {shown}" in git(home, "log", "-1", "--format=%B")
    report = cli("heartbeat", "--json", env=at("2026-02-20T10:00:00Z")).json
    assert [(row["id"], row["effect"], row["payload"]) for row in report["changed"]] == [
        (shown, "expired", "the port is 80")
    ]


def test_restore_brings_it_back_with_a_new_clock(shown: str, cli: Call) -> None:
    cli("heartbeat", env=at(OVER))
    cli("restore", shown, env=at("2026-02-20T09:05:00Z"))
    (item,) = cli("heartbeat", "--json", env=at("2026-03-20T09:00:00Z")).json["items"]
    assert (item["id"], item["expires_at"]) == (shown, "2026-03-27T09:00:00Z")


def test_the_day_that_a_candidate_expires_is_not_silent(shown: str, cli: Call) -> None:
    later = at("2026-02-21T09:00:00Z")
    assert "one thing waits for your decision" in cli("list", env=later).stderr
    cli("remember", "whatever else", env=later)
    assert "one candidate expired unanswered" in cli("recall", "else", env=at("2026-02-22T09:00:00Z")).stderr
    changed = cli("status", "--json", env=later).json["changed"]
    assert [(one["id"], one["effect"]) for one in changed] == [(shown, "expired")]
    assert "expired unanswered" in cli("heartbeat", env=later).stdout


def test_what_a_person_retired_or_revived_is_called_so(home: Path, cli: Call) -> None:
    one = cli("remember", "I like tea", "--json").json["id"]
    for day, act in ((21, ("retire", one, "--reason", "no longer")), (22, ("revive", one, "--yes"))):
        cli("heartbeat", env=at(f"2026-02-{day}T08:00:00Z"))
        cli(*act, env=at(f"2026-02-{day}T09:00:00Z"))
        report = cli("heartbeat", "--json", env=at(f"2026-02-{day}T10:00:00Z")).json
        assert [row["effect"] for row in report["changed"]] == [f"{act[0]}d"]
        assert f"You {act[0]}d one block." in report["summary"]


def test_a_card_says_what_came_of_the_uses_that_nobody_wrote_a_note_on(home: Path, cli: Call) -> None:
    one = cli("memorize", "use rg", "--when", "searching", "--json").json["id"]
    for result in ("ok", "ok", "fail"):
        cli("outcome", one, result)
    (item,) = cli("heartbeat", "--json").json["items"]
    assert item["evidence"] == "outcome ok 2, outcome fail"


@pytest.mark.covers("B2.21")
def test_a_month_away_loses_nothing(home: Path, cli: Call) -> None:
    block_id = cli("memorize", "the port is 80", "--json").json["id"]
    cli("memorize", "something else", env=at("2026-03-02T09:00:00Z"))
    report = cli("heartbeat", "--json", env=at("2026-03-20T09:00:00Z")).json
    assert report["items"][0]["id"] == block_id
    assert report["items"][0]["expires_at"] == "2026-03-27T09:00:00Z"


# ----------------------------------------------------------------------------------------------------- rejection


def test_a_rejected_inference_typed_into_the_pool_does_not_stay(home: Path, cli: Call, git: Git) -> None:
    block_id = cli("memorize", "用户喜欢吃辣", "--json").json["id"]
    cli("heartbeat")
    cli("reject", "1")
    pool = home / "experiences/low_value_pool/pending_20260220.jsonc"
    pool.write_text(
        '{"blocks": [{"payload": "吃辣，用户喜欢～"}, {"payload": "用户不喜欢吃辣"}]}', encoding="utf-8"
    )
    looked = cli("list", "--json", env=at("2026-02-20T09:30:00Z"))
    assert [one["payload"] for one in looked.json["blocks"]] == ["用户不喜欢吃辣"]
    assert f"rejected before, as {block_id}" in looked.stderr
    assert f"revive {block_id} --from-rejected" in looked.stderr
    report = cli("heartbeat", "--json", env=at("2026-02-20T10:00:00Z")).json
    assert [item["payload"] for item in report["items"]] == ["用户不喜欢吃辣"]
    (back,) = report["returned"]
    assert (back["payload"], back["rejected"], back["set"]) == ("用户喜欢吃辣", block_id, None)
    refused = cli("restore", back["id"], check=False)
    assert (refused.code, block_id in refused.stderr) == (6, True)
    assert "吃辣，用户喜欢" not in pool.read_text(encoding="utf-8")
    assert "吃辣，用户喜欢" in git(home, "log", "-p", "--format=%an"), (
        "what the person typed is kept in history"
    )
    cli("revive", block_id, "--from-rejected", "--yes", env=at("2026-02-20T10:01:00Z"))
    again = cli("heartbeat", "--json", env=at("2026-02-20T10:02:00Z")).json
    assert sorted(item["payload"] for item in again["items"]) == ["用户不喜欢吃辣", "用户喜欢吃辣"]


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


def test_markdown_lets_no_text_format_anything(home: Path, cli: Call) -> None:
    cli("memorize", "a | b <b>bold</b> `code` [link](http://example.com)", "--when", "*always*")
    text = cli("heartbeat", "--format", "markdown").stdout
    row = next(line for line in text.splitlines() if line.startswith("| 1 |"))
    assert r"a \| b \<b\>bold\</b\> \`code\` \[link\](http://example.com)" in row
    assert r"\*always\*" in row


def test_chinese_and_english_say_the_same(sample: Path, cli: Call) -> None:
    english = cli("heartbeat", "--json").json
    chinese = cli("heartbeat", "--json", "--lang", "zh").json
    assert {**english, "summary": ""} == {**chinese, "summary": ""}
    assert chinese["summary"].startswith("有 11 条等你决定，都是新的。")
    assert not re.search("[a-z]{4,} [a-z]{2,} [a-z]{2,}", re.sub("'[^']*'", "", chinese["summary"]))


# ------------------------------------------------------------------------------------------- first of the day


def test_d30_the_first_command_of_a_day_names_what_waits_once(home: Path, cli: Call, git: Git) -> None:
    cli("memorize", "one")
    plain = cli("check")
    head = git(home, "rev-parse", "HEAD")
    first = cli("check", env=at("2026-02-21T00:00:00Z"))
    second = cli("check", env=at("2026-02-21T23:59:59Z"))
    assert first.stderr == "alice-exp: one thing waits for your decision: alice-exp heartbeat\n"
    assert (plain.stderr, second.stderr) == ("", "")
    assert first.stdout == second.stdout == plain.stdout
    assert git(home, "rev-parse", "HEAD") == head, "a line starts no clock"
    # An agent is up first: what its command shows is no notice to the person.
    assert cli("check", env={**at("2026-02-22T00:00:00Z"), "ALICE_ACTOR": "agent"}).stderr
    assert cli("check", env=at("2026-02-22T00:00:00Z")).stderr


@table("command")
def test_these_commands_are_never_preceded_by_it(home: Path, cli: Call, command: tuple[str, ...]) -> None:
    cli("memorize", "one")
    cli("heartbeat")
    assert "alice-exp heartbeat" not in cli(*command, env=at("2026-02-21T09:00:00Z")).stderr


def test_the_day_begins_where_the_person_lives(home: Path, cli: Call) -> None:
    edit(home, "config.jsonc", lambda text: text.replace('"timezone": ""', '"timezone": "Asia/Shanghai"'))
    assert cli("check", env=at("2026-02-21T01:00:00Z")).stderr
    assert cli("check", env=at("2026-02-21T15:59:59Z")).stderr == ""
    assert cli("check", env=at("2026-02-21T16:00:00Z")).stderr
    assert cli("check", env=at("2026-02-22T15:59:59Z")).stderr == ""


def test_a_person_who_wants_none_gets_none(home: Path, cli: Call) -> None:
    edit(home, "config.jsonc", lambda text: text.replace('"auto": true', '"auto": false'))
    assert cli("check", env=at("2026-02-21T09:00:00Z")).stderr == ""


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
    from alice_exp.app.opening import open_session
    from alice_exp.review.cli.daily_notice import greet
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


def test_a_group_keeps_its_number_while_others_are_decided(home: Path, cli: Call) -> None:
    pairs = (
        ("deploying", "run the smoke tests after a deploy"),
        ("naming", "name a branch after its ticket"),
    )
    for when, text in pairs:
        cli("memorize", text, "--when", when)
        cli("memorize", f"always {text}", "--when", f"when {when}")
    before = {item["id"]: item["group"] for item in cli("heartbeat", "--json").json["items"]}
    assert sorted(before.values()) == [1, 1, 2, 2]
    cli("reply", "approve group 1", "--yes")
    after = {item["id"]: item["group"] for item in cli("heartbeat", "--peek", "--json").json["items"]}
    assert after == {block_id: 2 for block_id, group in before.items() if group == 2}
    done = cli("reply", "reject group 2", "--yes", "--json").json
    assert sorted(done["rejected"]) == sorted(after)


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


def test_what_another_candidate_says_already_is_said_beside_it(home: Path, cli: Call) -> None:
    cli("memorize", "Close the file handle after reading", "--when", "reading files")
    cli("memorize", "after reading, close the file handle", "--when", "file handles")
    told = cli("heartbeat").stdout
    assert "says the same as 1" in told or "says the same as 2" in told
