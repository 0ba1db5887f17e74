"""Find the days and periods named in a question, in English and Chinese (DESIGN 10).

"On 5 May", "last spring", "two weeks ago", 昨天, 上周三, 五月三号: each becomes a span of days relative to ``now``.
Words that only look like a date ("what may you know") are ignored. What is said, and how, is in the file of a language.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import cached_property

from alice_exp.kernel.text import date_spans
from alice_exp.kernel.text.bilingual_lexicon import DIGITS
from alice_exp.kernel.text.data_files import Patterns, expression, table
from alice_exp.kernel.text.date_spans import ONE_DAY, Span

MOST_TEXT = 2_000
"""Characters of a question that are looked at."""

_ANY_DAY = date(2000, 1, 1)
_ASKING = re.compile(
    r"(?:说|聊|讲|谈|提到?|发生|干|做|忙|记)[了过的些]*|什么|啥|哪些|内容|对话|会话|事情?|那天|当天|时候|我们?|你们?|用户|[都有跟和的了过吗呢在些]"
    r"|\b(?:what|which|who|did|do|was|were|i|we|you|me|us|said|say|tell|told|talk|talked|discuss|discussed|mention|mentioned"
    r"|happened|done|doing|about|on|in|of|the|at|that|day|things?|conversations?)\b|[^\w]",
    re.IGNORECASE,
)
"""What a question that asks for whatever was said or done holds beside the day."""
_CJK = re.compile("[\u3400-\u9fff]")
_NUMERALS = DIGITS | {"〇": 0, "几": 3, "数": 3}


class _Language:
    """The forms of a language's file, and what each makes of a match, seen from today (None: no such day)."""

    def __init__(self, path: str) -> None:
        self.patterns = Patterns(path)
        self._path = path
        self._tables = table(path)

    @cached_property
    def _forms(self) -> tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], Span | None]], ...]:
        """In the order they are tried; words that one matches are hidden from the next."""
        readers = {
            "month_day": self._month_day,
            "day_of_month": self._day_of_month,
            "month": self._month,
            "season": self._season,
            "year": lambda found, now: date_spans.year(self._year(found["y"], now)),
            "relative": self._relative,
            "ago": self._ago,
            "before": self._before,
            "past": self._past,
            "weekday": self._weekday,
            "day_of_week": self._day_of_week,
            "holiday": self._holiday,
            "near": lambda found, now: date_spans.day(now + ONE_DAY * self._tables["near"][found["t"]]),
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
                span = None if self._is_doubtful(match, text) else reader(match, today)
                if span is not None:
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
            return date_spans.latest_day(now, month, number)
        return date_spans.calendar_day(self._year(found["y"], now), month, number)

    def _day_of_month(self, found: re.Match[str], now: date) -> Span | None:
        """3号 without a month: the latest such day, up to two months back."""
        number = self._number(found["d"])
        months = (date_spans.month(now.year, now.month - back).start for back in range(3))
        days = (date_spans.calendar_day(first.year, first.month, number) for first in months)
        return next((day for day in days if day and day.start.date() <= now), None)

    def _month(self, found: re.Match[str], now: date) -> Span:
        """ "in June", "last June", "June 2023", "late June"."""
        number, groups = self._month_number(found["m"]), found.groupdict()
        how = groups.get("w")
        if groups.get("y"):
            whole = date_spans.month(self._year(found["y"], now), number)
        elif how in ("last", "this", "next"):
            step = (how == "next" and number <= now.month) - (how == "last" and number >= now.month)
            whole = date_spans.month(now.year + step, number)
        else:
            whole = date_spans.latest_month(now, number)
        return self._third(whole, groups.get("p") or how)

    def _third(self, month: Span, said: str | None) -> Span:
        part = self._tables["thirds"].get(said)
        return month if part is None else date_spans.part_of_month(month, part)

    def _season(self, found: re.Match[str], now: date) -> Span:
        first, groups = self._tables["seasons"][found["s"]], found.groupdict()
        if groups.get("y"):
            return date_spans.season(self._year(found["y"], now), first)
        how = groups.get("w")
        if how in ("last", "past", "previous"):
            return date_spans.last_season(now, first)
        if how in ("this", "next"):
            return date_spans.season(now.year + (how == "next"), first)
        return date_spans.latest_season(now, first)

    def _relative(self, found: re.Match[str], now: date) -> Span | None:
        """The week or its end, the month, a day or a third of it, or the year before, this or after."""
        step, unit, groups = self._tables["steps"][found["w"]], self._unit(found), found.groupdict()
        if unit == 365:
            return date_spans.year(now.year + step)
        if unit == 7:
            whole = date_spans.week(now + ONE_DAY * 7 * step)
            return date_spans.days(whole.start + ONE_DAY * 5, 2) if groups["e"] else whole
        whole = date_spans.month(now.year, now.month + step)
        if groups.get("d"):
            return date_spans.calendar_day(whole.start.year, whole.start.month, self._number(found["d"]))
        return self._third(whole, groups.get("p"))

    def _unit(self, found: re.Match[str]) -> int:
        return int(self._tables["units"][found["u"]])

    def _ago(self, found: re.Match[str], now: date) -> Span:
        if found["n"] == "半":
            return date_spans.month(now.year, now.month - 6)
        is_vague = found["n"] in self._tables["vague"]
        return date_spans.ago(now, self._number(found["n"]), self._unit(found), is_vague)

    def _before(self, found: re.Match[str], now: date) -> Span:
        """前几天, 前两周: the period that ends before today."""
        length = self._number(found["n"]) * self._unit(found)
        reach = length + 2 if found["n"] == "几" else length
        return date_spans.span(now - ONE_DAY * reach, now, "week" if length <= 31 else "month")

    def _past(self, found: re.Match[str], now: date) -> Span:
        """ "the last three weeks", 最近三天: the period up to and including today."""
        length = self._number(found["n"]) * self._unit(found)
        return date_spans.span(now - ONE_DAY * length, now + ONE_DAY, "week" if length <= 31 else "month")

    def _weekday(self, found: re.Match[str], now: date) -> Span:
        """ "on Monday", "last Monday": the latest before today; "next Monday": the first after it."""
        ahead = self._tables["weekdays"].index(found["d"]) - now.weekday()
        if found["w"] == "next":
            return date_spans.day(now + ONE_DAY * ((ahead - 1) % 7 + 1))
        return date_spans.day(now + ONE_DAY * (ahead if found["w"] == "this" else ahead % 7 - 7))

    def _day_of_week(self, found: re.Match[str], now: date) -> Span:
        """上周一: a day of last week; 周一: the latest, which may be today."""
        ahead = self._tables["weekdays"].index(found["d"].replace("天", "日")) - now.weekday()
        step = self._tables["steps"][found["w"]] if found["w"] else -(ahead > 0)
        return date_spans.day(now + ONE_DAY * (7 * step + ahead))

    def _holiday(self, found: re.Match[str], now: date) -> Span | None:
        month, number, length = (*self._tables["holidays"][found["h"]], 1)[:3]
        if found["y"]:
            first = date_spans.calendar_day(self._year(found["y"], now), month, number)
        elif found.groupdict().get("w"):
            first = date_spans.calendar_day(now.year - (date(now.year, month, number) >= now), month, number)
        else:
            first = date_spans.latest_day(now, month, number)
        return first and replace(first, end=first.start + ONE_DAY * length)


_ENGLISH = _Language("kernel/text/data/dates_english.toml")
_CHINESE = _Language("kernel/text/data/dates_chinese.toml")


def day_of(moment: str | datetime) -> datetime:
    """A moment as naive UTC, from ISO-8601 text or a datetime (UTC if naive). Raises ``ValueError`` for other text."""
    known = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return known.astimezone(UTC).replace(tzinfo=None) if known.tzinfo else known


def named_spans(text: str, now: str | datetime) -> list[Span]:
    """The spans that a question names, see ``named_days``."""
    return [span for _, span in named_days(text, now)]


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
    if _CJK.search(rest):
        found, rest = _CHINESE.read(rest, today)
    more, rest = _ENGLISH.read(rest, today)
    return found + more, rest
