"""A yes in the host's dialog is the person's where it reaches them, and nobody else's anywhere.

The host is a copy of Python under the name of Claude Code's program, at the place that ``connect`` registered, on a
terminal of its own: what the guards ask of a process, it has. The forgeries lack one thing each.
"""

import json
import os
import pty
import shutil
import sys
import textwrap
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from alice_exp.agents.server import Server
from tests.case_tables import cases, table
from tests.conftest import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who holds a pipe")
Call = Callable[..., Any]

HOST = """
import json, os, socket, subprocess, sys, time
home, words, how = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])
command = [sys.argv[4], "-m", "alice_exp", "--home", home, "--actor", how["actor"], "mcp"]
if how.get("socket"):
    mine, theirs = socket.socketpair()
    server = subprocess.Popen(command, stdin=theirs, stdout=theirs)
    theirs.close()
    source, sink = mine.makefile("rb"), mine.makefile("wb")
else:
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    source, sink = server.stdout, server.stdin
if how.get("exec"):
    # What holds the other ends goes on in a child, and this process becomes the registered program.
    if os.fork():
        for stream in (source, sink):
            os.set_inheritable(stream.fileno(), True)
        os.execv(how["exec"], [how["exec"], "-c", "import time; time.sleep(8)"])
told = {"asked": [], "done": None, "tools": []}
def send(message):
    sink.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\\n")
    sink.flush()
def read(named):
    while True:
        message = json.loads(source.readline())
        if message.get("method") == "elicitation/create":
            told["asked"].append(message["params"]["message"])
            answer = words.pop(0) if words else "cancel"
            if how.get("run"):
                os.system(how["run"])
            time.sleep(how.get("wait", 0.75))
            result = {"action": answer, "content": {}}
            send({"id": how.get("id", message["id"]), "result": result})
            if "id" in how:
                send({"method": "notifications/cancelled", "params": {"requestId": 3}})
                send({"id": 4, "method": "ping"})
        elif message.get("id") == named or message.get("id") == 4:
            return message.get("result", message.get("error"))
capabilities = how.get("capabilities", {"elicitation": {}})
hello = {"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "claude-code", "version": "2"}}
for number in range(3):
    send({"id": 9, "result": {"action": "accept"}}) if how.get("early") else None
    send({"id": f"ask-{number}", "result": {"action": "accept"}}) if how.get("early") else None
send({"id": 1, "method": "initialize", "params": hello})
read(1)
send({"method": "notifications/initialized"})
send({"id": 2, "method": "tools/list"})
told["tools"] = [one["name"] for one in read(2)["tools"]]
send({"id": 3, "method": "tools/call", "params": {"name": "ask_person", "arguments": how.get("arguments", {})}})
told["done"] = read(3)
with open(sys.argv[5], "w") as file:
    json.dump(told, file)
"""


class Told(NamedTuple):
    """What a host saw: the messages of the dialogs, the answer of the tool, the tools that were listed."""

    asked: list[str]
    done: Mapping[str, Any]
    tools: list[str]


@pytest.fixture
def host(home: Path, world: Path, cli: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """``host(words, program=…, arguments=…, **how)``: one conversation of a host, on a terminal unless told otherwise."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for copied in ("claude", "codex"):
        shutil.copy(os.path.realpath(sys.executable), programs / copied)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setattr("alice_exp.agents.store.try_server", lambda *_: "ok")
    cli("connect", "claude-code")
    cli("connect", "codex")
    script = tmp_path / "host.py"
    script.write_text(HOST)
    out = tmp_path / "told.json"

    def call(
        words: list[str] | None = None,
        program: Path | None = None,
        before: tuple[str, ...] = (),
        flags: tuple[str, ...] = (),
        environment: Mapping[str, str] = {},
        terminal: bool = True,
        name: str = "",
        **how: Any,
    ) -> Told:
        out.unlink(missing_ok=True)
        run = str(program or programs / "claude")
        if how.get("exec"):
            how["exec"] = str(programs / "claude")
        how = {"actor": "agent:claude-code", **how}
        said = json.dumps(["accept"] * 3 if words is None else words)
        argv = [
            name or run,
            *before,
            str(script),
            str(home),
            said,
            json.dumps(how),
            sys.executable,
            str(out),
            *flags,
        ]
        held = {
            **os.environ, "PYTHONPATH": str(ROOT), "PYTHONHOME": sys.base_prefix, "HOME": os.environ["HOME"], **environment,
        }  # fmt: skip
        pid, terminal_end = pty.fork()
        if not pid:
            if not terminal:
                nothing = os.open(os.devnull, os.O_RDWR)
                os.dup2(nothing, 0)
                os.dup2(nothing, 1)
            os.chdir(tmp_path)
            os.execve(run, argv, held)
        shown = b""
        while True:
            try:
                part = os.read(terminal_end, 4096)
            except OSError:
                break
            if not part:
                break
            shown += part
        os.close(terminal_end)
        os.waitpid(pid, 0)
        if not out.exists():
            return Told([], {"failed": shown.decode()}, [])
        return Told(**json.loads(out.read_text()))

    return call


def approved(cli: Call) -> list[str]:
    return [one["payload"] for one in cli("list", "--json").json["blocks"] if one["approved"]]


@pytest.fixture
def three(cli: Call, home: Path) -> dict[str, str]:
    """Three things that wait, by id, and two more that a dialog does not ask about."""

    def kept(*words: str) -> str:
        return str(cli("memorize", *words, "--actor", "agent:x", "--json").json["id"])

    ids = {kept(f"lesson {name}", "--when", f"doing {name}"): name for name in ("apple", "bread", "cheese")}
    kept("the password is hunter22!x")
    kept("long " * 120)
    return ids


@pytest.mark.parametrize("socket", [False, True])
def test_three_things_are_decided_in_the_dialog_as_the_person(
    host: Call, three: dict[str, str], cli: Call, home: Path, git: Callable[..., str], socket: bool
) -> None:
    told = host(["accept", "decline", "cancel"], socket=socket)
    assert "ask_person" in told.tools and "structuredContent" in told.done, told.done
    assert [text.splitlines()[0][:7] for text in told.asked] == ["1 of 3:", "2 of 3:", "3 of 3:"]
    assert all(len(text.splitlines()) == 3 for text in told.asked)
    assert "lesson" in told.asked[0] and "password" not in "".join(told.asked)
    done = told.done["structuredContent"]
    asked = [next(one for one in three if f"lesson {three[one]}" in text) for text in told.asked]
    assert (done["approved"], done["rejected"], done["later"]) == ([asked[0]], [asked[1]], [asked[2]])
    assert approved(cli) == [f"lesson {three[asked[0]]}"]
    log = git(home, "log", "-2", "--format=%B")
    assert log.count("Alice-Channel: dialog of claude-code") == 2 and log.count("Alice-Actor: user") == 2
    again = host()
    assert again.asked == [] and "today already" in again.done["content"][0]["text"]
    report = cli("heartbeat", env={"ALICE_NOW": "2026-02-21T09:00:00Z"}).stdout
    assert f"lesson {three[asked[0]]}  dialog of claude-code · alice-exp undo" in report
    assert "alice-exp review" in host().done["structuredContent"]["hint"]


def test_what_its_yes_could_only_put_off_is_not_asked(host: Call, cli: Call) -> None:
    cli("remember", "never squash the commits", "--when", "merging")
    for text, when in (
        ("always squash the commits", "merging"),
        ("the office is in Leeds", ""),
        ("the office is not in Leeds", ""),
        ("use rg", "searching"),
    ):
        cli("memorize", text, "--when", when, "--about", "user", "--actor", "agent:x")
    (asked,) = host().asked
    assert "\nAbout you: " in asked and "use rg" in asked


def test_a_block_that_changes_while_the_dialog_stands_is_not_decided(
    host: Call, three: dict[str, str], cli: Call, home: Path
) -> None:
    (pool,) = (home / "experiences/low_value_pool").glob("*.jsonc")
    told = host(run=f"sed -i 's/lesson /poison /' {pool}")
    assert "lesson" in told.asked[0], told.done
    assert len(told.done["structuredContent"]["later"]) >= 1, told.done
    assert not any(f"lesson {one}" in approved(cli) for one in three.values())
    assert len(approved(cli)) <= 2, "the first was changed while it was shown"


FORGED: dict[str, dict[str, Any]] = {
    "another program": {"program": Path(os.path.realpath(sys.executable))},
    "another program, renamed": {"program": Path(os.path.realpath(sys.executable)), "name": "claude"},
    "a copy of its name": {"program": "elsewhere"},
    "a link to its name": {"program": "link"},
    "in a folder of its package": {"program": "package"},
    "no terminal": {"terminal": False},
    "for one prompt": {"flags": ("-p",)},
    "printing": {"flags": ("--print",)},
    "with its own settings": {"flags": ("--settings=x.json",)},
    "with its own settings, parted": {"flags": ("--settings", "x.json")},
    "with a plugin": {"flags": ("--plugin-dir", "x")},
    "with a stream": {"flags": ("--output-format", "stream-json")},
    "within Claude Code": {"environment": {"CLAUDECODE": "1"}},
    "within Codex": {"environment": {"CODEX_THREAD_ID": "1"}},
    "within an agent": {"environment": {"AI_AGENT": "1"}},
    "within Gemini": {"environment": {"GEMINI_CLI": "1"}},
    "answered at once": {"wait": 0.0},
    "answered soon": {"wait": 0.3},
    "another program goes on": {"exec": True, "program": Path(os.path.realpath(sys.executable))},
    "another program goes on, by a socket": {
        "exec": True, "socket": True, "program": Path(os.path.realpath(sys.executable)),
    },
    "a child answers for the program": {"exec": True},
    "a child answers for the program, by a socket": {"exec": True, "socket": True},
    "as nobody": {"actor": "agent"},
    "as another host": {"actor": "agent:codex"},
    "as an unknown host": {"actor": "agent:mine"},
    "an answer to another question": {"id": "ask-1"},
    "an answer to the call": {"id": 3},
    "an answer without a question": {"early": True, "words": []},
    "no dialog at all": {"capabilities": {}},
    "a dialog of no form": {"capabilities": {"elicitation": True}},
    "a dialog of pages alone": {"capabilities": {"elicitation": {"url": {}}}},
    "other answers": {"words": ["yes", "Accept", "ACCEPT "]},
    "no answer": {"words": [None, 1, ["accept"]]},
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_yes_approves_nothing(
    name: str, host: Call, three: dict[str, str], cli: Call, tmp_path: Path
) -> None:
    how = dict(FORGED[name])
    real = os.path.realpath(sys.executable)
    if isinstance(how.get("program"), str):
        folder = tmp_path / {"package": "x/@anthropic-ai/claude-code"}.get(how["program"], "other")
        folder.mkdir(parents=True)
        how["program"] = (
            (folder / "claude").symlink_to(real) or folder / "claude"
            if how["program"] == "link"
            else Path(shutil.copy(real, folder / "claude"))
        )
    told = host(**how)
    assert told.done is not None and approved(cli) == [], told


SETTINGS = dict(cases(__file__, "SETTINGS"))


@table("flags", "settings")
def test_codex_that_answers_dialogs_itself_is_not_asked(
    flags: tuple[str, ...], settings: str, host: Call, three: dict[str, str], cli: Call, tmp_path: Path
) -> None:
    """As 0.169.0 does where it asks for no approvals: with yes beside its sandbox, with no within it."""
    codex: dict[str, Any] = {"program": tmp_path / "programs/codex", "actor": "agent:codex"}
    path = Path(os.environ["HOME"]) / ".codex/config.toml"
    own = path.read_text()
    path.write_text(f"{settings}\n{own}")
    told = host(flags=flags, **codex)
    assert told.done and told.asked == [] and approved(cli) == []
    path.write_text(own)
    assert len(host(**codex).asked) == 3


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("word", ["Elicitation", "\\u0045licitation", "ElicitationResult"])
def test_a_hook_that_answers_dialogs_ends_them(
    name: str, word: str, host: Call, three: dict[str, str], cli: Call, tmp_path: Path
) -> None:
    base = Path(os.environ["HOME"]) if SETTINGS[name] == "person" else tmp_path
    path = base / name.removeprefix("work/")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'{{"hooks": {{"{word}": [{{"hooks": [{{"type": "command", "command": "x"}}]}}]}}}}')
    told = host()
    assert told.asked == [] and "ask_person" not in told.tools and approved(cli) == []


def test_what_a_person_switched_off_or_signs_is_not_asked(
    host: Call, three: dict[str, str], cli: Call, home: Path
) -> None:
    cli("config", "set", "review.in_host", "false")
    assert host().asked == []
    cli("config", "set", "review.in_host", "true")
    (home / "identity").mkdir(exist_ok=True)
    (home / "identity/owner.pub").write_text("ssh-ed25519 AAAA x\n")
    told = host()
    assert told.asked == [] and "ask_person" not in told.tools and approved(cli) == []
    told = host(capabilities={"elicitation": {"form": {}, "url": {}}})
    assert told.asked == [
        "5 things wait. Your key signs what you approve: the page composes your reply, a terminal takes it."
    ]
    page = home / "state/report.html"
    assert told.done["structuredContent"] == {"page": page.as_uri(), "waiting": 5}
    assert "lesson apple" in page.read_text("utf-8") and approved(cli) == []
    again = host(capabilities={"elicitation": {"url": {}}})
    assert again.asked == [] and "today already" in again.done["content"][0]["text"]


def test_a_host_below_another_ones_program_is_not_asked(
    host: Call, three: dict[str, str], cli: Call, tmp_path: Path
) -> None:
    """Its shell is Codex's: a copy of a shell under the name of that program stands above."""
    above = tmp_path / "above" / "codex"
    above.parent.mkdir()
    shutil.copy(os.path.realpath("/bin/sh"), above)
    real = Path(os.environ["PATH"].split(":")[0]) / "claude"
    told = host(program=above, before=("-c", f'{real} "$@"; true', "sh"))
    assert told.done and told.asked == [] and approved(cli) == []


def test_answers_from_a_file_decide_nothing(home: Path, three: dict[str, str], cli: Call, run: Call) -> None:
    rows = [
        {"id": 1, "method": "initialize", "params": {"capabilities": {"elicitation": {}}}},
        {"id": 2, "method": "tools/call", "params": {"name": "ask_person"}},
        *({"id": f"ask-{number}", "result": {"action": "accept"}} for number in range(9)),
    ]
    done = run("--actor", "agent:claude-code", "mcp", stdin=textwrap.dedent("\n".join(map(json.dumps, rows))))
    assert "cannot be asked here" in done.stdout and approved(cli) == []


def test_who_hung_up_is_not_asked() -> None:
    """The worker may be between two questions when its client goes away; a dialog sent then has no answer."""
    source, sink = os.pipe()
    os.close(sink)
    out, sink = os.pipe()
    server = Server(os.fdopen(source, "rb"), sink, lambda: pytest.fail("nothing was called"))
    server.run()
    said: list[str] = []
    asking = threading.Thread(target=lambda: said.append(server.ask({})), daemon=True)
    asking.start()
    asking.join(20)
    os.close(sink)
    with os.fdopen(out, "rb") as sent:
        assert (said, sent.read()) == (["cancel"], b"")
