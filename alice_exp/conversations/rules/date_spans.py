"""Spans of days: what a question's words for a time stand for (DESIGN 10)."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Literal

from alice_exp.kernel.text.data_files import expression, table

Precision = Literal["day", "week", "month", "season", "year"]

ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Span:
    """Days from ``start`` up to and without ``end``, UTC without a zone, and how exactly they were named.

    ``every_year``: no year was named; ``start`` and ``end`` are then the latest that had begun.
    """

    start: datetime
    end: datetime
    precision: Precision
    every_year: bool = False

    def covers(self, moment: datetime) -> bool:
        """Whether a moment (UTC without a zone) lies within, in any year where none was named."""
        if self.start <= moment < self.end:
            return True
        if not self.every_year:
            return False
        # Shifting the moment's day rather than the span keeps 29 February out of the arithmetic.
        first, last = _month_day(self.start), _month_day(self.end - ONE_DAY)
        day = _month_day(moment)
        return first <= day <= last if first <= last else day >= first or day <= last


def _month_day(moment: datetime) -> tuple[int, int]:
    return moment.month, moment.day


def span(first: date, after: date, precision: Precision) -> Span:
    """From one date up to and without another."""
    return Span(
        datetime(first.year, first.month, first.day), datetime(after.year, after.month, after.day), precision
    )


def day(when: date) -> Span:
    """One day."""
    return span(when, when + ONE_DAY, "day")


def days(first: date, count: int, precision: Precision = "week") -> Span:
    """So many days from one on."""
    return span(first, first + ONE_DAY * count, precision)


def week(when: date) -> Span:
    """The week of a day, Monday to Sunday."""
    return days(when - ONE_DAY * when.weekday(), 7)


def month(year: int, number: int) -> Span:
    """A month of a year; months beyond December and before January count on."""
    year, number = year + (number - 1) // 12, (number - 1) % 12 + 1
    return days(date(year, number, 1), monthrange(year, number)[1], "month")


def part_of_month(whole: Span, part: int) -> Span:
    """The first ten days (0), the next ten (1), the rest (2) of a month."""
    first = whole.start.date() + ONE_DAY * 10 * part
    after = whole.end.date() if part == 2 else first + ONE_DAY * 10
    return replace(span(first, after, "week"), every_year=whole.every_year)


def year(number: int) -> Span:
    """A year."""
    return span(date(number, 1, 1), date(number + 1, 1, 1), "year")


def season(number: int, first_month: int) -> Span:
    """The season of a year that begins in a month; winter ends in the next year."""
    end = month(number, first_month + 3).start.date()
    return span(date(number, first_month, 1), end, "season")


def date_of(number: int, month_: int, day_: int) -> date | None:
    """A date, or ``None`` where the calendar has none."""
    try:
        return date(number, month_, day_)
    except ValueError:
        return None


def latest_day(now: date, month_: int, day_: int) -> Span | None:
    """The latest such day up to now, in whatever year it was."""
    for number in range(now.year, now.year - 9, -1):
        found = date_of(number, month_, day_)
        if found is not None and found <= now:
            return replace(day(found), every_year=True)
    return None


def latest_month(now: date, number: int) -> Span:
    """The latest such month that has begun, in whatever year it was."""
    return replace(month(now.year - (number > now.month), number), every_year=True)


def latest_season(now: date, first_month: int) -> Span:
    """The latest such season that has begun, in whatever year it was."""
    return replace(season(now.year - (first_month > now.month), first_month), every_year=True)


def last_season(now: date, first_month: int) -> Span:
    """The latest such season that is over."""
    number = now.year
    while season(number, first_month).end.date() > now:
        number -= 1
    return season(number, first_month)


def weekday_before(now: date, weekday: int) -> date:
    """The latest such weekday (0 Monday) before today."""
    return now - ONE_DAY * ((now.weekday() - weekday - 1) % 7 + 1)


def months_before(now: date, count: int) -> Span:
    """The calendar month so many months ago."""
    return month(now.year, now.month - count)


def weeks_before(now: date, count: int) -> Span:
    """The seven days around the day so many weeks ago."""
    return days(now - ONE_DAY * (7 * count + 3), 7)


def ago(now: date, count: int, unit: int, vague: bool) -> Span:
    """So many units before today, a unit by its days: 1, 7, 30 (a month) or 365 (a year)."""
    if unit == 1:
        when = now - ONE_DAY * count
        return days(when - ONE_DAY * 2, 5) if vague else day(when)
    if unit == 7:
        return weeks_before(now, count)
    return months_before(now, count) if unit == 30 else year(max(1, now.year - count))


def past(now: date, count: int) -> Span:
    """The last so many days, with today."""
    return span(now - ONE_DAY * count, now + ONE_DAY, "week" if count <= 31 else "month")


# ------------------------------------------------------------------------------------------ words for them

Reader = Callable[[re.Match[str], date], Span | None]
"""Makes of words that were found the days they stand for, seen from today; ``None`` where the calendar has none."""

Rule = tuple[re.Pattern[str], Reader]


def rules_of(path: str, readers: Mapping[str, Reader]) -> tuple[Rule, ...]:
    """The forms of words of a language's file, in the order in which they are tried, each with its reader."""
    forms = table(path)["forms"]
    return tuple((re.compile(expression(path, form["says"])), readers[form["reads"]]) for form in forms)
