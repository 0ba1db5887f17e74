"""The dialog of real hosts, in a terminal of their own against a stand-in model: three keys decide three things.

What a host's shell forges decides nothing. Like the other real hosts it is slow, and skipped where npm or tmux is not.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.agents.model_stand_in import Called, StandIn, Wish, standing_in
from tests.agents.npm import fetched
from tests.agents.test_ask_person import FORGED, HOST, approved
from tests.agents.test_real_hosts import REAL, clean, configure
from tests.case_tables import cases
from tests.conftest import NOW, ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("tmux"), reason="tmux is not on this machine"),
]
Call = Callable[..., Any]

LESSONS = ("Write commit subjects as sentences", "Run make lint before a commit", "Use rg instead of grep")
DECLINE = {"claude-code": ("Down", "Enter"), "codex": ("2",)}
"""The keys that say no in a host's dialog."""
TRUSTED = {"claude-code": (), "codex": ("--dangerously-bypass-hook-trust",)}


PROPOSED = """\
Invoices are rounded per line, not at the total|Migrations run with a lock timeout of two seconds
The staging gateway needs the blue certificate|Tests of the parser want LANG=C
Customer names may hold emoji, so store them as utf8mb4|Releases are tagged before the changelog is cut
Ask Ines before the nightly export is moved|Never log a session cookie|The logo ships as svg alone
Use pnpm, the lockfile of npm is stale|Feature flags live in flags.yaml|Timestamps leave the api in UTC
Cache keys begin with the tenant|Retry a webhook three times, then park it|Screenshots go to docs/shots
The mobile build wants JDK 17|Prefer dataclasses to dicts in the importer|Copy of error pages is written by Tom
Wrap long SQL at the keywords|Check the dashboard an hour after a deploy|Bump the schema version by hand
The search index is rebuilt on Sundays|Squash merges only|Name branches after the ticket
Fixtures of the billing suite come from March""".replace("\n", "|").split("|")


class Terminal:
    """A host in a terminal of 100 by 40: keys are sent, and what it shows is waited for."""

    def __init__(self, socket: Path, argv: Sequence[str], at: Path, environment: dict[str, str]) -> None:
        self.tmux = ("tmux", "-S", str(socket))
        start = ("new-session", "-d", "-x", "100", "-y", "40", "-c", str(at), shlex.join(argv))
        subprocess.run([*self.tmux, *start, ";", "set", "remain-on-exit", "on"], env=environment, check=True)

    def send(self, *keys: str) -> None:
        subprocess.run([*self.tmux, "send-keys", *keys], check=True)

    def shown(self) -> str:
        return subprocess.run(
            [*self.tmux, "capture-pane", "-p"], capture_output=True, text=True, check=True
        ).stdout

    def wait(self, words: str, patience: float = 60) -> str:
        deadline = time.monotonic() + patience
        while not re.search(words, shown := self.shown()):
            assert time.monotonic() < deadline, f"{words} never stood in:\n{shown}"
            time.sleep(0.2)
        return shown

    def close(self) -> None:
        subprocess.run([*self.tmux, "kill-server"], check=False)


@pytest.fixture
def open_host(world: Path, cli: Call, monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    """``open_host(name, model, now)``: the host is connected, begun in a project and past its first questions."""
    person, opened = Path(os.environ["HOME"]), list[Terminal]()
    here = person / "one"
    subprocess.run(["git", "init", "-q", str(here)], check=True)

    def begin(name: str, model: StandIn, now: str = NOW) -> Terminal:
        real = REAL[name]
        program = fetched(real.package, real.program, 300)
        monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
        if real.file:
            configure(person / real.file, real.configuration.replace("WHERE", model.url))
        cli("connect", name)
        if name == "claude-code":
            path = person / ".claude.json"
            known = {
                "hasCompletedOnboarding": True,
                "bypassPermissionsModeAccepted": True,
                "projects": {str(here): {"hasTrustDialogAccepted": True}},
                "customApiKeyResponses": {"approved": ["none"], "rejected": []},
            }
            path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | known), encoding="utf-8")
        variables = {key: one.replace("WHERE", model.url) for key, one in real.variables.items()}
        words = [str(program), *TRUSTED[name], *(real.unasked if model.runs else ())]
        terminal = Terminal(
            person / "tmux.socket",
            words,
            here,
            clean() | variables | {"TERM": "xterm-256color", "ALICE_NOW": now},
        )
        opened.append(terminal)
        if name == "codex":
            terminal.wait("Trust this folder")
            terminal.send("Enter")
        terminal.wait("for shortcuts|bypass permissions on")
        return terminal

    yield begin
    for terminal in opened:
        terminal.close()


def ask(terminal: Terminal) -> None:
    """Type a prompt and send it; a host reads a key pressed at once with the text as a new line."""
    terminal.send("-l", "review memory")
    terminal.wait("review memory")
    time.sleep(1)
    terminal.send("Enter")


ASK: list[Called] = [("ask_person", {})]


@pytest.mark.parametrize("host", DECLINE)
def test_three_things_are_decided_by_keys_in_the_dialog_of_a_real_host(
    host: str, open_host: Call, cli: Call, home: Path, git: Callable[..., str]
) -> None:
    cli("init")
    for lesson in LESSONS:
        cli("memorize", lesson, "--when", "working here", "--actor", f"agent:{host}")
    with standing_in("Noted.", calls=ASK) as model:
        terminal = open_host(host, model)
        ask(terminal)
        texts = []
        for number, keys in enumerate((("Enter",), DECLINE[host], ("Escape",)), start=1):
            shown = terminal.wait(f"{number} of 3: may your agents follow this")
            texts.append(next(one for one in LESSONS if one in shown))
            time.sleep(1)
            for key in keys:
                terminal.send(key)
                time.sleep(0.2)
        terminal.wait("Noted[.]")
        assert "3 things wait: say 'review memory', or alice-exp review" in terminal.shown()
    assert approved(cli) == texts[:1]
    assert [one["payload"] for one in cli("heartbeat", "--peek", "--json").json["items"]] == texts[2:]
    told = git(home, "log", "-2", "-p", "--format=%s%n%B")
    assert told.count(f"Alice-Channel: dialog of {host}") == 2 and told.count("Alice-Actor: user") == 2
    assert all(text in told for text in texts[:2])


A_DAY = (1, 3, 0, 2, 5, 1, 0, 4, 2, 1, 3, 0, 2, 1)
"""How many lessons the agent proposes on each day of the fortnight; at most three a day are asked."""


def follow(calls: Sequence[Called]) -> Callable[[Any], Wish | None]:
    """A model that makes these calls in turn, as far as a conversation has come: a host asks beside it, too."""

    def wish(asked: Any) -> Wish | None:
        rows = [one["content"] for one in asked["messages"] if isinstance(one["content"], list)]
        made = sum(part.get("type") == "tool_use" for row in rows for part in row)
        offered = {one.get("name") for one in asked.get("tools") or []}
        if made >= len(calls) or f"mcp__alice-exp__{calls[made][0]}" not in offered:
            return None
        return f"mcp__alice-exp__{calls[made][0]}", calls[made][1], f"call_{made}"

    return wish


def test_a_fortnight_without_a_terminal(open_host: Call, cli: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """Claude Code twice a day: its agent proposes in the first session, and asks the person in both."""
    cli("init")
    words = iter(PROPOSED)
    chance, offered, decided, asked, made = Random(1), list[int](), 0, list[int](), list[int]()
    with standing_in("Noted.") as model:
        for day, count in enumerate(A_DAY):
            at = f"2026-03-{day + 2:02}"
            made += [day] * count
            lessons = [("memorize", {"payload": next(words)}) for _ in range(count)]
            dialogs = 0
            for hour, calls in ((9, [*lessons, *ASK]), (15, ASK)):
                monkeypatch.setattr(model, "wish", follow(calls))
                terminal = open_host("claude-code", model, f"{at}T{hour:02}:00:00Z")
                ask(terminal)
                shown = terminal.wait(r"Noted[.]|1 of [123]: may", 90)
                while number := re.search(r"([123]) of [123]: may", shown):
                    offered.append(day)
                    dialogs += 1
                    time.sleep(0.8)
                    says = chance.random()
                    for key in ("Enter",) if says < 0.7 else ("Down", "Enter") if says < 0.9 else ("Escape",):
                        terminal.send(key)
                        time.sleep(0.2)
                    decided += says < 0.9
                    shown = terminal.wait(rf"Noted[.]|{int(number[1]) + 1} of [123]: may")
                terminal.close()
            asked.append(dialogs)
    soon = sum(then - day <= 1 for day, then in zip(made, offered, strict=False))
    print(
        f"{len(made)} proposed, {len(offered)} offered, {soon} within a day, {decided} decided, dialogs a day {asked}"
    )
    assert soon >= 0.8 * len(made) and max(asked) <= 3


CLIENTS = dict(cases(__file__, "CLIENTS"))
"""What a model has its host's shell run; ``{client}`` speaks MCP and answers every dialog with yes."""


@pytest.mark.parametrize("host", DECLINE)
def test_no_shell_of_a_real_host_answers_the_dialog(
    host: str, open_host: Call, cli: Call, home: Path, world: Path
) -> None:
    cli("init")
    for lesson in LESSONS:
        cli("memorize", lesson, "--when", "working here", "--actor", f"agent:{host}")
    folder = world / "forged"
    folder.mkdir()
    script, out, program = folder / "client.py", folder / "told", REAL[host].program
    script.write_text(HOST)

    def client(start: str, words: Sequence[object] = ("accept",) * 3, **how: Any) -> str:
        told = {"actor": f"agent:{host}", "wait": 1, **how}
        parts = (start, script, home, json.dumps(words), json.dumps(told), sys.executable, out)
        return shlex.join(map(str, parts))

    kept = shlex.join(
        [
            f"PYTHONPATH={ROOT}",
            f"PYTHONHOME={sys.base_prefix}",
            f"HOME={os.environ['HOME']}",
            f"PATH={os.environ['PATH']}",
        ]
    )
    plain, copied = client(sys.executable), client(f"{folder}/x/{program}")
    rows = [
        {"id": 1, "method": "initialize", "params": {"capabilities": {"elicitation": {}}}},
        {"id": 2, "method": "tools/call", "params": {"name": "ask_person"}},
        *({"id": f"ask-{number}", "result": {"action": "accept"}} for number in range(3)),
    ]
    filled = {
        "client": plain, "quoted": shlex.quote(plain), "copied": copied, "copied_quoted": shlex.quote(copied),
        "kept": kept, "program": program, "python": os.path.realpath(sys.executable), "folder": folder,
        "rows": shlex.join(json.dumps({"jsonrpc": "2.0", **row}) for row in rows),
        "alice": f"{sys.executable} -m alice_exp --home {home} --actor agent:{host}",
    }  # fmt: skip
    ways = {name: way.format(**filled) for name, way in CLIENTS.items()}
    for name, how in FORGED.items():
        if not how.keys() & {"program", "terminal", "flags", "environment", "exec"}:
            ways[name] = (
                f"env -i {kept} script -qc {shlex.quote(client(f'{folder}/x/{program}', **how))} /dev/null"
            )
    steps = "\n".join(
        f"timeout 30 bash -c {shlex.quote(way)}; echo {shlex.quote(name)}: $? >>{folder}/done"
        for name, way in ways.items()
    )
    run = folder / "all.sh"
    run.write_text(f"export {kept}\n{steps}\n")
    with standing_in("Noted.", [f"bash {run} >{folder}/log 2>&1"]) as model:
        terminal = open_host(host, model)
        ask(terminal)
        terminal.wait("Noted[.]", 240)
        # Codex answers its model before a long command has ended.
        done, deadline = [""], time.monotonic() + 240
        while len(done) < len(ways) and time.monotonic() < deadline:
            time.sleep(0.5)
            done = (folder / "done").read_text("utf-8").splitlines()
    assert len(done) == len(ways) >= 25, (done, (folder / "log").read_text("utf-8"))
    assert json.loads(out.read_text("utf-8"))["asked"] == [], "the client spoke to the server"
    assert approved(cli) == []
    print(f"{host}: 0 of {len(done)} ways")
