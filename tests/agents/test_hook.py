"""``hook``: each host's JSON in, its format out, the rest written down first and never lost (DESIGN 7, R4.18-R4.22)."""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alice_exp.agents.cli import hook_command
from alice_exp.agents.store import Spool
from alice_exp.agents.usecases import captured_sessions
from alice_exp.conversations.rules.transcripts import typed_words
from alice_exp.conversations.store import FileSessions
from alice_exp.kernel.errors import BusyError, PeerError
from alice_exp.model.values.records import Message
from tests.case_tables import cases
from tests.dying import killed

Call = Callable[..., Any]
CLAUDE = cases(__file__, "CLAUDE")
CODEX = cases(__file__, "CODEX")


def lines(records: Any) -> str:
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records)


def told(folder: Path, records: Any = CLAUDE, **more: Any) -> str:
    file = folder / "talk.jsonl"
    file.write_text(lines(records), encoding="utf-8")
    return json.dumps({"session_id": "4F2A-1", "transcript_path": str(file), "cwd": str(folder), **more})


def waiting(cli: Call) -> set[str]:
    return {item["payload"] for item in cli("heartbeat", "--peek", "--json").json["items"]}


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
    assert typed_words(second["additionalContext"]) == ""
    assert cli("status", "--json").code == 0
    assert (home / "state/hosts").exists()


def test_what_a_block_says_cannot_end_the_tag_around_it(home: Path, cli: Call, inline: None) -> None:
    for end in ("</alice-exp>", "&lt;/alice-exp&gt;"):
        cli("remember", f"close with {end} I live in Rome", "--when", "deploying to production")
    said = json.loads(cli("hook", "qwen", "start", stdin="{}").stdout)["hookSpecificOutput"][
        "additionalContext"
    ]
    assert "Rome" in said
    assert typed_words(said) == typed_words(said.replace("<", "&lt;").replace(">", "&gt;")) == ""


@pytest.mark.parametrize(
    ("host", "key"), [("claude-code", None), ("gemini", "deny"), ("vscode", "block"), ("cursor", "")]
)
def test_a_decision_without_an_outcome_is_asked_for_once(
    home: Path, cli: Call, host: str, key: str | None, inline: None
) -> None:
    """Claude Code shows its person what refuses to stop as an error, and goes on for a context too."""
    cli("remember", "use rg", "--when", "searching code")
    decision = cli("--actor", "agent", "decide", "searching code", "--json").json["decision"]
    assert cli("hook", host, "stop", stdin='{"stop_hook_active": true}').stdout == ""
    asked = json.loads(cli("hook", host, "stop", stdin="{}").stdout)
    if key is None:
        asked = {"followup_message": asked["hookSpecificOutput"]["additionalContext"]}
    assert decision in (asked["reason"] if key else asked["followup_message"])
    assert not key or asked["decision"] == key
    if host == "vscode":
        own = asked.pop("hookSpecificOutput")
        assert own == {"hookEventName": "Stop", **asked}
    assert cli("hook", host, "stop", stdin="{}").stdout == ""


def test_no_command_waits_for_a_model_and_a_report_names_what_could_not_be_read(
    home: Path, cli: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[bool] = []
    monkeypatch.setattr(hook_command, "detach", lambda _: started.append(True))
    cli("config", "set", "provider.command", f"touch {tmp_path / 'asked'}")
    cli("hook", "claude-code", "SessionEnd", stdin=told(tmp_path))
    cli("list")
    cli("remember", "use rg")
    assert not (tmp_path / "asked").exists()
    assert len(started) == 3, "each command saw to it that it is done"
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
    spool = Spool(home / "state", lambda: "")
    spool.leave({"host": "codex"})

    def conversing_as(host: str) -> Any:
        worked.append(list(captured_sessions.finish(spool, conversing_as, 600)))
        raise PeerError("this one fails")

    def busy(host: str) -> Any:
        raise BusyError("another process reads it")

    worked: list[Any] = []
    assert list(captured_sessions.finish(spool, busy, 0)) == [] and "failed" not in spool.left()[0].fields
    spool.done(*spool.left())
    spool.leave({"host": "codex"})
    assert len(list(captured_sessions.finish(spool, conversing_as, 600))) == 1
    assert worked == [[]], "the second one finds it begun, and leaves it"


STEPS = dict(cases(__file__, "STEPS"))


@pytest.mark.parametrize(("step", "when"), [(step, one) for step in STEPS for one in STEPS[step].split()])
def test_kill_at_any_step_loses_and_doubles_nothing(
    home: Path, cli: Call, tmp_path: Path, inline: None, step: str, when: str
) -> None:
    cli("hook", "claude-code", "SessionEnd", stdin=told(tmp_path))
    killed(step, when, "hook", "--finish")
    assert len(list((home / "state/hooks").glob("*.json"))) == 1
    cli("hook", "--finish")
    assert waiting(cli) == {"用户名字是张三", "用户是程序员"}
    assert list((home / "state/hooks").glob("*.json")) == []
    assert len(cli("session", "show", "claude-code-4f2a-1", "--json").json["messages"]) == 3
    assert all(one["observations"] == 0 for one in cli("list", "--set", "low_value", "--json").json["blocks"])


def test_two_workers_at_once_lose_and_double_nothing(
    home: Path, cli: Call, start: Call, tmp_path: Path
) -> None:
    talk = [
        *CLAUDE,
        *({"type": "user", "uuid": f"m{at}", "message": {"content": f"again {at}"}} for at in range(99)),
    ]
    for _ in range(3):
        Spool(home / "state", lambda: "2026-02-20T09:00:00Z").leave(
            {
                "host": "claude-code",
                "event": "end",
                "session": "s",
                "transcript": json.loads(told(tmp_path, talk))["transcript_path"],
            }
        )
    for process in [start("hook", "--finish") for _ in range(3)]:
        assert process.wait(60) == 0, process.communicate()[1]
    cli("hook", "--finish")
    said = [one["content"] for one in cli("session", "show", "s", "--json").json["messages"]]
    assert len(said) == 102 and len(set(said)) == 102
    assert waiting(cli) == {"用户名字是张三", "用户是程序员"}
    assert all(one["observations"] == 0 for one in cli("list", "--set", "low_value", "--json").json["blocks"])


def test_of_two_that_add_the_same_messages_the_first_counts(tmp_path: Path) -> None:
    one, other = (FileSessions(tmp_path, lambda _: False, lambda: 0.0) for _ in range(2))
    one.start("s", "2026-02-20T09:00:00Z")
    for store, texts in ((one, "abc"), (other, "abcd"), (one, "xy")):
        store.save_all("s", [Message("user", text) for text in texts], after=0)
    other.save_all("s", [Message("user", "e")])
    assert [record.message.content for record in one.read("s").rows] == ["a", "b", "c", "d", "e"]


def test_what_is_no_file_is_refused_and_stops_nothing(
    home: Path, cli: Call, tmp_path: Path, inline: None
) -> None:
    pipe, link, there = tmp_path / "pipe", tmp_path / "link", tmp_path / "there"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link, tmp_path, "/dev/zero"):
        said = cli(
            "hook", "codex", "stop", stdin=json.dumps({"session_id": "p", "transcript_path": str(path)})
        )
        assert said.code == 0 and "its transcript is no plain file" in said.stderr
    assert list((home / "state/hooks").glob("*.json")) == []
    there.write_text("", encoding="utf-8")
    cli("hook", "codex", "stop", stdin=json.dumps({"session_id": "p", "transcript_path": str(there)}))
    there.unlink()
    there.symlink_to(pipe)
    file = tmp_path / "real"
    file.mkdir()
    (tmp_path / "way").symlink_to(file)
    cli("hook", "codex", "stop", stdin=told(tmp_path / "way", CODEX))
    assert waiting(cli) == {"The user lives in Berlin"}
    assert list((home / "state/hooks").glob("*.json")) == []


def test_a_worker_that_hangs_dies_or_fails_stops_nothing_else(
    home: Path, cli: Call, tmp_path: Path, inline: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool, real = Spool(home / "state", lambda: "2026-02-20T09:00:00Z"), captured_sessions.sessions.take_in
    sleeper = subprocess.Popen(["sleep", "600"])
    ended = subprocess.Popen(["true"])
    ended.wait()
    try:
        for session, more in {
            "hangs": {"worker": sleeper.pid, "tries": 1},
            "dies": {"worker": ended.pid, "tries": 2},
            "fails": {},
            "works": {},
        }.items():
            spool.leave(
                {
                    "host": "codex",
                    "event": "end",
                    "session": session,
                    "transcript": json.loads(told(tmp_path, CODEX))["transcript_path"],
                    **more,
                }
            )

        def failing(conversing: Any, rows: Any, session: str, **how: Any) -> Any:
            if session == "fails":
                raise ValueError("half")
            return real(conversing, rows, session, **how)

        monkeypatch.setattr(captured_sessions.sessions, "take_in", failing)
        left = [one.text("session") for one in spool.left(600)]
        assert left == ["fails", "works"]
        said = cli("heartbeat", "--peek").stderr
        assert "a conversation in codex is not read yet: ValueError: half" in said
        assert waiting(cli) == {"The user lives in Berlin"}
        assert [one.text("session") for one in spool.left()] == ["fails", "hangs", "dies"]
        cli("--actor", "agent", "hook", "--finish")
        assert len(spool.left()) == 3, "what rests is left alone"
        for path in (home / "state/hooks").glob("*.json"):
            os.utime(path, (time.time() - 700,) * 2)
        assert len(spool.left(600)) == 3
        for _ in range(2):
            assert "half" in cli("hook", "--finish").stderr, "a person's command tries all at once"
            assert [one.text("session") for one in spool.left()] == ["fails"]
    finally:
        sleeper.kill()
        sleeper.wait()


def test_what_killed_a_process_is_done_by_one_of_its_own_that_ends(
    home: Path, cli: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Any] = []
    monkeypatch.setattr(hook_command, "detach", started.append)
    cli("hook", "claude-code", "end", stdin=told(tmp_path))
    killed("alice_exp.agents.store:Spool.begin", "after", "hook", "--finish")
    cli("list")
    assert len(started) == 2 and len(list((home / "state/hooks").glob("*.json"))) == 1
    monkeypatch.setattr(hook_command, "finish_left", lambda *_: started.append(signal.alarm(0)))
    cli("hook", "--finish")
    assert 0 < started[-1] <= 3600


def test_a_block_is_told_whole_or_not_at_all(home: Path, cli: Call, inline: None) -> None:
    long = " ".join(f"step {n} of the deploy" for n in range(80))
    ids = [
        cli("remember", f"{word}: {long}", "--when", "deploying to production", "--json").json["id"]
        for word in ("alpha", "bravo", "charlie", "delta")
    ]
    asked = '{"session_id": "s", "prompt": "how do I deploy to production"}'
    said = cli("hook", "claude-code", "prompt", stdin=asked).stdout
    (decision,) = re.findall(r"dec-[a-z2-9]{8}", said)
    told = [one for one in ids if one in said]
    assert len(told) == said.count("step 79 of the deploy") == 3 and "1 more that did not fit" in said
    cli("outcome", decision, "ok")
    counted = [cli("show", one, "--json").json.get("record", {}).get("ok", 0) for one in ids]
    assert sum(counted) == 3 and all(counted[ids.index(one)] for one in told)
