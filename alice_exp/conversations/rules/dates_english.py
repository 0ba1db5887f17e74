"""Days and times that an English question names (DESIGN 10)."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from alice_exp.conversations.rules import date_spans as spans
from alice_exp.conversations.rules.date_spans import ONE_DAY, Span

Rule = tuple[re.Pattern[str], Callable[[re.Match[str], date], Span | None]]
"""A form of words, and the days it stands for, seen from today; ``None`` where the calendar has none."""

_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_NUMBER_OF = {name[:length]: n for n, name in enumerate(_MONTHS, 1) for length in (3, len(name))} | {
    "sept": 9
}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SEASONS = {
    "spring": spans.SPRING,
    "summer": spans.SUMMER,
    "autumn": spans.AUTUMN,
    "fall": spans.AUTUMN,
    "winter": spans.WINTER,
}
_COUNTS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "a": 1, "an": 1, "couple": 2, "few": 3, "several": 3,
}  # fmt: skip
_HOLIDAYS = {
    "christmas eve": (12, 24),
    "christmas": (12, 25),
    "boxing day": (12, 26),
    "new year's eve": (12, 31),
    "new year's": (1, 1),
    "halloween": (10, 31),
    "valentine's": (2, 14),
    "independence day": (7, 4),
    "fourth of july": (7, 4),
}
_M = r"(?P<m>" + "|".join(sorted(_NUMBER_OF, key=len, reverse=True)) + r")\b\.?"
_D = r"(?P<d>\d{1,2})(?:st|nd|rd|th)?"
_Y = r"(?P<y>(?:19|20)\d\d)"
_COUNT = r"(?P<n>\d{1,3}|" + "|".join(_COUNTS) + r")(?: of)?"
_BEFORE = (
    r"\b(?P<w>in|during|since|until|till|by|throughout|around|last|this|next|early|mid"
    r"|late|end of|beginning of|start of|before|after|from|to|of|back in|for)(?: the)?[ -]"
    r"(?:(?P<p>early|mid|late)[ -])?"
)


def _of_date(number: int, month: str, day: str) -> Span | None:
    found = spans.date_of(number, _NUMBER_OF[month], int(day))
    return spans.day(found) if found else None


def _month_day(found: re.Match[str], now: date) -> Span | None:
    if found["y"]:
        return _of_date(int(found["y"]), found["m"], found["d"])
    return spans.latest_day(now, _NUMBER_OF[found["m"]], int(found["d"]))


def _numbers(found: re.Match[str], _: date) -> Span | None:
    when = spans.date_of(int(found["y"]), int(found["m"]), int(found["d"]))
    return spans.day(when) if when else None


_PARTS = {"early": 0, "beginning of": 0, "start of": 0, "mid": 1, "late": 2, "end of": 2}


def _named_month(found: re.Match[str], now: date) -> Span:
    """ "in June", "last June", "June 2023", "late June"."""
    number, groups = _NUMBER_OF[found["m"]], found.groupdict()
    how = groups.get("w") or ""
    if groups.get("y"):
        whole = spans.month(int(found["y"]), number)
    elif how == "last":
        whole = spans.month(now.year - (number >= now.month), number)
    elif how == "next":
        whole = spans.month(now.year + (number <= now.month), number)
    elif how == "this":
        whole = spans.month(now.year, number)
    else:
        whole = spans.latest_month(now, number)
    part = _PARTS.get(groups.get("p") or how)
    return whole if part is None else spans.part_of_month(whole, part)


def _named_season(found: re.Match[str], now: date) -> Span:
    first, groups = _SEASONS[found["s"]], found.groupdict()
    if groups.get("y"):
        return spans.season(int(found["y"]), first)
    how = groups.get("w") or ""
    if how in ("last", "past", "previous"):
        return spans.last_season(now, first)
    if how in ("this", "next"):
        return spans.season(now.year + (how == "next"), first)
    return spans.latest_season(now, first)


def _ago(found: re.Match[str], now: date) -> Span:
    word = found["n"]
    count, unit = int(word) if word.isdigit() else _COUNTS[word], found["u"]
    vague = word in ("few", "several", "couple")
    if unit == "day":
        when = now - ONE_DAY * count
        return spans.days(when - ONE_DAY * 2, 5) if vague else spans.day(when)
    if unit == "week":
        return spans.weeks_before(now, count)
    if unit == "month":
        return spans.months_before(now, count)
    return spans.year(max(1, now.year - count))


def _past(found: re.Match[str], now: date) -> Span:
    """ "the last three weeks", up to today."""
    word = found["n"] or "few"
    count = (int(word) if word.isdigit() else _COUNTS[word]) * {
        "day": 1,
        "week": 7,
        "month": 30,
        "year": 365,
    }[found["u"]]
    return spans.span(now - ONE_DAY * count, now + ONE_DAY, "week" if count <= 31 else "month")


def _relative(found: re.Match[str], now: date) -> Span:
    """last, this and next week, month, year, weekend."""
    step = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1}[found["w"]]
    unit = found["u"]
    if unit == "week":
        return spans.week(now + ONE_DAY * 7 * step)
    if unit == "month":
        return spans.month(now.year, now.month + step)
    if unit == "year":
        return spans.year(now.year + step)
    monday = now - ONE_DAY * now.weekday() + ONE_DAY * 7 * step
    return spans.days(monday + ONE_DAY * 5, 2)


def _weekday(found: re.Match[str], now: date) -> Span:
    number = _WEEKDAYS.index(found["d"])
    if found["w"] == "next":
        return spans.day(now + ONE_DAY * ((number - now.weekday() - 1) % 7 + 1))
    if found["w"] == "this":
        return spans.day(now + ONE_DAY * (number - now.weekday()))
    return spans.day(spans.weekday_before(now, number))


def _near(offset: int) -> Callable[[re.Match[str], date], Span]:
    return lambda _, now: spans.day(now + ONE_DAY * offset)


def _holiday(found: re.Match[str], now: date) -> Span | None:
    month, number = _HOLIDAYS[found["h"]]
    if found["w"] == "last":
        when = spans.date_of(now.year, month, number)
        return spans.day(when if when and when < now else date(now.year - 1, month, number))
    made = spans.latest_day(now, month, number)
    if found["y"]:
        return spans.day(date(int(found["y"]), month, number))
    return made


_YEAR_WORDS = (
    r"\b(?:in|during|since|of|year|from|until|before|after|throughout|back in|summer|by|late|early|mid)[ -]"
    + _Y
    + r"\b"
)

RULES: tuple[Rule, ...] = tuple(
    (re.compile(form), rule)
    for form, rule in (
        (r"\b(?P<y>(?:19|20)\d\d)[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})\b", _numbers),
        (r"\b(?P<m>\d{1,2})/(?P<d>\d{1,2})/(?P<y>(?:19|20)\d\d)\b", _numbers),
        (rf"\b(?:the )?{_D}(?: of)?,? {_M}(?:,? {_Y}\b)?", _month_day),
        (rf"\b{_M} (?:the )?{_D}\b(?! (?:days|weeks|months|years|people|times))(?:,? {_Y}\b)?", _month_day),
        (r"\bthe day before yesterday\b", _near(-2)),
        (r"\byesterday\b|\blast night\b", _near(-1)),
        (r"\b(?:today|tonight|this (?:morning|afternoon|evening))\b", _near(0)),
        (r"\btomorrow\b", _near(1)),
        (rf"\b(?:a )?{_COUNT} (?P<u>day|week|month|year)s? (?:ago|back|earlier)\b", _ago),
        (rf"\b(?:the |these )?(?:last|past) (?:{_COUNT} )(?P<u>day|week|month|year)s?\b", _past),
        (r"\b(?P<w>last|past|this|next|previous) (?P<u>weekend|week|month|year)\b(?! old)", _relative),
        (rf"\b(?:the )?(?P<w>last|this|next|past|previous) (?P<s>{'|'.join(_SEASONS)})\b", _named_season),
        (rf"\b(?P<s>{'|'.join(_SEASONS)})(?: of)? {_Y}\b", _named_season),
        (
            rf"\b(?:in|during|over|since|every) (?:the )?(?:early |late )?(?P<s>{'|'.join(_SEASONS)})\b"
            r"(?! (?:into|in love|for|off|apart))",
            _named_season,
        ),
        (rf"\b(?:(?P<p>early|mid|late)[ -])?{_M},? (?:of )?{_Y}\b", _named_month),
        (rf"{_BEFORE}{_M}(?!\w)", _named_month),
        (
            r"(?<!\d )\b(?:(?P<p>early|mid|late)[ -])?"
            r"(?P<m>january|february|july|september|october|november|december)\b",
            _named_month,
        ),
        (
            rf"\b(?:(?P<w>last|this|next|on|past|since|by|until) )?(?P<d>{'|'.join(_WEEKDAYS)})\b(?!s)",
            _weekday,
        ),
        (rf"\b(?:(?P<w>last) )?(?P<h>{'|'.join(_HOLIDAYS)})(?: day)?(?: (?:in |of )?{_Y})?\b", _holiday),
        (_YEAR_WORDS, lambda found, _: spans.year(int(found["y"]))),
    )
)
"""Forms of words in the order in which they are tried, on folded text; each takes its words away from the next."""

_SURE = re.compile(r"\d(?:st|nd|rd|th)\b|\b(?:in|during|last|this|next|since) (?:the )?(?:may|march)\b")


def is_doubtful(found: re.Match[str], text: str) -> bool:
    """Whether a month's name may be the word instead ("3 may join", "the march of"), by how the text writes it."""
    if found.groupdict().get("m") not in ("may", "march", "mar"):
        return False
    if text[found.start("m")].isupper() or found.groupdict().get("y") or _SURE.search(found.group()):
        return False
    return not text[: found.start()].lower().endswith((" on ", " on the ", " from ", " until "))
