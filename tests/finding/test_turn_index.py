"""The index of what was said: in step with the sessions, whatever happens to it."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from alice_exp.conversations.store import FileSessions
from alice_exp.finding.store import turn_index
from alice_exp.finding.store.turn_index import TurnIndex, search
from alice_exp.model.values.records import Message
from tests.case_tables import cases

Call = Callable[..., Any]

QUESTIONS = tuple(cases(__file__, "QUESTIONS"))


@pytest.fixture
def chats(tmp_path: Path) -> Iterator[FileSessions]:
    chats = FileSessions(tmp_path / "sessions", lambda _: False, lambda: 1_700_000_000.0)
    for number in range(6):
        chats.start(f"s{number}", f"2026-03-0{number + 1}T08:00:00Z")
        chats.save_all(f"s{number}", [said(f"a line of number {number * 7 + n}") for n in range(7)])
    chats.save_all("s2", [said("the dentist is in Graz, behind the tram", "Ann"), said("用户喜欢吃辣")])
    yield chats


def said(text: str, speaker: str = "") -> Message:
    return Message("user", text, "2026-03-03T09:00:00Z", speaker=speaker)


def index_of(chats: FileSessions, tmp_path: Path) -> TurnIndex:
    warned: list[object] = []
    return TurnIndex(tmp_path / "state" / "sessions.sqlite", chats, warned.append)


def found(chats: FileSessions, index: TurnIndex | None) -> list[list[str]]:
    everywhere = None if index else [one.session for one in chats.talks()]
    asked = index or TurnIndex(Path("/nowhere"), chats, print)
    return [
        [one.record.ref for one in asked.ask(lambda turns: search(turns, question, None, 3), everywhere)]  # noqa: B023
        for question in QUESTIONS
    ]


def test_it_answers_what_the_sessions_say(chats: FileSessions, tmp_path: Path) -> None:
    index = index_of(chats, tmp_path)
    assert found(chats, index) == found(chats, None)
    assert found(chats, index)[0][0] == "s2#7"
    chats.save_all("s5", [said("no, the dentist moved: the dentist is in Linz")])
    chats.start("s6", "2026-03-09T08:00:00Z")
    chats.save_all("s6", [said("tram number 7")])
    assert found(chats, index) == found(chats, None)
    # Another process has nothing left to take in.
    other = index_of(chats, tmp_path)
    assert other.ask(lambda turns: turns.statistics(()).total) == 6 * 7 + 4
    (one, *_) = other.ask(lambda turns: search(turns, "dentist in Graz", None, 1))
    assert one.record == chats.read("s2").rows[7]


def test_killed_at_any_moment_it_answers_right_afterwards(
    chats: FileSessions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_index, "LOT", 5)
    wanted, add = found(chats, None), turn_index._add
    for moment in range(14):
        for where in ("before", "after"):
            child = os.fork()
            if not child:
                left = [moment % 7]

                def dying(*given: Any, left: list[int] = left, where: str = where) -> None:
                    if not left[0] and where == "before":
                        os._exit(9)
                    add(*given)
                    if not left[0]:
                        os._exit(9)
                    left[0] -= 1

                turn_index._add = dying
                index_of(chats, tmp_path).ask(lambda turns: turns.newest())
                os._exit(0)
            os.waitpid(child, 0)
        if moment % 5 == 4:
            assert found(chats, index_of(chats, tmp_path)) == wanted
            chats.save_all("s1", [said(f"more of number {moment}")])
            wanted = found(chats, None)
    assert found(chats, index_of(chats, tmp_path)) == wanted


def test_what_is_left_counts_as_if_the_deleted_had_never_been(chats: FileSessions, tmp_path: Path) -> None:
    index = index_of(chats, tmp_path)
    assert found(chats, index)[0][0] == "s2#7"
    chats.forget("s2")
    index.drop("s2")
    fresh = index_of(chats, tmp_path / "fresh")
    tokens = ("number", "line", "dentist")
    known = [one.ask(lambda turns: turns.statistics(tokens)) for one in (index, fresh)]
    assert known[0] == known[1] and known[0].holders["dentist"] == 0
    assert found(chats, index) == found(chats, fresh)
    assert not any(b"dentist" in file.read_bytes() for file in (tmp_path / "state").iterdir())


@pytest.mark.parametrize("harm", ["a session is gone", "a session was written anew", "the index is cut"])
def test_what_is_gone_stays_in_no_row(chats: FileSessions, tmp_path: Path, harm: str) -> None:
    index = index_of(chats, tmp_path)
    path = tmp_path / "sessions" / "s2.jsonl"
    assert found(chats, index)[0]
    if harm == "a session is gone":
        path.unlink()
    elif harm == "a session was written anew":
        kept = [line for line in path.read_text("utf-8").splitlines(True) if "dentist" not in line]
        path.unlink()
        path.write_text("".join(kept), "utf-8")
    else:
        file = tmp_path / "state" / "sessions.sqlite"
        index.ask(lambda turns: turns.newest())
        file.write_bytes(file.read_bytes()[:5000])
    chats = FileSessions(tmp_path / "sessions", lambda _: False, lambda: 1_700_000_000.0)
    index = index_of(chats, tmp_path)
    assert found(chats, index) == found(chats, None)
    if harm != "the index is cut":
        assert not any(b"dentist" in file.read_bytes() for file in (tmp_path / "state").iterdir())


def test_a_deleted_conversation_leaves_no_word(home: Path, cli: Call) -> None:
    for name, place in (("one", "zanzibar"), ("two", "graz")):
        cli("session", "start", name)
        cli("session", "say", name, "user", f"the heliotrope of {place} is in bloom")
    assert [one["session"] for one in cli("session", "search", "heliotrope", "--json").json["matches"]] == [
        "one",
        "two",
    ]
    index = home / "state" / "sessions.sqlite"
    was = index.stat().st_ino
    cli("session", "end", "one", "--forget")
    assert index.stat().st_ino == was, "it is made anew"
    assert not any(b"zanzibar" in file.read_bytes() for file in (home / "state").glob("sessions.sqlite*"))
    assert [one["session"] for one in cli("session", "search", "heliotrope", "--json").json["matches"]] == [
        "two"
    ]


def test_words_of_many_turns_cost_no_more_than_a_bound(
    chats: FileSessions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_index, "READ", 3)
    index = index_of(chats, tmp_path)
    hits = index.ask(lambda turns: search(turns, "a line of the dentist in Graz", None, 3))
    assert hits and hits[0].record.index == 7
