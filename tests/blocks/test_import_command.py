"""``import``, ``session import``: what is elsewhere comes in."""

import json
import pickle
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.data import HERE as DATA

Call = Callable[..., Any]

CLAUDE_MD = Path(__file__).with_name("imported.md").read_text("utf-8")


def imported(cli: Call, kind: str, text: str, *options: str) -> Any:
    return cli("import", kind, "-", "--json", *options, stdin=text).json


def blocks(cli: Call) -> dict[str, dict[str, Any]]:
    return {one["payload"]: one for one in cli("list", "--json").json["blocks"]}


def mem0_store(folder: Path, *names: str) -> Path:
    """A store as mem0 2.2.1 wrote it: seven memories of two people; one changed, one deleted, one expired, one said by
    the agent."""
    places = {"history": "history.db", "points": "qdrant/collection/mem0/storage.sqlite"}
    for name in names:
        path = folder / places[name]
        path.parent.mkdir(parents=True, exist_ok=True)
        with sqlite3.connect(path) as database:
            database.executescript((Path(__file__).parent / f"mem0_{name}.sql").read_text("utf-8"))
        database.close()
    return folder


HELD = {"Likes to play tennis on weekends", "我在上海工作", "I am vegetarian"}


def test_the_store_of_mem0_gives_what_it_still_remembers(home: Path, cli: Call, tmp_path: Path) -> None:
    both = mem0_store(tmp_path / "both", "history", "points")
    # The history does not know what expired.
    shown = cli("import", "mem0", str(both / "history.db"), "--dry-run", "--json").json["candidates"]
    assert {one["payload"] for one in shown} == {*HELD, "Drinks tea"}
    shown = cli("import", "mem0", str(both / "qdrant"), "--dry-run", "--json").json["candidates"]
    assert {one["payload"] for one in shown} == HELD
    cli("import", "mem0", str(both))
    held = blocks(cli)
    assert set(held) == HELD
    tennis = cli("show", held["Likes to play tennis on weekends"]["id"], "--json").json
    assert tennis["created_at"] == "2026-11-22T04:06:54.640Z" and tennis["tags"] == ["hobbies"]
    assert (tennis["state"], tennis["about"]) == ("possible", "user")
    assert cli("import", "mem0", str(both), "--json").json["known"] == 3


def test_the_names_that_mem0_indexes_are_no_memories(
    home: Path, cli: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = mem0_store(tmp_path, "points") / "qdrant"
    models = ModuleType("qdrant_client.http.models.models")
    point: Any = type("PointStruct", (), {"__module__": models.__name__})
    models.PointStruct = point  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "qdrant_client", ModuleType("qdrant_client"))
    monkeypatch.setitem(sys.modules, models.__name__, models)
    entity, memory = point(), point()
    links = {"entity_type": "PLACE", "linked_memory_ids": ["fd903683"]}
    entity.__dict__ = {"id": "e1", "payload": {"data": "上海", "user_id": "alice", **links}}
    memory.__dict__ = {"id": "m1", "payload": {"data": "Runs at six", "user_id": "alice"}}
    names = store / "collection/mem0_entities/storage.sqlite"
    names.parent.mkdir(parents=True)
    with sqlite3.connect(names) as database:
        database.execute("CREATE TABLE points (id TEXT PRIMARY KEY, point BLOB)")
        for one in (entity, memory):
            database.execute("INSERT INTO points VALUES (?, ?)", (one.id, pickle.dumps(one)))
    database.close()
    shown = cli("import", "mem0", str(store), "--dry-run", "--json").json["candidates"]
    assert {one["payload"] for one in shown} == {*HELD, "Runs at six"}


def test_a_store_that_is_none_or_wants_to_run_something(home: Path, cli: Call, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert cli("import", "mem0", str(tmp_path / "empty"), check=False).code == 4
    other, evil, torn = tmp_path / "other.db", tmp_path / "evil.db", tmp_path / "torn.db"
    with sqlite3.connect(other) as database:
        database.execute("CREATE TABLE songs (name TEXT)")
    database.close()
    ran = tmp_path / "ran"
    with sqlite3.connect(evil) as database:
        database.execute("CREATE TABLE points (id TEXT PRIMARY KEY, point BLOB)")
        code = f"cos\nsystem\n(S'touch {ran}'\ntR.".encode()
        database.execute("INSERT INTO points VALUES ('1', ?)", (code,))
    database.close()
    torn.write_bytes(other.read_bytes()[:700])
    for path in (other, evil, torn):
        failed = cli("import", "mem0", str(path), check=False)
        assert failed.code == 3 and path.name in failed.stderr, failed.stderr
    assert not ran.exists()


@pytest.mark.parametrize("text", ["1", "null", '"x"', "[1, [], null]", '{"results": 1}', "[]"])
def test_a_mem0_export_that_holds_no_memory(home: Path, cli: Call, tmp_path: Path, text: str) -> None:
    path = tmp_path / "export.json"
    path.write_text(text)
    assert cli("import", "mem0", str(path), "--json").json["ids"] == []


def test_a_dry_run_writes_nothing_and_a_second_import_adds_nothing(
    home: Path, cli: Call, git: Callable[..., str]
) -> None:
    head = git(home, "rev-parse", "HEAD")
    dry = imported(cli, "claude-md", CLAUDE_MD, "--dry-run")
    assert len(dry["candidates"]) == 5 and dry["ids"] == [] and git(home, "rev-parse", "HEAD") == head
    first = imported(cli, "claude-md", CLAUDE_MD)
    assert len(first["ids"]) == 5 and git(home, "rev-list", "--count", f"{head}..HEAD") == "1"
    again = imported(cli, "claude-md", CLAUDE_MD + "- One more\n")
    assert (len(again["ids"]), again["known"]) == (1, 5)
    after = git(home, "rev-parse", "HEAD")
    assert imported(cli, "claude-md", CLAUDE_MD)["commit"] is None and git(home, "rev-parse", "HEAD") == after
    message = git(home, "log", "-1", "--format=%B")
    assert "Alice-Op: import" in message and "One more" not in message


def test_what_cannot_be_read_is_a_sentence_with_its_place(home: Path, cli: Call) -> None:
    for kind, text, place in (
        ("mem0", '{"memory": "a"}\n{"memory": \n', ":2:"),
        ("jsonl", '{"payload": 7}\n', ":1:"),
    ):
        failed = cli("import", kind, "-", stdin=text, check=False)
        assert failed.code == 3 and place in failed.stderr, failed.stderr
    assert cli("import", "mem0", "-", stdin=b"\xff\xfe", check=False).code == 3
    assert cli("import", "claude-md", "no-such-file.md", check=False).code == 4
    assert cli("import", "mem0", "-", stdin="[" * 100_000, check=False).code == 3


# -- conversations ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "least"), [("talk_en", 0.70), ("mb_zh", 0.95), ("mb_en", 0.95)])
def test_conversations_are_found(home: Path, cli: Call, name: str, least: float) -> None:
    cli("session", "import", str(DATA / name / "docs.jsonl"))
    questions = DATA / name / "queries.jsonl"
    answers = cli("session", "search", "--queries", str(questions), "--top", "10").stdout
    wanted = [json.loads(line) for line in questions.read_text("utf-8").splitlines()]
    found = {row["qid"]: row["keys"] for row in map(json.loads, answers.splitlines())}
    recalls = [len(set(found[q["qid"]][:5]) & set(q["rel"])) / len(q["rel"]) for q in wanted if q["rel"]]
    assert sum(recalls) / len(recalls) >= least


def test_what_prime_wrote_into_the_file_is_not_taken_in_again(home: Path, cli: Call, tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text("# Rules\n\n- Use tabs\n", encoding="utf-8")
    cli("remember", "call me Tess")
    cli("prime", "--into", str(path))
    with path.open("a", encoding="utf-8") as file:
        file.write("\n- Sort the imports\n")
    assert "call me Tess" in path.read_text(encoding="utf-8")
    done = cli("import", "claude-md", str(path), "--json").json
    assert [one["payload"] for one in done["candidates"]] == ["Use tabs", "Sort the imports"]
    line = path.read_text(encoding="utf-8").splitlines().index("- Sort the imports") + 1
    evidence = cli("show", done["ids"][1], "--json").json["evidence"]
    assert evidence[0]["ref"] == f"claude-md:CLAUDE.md:{line}"
