"""Days and times that a question names (DESIGN 10, issue 6.4). Now is a Friday: 2026-02-20."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alice_exp.kernel.text.named_dates import Span, asks_only_of_days, named_days
from alice_exp.kernel.text.times import mentions_time
from tests.case_tables import cases, table
from tests.cost import seconds

NOW = "2026-02-20T09:00:00Z"

DAYS = cases(__file__, "DAYS")

LONGER = cases(__file__, "LONGER")

NONE = cases(__file__, "NONE")


def named_spans(text: str, now: str | datetime) -> list[Span]:
    return [span for _, span in named_days(text, now)]


def test_there_are_enough_cases() -> None:
    assert len(DAYS) + len(LONGER) >= 60 and len(NONE) >= 20


@pytest.mark.parametrize(("text", "day"), DAYS)
def test_a_day(text: str, day: str) -> None:
    spans = named_spans(text, NOW)
    assert [(str(span.start), span.end - span.start) for span in spans] == [
        (f"{day} 00:00:00", timedelta(days=1))
    ]


@pytest.mark.parametrize(("text", "start", "end"), LONGER)
def test_a_longer_time(text: str, start: str, end: str) -> None:
    spans = named_spans(text, NOW)
    assert [(str(span.start)[:10], str(span.end)[:10]) for span in spans] == [(start, end)]


@pytest.mark.parametrize("text", NONE)
def test_words_that_only_look_like_a_time(text: str) -> None:
    assert named_spans(text, NOW) == []


def test_more_than_one_in_their_order() -> None:
    spans = named_spans("between 5 May 2023 and yesterday, or 上周三", NOW)
    assert [str(span.start)[:10] for span in spans] == ["2023-05-05", "2026-02-19", "2026-02-11"]


def test_without_a_year_it_holds_in_every_year() -> None:
    (named,) = named_spans("on 5 May", NOW)
    assert named.every_year
    assert named.covers(datetime(2023, 5, 5, 13, 56)) and not named.covers(datetime(2023, 5, 6))
    (winter,) = named_spans("in winter", NOW)
    assert winter.covers(datetime(2023, 1, 31)) and not winter.covers(datetime(2023, 3, 1))
    (leap,) = named_spans("29 February", NOW)
    assert leap.covers(datetime(2020, 2, 29)) and not leap.covers(datetime(2020, 2, 28))
    (dated,) = named_spans("on 5 May 2024", NOW)
    assert not dated.covers(datetime(2023, 5, 5))


def test_the_end_is_not_within() -> None:
    (month,) = named_spans("June 2023", NOW)
    assert month.covers(datetime(2023, 6, 30, 23, 59, 59)) and not month.covers(datetime(2023, 7, 1))


@given(st.text(max_size=200), st.datetimes(datetime(1970, 1, 2), datetime(2100, 1, 1)))
def test_any_text_at_any_time(text: str, now: datetime) -> None:
    for span in named_spans(text, now):
        assert span.start < span.end


@pytest.mark.parametrize(
    "text", ["last " * 50_000, "5 May " * 10_000, "一二三" * 20_000, "上个" * 20_000, "1" * 50_000]
)
def test_long_questions_are_cheap(text: str) -> None:
    assert seconds(lambda: named_spans(text, NOW), 1) < 1


@pytest.mark.parametrize("text", [text for text, *_ in (*DAYS, *LONGER)])
def test_a_cheap_look_passes_whatever_names_a_day(text: str) -> None:
    assert mentions_time(text)


@pytest.mark.parametrize(
    "text", ["how do I search code", "用什么搜索代码", "port 8080 is taken", "我喜欢吃什么", ""]
)
def test_a_cheap_look_turns_away_what_names_none(text: str) -> None:
    assert not mentions_time(text)


@table("question", "alone")
def test_a_question_may_ask_for_nothing_but_a_day(question: str, alone: bool) -> None:
    assert asks_only_of_days(question) is alone
