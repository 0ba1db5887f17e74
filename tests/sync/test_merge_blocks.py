"""Two histories become one: blocks by id in three ways, files with the comments of both (issue 7, R2.47)."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.jsonc.reader import parse
from alice_exp.model.formats.block_schema import read_blocks
from alice_exp.model.rules.doubt import replayed
from alice_exp.model.rules.ledger import bound
from alice_exp.model.rules.lifecycle import PROMOTED, level, outcome
from alice_exp.model.values.block import (
    Approved,
    Archived,
    Block,
    Doubt,
    Evidence,
    Payload,
    Placed,
    Record,
    Standing,
    content_hash,
)
from alice_exp.model.values.records import Event, Segment, Timeline
from alice_exp.sync.rules.merge_blocks import merge, merge_block, second_id
from alice_exp.sync.rules.merge_homes import merge_timelines, merge_trees
from tests.case_tables import table

NOW = "2026-02-20T09:00:00Z"
PATH = "universal/tool_usage.jsonc"
POOL = "low_value_pool/pending_20260220.jsonc"


def block(**more: object) -> Block:
    made = Block(
        "exp-aaaa2222", Payload("use rg"), state="past", verifications=8, updated_at="2026-01-01T00:00:00Z"
    )
    return replace(made, **more)  # type: ignore[arg-type]


def three(was: Block | None, one: Block | None, other: Block | None) -> tuple[Placed | None, Placed | None]:
    """Merged in both orders, which have to agree."""
    sides = [Placed(side, PATH) if side is not None else None for side in (was, one, other)]
    result = merge_block(*sides)
    assert merge_block(sides[0], sides[2], sides[1]) == result
    return result


def merged(was: Block | None, one: Block | None, other: Block | None) -> Block:
    kept, beside = three(was, one, other)
    assert kept is not None and beside is None
    return kept.block


def used(before: Block, ok: bool, scenario: str, at: str) -> Block:
    return outcome(before, ok, scenario, at).block


def test_counts_add_what_each_side_added_and_the_state_follows() -> None:
    was = block()
    one = used(was, True, "here", "2026-02-01T00:00:00Z")
    other = used(was, True, "there", "2026-02-02T00:00:00Z")
    now = merged(was, one, other)
    assert (now.verifications, now.verifications_local, now.state) == (10, 2, "reliable")
    assert [piece.scenario for piece in now.evidence] == ["here", "there"]
    assert now.updated_at == "2026-02-02T00:00:00Z"


def test_the_same_act_on_both_sides_is_two_acts() -> None:
    was = block()
    one = used(was, True, "here", NOW)
    now = merged(was, one, one)
    assert now.verifications == 10 and len(now.evidence) == 2


def test_a_fall_on_either_side_holds() -> None:
    was = block(state="reliable", verifications=20)
    one = used(was, True, "here", NOW)
    other = replace(was, state="past", evidence=(Evidence("retired", at=NOW, quote="the world changed"),))
    assert merged(was, one, other).state == "past" and merged(was, one, other).verifications == 21
    failed = used(used(block(), False, "x", NOW), False, "y", NOW)
    assert merged(block(), used(block(), True, "here", NOW), failed).state == "possible"


def test_successes_of_both_do_not_undo_a_fall_of_one() -> None:
    was = block()
    now = merged(was, replace(was, state="possible", verifications=9), replace(was, verifications=12))
    assert (now.state, now.verifications) == ("possible", 13)


def test_who_rises_by_a_merge_waits_one_more_success_for_the_badge() -> None:
    was = block(verifications=48)
    now = merged(was, replace(was, verifications=49), replace(was, verifications=49))
    assert (now.state, now.verifications, now.evidence[-1].kind) == ("reliable", 50, PROMOTED)
    assert level(now) == "reliable"


def test_a_losing_text_that_was_decided_on_does_not_come_back() -> None:
    was = block()
    one = block(payload=Payload("use rg -uu"), updated_at="2026-02-01T00:00:00Z")
    other = block(payload=Payload("use rg --hidden"), updated_at="2026-02-02T00:00:00Z")
    turned_down = Placed(
        block(id=second_id(one), payload=one.payload, archived=Archived("low_value", NOW, "rejected")),
        "archive/rejected.jsonc",
    )
    base, ours, theirs = ({was.id: Placed(side, PATH)} for side in (was, one, other))
    for mine, yours in ((ours, theirs), (theirs, ours)):
        assert (
            merge(base, {**mine, turned_down.block.id: turned_down}, yours)[0][second_id(one)] == turned_down
        )


def test_what_one_side_made_personal_is_about_the_user_and_stays_here_whatever_the_other_wrote() -> None:
    was = block(shareable=True)
    moved = Placed(was, "personal/habits.jsonc")
    written = Placed(block(payload=Payload("use rg -uu"), shareable=True, updated_at=NOW), PATH)
    for one, other in ((moved, written), (written, moved)):
        kept, _ = merge_block(Placed(was, PATH), one, other)
        assert kept is not None and kept.path == moved.path
        assert kept.block.payload.content == "use rg -uu" and kept.block.about == "user"
        assert not kept.block.shareable


def test_failures_of_both_sides_are_kept_and_cleared() -> None:
    was = block(state="reliable", verifications=20, open_failures={"old": NOW, "still": NOW})
    one = used(was, True, "old", NOW)
    other = used(was, False, "new", NOW)
    assert dict(merged(was, one, other).open_failures) == {"still": NOW, "new": NOW}


@pytest.mark.parametrize(("ours", "theirs", "result"), [(12, 72, 72), (80, 72, 80), (72, 72, 72)])
def test_without_a_shared_past_the_higher_count_holds(ours: int, theirs: int, result: int) -> None:
    assert merged(None, block(verifications=ours), block(verifications=theirs)).verifications == result


def test_a_text_that_both_changed_stays_twice() -> None:
    was = block(project="example.com/shop", key="k")
    one = replace(was, payload=Payload("use rg -uu"), updated_at="2026-02-01T00:00:00Z")
    other = replace(was, payload=Payload("use rg --hidden"), updated_at="2026-02-02T00:00:00Z")
    kept, beside = three(was, one, other)
    assert kept is not None and beside is not None
    assert kept.block.payload.content == "use rg --hidden" and kept.path == PATH
    assert beside.block.payload.content == "use rg -uu" and beside.block.replaces == (was.id,)
    assert beside.path == "low_value_pool/pending_20260201.jsonc" and beside.block.state == "possible"
    assert (beside.block.id, beside.block.project, beside.block.key) == (second_id(one), was.project, "")
    sides = [{was.id: Placed(side, PATH)} for side in (was, one, other)]
    again = merge(sides[0], {**sides[1], beside.block.id: beside}, sides[2])
    assert len(again[0]) == 2 and again[1] == (was.id,), "the candidate is known again"


def test_what_a_person_approved_stays_before_what_is_later() -> None:
    mine = block(payload=Payload("mine"), updated_at="2026-02-01T00:00:00Z")
    other = block(payload=Payload("later"), updated_at="2026-02-09T00:00:00Z")
    entry = bound("trusted", mine, PATH)
    kept, beside = merge_block(*(Placed(one, PATH) for one in (block(), mine, other)), entry=entry)
    assert kept is not None and kept.block.payload.content == "mine"
    assert beside is not None and beside.block.payload.content == "later"
    # An edit by hand of what nobody else touched waits where it stands.
    by_hand = merge_block(*(Placed(one, PATH) for one in (mine, mine, other)), entry=entry)
    assert by_hand == (Placed(other, PATH), None)


def test_a_move_and_a_success_are_both_kept() -> None:
    was = Placed(block(state="possible", verifications=0), POOL)
    approved = replace(was.block, approved=Approved(NOW, "user", content_hash(was.block)))
    used_there = used(was.block, True, "there", NOW)
    kept, _ = merge_block(was, Placed(approved, PATH), Placed(used_there, POOL))
    assert kept == merge_block(was, Placed(used_there, POOL), Placed(approved, PATH))[0]
    assert kept is not None and kept.path == PATH
    assert kept.block.verifications == 1 and kept.block.approved == approved.approved


@pytest.mark.parametrize("standing", ["trusted", "rejected", "retired"])
def test_a_block_stands_where_the_ledger_says_whatever_is_later(standing: Standing) -> None:
    was = Placed(block(state="possible", verifications=0), POOL)
    entry = bound(standing, was.block, PATH)
    for approved_at, rejected_at in (
        (NOW, NOW),
        (NOW, "2026-02-09T00:00:00Z"),
        ("2026-02-09T00:00:00Z", NOW),
    ):
        yes = replace(was.block, approved=Approved(approved_at, "user", content_hash(was.block)))
        no = replace(was.block, archived=Archived("low_value_pool/pending_20260220", rejected_at, "rejected"))
        sides = (Placed(yes, PATH), Placed(no, "archive/rejected.jsonc"))
        kept, _ = merge_block(was, *sides, entry=entry)
        assert kept == merge_block(was, *reversed(sides), entry=entry)[0]
        assert kept is not None and (kept.block.archived is not None) == (kept.place == "archive")
        assert kept.place == ("universal" if standing == "trusted" else "archive")


def test_what_only_one_side_changed_against_a_decision_gives_way() -> None:
    was = Placed(block(), PATH)
    decided = bound("trusted", replace(was.block, project="shop/web"), PATH)
    raised = Placed(replace(was.block, shareable=True, importance=1.0), PATH)
    narrowed = Placed(replace(was.block, project="shop/web"), PATH)
    kept, _ = merge_block(was, narrowed, raised, entry=decided)
    assert kept is not None
    assert (kept.block.project, kept.block.shareable, kept.block.importance) == ("shop/web", False, 0.5)


def test_removed_on_one_side_and_used_on_the_other_stays() -> None:
    was = block()
    assert three(was, None, was) == (None, None)
    assert three(was, None, replace(was, access_count=3)) == (None, None)
    kept, _ = three(was, None, used(was, True, "there", NOW))
    assert kept is not None and kept.block.verifications == 9


def test_what_is_no_longer_shared_on_one_side_is_not_shared() -> None:
    was = block()
    assert merged(None, replace(was, shareable=True), was).shareable is False
    assert merged(replace(was, shareable=True), replace(was, shareable=True), was).shareable is False


blocks = st.builds(
    block,
    payload=st.sampled_from([Payload("a"), Payload("b"), Payload("c")]),
    state=st.sampled_from(["possible", "past", "reliable", "obsolete"]),
    verifications=st.integers(0, 60),
    observations=st.integers(0, 5),
    tags=st.lists(st.sampled_from("xyz"), unique=True).map(tuple),
    open_failures=st.dictionaries(st.sampled_from("pq"), st.just(NOW)),
    evidence=st.lists(st.builds(Evidence, st.just("outcome"), at=st.sampled_from([NOW, ""])), max_size=4).map(
        tuple
    ),
    updated_at=st.sampled_from(["2026-01-01T00:00:00Z", NOW]),
    shareable=st.booleans(),
    extra=st.dictionaries(st.sampled_from("uv"), st.integers(0, 3)),
)
placed = st.none() | st.builds(Placed, blocks, st.sampled_from([PATH, POOL, "personal/habits.jsonc"]))


@given(placed, placed, placed)
@settings(max_examples=300, deadline=None)
def test_which_side_asks_makes_no_difference(
    was: Placed | None, one: Placed | None, other: Placed | None
) -> None:
    result = merge_block(was, one, other)
    assert result == merge_block(was, other, one)
    if one == was:
        assert result == (other, None)
    kept = result[0]
    if kept is not None and one is not None and other is not None and was is not None:
        added = one.block.verifications + other.block.verifications - was.block.verifications
        if one != was and other != was:
            assert kept.block.verifications == max(0, added)


# -- files ----------------------------------------------------------------------------------------------------------

TEXT = b"""// head
{
  "blocks": [
    // about rg
    {"id": "exp-aaaa2222", "payload": "use rg", "state": "past", "verifications": 8}, // trail
    { "id": "exp-bbbb2222",   "payload": 'use fd' },
    /* nobody's */

    {"id": "exp-cccc2222", "payload": "use jq"}
  ]
}
"""


def both(was: bytes | None, one: bytes | None, other: bytes | None, path: str = PATH) -> bytes | None:
    """One file merged in both orders, which have to give the same bytes."""
    sides = [{path: side} if side is not None else {} for side in (was, one, other)]
    result = merge_trees(*sides)[0].get(path)
    assert merge_trees(sides[0], sides[2], sides[1])[0].get(path) == result
    return result


def test_what_nobody_changed_stays_byte_for_byte() -> None:
    assert both(TEXT, TEXT, TEXT) == TEXT
    new = TEXT.replace(b"use jq", b"use jq -r")
    assert both(TEXT, TEXT, new) == new
    assert both(TEXT, TEXT, TEXT.replace(b"// head", b"// other")) == TEXT.replace(b"// head", b"// other")


def test_changes_of_different_blocks_are_joined_and_comments_of_both_sides_are_kept() -> None:
    one = TEXT.replace(b"// about rg", b"// about rg\n    // mine").replace(
        b"// head", b"// head\n// top of mine"
    )
    other = TEXT.replace(b"'use fd'", b"'use fd -H'").replace(
        b"/* nobody's */", b"/* nobody's */ /* theirs */"
    )
    result = both(TEXT, one, other)
    assert result is not None
    for comment in (
        b"// mine",
        b"// top of mine",
        b"/* theirs */",
        b"// trail",
        b"/* nobody's */",
        b"// about rg",
    ):
        assert result.count(comment) >= 1, comment
    assert b"""{ "id": "exp-bbbb2222",   "payload": 'use fd -H' }""" in result.replace(
        b'"use fd -H"', b"'use fd -H'"
    )


def test_a_block_that_both_changed_keeps_the_comments_of_both() -> None:
    one = TEXT.replace(b'"verifications": 8}, // trail', b'"verifications": 9}, // trail, mine')
    other = TEXT.replace(b"// about rg", b"// theirs").replace(b'"verifications": 8', b'"verifications": 10')
    result = both(TEXT, one, other)
    assert result is not None
    assert b"// trail, mine" in result and b"// theirs" in result and b'"verifications": 11' in result


def test_new_blocks_of_both_sides_and_a_removed_one() -> None:
    one = TEXT.replace(b'"use jq"}', b'"use jq"},\n    {"id": "exp-dddd2222", "payload": "mine"} // my own')
    other = TEXT.replace(b'    {"id": "exp-cccc2222", "payload": "use jq"}\n', b"").replace(
        b"'use fd' },", b"'use fd' }"
    )
    result = both(TEXT, one, other)
    assert result is not None and b"// my own" in result
    assert [one.id[4:8] for one in read_blocks(parse(result, PATH))[0]] == ["aaaa", "bbbb", "dddd"]


def test_a_block_that_moved_takes_along_what_the_other_side_did() -> None:
    pool = b'{"blocks": [\n  // a guess\n  {"id": "exp-eeee2222", "payload": "use uv"}\n]}\n'
    moved_to = TEXT.replace(
        b'"use jq"}', b'"use jq"},\n    // a guess\n    {"id": "exp-eeee2222", "payload": "use uv"}'
    )
    seen = pool.replace(b'"use uv"', b'"use uv", "observations": 2')
    was, one, other = {POOL: pool, PATH: TEXT}, {PATH: moved_to}, {POOL: seen, PATH: TEXT}
    result = merge_trees(was, one, other)[0]
    assert result == merge_trees(was, other, one)[0]
    assert POOL not in result and b'"observations": 2' in result[PATH] and b"// a guess" in result[PATH]


def test_an_empty_namespace_stays_and_a_removed_one_goes() -> None:
    empty = b'{"blocks": []}\n'
    assert both(None, empty, None) == empty
    assert both(empty, None, empty) is None
    assert both(None, empty, empty) == empty


def test_a_file_with_a_problem_is_named() -> None:
    with pytest.raises(ProblemError) as error:
        merge_trees({}, {PATH: b'{"blocks": [,]}'}, {PATH: TEXT})
    assert error.value.path == PATH and error.value.line == 1 and "here" in str(error.value)


def test_configuration_is_joined_value_by_value() -> None:
    was = b'{\n  // zone\n  "timezone": "",\n  "thresholds": {"past": 3, "reliable": 10}\n}\n'
    one = was.replace(b'"past": 3', b'"past": 4').replace(b"// zone", b"// my zone")
    result = both(was, one, was.replace(b'"reliable": 10', b'"reliable": 12'), "config.jsonc")
    assert result is not None and b"// my zone" in result
    assert json.loads(b"\n".join(line for line in result.splitlines() if b"//" not in line)) == {
        "timezone": "",
        "thresholds": {"past": 4, "reliable": 12},
    }


def test_episodes_of_both_sides_are_kept() -> None:
    path = "records/episodes.jsonc"

    def book(*rows: tuple[str, str]) -> bytes:
        lines = ",\n".join(
            f'    {{"id": "{i}", "task": "{t}", "success": true, "reward": 1, "at": "{NOW}"}}'
            for i, t in rows
        )
        return f'{{\n  "capacity": 1000,\n  "episodes": [\n{lines}\n  ]\n}}\n'.encode()

    was = book(("ep-aaaa2222", "one"), ("ep-bbbb2222", "two"))
    one = book(("ep-aaaa2222", "one"), ("ep-bbbb2222", "two"), ("ep-cccc2222", "three"))
    result = both(was, one, book(("ep-bbbb2222", "two, told again"), ("ep-dddd2222", "four")), path)
    assert result is not None
    assert {row["id"]: row["task"] for row in json.loads(result)["episodes"]} == {
        "ep-bbbb2222": "two, told again",
        "ep-cccc2222": "three",
        "ep-dddd2222": "four",
    }


def at(minute: int) -> str:
    return f"2026-02-20T09:{minute:02}:00Z"


def raw(number: int, minute: int, thought: str) -> Segment:
    return Segment(number, at(minute), at(minute), events=(Event(at(minute), thought),))


def test_thoughts_of_both_sides_are_told_and_counted() -> None:
    was = Timeline(3, 2, 0, (raw(1, 0, "a"), raw(2, 1, "b")))
    frame = Timeline(5, 3, 1, (Segment(4, at(0), at(1), 2, 1, "a b"), raw(3, 5, "c")))
    pair = Segment(5, at(1), at(3), 2, 1, "b d", (), (Event(at(1), "b"), Event(at(3), "d")))
    other = Timeline(6, 3, 1, (raw(1, 0, "a"), pair))
    result = merge_timelines(was, frame, other)
    assert result.total_events == 4 == sum(result.lengths)
    assert [one.id for one in result.segments] == [4, 5, 3] and result.next_id == 6
    assert [one.events[0].thought for one in result.segments if one.events] == ["d", "c"]
    told = merge_timelines(was, frame, replace(other, segments=(other.segments[0], replace(pair, events=()))))
    assert told.total_events == 4 == sum(told.lengths), (
        "what is not kept word for word is counted under its summary"
    )


def test_a_thought_of_a_third_side_between_older_ones_is_not_lost() -> None:
    """A merge before this one put it between; its number is one that the common past has already."""
    was = Timeline(4, 3, 0, (raw(1, 0, "a"), raw(2, 2, "c"), raw(3, 3, "d")))
    frame = Timeline(
        6, 5, 1, (raw(1, 0, "a"), Segment(4, at(2), at(3), 2, 1, "c d"), raw(5, 5, "f"), raw(6, 6, "g"))
    )
    other = Timeline(5, 4, 0, (raw(1, 0, "a"), raw(4, 1, "b"), raw(2, 2, "c"), raw(3, 3, "d")))
    result = merge_timelines(was, frame, other)
    assert [one.summary or one.events[0].thought for one in result.segments] == ["a", "b", "c d", "f", "g"]
    assert result.total_events == 6 == sum(result.lengths)


def test_a_result_that_one_side_told_meanwhile_is_kept() -> None:
    was = Timeline(2, 1, 0, (raw(1, 0, "a"),))
    told = replace(raw(1, 0, "a"), events=(Event(at(0), "a", result="done"),))
    frame, other = (
        replace(was, next_id=3, total_events=2, segments=(raw(1, 0, "a"), raw(2, 4, "b"))),
        Timeline(2, 1, 0, (told,)),
    )
    result = merge_timelines(was, frame, other)
    assert [one.events[0].result for one in result.segments] == ["done", None]


def test_what_stands_on_both_sides_without_a_common_past_is_told_once() -> None:
    pair = Segment(3, at(0), at(1), 2, 1, "a b")
    frame = Timeline(6, 4, 1, (pair, raw(4, 2, "c"), raw(5, 3, "d")))
    other = Timeline(7, 5, 1, (replace(pair, id=2), raw(3, 2, "c"), raw(4, 3, "d"), raw(6, 4, "e")))
    result = merge_timelines(Timeline(), frame, other)
    assert [one.events[0].thought for one in result.segments if one.events] == ["c", "d", "e"]
    assert result.total_events == 5 == sum(result.lengths)


@table("was", "one", "other", "result")
def test_values_in_three_ways(was: object, one: object, other: object, result: object) -> None:
    sides = (json.dumps({"value": side}).encode() for side in (was, one, other))
    merged = both(*sides, path="config.jsonc")
    assert merged is not None and json.loads(merged) == {"value": result}


def doubting(ok: int, failed: int, since: str = "", *pieces: Evidence) -> Placed:
    block = Block(
        "exp-aaaaaaaa",
        Payload("x"),
        record=Record(ok, failed),
        doubt=replayed(pieces, Record(ok, failed)),
        evidence=pieces,
        updated_at=pieces[-1].at if pieces else "",
    )
    if since and block.doubt is not None:
        block = replace(block, doubt=replace(block.doubt, since=since))
    return Placed(block, "universal/tools.jsonc")


def outcome_piece(day: int, effect: str, ref: str) -> Evidence:
    return Evidence("episode", ref=ref, at=f"2026-02-{day:02}T09:00:00Z", effect=effect)


def test_records_and_doubt_of_two_machines_add_up_in_either_order() -> None:
    old = outcome_piece(1, "ok", "ep-0")
    was = doubting(5, 1, "", old)
    one = doubting(
        5, 3, "2026-02-03T09:00:00Z", old, outcome_piece(2, "fail", "ep-1"), outcome_piece(3, "fail", "ep-2")
    )
    other = doubting(7, 1, "", old, outcome_piece(2, "ok", "ep-3"), outcome_piece(4, "ok", "ep-4"))
    merged = [merge_block(was, *pair)[0] for pair in ((one, other), (other, one))]
    assert merged[0] == merged[1] and merged[0] is not None
    block = merged[0].block
    assert block.record == Record(7, 3)
    assert block.doubt is not None and block.doubt.since == "2026-02-03T09:00:00Z"
    assert replace(block.doubt, since="") == replace(replayed(block.evidence, Record(7, 3)), since="")  # type: ignore[type-var]
    answered = doubting(5, 1, "", old, Evidence("decision", at="2026-02-05T09:00:00Z", effect="still_true"))
    after = merge_block(was, one, answered)[0]
    assert after is not None and after.block.doubt is not None
    rests = (after.block.doubt.since, after.block.doubt.value <= 0.25)
    assert rests == ("", True), "a later answer opens the latch"
    asked = doubting(5, 2, "2026-02-03T09:00:00Z", old, outcome_piece(3, "fail", "ep-1"))
    closed = replace(asked, block=replace(asked.block, doubt=Doubt(0.25, "2026-02-05")))
    failed = doubting(5, 3, "2026-02-03T09:00:00Z", *asked.block.evidence, outcome_piece(4, "fail", "ep-2"))
    for pair in ((closed, failed), (failed, closed)):
        after = merge_block(asked, *pair)[0]
        assert after is not None and after.block.doubt is not None and not after.block.doubt.since, (
            "what one side closed stays closed"
        )
    unknown = merge_block(None, one, other)[0]
    assert unknown is not None and unknown.block.record == Record(7, 3), "without a base the larger"
