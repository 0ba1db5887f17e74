"""Projects: what was learned in one is preferred there and only observed elsewhere; learning can be off (DESIGN 7)."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alice_exp import Alice, Filters, UsageError
from alice_exp.agents.cli import hook_command
from alice_exp.home.project import project_at, remote_name

Call = Callable[..., Any]


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://example.org/owner/name.git", "owner/name"),
        ("git@example.org:owner/name.git", "owner/name"),
        ("ssh://git@example.org:22/group/owner/name", "owner/name"),
        ("/srv/git/name.git", "git/name"),
        ("", ""),
    ],
)
def test_the_name_of_a_remote(url: str, name: str) -> None:
    config = (
        f'[core]\n\turl = x\n[remote "up"]\n\turl = a:b/c\n[remote "origin"]\n\turl = {url}\n\tfetch = +x\n'
    )
    assert remote_name(config) == (name or "b/c")
    assert remote_name("[core]\n") == ""


def test_the_project_of_a_folder(tmp_path: Path) -> None:
    inner = tmp_path / "repo/src/deep"
    inner.mkdir(parents=True)
    assert project_at(inner) == ""
    (tmp_path / "repo/.git").mkdir()
    (tmp_path / "repo/.git/config").write_text('[remote "origin"]\n url = x:me/tool\n', encoding="utf-8")
    assert project_at(inner) == "me/tool"
    (tmp_path / "repo/.alice-project").write_text("tool\nmore\n", encoding="utf-8")
    assert project_at(inner) == "tool"
    (tmp_path / "repo/src/.alice-project").write_text("none\n", encoding="utf-8")
    assert project_at(inner) == ""
    (tmp_path / "repo/src/.alice-project").write_text("two words\n", encoding="utf-8")
    assert project_at(inner) == "tool", "what names nothing counts for nothing"


def test_nothing_in_a_strange_folder_holds_a_command_up(tmp_path: Path) -> None:
    mark, git = tmp_path / ".alice-project", tmp_path / ".git"
    os.mkfifo(mark)
    git.mkdir()
    os.mkfifo(git / "config")
    assert project_at(tmp_path) == ""
    mark.unlink()
    for held in (b"evil\x1b[31m\n", b"\xff\xfe", b"a" * 3_000_000):
        mark.write_bytes(held)
        assert project_at(tmp_path) == ""
    mark.unlink()
    shutil.rmtree(git)
    for pointed in ("gitdir: /dev/zero", "gitdir: \0", "gitdir: ../.git"):
        git.write_text(pointed, encoding="utf-8")
        assert project_at(tmp_path) == ""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Go to the folder of a project."""
    monkeypatch.delenv("ALICE_PROJECT")

    def go(name: str) -> None:
        folder = tmp_path / "folders" / (name or "nowhere")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".alice-project").write_text((name or "none") + "\n", encoding="utf-8")
        monkeypatch.chdir(folder)

    return go


def test_what_was_learned_here_is_applied_here_and_observed_elsewhere(
    home: Path, cli: Call, here: Callable[[str], None], sound: Callable[[Path], None]
) -> None:
    here("alice")
    block = cli(
        "memorize", "run make test before a push", "--when", "pushing a branch", "--lived", "--json"
    ).json["id"]
    assert cli("show", block, "--json").json["project"] == "alice"
    cli("approve", block, "--yes")
    assert cli("decide", "pushing a branch", "--json").json["applied"][0]["id"] == block
    assert "make test" in cli("prime").stdout
    for elsewhere in ("bob", ""):
        here(elsewhere)
        made = cli("decide", "pushing a branch", "--json", check=False).json
        assert made["applied"] == [] and [one["id"] for one in made["observing"]] == [block]
        assert "make test" not in cli("prime").stdout
    made = cli("decide", "pushing a branch", "--project", "alice", "--json").json
    assert made["applied"][0]["id"] == block
    assert cli("outcome", made["decision"], "ok", "--used", block).code == 0
    assert cli("decide", "pushing a branch", "--project", "a b", check=False).code == 2
    sound(home)


def test_a_match_of_the_same_project_counts_more_and_context_says_so(
    home: Path, cli: Call, here: Callable[[str], None]
) -> None:
    here("alice")
    mine = cli(
        "remember", "I review with the whole team", "--when", "reviewing code", "--project", "alice", "--json"
    )
    other = cli("remember", "I review with nobody at all", "--when", "reviewing code", "--json")
    assert "project" not in cli("show", other.json["id"], "--json").json, "the person's word holds everywhere"
    found = {one["id"]: one for one in cli("recall", "reviewing code", "--json").json["matches"]}
    assert found[mine.json["id"]]["match"] == pytest.approx(
        min(1, found[other.json["id"]]["match"] * 1.15), abs=0.02
    )
    assert next(iter(found)) == mine.json["id"] and found[mine.json["id"]]["project"] == "alice"
    plain = {
        one["id"]: one
        for one in cli("recall", "reviewing code", "--project", "none", "--json").json["matches"]
    }
    assert plain[mine.json["id"]]["match"] < found[mine.json["id"]]["match"]
    assert "[alice]" in cli("context", "reviewing code").stdout


def test_off_keeps_hooks_from_capturing_and_mcp_from_learning(
    home: Path, cli: Call, here: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from alice_exp import Alice, RefusedError

    monkeypatch.setattr(hook_command, "detach", lambda _: None)
    here("alice")
    talk = tmp_path / "talk.jsonl"
    talk.write_text(json.dumps({"type": "user", "message": {"role": "user", "content": "I live in Berlin"}}))
    told = json.dumps({"session_id": "s", "transcript_path": str(talk)})
    assert cli("--actor", "agent", "project", "off", check=False).code == 6
    assert cli("project", "off", "--json").json == {"project": "alice", "learning": False, "off": ["alice"]}
    assert "projects" in (home / "local.jsonc").read_text("utf-8")
    cli("hook", "claude-code", "end", stdin=told)
    alice = Alice(home, "agent:mine")
    with pytest.raises(RefusedError, match="switched it off"):
        alice.call("memorize", {"payload": "x"})
    assert alice.call("recall", {"query": "x"})["matches"] == []
    assert cli("heartbeat", "--peek", "--json").json["items"] == []
    assert cli("project", "on", "--json").json["learning"]
    cli("hook", "claude-code", "end", stdin=told)
    assert [item["payload"] for item in cli("heartbeat", "--peek", "--json").json["items"]] == [
        "The user lives in Berlin"
    ]
    assert Alice(home, "agent:mine").call("memorize", {"payload": "x"})["id"]
    here("")
    assert cli("project", "--json").json["project"] is None
    assert cli("project", "off", check=False).code == 2 and cli("project", "sideways", check=False).code == 2
    assert cli("project", "off", "bob", "--json").json["off"] == ["bob"]


def test_a_program_names_its_project(home: Path, world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alice = Alice(home=home, actor="user")
    here = alice.remember("build with make", "building the project", project="me/one")
    alice.remember("build with ninja", "building the project", project="me/two")
    everywhere = alice.remember("build twice", "building the project", project="none")
    assert (here.block.project, everywhere.block.project) == ("me/one", "")
    assert alice.memorize("cache the build", "building", project="me/one").block.project == "me/one"
    made = alice.decide("building the project", project="me/one")
    assert {one.placed.block.payload.content for one in made.applied} == {"build with make", "build twice"}
    assert "build with ninja" in {one.placed.block.payload.content for one in made.observing}
    for project, best in (("me/one", "build with make"), ("me/two", "build with ninja")):
        asked: dict[str, Any]
        for asked in ({"project": project}, {"filters": Filters(project=project)}):
            assert alice.recall("building the project", **asked)[0].placed.block.payload.content == best
        asked = {"query": "how do I build the project"}
        monkeypatch.setenv("ALICE_PROJECT", project)
        told = Alice(home, "agent").call("search_memory_tool", asked)["memories"]
        assert told[0]["payload"] == best
    with pytest.raises(UsageError, match="cannot name a project"):
        alice.recall("building", project="two words")
    (world / ".alice-project").write_text("me/here\n", encoding="utf-8")
    monkeypatch.chdir(world)
    monkeypatch.delenv("ALICE_PROJECT", raising=False)
    assert Alice(home=home).project == "me/here"
