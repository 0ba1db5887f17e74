"""Finding, deciding, knowing: REQUIREMENTS D 31-37 and 49-52 through the real commands."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alice_exp.app.opening import open_session
from alice_exp.learning.rules.impact import grade
from tests.case_tables import cases, table

Call = Callable[..., Any]


def typed(home: Path, where: str, *blocks: dict[str, Any]) -> None:
    """Type blocks into a file by hand; those in universal are approved by a person."""
    path = home / "experiences" / f"{where}.jsonc"
    path.write_text(json.dumps({"blocks": list(blocks)}, ensure_ascii=False), encoding="utf-8")


def block(block_id: str, payload: str, **fields: Any) -> dict[str, Any]:
    """A block about deploying."""
    return {
        "id": f"exp-{block_id:2<8}",
        "trigger": "deploy the billing service",
        "payload": payload,
        **fields,
    }


def test_a_crash_after_the_fold_counts_no_read_twice(home: Path, cli: Call) -> None:
    known = cli("remember", "我喜欢吃辣", "--json").json["id"]
    cli("show", known)
    kept = (home / "state" / "access.jsonl").read_bytes()
    cli("heartbeat")

    segment = dict(next(open_session(str(home), "user").history.log()).trailers)["Access"]
    (home / "state" / f"access-{segment}.jsonl").write_bytes(kept)
    assert cli("show", known, "--json").json["access_count"] == 2


def test_d51_old_blocks_have_defaults_and_only_open_decisions_go_with_the_state(
    home: Path, cli: Call, git: Callable[..., str]
) -> None:
    import shutil

    typed(home, "personal/user_preferences", block("aaa", "ask the owner first"))
    (old,) = cli("list", "--json").json["blocks"]
    assert (old["access_count"], old["last_accessed_at"], old["consolidation_score"]) == (0, None, 0.0)
    text = (home / "experiences/personal/user_preferences.jsonc").read_text("utf-8")
    assert "access_count" not in text and "consolidation_score" not in text
    done = cli("decide", "deploy the billing service", "--json").json["decision"]
    cli("outcome", done, "ok")
    cli("memorize", "try a canary", "--when", "deploying")
    cli("heartbeat")
    opened = cli("decide", "deploy the billing service", "--json").json["decision"]
    before = cli("list", "--json").json
    head = git(home, "rev-parse", "HEAD")
    shutil.rmtree(home / "state")
    after = cli("list", "--json").json
    assert [
        {**one, "access_count": 0, "consolidation_score": 0, "last_accessed_at": 0, "decay": 0}
        for one in after["blocks"]
    ] == [
        {**one, "access_count": 0, "consolidation_score": 0, "last_accessed_at": 0, "decay": 0}
        for one in before["blocks"]
    ]
    assert git(home, "rev-parse", "HEAD") == head
    assert cli("outcome", opened, "ok", check=False).code == 4, "an open decision goes with the state"
    assert cli("outcome", done, "ok", check=False).code == 6, "one that had its outcome is known from git"


def test_d52_vectors_borders_and_what_an_assessment_leaves_alone(home: Path, cli: Call) -> None:
    for count, fields, score, level in cases(__file__, "EMPTY"):
        blocks = [block(f"{'abcdefghij'[n] * 3}", f"Python fact {n}", **fields) for n in range(count)]
        typed(home, "universal/tool_usage", *({**one, "trigger": "Python"} for one in blocks))
        told = cli("assess", "Python", "--json").json
        assert told["score"] == pytest.approx(score, abs=5e-5)
        assert (told["confidence"], len(told["evidence"])) == (level, min(count, 5))
    borders = [grade(score) for score in (0.8, 0.7999, 0.5, 0.4999, 0.2, 0.1999)]
    assert borders == ["high", "medium", "medium", "low", "low", "very_low"]
    assert {one["access_count"] for one in cli("list", "--json").json["blocks"]} == {0}, "no read is counted"
    nothing = cli("assess", "knitting scarves", "--json", check=False)
    assert (nothing.code, nothing.json["confidence"], nothing.json["score"]) == (4, "none", 0.0)


@table("arguments", "code")
def test_mistakes_are_usage(home: Path, cli: Call, arguments: list[str], code: int) -> None:
    done = cli(*arguments, check=False)
    assert done.code == code
    assert done.stderr.count("\n") == 1
