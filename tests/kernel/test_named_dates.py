"""Days and times that a question names (DESIGN 10, issue 6.4). Now is a Friday: 2026-02-20."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alice_exp.kernel.text.named_dates import asks_only_of_days, named_spans
from alice_exp.kernel.text.times import mentions_time
from tests.cost import seconds

NOW = "2026-02-20T09:00:00Z"

DAYS = [
    ("What did I say on 5 May?", "2025-05-05"),
    ("what did we do on 5 may", "2025-05-05"),
    ("May 5th, 2023", "2023-05-05"),
    ("on the 5th of May 2023", "2023-05-05"),
    ("Who called on Feb 3?", "2026-02-03"),
    ("December 25", "2025-12-25"),
    ("on 29 February", "2024-02-29"),
    ("the log of 2023-05-08", "2023-05-08"),
    ("since 5/8/2023", "2023-05-08"),
    ("yesterday", "2026-02-19"),
    ("what happened last night?", "2026-02-19"),
    ("the day before yesterday", "2026-02-18"),
    ("what did I ask this morning?", "2026-02-20"),
    ("what is due tomorrow", "2026-02-21"),
    ("three days ago", "2026-02-17"),
    ("10 days ago", "2026-02-10"),
    ("a day ago", "2026-02-19"),
    ("last Monday", "2026-02-16"),
    ("what did she say on Wednesday?", "2026-02-18"),
    ("on Friday", "2026-02-13"),
    ("next Tuesday", "2026-02-24"),
    ("at Christmas", "2025-12-25"),
    ("last Halloween", "2025-10-31"),
    ("Christmas 2023", "2023-12-25"),
    ("昨天我们聊了什么", "2026-02-19"),
    ("前天", "2026-02-18"),
    ("大前天的会", "2026-02-17"),
    ("昨晚说的电影", "2026-02-19"),
    ("今天", "2026-02-20"),
    ("明天要做什么", "2026-02-21"),
    ("上周三", "2026-02-11"),
    ("上个星期天", "2026-02-15"),
    ("这周一", "2026-02-16"),
    ("周三说了什么", "2026-02-18"),
    ("下周二", "2026-02-24"),
    ("五月三号我们去了哪里", "2025-05-03"),
    ("4月28日", "2025-04-28"),
    ("2023年5月8日", "2023-05-08"),
    ("二〇二三年五月八日", "2023-05-08"),
    ("去年12月25号", "2025-12-25"),
    ("十二月三十一日", "2025-12-31"),
    ("三天前", "2026-02-17"),
    ("两天前你推荐的书", "2026-02-18"),
    ("上个月3号", "2026-01-03"),
    ("15号的安排", "2026-02-15"),
    ("圣诞节", "2025-12-25"),
    ("去年情人节", "2025-02-14"),
]

LONGER = [
    ("in June", "2025-06-01", "2025-07-01", "month"),
    ("In May, what did I read?", "2025-05-01", "2025-06-01", "month"),
    ("last June", "2025-06-01", "2025-07-01", "month"),
    ("last February", "2025-02-01", "2025-03-01", "month"),
    ("June 2023", "2023-06-01", "2023-07-01", "month"),
    ("in late June 2023", "2023-06-21", "2023-07-01", "week"),
    ("in early March", "2025-03-01", "2025-03-11", "week"),
    ("last month", "2026-01-01", "2026-02-01", "month"),
    ("this month", "2026-02-01", "2026-03-01", "month"),
    ("three months ago", "2025-11-01", "2025-12-01", "month"),
    ("last week", "2026-02-09", "2026-02-16", "week"),
    ("this week", "2026-02-16", "2026-02-23", "week"),
    ("last weekend", "2026-02-14", "2026-02-16", "week"),
    ("two weeks ago", "2026-02-03", "2026-02-10", "week"),
    ("a few days ago", "2026-02-15", "2026-02-20", "week"),
    ("in the last two weeks", "2026-02-06", "2026-02-21", "week"),
    ("last spring", "2025-03-01", "2025-06-01", "season"),
    ("last winter", "2024-12-01", "2025-03-01", "season"),
    ("this summer", "2026-06-01", "2026-09-01", "season"),
    ("in the fall of 2023", "2023-09-01", "2023-12-01", "season"),
    ("in autumn", "2025-09-01", "2025-12-01", "season"),
    ("in 2022", "2022-01-01", "2023-01-01", "year"),
    ("last year", "2025-01-01", "2026-01-01", "year"),
    ("two years ago", "2024-01-01", "2025-01-01", "year"),
    ("上周", "2026-02-09", "2026-02-16", "week"),
    ("上上周", "2026-02-02", "2026-02-09", "week"),
    ("上周末", "2026-02-14", "2026-02-16", "week"),
    ("两周前", "2026-02-03", "2026-02-10", "week"),
    ("前几天", "2026-02-15", "2026-02-20", "week"),
    ("几天前", "2026-02-15", "2026-02-20", "week"),
    ("最近三天", "2026-02-17", "2026-02-21", "week"),
    ("上个月", "2026-01-01", "2026-02-01", "month"),
    ("本月", "2026-02-01", "2026-03-01", "month"),
    ("六月份", "2025-06-01", "2025-07-01", "month"),
    ("去年十一月", "2025-11-01", "2025-12-01", "month"),
    ("2023年5月", "2023-05-01", "2023-06-01", "month"),
    ("五月初", "2025-05-01", "2025-05-11", "week"),
    ("上月底", "2026-01-21", "2026-02-01", "week"),
    ("半年前", "2025-08-01", "2025-09-01", "month"),
    ("去年春天", "2025-03-01", "2025-06-01", "season"),
    ("夏天的时候", "2025-06-01", "2025-09-01", "season"),
    ("前年", "2024-01-01", "2025-01-01", "year"),
    ("2022年", "2022-01-01", "2023-01-01", "year"),
    ("国庆", "2025-10-01", "2025-10-08", "day"),
]

NONE = [
    "what may you know",
    "What may I ask?",
    "3 may join later",
    "the march of progress",
    "did you fall in love?",
    "What did April say?",
    "version 2.10.3",
    "port 2023",
    "I have 2 cats and 5 dogs",
    "a week old puppy",
    "call 555-1234",
    "second to last line",
    "How do I sort a list?",
    "spring boot configuration",
    "on 30 February",
    "3号线怎么走",
    "第三天",
    "一天吃几顿饭",
    "天天向上",
    "周围有什么",
    "五个月饼",
    "三年级的数学",
    "我的名字是什么",
    "年龄多大",
    "",
]


def test_there_are_enough_cases() -> None:
    assert len(DAYS) + len(LONGER) >= 60 and len(NONE) >= 20


@pytest.mark.parametrize(("text", "day"), DAYS)
def test_a_day(text: str, day: str) -> None:
    spans = named_spans(text, NOW)
    assert [(str(span.start), span.end - span.start, span.precision) for span in spans] == [
        (f"{day} 00:00:00", timedelta(days=1), "day")
    ]


@pytest.mark.parametrize(("text", "start", "end", "precision"), LONGER)
def test_a_longer_time(text: str, start: str, end: str, precision: str) -> None:
    spans = named_spans(text, NOW)
    assert [(str(span.start)[:10], str(span.end)[:10], span.precision) for span in spans] == [
        (start, end, precision)
    ]


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
    "text", ["how do I search code", "用什么搜索代码", "pytest --lf", "我喜欢吃什么", ""]
)
def test_a_cheap_look_turns_away_what_names_none(text: str) -> None:
    assert not mentions_time(text)


@pytest.mark.parametrize(
    ("question", "alone"),
    [
        ("3月12号我说了什么", True),
        ("上周四都聊了些什么？", True),
        ("上周做了什么", True),
        ("what did I say on March 12?", True),
        ("上周三聊的报销", False),
        ("说了什么", False),
        ("what did we say about the budget last week", False),
    ],
)
def test_a_question_may_ask_for_nothing_but_a_day(question: str, alone: bool) -> None:
    assert asks_only_of_days(question) is alone
