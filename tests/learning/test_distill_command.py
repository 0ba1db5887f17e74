"""REQUIREMENTS D 44 and issue 5.2: what repeats becomes candidates, never above the pool."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]
AGAIN = {
    "task": "search code again",
    "type": "search",
    "context": {"repo": "alice"},
    "action": "rg",
    "success": True,
}


def record(cli: Call, count: int = 12) -> None:
    """rg works, grep times out; both in the same context."""
    rows = []
    for number in range(count):
        works = number % 2 == 0
        rows.append(
            {
                "task": f"search code for symbol {number}",
                "type": "search",
                "context": {"repo": "alice"},
                "action": "rg" if works else "grep -r",
                "success": works,
                "reward": 0.8 if works else 0.2,
                "reflection": "rg is fast" if works else "grep reads build output too",
                "at": f"2026-02-{number + 1:02}T00:00:00Z",
            }
        )
    cli("episode", "add", "-", stdin="".join(json.dumps(row) + "\n" for row in rows))


def commits(git: Callable[..., str], home: Path) -> int:
    return int(git(home, "rev-list", "--count", "HEAD"))


@pytest.mark.covers("B2.2")
def test_a_lived_success_becomes_a_past_candidate_that_cites_it(home: Path, cli: Call) -> None:
    words = ("--task", "导出报表", "--action", "utf-8-sig", "--success", "--reflection", "Excel 要 BOM")
    one = cli("episode", "add", *words, "--json")
    done = cli("distill", one.json["id"], "--json").json
    (block,) = [cli("show", found, "--json").json for found in done["ids"]]
    seen = (block["set"], block["state"], block["verifications"], block["type"])
    assert seen == ("low_value", "past", 1, "solution")
    assert [piece["ref"] for piece in block["evidence"]] == [one.json["id"]]
    assert "utf-8-sig" in block["payload"]


def test_plain_distill_speaks_through_a_single_episode_too(home: Path, cli: Call) -> None:
    one = cli("episode", "add", "--task", "t", "--action", "a", "--success", "--json").json["id"]
    done = cli("distill", "--json").json
    assert [proposal["episodes"] for proposal in done["proposals"]] == [[one]]


def test_what_worked_is_advice_and_what_failed_a_warning(
    home: Path, cli: Call, git: Callable[..., str], sound: Any
) -> None:
    record(cli)
    before = commits(git, home)
    planned = cli("distill", "--dry-run", "--json").json
    assert commits(git, home) == before
    done = cli("distill", "--explain", "--json").json
    assert commits(git, home) == before + 1
    assert [one["payload"] for one in done["proposals"]] == [one["payload"] for one in planned["proposals"]]
    kinds = {one["kind"]: one for one in done["proposals"]}
    assert kinds["advice"]["payload"].startswith("rg")
    assert kinds["warning"]["payload"].startswith("avoid: grep -r")
    shown = kinds["advice"]["explain"]
    assert (shown["successes"], shown["total"], shown["others"]) == (6, 6, {"successes": 0, "total": 6})
    assert 0 < shown["interval"][0] < shown["rate"] == 1.0
    for proposal in done["proposals"]:
        block = cli("show", proposal["id"], "--json").json
        assert (block["set"], block["state"], block["approved"]) == ("low_value", "past", False)
        assert {piece["ref"] for piece in block["evidence"]} == set(proposal["episodes"])
    assert "succeeded 6 of 6" in cli("distill", "--explain").stdout
    sound(home)


def test_twice_does_what_once_did(home: Path, cli: Call, git: Callable[..., str]) -> None:
    record(cli)
    first = cli("distill", "--json").json
    before = commits(git, home)
    again = cli("distill", "--json").json
    assert commits(git, home) == before
    assert (again["ids"], again["known"], again["commit"]) == ([], len(first["ids"]), None)


def test_new_episodes_grow_the_evidence_of_the_same_candidate(home: Path, cli: Call) -> None:
    record(cli)
    first = {one["kind"]: one["id"] for one in cli("distill", "--json").json["proposals"]}
    cli("episode", "add", "-", stdin=json.dumps(AGAIN))
    again = {
        one["kind"]: one for one in cli("distill", "--json").json["proposals"] if one["verdict"] == "proposed"
    }
    assert again["advice"]["id"] == first["advice"], "the same trait is the same candidate"
    refs = [piece["ref"] for piece in cli("show", first["advice"], "--json").json["evidence"]]
    assert len(refs) == len(set(refs)) == 7


def test_what_was_rejected_is_refused_even_when_its_words_change(
    home: Path, cli: Call, git: Callable[..., str]
) -> None:
    record(cli)
    first = {one["kind"]: one["id"] for one in cli("distill", "--json").json["proposals"]}
    cli("heartbeat")
    cli("reject", first["advice"], "--yes")
    before = commits(git, home)
    again = cli("distill", "--json").json
    assert (again["refused"], again["commit"]) == (1, None)
    cli(
        "episode",
        "add",
        "-",
        stdin=json.dumps(AGAIN | {"reflection": "another way to say it", "reward": 1.0}),
    )
    later = cli("distill", "--json").json
    (changed,) = [one for one in later["proposals"] if one["kind"] == "advice"]
    assert "another way to say it" in changed["payload"]
    assert (changed["verdict"], changed["id"]) == ("refused", first["advice"])
    assert commits(git, home) >= before + 1


def test_an_agent_may_distil_and_nothing_repeats_in_an_empty_book(home: Path, cli: Call) -> None:
    assert cli("--actor", "agent:x", "distill", "--json").json["proposals"] == []
    record(cli)
    assert cli("--actor", "agent:x", "distill", "--json").json["ids"]


def test_what_merely_happens_on_one_machine_is_not_one_kind_of_task(home: Path, cli: Call) -> None:
    told = [
        *(("deploy the billing service", "pushed on friday", False), ("deploy the mail service", "pushed on friday", False)),
        *(("deploy the search service", "pushed on friday", False), ("bake a rye loaf", "waited overnight", True)),
        *(("bake a wheat loaf", "waited overnight", True), ("bake a sourdough loaf", "waited overnight", True)),
        ("tune the piano", "used a fork", True),
    ]  # fmt: skip
    rows = [
        {"task": task, "action": action, "success": ok, "context": {"os": "linux", "host": "a"}}
        for task, action, ok in told
    ]
    cli("episode", "add", "-", stdin="".join(json.dumps(row) + "\n" for row in rows))
    proposals = cli("distill", "--explain", "--dry-run", "--json").json["proposals"]
    assert all(one["explain"]["others"]["total"] == 0 for one in proposals), proposals


def test_the_failures_behind_a_warning_are_none_of_its_own(home: Path, cli: Call) -> None:
    for ok, action in ((True, "make a backup first"), (False, "skip the backup")) * 4:
        way = "--success" if ok else "--failed"
        cli("episode", "add", "--task", "deploy the web service", "--action", action, way)
    proposals = cli("distill", "--json").json["proposals"]
    warning = next(one["id"] for one in proposals if one["kind"] == "warning")
    cli("heartbeat")
    cli("approve", warning, "--yes")
    decided = cli("decide", "deploy the web service").stdout
    assert "0 of" not in decided
    cli("outcome", warning, "ok")
    assert cli("show", warning, "--json").json["record"] == {"ok": 1, "failed": 0}


def test_what_decide_applied_is_no_action_to_advise(home: Path, cli: Call) -> None:
    """Two weeks of decisions gave "advice: trial: exp-…" and "avoid: reasoning: own reasoning"."""
    cli("remember", "freeze the clock", "--when", "the checkout test is flaky")
    for task, said in (
        *(("fix the flaky checkout test", "ok"),) * 4,
        *(("roll out billing to prod", "fail"),) * 4,
    ):
        decision = cli("decide", task, "--json", check=False).json["decision"]
        cli("outcome", decision, said)
        assert cli("distill", "--json").json["ids"] == []
    noted = cli("decide", "roll out billing to prod", "--json", check=False).json["decision"]
    episode = cli("outcome", noted, "fail", "--note", "the migration was missing", "--json").json["episode"]
    assert cli("distill", episode, "--json").json["ids"] == [], "a note is no lesson"
