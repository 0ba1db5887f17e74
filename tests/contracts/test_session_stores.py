"""One suite for every ChatHistoryStore and one for every MemoryStore (R4.15, R4.27-R4.31)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from alice_exp import Alice
from alice_exp.conversations.ports import ChatHistoryStore, MemoryStore, SearchFilter
from alice_exp.conversations.rules.extraction import extract
from alice_exp.conversations.rules.hashed_vectors import cosine, embed, embed_block
from alice_exp.conversations.store import FileSessions
from alice_exp.conversations.values import Message, ToolCall
from alice_exp.home.session import new_id
from alice_exp.kernel.errors import BusyError, NotFoundError, UsageError
from alice_exp.model.values.block import Block, Payload
from tests.contracts.memory_stores import InMemoryChatHistoryStore, InMemoryStore

AT = "2026-02-20T09:00:00Z"


class Clock:
    """A calendar that a test moves."""

    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["files", "memory"])
def chats(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> ChatHistoryStore:
    if request.param == "files":
        return FileSessions(tmp_path / "sessions", lambda token: False, clock)
    return InMemoryChatHistoryStore(clock)


def said(chats: ChatHistoryStore, *texts: str) -> None:
    chats.start("demo", AT)
    chats.save_all("demo", [Message("user", text, AT) for text in texts])


@pytest.mark.covers("R4.28")
def test_what_is_saved_is_loaded_in_order(chats: ChatHistoryStore) -> None:
    assert chats.start("demo", AT) and not chats.start("demo", AT)
    call = Message("assistant", "", AT, (ToolCall("c1", "rg", '{"x": 1}'),))
    answer = Message("tool", "没有\n找到 😀", AT, tool_call_id="c1")
    assert chats.save("demo", Message("user", "hi", AT)).ref == "demo#0"
    assert [one.index for one in chats.save_all("demo", (call, answer), ("a", "b"))] == [1, 2]
    assert [one.message for one in chats.load("demo")] == [Message("user", "hi", AT), call, answer]
    assert [one.name for one in chats.load("demo")] == ["", "a", "b"]
    assert [one.index for one in chats.load_recent("demo", 2)] == [1, 2]
    assert chats.load_recent("demo", 0) == ()
    assert chats.save_all("demo", ()) == ()


@pytest.mark.covers("R4.31")
def test_marks_move_forward_only(chats: ChatHistoryStore) -> None:
    said(chats, "a", "b", "c")
    chats.mark_extracted("demo", 1)
    chats.mark_extracted("demo", 0)
    assert [one.index for one in chats.load_unextracted("demo")] == [2]
    assert [one.extracted for one in chats.load("demo")] == [True, True, False]
    with chats.claim("demo", 0) as claim:
        claim.begin("ext-1", 2)
        assert len(chats.load_unextracted("demo")) == 1
        claim.done(2)
    assert chats.load_unextracted("demo") == ()


def test_one_claim_at_a_time(chats: ChatHistoryStore) -> None:
    said(chats, "a")
    with chats.claim("demo", 0):
        with pytest.raises(BusyError), chats.claim("demo", 0):
            raise AssertionError("two had it")
        assert chats.save("demo", Message("user", "b", AT)).index == 1
    with chats.claim("demo", 0):
        assert len(chats.load("demo")) == 2


def test_ending_forgetting_and_growing_old(chats: ChatHistoryStore, clock: Clock) -> None:
    said(chats, "a")
    chats.end("demo", AT)
    chats.end("demo", "2027-01-01T00:00:00Z")
    (one,) = chats.conversations()
    assert (one.session, one.messages, one.unextracted, one.ended, one.at) == ("demo", 1, 1, AT, AT)
    assert chats.start("demo", AT)
    assert chats.conversations()[0].ended == "" and chats.conversations()[0].at == AT
    clock.now += 100
    chats.start("young", AT)
    assert chats.older(1_000_050.0) == ("demo",)
    assert chats.expire(1_000_050.0, ["demo"]) == ()
    assert chats.expire(1_000_050.0) == ("demo",)
    assert chats.forget("young") == 0 and chats.conversations() == ()


def test_what_is_not_there_and_what_cannot_be(chats: ChatHistoryStore) -> None:
    for act in (chats.load, chats.load_unextracted, chats.forget):
        with pytest.raises(NotFoundError):
            act("nobody")
    with pytest.raises(NotFoundError):
        chats.save("nobody", Message("user", "x"))
    for name in ("", "../x", "A", "a/b", "x" * 65):
        with pytest.raises(UsageError):
            chats.start(name, AT)


def test_after_a_crash_history_tells_what_was_read(tmp_path: Path, clock: Clock) -> None:
    committed = {"ext-1"}
    chats = FileSessions(tmp_path / "sessions", committed.__contains__, clock)
    said(chats, "a", "b")
    with chats.claim("demo", 0) as claim:
        claim.begin("ext-1", 0)
    with chats.claim("demo", 0) as claim:
        assert [one.index for one in chats.load_unextracted("demo")] == [1]
        claim.begin("ext-2", 1)
    with chats.claim("demo", 0):
        assert [one.index for one in chats.load_unextracted("demo")] == [1]


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
        chats.save("demo", Message("user", "x"))
    assert "secret" in outside.read_text(encoding="utf-8") and outside.stat().st_size < 50
    assert chats.conversations() == ()


# -- memories -----------------------------------------------------------------------------------------------------


@pytest.fixture(params=["home", "memory"])
def memories(request: pytest.FixtureRequest, home: Path) -> MemoryStore:
    if request.param == "home":
        return Alice(home, "agent").memories
    return InMemoryStore(new_id)


def blocks(*texts: str) -> list[Block]:
    """What extraction makes of a user's words."""
    found = extract([Message("user", text) for text in texts]).inferences
    return [Block("", Payload(one.content), type=one.type, about="user", tags=one.tags, importance=one.importance, created_at=AT)
            for one in found]  # fmt: skip


@pytest.mark.covers("B4.10")
def test_saved_memories_are_found_by_vector_in_the_sources_order(memories: MemoryStore) -> None:
    ids = memories.save_all(blocks("我叫张三，在北京工作，是程序员", "我喜欢吃辣"))
    assert len(set(ids)) == 4 and memories.count() == 4
    found = [
        (one.payload.content, similarity)
        for one, similarity in memories.search_by_vector(embed("用户的工作"), 2)
    ]
    assert [content for content, _ in found] == ["用户是程序员", "用户在北京工作"]
    nearest, next_one = (similarity for _, similarity in found)
    assert 0 < next_one < nearest
    assert nearest <= 1
    assert memories.search_by_vector(embed("用户喜欢什么"), 1)[0][0].payload.content == "用户喜欢吃辣的食物"


@pytest.mark.covers("R4.29")
def test_filters_hold(memories: MemoryStore) -> None:
    memories.save_all(blocks("我叫张三，是程序员"))
    only = SearchFilter(min_importance=0.8)
    assert [one.payload.content for one, _ in memories.search_by_vector(embed("用户"), 5, only)] == [
        "用户名字是张三"
    ]
    later = SearchFilter(created_after="2026-02-21T00:00:00Z")
    assert memories.search_by_vector(embed("用户"), 5, later) == []
    assert len(memories.search_by_vector(embed("用户"), 5, SearchFilter(created_after=AT))) == 2


@pytest.mark.covers("R4.27")
def test_keywords_count_and_deleting_takes_out(memories: MemoryStore) -> None:
    made = [
        Block("", Payload(text), about="user", created_at=AT)
        for text in ("likes green tea", "likes tea", "likes coffee")
    ]
    ids = memories.save_all(made)
    assert [one.payload.content for one in memories.search_by_keyword("green tea please", 5)] == [
        "likes green tea",
        "likes tea",
    ]
    assert memories.search_by_keyword("zebra", 5) == []
    assert memories.save(made[0]) == ids[0] and memories.count() == 3
    assert memories.delete(ids[0]) and not memories.delete(ids[0])
    assert memories.count() == 2


@pytest.mark.covers("R4.15")
def test_a_store_over_a_home_writes_candidates_and_an_agent_deletes_no_approved_one(
    home: Path, cli: Any
) -> None:
    from alice_exp.kernel.errors import RefusedError

    store = Alice(home, "agent").memories
    assert store.embed("用户") == embed("用户")
    one = store.save(blocks("我喜欢吃辣")[0])
    assert cli("show", one, "--json").json["set"] == "low_value"
    assert not list(home.glob("sessions/*")), "what was said has a store of its own"
    cli("heartbeat")
    cli("approve", one, "--yes")
    with pytest.raises(RefusedError):
        store.delete(one)
    assert store.count() == 1


def test_vectors_are_unit_like_and_stable() -> None:
    block = Block("", Payload("用户是程序员"))
    assert cosine(embed_block(block), embed_block(block)) == pytest.approx(1.0)
    assert cosine(embed(""), embed("x")) == 0.0
    assert embed("hello") == embed("HELLO")
    with pytest.raises(ValueError):
        cosine((1.0,), (1.0, 2.0))
