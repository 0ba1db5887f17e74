"""Searching what was said."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alice_exp.conversations.rules.search_messages import Said, Talk, search
from alice_exp.conversations.usecases.search_sessions import Library
from alice_exp.conversations.values import ChatRecord
from docs.bench import bench_conversations as bench
from tests.cost import seconds


def talk(*lines: str, session: str = "s", at: str = "2026-02-19T08:00:00Z", speaker: str = "") -> list[Said]:
    return [Said(f"{session}#{n}", session, line, speaker, at) for n, line in enumerate(lines)]


def refs(turns: list[Said], query: str, **more: Any) -> list[str]:
    return [hit.turn.ref for hit in search(Talk.of(turns), query, **more)]


FILLER = [f"we spoke about number {n} of the unrelated list" for n in range(20)]


def test_the_turn_with_the_words_comes_first() -> None:
    turns = talk(*FILLER, "the pottery class begins in spring", *FILLER)
    assert refs(turns, "When does the pottery class begin?")[0] == "s#20"


def test_an_answer_is_found_by_its_question() -> None:
    turns = talk(*FILLER, "Which instrument do you play?", "The clarinet.", "Nice.", *FILLER)
    found = refs(turns, "what instrument does she play")
    assert found[0] == "s#20" and set(found[1:3]) == {"s#19", "s#21"} and "s#22" in found


def test_neighbours_lend_within_their_session_alone() -> None:
    turns = talk(*FILLER, "we adopted a turtle", session="a") + talk(
        "that is great news", *FILLER, session="b"
    )
    found = search(Talk.of(turns), "turtle", top=None)
    assert [hit.turn.ref for hit in found] == ["a#20", "a#19", "a#18"]
    assert [hit.score / found[0].score < 1 for hit in found[1:]] == [True, True]


def test_a_named_day_lifts_what_was_said_then() -> None:
    turns = [
        *talk("the deploy failed", *FILLER, session="a", at="2023-05-04T10:00:00Z"),
        *talk("the deploy failed", *FILLER, session="b", at="2023-05-05T10:00:00Z"),
        *talk("the deploy failed", *FILLER, session="c", at="2023-05-06T10:00:00Z"),
    ]
    assert refs(turns, "why did the deploy fail on 5 May?")[0] == "b#0"
    assert refs(turns, "为什么五月六号 deploy failed")[0] == "c#0"
    assert refs(turns, "why did the deploy fail?")[0] == "a#0"
    hits = search(Talk.of(turns), "what was it yesterday?", "2023-05-07T09:00:00Z", top=3)
    assert [hit.turn.ref for hit in hits] == ["c#0", "c#1", "c#2"] and all(hit.by_day for hit in hits)


def test_a_question_for_a_day_alone_finds_that_day_before_all_others() -> None:
    turns = [
        Said("a#1", "a", "我说了什么你都记一下", at="2026-03-03T09:00:00Z"),
        Said("b#1", "b", "诊所周一闭店", at="2026-03-12T09:00:00Z"),
    ]
    for query in ("3月12号说了什么", "上周四我说了什么", "what did I say on March 12?"):
        assert search(Talk.of(turns), query, "2026-03-16T09:00:00Z")[0].turn.ref == "b#1"


def test_the_speaker_counts() -> None:
    turns = [
        Said("1", "s", "I went camping in June", "Ann"),
        Said("2", "s", "I went camping in June", "Bob"),
        *talk(*FILLER, session="t"),
    ]
    assert refs(turns, "When did Bob go camping?")[0] == "2"
    assert refs(turns, "When did Ann go camping?")[0] == "1"
    bob, ann = search(Talk.of(turns), "Bob camping", top=2)
    assert bob.by_speaker and bob.score > bob.by_words
    assert not ann.by_speaker and ann.score == ann.by_words


def test_a_question_for_a_time_prefers_turns_that_name_one() -> None:
    turns = talk(*FILLER, "the camping trip was fun", *FILLER, "the camping trip was yesterday", *FILLER)
    assert refs(turns, "camping trip")[0] == "s#20"
    assert refs(turns, "when was the camping trip?")[0] == "s#41"


def test_chinese() -> None:
    turns = talk("今天天气不错", "我想学画画", "推荐你看《素描的诀窍》", "晚饭吃什么", "吃面吧")
    assert refs(turns, "我想学什么")[0] == "s#1"
    assert "s#2" in refs(turns, "画画的书")


def test_nothing_said_and_nothing_found() -> None:
    assert search(Talk.of([]), "anything") == []
    assert refs(talk("hello there"), "quantum") == []
    assert refs(talk("hello there"), "") == []
    assert len(refs(talk(*FILLER), "number", top=3)) == 3


@given(st.lists(st.tuples(st.text(max_size=30), st.sampled_from("ab")), max_size=12), st.text(max_size=30))
def test_any_talk_any_query(lines: list[tuple[str, str]], query: str) -> None:
    turns = [
        Said(str(n), session, text, "A", "2023-05-05T00:00:00")
        for n, (text, session) in enumerate(sorted(lines, key=lambda line: line[1]))
    ]
    hits = search(Talk.of(turns), query, top=None)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(hit.score > 0 and turns[hit.index] is hit.turn for hit in hits)
    assert len({hit.index for hit in hits}) == len(hits)


def test_five_thousand_turns_are_searched_at_once() -> None:
    vocabulary = [f"word{n}" for n in range(3000)]
    turns = [
        Said(str(n), f"s{n // 40}", " ".join(vocabulary[(n * k) % 3000] for k in range(1, 26)), "Ann")
        for n in range(5000)
    ]
    made = Talk.of(turns)
    asked = (f"when did Ann say word{n * 7} and word{n * 11 + 1} last spring?" for n in range(10))
    assert seconds(lambda: search(made, next(asked)), 10) < 0.05


@pytest.mark.parametrize(
    ("name", "at5", "at10"), [("talk_en", 0.10, 0.10), ("mb_en", 0.0, 0.0), ("mb_zh", 0.0, 0.0)]
)
def test_it_beats_plain_bm25(name: str, at5: float, at10: float) -> None:
    base = bench.recall(name, bench.plain_bm25)
    ours = bench.recall(name, bench.ours)
    assert ours[0] >= base[0] + at5 and ours[1] >= base[1] + at10


@pytest.mark.parametrize(("name", "silent", "false"), [("talk_en", 0.06, 0.1), ("mb_en", 0.06, 0.2)])
def test_a_search_says_nothing_where_no_turn_fits(name: str, silent: float, false: float) -> None:
    turns, questions = next(iter(bench.loaded(name).values()))
    # The records stand beside the turns, one for one; here the turns stand for them.
    talk, records = Talk.of(turns), cast("list[ChatRecord]", turns)
    gated, open_ended = Library(records, talk), Library(records, talk, 0.0)
    foreign = ["how do I sharpen a kitchen knife?", "why is the Kafka consumer lagging?",
               "which port does the staging database use?", "who painted the ceiling of the chapel?",
               "what does error 1213 of MySQL mean?"]  # fmt: skip
    asked = [question["query"] for question in questions]
    assert sum(not gated.search(query, None, 5) for query in asked) <= silent * len(asked)
    assert sum(bool(gated.search(query, None, 5)) for query in foreign) <= false * len(foreign)
    assert sum(bool(open_ended.search(query, None, 5)) for query in foreign) >= 1


def test_a_turn_is_as_long_in_one_language_as_in_the_other() -> None:
    # Five words each: a run of eight characters is fifteen tokens.
    talk = Talk.of([Said("1", "s", "甲乙丙丁戊己庚辛"), Said("2", "s", "anvil bucket candle dragon engine")])
    weights = {round(weight, 9) for _, weighed in talk.postings.values() for weight in weighed}
    assert weights == {1.0}
