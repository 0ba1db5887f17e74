"""One list of blocks, episodes, the diary and conversations, with where each is from (R4.23, R4.26)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alice_exp.finding.usecases import Filters

Call = Callable[..., Any]


@pytest.fixture
def lived(home: Path, cli: Call) -> Call:
    cli("remember", "the user deploys with kamal")
    cli("episode", "add", "--task", "deploy with kamal to staging", "--action", "kamal deploy", "--success")
    cli("event", "add", "DECISION: deploy with kamal, no longer with capistrano")
    cli("session", "start", "demo")
    cli("session", "say", "demo", "what was wrong when you deployed with kamal yesterday?")
    return cli


def test_context_answers_from_everything_that_was_lived(lived: Call) -> None:
    answer = lived("context", "deploy with kamal", "--json").json
    assert next(one["source"] for one in answer["matches"]) == "block"
    assert {one["source"] for one in answer["matches"]} == {"block", "episode", "diary", "conversation"}
    by_source = {one["source"]: one for one in answer["matches"]}
    assert by_source["episode"]["id"].startswith("ep-") and by_source["diary"]["id"] == "1"
    assert by_source["conversation"]["id"] == "demo#0"
    lines = answer["text"].splitlines()
    assert lines[0] == "[User Memory]" and "[diary 1, " in answer["text"] and len(lines) == 5
    assert all({"id", "set", "state", "payload", "score", "match"} <= one.keys() for one in answer["matches"])


def test_who_asks_for_a_set_or_a_state_asks_for_blocks(lived: Call) -> None:
    for more in (("--set", "personal"), ("--min-state", "past"), ("--min-importance", "0.4")):
        found = lived("context", "deploy with kamal", *more, "--json").json["matches"]
        assert {one["source"] for one in found} == {"block"}, more


def test_what_a_block_rests_on_is_not_told_again(home: Path, cli: Call) -> None:
    cli("session", "start", "demo")
    cli("session", "say", "demo", "我喜欢吃辣")
    cli("session", "end", "demo")
    found = cli("context", "用户喜欢什么", "--json").json["matches"]
    assert [one["source"] for one in found] == ["block"]


def test_records_alone_are_an_answer_and_nothing_is_exit_4(home: Path, cli: Call) -> None:
    cli("event", "add", "the red folder holds the key")
    cli("event", "add", "lunch with Kim")
    cli("event", "add", "a walk in the park")
    assert cli("event", "stats", "--json").json["total_compressions"]
    told = cli("context", "red folder", "--json").json["matches"]
    assert [(one["source"], one["id"]) for one in told if one["source"] == "diary"] == [("diary", "1")]
    assert cli("context", "zeppelin", check=False).code == 4


def test_a_program_gets_the_same_list(lived: Call, home: Path) -> None:
    import alice_exp

    alice = alice_exp.Alice(home, "user")
    found = alice.recollect("deploy with kamal")
    assert {one.source for one in found} == {"block", "episode", "diary", "conversation"}
    assert "[diary 1, " in alice.context("deploy with kamal")
    assert alice.context("deploy with kamal", filters=Filters(min_state="past")).count("\n") == 1


def test_recall_tells_episodes_beside_blocks_within_one_act(home: Path, cli: Call) -> None:
    assert cli("recall", "rotate the signing keys", check=False).code == 4
    cli("episode", "add", "--task", "rotate the signing keys", "--action", "keytool roll", "--success")
    answer = cli("recall", "rotate the signing keys", "--json").json
    assert answer["matches"] == [] and [one["action"] for one in answer["episodes"]] == ["keytool roll"]
    assert answer["episodes"][0]["source"] == "episode"
    assert "keytool roll (ok)" in cli("recall", "rotate the signing keys").stdout
    assert cli("recall", "rotate the signing keys", "--set", "personal", check=False).code == 4
    assert cli("recall", "bake a cake with keys", check=False).code == 4


def test_what_is_said_in_like_words_is_told_once(home: Path, cli: Call) -> None:
    for day in (1, 2, 3):
        at = f"2026-02-0{day}T09:00:00Z"
        cli(
            "episode",
            "add",
            "--task",
            f"import csv {day}",
            "--action",
            "read it whole",
            "--failed",
            "--at",
            at,
        )
    cli("episode", "add", "--task", "import csv 4", "--action", "stream it", "--success")
    for name in ("one", "two"):
        cli("session", "start", name)
        cli("session", "say", name, "user", "how was the csv import again?")
    found = cli("context", "csv import", "--json").json["matches"]
    assert sorted(one["source"] for one in found) == ["conversation", "episode", "episode"]
    (failed,) = [one for one in found if "whole" in one["payload"]]
    assert failed["at"].startswith("2026-02-03")


def test_a_secret_is_not_told_to_a_prompt(home: Path, cli: Call) -> None:
    cli("remember", "the password of the router is hunter22!x")
    cli("session", "start", "demo")
    cli("session", "say", "demo", "what is the router for? its password is tr0ub4dor!")
    answer = cli("context", "the password of the router", "--json")
    assert len(answer.json["matches"]) == 2
    assert "hunter22" not in answer.stdout and "tr0ub4dor" not in answer.stdout
    # Who asks for the block itself gets it.
    assert "hunter22!x" in cli("recall", "the password of the router").stdout
