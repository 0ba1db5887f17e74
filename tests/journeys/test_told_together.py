"""What was approved for one situation is told together, on every door and in both languages, and its failures are seen."""

import json
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from alice_exp.agents.operations import Connection, call
from alice_exp.agents.usecases.hook_answers import fitting
from alice_exp.app.opening import open_session
from tests.case_tables import cases, table

Call = Callable[..., Any]

RULES = dict(cases(__file__, "RULES"))


def at(day: int, hour: int = 9, agent: bool = False) -> dict[str, str]:
    when = {"ALICE_NOW": f"{date(2026, 3, 1) + timedelta(days=day)}T{hour:02}:00:00Z"}
    return {**when, "ALICE_ACTOR": "agent:claude"} if agent else when


def approved(cli: Call, when: str, *rules: str, day: int = 0, **more: Any) -> list[str]:
    rows = "\n".join(json.dumps({"payload": rule, "trigger": when, **more}) for rule in rules)
    ids: list[str] = cli("memorize", "--from", "-", "--json", stdin=rows, env=at(day, 1)).json["ids"]
    cli("heartbeat", env=at(day, 2))
    cli("approve", *ids, "--yes", env=at(day, 3))
    return ids


def told(cli: Call, task: str, day: int, hour: int = 9) -> tuple[str, list[str]]:
    made = cli("decide", task, "--json", env=at(day, hour, agent=True), check=False).json
    return made["decision"], [one["id"] for one in made["applied"]]


@pytest.mark.parametrize("language", RULES)
def test_five_approved_rules_of_one_situation_are_told_on_every_door(
    home: Path, cli: Call, language: str
) -> None:
    when, *rules = RULES[language]
    ids = set(approved(cli, when, *rules))
    assert set(told(cli, when, 1)[1]) == ids
    session = open_session(str(home), "agent:claude")
    answer = call(Connection(session), "decide", {"task": when})
    parts = ("constraints", "steps")
    assert {one["id"] for part in parts for one in answer.get(part, ())} == ids
    assert {one.block.id for one in fitting(session, when, "")} == ids
    primed = cli("prime", env=at(1)).stdout
    assert all(rule in primed for rule in rules)


@table("query", "facts")  # fmt: skip
def test_five_facts_about_the_person_are_told_where_they_fit(
    home: Path, cli: Call, query: str, facts: list[str]
) -> None:
    ids = {cli("remember", fact, "--json").json["id"] for fact in facts}
    assert {one["id"] for one in cli("context", query, "--json").json["matches"]} == ids


@pytest.mark.parametrize("is_named", [True, False])
def test_sixteen_failures_of_one_day_are_seen_by_the_twelfth_and_told_the_morning_after(
    home: Path, cli: Call, is_named: bool
) -> None:
    when, *rules = RULES["en"]
    ids = approved(cli, when, *rules)
    for day in range(11):
        cli("outcome", told(cli, when, day)[0], "ok", env=at(day, 10, agent=True))
    failures = []
    for number in range(16):
        decision, known = told(cli, when, 12, number)
        failures.append(len(known))
        cli("outcome", decision, "fail", env=at(12, number, agent=True))
    assert min(failures[12:]) < len(ids), failures
    report = cli("heartbeat", "--json", env=at(13)).json
    asked = report["review"][0]
    assert {asked["id"], *(one["id"] for one in asked["beside"])} <= set(ids)
    assert asked["failed"] > 2 and asked["uses"] <= 8
    assert {cli("show", one, "--json").json["set"] for one in ids} == {"universal"}, "nothing is archived"
    others = {*ids} - {ids[2]} if is_named else {*ids}
    before = {one: cli("show", one, "--json").json["evidence"] for one in others}
    cli(
        *(("retire", ids[2], "--reason", "no longer", "--yes") if is_named else ("keep", asked["id"])),
        env=at(13, 11),
    )
    after = {one: cli("show", one, "--json").json for one in others}
    assert ({one: block["evidence"] for one, block in after.items()} == before) is is_named
    last = {block["evidence"][-1]["effect"] for block in after.values()}
    assert ("still_true" in last, len(last)) == (not is_named, 1), (
        "failures leave the value where all hold alone"
    )
    assert {block["doubt"]["value"] for block in after.values()} == {0.25}
    assert set(told(cli, when, 14)[1]) == others, "the suspect comes back"
    assert cli("heartbeat", "--json", env=at(15)).json["review"] == []


def test_a_liar_approved_among_four_good_rules_is_told_seldom(home: Path, cli: Call) -> None:
    when, *rules = RULES["en"]
    approved(cli, when, *rules[:4])
    for use in range(12):
        cli("outcome", told(cli, when, use)[0], "ok", env=at(use, 10, agent=True))
    (liar,) = approved(cli, when, "restart every server twice", day=13)
    uses = 0
    for use in range(20):
        decision, known = told(cli, when, 14 + use)
        uses += liar in known
        cli(
            "outcome",
            decision,
            "fail" if liar in known and use % 3 else "ok",
            env=at(14 + use, 10, agent=True),
        )
    assert uses <= 5


def test_what_forbids_is_never_reported_away(home: Path, cli: Call) -> None:
    when, *rules = RULES["en"]
    (ban,) = approved(cli, when, "never push to main", rules[0])[:1]
    for day in range(1, 8):
        for hour in range(3, 9):
            cli("outcome", told(cli, when, day, hour)[0], "fail", env=at(day, hour, agent=True))
    assert ban in told(cli, when, 9)[1]
    assert len(cli("heartbeat", "--json", env=at(9)).json["review"]) >= 1, "the person is asked all the same"


def test_a_person_who_answers_nothing_for_a_month(home: Path, cli: Call) -> None:
    when, *rules = RULES["en"]
    ids = approved(cli, when, *rules)
    asked: list[str] = []
    for day in range(1, 31):
        for hour in (10, 14):
            decision, known = told(cli, when, day, hour)
            cli("outcome", decision, "fail" if ids[0] in known else "ok", env=at(day, hour, agent=True))
        review = cli("heartbeat", "--json", env=at(day, 20)).json["review"]
        assert len(review) <= 3
        asked += [one["id"] for one in review]
    assert asked and max(map(asked.count, asked)) <= 5, "each weekly, not daily"
    placed = {one: cli("show", one, "--json").json for one in ids}
    assert {each["set"] for each in placed.values()} == {"universal"}
    assert {*ids} - {*told(cli, when, 31)[1]} <= {*asked}, "silent is only what the person was asked about"
