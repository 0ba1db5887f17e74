"""Who acts: an agent's process is known by its variable and by its parents, and no word of its own makes it a person."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alice_exp.app.opening import greet, open_session
from alice_exp.caller import hosts
from alice_exp.caller.acting import Acting
from alice_exp.caller.hosts import HOSTS, KNOWN, Process, host_of
from alice_exp.kernel.errors import RefusedError
from alice_exp.kernel.journal.act import Actor
from alice_exp.terminal.console import Terminal
from tests.case_tables import cases
from tests.conftest import ROOT

Call = Callable[..., Any]
Git = Callable[..., str]
NODE = "/usr/bin/node"

PROGRAMS = [
    *cases(__file__, "PROGRAMS"),
    (NODE, ("claude",), "claude-code"),
    (NODE, ("claude --resume 3",), "claude-code"),
    (NODE, ("node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"), "claude-code"),
    (NODE, ("node", "/home/u/.npm/_npx/1/node_modules/.bin/gemini", "--yolo"), "gemini"),
    (NODE, ("node", "--max-old-space-size=8", "/x/@google/gemini-cli/dist/index.js"), "gemini"),
    (NODE, ("node", "-r", "dotenv/config", "/usr/bin/qwen"), "qwen"),
    (NODE, ("node", "/home/u/claude/index.js"), None),
    (NODE, ("node", "server.js", "claude"), None),
    (NODE, ("node", "-e", "codex"), None),
    (NODE, ("node", "--inspect"), None),
]
"""Executable, arguments, whose program it is."""


@pytest.mark.parametrize(("executable", "arguments", "host"), PROGRAMS)
def test_a_program_is_known_by_what_it_is(
    executable: str, arguments: tuple[str, ...], host: str | None
) -> None:
    found = host_of(Process(7, executable, arguments))
    assert (found.name if found else None) == host


@pytest.mark.parametrize("host", KNOWN, ids=lambda one: one.name or "any")
def test_every_variable_of_the_table_tells_its_agent(host: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in host.variables:
        with monkeypatch.context() as patch:
            patch.setenv(name, "1")
            assert str(Acting().actor) == f"agent:{host.name}".rstrip(":")
            assert Acting().sign == f"{name}=1"
            for claim in ("user", "editor", "system", "peer:bob"):
                with pytest.raises(RefusedError, match=f"this is agent.* [(]{name}=1[)]"):
                    _ = Acting(claim).actor
    for program in host.agents:
        assert host_of(Process(1, f"/bin/{program}")) is host
    assert host.name not in HOSTS or HOSTS[host.name] is host


@pytest.fixture
def block(home: Path, cli: Call) -> str:
    """A candidate that a report showed as number 1."""
    made: str = cli("memorize", "use rg", "--json").json["id"]
    cli("heartbeat")
    return made


@pytest.fixture
def host(world: Path) -> list[str]:
    """A host's program that runs what it is told in a shell."""
    program = world / "codex"
    shutil.copy(Path(shutil.which("sh") or "/bin/sh").resolve(), program)
    return [str(program), "-c"]


ALICE = f"{sys.executable} -m alice_exp"
CLEAN = f"env -i PATH=$PATH HOME=$HOME ALICE_HOME=$ALICE_HOME ALICE_NOW=$ALICE_NOW PYTHONPATH={ROOT}"
API = f'{sys.executable} -c "import alice_exp; alice_exp.Alice(actor=\\"user\\").remember(\\"tea\\")"'
APPROVE = "approve $BLOCK --yes"
WAYS = {
    "plain": f"{ALICE} {APPROVE}",
    "option": f"{ALICE} --actor user {APPROVE}",
    "variable": f"ALICE_ACTOR=user {ALICE} {APPROVE}",
    "named": f"{ALICE} --actor user:anna {APPROVE}",
    "clean": f"{CLEAN} {ALICE} {APPROVE}",
    "shell": f"sh -c '{ALICE} {APPROVE}; exit $?'; exit $?",
    "script": f"printf '%s' '{ALICE} {APPROVE}' >~/script.sh; BLOCK=$BLOCK sh ~/script.sh",
    "nohup": f"nohup {ALICE} {APPROVE}",
    "setsid": f"{CLEAN} setsid --wait {ALICE} --actor user {APPROVE}",
    "nested": f"{CLEAN} nohup setsid --wait sh -c '{ALICE} reply approve --yes; exit $?'",
    "remember": f"{ALICE} --actor user remember tea",
    "memorize": f"ALICE_ACTOR=user {ALICE} memorize tea",
    "editor": f"{CLEAN} {ALICE} --actor editor memorize tea",
}


@pytest.mark.parametrize("way", WAYS)
def test_no_way_that_keeps_a_parent_makes_an_agent_a_person(
    way: str, host: list[str], block: str, home: Path, git: Git, world: Path
) -> None:
    head = git(home, "rev-parse", "HEAD")
    done = _run([*host, f"{WAYS[way]}; exit $?"], world, block)
    assert (done.returncode, git(home, "rev-parse", "HEAD")) == (6, head), done.stderr
    claims = "user" in WAYS[way] or way == "editor"
    assert all(way in done.stderr for way in ("terminal", "ask_person", "heartbeat --open")) == claims
    assert "this is agent:codex (PID " in done.stderr


def test_a_host_that_a_runtime_runs_is_known_by_its_script(block: str, world: Path) -> None:
    script = world / "aider"
    script.write_text("import subprocess, sys\nsys.exit(subprocess.call(['sh', '-c', sys.argv[1]]))\n")
    done = _run([sys.executable, str(script), f"{WAYS['clean']}; exit $?"], world, block)
    assert done.returncode == 6 and "this is agent:aider (PID " in done.stderr


def test_what_we_start_ourselves_is_no_person(block: str, cli: Call, world: Path) -> None:
    (world / "pwn.sh").write_text(f"env -u ALICE_INSIDE {ALICE} {APPROVE} 2>>{world}/said\necho []\n")
    cli("config", "set", "provider.command", f"sh {world}/pwn.sh")
    cli("session", "start", "demo")
    cli("session", "say", "demo", "user", "I live in Berlin")
    _run(
        ["sh", "-c", f"{ALICE} session end demo; EDITOR='sh {world}/pwn.sh' {ALICE} edit $BLOCK"],
        world,
        block,
    )
    assert (world / "said").read_text().count("this is agent (PID ") == 2
    assert cli("show", block, "--json").json["approved"] is False


def _run(command: list[str], world: Path, block: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "BLOCK": block}
    return subprocess.run(
        command, cwd=world, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def test_a_program_with_the_library_is_refused_too(host: list[str], block: str, world: Path) -> None:
    done = _run([*host, API], world, block)
    assert "RefusedError: user may not be named as the actor here" in done.stderr


def test_what_needs_no_person_goes_on_in_an_agents_process(
    host: list[str], block: str, home: Path, git: Git, world: Path
) -> None:
    for line in (
        f"ALICE_ACTOR=user {ALICE} recall rg",
        f"{ALICE} memorize 'use fd'",
        f"{ALICE} heartbeat",
        f"ALICE_ACTOR=user {ALICE} mcp </dev/null",
    ):
        done = _run([*host, line], world, block)
        assert done.returncode == 0, done.stderr
    # An agent's report is a peek.
    assert git(home, "log", "-1", "--format=%an") == "agent:codex"


@pytest.mark.parametrize("way", ["plain", "option", "variable", "clean", "script", "setsid"])
def test_a_person_in_a_terminal_a_script_or_a_cron_job_goes_on(
    way: str, block: str, cli: Call, world: Path
) -> None:
    done = _run(["sh", "-c", WAYS[way]], world, block)
    assert done.returncode == 0, done.stderr
    assert cli("show", block, "--json").json["approved"] is True


@pytest.mark.parametrize("above", [None, (Actor("agent", "codex"), "PID 7: codex")])
def test_a_terminal_that_an_agent_drives_takes_no_notice_from_the_person(
    above: Any, block: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for mark in (home / "state").glob("shown-*"):
        mark.unlink()
    monkeypatch.setattr("alice_exp.caller.acting._by_parents", lambda: above)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    greet(Terminal(open_session), "list")
    assert bool(list((home / "state").glob("shown-report-*"))) == (above is None)


PS = """#!/bin/sh
echo "    1     0 /sbin/launchd
   60     0
  200     1 /Applications/iTerm 2.app/Contents/MacOS/iTerm 2 -psn
  300   200 node /opt/homebrew/bin/gemini --yolo
  SELF   300 python3 -m alice_exp approve 1"
"""


def test_ps_tells_the_parents_where_there_is_no_proc(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = world / "ps"
    fake.write_text(PS.replace("SELF", str(os.getpid())))
    fake.chmod(0o755)
    monkeypatch.setattr(hosts, "_PS", str(fake))
    monkeypatch.setattr(sys, "platform", "darwin")
    met = list(hosts.parents())
    assert [one.pid for one in met] == [os.getpid(), 300, 200, 1]
    assert str(Acting().actor) == "agent:gemini"
    monkeypatch.setattr(hosts, "_PS", str(world / "none"))
    assert list(hosts.parents()) == [] and str(Acting().actor) == "user"


def test_the_walk_ends_where_a_parent_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    own = [one.pid for one in hosts.parents()]
    assert own[:2] == [os.getpid(), os.getppid()] and own[-1] == 1
    rows = {os.getpid(): f"{os.getpid()} (a) b (c)) S 41 0", 41: "41 (x) S 40 0"}
    monkeypatch.setattr(hosts, "_read", lambda path: rows.get(int(path.split("/")[2]), ""))
    assert [one.pid for one in hosts.parents()] == [os.getpid(), 41]
    rows[40] = f"40 (loop) S {os.getpid()} 0"
    assert [one.pid for one in hosts.parents()] == [os.getpid(), 41, 40]
