"""Nothing is said twice: what a person says in one session a later one's model proposes, with their words (DESIGN 14)."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alice_exp import Alice, NotFoundError
from alice_exp.conversations.rules.context_window import estimate_tokens
from tests.case_tables import cases
from tests.dying import killed

Call = Callable[..., Any]
ORDER = "From now on ask me questions before you start coding."
MOMENT = "Fix the failing test in tree.spec.ts now."


@pytest.fixture
def project(tmp_path: Path) -> Callable[[str], Path]:
    """Make a repository."""

    def made(name: str) -> Path:
        folder = tmp_path / "work" / name
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
        return folder

    return made


def hook(cli: Call, event: str, folder: Path, session: str, *said: str, host: str = "claude-code") -> str:
    """What a host's hook answers: its text."""
    file = folder / f"{session}.jsonl"
    rows = (
        {"type": "user", "uuid": f"{session}{at}", "timestamp": "2026-02-20T08:00:00Z",
         "message": {"role": "user", "content": text}}
        for at, text in enumerate(said)
    )  # fmt: skip
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    sent = {
        "session_id": session,
        "cwd": str(folder),
        "transcript_path": str(file),
        "prompt": said[0] if said else "",
    }
    out = cli("hook", host, event, stdin=json.dumps(sent)).stdout
    answer = json.loads(out) if out else {}
    return str(answer.get("reason") or answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


def agent(home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, host: str = "claude-code") -> Alice:
    monkeypatch.chdir(folder)
    return Alice(home, f"agent:{host}")


@pytest.mark.covers("B4.22")
def test_said_once_proposed_by_the_model_approved_and_told_in_that_project_alone(
    home: Path, cli: Call, project: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, by_folder: None
) -> None:
    here, other = project("one"), project("two")
    monkeypatch.chdir(here)
    hook(cli, "end", here, "s1", ORDER, MOMENT, "```\nnever do this\n```")
    cli("status")
    # The second session begins: one line, and nothing of what was said.
    opening = hook(cli, "start", here, "s2")
    assert "2 sentences of earlier sessions wait: call `heard` when the task is over" in opening
    assert "questions" not in opening and "tree.spec" not in opening
    assert "sentences" not in hook(cli, "start", other, "s3")
    # When its task is over the hook says it once, and the agent does what the ten lines say.
    assert "call `heard`" in hook(cli, "stop", here, "s2", "do it")
    assert "call `heard`" not in hook(cli, "stop", here, "s2", "do it")
    model = agent(home, here, monkeypatch)
    answer = model.call("heard", {})
    assert estimate_tokens(json.dumps(answer, ensure_ascii=False)) <= 640 and answer["left"] == 0
    assert len(answer["lines"].splitlines()) == 10
    said = {one["text"]: one["id"] for one in answer["sentences"]}
    assert set(said) == {ORDER, MOMENT} and answer["sentences"][0]["at"] == "2026-02-20"
    rule = {"payload": "Ask questions before coding.", "trigger": "starting a task", "type": "rule"}
    with pytest.raises(NotFoundError):
        model.call("memorize", {**rule, "quote": ["hrd-000000000000"]})
    kept = model.call("memorize", {**rule, "quote": [said[ORDER]]})
    assert model.call("listened", {"ids": list(said.values())}) == {"listened": 2, "left": 0}
    block = cli("show", kept["id"], "--json").json
    assert (block["origin"], block["evidence"][0]["quote"]) == ("heard", ORDER)
    assert cli("log", "--limit", "1", "--json").json["commits"][0]["actor"] == "agent:claude-code"
    # The next morning its sentence stands above the rule; approved, it is told here and nowhere else.
    cli("heartbeat", "--json")
    cli("approve", kept["id"], "--yes")
    told = hook(cli, "start", here, "s4")
    assert "Ask questions before coding." in told and "tree.spec" not in told and "wait" not in told
    assert "Ask questions" not in hook(cli, "start", other, "s5")
    prompt = hook(cli, "prompt", here, "s4", "start a task: write the code of the parser")
    assert "tree.spec" not in prompt


def test_only_the_host_that_heard_reads_it_unless_the_person_says_so(
    home: Path, cli: Call, project: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, by_folder: None
) -> None:
    here = project("one")
    monkeypatch.chdir(here)
    hook(cli, "end", here, "s1", ORDER)
    cli("status")
    assert agent(home, here, monkeypatch, "cursor").heard() == ()
    assert agent(home, here, monkeypatch, "mine").call("heard", {})["sentences"] == []
    (one,) = agent(home, here, monkeypatch).heard()
    with pytest.raises(NotFoundError):
        agent(home, here, monkeypatch, "cursor").listened([one.id])
    assert cli(
        "config", "set", "heard.across_hosts", "true", env={"ALICE_ACTOR": "agent:cursor"}, check=False
    ).code
    cli("config", "set", "heard.across_hosts", "true")
    assert agent(home, here, monkeypatch, "cursor").heard() == (one,)


def test_a_person_lists_drops_and_stops(
    home: Path, cli: Call, project: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, by_folder: None
) -> None:
    here = project("one")
    monkeypatch.chdir(here)
    secret = "My password is hunter2-hunter2, never print it."
    hook(cli, "end", here, "s1", ORDER, secret)
    (row,) = cli("heard", "--json").json["sentences"]
    assert set(row) == {"id", "session", "project", "at", "text"} and row["text"] == ORDER
    assert row["id"] in cli("heard").stdout
    assert cli("heard", "--drop", row["id"], env={"ALICE_ACTOR": "agent:x"}, check=False).code == 6
    assert cli("heard", "--drop", row["id"], "--json").json["sentences"] == []
    # What was dropped does not come back with the rest of its session.
    hook(cli, "end", here, "s1", ORDER, secret, "Always use tabs in the Makefile.")
    assert [one["text"] for one in cli("heard", "--json").json["sentences"]] == [
        "Always use tabs in the Makefile."
    ]
    cli("heard", "--off")
    hook(cli, "end", here, "s2", "Never use mocks in integration tests.")
    assert len(cli("heard", "--json").json["sentences"]) == 1
    assert cli("heard", "--on", "--json").json["enabled"]


def test_what_waits_stands_in_the_order_in_which_it_was_said(
    home: Path, cli: Call, project: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, by_folder: None
) -> None:
    here = project("one")
    monkeypatch.chdir(here)
    one = "Use pnpm here. Never run yarn. Keep the lock file. Always pin versions."
    more = [f"Step {at} is to use plan {at}." for at in range(7)]
    hook(cli, "end", here, "s1", "ok", *more, "ok", "ok", "ok", one)
    cli("status")
    wanted = [*more, *(f"{part.strip()}." for part in one.split(".") if part)]
    assert [row["text"] for row in cli("heard", "--json").json["sentences"]] == wanted
    model = agent(home, here, monkeypatch)
    told = model.call("heard", {})["sentences"]
    assert [row["text"] for row in told] == wanted
    # A rule that rests on two sentences of one message has both as its evidence.
    rule = {"payload": "Use pnpm, never yarn.", "trigger": "adding a package"}
    kept = model.call("memorize", {**rule, "quote": [row["id"] for row in told[-4:-2]]})
    quotes = [piece["quote"] for piece in cli("show", kept["id"], "--json").json["evidence"]]
    assert quotes == ["Use pnpm here.", "Never run yarn."]


def test_a_compaction_keeps_what_was_said_so_far(
    home: Path, cli: Call, project: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, by_folder: None
) -> None:
    here = project("one")
    monkeypatch.chdir(here)
    hook(cli, "PreCompress", here, "g1", ORDER, host="gemini")
    assert [one["text"] for one in cli("heard", "--json").json["sentences"]] == [ORDER]
    hook(cli, "end", here, "g1", ORDER, host="gemini")
    assert len(cli("heard", "--json").json["sentences"]) == 1


def test_what_is_old_by_reports_that_the_person_saw_goes(
    home: Path, cli: Call, project: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, by_folder: None
) -> None:
    here = project("one")
    monkeypatch.chdir(here)
    hook(cli, "end", here, "s1", ORDER)
    cli("heartbeat")
    late = {"ALICE_NOW": "2026-06-20T09:00:00Z"}
    cli("heartbeat", "--peek", env=late)
    cli("heartbeat", env=late | {"ALICE_ACTOR": "agent:x"}, check=False)
    assert len(cli("heard", "--json").json["sentences"]) == 1
    cli("heartbeat", env=late)
    assert cli("heard", "--json").json["sentences"] == []


SIX = tuple(cases(__file__, "SIX"))


@pytest.mark.covers("B4.23")
def test_six_wordings_of_one_order_are_one_candidate_with_its_dates(
    home: Path, cli: Call, project: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, by_folder: None
) -> None:
    here = project("one")
    monkeypatch.chdir(here)
    model = agent(home, here, monkeypatch)
    for at, text in enumerate((*SIX, "don't ask questions first before you start coding")):
        now = {"ALICE_NOW": f"2026-02-{20 + at}T09:00:00Z"}
        cli("session", "start", f"talk-{at}")
        cli("session", "say", f"talk-{at}", text, env=now)
        cli("session", "end", f"talk-{at}", env=now)
        (said,) = model.heard()
        if at in (0, 3):
            rule = f"Rule {at}: ask questions before coding"
            model.call("memorize", {"payload": rule, "trigger": "coding", "quote": [said.id]})
        model.listened([said.id])
    items = cli("heartbeat", "--json", env={"ALICE_NOW": "2026-02-27T09:00:00Z"}).json["items"]
    asked = [one for one in items if "Rule 0" in one["payload"]]
    assert len(asked) == 1 and not any("Rule 3" in one["payload"] for one in items)
    assert items[0]["id"] == asked[0]["id"]
    shown = cli("heartbeat", "--peek", env={"ALICE_NOW": "2026-02-27T09:00:00Z"}).stdout
    assert "said 6 times: 20, 21, 22, 23, 24 and 25 February" in shown


STEPS = cases(__file__, "STEPS")


def test_a_sentence_that_was_read_is_gone_at_once_or_read_again_but_never_two(
    home: Path, cli: Call, project: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, by_folder: None
) -> None:
    here = project("one")
    monkeypatch.chdir(here)
    hook(cli, "end", here, "s1", ORDER)
    (row,) = cli("heard", "--json").json["sentences"]
    killed("alice_exp.kernel.journal.atomic_files:append", "after", "heard", "--drop", row["id"])
    assert [one["id"] for one in cli("heard", "--json").json["sentences"]] == [row["id"]]
    cli("heard", "--drop", row["id"])
    assert cli("heard", "--json").json["sentences"] == []


def test_a_purge_takes_the_sentence_along(
    home: Path, cli: Call, project: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, by_folder: None
) -> None:
    here = project("one")
    monkeypatch.chdir(here)
    hook(cli, "end", here, "s1", ORDER, "Always use tabs in the Makefile.")
    cli("status")
    model = agent(home, here, monkeypatch)
    said = next(one.id for one in model.heard() if one.text == ORDER)
    kept = model.memorize(ORDER, "coding", quote=[said])
    cli("purge", kept.block.id, "--yes")
    assert [one.text for one in model.heard()] == ["Always use tabs in the Makefile."]
    assert not any(
        ORDER.encode() in path.read_bytes() for path in (home / "state").rglob("*") if path.is_file()
    )
