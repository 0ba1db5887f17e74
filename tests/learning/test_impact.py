"""What blocks bring: ``impact`` by rule and by command."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from alice_exp.learning.rules.impact import impact
from alice_exp.model.values.block import (
    Approved,
    Archived,
    Block,
    Payload,
    Place,
    Placed,
    State,
    content_hash,
    path_of,
)

Call = Callable[..., Any]
Row = tuple[int, int, int, int]

HELPS: Row = (90, 10, 50, 50)
HURTS: Row = (50, 50, 90, 10)


def lesson(
    name: str, row: Row | None, place: Place = "universal", state: State = "possible", origin: str = ""
) -> Placed:
    """An approved block with a row at one half."""
    block = Block(
        f"exp-{name}",
        Payload(f"do {name}"),
        state=state,
        trial={"0.5": row} if row else {},
        archived=Archived(origin, "2026-02-20T09:00:00Z", "obsolete") if origin else None,
    )
    approved = Approved("2026-02-20T09:00:00Z", "user", content_hash(block))
    return Placed(replace(block, approved=approved), path_of(place, "tool_usage"))


def test_the_portfolio_adds_all_up_and_the_most_used_stands_first() -> None:
    found = impact([lesson("b", (8, 2, 5, 5)), lesson("c", None), lesson("a", HELPS)])
    assert found.portfolio.uses == 220
    assert (found.portfolio.applied, found.portfolio.held_out) == pytest.approx((98 / 110, 0.5))
    assert found.portfolio.verdict == "helps" and 0 < found.portfolio.low < found.portfolio.high
    assert [one.placed.block.id for one in found.blocks] == ["exp-a", "exp-b"]
    assert [one.brought.verdict for one in found.blocks] == ["helps", "open"]


@pytest.mark.parametrize(
    ("row", "place", "state", "proposal"),
    [
        (HELPS, "universal", "possible", "promote"),
        (HELPS, "universal", "past", "promote"),
        (HELPS, "universal", "reliable", "keep"),
        (HELPS, "personal", "past", "keep"),
        (HURTS, "universal", "past", "retire"),
        (HURTS, "personal", "reliable", "retire"),
        ((8, 2, 5, 5), "universal", "past", "keep"),
    ],
)
def test_what_follows(row: Row, place: Place, state: State, proposal: str) -> None:
    (found,) = impact([lesson("a", row, place, state)]).blocks
    assert found.proposal == proposal


def test_what_failed_and_was_archived_counts_in_the_portfolio_alone() -> None:
    gone = lesson("gone", HURTS, "archive", "obsolete", "universal/tool_usage")
    found = impact([lesson("a", HELPS), gone])
    assert found.portfolio.uses == 400 and found.portfolio.verdict == "open"
    assert [one.placed.block.id for one in found.blocks] == ["exp-a"]


def test_what_no_person_approved_does_not_count() -> None:
    candidate = lesson("new", HELPS, "low_value")
    refused = lesson("no", HELPS, "archive", "obsolete", "low_value_pool/pending_20260220")
    changed = lesson("changed", HELPS)
    changed = replace(changed, block=replace(changed.block, payload=Payload("other words")))
    found = impact([candidate, refused, changed])
    assert (found.portfolio.uses, found.blocks) == (0, ())


# -- the command --------------------------------------------------------------------------------------------------

EMPTY = {"uses": 0, "with": None, "without": None, "low": -1.0, "high": 1.0, "verdict": "open"}


def typed(home: Path, *blocks: dict[str, Any]) -> None:
    path = home / "experiences/personal/workflow_habits.jsonc"
    path.write_text(json.dumps({"blocks": list(blocks)}), encoding="utf-8")


def test_where_no_lot_was_drawn_it_says_how_to_begin(home: Path, cli: Call) -> None:
    typed(home, {"id": "exp-aaa22222", "payload": "ask first"})
    done = cli("impact", "--json")
    assert (done.code, done.json) == (0, {"portfolio": EMPTY, "blocks": []})
    assert "alice-exp config set trial.share 0.04" in cli("impact").stdout
    assert "alice-exp config set trial.share 0.04" in cli("impact", env={"ALICE_LANG": "zh"}).stdout
    cli("config", "set", "trial.share", "0.04")
    assert "4% of decisions" in cli("impact").stdout


def test_the_answer(home: Path, cli: Call) -> None:
    typed(
        home,
        {"id": "exp-aaa22222", "payload": "ask first", "state": "possible", "trial": {"0.5": list(HELPS)}},
        {"id": "exp-bbb22222", "payload": "ship at once", "state": "past", "trial": {"0.5": [3, 1, 0, 0]}},
    )
    told = cli("impact", "--json").json
    assert list(told) == ["portfolio", "blocks"]
    assert list(told["portfolio"]) == ["uses", "with", "without", "low", "high", "verdict"]
    first, second = told["blocks"]
    assert list(first) == ["id", *told["portfolio"], "payload", "proposal"]
    assert (first["id"], first["payload"], first["proposal"]) == ("exp-aaa22222", "ask first", "promote")
    assert (first["uses"], first["with"], first["without"], first["verdict"]) == (200, 0.9, 0.5, "helps")
    assert (second["with"], second["without"], second["verdict"]) == (0.75, None, "open")
    assert told["portfolio"]["uses"] == 204

    lines = cli("impact").stdout.splitlines()
    assert [line.split("  ")[0] for line in lines] == [
        "block",
        "all together",
        "exp-aaa22222",
        "exp-bbb22222",
    ]
    assert "helps" in lines[2] and "promote" in lines[2] and "ask first" in lines[2]
    assert "not known yet" in lines[3] and "–" in lines[3] and "keep" in lines[3]


def test_many_blocks_are_cut_on_the_terminal_alone(home: Path, cli: Call) -> None:
    typed(
        home,
        *(
            {"id": f"exp-{letter}aa22222", "payload": f"do {letter}", "trial": {"0.04": [1, 0, 0, 0]}}
            for letter in "abcdefghjkmnpqrstuvwxyz"
        ),
    )
    assert len(cli("impact", "--json").json["blocks"]) == 23
    assert cli("impact").stdout.endswith("and 3 more\n")
