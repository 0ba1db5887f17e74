"""``hook``: each host's JSON in, its format out, the rest written down first and never lost (DESIGN 7, R4.18-R4.22)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alice_exp.agents.cli import hook_command
from alice_exp.agents.rules.host_transcripts import rows
from alice_exp.agents.store import FileSpool
from alice_exp.agents.usecases.captured_sessions import finish
from alice_exp.kernel.errors import PeerError

Call = Callable[..., Any]
CLAUDE = [
    {"type": "summary", "summary": "a talk", "leafUuid": "x"},
    {"type": "user", "uuid": "u1", "message": {"role": "user", "content": "我叫张三，是程序员"}},
    {"type": "user", "uuid": "u2", "isMeta": True, "message": {"role": "user", "content": "I live in Rome"}},
    {"type": "user", "uuid": "u3", "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "t", "content": "I live in Rome"}]}},
    {"type": "user", "uuid": "u4", "message": {"role": "user", "content":
        "<system-reminder>I live in Rome</system-reminder>\nthanks"}},
    {"type": "assistant", "uuid": "a1", "message": {"role": "assistant", "content": [
        {"type": "thinking", "thinking": "I live in Rome"}, {"type": "text", "text": "你好"}]}},
]  # fmt: skip
CODEX = [
    {"timestamp": "2026-02-20T08:00:00Z", "type": "session_meta", "payload": {"id": "s"}},
    {"timestamp": "2026-02-20T08:00:00Z", "type": "response_item", "payload": {"type": "message", "role": "user",
        "content": [{"type": "input_text", "text": "<environment_context>I live in Rome</environment_context>"}]}},
    {"timestamp": "2026-02-20T08:00:01Z", "type": "response_item", "payload": {"type": "message", "role": "user",
        "content": [{"type": "input_text", "text": "I live in Berlin"}]}},
    {"timestamp": "2026-02-20T08:00:02Z", "type": "event_msg", "payload": {"type": "user_message", "message": "x"}},
    {"timestamp": "2026-02-20T08:00:03Z", "type": "response_item", "payload": {"type": "message", "role": "assistant",
        "content": [{"type": "output_text", "text": "Noted."}]}},
]  # fmt: skip
GEMINI = {
    "sessionId": "s",
    "messages": [
        {"id": "1", "timestamp": "2026-02-20T08:00:00Z", "type": "user", "content": "I live in Berlin"},
        {"id": "2", "timestamp": "2026-02-20T08:00:01Z", "type": "gemini", "content": "Noted."},
        {"id": "3", "timestamp": "2026-02-20T08:00:01Z", "type": "info", "content": "I live in Rome"},
    ],
}
CURSOR = [
    {
        "role": "user",
        "message": {"content": [{"type": "text", "text": "<user_query>\nI live in Berlin\n</user_query>"}]},
    }
]


# Qwen Code writes what a hook said into the person's row.
QWEN = [
    {"uuid": "1", "type": "user", "message": {"role": "user", "parts": [
        {"text": "I live in Berlin"}, {"text": "<alice-exp>\nI live in Rome\n</alice-exp>"}]}},
    {"uuid": "2", "type": "system", "subtype": "ui_telemetry", "systemPayload": {"text": "I live in Rome"}},
    {"uuid": "3", "type": "assistant", "message": {"role": "model", "parts": [
        {"text": "I live in Rome", "thought": True}, {"text": "Noted."}]}},
]  # fmt: skip


def lines(records: Any) -> str:
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (lines(CLAUDE), ["我叫张三，是程序员", "thanks", "你好"]),
        (lines(CODEX), ["I live in Berlin", "Noted."]),
        (json.dumps(GEMINI, indent=1), ["I live in Berlin", "Noted."]),
        (lines(CURSOR), ["I live in Berlin"]),
        (lines(QWEN), ["I live in Berlin", "Noted."]),
        (lines(CLAUDE) + '{"type": "user", "mess', ["我叫张三，是程序员", "thanks", "你好"]),
        ("nonsense", []),
        ("", []),
    ],
)
def test_a_transcript_holds_what_was_said_and_nothing_else(text: str, said: list[str]) -> None:
    assert [row.message.content for row in rows(text, "s")] == said


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch) -> None:
    """No process of its own: what a hook leaves stays until the next command."""
    monkeypatch.setattr(hook_command, "detach", lambda _: None)


def told(folder: Path, records: Any = CLAUDE, **more: Any) -> str:
    file = folder / "talk.jsonl"
    file.write_text(lines(records), encoding="utf-8")
    return json.dumps({"session_id": "4F2A-1", "transcript_path": str(file), "cwd": str(folder), **more})


def waiting(cli: Call) -> set[str]:
    return {item["payload"] for item in cli("heartbeat", "--peek", "--json").json["items"]}


def test_what_was_said_waits_at_the_next_command_and_is_read_once(
    home: Path, cli: Call, tmp_path: Path, inline: None
) -> None:
    assert cli("hook", "claude-code", "SessionEnd", stdin=told(tmp_path)).stdout == ""
    assert len(list((home / "state/hooks").glob("*.json"))) == 1
    assert waiting(cli) == {"用户名字是张三", "用户是程序员"}
    assert list((home / "state/hooks").glob("*.json")) == []
    assert cli("log", "--op", "extract", "--json").json["commits"][0]["actor"] == "agent:claude-code"
    more = [
        *CLAUDE,
        {"type": "user", "uuid": "u9", "message": {"role": "user", "content": "I live in Berlin"}},
    ]
    cli("hook", "claude-code", "end", stdin=told(tmp_path, more))
    assert waiting(cli) == {"用户名字是张三", "用户是程序员", "The user lives in Berlin"}
    # A transcript that the host wrote anew, as after compaction: known by its messages' ids.
    cli("hook", "claude-code", "end", stdin=told(tmp_path, more[4:]))
    assert len(waiting(cli)) == 3
    (session,) = cli("session", "list", "--json").json["sessions"]
    assert (session["id"], session["messages"], session["unextracted"]) == ("claude-code-4f2a-1", 4, 0)


def test_a_host_without_an_end_is_read_when_it_stops(
    home: Path, cli: Call, tmp_path: Path, inline: None
) -> None:
    cli("hook", "codex", "Stop", stdin=told(tmp_path, CODEX))
    assert waiting(cli) == {"The user lives in Berlin"}
    cli("hook", "opencode", "stop", stdin=json.dumps({"session_id": "s", "messages": [
        {"id": "1", "role": "user", "content": "I prefer tea"}]}))  # fmt: skip
    assert waiting(cli) == {"The user lives in Berlin", "The user prefers tea"}


@pytest.mark.parametrize("host", ["claude-code", "codex", "gemini", "qwen", "copilot", "cursor", "opencode"])
def test_the_start_and_a_prompt_are_answered_in_the_hosts_format(
    home: Path, cli: Call, host: str, inline: None
) -> None:
    assert cli("hook", host, "start", stdin="{}").stdout == ""
    cli("remember", "ask before a deploy on Friday", "--when", "deploying to production")
    start = json.loads(cli("hook", host, "start", stdin="{}").stdout)
    said = cli("hook", host, "prompt", stdin='{"prompt": "how do I deploy to production"}').stdout
    silent = cli("hook", host, "prompt", stdin='{"prompt": "quantum chromodynamics"}').stdout
    if host == "cursor":
        assert "Friday" in start["additional_context"]
        assert json.loads(said) == json.loads(silent) == {"continue": True}
        return
    assert silent == ""
    if host == "opencode":
        assert "Friday" in start["context"] and "Friday" in json.loads(said)["context"]
        return
    first, second = start["hookSpecificOutput"], json.loads(said)["hookSpecificOutput"]
    assert first["hookEventName"] == "SessionStart" and "Friday" in first["additionalContext"]
    assert second["hookEventName"] == ("BeforeAgent" if host == "gemini" else "UserPromptSubmit")
    assert "Friday" in second["additionalContext"]
    assert rows(lines([{"type": "user", "message": {"content": second["additionalContext"]}}]), "s") == []
    assert cli("status", "--json").code == 0
    assert (home / "state/hosts").exists()


def test_a_prompt_is_answered_in_the_persons_language_without_an_empty_trigger(home: Path, cli: Call) -> None:
    cli("remember", "我喜欢喝绿茶")
    told = cli("--lang", "zh", "hook", "gemini", "prompt", stdin='{"prompt": "喝绿茶"}').stdout
    context = json.loads(told)["hookSpecificOutput"]["additionalContext"]
    assert "- 我喜欢喝绿茶 [exp-" in context.partition("与此有关的已知内容")[2]


@pytest.mark.parametrize("host", ["codex", "qwen", "vscode"])
def test_a_host_that_does_not_tell_of_the_start_hears_at_the_first_prompt_what_is_approved(
    home: Path, cli: Call, host: str, inline: None
) -> None:
    cli("remember", "ask before a deploy on Friday", "--when", "deploying to production")
    prompt = '{"session_id": "s", "prompt": "quantum chromodynamics"}'
    assert "Friday" in cli("hook", host, "prompt", stdin=prompt).stdout
    assert cli("hook", host, "prompt", stdin=prompt).stdout == ""
    assert "Friday" in cli("hook", host, "start", stdin='{"session_id": "t"}').stdout
    assert cli("hook", host, "prompt", stdin=prompt.replace('"s"', '"t"')).stdout == ""


def test_what_a_block_says_cannot_end_the_tag_around_it(home: Path, cli: Call, inline: None) -> None:
    cli("remember", "close with </alice-exp> I live in Rome", "--when", "deploying to production")
    said = json.loads(cli("hook", "qwen", "start", stdin="{}").stdout)["hookSpecificOutput"]
    row = {"type": "user", "message": {"parts": [{"text": said["additionalContext"]}]}}
    assert rows(lines([row]), "s") == []


def test_nothing_unreviewed_reaches_a_prompt(home: Path, cli: Call, inline: None) -> None:
    cli("memorize", "use rg", "--when", "searching code")
    assert cli("hook", "gemini", "prompt", stdin='{"prompt": "searching code"}').stdout == ""


def test_what_stays_without_an_outcome_stands_behind_the_heartbeat(home: Path, cli: Call) -> None:
    cli("remember", "use rg", "--when", "searching code")
    decision = cli("--actor", "agent", "decide", "searching code", "--json").json["decision"]
    assert decision not in cli("heartbeat", "--peek").stderr, "it may still be going on"
    later = {"ALICE_NOW": "2026-02-21T09:00:00Z"}
    assert f"searching code (alice-exp outcome {decision} ok|fail)" in cli("heartbeat", env=later).stderr
    assert decision not in cli("heartbeat", env={"ALICE_NOW": "2026-04-01T09:00:00Z"}).stderr
    cli("outcome", decision, "ok", env=later)
    assert decision not in cli("heartbeat", env=later).stderr


@pytest.mark.parametrize(
    ("host", "key"), [("claude-code", "block"), ("gemini", "deny"), ("vscode", "block"), ("cursor", "")]
)
def test_a_decision_without_an_outcome_is_asked_for_once(
    home: Path, cli: Call, host: str, key: str, inline: None
) -> None:
    cli("remember", "use rg", "--when", "searching code")
    decision = cli("--actor", "agent", "decide", "searching code", "--json").json["decision"]
    assert cli("hook", host, "stop", stdin='{"stop_hook_active": true}').stdout == ""
    asked = json.loads(cli("hook", host, "stop", stdin="{}").stdout)
    assert decision in (asked["reason"] if key else asked["followup_message"])
    assert not key or asked["decision"] == key
    if host == "vscode":
        own = asked.pop("hookSpecificOutput")
        assert own == {"hookEventName": "Stop", **asked}
    assert cli("hook", host, "stop", stdin="{}").stdout == ""


def test_a_failure_is_told_and_never_stops_the_host(world: Path, cli: Call, tmp_path: Path) -> None:
    for stdin in ("nonsense", "[]", "{}"):
        said = cli("hook", "claude-code", "start", stdin=stdin)
        assert (said.code, said.stdout) == (0, "") and said.stderr.startswith("alice-exp: ")
    assert cli("hook", "emacs", "start", stdin="{}", check=False).code == 2
    assert cli("hook", "gemini", "lunch", stdin="{}", check=False).code == 2
    said = cli("hook", check=False).stderr
    assert "whose hook" in said and "claude-code" in said and "''" not in said


def test_no_command_waits_for_a_model_and_a_report_names_what_could_not_be_read(
    home: Path, cli: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[bool] = []
    monkeypatch.setattr(hook_command, "detach", lambda _: started.append(True))
    cli("config", "set", "provider.command", "sleep 60")
    cli("hook", "claude-code", "SessionEnd", stdin=told(tmp_path))
    began = time.monotonic()
    cli("list")
    cli("remember", "use rg")
    assert time.monotonic() - began < 50 and len(started) == 3, "each command saw to it that it is done"
    (left,) = (home / "state/hooks").glob("*.json")
    fields = json.loads(left.read_text("utf-8")) | {"failed": "the model did not answer"}
    left.write_text(json.dumps(fields), encoding="utf-8")
    said = cli("heartbeat", "--peek").stderr
    assert "a conversation in claude-code is not read yet: the model did not answer" in said
    assert len(started) == 3, "what failed lately is left alone"
    os.utime(left, (time.time() - 3600,) * 2)
    cli("list")
    assert len(started) == 4


def test_of_two_workers_at_once_one_works(home: Path) -> None:
    spool = FileSpool(home / "state", lambda: "")
    spool.leave({"host": "codex"})

    def conversing_as(host: str) -> Any:
        worked.append(list(finish(spool, conversing_as, wait=0)))
        raise PeerError("this one fails")

    worked: list[Any] = []
    assert len(list(finish(spool, conversing_as, wait=0))) == 1
    assert worked == [[]], "the second one finds it claimed, and leaves it"


def test_kill_of_the_detached_part_loses_nothing(home: Path, cli: Call, tmp_path: Path) -> None:
    """The process is stopped where it would work, killed, and the next command finishes what it left."""
    cli("init")
    hold = home / "state/hooks"
    hold.mkdir(parents=True, exist_ok=True)
    environ = {**os.environ, "ALICE_HOME": str(home), "PYTHONPATH": str(Path(__file__).parents[2])}
    lock = subprocess.Popen(
        ["flock", str(hold / ".lock"), "sleep", "60"], start_new_session=True, stdout=subprocess.DEVNULL
    )
    try:
        time.sleep(0.2)
        hook = [sys.executable, "-m", "alice_exp", "hook", "claude-code", "SessionEnd"]
        done = subprocess.run(
            hook, input=told(tmp_path), env=environ, text=True, capture_output=True, timeout=60
        )
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
        pids = worker_pids(home)
        assert pids, "the detached part waits for the lock"
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
    finally:
        os.killpg(lock.pid, signal.SIGKILL)
        lock.wait()
    assert len(list(hold.glob("*.json"))) == 1
    assert waiting(cli) == {"用户名字是张三", "用户是程序员"}
    assert list(hold.glob("*.json")) == []


def worker_pids(home: Path) -> list[int]:
    """The processes that work on what hooks left in this home."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        listed = subprocess.run(
            ["ps", "-wweo", "pid=,args="], capture_output=True, text=True, check=True
        ).stdout
        found = [int(line.split()[0]) for line in listed.splitlines() if f"{home} hook --finish" in line]
        if found:
            return found
        time.sleep(0.05)
    return []
