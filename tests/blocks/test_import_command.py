"""``import``, ``session import``, ``mcp install``: what is elsewhere comes in, and we into an agent's host."""

import json
import os
import pickle
import sqlite3
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.case_tables import table
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


# -- hosts --------------------------------------------------------------------------------------------------------

COMMENTED = """{
  // mine
  "mcpServers": {
    "other": {"command": "x"}, // keep
  },
}
"""


def person(home: Path) -> Path:
    return Path(os.environ["HOME"])


@table("host", "file", "key")
def test_a_json_host_is_served_and_left_as_it_was(
    home: Path, cli: Call, host: str, file: str, key: str
) -> None:
    path = person(home) / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(COMMENTED, encoding="utf-8")
    path.chmod(0o640)
    assert '"alice-exp"' in cli("mcp", "install", host, "--print").stdout
    assert path.read_text(encoding="utf-8") == COMMENTED
    assert cli("mcp", "install", host, "--json").json["changed"]
    written = path.read_text(encoding="utf-8")
    assert "// mine" in written and '"other": {"command": "x"}, // keep' in written and '"mcp"' in written
    assert path.stat().st_mode & 0o777 == 0o640
    assert not cli("mcp", "install", host, "--json").json["changed"]
    assert path.read_text(encoding="utf-8") == written
    cli("mcp", "install", host, "--remove")
    assert path.read_text(encoding="utf-8") == COMMENTED
    assert not cli("mcp", "install", host, "--remove", "--json").json["changed"]
    assert key in COMMENTED and sorted(one.name for one in path.parent.glob(".*alice*")) == []


def test_what_a_person_added_to_our_entry_stays(home: Path, cli: Call) -> None:
    path = person(home) / ".claude.json"
    path.write_text(
        '{"mcpServers": {"alice-exp": {"command": "old", "args": ["mcp"], "env": {"A": "1"}}}}',
        encoding="utf-8",
    )
    cli("mcp", "install", "claude-code")
    entry = json.loads(path.read_text(encoding="utf-8"))["mcpServers"]["alice-exp"]
    assert entry["env"] == {"A": "1"} and entry["command"] != "old"


def test_vscode_has_servers_with_a_type(home: Path, cli: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home.parent)
    cli("mcp", "install", "vscode", "--project")
    written = json.loads((home.parent / ".vscode/mcp.json").read_text(encoding="utf-8"))
    assert written == {"servers": {"alice-exp": {"type": "stdio", "command": "alice-exp", "args": ["mcp"]}}}
    assert cli("mcp", "install", "codex", "--project", check=False).code == 2


def test_codex_keeps_its_toml(home: Path, cli: Call) -> None:
    path = person(home) / ".codex/config.toml"
    before = '# top\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "y"\n\n# about the next\n[tools]\na = 1\n'
    path.parent.mkdir()
    path.write_text(before, encoding="utf-8")
    cli("mcp", "install", "codex")
    written = path.read_text(encoding="utf-8")
    assert written.startswith(before)
    assert tomllib.loads(written)["mcp_servers"]["alice-exp"]["args"] == ["mcp"]
    assert not cli("mcp", "install", "codex", "--json").json["changed"]
    changed = written.replace('args = ["mcp"]', 'args = ["old"]\nstartup_timeout_sec = 20 # mine')
    path.write_text(changed + "\n[[later]]\nb = 2\n", encoding="utf-8")
    cli("mcp", "install", "codex")
    now = tomllib.loads(path.read_text(encoding="utf-8"))
    assert now["mcp_servers"]["alice-exp"]["args"] == ["mcp"] and now["later"] == [{"b": 2}]
    assert now["mcp_servers"]["alice-exp"]["startup_timeout_sec"] == 20 and "# mine" in path.read_text(
        encoding="utf-8"
    )
    path.write_text(written, encoding="utf-8")
    cli("mcp", "install", "codex", "--remove")
    assert path.read_text(encoding="utf-8").rstrip() == before.rstrip()


def test_a_broken_or_unknown_configuration_is_left_alone(home: Path, cli: Call) -> None:
    path = person(home) / ".claude.json"
    for text in ('{"mcpServers": ', '{"mcpServers": []}', "[]"):
        path.write_text(text, encoding="utf-8")
        assert cli("mcp", "install", "claude-code", check=False).code == 3
        assert path.read_text(encoding="utf-8") == text
    toml = person(home) / "config.toml"
    toml.write_text("a = \n", encoding="utf-8")
    assert cli("mcp", "install", "codex", "--file", str(toml), check=False).code == 3
    assert cli("mcp", "install", "emacs", check=False).code == 2


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
