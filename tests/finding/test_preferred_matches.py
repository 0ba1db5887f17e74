"""A day that a question names brings what was kept on it to the front, and nothing else into the answer."""

import json
from pathlib import Path

import pytest

from tests.case_tables import cases, table
from tests.conftest import Call

KEPT = cases(__file__, "KEPT")


@pytest.fixture
def kept(home: Path, cli: Call) -> Call:
    rows = [{"payload": text, "key": key, "created_at": f"{day}T09:00:00Z"} for day, text, key in KEPT]
    cli("memorize", "--from", "-", stdin="\n".join(json.dumps(row, ensure_ascii=False) for row in rows))
    return cli


@table("query", "first")
def test_the_named_day_comes_first(kept: Call, query: str, first: str) -> None:
    found = kept("recall", query, "--json").json["matches"]
    assert found[0]["key"] == first
    assert all(one["key"] != "walk" for one in found)


def test_the_named_day_is_looked_for_behind_the_best_few(kept: Call) -> None:
    found = kept("recall", "the budget meeting on 5 May", "--top", "1", "--json").json["matches"]
    assert [one["key"] for one in found] == ["may"]


def test_a_day_alone_answers_nothing_that_the_words_do_not(kept: Call) -> None:
    said = kept("recall", "the price of bananas on 5 May", "--json", check=False)
    assert said.json["matches"] == []


def test_what_was_seen_on_a_day_is_of_it_too(home: Path, cli: Call) -> None:
    seen = {"kind": "note", "at": "2025-05-05T09:00:00Z", "quote": "seen in the log"}
    rows = [
        {
            "payload": "the server was slow when the nightly jobs of the shop ran",
            "key": "seen",
            "evidence": [seen],
        },
        {"payload": "the server was slow", "key": "other"},
    ]
    cli("memorize", "--from", "-", stdin="\n".join(map(json.dumps, rows)))
    found = cli("recall", "the server was slow", "--json").json["matches"]
    assert [one["key"] for one in found] == ["other", "seen"]
    found = cli("recall", "the server was slow on 5 May", "--json").json["matches"]
    assert [one["key"] for one in found] == ["seen", "other"]


def test_the_tag_of_a_goal_is_no_ground_to_apply_it(home: Path, cli: Call) -> None:
    cli("remember", "打算五月去云南自驾", "--tag", "计划")
    assert "自驾" in cli("recall", "用户的计划").stdout
    assert "自驾" not in cli("decide", "定疫苗计划", check=False).stdout
    assert "自驾" in cli("decide", "安排去云南").stdout
