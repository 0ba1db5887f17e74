"""The trace R1.20, the lengths R1.21, the invariants R1.22, and what stays verbatim (B1.3, B1.10)."""

import json
from dataclasses import replace
from functools import cache
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alice_exp.kernel.text.times import iso_time
from alice_exp.model.formats.record_schema import timeline_json
from alice_exp.model.values.records import Event, Segment, Timeline
from alice_exp.timeline.rules.compaction import (
    Merge,
    add_event,
    add_events,
    between,
    by_equal_length,
    covered,
    covered_by_order,
    narrative,
    recent,
    statistics,
    verbatim,
)
from alice_exp.timeline.rules.digest import KEY_EVENTS, KEY_LIMIT, SUMMARY_LIMIT, Digest, digest, gist
from tests.case_tables import cases

TRACE = cases(__file__, "TRACE")
LENGTHS = dict(cases(__file__, "LENGTHS"))


def thought(number: int) -> Event:
    return Event(
        iso_time(1_700_000_000 + 60 * number),
        f"思考 {number}: 分析用户意图, step {number}",
        "用户询问：你能做什么？",
        f"act {number}" if number % 3 else "",
        {"ok": number} if number % 2 else None,
        {"cycle_id": number, "purpose": "test"},
    )


@cache
def grown() -> tuple[Timeline, ...]:
    """The timeline after each of the first thousand thoughts, added one by one; the first is empty."""
    return tuple(
        accumulate(range(1, 1001), lambda held, n: add_event(held, thought(n)).timeline, initial=Timeline())
    )


def after(count: int) -> Timeline:
    return add_events(Timeline(), map(thought, range(1, count + 1)))[1]


@pytest.mark.covers("R1.14")
def test_a_thought_begins_a_segment_of_its_own() -> None:
    (own,) = add_event(Timeline(), thought(1)).timeline.segments
    assert (own.segment_length, own.compression_level, own.is_compressed) == (1, 0, False)
    assert own.events == (thought(1),)


@pytest.mark.covers("R1.15")
def test_nothing_merges_below_three_segments() -> None:
    assert add_event(after(1), thought(2)).merge is None, "two of one length, and yet none"
    assert add_event(after(2), thought(3)).merge is not None


@pytest.mark.covers("R1.17")
def test_of_a_length_the_two_oldest_become_one_of_their_sum() -> None:
    started = Timeline(9, 11, 0, tuple(Segment(n, "", "", length) for n, length in ((1, 8), (2, 1), (3, 1))))
    merge = add_event(started, thought(12)).merge
    assert merge is not None
    assert (merge.first.id, merge.second.id, merge.merged.segment_length) == (2, 3, 2)


@pytest.mark.covers("R1.18")
def test_an_addition_brings_one_merge_at_most() -> None:
    added = add_event(after(9), thought(10))
    assert added.timeline.total_compressions == after(9).total_compressions + 1
    assert list(added.timeline.lengths) == [8, 1, 1], "a cascade would leave two"


@pytest.mark.covers("R1.19")
def test_a_merge_takes_the_next_id_of_the_thoughts_counter() -> None:
    added = add_event(after(2), thought(3))
    assert added.merge is not None and (added.segment, added.merge.merged.id) == (3, 4)
    assert add_event(added.timeline, thought(4)).segment == 5
    assert max(one.id for one in after(10).segments) == after(10).next_id - 1 == 17


@pytest.mark.covers("R1.20")
def test_the_source_trace_line_by_line() -> None:
    lines = []
    for number, timeline in enumerate(grown()[1:17], 1):
        shown = " ".join(f"#{one.id}({one.segment_length})" for one in timeline.segments)
        lines.append(f"{number}: {shown} c{timeline.total_compressions}")
    assert lines == TRACE


@pytest.mark.covers("R1.21")
def test_lengths_and_counts_later() -> None:
    for number, wanted in LENGTHS.items():
        assert (list(grown()[number].lengths), grown()[number].total_compressions) == wanted
    assert grown()[1000].next_id == 1 + 1000 + 991


@pytest.mark.covers("R1.22")
def test_invariants() -> None:
    timeline = Timeline()
    for number in range(1, 3001):
        timeline = add_event(timeline, Event("2026-01-01T00:00:00Z", "t")).timeline
        lengths = timeline.lengths
        assert len(lengths) == number - timeline.total_compressions
        assert sum(lengths) == number == timeline.total_events
        assert list(lengths) == sorted(lengths, reverse=True)
        assert len(lengths) <= number.bit_length()
        for segment in timeline.segments:
            assert 2**segment.compression_level == segment.segment_length


@pytest.mark.covers("B1.3")
def test_the_last_eight_thoughts_are_verbatim_wherever_they_lie() -> None:
    for number, timeline in enumerate(grown()):
        held = verbatim(timeline)
        for one in range(max(1, number - 7), number + 1):
            assert held[one] == thought(one)
        assert all(event == thought(one) for one, event in held.items())
        raw = [segment for segment in timeline.segments if not segment.is_compressed]
        assert all(segment.events for segment in raw)
        assert len(held) <= max(8, len(raw))


@pytest.mark.covers("R1.24")
def test_every_thought_comes_back_from_every_eighth_version() -> None:
    found = {}
    for timeline in grown()[8::8]:
        found |= verbatim(timeline)
    assert found == {number: thought(number) for number in range(1, 1001)}


@pytest.mark.covers("R1.23")
def test_file_stays_small() -> None:
    """1,023 thoughts make the most segments that so many can; 10,000 make at most four more, none of them larger."""
    timeline = Timeline()
    for number in range(1, 1024):
        long = Event(
            iso_time(1_700_000_000 + number), f"思考 {number} " * 60, "情境" * 20, "行动" * 40, "结果" * 40
        )
        timeline = add_event(timeline, long).timeline
    whole, *without = (
        len(json.dumps(timeline_json(one), ensure_ascii=False, indent=2).encode())
        for one in (
            timeline,
            *(
                replace(timeline, segments=(*timeline.segments[:at], *timeline.segments[at + 1 :]))
                for at in range(3)
            ),
        )
    )
    largest = max(whole - one for one in without)
    assert whole + 4 * largest < 65_536
    levels = [one.compression_level for one in timeline.segments]
    assert levels == sorted(levels, reverse=True) and len(set(levels)) == 10, "the oldest is pressed hardest"
    assert verbatim(timeline)[1023] == long, "the newest is exact"


@pytest.mark.covers("R1.26")
def test_summaries_are_bounded_and_key_events_ranked() -> None:
    segments = grown()[777].segments
    for segment in segments:
        assert len(segment.summary) <= SUMMARY_LIMIT
        assert len(segment.key_events) <= KEY_EVENTS
        assert all(len(key) <= KEY_LIMIT for key in segment.key_events)
        assert bool(segment.summary) == segment.is_compressed
    first = segments[0]
    assert all(" → " in key for key in first.key_events)
    assert "思考 1:" in first.summary
    assert "思考 512:" in first.summary


def test_key_events_prefer_results_then_actions_then_the_newest() -> None:
    events = [
        Event("2026-01-01T00:00:00Z", "one", action="a1", result="r1"),
        Event("2026-01-01T00:00:01Z", "two", action="a2"),
        Event("2026-01-01T00:00:02Z", "three"),
        Event("2026-01-01T00:00:03Z", "four", result="r4"),
        Event("2026-01-01T00:00:04Z", "five"),
        Event("2026-01-01T00:00:05Z", "six", action="a6"),
        Event("2026-01-01T00:00:06Z", "seven"),
    ]
    first = Segment(1, "", "", 4, 2, "s", ("a1 → r1", "a2", "“three”", "“four” → r4"))
    second = Segment(2, "", "", 2, 1, "s", ("“five”", "a6", "“seven”"))
    assert digest(first, second).key_events == ("a1 → r1", "a2", "“four” → r4", "a6", "“seven”")
    raw = [Segment(at, one.at, one.at, events=(one,)) for at, one in enumerate(events)]
    assert digest(raw[0], raw[2]).key_events == ("a1 → r1", "“three”")


@pytest.mark.covers("R1.25")
def test_a_model_summary_is_bounded_and_its_failure_falls_back() -> None:
    def model(first: Segment, second: Segment) -> Digest:
        return Digest("模型摘要 " * 200, tuple(f"key {number} " * 30 for number in range(9)))

    def broken(first: Segment, second: Segment) -> Digest:
        raise TimeoutError("no answer in 20 s")

    start = after(2)
    by_model = add_event(start, thought(3), summarise=model).merge
    assert by_model is not None
    assert by_model.merged.summary.startswith("模型摘要")
    assert len(by_model.merged.summary) <= SUMMARY_LIMIT
    assert len(by_model.merged.key_events) == KEY_EVENTS
    by_rule = add_event(start, thought(3)).merge
    fallen = add_event(start, thought(3), summarise=broken).merge
    assert isinstance(by_rule, Merge)
    assert isinstance(fallen, Merge)
    assert (fallen.merged, fallen.fallback) == (by_rule.merged, "no answer in 20 s")
    empty = add_event(start, thought(3), summarise=lambda one, two: Digest("  ")).merge
    assert empty is not None and empty.merged == by_rule.merged


def test_covered_numbers_follow_from_the_order_of_acts() -> None:
    assert covered_by_order(17) == range(1, 9)
    assert covered_by_order(16) == range(10, 11)
    timeline = Timeline()
    for number in range(1, 260):
        timeline = add_event(timeline, thought(number)).timeline
        for segment in timeline.segments:
            assert covered_by_order(segment.id) == covered(timeline, segment.id)
    assert covered(timeline, 1) is None


def test_numbers_are_counted_from_the_newest_where_the_oldest_was_taken_out() -> None:
    whole = after(10)
    edited = Timeline(whole.next_id, whole.total_events, whole.total_compressions, whole.segments[1:])
    assert covered(edited, 14) == range(9, 10)
    assert verbatim(edited)[10] == thought(10)
    assert verbatim(add_event(edited, thought(11)).timeline)[11] == thought(11)


def test_many_at_once_leave_every_thought_for_history() -> None:
    start = after(13)
    raw, compacted, merges = add_events(start, map(thought, range(14, 60)))
    assert compacted == after(59)
    held = verbatim(raw)
    assert {number: held[number] for number in range(14, 60)} == {n: thought(n) for n in range(14, 60)}
    assert raw.total_events == 59
    assert max(one.id for one in raw.segments) < raw.next_id == compacted.next_id
    assert len(merges) == compacted.total_compressions - start.total_compressions


@given(st.lists(st.sampled_from([1, 1, 1, 2, 4, 8]), min_size=2, max_size=12))
@pytest.mark.covers("R1.16")
def test_only_neighbours_merge_even_in_an_edited_timeline(lengths: list[int]) -> None:
    index = by_equal_length(lengths)
    pairs = [at for at in range(len(lengths) - 1) if lengths[at] == lengths[at + 1]]
    assert index == (pairs[0] if pairs else None)


@settings(max_examples=10, deadline=None)
@given(st.integers(3, 130))
@pytest.mark.covers("R1.40")
def test_a_timeline_stays_bounded_and_in_order(count: int) -> None:
    timeline = add_events(Timeline(), map(thought, range(1, count + 1)))[1]
    assert len(timeline.segments) <= count.bit_length()
    assert sum(timeline.lengths) == count
    starts = [segment.start for segment in timeline.segments]
    assert starts == sorted(starts)


@pytest.mark.covers("R1.11")
def test_levels_after_ten() -> None:
    assert [one.compression_level for one in after(10).segments] == [3, 0, 0]


@pytest.mark.covers("R1.32")
def test_narrative_is_chronological_and_names_key_events() -> None:
    timeline = after(100)
    lines = narrative(timeline, 5).splitlines()
    assert len(lines) == 5
    assert lines == sorted(lines)
    assert lines[0].startswith(f"{timeline.segments[1].start} – {timeline.segments[1].end} (32): ")
    assert timeline.segments[1].key_events[0] in lines[0]
    assert gist(thought(100)) in lines[-1]
    short = add_events(Timeline(), (Event(thought(n).at, f"it {n} fails", result="bad") for n in (1, 2)))[1]
    told = replace(
        short.segments[0], summary="it 1 fails → bad", key_events=("“it 1 fails” → bad", "“other”")
    )
    assert narrative(replace(short, segments=(told,))).endswith(": it 1 fails → bad [“other”]")
    assert narrative(Timeline()) == ""
    assert recent(timeline, 0) == () and narrative(timeline, 0) == ""


def test_a_merged_thought_is_told_once_in_the_summary() -> None:
    steps = (
        Event(
            iso_time(1_700_000_000 + 60 * number), f"step {number}: endpoint {number} is asynchronous now", ""
        )
        for number in range(1, 27)
    )
    timeline = add_events(Timeline(), steps)[1]
    for segment in timeline.segments:
        told = [piece.strip("“”") for piece in segment.summary.split(" · ")]
        assert len(told) == len(set(told))
        # The ends stand in every summary; what lies between is told by it or by a key event.
        assert not {key.strip("“”") for key in segment.key_events} & set(told[1:-1])


@pytest.mark.covers("R1.39")
def test_by_time_span() -> None:
    timeline = after(10)
    assert [one.id for one in between(timeline)[0]] == [17, 14, 16]
    assert [one.id for one in between(timeline, since=thought(9).at)[0]] == [14, 16]
    assert [one.id for one in between(timeline, until=thought(8).at)[0]] == [17]
    assert [one.id for one in between(timeline, thought(4).at, thought(4).at)[0]] == [17]
    assert [number for number, _ in between(timeline, thought(8).at, thought(9).at)[1]] == [8, 9]


@pytest.mark.covers("R1.33")
def test_statistics() -> None:
    found = statistics(after(10))
    assert (found.total_segments, found.total_events, found.total_compressions) == (3, 10, 7)
    assert (found.lengths, found.levels, found.verbatim) == ((8, 1, 1), (3, 0, 0), 8)
    assert (found.start, found.end) == (thought(1).at, thought(10).at)
    assert statistics(Timeline()).start == ""


@given(st.text(max_size=900), st.text(max_size=900), st.text(max_size=900), st.integers(12, 400))
def test_a_gist_is_one_line_within_its_limit(said: str, done: str, came: str, limit: int) -> None:
    told = gist(Event("", said, action=done, result=came), limit)
    assert len(told) <= limit
    assert len(told.splitlines()) <= 1
