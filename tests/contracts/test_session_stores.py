"""What chat histories promise (R4.28, R4.31)."""

from pathlib import Path
from typing import Any

import pytest

from alice_exp.conversations.store import FileSessions
from alice_exp.kernel.errors import BusyError, NotFoundError, UsageError
from alice_exp.model.values.records import Message, ToolCall

AT = "2026-02-20T09:00:00Z"


class Clock:
    """A calendar that a test moves."""

    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def chats(tmp_path: Path, clock: Clock) -> FileSessions:
    return FileSessions(tmp_path / "sessions", lambda token: False, clock)


def said(chats: FileSessions, *texts: str) -> None:
    chats.start("demo", AT)
    chats.save_all("demo", [Message("user", text, AT) for text in texts])


@pytest.mark.covers("R4.28")
def test_what_is_saved_is_loaded_in_order(chats: FileSessions) -> None:
    assert chats.start("demo", AT) and not chats.start("demo", AT)
    call = Message("assistant", "", AT, (ToolCall("c1", "rg", '{"x": 1}'),))
    answer = Message("tool", "没有\n找到 😀", AT, tool_call_id="c1")
    assert chats.save_all("demo", [Message("user", "hi", AT)])[0].ref == "demo#0"
    assert [one.index for one in chats.save_all("demo", (call, answer), ("a", "b"))] == [1, 2]
    assert [one.message for one in chats.read("demo").rows] == [Message("user", "hi", AT), call, answer]
    assert [one.name for one in chats.read("demo").rows] == ["", "a", "b"]
    assert chats.save_all("demo", ()) == ()


@pytest.mark.covers("R4.31")
def test_marks_move_forward_only(chats: FileSessions) -> None:
    said(chats, "a", "b", "c")
    chats.mark("demo", "extracted", index=1)
    chats.mark("demo", "extracted", index=0)
    assert [one.index for one in chats.read("demo").unread] == [2]
    assert chats.read("demo").extracted == 1
    with chats.claim("demo", 0):
        chats.mark("demo", "extracting", token="ext-1", index=2)
        assert len(chats.read("demo").unread) == 1
        chats.mark("demo", "extracted", index=2)
    assert not chats.read("demo").unread


def test_one_claim_at_a_time(chats: FileSessions) -> None:
    said(chats, "a")
    with chats.claim("demo", 0):
        with pytest.raises(BusyError), chats.claim("demo", 0):
            raise AssertionError("two had it")
        assert chats.save_all("demo", [Message("user", "b", AT)])[0].index == 1
    with chats.claim("demo", 0):
        assert len(chats.read("demo").rows) == 2


def test_ending_forgetting_and_growing_old(chats: FileSessions, clock: Clock) -> None:
    said(chats, "a")
    chats.mark("demo", "ended", at=AT)
    chats.mark("demo", "ended", at="2027-01-01T00:00:00Z")
    (one,) = chats.talks()
    assert (one.session, len(one.rows), len(one.unread), one.ended, one.at) == ("demo", 1, 1, AT, AT)
    assert chats.start("demo", AT)
    assert chats.talks()[0].ended == "" and chats.talks()[0].at == AT
    clock.now += 100
    chats.start("young", AT)
    assert chats.older(1_000_050.0) == ("demo",)
    assert chats.forget("demo") == 1 and chats.older(1_000_050.0) == ()
    assert chats.forget("young") == 0 and not chats.talks()


def test_what_is_not_there_and_what_cannot_be(chats: FileSessions) -> None:
    for act in (chats.read, chats.forget):
        with pytest.raises(NotFoundError):
            act("nobody")
    with pytest.raises(NotFoundError):
        chats.save_all("nobody", [Message("user", "x")])[0]
    for name in ("", "../x", "A", "a/b", "x" * 65):
        with pytest.raises(UsageError):
            chats.start(name, AT)


def test_after_a_crash_history_tells_what_was_read(tmp_path: Path, clock: Clock) -> None:
    chats = FileSessions(tmp_path / "sessions", {"ext-1"}.__contains__, clock)
    said(chats, "a", "b")
    with chats.claim("demo", 0):
        chats.mark("demo", "extracting", token="ext-1", index=0)
    with chats.claim("demo", 0):
        assert [one.index for one in chats.read("demo").unread] == [1]
        chats.mark("demo", "extracting", token="ext-2", index=1)
    with chats.claim("demo", 0):
        assert [one.index for one in chats.read("demo").unread] == [1]


@pytest.mark.parametrize("kind", ["link", "fifo", "directory"])
def test_what_stands_in_a_files_place_is_not_followed(tmp_path: Path, clock: Clock, kind: str) -> None:
    import os

    from alice_exp.kernel.errors import AliceError

    chats = FileSessions(tmp_path / "sessions", lambda token: False, clock)
    (tmp_path / "sessions").mkdir()
    outside = tmp_path / "outside.jsonl"
    outside.write_text('{"role": "user", "content": "secret"}\n', encoding="utf-8")
    place = tmp_path / "sessions/demo.jsonl"
    make: dict[str, Any] = {
        "link": lambda: place.symlink_to(outside),
        "fifo": lambda: os.mkfifo(place),
        "directory": place.mkdir,
    }
    make[kind]()
    with pytest.raises(AliceError):
        chats.save_all("demo", [Message("user", "x")])[0]
    assert "secret" in outside.read_text(encoding="utf-8") and outside.stat().st_size < 50
    assert not chats.talks()


@pytest.mark.covers("R4.15")
def test_memories_and_conversations_lie_apart(home: Path, cli: Any) -> None:
    cli("remember", "我喜欢吃辣", "--when", "选餐馆")
    assert not list(home.glob("sessions/*")), "what was said has a store of its own"
    assert list(home.glob("experiences/personal/*"))
