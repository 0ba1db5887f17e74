"""Find the days and periods named in a question, in English and Chinese (DESIGN 10).

"On 5 May", "last spring", "two weeks ago", 昨天, 上周三, 五月三号: each becomes a span of days relative to ``now``.
Words that only look like a date ("what may you know") are ignored. What is said, and how, is in the file of a language.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from typing import Any

from alice_exp.kernel.text.bilingual_lexicon import DIGITS
from alice_exp.kernel.text.data_files import LazyPattern, Patterns, expression, table
from alice_exp.kernel.text.tokens import is_cjk
from alice_exp.kernel.value_class import dataclass

MOST_TEXT = 2_000
"""Characters of a question that are looked at."""

_ANY_DAY = date(2000, 1, 1)
_ASKING = LazyPattern(
    r"(?:说|聊|讲|谈|提到?|发生|干|做|忙|记)[了过的些]*|什么|啥|哪些|内容|对话|会话|事情?|那天|当天|时候|我们?|你们?|用户|[都有跟和的了过吗呢在些]"
    r"|\b(?:what|which|who|did|do|was|were|i|we|you|me|us|said|say|tell|told|talk|talked|discuss|discussed|mention|mentioned"
    r"|happened|done|doing|about|on|in|of|the|at|that|day|things?|conversations?)\b|[^\w]",
    re.IGNORECASE,
)
"""What a question that asks for whatever was said or done holds beside the day."""
_NUMERALS = DIGITS | {"〇": 0, "几": 3, "数": 3}

ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of days, [start, end), naive UTC.

    ``every_year``: no year was named, so the span matches in any year; ``start`` and ``end`` are the latest occurrence.
    """

    start: datetime
    end: datetime
    every_year: bool = False

    def covers(self, moment: datetime) -> bool:
        """Whether a moment (naive UTC) lies in the span; in any year if none was named."""
        if self.start <= moment < self.end:
            return True
        if not self.every_year:
            return False
        # Month and day are compared instead of moving the span into another year, where 29 February may not exist.
        first, last = _month_day(self.start), _month_day(self.end - ONE_DAY)
        day = _month_day(moment)
        return first <= day <= last if first <= last else day >= first or day <= last


def _month_day(moment: datetime) -> tuple[int, int]:
    return moment.month, moment.day


def span(first: date, after: date) -> Span:
    """The span [first, after)."""
    return Span(datetime(first.year, first.month, first.day), datetime(after.year, after.month, after.day))


def day(when: date) -> Span:
    """The span of one day."""
    return span(when, when + ONE_DAY)


def days(first: date, count: int) -> Span:
    """``count`` days from ``first`` on."""
    return span(first, first + ONE_DAY * count)


def month(year: int, number: int) -> Span:
    """A month of a year; numbers outside 1 to 12 carry over into neighbouring years."""
    year, number = year + (number - 1) // 12, (number - 1) % 12 + 1
    return days(date(year, number, 1), monthrange(year, number)[1])


def year(number: int) -> Span:
    """The span of a year."""
    return span(date(number, 1, 1), date(number + 1, 1, 1))


def season(number: int, first_month: int) -> Span:
    """The three-month season of a year that begins in ``first_month``; winter ends in the next year."""
    return span(date(number, first_month, 1), month(number, first_month + 3).start.date())


def calendar_day(number: int, month_: int, day_: int) -> Span | None:
    """The span of a date, or ``None`` if there is no such day (30 February)."""
    try:
        return day(date(number, month_, day_))
    except ValueError:
        return None


def latest_day(now: date, month_: int, day_: int) -> Span | None:
    """The latest such day up to now; looks back eight years, which covers every 29 February."""
    for number in range(now.year, now.year - 9, -1):
        found = calendar_day(number, month_, day_)
        if found is not None and found.start.date() <= now:
            return replace(found, every_year=True)
    return None


class _Language:
    """The forms of a language's file, and what each makes of a match, seen from today (None: no such day)."""

    def __init__(self, path: str) -> None:
        self.patterns = Patterns(path)
        self._path = path

    @cached_property
    def _tables(self) -> Mapping[str, Any]:
        return table(self._path)

    @cached_property
    def _forms(self) -> tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], Span | None]], ...]:
        """In the order they are tried; words that one matches are hidden from the next."""
        readers = {
            "month_day": self._month_day,
            "day_of_month": self._day_of_month,
            "month": self._month,
            "season": self._season,
            "year": lambda found, now: year(self._year(found["y"], now)),
            "relative": self._relative,
            "ago": self._ago,
            "before": self._before,
            "past": self._past,
            "weekday": self._weekday,
            "day_of_week": self._day_of_week,
            "holiday": self._holiday,
            "near": lambda found, now: day(now + ONE_DAY * self._tables["near"][found["t"]]),
        }
        forms = self._tables["forms"]
        return tuple(
            (re.compile(expression(self._path, one["says"])), readers[one["reads"]]) for one in forms
        )

    def read(self, text: str, today: date) -> tuple[list[tuple[slice, Span]], str]:
        """The spans with their words' places, and the text, in lower case, without these words."""
        # Lower-case only where the length stays the same, so that match positions are valid in the original text.
        rest = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
        found: list[tuple[slice, Span]] = []
        for form, reader in self._forms:
            for match in list(form.finditer(rest)):
                if not self._is_doubtful(match, text) and (span := reader(match, today)):
                    found.append((slice(*match.span()), span))
                    rest = rest[: match.start()] + " " * len(match.group()) + rest[match.end() :]
        return found, rest

    def _is_doubtful(self, found: re.Match[str], text: str) -> bool:
        """Whether a month's name may be the ordinary word ("3 may join", "the march of"), by case and context."""
        if found.groupdict().get("m") not in self._tables.get("doubtful", ()):
            return False
        if (
            text[found.start("m")].isupper()
            or found.groupdict().get("y")
            or self.patterns.sure.search(found[0])
        ):
            return False
        return not text[: found.start()].lower().endswith((" on ", " on the ", " from ", " until "))

    def _number(self, text: str) -> int:
        """A number in digits, one of the words ``counts``, or in Chinese numerals (几 counts as 3)."""
        counts = self._tables.get("counts", _NUMERALS)
        if text.isdigit() or text in counts:
            return int(counts.get(text, text))
        tens, ten, ones = text.replace("廿", "二十").partition("十")
        if ten:
            return int(counts.get(tens, 1) * 10 + counts.get(ones, 0))
        return int("".join(str(counts[char]) for char in text))

    def _year(self, text: str, now: date) -> int:
        if (step := self._tables.get("years", {}).get(text)) is not None:
            return int(now.year + step)
        number = self._number(text)
        return number if number > 99 else 2000 + number

    def _month_number(self, text: str) -> int:
        return self._tables["months"].get(text) or self._number(text)

    def _month_day(self, found: re.Match[str], now: date) -> Span | None:
        month, number = self._month_number(found["m"]), self._number(found["d"])
        if not found["y"]:
            return latest_day(now, month, number)
        return calendar_day(self._year(found["y"], now), month, number)

    def _day_of_month(self, found: re.Match[str], now: date) -> Span | None:
        """3号 without a month: the latest such day, up to two months back."""
        number = self._number(found["d"])
        months = (month(now.year, now.month - back).start for back in range(3))
        days = (calendar_day(first.year, first.month, number) for first in months)
        return next((day for day in days if day and day.start.date() <= now), None)

    def _month(self, found: re.Match[str], now: date) -> Span:
        """ "in June", "last June", "June 2023", "late June"."""
        number, groups = self._month_number(found["m"]), found.groupdict()
        how = groups.get("w")
        if groups.get("y"):
            whole = month(self._year(found["y"], now), number)
        elif how in ("last", "this", "next"):
            step = (how == "next" and number <= now.month) - (how == "last" and number >= now.month)
            whole = month(now.year + step, number)
        else:
            # The latest that has begun.
            whole = replace(month(now.year - (number > now.month), number), every_year=True)
        return self._third(whole, groups.get("p") or how)

    def _third(self, whole: Span, said: str | None) -> Span:
        """Of a month its first ten days (0), the next ten (1), the rest (2), or all of it."""
        part = self._tables["thirds"].get(said)
        if part is None:
            return whole
        first = whole.start.date() + ONE_DAY * 10 * part
        after = whole.end.date() if part == 2 else first + ONE_DAY * 10
        return replace(span(first, after), every_year=whole.every_year)

    def _season(self, found: re.Match[str], now: date) -> Span:
        first, groups = self._tables["seasons"][found["s"]], found.groupdict()
        if groups.get("y"):
            return season(self._year(found["y"], now), first)
        how = groups.get("w")
        if how in ("last", "past", "previous"):
            number = now.year
            while season(number, first).end.date() > now:
                number -= 1
            return season(number, first)
        if how in ("this", "next"):
            return season(now.year + (how == "next"), first)
        # The latest that has begun.
        return replace(season(now.year - (first > now.month), first), every_year=True)

    def _relative(self, found: re.Match[str], now: date) -> Span | None:
        """The week or its end, the month, a day or a third of it, or the year before, this or after."""
        step, unit, groups = self._tables["steps"][found["w"]], self._unit(found), found.groupdict()
        if unit == 365:
            return year(now.year + step)
        if unit == 7:
            monday = now + ONE_DAY * (7 * step - now.weekday())
            return days(monday + ONE_DAY * 5, 2) if groups["e"] else days(monday, 7)
        whole = month(now.year, now.month + step)
        if groups.get("d"):
            return calendar_day(whole.start.year, whole.start.month, self._number(found["d"]))
        return self._third(whole, groups.get("p"))

    def _unit(self, found: re.Match[str]) -> int:
        return int(self._tables["units"][found["u"]])

    def _ago(self, found: re.Match[str], now: date) -> Span:
        if found["n"] == "半":
            return month(now.year, now.month - 6)
        count, unit = self._number(found["n"]), self._unit(found)
        when = now - ONE_DAY * count * unit
        if unit == 1:
            return days(when - ONE_DAY * 2, 5) if found["n"] in self._tables["vague"] else day(when)
        if unit == 7:
            return days(when - ONE_DAY * 3, 7)
        return month(now.year, now.month - count) if unit == 30 else year(max(1, now.year - count))

    def _before(self, found: re.Match[str], now: date) -> Span:
        """前几天, 前两周: the period that ends before today."""
        length = self._number(found["n"]) * self._unit(found)
        reach = length + 2 if found["n"] == "几" else length
        return span(now - ONE_DAY * reach, now)

    def _past(self, found: re.Match[str], now: date) -> Span:
        """ "the last three weeks", 最近三天: the period up to and including today."""
        return span(now - ONE_DAY * self._number(found["n"]) * self._unit(found), now + ONE_DAY)

    def _weekday(self, found: re.Match[str], now: date) -> Span:
        """ "on Monday", "last Monday": the latest before today; "next Monday": the first after it."""
        ahead = self._tables["weekdays"].index(found["d"]) - now.weekday()
        if found["w"] == "next":
            return day(now + ONE_DAY * ((ahead - 1) % 7 + 1))
        return day(now + ONE_DAY * (ahead if found["w"] == "this" else ahead % 7 - 7))

    def _day_of_week(self, found: re.Match[str], now: date) -> Span:
        """上周一: a day of last week; 周一: the latest, which may be today."""
        ahead = self._tables["weekdays"].index(found["d"].replace("天", "日")) - now.weekday()
        step = self._tables["steps"][found["w"]] if found["w"] else -(ahead > 0)
        return day(now + ONE_DAY * (7 * step + ahead))

    def _holiday(self, found: re.Match[str], now: date) -> Span | None:
        month, number, length = (*self._tables["holidays"][found["h"]], 1)[:3]
        if found["y"]:
            first = calendar_day(self._year(found["y"], now), month, number)
        elif found.groupdict().get("w"):
            first = calendar_day(now.year - (date(now.year, month, number) >= now), month, number)
        else:
            first = latest_day(now, month, number)
        return first and replace(first, end=first.start + ONE_DAY * length)


_ENGLISH = _Language("kernel/text/data/dates_english.toml")
_CHINESE = _Language("kernel/text/data/dates_chinese.toml")


def day_of(moment: str | datetime) -> datetime:
    """A moment as naive UTC, from ISO-8601 text or a datetime (UTC if naive). Raises ``ValueError`` for other text."""
    known = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return known.astimezone(UTC).replace(tzinfo=None) if known.tzinfo else known


def named_days(text: str, now: str | datetime) -> list[tuple[str, Span]]:
    """The spans that a question names, each with its words, in order of appearance; empty if it names none.

    ``now`` is ISO-8601 text or a datetime. A day or month without a year means its latest occurrence and matches every
    year (``Span.every_year``). Weeks begin on Monday; seasons are those of the northern hemisphere.
    """
    found = sorted(_found(text, day_of(now).date())[0], key=lambda each: each[0].start)
    return [(text[at], span) for at, span in found]


def asks_only_of_days(question: str) -> bool:
    """Whether a question names days and asks for nothing but what was said or done then: 3月12号说了什么."""
    found, rest = _found(question, _ANY_DAY)
    return bool(found) and not _ASKING.sub("", rest).strip()


def _found(text: str, today: date) -> tuple[list[tuple[slice, Span]], str]:
    """The spans with their words' places, and the text without these words."""
    rest = text[:MOST_TEXT].replace("’", "'")
    found: list[tuple[slice, Span]] = []
    if any(map(is_cjk, rest)):
        found, rest = _CHINESE.read(rest, today)
    more, rest = _ENGLISH.read(rest, today)
    return found + more, rest
