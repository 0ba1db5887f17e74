"""An agent that does as it is told, decide, act, report with what it did, teaches what its tasks hold and nothing else."""

import json
import random
from pathlib import Path

import pytest

from alice_exp import Alice
from tests.case_tables import cases
from tests.conftest import Call

NOTES = dict(cases(__file__, "NOTES"))
"""Remarks that go with success and failure and are no lesson."""


def days(seed: int) -> list[tuple[str, dict[str, str], str, bool]]:
    """24 tasks in any order: task, context, action, success. Two things hold: reading all rows at once fails where the
    table is large, and a deploy with a frozen lock file works where one without fails."""
    rows = []
    for n in range(12):
        size = "large" if n % 2 else "small"
        action = (
            "read page by page" if n % 3 == 0 else f"query all rows {('at once', 'in one go')[n // 2 % 2]}"
        )
        task = f"export the sales report of the {('north', 'south', 'east', 'west')[n % 4]}"
        rows.append((task, {"size": size}, action, not (size == "large" and "all rows" in action)))
        frozen = n % 2 == 0
        action = (
            "install with the frozen lock file, then deploy" if frozen else "install the newest, then deploy"
        )
        rows.append((f"deploy {('billing', 'search', 'mail')[n % 3]} to staging", {}, action, frozen))
    random.Random(seed).shuffle(rows)
    return rows


@pytest.mark.covers("BX.7")
@pytest.mark.parametrize("seed", range(3))
def test_its_24_tasks_teach_both_lessons_and_none_that_is_false(home: Path, cli: Call, seed: int) -> None:
    agent, chance = Alice(home, "agent:obedient"), random.Random(seed)
    for task, context, action, ok in days(seed):
        decision = agent.call("decide", {"task": task, "context": context})["decision"]
        told = {"id": decision, "ok": ok, "action": action, "note": chance.choice(NOTES[ok])}
        agent.call("report_outcome", told)
    proposals = cli("distill", "--json").json["proposals"]
    said = [f"{one['trigger']}: {one['payload']}" for one in proposals]
    assert len(said) >= 2, said
    true = {
        "export": ("all rows", "size=large"),
        "deploy": ("frozen lock file", ""),
        "deploy_": ("newest", ""),
    }
    for one in said:
        assert any(word in one and where in one for word, where in true.values()), one
        assert one.count("size=large") <= 1 and not any(
            note in one for notes in NOTES.values() for note in notes
        )
    assert any("all rows" in one for one in said) and any("deploy" in one for one in said)


def test_the_diary_tells_its_decisions_in_words(home: Path, cli: Call) -> None:
    block = cli("remember", "freeze the lock file", "--when", "deploying to staging", "--json").json["id"]
    agent = Alice(home, "agent:obedient")
    for task, action in (
        ("deploy search to staging", ""),
        ("deploy mail to staging", "froze it, deployed"),
        ("knit a scarf", ""),
    ):
        decision = agent.call("decide", {"task": task})["decision"]
        agent.call("report_outcome", {"id": decision, "ok": True, **({"action": action} if action else {})})
    told = [one["action"] for one in cli("event", "list", "--json").json["events"]]
    assert sorted(told) == ["followed 1 lesson", "froze it, deployed", "own reasoning"]
    assert block not in cli("event", "list").stdout


@pytest.mark.covers("BX.9")
def test_decide_answers_a_procedure_whole_and_without_what_is_empty(home: Path, cli: Call) -> None:
    long = "watch the dashboard: " + ", ".join(f"look at panel {n} for a minute" for n in range(40))
    ids = {}
    for text in ("never deploy to staging on a Friday", long):
        ids[text] = cli("memorize", text, "--when", "deploying to staging", "--json").json["id"]
        cli("heartbeat")
        cli("approve", ids[text], "--yes")
    candidate = cli("memorize", "knit with two needles", "--when", "knitting a scarf", "--json").json["id"]
    agent = Alice(home, "agent:obedient")
    answer = agent.call("decide", {"task": "deploying to staging"})
    assert set(answer) == {"decision", "tier", "constraints", "steps", "note"}
    (constraint,), (step,) = answer["constraints"], answer["steps"]
    assert (constraint["id"], step["id"]) == tuple(ids.values())
    assert step["payload"] == long and step["approved"] and "approved 2026-02-20" in step["from"]
    assert set(step) == {"id", "trigger", "payload", "approved", "from"}
    assert long in cli("decide", "deploying to staging").stdout
    unseen = agent.call("decide", {"task": "knitting a scarf"})
    assert set(unseen) == {"decision", "tier", "alternatives", "warnings", "disclaim"}
    assert [one["id"] for one in unseen["alternatives"]] == [candidate]
    assert "reviewed by nobody" in unseen["alternatives"][0]["from"]
    assert set(agent.call("decide", {"task": "quantum chromodynamics"})) == {"decision", "tier"}


def test_three_lessons_take_at_most_a_kilobyte(home: Path, cli: Call) -> None:
    for text in ("check the dashboard first", "tag the release commit", "never deploy on a Friday"):
        cli("memorize", text, "--when", "deploying the service to production")
    cli("heartbeat")
    for number in ("1", "2", "3"):
        cli("approve", number, "--yes")
    answer = Alice(home, "agent:x").call("decide", {"task": "deploying the service to production"})
    assert len(answer["steps"]) + len(answer["constraints"]) == 3
    assert len(json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()) <= 1000
