"""Record files as values, their problems with places, and edits that leave a person's text alone."""

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.jsonc import Json
from alice_exp.kernel.jsonc.document import Document, Unchanged
from alice_exp.kernel.jsonc.edits import edit
from alice_exp.kernel.jsonc.formatting import dump
from alice_exp.kernel.jsonc.reader import parse
from alice_exp.kernel.text.times import iso_time
from alice_exp.model.formats import field_readers
from alice_exp.model.formats.record_import import (
    book_edits,
    completion_edits,
    import_episodes,
    import_timeline,
    timeline_edits,
)
from alice_exp.model.formats.record_schema import (
    EPISODES,
    EPISODES_PATH,
    EVENTS_PATH,
    SEGMENTS,
    episode_json,
    event_json,
    past_timeline,
    read_episodes,
    read_event,
    read_timeline,
    segment_json,
    timeline_json,
)
from alice_exp.model.values.records import Episode, EpisodeBook, Event, Segment, Timeline
from alice_exp.timeline.rules.compaction import add_event, add_events
from tests.case_tables import cases, table
from tests.cost import ratio

SAMPLE = Path(__file__).parents[2] / "sample_home/experiences"
NOW = "2026-02-20T09:00:00Z"
EMPTY = (
    '{\n  // mine\n  "next_id": 1,\n  "total_events": 0,\n  "total_compressions": 0,\n  "segments": []\n}\n'
)


def episodes(data: str | bytes) -> Document:
    return parse(data.encode() if isinstance(data, str) else data, EPISODES_PATH, EPISODES)


def events(data: str | bytes) -> Document:
    return parse(data.encode() if isinstance(data, str) else data, EVENTS_PATH, SEGMENTS)


def thought(number: int) -> Event:
    return Event(
        iso_time(1_700_000_000 + number),
        f"思考 {number} // no comment",
        "ctx",
        f"act {number}" if number % 2 else "",
        number if number % 3 else None,
        {"cycle_id": number},
    )


@pytest.mark.covers("R1.13")
def test_an_event_keeps_its_six_fields_and_may_have_no_result() -> None:
    whole: dict[str, Json] = {
        "at": NOW, "thought": "t", "context": "c", "action": "a", "result": [1, {"k": None}],
        "metadata": {"cycle_id": 3, "purpose": "测试"},
    }  # fmt: skip
    assert event_json(read_event(whole)) == whole
    open_ = read_event({name: value for name, value in whole.items() if name != "result"})
    assert open_.result is None and open_.timestamp == 1771578000.0


def test_the_sample_is_read_whole() -> None:
    book, problems = read_episodes(episodes((SAMPLE / "records/episodes.jsonc").read_bytes()))
    assert problems == ()
    assert (len(book.episodes), book.capacity) == (15, 1000)
    assert book.episodes[9].result is None
    assert book.episodes[2].result == {"rows": 1832, "file": "anomaly-202510.csv"}
    timeline, problems = read_timeline(events((SAMPLE / "records/events.jsonc").read_bytes()))
    assert problems == ()
    assert timeline.lengths == (8, 1, 1)
    assert timeline.segments[0].end_timestamp == 1771485618.0


def test_a_typed_episode_needs_a_task_alone() -> None:
    book, problems = read_episodes(episodes('{"episodes": [{"task": "a", "success": true}, {"task": "b"}]}'))
    assert problems == ()
    assert [(one.id, one.reward, one.at) for one in book.episodes] == [("", 1.0, ""), ("", 0.0, "")]


@pytest.mark.parametrize(
    ("text", "where", "said"),
    [
        *cases(__file__, "test_faulty_episodes"),
        ('{"task": "a", "reward": 1' + "0" * 400 + "}", "1:39", '"reward" is a number from 0 to 1'),
    ],
)
def test_faulty_episodes(text: str, where: str, said: str) -> None:
    _, (problem, *others) = read_episodes(episodes('{"episodes": [' + text + "]}"))
    assert (problem.where, problem.message, problem.severity) == (f"{EPISODES_PATH}:{where}", said, "error")
    assert others == []


def test_one_faulty_record_leaves_the_others_and_unknown_keys_are_warned_of() -> None:
    data = '{"capacity": 0, "epsodes": 1, "episodes": [{"task": 1}, {"task": "b", "rewrad": 1, "x-mine": 2}]}'
    book, problems = read_episodes(episodes(data))
    assert [one.task for one in book.episodes] == ["b"]
    assert book.episodes[0].extra == {"rewrad": 1, "x-mine": 2}
    said = sorted((problem.severity, problem.message, problem.hint) for problem in problems)
    assert said == [
        ("error", '"capacity" is a whole number, 1 or more', ""),
        ("error", '"task" is a text that says something', ""),
        ("warning", 'the key "epsodes" is not known; it is kept as it is', 'did you mean "episodes"?'),
        ("warning", 'the key "rewrad" is not known; it is kept as it is', 'did you mean "reward"?'),
    ]


def test_an_id_twice() -> None:
    data = '{"episodes": [{"id": "ep-aaaaaaaa", "task": "a"},\n{"id": "ep-aaaaaaaa", "task": "b"}]}'
    _, (problem,) = read_episodes(episodes(data))
    assert (problem.line, problem.column) == (2, 8)
    assert problem.message == "the id ep-aaaaaaaa stands twice in this file"


RAW = '{"id": 1, "events": [{"at": "2026-01-01T00:00:00Z", "thought": "t"}]}'


@table("members", "where", "severity", "said", "hint")
def test_counters_that_contradict(members: str, where: str, severity: str, said: str, hint: str) -> None:
    _, (problem,) = read_timeline(events("{" + members + ', "segments": [' + RAW + "]}"))
    found = (problem.where, problem.severity, problem.message, problem.hint)
    assert found == (f"{EVENTS_PATH}:{where}", severity, said, hint)


def test_missing_counters_follow_from_the_segments() -> None:
    timeline, problems = read_timeline(events('{"segments": [' + RAW + "]}"))
    assert problems == ()
    assert (timeline.next_id, timeline.total_events, timeline.total_compressions) == (2, 1, 0)
    assert timeline.segments[0].start == timeline.segments[0].end == "2026-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("segment", "said"),
    [
        *cases(__file__, "test_faulty_segments"),
        (RAW + ", " + RAW, "the id 1 stands twice in this file"),
        (
            RAW.replace("]", ', {"at": "2026-01-01T00:00:00Z", "thought": "u"}]'),
            "2 events stand in a segment of 1 thoughts",
        ),
    ],
)
def test_faulty_segments(segment: str, said: str) -> None:
    _, problems = read_timeline(events('{"segments": [' + segment + "]}"))
    assert [problem.message for problem in problems if problem.severity == "error"] == [said]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
EPISODE = st.builds(
    Episode,
    st.just(""),
    st.text(min_size=1, max_size=9).filter(str.strip),
    st.dictionaries(st.text(max_size=4), JSON, max_size=3),
    st.text(max_size=5),
    JSON,
    st.booleans(),
    st.floats(0, 1),
    st.sampled_from(["", NOW, "2023-10-12T15:10:56.789Z"]),
    st.text(max_size=5),
    st.sampled_from(["", "code"]),
    st.booleans(),
    st.integers(0, 5000),
)


def named(listed: list[Episode]) -> tuple[Episode, ...]:
    from dataclasses import replace

    letters = "abcdefgh"
    return tuple(replace(one, id=f"ep-aaaaaaa{letters[at]}") for at, one in enumerate(listed))


@settings(deadline=None)
@given(st.lists(EPISODE, max_size=6), st.data())
def test_any_book_is_turned_into_any_other(listed: list[Episode], data: st.DataObject) -> None:
    old = EpisodeBook(named(listed), 9)
    again = data.draw(
        st.lists(st.sampled_from(old.episodes) if old.episodes else st.nothing(), unique_by=lambda e: e.id)
    )
    changed = data.draw(st.lists(EPISODE, max_size=3))
    from dataclasses import replace

    both = {one.id: one for one in again} | {f"ep-aaaaaaa{'fgh'[at]}": one for at, one in enumerate(changed)}
    order = [one.id for one in old.episodes if one.id in both]
    order += [one for one in both if one not in order]
    new = EpisodeBook(tuple(replace(both[one], id=one) for one in order), 5)
    text = dump({"capacity": 9, EPISODES: [*map(episode_json, old.episodes)]})
    document = episodes("// head\n" + text + "\n// tail\n")
    assert read_episodes(document) == (old, ())
    after = edit(document, book_edits(document, old, new))
    assert read_episodes(episodes(after)) == (new, ())
    assert after.startswith(b"// head\n")
    assert after.endswith(b"// tail\n")


def test_comments_survive_and_only_the_changed_lines_change() -> None:
    from dataclasses import replace

    before = (SAMPLE / "records/episodes.jsonc").read_bytes()
    document = episodes(before)
    book, _ = read_episodes(document)
    fresh = Episode("ep-zzzzzzzz", "new", {"a": 1}, success=True, reward=0.5, at=NOW)
    told = replace(book.episodes[3], reflection="told later")
    kept = (*book.episodes[:3], told, *book.episodes[5:])
    after = edit(document, book_edits(document, book, EpisodeBook((*kept, fresh), 1000)))
    gone = set(before.decode().splitlines()) - set(after.decode().splitlines())
    assert "    // a failure is worth as much as a success: decide warns with it" in after.decode()
    assert '  "capacity": 1000, // records, a ceiling' in after.decode()
    written = [line for line in gone if "ep-5walrupy" in line or "look for INVALID" in line]
    assert len(written) == 2
    assert read_episodes(episodes(after))[0].episodes[-1] == fresh


def test_adoption_gives_id_and_time() -> None:
    document = episodes(
        '{"episodes": [\n  {"task": "typed"}, // mine\n  {"id": "ep-aaaaaaaa", "task": "b"}\n]}'
    )
    after = edit(document, completion_edits(document, iter(["ep-bbbbbbbb"]), NOW))
    book, problems = read_episodes(episodes(after))
    assert [(one.id, one.at) for one in book.episodes] == [("ep-bbbbbbbb", NOW), ("ep-aaaaaaaa", NOW)]
    assert (problems, b"// mine" in after) == ((), True)


def test_every_addition_through_the_file() -> None:
    data, timeline = EMPTY.encode(), Timeline()
    for number in range(1, 150):
        document = events(data)
        held, problems = read_timeline(document)
        assert (held, problems) == (timeline, ())
        timeline = add_event(held, thought(number)).timeline
        data = edit(document, timeline_edits(document, held, timeline))
    assert read_timeline(events(data)) == (timeline, ())
    assert data.startswith(b"{\n  // mine\n")


def test_a_merge_keeps_the_comment_of_its_first_segment_and_touches_no_other() -> None:
    before = (SAMPLE / "records/events.jsonc").read_bytes()
    document = events(before)
    timeline, _ = read_timeline(document)
    added = add_event(timeline, thought(11))
    assert added.merge is not None
    after = edit(document, timeline_edits(document, timeline, added.timeline)).decode()
    assert "// thoughts 9 and 10, still raw" in after
    assert "// thoughts 1 to 8; the verbatim window begins at the third" in after
    assert '"next_id": 20, // 10 thoughts and 7 merges' in after
    lines = before.decode().splitlines()
    untouched = lines[lines.index('      "id": 17,') : lines.index('      "events": [') + 1]
    assert "\n".join(untouched) in after
    assert read_timeline(events(after)) == (added.timeline, ())


def test_another_timeline_takes_its_place() -> None:
    old = add_events(Timeline(), map(thought, range(1, 12)))[1]
    new = add_events(Timeline(), map(thought, range(40, 70)))[1]
    document = events("// mine\n" + dump(timeline_json(old)))
    after = edit(document, timeline_edits(document, old, new))
    assert read_timeline(events(after)) == (new, ())


def test_adding_costs_the_same_later() -> None:
    def adding(count: int) -> Callable[[], object]:
        timeline = add_events(Timeline(), map(thought, range(1, count)))[1]
        data = dump(timeline_json(timeline)).encode()

        def act() -> object:
            document = events(data)
            held, _ = read_timeline(document)
            added = add_event(held, thought(count))
            return edit(document, timeline_edits(document, held, added.timeline))

        return act

    assert ratio(adding(2_000), adding(100), enough=2, runs=10) <= 2


def test_defaults_are_not_written() -> None:
    assert episode_json(Episode("ep-aaaaaaaa", "t")) == {
        "id": "ep-aaaaaaaa",
        "task": "t",
        "success": False,
        "reward": 0.0,
    }
    assert event_json(Event(NOW, "t", result=False)) == {"at": NOW, "thought": "t", "result": False}
    assert segment_json(Segment(3, NOW, NOW)) == {"id": 3, "start": NOW, "end": NOW, "segment_length": 1}


FORMS = cases(__file__, "FORMS")


@pytest.mark.parametrize("form", FORMS)
def test_every_form_and_time_is_imported(form: str) -> None:
    found = import_episodes(form.format('"2026-02-20"').encode(), "in", NOW)
    assert [one.task for one in found] == ["a", "b"]
    assert [one.at for one in found] == ["2023-10-12T15:10:56.789Z", "2026-02-20T00:00:00Z"]
    with pytest.raises(ProblemError, match='"at" lies in the future: 2027-02-20T00:00:00Z;') as refused:
        import_episodes(form.format('"2027-02-20"').encode(), "in", NOW)
    assert refused.value.line == 1 + form[: form.index("{0}")].count("\n")


@table("data", "where")
def test_an_import_cut_in_half_says_where(data: str, where: str) -> None:
    with pytest.raises(ProblemError) as refused:
        import_episodes(data.encode(), "in", NOW)
    error = refused.value
    assert f"{error.path}:{error.line}:{error.column}" == where


def test_export_and_import_are_inverse() -> None:
    book = EpisodeBook(named([Episode("", "t", {"k": [1]}, "a", {"r": 1}, True, 0.25, NOW, "r", "code")] * 3))
    assert import_episodes(dump([*map(episode_json, book.episodes)]).encode(), "in", NOW) == book.episodes
    timeline = add_events(Timeline(), map(thought, range(1, 40)))[1]
    assert import_timeline(dump(timeline_json(timeline)).encode(), "in", NOW) == timeline


def test_thoughts_and_the_source_form_are_imported() -> None:
    lines = '{"timestamp": 1697123456.5, "thought": "x", "metadata": {"cycle_id": 1}}\n{"thought": "y"}\n'
    found = import_timeline(lines.encode(), "in", NOW)
    assert isinstance(found, tuple)
    assert [(one.thought, one.at) for one in found] == [("x", "2023-10-12T15:10:56.500Z"), ("y", NOW)]
    source: dict[str, Json] = {
        "segments": [
            {
                "id": 1,
                "start_timestamp": 1697123456.5,
                "end_timestamp": 1697123457.5,
                "segment_length": 1,
                "is_compressed": False,
                "events": [{"timestamp": 1697123456.5, "thought": "x", "result": None}],
            }
        ]
    }
    whole = import_timeline(dump(source).encode(), "in", NOW)
    assert isinstance(whole, Timeline)
    assert (whole.next_id, whole.total_events) == (2, 1)
    assert whole.segments[0].end == "2023-10-12T15:10:57.500Z"
    bad = dump({**source, "next_id": 1}).encode()
    with pytest.raises(ProblemError, match="next_id"):
        import_timeline(bad, "in", NOW)
    assert import_timeline(b" ", "in", NOW) == ()


def test_ids_are_taken_in_order() -> None:
    ids = (f"ep-aaaaaaa{letter}" for letter in itertools.cycle("ab"))
    document = episodes('{"episodes": [{"task": "a", "at": "2026-01-01T00:00:00Z"}, {"task": "b"}]}')
    book, _ = read_episodes(episodes(edit(document, completion_edits(document, ids, NOW))))
    assert [(one.id[-1], one.at) for one in book.episodes] == [("a", "2026-01-01T00:00:00Z"), ("b", NOW)]


def test_an_episode_whose_text_changed_is_read_again() -> None:
    def parsed(context: str) -> Document:
        text = f'{{"episodes": [{{"id": "ep-aaaaaaaa", "task": "t", "context": {{"dry": {context}}}}}]}}'
        return parse(text.encode(), EPISODES_PATH, EPISODES)

    book, _ = read_episodes(parsed("true"))
    known = Unchanged(parsed("true"), book.episodes)
    assert read_episodes(parsed("true"), known)[0].episodes[0] is book.episodes[0]
    assert read_episodes(parsed("1"), known)[0].episodes[0].context["dry"] is not True


def test_reading_a_timeline_again_and_again_keeps_nothing() -> None:
    """A server reads it at each call; what each reader takes is kept for good."""
    past_timeline(b"{}")
    known = len(field_readers._SHAPES)
    past_timeline(b'{"total_events": 7, "next_id": 8}')
    assert len(field_readers._SHAPES) == known
