"""REQUIREMENTS D 45-48: the timeline through the command line and the library."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import alice_exp
from alice_exp.model.formats.record_schema import timeline_json
from alice_exp.model.values.records import Event, Segment, Timeline
from alice_exp.timeline import usecases
from alice_exp.timeline.rules.compaction import add_event
from tests.case_tables import table
from tests.conftest import Git
from tests.cost import ratio
from tests.timeline.test_compaction import TRACE

Call = Callable[..., Any]
FILE = "experiences/records/events.jsonc"


def thought(number: int) -> Event:
    at = f"2026-02-{1 + number // 1440 % 27:02}T{number // 60 % 24:02}:{number % 60:02}:00Z"
    return Event(
        at,
        f"思考 {number}: why “{number * 7919}”?",
        f"ask {number}",
        f"do {number}",
        f"got {number}",
        {"n": number},
    )


def commits(git: Git, home: Path) -> int:
    return int(git(home, "rev-list", "--count", "HEAD"))


def test_d45_the_trace_line_by_line(home: Path, cli: Call, git: Git, sound: Any) -> None:
    for line in TRACE:
        number, _, wanted = line.strip().partition(": ")
        before = commits(git, home)
        added = cli("event", "add", f"thought {number}", "--action", f"do {number}", "--json").json
        assert commits(git, home) == before + 1
        shown = cli("event", "segments", "--json").json
        told = " ".join(f"#{one['id']}({one['segment_length']})" for one in shown["segments"])
        *segments, count = wanted.split()
        assert told == " ".join(segments)
        assert f"c{added['total_compressions']}" == count
        assert (added["segments"], added["total_events"]) == (len(segments), int(number))
        for one in shown["segments"]:
            assert one["compression_level"] == one["segment_length"].bit_length() - 1
    sound(home)


def test_d46_a_thousand_through_the_library(home: Path) -> None:
    alice = alice_exp.Alice(home, "agent:test")
    told = alice.add_events(map(thought, range(1, 1001)))
    assert told.timeline.lengths == (512, 256, 128, 64, 32, 4, 2, 1, 1)
    stats = alice.event_statistics()
    assert (stats.total_segments, stats.total_events, stats.total_compressions, stats.verbatim) == (
        9,
        1000,
        991,
        8,
    )
    assert (home / FILE).stat().st_size < 64 * 1024
    kept = [event for segment in alice.segments() for event in segment.events]
    assert kept == [thought(number) for number in range(993, 1001)]


@pytest.mark.covers("R1.44")
def test_every_one_of_a_thousand_thoughts_comes_back(
    home: Path, git: Git, sound: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B1.4: one at a time and in bulk, through nine merges, word for word."""
    alice = alice_exp.Alice(home, "agent:test")
    read_once = usecases._timeline
    for number in range(1, 21):
        alice.add_event(*_said(number))
    alice.add_events(map(thought, range(21, 981)))
    for number in range(981, 1001):
        alice.add_event(*_said(number))
    assert commits(git, home) == 1 + 20 + 2 + 20
    parsed: list[str] = []
    monkeypatch.setattr(usecases, "_timeline", lambda text: parsed.append(text) or read_once(text))
    back: dict[int, Event] = {}
    for segment in alice.segments():
        expanded = alice.expand(segment.id)
        assert expanded.missing == ()
        assert len(expanded.numbers) == segment.segment_length
        back.update(expanded.thoughts)
    assert sorted(back) == list(range(1, 1001))
    for number, event in back.items():
        wanted = thought(number)
        assert (event.thought, event.context, event.action, event.result, event.metadata) == (
            wanted.thought,
            wanted.context,
            wanted.action,
            wanted.result,
            wanted.metadata,
        )
    assert len(parsed) <= 2 * len(alice.segments()), "a segment needs no more versions than hold it"
    sound(home)


def _said(number: int) -> tuple[Any, ...]:
    one = thought(number)
    return one.thought, one.context, one.action, one.result, one.metadata


@pytest.mark.covers("R1.27")
@pytest.mark.parametrize("last", [2_500, pytest.param(10_000, marks=pytest.mark.slow)])
def test_the_file_stays_bounded_and_an_addition_cheap(last: int) -> None:
    """10,000 thoughts stay under 64 KiB; the last addition costs at most twice the 100th."""
    grown = {0: Timeline()}
    timeline = grown[0]
    for number in range(1, last + 1):
        timeline = add_event(timeline, thought(number)).timeline
        if number in (50, last - 100):
            grown[number] = timeline
    assert len(json.dumps(timeline_json(timeline), ensure_ascii=False, indent=2).encode()) < 64 * 1024

    def hundred_more(after: int) -> Timeline:
        held = grown[after]
        for number in range(after + 1, after + 101):
            held = add_event(held, thought(number)).timeline
        return held

    assert ratio(lambda: hundred_more(last - 100), lambda: hundred_more(50), enough=2) <= 2


def test_d47_the_narrative_is_in_order_and_a_failing_model_leaves_it_to_the_rule(
    home: Path, cli: Call
) -> None:
    rows = "".join(
        json.dumps(
            {"at": thought(n).at, "thought": f"thought {n}", "action": f"do {n}", "result": f"got {n}"}
        )
        + "\n"
        for n in range(1, 101)
    )
    cli("event", "add", "-", stdin=rows)
    lines = cli("event", "narrative", "--last", "5").stdout.splitlines()
    assert len(lines) == 5
    assert lines == sorted(lines)
    told = cli("event", "narrative", "--last", "5", "--json").json
    # A person reads times of the home's zone, a program UTC.
    assert [re.sub(r"T(\d\d:\d\d):\d\dZ", r" \1", line) for line in told["narrative"].splitlines()] == lines
    assert [one["segment_length"] for one in told["segments"]] == [32, 1, 1, 1, 1]
    assert told["segments"][0]["key_events"][0] in lines[0]
    assert "thought 100" in lines[-1]

    def broken(first: Segment, second: Segment) -> None:
        raise TimeoutError("the model did not answer")

    (merge,) = alice_exp.Alice(home, "agent:test").add_event("thought 101", summarise=broken).merges
    assert (merge.fallback, merge.merged.summary) == (
        "the model did not answer",
        "thought 97 → do 97 → got 97 · thought 98 → do 98 → got 98",
    )


@pytest.mark.parametrize("waits", [False, True])
def test_an_outcome_asks_a_model_only_for_a_merge_that_it_sets_off(
    home: Path, cli: Call, tmp_path: Path, waits: bool
) -> None:
    program, asked = tmp_path / "model", tmp_path / "asked"
    answer = json.dumps({"summary": "told by a model", "key_events": ["did it"]})
    program.write_text(f"#!/bin/sh\ncat >{asked}\necho '{answer}'\n")
    program.chmod(0o755)
    cli("event", "add", "-", stdin="".join(json.dumps({"thought": f"thought {n}"}) + "\n" for n in range(31)))
    cli("remember", "use rg", "--when", "searching code")
    decision = cli("decide", "searching code", "--json").json["decision"]
    if waits:
        cli("event", "add", "rg it is", "--meta", f"decision={decision}")
    cli("config", "set", "provider.command", str(program))
    cli("outcome", decision, "ok")
    assert asked.exists() is not waits
    assert ("told by a model" in cli("event", "segments", "--json").stdout) is not waits


@pytest.mark.covers("R1.43")
def test_export_and_import(home: Path, cli: Call, tmp_path: Path, git: Git) -> None:
    rows = "".join(json.dumps({"thought": f"思考 {n}", "at": thought(n).at}) + "\n" for n in range(1, 31))
    cli("event", "add", "-", stdin=rows)
    whole, every = cli("event", "export").stdout, cli("event", "export", "--thoughts").stdout
    assert [json.loads(line)["thought"] for line in every.splitlines()] == [f"思考 {n}" for n in range(1, 31)]
    again = cli("event", "import", "-", "--json", stdin=every).json
    assert (again["total_events"], again["known"], again["commit"]) == (30, 30, None)
    other = {"ALICE_HOME": str(tmp_path / "other")}
    cli("init", env=other)
    cli("event", "import", "-", stdin=whole, env=other)
    assert cli("event", "export", env=other).stdout == whole
    lost = cli("event", "expand", "1", env=other, check=False)
    assert lost.code == 4, "an imported timeline brings no history"
    cli("event", "add", "one more", env=other)
    assert cli("event", "import", "-", stdin=whole, env=other, check=False).code == 6
    assert cli("event", "import", "-", "--replace", stdin=whole, env=other, check=False).code == 6
    cli("event", "import", "-", "--replace", "--yes", stdin=every, env=other)
    assert cli("event", "stats", "--json", env=other).json["total_events"] == 30
    newest = cli("event", "segments", "--json", env=other).json["segments"][0]["id"]
    assert cli("event", "expand", str(newest), "--json", env=other).json["missing"] == []


@table("text", "line")
def test_a_faulty_import_takes_nothing_in(home: Path, cli: Call, git: Git, text: str, line: int) -> None:
    before = commits(git, home)
    done = cli("event", "import", "-", "--json", stdin=text, check=False)
    assert (done.code, done.error["line"]) == (3, line)
    assert commits(git, home) == before
