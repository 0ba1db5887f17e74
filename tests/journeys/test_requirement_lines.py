"""Lines of the requirements that no check of D asks for, by the real command (``tests/COVERAGE.md``)."""

import json
import socket
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import alice_exp
from alice_exp.model.formats.record_import import import_episodes
from alice_exp.model.values.records import Episode, Event, Timeline
from alice_exp.timeline.rules.compaction import add_events
from tests.case_tables import cases
from tests.conftest import NOW, ROOT, Call

Git = Callable[..., str]

covers = pytest.mark.covers


# -- episodes -----------------------------------------------------------------------------------------------------


EPISODE: dict[str, Any] = dict(cases(__file__, "EPISODE"))


@pytest.mark.covers("R0.1")
def test_an_episode_keeps_all_its_fields(home: Path, cli: Call) -> None:
    (kept,) = cli("episode", "add", "-", "--json", stdin=json.dumps(EPISODE) + "\n").json["ids"]
    shown = cli("episode", "show", kept, "--json").json
    assert {**shown, "timestamp": EPISODE["timestamp"]}.items() >= EPISODE.items()
    assert shown["at"] == "2023-10-12T15:10:56.789Z"


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        pytest.param("task", ["", 3], marks=covers("R0.6"), id="task"),
        pytest.param("context", [[1], "x"], marks=covers("R0.7"), id="context"),
        pytest.param("action", [3], marks=covers("R0.8"), id="action"),
        pytest.param("result", [], marks=covers("R0.9"), id="result"),
        pytest.param("success", ["yes", 1], marks=covers("R0.10"), id="success"),
        pytest.param("reward", [1.2, -0.1, float("nan"), "much"], marks=covers("R0.11"), id="reward"),
        pytest.param("timestamp", ["never", True], marks=covers("R0.12"), id="timestamp"),
        pytest.param("reflection", [3], marks=covers("R0.13"), id="reflection"),
    ],
)
def test_a_field_of_an_episode_is_what_was_told_and_nothing_else(field: str, wrong: list[Any]) -> None:
    told = {name: value for name, value in EPISODE.items() if name in ("task", field)}
    other = {name: value for name, value in EPISODE.items() if name != field} | (
        {"task": "x"} if field == "task" else {}
    )
    kept = [_imported(one) for one in (told, other)]
    assert [getattr(one, field) == EPISODE[field] for one in kept] == [True, False]
    for value in wrong:
        with pytest.raises(alice_exp.ProblemError):
            _imported({**told, field: value})
    if field == "timestamp":
        assert kept[0].at == "2023-10-12T15:10:56.789Z"


def _imported(episode: dict[str, Any]) -> Episode:
    return import_episodes(json.dumps({"episodes": [episode]}).encode(), "-", NOW)[0]


@pytest.mark.covers("R0.17")
def test_an_episodes_context_takes_any_key_and_is_checked_when_it_is_read() -> None:
    free = {"a key nobody has seen": {"else": [1, None, True]}, "2": 3.5}
    assert _imported({"task": "t", "context": free}).context == free
    for wrong in ([1], "x", 3):
        with pytest.raises(alice_exp.ProblemError):
            _imported({"task": "t", "context": wrong})


@pytest.mark.covers("R0.27")
def test_threads_and_the_command_share_one_list_of_a_thousand(home: Path, cli: Call) -> None:
    def add(name: str) -> None:
        alice = alice_exp.Alice(home, f"agent:{name}")
        for number in range(3):
            alice.add_episode(f"{name} {number}", success=True)

    threads = [threading.Thread(target=add, args=(name,)) for name in ("one", "two", "three")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    tasks = {one["task"] for one in cli("episode", "list", "--json").json["episodes"]}
    assert tasks == {f"{name} {number}" for name in ("one", "two", "three") for number in range(3)}
    assert '"capacity": 1000' in (home / "experiences/records/episodes.jsonc").read_text("utf-8")


@pytest.mark.covers("R0.54")
def test_every_other_way_to_look(home: Path, cli: Call) -> None:
    rows = [
        {"id": "exp-aaaaaaa2", "payload": "deploy by canary", "type": "rule", "tags": ["ops"], "importance": 0.9},
        {"id": "exp-bbbbbbb2", "payload": "deploy by night", "state": "past", "verifications": 3},
        {"id": "exp-ccccccc2", "payload": "deploy by hand", "origin": "import:mem0", "updated_at": "2026-01-01T00:00:00Z",
         "created_at": "2026-01-01T00:00:00Z"},
    ]  # fmt: skip
    (home / "experiences/universal/tool_usage.jsonc").write_text(json.dumps({"blocks": rows}))
    cli("list")
    cli("outcome", "exp-bbbbbbb2", "ok", "--scenario", "release 7")
    cli("remember", "deploy by coffee")

    def found(verb: str, *options: str) -> set[str]:
        answer = cli(
            *(("recall", "deploy") if verb == "recall" else (verb,)), *options, "--json", check=False
        ).json
        return {one["payload"].split()[-1] for one in answer["matches" if verb == "recall" else "blocks"]}

    for verb in ("recall", "list"):
        assert found(verb) == {"canary", "night", "hand", "coffee"}
        assert found(verb, "--type", "rule") == {"canary"}
        assert found(verb, "--tag", "ops") == {"canary"}
        assert found(verb, "--min-importance", "0.8") == {"canary"}
        assert found(verb, "--origin", "import:mem0") == {"hand"}
        assert found(verb, "--scenario", "release 7") == {"night"}
        assert found(verb, "--scenario", "release 8") == set()
        assert found(verb, "--since", "2026-02-01") == {"canary", "night", "coffee"}
        assert found(verb, "--set", "personal") == {"coffee"}
        assert found(verb, "--namespace", "tool_usage") == {"canary", "night", "hand"}
    assert found("recall", "--min-state", "past") == {"night", "coffee"}
    assert found("list", "--state", "past") == {"night", "coffee"}
    for reward, way in (("0.9", "--success"), ("0.1", "--failed")):
        cli("episode", "add", "--task", "deploy it", way, "--reward", reward)
    for options in (("--min-reward", "0.5"), ("--success",)):
        (match,) = cli("episode", "similar", "deploy it", *options, "--json").json["matches"]
        assert match["reward"] == 0.9


# -- the timeline -------------------------------------------------------------------------------------------------


THOUGHTS = [
    Event(f"2026-02-0{n}T00:00:00Z", f"分析用户意图 {n}", "用户询问", "详细说明功能", "用户满意")
    for n in (1, 2, 3)
]
SEGMENTS = add_events(Timeline(), THOUGHTS)[1].segments


@pytest.mark.parametrize(
    ("field", "merged", "raw"),
    [
        pytest.param("id", 4, 3, marks=covers("R1.3"), id="id"),
        pytest.param("start_timestamp", 1769904000.0, 1770076800.0, marks=covers("R1.4"), id="start"),
        pytest.param("end_timestamp", 1769990400.0, 1770076800.0, marks=covers("R1.5"), id="end"),
        pytest.param("segment_length", 2, 1, marks=covers("R1.6"), id="length"),
        pytest.param("events", tuple(THOUGHTS[:2]), (THOUGHTS[2],), marks=covers("R1.7"), id="events"),
        pytest.param("is_compressed", True, False, marks=covers("R1.8"), id="compressed"),
        pytest.param(
            "summary",
            " · ".join(f"分析用户意图 {n} → 详细说明功能 → 用户满意" for n in (1, 2)),
            "",
            marks=covers("R1.9"),
            id="summary",
        ),
        pytest.param(
            "key_events", ("详细说明功能 → 用户满意",) * 2, (), marks=covers("R1.10"), id="key_events"
        ),
        ("compression_level", 1, 0),
    ],
)
def test_a_segment_has_its_nine_fields(field: str, merged: Any, raw: Any) -> None:
    first, second = SEGMENTS
    assert (getattr(first, field), getattr(second, field)) == (merged, raw)


@pytest.mark.covers("R1.12")
def test_a_merged_segment_spans_both() -> None:
    first, second = SEGMENTS
    apart = [add_events(Timeline(), [one])[1].segments[0] for one in THOUGHTS]
    assert (first.start, first.end) == (apart[0].start, apart[1].end)
    assert first.segment_length == apart[0].segment_length + apart[1].segment_length
    assert (first.is_compressed, second) == (True, replace(apart[2], id=3))


@pytest.mark.covers("R1.35")
def test_the_file_of_segments_is_written_at_each_thought_and_read_by_a_person(home: Path, cli: Call) -> None:
    said = {"context": "用户询问：你能做什么？", "action": "详细说明功能", "result": "用户满意"}
    rows = [{"thought": f"分析用户意图 {n}", "at": f"2026-02-0{n}T00:00:00Z", **said} for n in range(1, 4)]
    for row in rows:
        cli("event", "add", "-", stdin=json.dumps(row) + "\n")
        text = (home / "experiences/records/events.jsonc").read_text("utf-8")
        assert row["thought"] in text and '"用户询问：你能做什么？"' in text, "unescaped"
    kept = json.loads(cli("event", "export").stdout)
    merged, raw = kept["segments"]
    assert (merged["id"], merged["segment_length"], merged["compression_level"]) == (4, 2, 1)
    assert (merged["start"], merged["end"]) == ("2026-02-01T00:00:00Z", "2026-02-02T00:00:00Z")
    assert "分析用户意图 1" in merged["summary"] and merged["key_events"][0] == "详细说明功能 → 用户满意"
    assert raw["events"] == [{"at": rows[2]["at"], "thought": "分析用户意图 3", **said}]


@pytest.mark.covers("R1.34")
def test_counts_outlive_the_process(home: Path, run: Call) -> None:
    rows = "".join(json.dumps({"thought": f"t{number}"}) + "\n" for number in range(10))
    run("event", "add", "-", stdin=rows)
    stats = run("event", "stats", "--json").json
    assert (stats["total_segments"], stats["total_events"], stats["total_compressions"]) == (3, 10, 7)
    assert stats["lengths"] == [8, 1, 1]


# -- the home -----------------------------------------------------------------------------------------------------


@pytest.mark.covers("RC.1")
def test_what_git_tracks_is_jsonc_that_a_person_can_read(home: Path, cli: Call, git: Git) -> None:
    cli("memorize", "use rg")
    tracked = git(home, "ls-files").splitlines()
    assert len(tracked) > 8
    assert {Path(name).suffix for name in tracked} <= {".jsonc", ".json", ""}
    folder = home / "experiences"
    kept = [path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts]
    assert {path.relative_to(folder).as_posix() for path in kept} == set(tracked)
    for path in kept:
        path.read_text("utf-8")


@pytest.mark.covers("R2.52")
def test_no_day_needs_the_network(home: Path, cli: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        pytest.fail("a daily command opened a socket")

    monkeypatch.setattr(socket, "socket", refused)
    monkeypatch.setattr(socket, "create_connection", refused)
    block = cli("memorize", "use rg", "--when", "searching code", "--json").json["id"]
    cli("heartbeat")
    cli("approve", block, "--yes")
    cli("recall", "searching code")
    decision = cli("decide", "searching code", "--json", check=False).json["decision"]
    cli("outcome", decision, "ok")
    cli("session", "start", "demo")
    cli("session", "say", "demo", "我喜欢吃辣")
    cli("session", "end", "demo")
    assert "用户喜欢吃辣的食物" in cli("context", "用户喜欢什么").stdout
    cli("assess", "searching code")


@pytest.mark.covers("RC.3")
def test_the_top_level() -> None:
    for name in ("pyproject.toml", "alice_exp", "tests", "sample_home", "README.md", "Makefile"):
        assert (ROOT / name).exists(), name


EXTRAS = {"mcp", "httpx2", "zeroconf", "cryptography", "spake2"}
DAILY = """
import sys
from alice_exp.app.main import run
for words in (["memorize", "use rg", "-q"], ["recall", "rg", "-q"], ["list", "-q"], ["heartbeat", "-q"], ["log", "-q"]):
    assert run(words) == 0, words
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


@pytest.mark.covers("RC.2")
def test_daily_commands_load_no_extra_and_each_named_package_has_its_work(home: Path) -> None:
    import os
    import subprocess

    done = subprocess.run(
        [sys.executable, "-c", DAILY],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert not EXTRAS & set(done.stdout.split())
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "alice_exp").rglob("*.py"))
    for package in ("typer", "rich", "json5", "git", "watchdog"):
        assert f"import {package}" in sources or f"from {package}" in sources, package


# -- reads, keys, knowing -----------------------------------------------------------------------------------------


@pytest.mark.covers("R3.31")
def test_type_and_key_name_one_record(home: Path, cli: Call) -> None:
    put = ("memorize", "--type", "feature", "--key", "async_io", "--json")
    one = cli(*put, "asyncio runs in one thread").json["id"]
    again = cli(*put, "asyncio runs in one thread by default").json["id"]
    other = cli("memorize", "--type", "fact", "--key", "async_io", "another kind", "--json").json["id"]
    assert again == one and other != one
    shown = cli("show", "feature/async_io", "--json").json
    assert (shown["id"], shown["payload"]) == (one, "asyncio runs in one thread by default")
    assert cli("show", "feature/async_io", "--json").json["access_count"] == 2
    assert cli("show", "fact/async_io", "--json").json["id"] == other
    assert alice_exp.Alice(home).show("feature/async_io").placed.block.id == one
    assert cli("show", "feature/nothing", check=False).code == 4
    assert cli("show", "nothing/async_io", check=False).code == 2


# -- conversations ------------------------------------------------------------------------------------------------


@pytest.mark.covers("R4.21")
def test_the_defaults_of_extraction() -> None:
    import inspect

    from alice_exp.kernel.models import ChatCompletions
    from alice_exp.model.values.config import BY_NAME

    wanted = {
        "long_term.max_buffer_turns": 5,
        "long_term.extract_on_session_end": True,
        "long_term.min_importance": 0.5,
    }
    assert {name: BY_NAME[name].default for name in wanted} == wanted
    assert inspect.signature(ChatCompletions.__init__).parameters["timeout"].default == 30
