"""Searching what was said."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alice_exp.finding.store import turn_index
from docs.bench import bench_conversations as bench
from docs.bench.bench_conversations import Said
from tests.cost import seconds


def talk(*lines: str, session: str = "s", at: str = "2026-02-19T08:00:00Z", speaker: str = "") -> list[Said]:
    return [Said(f"{session}#{n}", session, line, speaker, at) for n, line in enumerate(lines)]


def search(
    turns: list[Said], query: str, now: str | None = None, top: int = 10, gate: float = 0.0
) -> list[tuple[str, turn_index.Found]]:
    known, names = bench.read(turns)
    return [(names[hit.record.ref], hit) for hit in turn_index.search(known, query, now, top, gate)]


def refs(turns: list[Said], query: str, **more: Any) -> list[str]:
    return [ref for ref, _ in search(turns, query, **more)]


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
    found = search(turns, "turtle", top=100)
    assert [ref for ref, _ in found] == ["a#20", "a#19", "a#18"]
    assert [hit.score / found[0][1].score < 1 for _, hit in found[1:]] == [True, True]


def test_a_named_day_lifts_what_was_said_then() -> None:
    turns = [
        *talk("the deploy failed", *FILLER, session="a", at="2023-05-04T10:00:00Z"),
        *talk("the deploy failed", *FILLER, session="b", at="2023-05-05T10:00:00Z"),
        *talk("the deploy failed", *FILLER, session="c", at="2023-05-06T10:00:00Z"),
    ]
    assert refs(turns, "why did the deploy fail on 5 May?")[0] == "b#0"
    assert refs(turns, "为什么五月六号 deploy failed")[0] == "c#0"
    assert refs(turns, "why did the deploy fail?")[0] == "a#0"
    hits = search(turns, "what was it yesterday?", "2023-05-07T09:00:00Z", top=3)
    assert [ref for ref, _ in hits] == ["c#0", "c#1", "c#2"] and all(hit.by_day for _, hit in hits)


def test_a_question_for_a_day_alone_finds_that_day_before_all_others() -> None:
    turns = [
        Said("a#1", "a", "我说了什么你都记一下", at="2026-03-03T09:00:00Z"),
        Said("b#1", "b", "诊所周一闭店", at="2026-03-12T09:00:00Z"),
    ]
    for query in ("3月12号说了什么", "上周四我说了什么", "what did I say on March 12?"):
        assert search(turns, query, "2026-03-16T09:00:00Z")[0][0] == "b#1"


def test_the_speaker_counts() -> None:
    turns = [
        Said("1", "s", "I went camping in June", "Ann"),
        Said("2", "s", "I went camping in June", "Bob"),
        *talk(*FILLER, session="t"),
    ]
    assert refs(turns, "When did Bob go camping?")[0] == "2"
    assert refs(turns, "When did Ann go camping?")[0] == "1"
    (_, bob), (_, ann) = search(turns, "Bob camping", top=2)
    assert bob.by_speaker and bob.score > bob.by_words
    assert not ann.by_speaker and ann.score == ann.by_words


def test_what_the_person_said_counts_more_unless_the_assistant_is_asked_for() -> None:
    turns = [
        *talk(*FILLER, session="t"),
        Said("a", "s", "the museum of trams is worth a visit on Sunday", role="assistant"),
        *talk(*FILLER, session="u"),
        Said("u", "v", "I want to visit the museum of trams on Sunday", role="user"),
    ]
    assert refs(turns, "which museum do I want to visit?")[:2] == ["u", "a"]
    for asked in ("did you say is", "did the assistant call"):
        assert refs(turns, f"which museum {asked} worth a visit?")[0] == "a"
    (_, user), (_, agent) = search(turns, "museum of trams", top=2)
    assert user.score / user.by_words == pytest.approx(1.5) and agent.score == agent.by_words


def test_chinese() -> None:
    turns = talk("今天天气不错", "我想学画画", "推荐你看《素描的诀窍》", "晚饭吃什么", "吃面吧")
    assert refs(turns, "我想学什么")[0] == "s#1"
    assert "s#2" in refs(turns, "画画的书")


def test_nothing_said_and_nothing_found() -> None:
    assert search([], "anything") == []
    assert refs(talk("hello there"), "quantum") == []
    assert refs(talk("hello there"), "") == []
    assert len(refs(talk(*FILLER), "number", top=3)) == 3


@given(st.lists(st.tuples(st.text(max_size=30), st.sampled_from("ab")), max_size=12), st.text(max_size=30))
def test_any_talk_any_query(lines: list[tuple[str, str]], query: str) -> None:
    turns = [
        Said(str(n), session, text, "A", "2023-05-05T00:00:00")
        for n, (text, session) in enumerate(sorted(lines, key=lambda line: line[1]))
    ]
    hits = [hit for _, hit in search(turns, query, top=100)]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(hit.score > 0 for hit in hits)
    assert len({hit.record.ref for hit in hits}) == len(hits)


def test_five_thousand_turns_are_searched_at_once() -> None:
    vocabulary = [f"word{n}" for n in range(3000)]
    turns = [
        Said(str(n), f"s{n // 40}", " ".join(vocabulary[(n * k) % 3000] for k in range(1, 26)), "Ann")
        for n in range(5000)
    ]
    made, _ = bench.read(turns)
    asked = (f"when did Ann say word{n * 7} and word{n * 11 + 1} last spring?" for n in range(10))
    assert seconds(lambda: turn_index.search(made, next(asked), None, 10), 10) < 0.05


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
    answers = bench.is_answered(turns)
    foreign = ["how do I sharpen a kitchen knife?", "why is the Kafka consumer lagging?",
               "which port does the staging database use?", "who painted the ceiling of the chapel?",
               "what does error 1213 of MySQL mean?"]  # fmt: skip
    asked = [question["query"] for question in questions]
    assert sum(not answers(query, bench.GATE) for query in asked) <= silent * len(asked)
    assert sum(answers(query, bench.GATE) for query in foreign) <= false * len(foreign)
    assert sum(answers(query, 0.0) for query in foreign) >= 1
