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


def test_a_program_gets_the_same_list(lived: Call, home: Path) -> None:
    import alice_exp

    alice = alice_exp.Alice(home, "user")
    found = alice.recollect("deploy with kamal")
    assert {one.source for one in found} == {"block", "episode", "diary", "conversation"}
    assert "[diary 1, " in alice.context("deploy with kamal")
    assert alice.context("deploy with kamal", filters=Filters(min_state="past")).count("\n") == 1


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
