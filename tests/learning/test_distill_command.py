"""REQUIREMENTS D 44 and issue 5.2: what repeats becomes candidates, never above the pool."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Call = Callable[..., Any]


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
