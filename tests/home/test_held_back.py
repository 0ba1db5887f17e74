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

TEXT = "我的手机号是 13812345678"


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
