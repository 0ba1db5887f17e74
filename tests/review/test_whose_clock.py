"""An agent's clock decides nothing: what waits goes with a person's report or act alone (N1.12)."""

import shlex
from pathlib import Path
from typing import Any

import pytest

from alice_exp.kernel.journal.act import Actor
from tests.case_tables import cases
from tests.conftest import Call

FIRST, WEEK, AWAY, FAR = (
    {"ALICE_NOW": f"{day}T09:00:00Z"} for day in ("2026-02-20", "2026-02-27", "2026-03-13", "2036-01-01")
)
AGENT = {"ALICE_ACTOR": "agent:claude"}

BY_NO_PERSON = tuple(cases(__file__, "BY_NO_PERSON"))
UNNAMED = tuple(one.removeprefix("--actor agent ") for one in BY_NO_PERSON if "--actor agent " in one)
"""The same of an agent that nothing tells but its parents."""


@pytest.fixture
def waiting(home: Path, cli: Call) -> tuple[str, str]:
    """One candidate that the person saw, one that nobody did, and a conversation of that day."""
    cli("session", "start", "told", env=FIRST)
    cli("session", "say", "told", "user", "hello", env=FIRST)
    seen = cli("memorize", "green tea boils at 80", "--json", env=FIRST | AGENT).json["id"]
    cli("heartbeat", env=FIRST)
    unseen = cli("memorize", "black tea boils at 95", "--json", env=FIRST | AGENT).json["id"]
    return seen, unseen


def _pool(cli: Call, env: dict[str, str]) -> set[str]:
    return {row["id"] for row in cli("list", "--set", "low_value", "--json", env=env).json["blocks"]}


@pytest.mark.parametrize(
    ("words", "above"),
    [
        *((one, None) for one in BY_NO_PERSON),
        *((one, (Actor("agent", "aider"), "PID 7: aider")) for one in UNNAMED),
    ],
)
def test_no_run_but_a_persons_takes_away_or_hides_what_waits(
    home: Path, cli: Call, waiting: tuple[str, str], words: str, above: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("alice_exp.caller.acting._by_parents", lambda: above)
        cli(*shlex.split(words), env=FAR, check=False)
    assert set(waiting) <= _pool(cli, FAR | AGENT)
    found = cli("recall", "tea boils", "--set", "low_value", "--json", env=FAR | AGENT).json["matches"]
    assert set(waiting) <= {row["id"] for row in found}
    for env in (FIRST, FAR | AGENT):
        rows = cli("heartbeat", "--peek", "--json", env=env).json["items"]
        items = {item["id"]: item["days_left"] for item in rows}
        assert [items[one] for one in waiting] == [7 if env is FIRST else 0, None]
    assert (home / "sessions/told.jsonl").exists()


def test_a_tool_of_mcp_has_no_other_clock(home: Path, cli: Call, waiting: tuple[str, str]) -> None:
    from alice_exp import Alice

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ALICE_NOW", FAR["ALICE_NOW"])
        alice = Alice(str(home), actor="agent")
        alice.memorize("yet another lesson")
        alice.call("heartbeat_summary", {})
    assert set(waiting) <= _pool(cli, FIRST)


@pytest.mark.parametrize("words", ["heartbeat", "remember 'I like tea'"])
def test_after_three_weeks_nothing_has_vanished_unseen(
    home: Path, cli: Call, waiting: tuple[str, str], words: str
) -> None:
    """What the person saw with its days left is told as expired, and comes back; what nobody saw has all its days."""
    import shlex

    seen, unseen = waiting
    for env in (WEEK, AWAY):
        cli("memorize", f"a lesson of {env['ALICE_NOW']}", env=env | AGENT)
        cli("heartbeat", "--unseen", env=env)
    assert set(waiting) <= _pool(cli, AWAY)
    cli(*shlex.split(words), env=AWAY)
    report = cli("heartbeat", "--json", env=AWAY).json
    assert [(row["id"], row["effect"]) for row in report["changed"]] == [(seen, "expired")]
    assert {item["id"]: item["days_left"] for item in report["items"]}[unseen] == 7
    assert len(report["items"]) == 3
    cli("restore", seen, env=AWAY)
    assert seen in _pool(cli, AWAY)
