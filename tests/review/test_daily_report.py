"""What the report is made of: expiry to the second, what a rejection catches, what acts did (R2.43, D26-D28, B2.43)."""

import io
from dataclasses import replace
from typing import Any

import pytest

from alice_exp.kernel.journal.act import Act, Actor, Commit
from alice_exp.model.rules.lifecycle import expires_at, is_expired, level, with_expired
from alice_exp.model.values.block import (
    Approved,
    Archived,
    Block,
    Doubt,
    Payload,
    Record,
    Reported,
    content_hash,
)
from alice_exp.model.values.config import Config, Wait
from alice_exp.model.values.records import Episode
from alice_exp.model.values.snapshot import ChangeSet, NamespaceFile, Put, Snapshot
from alice_exp.review.cli.report_parts import came_of
from alice_exp.review.cli.report_text import notice
from alice_exp.review.rules.daily_report import Agenda, agenda
from alice_exp.review.rules.doubts import last_week, returned
from alice_exp.review.rules.state_changes import hand_edits, movements
from tests.case_tables import table

NOW = "2026-02-20T09:00:00Z"
POOL = "low_value_pool/pending_20260213.jsonc"


def candidate(name: str, shown: str = "", payload: str = "") -> Block:
    block = Block(
        f"exp-{name * 8}"[:12], Payload(payload or f"lesson {name}"), created_at="2026-02-12T09:00:00Z"
    )
    return replace(block, reported=Reported("rep-aaaaaaaa", shown, content_hash(block))) if shown else block


def home(
    pool: tuple[Block, ...] = (), rejected: tuple[Block, ...] = (), universal: tuple[Block, ...] = ()
) -> Snapshot:
    files = (
        NamespaceFile("archive/rejected.jsonc", rejected),
        NamespaceFile(POOL, pool),
        NamespaceFile("universal/tool_usage.jsonc", universal),
    )
    return Snapshot(files)


# -------------------------------------------------------------------------------------------------------- expiry


@table("shown", "now", "gone")
@pytest.mark.covers("R2.43")
def test_seven_days_from_the_first_report_to_the_second(shown: str, now: str, gone: bool) -> None:
    assert is_expired(candidate("a", shown), now, Config().wait) is gone


def test_days_are_those_of_the_configuration() -> None:
    assert expires_at(candidate("a", "2026-02-13T09:00:00Z"), Wait(0.5)) == "2026-02-13T21:00:00Z"
    seen = replace(
        home((candidate("a", "2026-02-13T09:00:00Z"),)), config=Config({"heartbeat.expire_days": 30})
    )
    assert reported(seen).items[0].days_left == 23


def test_an_act_removes_what_expired_but_not_what_it_touches() -> None:
    old, touched, young = (candidate(name, "2026-02-13T09:00:00Z") for name in "abc")
    young = replace(young, reported=None)
    changes = ChangeSet(Act("memorize", Actor("user"), NOW, ("exp-zzzzzzzz",)), (Put(touched, POOL),))
    done = with_expired(changes, home((old, touched, young)))
    assert done.removes == (old.id,)
    assert done.act.trailers == (("Expired", old.id), ("Block", old.id))
    assert done.act.subject == changes.act.subject
    assert with_expired(changes, home((young,))) is changes
    for kind in ("agent", "editor", "peer", "system"):
        others = replace(changes, act=replace(changes.act, actor=Actor(kind)))
        assert with_expired(others, home((old, touched, young))) is others


# ----------------------------------------------------------------------------------------------------- rejection


def archived(payload: str) -> Block:
    return Block(
        "exp-rrrrrrrr",
        Payload(payload),
        archived=Archived("low_value_pool/p", "2026-02-01T09:00:00Z", "rejected"),
    )


def test_a_typed_block_that_was_rejected_before_is_found_and_an_older_one_is_not() -> None:
    typed = replace(candidate("a", payload="吃辣，用户喜欢"), created_at="2026-02-02T09:00:00Z")
    older = replace(typed, id="exp-bbbbbbbb", created_at="2026-01-02T09:00:00Z")
    shown = replace(typed, id="exp-cccccccc", reported=Reported("rep-a", NOW, content_hash(typed)))
    seen = home((typed, older, shown), (archived("用户喜欢吃辣"),))
    assert [
        (one.block_id, one.rejected.block.id) for one in returned(seen, list(seen.within("low_value")))
    ] == [(typed.id, "exp-rrrrrrrr")]


# ----------------------------------------------------------------------------------------------------- movements


def reported(seen: Snapshot, now: str = NOW, began: str = "2026-02-20T00:00:00Z", **more: Any) -> Agenda:
    known = "rep-bbbbbbbb"
    return agenda(
        seen, now, report=known, newest=known, day_began=began, since="2026-02-19T09:00:00Z", **more
    )


def outcome(*rows: tuple[str, str, str, str]) -> Commit:
    trailers = [pair for _, *row in rows for pair in zip(("From", "To", "Effect"), row, strict=True)]
    return Commit("", "", "outcome", "agent", NOW, tuple(row[0] for row in rows), "", tuple(trailers))


def moved(blocks: tuple[Block, ...], *acts: Commit) -> list[tuple[str, str, str, str, int]]:
    found = movements(acts[::-1], home(universal=blocks), (), level)
    return [(one.block_id, one.kind, one.before, one.after, one.times) for one in found]


def test_an_outcome_of_several_blocks_names_each() -> None:
    blocks = (
        Block("exp-aaaaaaaa", Payload("x"), state="past"),
        Block("exp-bbbbbbbb", Payload("y"), state="past"),
    )
    act = outcome(
        ("exp-aaaaaaaa", "possible", "past", "promoted"), ("exp-bbbbbbbb", "reliable", "past", "demoted")
    )
    assert moved(blocks, act) == [
        ("exp-aaaaaaaa", "promoted", "possible", "past", 1),
        ("exp-bbbbbbbb", "demoted", "reliable", "past", 1),
    ]


def test_what_was_taken_back_meanwhile_moved_nowhere() -> None:
    block = Block("exp-aaaaaaaa", Payload("x"), state="past")
    assert moved((block,), outcome(("exp-aaaaaaaa", "past", "possible", "demoted"))) == []


def test_an_act_that_was_undone_is_not_told_unless_its_undo_was() -> None:
    block = Block("exp-aaaaaaaa", Payload("x"), state="reliable")
    rose = outcome(("exp-aaaaaaaa", "past", "reliable", "promoted"))
    retired = replace(outcome(("exp-aaaaaaaa", "reliable", "obsolete", "retired")), act_id="act-1")
    undo = Commit("", "", "undo", "user", NOW, ("exp-aaaaaaaa",), "act-2", (("Undoes", "act-1"),))
    again = Commit("", "", "undo", "user", NOW, ("exp-aaaaaaaa",), "act-3", (("Undoes", "act-2"),))
    assert moved((block,), rose, retired, undo) == [("exp-aaaaaaaa", "promoted", "past", "reliable", 1)]
    gone = replace(block, state="obsolete")
    assert moved((gone,), rose, retired, undo, again) == [
        ("exp-aaaaaaaa", "retired", "past", "obsolete", 1)
    ], "no use"


def test_a_message_that_does_not_add_up_is_passed_over() -> None:
    act = replace(outcome(("exp-aaaaaaaa", "past", "flying", "promoted")))
    assert moved((), act) == []
    short = replace(act, trailers=(("Effect", "promoted"),))
    assert moved((), short) == []


def test_only_a_persons_file_edit_counts_as_by_hand() -> None:
    trailers = (("Raised", "exp-aaaaaaaa"), ("Changed", "config.jsonc"), ("Raised", "exp-aaaaaaaa"))
    edited = Commit("", "", "adopt", "editor", NOW, (), "", trailers)
    seen = home((candidate("a"),))
    assert hand_edits([edited, replace(edited, actor="user")], seen) == ("exp-aaaaaaaa", "config.jsonc")
    assert hand_edits([replace(edited, actor="agent")], seen) == ()
    settled = Commit("", "", "approve", "user", NOW, ("exp-aaaaaaaa",))
    assert hand_edits([settled, edited], seen) == hand_edits([edited], home()) == ("config.jsonc",)
    assert "exp-aaaaaaaa" in hand_edits([edited, settled], seen), "edited again since"


@pytest.mark.covers("BX.13")
def test_a_mondays_report_says_what_last_weeks_approvals_did() -> None:
    def approved(name: str, at: str, *effects: str, since: str = "") -> Block:
        record = Record(effects.count("ok"), effects.count("fail"))
        doubt = Doubt(1.0, since[:10], since) if since else None
        return replace(candidate(name), approved=Approved(at, "user", ""), record=record, doubt=doubt)

    monday, tuesday = "2026-02-23T00:00:00Z", "2026-02-24T00:00:00Z"
    seen = home(
        universal=(
            approved("a", "2026-02-17T09:00:00Z", "ok", "fail"),
            approved("b", "2026-02-17T09:00:00Z"),
            approved("c", "2026-02-18T09:00:00Z", "ok", since="2026-02-20T09:00:00Z"),
            approved("d", "2026-02-15T09:00:00Z", "ok"),
            approved("e", "2026-02-22T23:59:59Z", "fail"),
            approved("f", "2026-02-22T23:59:59Z", *["ok"] * 27),
        )
    )
    alone = [Episode(f"ep-{n}", "t", {}, "reasoning: ", None, n < 15, 0.0, NOW, "") for n in range(30)]
    week = reported(seen, monday, monday, episodes=lambda: alone).week
    told = " ".join(f"{placed.block.id[4:5]}:{effect}" for placed, effect in week)
    assert told == "c:in_doubt a:open e:open f:helped b:unused"
    assert reported(seen, tuesday, tuesday).week == ()
    assert last_week(seen, "2026-02-22T16:00:00Z", tuple), "a Monday that begins in Shanghai"
    assert [row.label for row in came_of(week) if row.is_told] == [
        "1 in doubt",
        "2 not known yet",
        "1 helped",
        "1 not used yet",
    ]
    assert came_of([week[-1], week[-1]])[0].note == "and 1 more: alice-exp impact"


@pytest.mark.parametrize("sentences", [1, 6, 60])
def test_the_first_command_of_a_day_prints_at_most_eight_lines_above_its_answer(
    sentences: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    seen = home(tuple(candidate(name, payload=f"lesson {name} " * 20) for name in "abcdefghij"))
    told = io.StringIO()
    notice(reported(seen), "Ten things wait for your decision. " * sentences, told)
    lines = told.getvalue().split("\n")
    assert len(lines) - 1 == 8 and lines[-2:] == ["", ""]
    assert max(map(len, lines)) <= 80
    assert (sum("lesson" in line for line in lines) > 0) is (sentences < 60)
