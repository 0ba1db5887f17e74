"""Read the days and periods named in an English question (DESIGN 10)."""

from __future__ import annotations

import re
from datetime import date
from functools import cache

from alice_exp.kernel.text import date_spans
from alice_exp.kernel.text.data_files import Patterns, table
from alice_exp.kernel.text.date_spans import ONE_DAY, Rule, Span

_FILE = "kernel/text/data/dates_english.toml"
_TABLES = table(_FILE)
PATTERNS = Patterns(_FILE)


def _of_date(number: int, month: str, day: str) -> Span | None:
    found = date_spans.date_of(number, _TABLES["months"][month], int(day))
    return date_spans.day(found) if found else None


def _month_day(found: re.Match[str], now: date) -> Span | None:
    if found["y"]:
        return _of_date(int(found["y"]), found["m"], found["d"])
    return date_spans.latest_day(now, _TABLES["months"][found["m"]], int(found["d"]))


def _numbers(found: re.Match[str], _: date) -> Span | None:
    when = date_spans.date_of(int(found["y"]), int(found["m"]), int(found["d"]))
    return date_spans.day(when) if when else None


def _named_month(found: re.Match[str], now: date) -> Span:
    """ "in June", "last June", "June 2023", "late June"."""
    number, groups = _TABLES["months"][found["m"]], found.groupdict()
    how = groups.get("w") or ""
    if groups.get("y"):
        whole = date_spans.month(int(found["y"]), number)
    elif how == "last":
        whole = date_spans.month(now.year - (number >= now.month), number)
    elif how == "next":
        whole = date_spans.month(now.year + (number <= now.month), number)
    elif how == "this":
        whole = date_spans.month(now.year, number)
    else:
        whole = date_spans.latest_month(now, number)
    part = _TABLES["thirds"].get(groups.get("p") or how)
    return whole if part is None else date_spans.part_of_month(whole, part)


def _named_season(found: re.Match[str], now: date) -> Span:
    first, groups = _TABLES["seasons"][found["s"]], found.groupdict()
    if groups.get("y"):
        return date_spans.season(int(found["y"]), first)
    how = groups.get("w") or ""
    if how in ("last", "past", "previous"):
        return date_spans.last_season(now, first)
    if how in ("this", "next"):
        return date_spans.season(now.year + (how == "next"), first)
    return date_spans.latest_season(now, first)


def _count(word: str) -> int:
    return int(word) if word.isdigit() else int(_TABLES["counts"][word])


def _ago(found: re.Match[str], now: date) -> Span:
    word = found["n"]
    return date_spans.ago(now, _count(word), _TABLES["units"][found["u"]], word in _TABLES["vague"])


def _past(found: re.Match[str], now: date) -> Span:
    """ "the last three weeks": the period up to and including today."""
    return date_spans.past(now, _count(found["n"]) * _TABLES["units"][found["u"]])


def _relative(found: re.Match[str], now: date) -> Span:
    """Last, this or next week, month, year or weekend."""
    step = _TABLES["steps"][found["w"]]
    unit = found["u"]
    if unit == "week":
        return date_spans.week(now + ONE_DAY * 7 * step)
    if unit == "month":
        return date_spans.month(now.year, now.month + step)
    if unit == "year":
        return date_spans.year(now.year + step)
    monday = now - ONE_DAY * now.weekday() + ONE_DAY * 7 * step
    return date_spans.days(monday + ONE_DAY * 5, 2)


def _weekday(found: re.Match[str], now: date) -> Span:
    number = _TABLES["weekdays"].index(found["d"])
    if found["w"] == "next":
        return date_spans.day(now + ONE_DAY * ((number - now.weekday() - 1) % 7 + 1))
    if found["w"] == "this":
        return date_spans.day(now + ONE_DAY * (number - now.weekday()))
    return date_spans.day(date_spans.weekday_before(now, number))


def _near(found: re.Match[str], now: date) -> Span:
    return date_spans.day(now + ONE_DAY * _TABLES["near"][found["t"]])


def _holiday(found: re.Match[str], now: date) -> Span | None:
    month, number = _TABLES["holidays"][found["h"]]
    if found["w"] == "last":
        when = date_spans.date_of(now.year, month, number)
        return date_spans.day(when if when and when < now else date(now.year - 1, month, number))
    made = date_spans.latest_day(now, month, number)
    if found["y"]:
        return date_spans.day(date(int(found["y"]), month, number))
    return made


def _whole_year(found: re.Match[str], _: date) -> Span:
    return date_spans.year(int(found["y"]))


@cache
def rules() -> tuple[Rule, ...]:
    """The rules in the order they are tried, on folded text; words one rule matches are hidden from the next."""
    readers = {
        "numbers": _numbers,
        "month_day": _month_day,
        "near": _near,
        "ago": _ago,
        "past": _past,
        "relative": _relative,
        "season": _named_season,
        "month": _named_month,
        "weekday": _weekday,
        "holiday": _holiday,
        "year": _whole_year,
    }
    return date_spans.rules_of(_FILE, readers)


def is_doubtful(found: re.Match[str], text: str) -> bool:
    """Whether a month's name may be the ordinary word ("3 may join", "the march of"), judged by case and context."""
    if found.groupdict().get("m") not in _TABLES["doubtful"]:
        return False
    if text[found.start("m")].isupper() or found.groupdict().get("y") or PATTERNS.sure.search(found.group()):
        return False
    return not text[: found.start()].lower().endswith((" on ", " on the ", " from ", " until "))
