"""``connect`` and ``disconnect``: everything a host can hold, put in and taken out, nothing else touched (DESIGN 7)."""

import json
import os
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from alice_exp.agents import host_config
from alice_exp.caller.hosts import HOSTS
from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.text.display import with_block, without_block
from alice_exp.terminal.console import Terminal
from tests.case_tables import table
from tests.conftest import ROOT

Call = Callable[..., Any]


@pytest.fixture
def person(world: Path) -> Path:
    """The person's home folder, with no host and no home of ours in it."""
    return Path(os.environ["HOME"])


def files(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text("utf-8")
        for path in folder.rglob("*")
        if path.is_file() and ".alice" not in path.relative_to(folder).parts[0]
    }


def test_without_a_name_a_terminal_asks_before_it_writes_and_a_pipe_does_not(
    person: Path, cli: Call, tried: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    (person / ".codex").mkdir()
    asked: list[str] = []
    keyboard = SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True))
    with monkeypatch.context() as patch:
        patch.setattr("alice_exp.agents.cli.connect_commands.sys", keyboard)
        patch.setattr(Terminal, "require_confirmation", lambda _: None)
        patch.setattr(Terminal, "_agreed", lambda _, question: asked.append(question))
        assert cli("connect", check=False).code == 6
    assert files(person) == {} and tried == [] and "codex" in asked[0]
    assert [one["host"] for one in cli("connect", "--json").json["hosts"]] == ["codex"]


@pytest.mark.parametrize("host", HOSTS)
def test_a_host_on_an_empty_machine_is_connected_once_and_taken_out_whole(
    person: Path, cli: Call, host: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    if host != "claude-code":
        # Whether the server starts is asked for one host: it is the same server.
        monkeypatch.setattr("alice_exp.agents.store.try_server", lambda *_: "ok")
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
    # Version 0.2.0 noted nothing of how the files were before.
    Path(os.environ["ALICE_HOME"], f"state/hosts/{host}.json").unlink()
    cli("connect", host)
    told = cli("disconnect", host).stdout
    assert "is removed" in told and "is written" not in told
    assert files(person) == {}
    assert "is not connected" in cli("disconnect", host).stdout
    assert cli("disconnect", host, "--json").json["written"] == []


@pytest.mark.parametrize(
    "before", ["", 'model = "x"\n', 'model = "x"', '[mcp_servers.other]\ncommand = "y"\n\n', "# mine\n\n\n"]
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
    gap = "\n" if before else ""
    assert config.read_text("utf-8") == f'{before}{gap}[tui]\ntheme = "dark"\n'


def test_what_a_person_added_to_our_entry_stays(person: Path, cli: Call, tried: list[list[str]]) -> None:
    config = person / ".claude.json"
    config.write_text(
        '{"mcpServers": {"alice-exp": {"command": "old", "args": [], "env": {"A": "1"}}}}', "utf-8"
    )
    cli("connect", "claude-code")
    entry = json.loads(config.read_text("utf-8"))["mcpServers"]["alice-exp"]
    assert entry["env"] == {"A": "1"} and entry["command"] != "old"
    toml = person / ".codex/config.toml"
    toml.parent.mkdir()
    toml.write_text('[mcp_servers.alice-exp]\ncommand = "old"\ntool_timeout_sec = 20 # mine\n', "utf-8")
    cli("connect", "codex")
    assert "tool_timeout_sec = 20 # mine" in toml.read_text("utf-8") and "old" not in toml.read_text("utf-8")


def test_a_broken_or_unknown_configuration_is_left_alone(person: Path, cli: Call) -> None:
    (person / ".codex").mkdir()
    for host, name, text in (
        *(("claude-code", ".claude.json", text) for text in ('{"mcpServers": ', '{"mcpServers": []}', "[]")),
        ("codex", ".codex/config.toml", "a = \n"),
    ):
        (person / name).write_text(text, encoding="utf-8")
        assert cli("connect", host, check=False).code == 3
        assert (person / name).read_text("utf-8") == text
    assert cli("connect", "emacs", check=False).code == 2


def test_nothing_is_written_where_the_server_could_not_start(
    person: Path, cli: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("alice_exp.agents.store.text", lambda _: "#!/bin/sh\nexit 1\n")
    failed = cli("connect", "gemini", check=False)
    assert failed.code == 3 and "exit code 1" in failed.stderr
    assert files(person) == {}


def test_a_marked_block_is_put_in_replaced_and_taken_out() -> None:
    for text in ("", "a\n", "a", "a\r\nb\r\n", "\n\n"):
        once = with_block(text, "one\ntwo")
        assert with_block(once, "one\ntwo") == once and "one" in once
        other = with_block(once + "after\n", "three")
        assert "one" not in other and other.endswith("after\n") and "three" in other
        assert without_block(once) == text
        begin, end = (line for line in once.splitlines() if "<!--" in line)
        # A line lost, a second pair, an editor's blank behind the last: nobody knows whose the rest is.
        for lost in (once.replace(end, ""), once.replace(begin, ""), once * 2, once.replace(end, f"{end} ")):
            for change in (lambda: with_block(lost, "x", path="N"), lambda: without_block(lost, path="N")):  # noqa: B023
                with pytest.raises(ProblemError) as refused:
                    change()
                assert refused.value.path == "N" and lost.splitlines()[refused.value.line - 1].startswith(
                    "<!--"
                )


def test_what_is_told_of_the_hosts_is_what_the_table_says() -> None:
    listed = f"{', '.join([*HOSTS][:-1])} or {[*HOSTS][-1]}"
    told = (ROOT / "docs/agents.md").read_text("utf-8")
    assert (ROOT / "alice_exp/agents/cli/connect_commands.py").read_text("utf-8").count(listed) == 1
    for host in HOSTS.values():
        row = next(line for line in told.splitlines() if line.startswith(f"| {host.name}"))
        assert f"`~/{host.user}`" in row and Path(host.instructions or "–").name in row


@table("host", "name", "texts")
def test_disconnect_leaves_every_byte_as_it_was(
    person: Path,
    cli: Call,
    tried: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    host: str,
    name: str,
    texts: tuple[str, ...],
) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    path = person / name
    for text in texts:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        cli("connect", host)
        assert "alice" in path.read_text("utf-8"), (name, text)
        cli("connect", host)
        cli("disconnect", host)
        assert path.read_bytes() == text.encode(), name
        path.unlink()
    assert not (Path(os.environ["ALICE_HOME"], "state/hosts", f"{host}.json")).exists()


UNASKED: dict[str, Callable[[Path], Any]] = {
    "claude-code": lambda home: json.loads((home / ".claude/settings.json").read_text("utf-8"))["permissions"]["allow"]
    == ["mcp__alice-exp"],
    "codex": lambda home: tomllib.loads((home / ".codex/config.toml").read_text("utf-8"))["mcp_servers"]["alice-exp"][
        "default_tools_approval_mode"
    ]
    == "approve",
    "gemini": lambda home: json.loads((home / ".gemini/settings.json").read_text("utf-8"))["mcpServers"]["alice-exp"]["trust"],
    "qwen": lambda home: json.loads((home / ".qwen/settings.json").read_text("utf-8"))["mcpServers"]["alice-exp"]["trust"],
}  # fmt: skip


@pytest.mark.parametrize("host", UNASKED)
def test_tools_run_unasked_unless_the_person_wants_to_be_asked(
    person: Path, cli: Call, tried: list[list[str]], host: str
) -> None:
    shown = "".join(cli("connect", host, "--print", "--json").json["texts"].values())
    word = {"claude-code": '"mcp__alice-exp"', "codex": '= "approve"'}.get(host, '"trust": true')
    assert word in shown
    cli("connect", host)
    assert UNASKED[host](person)
    cli("connect", host, "--ask")
    assert word not in "".join(files(person).values())
    assert word not in "".join(cli("connect", host, "--ask", "--print", "--json").json["texts"].values())
    cli("connect", host)
    assert UNASKED[host](person)
    cli("disconnect", host)
    assert files(person) == {}


def test_every_host_starts_the_launcher_which_only_a_person_writes(
    person: Path, cli: Call, run: Call, tmp_path: Path
) -> None:
    cli("connect", "claude-code")
    launcher = Path(os.environ["ALICE_HOME"]) / "bin/alice-exp"
    assert launcher.stat().st_mode & 0o777 == 0o700
    told = "".join(text for name, text in files(person).items() if name.endswith(".json"))
    assert told.count(str(launcher)) == 5 and str(ROOT) not in told
    assert subprocess.run([launcher, "status", "--json"], capture_output=True, check=True).stdout
    good = launcher.read_text("utf-8")
    for broken in (good.replace("exec ", "exec /gone/"), "#!/bin/sh\n", None):
        launcher.unlink()
        if broken is not None:
            launcher.write_text(broken)
            launcher.chmod(0o700)
        hosts = cli("status", "--json").json["hosts"]
        assert "cannot start its server" in hosts[0]["problems"][0]["message"]
        failed = cli("doctor", "--json", check=False)
        checks = {one["name"]: one for one in failed.json["checks"]}
        assert checks["hosts"]["severity"] == "error" and failed.code == 3
        assert "doctor --fix" in cli("log").stderr
        assert "doctor --fix" not in cli("--actor", "agent", "log").stderr
        assert cli("--actor", "agent", "doctor", "--fix", check=False).code == 6
        assert broken is None or launcher.read_text("utf-8") == broken, "an agent writes it at no time"
        mended = {one["name"]: one for one in cli("doctor", "--fix", "--json").json["checks"]}
        assert mended["hosts"] == {"name": "hosts", "severity": "ok", "mended": 1, "problems": []}
        assert launcher.read_text("utf-8") == good
    assert "gone" not in cli("log").stderr


@pytest.mark.parametrize(("name", "keeps_server"), [("claude-code", False), ("gemini", True)])
def test_where_a_plugin_brings_server_and_hooks_none_stand_beside_them(
    name: str, keeps_server: bool, person: Path, cli: Call, tried: list[list[str]]
) -> None:
    host = HOSTS[name]
    cli("connect", name)
    installed = host_config.under(host, host.plugin[0])
    installed.parent.mkdir(parents=True)
    installed.write_text('{"name": "alice-exp", "plugins": {"alice-exp@alice-exp": []}}')
    cli("connect", name)
    places = (host_config.place(host), host_config.under(host, host.hooks.file))
    files = {one: one.read_text() for one in places if one.exists()}
    assert ("bin/alice-exp" in "".join(files.values())) is keeps_server
    assert not any(" hook " in text for text in files.values())
    assert all(rule in "".join(files.values()) for rule in host.plugin[1:])
    cli("disconnect", name)
    assert not any("alice-exp" in one.read_text() for one in files if one.exists())
