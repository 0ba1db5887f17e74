"""Days and times that a Chinese question names (DESIGN 10)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date

from alice_exp.conversations.rules import date_spans as spans
from alice_exp.conversations.rules.date_spans import ONE_DAY, Span

Rule = tuple[re.Pattern[str], Callable[[re.Match[str], date], Span | None]]
"""A form of words, and the days it stands for, seen from today; ``None`` where the calendar has none."""

_DIGITS = {char: n for n, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "几": 3, "数": 3}
_N = r"(?:\d{1,3}|[一二两三四五六七八九十几数]{1,3})"
_Y = r"(?P<y>(?:19|20)?\d\d|[一二三四五六七八九零〇]{4}|今|去|前|明|大前)年的?"
_M = r"(?P<m>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九]|正|腊)月"
_D = (
    r"(?P<d>[12]\d|3[01]|0?[1-9]|二?十[一二三四五六七八九]?|三十一?|[一二三四五六七八九]"
    r"|廿[一二三四五六七八九]?)[日号號]"
)
_SEASONS = {"春": spans.SPRING, "夏": spans.SUMMER, "秋": spans.AUTUMN, "冬": spans.WINTER}
_HOLIDAYS = {
    "元旦": (1, 1),
    "情人节": (2, 14),
    "妇女节": (3, 8),
    "劳动节": (5, 1),
    "五一": (5, 1),
    "儿童节": (6, 1),
    "国庆": (10, 1),
    "万圣节": (10, 31),
    "双十一": (11, 11),
    "平安夜": (12, 24),
    "圣诞": (12, 25),
    "跨年": (12, 31),
}
_NEAR = {
    "大前天": -3, "前天": -2, "前晚": -2, "昨天": -1, "昨日": -1, "昨晚": -1, "昨夜": -1, "今天": 0, "今日": 0,
    "今早": 0, "今晚": 0, "明天": 1, "明日": 1, "明早": 1, "明晚": 1, "后天": 2, "大后天": 3,
}  # fmt: skip
_YEARS = {"今": 0, "去": -1, "前": -2, "大前": -3, "明": 1}
_WEEKDAY = r"(?P<d>[一二三四五六日天])"
_WEEK = r"(?:周|星期|礼拜|週)"
_STEPS = {
    "上上": -2,
    "上": -1,
    "这": 0,
    "本": 0,
    "这个": 0,
    "上个": -1,
    "下": 1,
    "下个": 1,
    "上上个": -2,
    "": 0,
}


def _number(text: str) -> int:
    """12, 十二, 二十, 三十一, 廿五, 几 (some: 3)."""
    if text.isdigit():
        return int(text)
    text = text.replace("廿", "二十")
    tens, ten, ones = text.partition("十")
    if ten:
        return (_DIGITS[tens] if tens else 1) * 10 + (_DIGITS[ones] if ones else 0)
    return _DIGITS[text] if len(text) == 1 else int("".join(str(_DIGITS[char]) for char in text))


def _year(text: str, now: date) -> int:
    if text in _YEARS:
        return now.year + _YEARS[text]
    number = _number(text)
    return number if number > 99 else 2000 + number


def _month(text: str) -> int:
    return {"正": 1, "腊": 12}.get(text) or _number(text)


def _month_day(found: re.Match[str], now: date) -> Span | None:
    month, number = _month(found["m"]), _number(found["d"])
    if not found["y"]:
        return spans.latest_day(now, month, number)
    when = spans.date_of(_year(found["y"], now), month, number)
    return spans.day(when) if when else None


_PARTS = {"初": 0, "上旬": 0, "中": 1, "中旬": 1, "底": 2, "末": 2, "下旬": 2}


def _named_month(found: re.Match[str], now: date) -> Span:
    number = _month(found["m"])
    whole = spans.month(_year(found["y"], now), number) if found["y"] else spans.latest_month(now, number)
    return spans.part_of_month(whole, _PARTS[found["p"]]) if found["p"] else whole


def _relative_month(found: re.Match[str], now: date) -> Span | None:
    whole = spans.month(now.year, now.month + _STEPS[found["w"]])
    if found["d"]:
        when = spans.date_of(whole.start.year, whole.start.month, _number(found["d"]))
        return spans.day(when) if when else None
    return spans.part_of_month(whole, _PARTS[found["p"]]) if found["p"] else whole


def _weekday(found: re.Match[str], now: date) -> Span:
    number = "一二三四五六日".index(found["d"].replace("天", "日"))
    if not found["w"]:
        return spans.day(now if number == now.weekday() else spans.weekday_before(now, number))
    return spans.day(now + ONE_DAY * (7 * _STEPS[found["w"]] + number - now.weekday()))


def _week(found: re.Match[str], now: date) -> Span:
    monday = now + ONE_DAY * (7 * _STEPS[found["w"]] - now.weekday())
    return spans.days(monday + ONE_DAY * 5, 2) if found["e"] else spans.week(monday)


def _ago(found: re.Match[str], now: date) -> Span:
    unit, said = found["u"], found["n"]
    if said == "半":
        return spans.months_before(now, 6)
    count = _number(said)
    if unit in ("天", "日"):
        when = now - ONE_DAY * count
        return spans.days(when - ONE_DAY * 2, 5) if said in ("几", "数") else spans.day(when)
    if unit in ("周", "星期", "礼拜"):
        return spans.weeks_before(now, count)
    return spans.months_before(now, count) if unit == "月" else spans.year(max(1, now.year - count))


def _past(found: re.Match[str], now: date) -> Span:
    """最近三天, 过去两周: up to today."""
    count = _number(found["n"]) * {"天": 1, "日": 1, "周": 7, "星期": 7, "月": 30, "年": 365}[found["u"]]
    return spans.span(now - ONE_DAY * count, now + ONE_DAY, "week" if count <= 31 else "month")


def _season(found: re.Match[str], now: date) -> Span:
    first = _SEASONS[found["s"]]
    return spans.season(_year(found["y"], now), first) if found["y"] else spans.latest_season(now, first)


def _holiday(found: re.Match[str], now: date) -> Span | None:
    month, number = _HOLIDAYS[found["h"]]
    length = 7 if found["h"] == "国庆" else 1
    first = spans.date_of(_year(found["y"], now), month, number) if found["y"] else None
    if first:
        return spans.days(first, length, "day")
    latest = spans.latest_day(now, month, number)
    return latest and replace(spans.days(latest.start.date(), length, "day"), every_year=True)


def _day_of_month(found: re.Match[str], now: date) -> Span | None:
    """3号 alone: the latest such day."""
    number = _number(found["d"])
    for back in range(3):
        whole = spans.months_before(now, back).start
        when = spans.date_of(whole.year, whole.month, number)
        if when and when <= now:
            return spans.day(when)
    return None


RULES: tuple[Rule, ...] = tuple(
    (re.compile(form), rule)
    for form, rule in (
        (rf"(?:{_Y})?{_M}{_D}", _month_day),
        (rf"(?:{_Y})?{_M}份?(?P<p>初|上旬|中旬|下旬|底|末)?(?!饼|亮|球|光)", _named_month),
        (rf"(?P<w>上上个?|上个?|这个?|本|下个?)月(?:{_D}|(?P<p>初|上旬|中旬|下旬|底|末))?", _relative_month),
        (rf"(?P<n>{_N}|半)(?:个)?(?P<u>天|日|周|星期|礼拜|月|年)(?:之|以)?前", _ago),
        (r"(?<!以)前(?P<n>几|两|三)(?P<u>天|周|年|个?月)(?!级)", lambda found, now: _ago_before(found, now)),
        (rf"(?:最近|过去|近|这)(?:的)?(?P<n>{_N})(?:个)?(?P<u>天|日|周|星期|月|年)", _past),
        (rf"(?P<w>上上个?|上个?|这个?|本|下个?|){_WEEK}{_WEEKDAY}(?!年)", _weekday),
        (rf"(?P<w>上上个?|上个?|这个?|本|下个?){_WEEK}(?P<e>末)?", _week),
        (rf"(?:{_Y})?(?P<s>[春夏秋冬])(?:天|季)", _season),
        (rf"{_Y}(?P<s>[春夏秋冬])", _season),
        (rf"(?:{_Y})?(?P<h>{'|'.join(_HOLIDAYS)})", _holiday),
        (
            r"(?P<t>" + "|".join(sorted(_NEAR, key=len, reverse=True)) + ")",
            lambda found, now: _near(found, now),
        ),
        (
            r"(?P<y>(?:19|20)\d\d|[一二][一二三四五六七八九零〇]{3}|今|去|前|明|大前)年",
            lambda found, now: _whole_year(found, now),
        ),
        (rf"(?<![第\d一二三四五六七八九十]){_D}(?!楼|线|门|房|机|球|店|文|馆)", _day_of_month),
    )
)
"""Forms of words in the order in which they are tried, on folded text; each takes its words away from the next."""


def _near(found: re.Match[str], now: date) -> Span:
    return spans.day(now + ONE_DAY * _NEAR[found["t"]])


def _whole_year(found: re.Match[str], now: date) -> Span:
    return spans.year(_year(found["y"], now))


def _ago_before(found: re.Match[str], now: date) -> Span:
    """前几天, 前两周: the days before today."""
    length = _number(found["n"]) * {"天": 1, "周": 7, "年": 365}.get(found["u"], 30)
    reach = length + 2 if found["n"] == "几" else length
    return spans.span(now - ONE_DAY * reach, now, "week" if length <= 31 else "month")
