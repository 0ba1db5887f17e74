"""Read the days and periods named in a Chinese question (DESIGN 10)."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from functools import cache

from alice_exp.kernel.text import date_spans
from alice_exp.kernel.text.data_files import Patterns, table
from alice_exp.kernel.text.date_spans import ONE_DAY, Rule, Span

_FILE = "kernel/text/data/dates_chinese.toml"
_TABLES = table(_FILE)
PATTERNS = Patterns(_FILE)
_DIGITS = {char: n for n, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "几": 3, "数": 3}


def _number(text: str) -> int:
    """A number in digits or Chinese numerals: 12, 十二, 二十, 三十一, 廿五; 几 (a few) counts as 3."""
    if text.isdigit():
        return int(text)
    text = text.replace("廿", "二十")
    tens, ten, ones = text.partition("十")
    if ten:
        return (_DIGITS[tens] if tens else 1) * 10 + (_DIGITS[ones] if ones else 0)
    return _DIGITS[text] if len(text) == 1 else int("".join(str(_DIGITS[char]) for char in text))


def _year(text: str, now: date) -> int:
    step: int | None = _TABLES["years"].get(text)
    if step is not None:
        return now.year + step
    number = _number(text)
    return number if number > 99 else 2000 + number


def _month(text: str) -> int:
    named: int | None = _TABLES["months"].get(text)
    return named or _number(text)


def _month_day(found: re.Match[str], now: date) -> Span | None:
    month, number = _month(found["m"]), _number(found["d"])
    if not found["y"]:
        return date_spans.latest_day(now, month, number)
    when = date_spans.date_of(_year(found["y"], now), month, number)
    return date_spans.day(when) if when else None


def _named_month(found: re.Match[str], now: date) -> Span:
    number = _month(found["m"])
    whole = (
        date_spans.month(_year(found["y"], now), number)
        if found["y"]
        else date_spans.latest_month(now, number)
    )
    return date_spans.part_of_month(whole, _TABLES["thirds"][found["p"]]) if found["p"] else whole


def _relative_month(found: re.Match[str], now: date) -> Span | None:
    whole = date_spans.month(now.year, now.month + _TABLES["steps"][found["w"]])
    if found["d"]:
        when = date_spans.date_of(whole.start.year, whole.start.month, _number(found["d"]))
        return date_spans.day(when) if when else None
    return date_spans.part_of_month(whole, _TABLES["thirds"][found["p"]]) if found["p"] else whole


def _weekday(found: re.Match[str], now: date) -> Span:
    number = "一二三四五六日".index(found["d"].replace("天", "日"))
    if not found["w"]:
        return date_spans.day(now if number == now.weekday() else date_spans.weekday_before(now, number))
    return date_spans.day(now + ONE_DAY * (7 * _TABLES["steps"][found["w"]] + number - now.weekday()))


def _week(found: re.Match[str], now: date) -> Span:
    monday = now + ONE_DAY * (7 * _TABLES["steps"][found["w"]] - now.weekday())
    return date_spans.days(monday + ONE_DAY * 5, 2) if found["e"] else date_spans.week(monday)


def _ago(found: re.Match[str], now: date) -> Span:
    said = found["n"]
    if said == "半":
        return date_spans.months_before(now, 6)
    return date_spans.ago(now, _number(said), _TABLES["units"][found["u"]], said in _TABLES["vague"])


def _past(found: re.Match[str], now: date) -> Span:
    """最近三天, 过去两周: the period up to and including today."""
    return date_spans.past(now, _number(found["n"]) * _TABLES["units"][found["u"]])


def _season(found: re.Match[str], now: date) -> Span:
    first = _TABLES["seasons"][found["s"]]
    return (
        date_spans.season(_year(found["y"], now), first)
        if found["y"]
        else date_spans.latest_season(now, first)
    )


def _holiday(found: re.Match[str], now: date) -> Span | None:
    month, number, length = (*_TABLES["holidays"][found["h"]], 1)[:3]
    first = date_spans.date_of(_year(found["y"], now), month, number) if found["y"] else None
    if first:
        return date_spans.days(first, length, "day")
    latest = date_spans.latest_day(now, month, number)
    return latest and replace(date_spans.days(latest.start.date(), length, "day"), every_year=True)


def _day_of_month(found: re.Match[str], now: date) -> Span | None:
    """3号 without a month: the latest such day, up to two months back."""
    number = _number(found["d"])
    for back in range(3):
        whole = date_spans.months_before(now, back).start
        when = date_spans.date_of(whole.year, whole.month, number)
        if when and when <= now:
            return date_spans.day(when)
    return None


def _near(found: re.Match[str], now: date) -> Span:
    return date_spans.day(now + ONE_DAY * _TABLES["near"][found["t"]])


def _whole_year(found: re.Match[str], now: date) -> Span:
    return date_spans.year(_year(found["y"], now))


def _ago_before(found: re.Match[str], now: date) -> Span:
    """前几天, 前两周: the period that ends before today."""
    length = _number(found["n"]) * _TABLES["units"][found["u"]]
    reach = length + 2 if found["n"] == "几" else length
    return date_spans.span(now - ONE_DAY * reach, now, "week" if length <= 31 else "month")


@cache
def rules() -> tuple[Rule, ...]:
    """The rules in the order they are tried, on folded text; words one rule matches are hidden from the next."""
    readers = {
        "month_day": _month_day,
        "month": _named_month,
        "relative_month": _relative_month,
        "ago": _ago,
        "before": _ago_before,
        "past": _past,
        "weekday": _weekday,
        "week": _week,
        "season": _season,
        "holiday": _holiday,
        "near": _near,
        "year": _whole_year,
        "day_of_month": _day_of_month,
    }
    return date_spans.rules_of(_FILE, readers)
