"""What is marked secret or private waits outside of git until the person keeps it (N8.4)."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alice_exp.app.opening import open_session
from alice_exp.blocks.usecases.capture import Draft, memorize
from alice_exp.home.store.held_back import HeldBack
from alice_exp.kernel.journal.commit_writer import CommitWriter
from alice_exp.model.values.block import Payload
from alice_exp.review.usecases.decisions import approve, reject
from tests.conftest import Call

SECRETS = {
    "hunter2-Tr0ub4dor": "the staging password is hunter2-Tr0ub4dor",
    "13812345678": "我的手机号是 13812345678",
}


@pytest.fixture
def waiting(home: Path, cli: Call) -> list[str]:
    """A password, a phone number and a rule that two agents proposed, shown in a report."""
    said = [*SECRETS.values(), "use rg to search"]
    ids = [cli("memorize", one, "--actor", "agent:claude", "--json").json["id"] for one in said]
    cli("heartbeat")
    return ids


def holding(root: Path, word: str) -> list[str]:
    """Every file of a home that holds a word, also packed in an object of git."""
    found = []
    for path in sorted(root.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            if "objects" in path.parts and len(path.parent.name) == 2:
                data = zlib.decompress(data)
            found += [str(path.relative_to(root))] * (word.encode() in data)
    return found


def test_it_lies_in_one_closed_file_and_is_met_like_any_candidate(
    home: Path, cli: Call, waiting: list[str], git: Callable[..., str]
) -> None:
    root = home
    file = root / "state/held.jsonc"
    assert file.stat().st_mode & 0o777 == 0o600
    for word in SECRETS:
        assert holding(root, word) == ["state/held.jsonc"]
        assert git(root, "log", "--all", "-S", word, "--format=%h") == ""
    listed = cli("list", "--set", "low_value", "--json").json
    assert {row["id"] for row in listed["blocks"]} == {*waiting}
    assert cli("show", waiting[0], "--json").json["payload"] == SECRETS["hunter2-Tr0ub4dor"]
    shown = cli("heartbeat", "--peek").stdout
    assert all(text in shown for text in SECRETS.values())


@pytest.mark.covers("BX.70")
def test_a_rejection_unlinks_it(home: Path, cli: Call, waiting: list[str]) -> None:
    root = home
    cli("heartbeat", "--open", check=False)
    cli("reject", waiting[0], "--reason", "hunter2-Tr0ub4dor must not be kept", "--yes")
    cli("reject", waiting[1], "--yes")
    assert not (root / "state/held.jsonc").exists()
    for word in SECRETS:
        assert holding(root, word) == []
    assert cli("show", waiting[0], check=False).code == 4
    assert "rejected" in cli("log", waiting[0]).stdout or "reject" in cli("log", waiting[0]).stdout
    assert [row["id"] for row in cli("heartbeat", "--peek", "--json").json["items"]] == [waiting[2]]
    assert cli("doctor", check=False).code == 0


def test_an_approval_asks_for_itself_alone(home: Path, cli: Call, waiting: list[str]) -> None:
    done = cli("reply", "approve all", "--yes", "--json", check=False)
    assert (done.code, done.json["approved"]) == (5, [waiting[2]])
    assert {(row["id"], row["why"]) for row in done.json["skipped"]} == {
        (one, "private") for one in waiting[:2]
    }
    root = home
    assert all(holding(root, word) == ["state/held.jsonc"] for word in SECRETS)
    cli("approve", waiting[1], "--yes")
    assert holding(root, "hunter2-Tr0ub4dor") == ["state/held.jsonc"]
    assert "experiences/personal/user_preferences.jsonc" in holding(root, "13812345678")
    assert cli("show", waiting[1], "--json").json["set"] == "personal"


def test_an_undo_of_its_proposal_takes_it_out(home: Path, cli: Call) -> None:
    done = cli(
        "memorize", "the api password is Tr0ub4dor-3", "--when", "logging in", "--actor", "agent:x", "--json"
    )
    cli("undo", "--yes")
    assert holding(home, "Tr0ub4dor-3") == []
    assert cli("show", done.json["id"], check=False).code == 4


def test_what_nobody_answers_goes_without_a_trace(
    home: Path, cli: Call, waiting: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALICE_NOW", "2030-01-01T09:00:00Z")
    cli("heartbeat")
    assert all(holding(home, word) == [] for word in SECRETS)


def test_a_purge_reaches_it(home: Path, cli: Call, waiting: list[str]) -> None:
    cli("reject", waiting[0], "--purge", "--yes")
    cli("purge", waiting[1], "--yes")
    assert all(holding(home, word) == [] for word in SECRETS)
    assert cli("doctor", check=False).code == 0


class Killed(BaseException):
    """The process is gone: nothing runs after it."""


@pytest.fixture(params=["before", "after"])
def killed(request: pytest.FixtureRequest) -> Callable[[Callable[[], object]], bool]:
    """Runs an act in a process that dies around its commit; whether that landed."""

    def run(act: Callable[[], object]) -> bool:
        write, kept = CommitWriter.write, HeldBack._write
        with pytest.MonkeyPatch.context() as patch:

            def dying(*given: Any, **named: Any) -> None:
                if request.param == "after":
                    write(*given, **named)
                patch.setattr(HeldBack, "_write", lambda *_: None)
                raise Killed

            patch.setattr(CommitWriter, "write", dying)
            with pytest.raises(Killed):
                act()
        assert HeldBack._write is kept
        return bool(request.param == "after")

    return run


TEXT = SECRETS["13812345678"]


def test_a_crash_of_a_capture_loses_nothing(home: Path, cli: Call, killed: Any) -> None:
    session = open_session()
    killed(lambda: memorize(session.home, session.caller, [Draft(Payload(TEXT))]))
    assert holding(home, "13812345678") == ["state/held.jsonc"]
    assert [row["payload"] for row in cli("list", "--set", "low_value", "--json").json["blocks"]] == [TEXT]


@pytest.mark.parametrize("decide", [approve, reject])
def test_a_crash_of_a_decision_leaves_it_open_or_done(
    home: Path, cli: Call, killed: Any, decide: Any
) -> None:
    session = open_session()
    (known,) = memorize(session.home, session.caller, [Draft(Payload(TEXT))]).ids
    cli("heartbeat")
    has_landed = killed(lambda: decide(session.home, session.caller, (known,)))
    if not has_landed:
        assert holding(home, "13812345678") == ["state/held.jsonc"]
        decide(open_session().home, session.caller, (known,))
    cli("remember", "I like tea")
    assert not (home / "state/held.jsonc").exists()
    if decide is approve:
        assert cli("show", known, "--json").json["set"] == "personal"
    else:
        assert holding(home, "13812345678") == []
