"""``connect`` and ``disconnect``: everything a host can hold, put in and taken out, nothing else touched (DESIGN 7)."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alice_exp.home.hosts import HOSTS
from alice_exp.kernel.text.marked_block import with_block, without_block
from tests.conftest import ROOT

Call = Callable[..., Any]
SETTINGS = '{\n  // mine\n  "model": "opus",\n  "hooks": {\n    "Stop": [{"hooks": [{"type": "command", "command": "beep"}]}]\n  }\n}\n'


@pytest.fixture
def person(world: Path) -> Path:
    """The person's home folder, with no host and no home of ours in it."""
    return Path(os.environ["HOME"])


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The servers that were to be tried: here each is said to start, which takes half a second to find out."""
    commands: list[list[str]] = []

    def starts(program: str, arguments: list[str]) -> str:
        commands.append([program, *arguments])
        return "ok"

    monkeypatch.setattr("alice_exp.agents.host_config.try_server", starts)
    return commands


def files(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text("utf-8")
        for path in folder.rglob("*")
        if path.is_file() and ".alice" not in path.relative_to(folder).parts[0]
    }


@pytest.mark.parametrize("host", HOSTS)
def test_a_host_on_an_empty_machine_is_connected_once_and_taken_out_whole(
    person: Path, cli: Call, host: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    if host != "claude-code":
        # Whether the server starts is asked for one host: it is the same server.
        monkeypatch.setattr("alice_exp.agents.host_config.try_server", lambda *_: "ok")
    shown = cli("connect", host, "--print", "--json").json
    assert files(person) == {} and shown["written"] == []
    done = cli("connect", host, "--json").json
    assert (done["host"], done["server"]) == (host, "ok")
    written = files(person)
    assert sorted(done["written"]) == sorted(str(person / name) for name in written)
    assert {str(person / name): text for name, text in written.items()} == shown["texts"]
    tried = request.getfixturevalue("tried")
    assert cli("connect", host, "--json").json["written"] == [] and files(person) == written
    assert [command[-3:] for command in tried] == [["--actor", f"agent:{host}", "mcp"]]
    assert [one["host"] for one in cli("status", "--json").json["hosts"]] == [host]
    told = cli("disconnect", host).stdout
    assert "is removed" in told and "is written" not in told
    assert files(person) == {}
    assert "is not connected" in cli("disconnect", host).stdout
    assert cli("disconnect", host, "--json").json["written"] == []


def test_what_a_person_has_in_a_hosts_files_stays_byte_for_byte(
    person: Path, cli: Call, tried: list[list[str]]
) -> None:
    before = {
        ".claude/settings.json": SETTINGS,
        ".claude/CLAUDE.md": "# Mine\n\nuse tabs\n",
        ".claude.json": '{"mcpServers": {"other": {"command": "x"}}, "n": 1}\n',
    }
    for name, text in before.items():
        (person / name).parent.mkdir(exist_ok=True)
        (person / name).write_text(text, encoding="utf-8")
    cli("connect", "claude")
    hooks = (person / ".claude/settings.json").read_text("utf-8")
    assert "// mine" in hooks and '"command": "beep"' in hooks and "hook claude-code stop" in hooks
    notes = (person / ".claude/CLAUDE.md").read_text("utf-8")
    assert notes.startswith("# Mine\n\nuse tabs\n") and "report_outcome" in notes
    cli("disconnect", "claude-code")
    assert files(person) == before


@pytest.mark.parametrize(
    "before", ["", 'model = "x"\n', '[mcp_servers.other]\ncommand = "y"\n\n', "# mine\n\n\n"]
)
def test_codexs_toml_is_as_it_was_after_disconnect(
    person: Path, cli: Call, tried: list[list[str]], before: str
) -> None:
    config = person / ".codex/config.toml"
    config.parent.mkdir()
    config.write_text(before, encoding="utf-8")
    cli("connect", "codex")
    cli("disconnect", "codex")
    assert (config.read_text("utf-8") if config.exists() else "") == before
    cli("connect", "codex")
    config.write_text(config.read_text("utf-8") + '\n[tui]\ntheme = "dark"\n', encoding="utf-8")
    cli("disconnect", "codex")
    gap = "\n" if before.strip() else ""
    assert config.read_text("utf-8") == f'{before}{gap}[tui]\ntheme = "dark"\n'


def test_an_entry_of_another_installation_is_brought_up_to_date(
    person: Path, cli: Call, tried: list[list[str]]
) -> None:
    cli("connect", "claude-code")
    path = person / ".claude/settings.json"
    now = path.read_text("utf-8")
    old = now.replace(
        json.loads(now)["hooks"]["Stop"][0]["hooks"][0]["command"], "/old/alice-exp hook claude-code stop"
    )
    path.write_text(old, encoding="utf-8")
    assert cli("connect", "claude-code", "--json").json["written"] == [str(path)]
    assert path.read_text("utf-8") == now


def test_without_a_name_those_that_are_found(
    person: Path, cli: Call, tried: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert cli("connect", check=False).code == 4
    (person / ".codex").mkdir()
    (person / ".gemini").mkdir()
    done = cli("connect", "--json").json["hosts"]
    assert [one["host"] for one in done] == ["codex", "gemini"]
    server = tomllib.loads((person / ".codex/config.toml").read_text("utf-8"))["mcp_servers"]["alice-exp"]
    assert server["args"][-3:] == ["--actor", "agent:codex", "mcp"]
    assert [command[-2] for command in tried] == ["agent:codex", "agent:gemini"]


def test_nothing_is_written_where_the_server_could_not_start(
    person: Path, cli: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("alice_exp.agents.host_config.command", lambda *_, **__: ("/bin/false", []))
    failed = cli("connect", "gemini", check=False)
    assert failed.code == 3 and "exit code 1" in failed.stderr
    assert files(person) == {}


def test_only_a_person_connects_and_a_wrong_name_is_answered_with_the_right_ones(
    person: Path, cli: Call
) -> None:
    assert cli("--actor", "agent", "connect", "gemini", check=False).code == 6
    assert cli("--actor", "agent", "disconnect", "gemini", check=False).code == 6
    failed = cli("connect", "emacs", check=False)
    assert failed.code == 2 and "opencode" in failed.stderr
    (person / ".gemini").mkdir()
    (person / ".gemini/settings.json").write_text('{"hooks": ', encoding="utf-8")
    assert cli("connect", "gemini", check=False).code == 3
    assert files(person) == {".gemini/settings.json": '{"hooks": '}


def test_a_marked_block_is_put_in_replaced_and_taken_out() -> None:
    for text in ("", "a\n", "a", "a\r\nb\r\n", "\n\n"):
        once = with_block(text, "one\ntwo")
        assert with_block(once, "one\ntwo") == once and "one" in once
        other = with_block(once + "after\n", "three")
        assert "one" not in other and other.endswith("after\n") and "three" in other
        assert (
            without_block(once) == (text if text.endswith("\n") or not text else f"{text}\n")
            or not text.strip()
        )


def test_what_is_told_of_the_hosts_is_what_the_table_says() -> None:
    listed = f"{', '.join([*HOSTS][:-1])} or {[*HOSTS][-1]}"
    told = (ROOT / "docs/agents.md").read_text("utf-8")
    for module in ("connect_commands", "mcp_commands"):
        assert listed in (ROOT / f"alice_exp/agents/cli/{module}.py").read_text("utf-8")
    for host in HOSTS.values():
        row = next(line for line in told.splitlines() if line.startswith(f"| {host.name}"))
        assert f"`~/{host.user}`" in row and Path(host.instructions or "–").name in row
