"""Spans of days and the calendar arithmetic that makes them (DESIGN 10)."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Literal

from alice_exp.kernel.value_class import dataclass

Precision = Literal["day", "week", "month", "season", "year"]

ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of days, [start, end), naive UTC, and how precisely it was named.

    ``every_year``: no year was named, so the span matches in any year; ``start`` and ``end`` are the latest occurrence.
    """

    start: datetime
    end: datetime
    precision: Precision
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


def span(first: date, after: date, precision: Precision) -> Span:
    """The span [first, after)."""
    return Span(
        datetime(first.year, first.month, first.day), datetime(after.year, after.month, after.day), precision
    )


def day(when: date) -> Span:
    """The span of one day."""
    return span(when, when + ONE_DAY, "day")


def days(first: date, count: int, precision: Precision = "week") -> Span:
    """``count`` days from ``first`` on."""
    return span(first, first + ONE_DAY * count, precision)


def week(when: date) -> Span:
    """The week that contains a day, Monday to Sunday."""
    return days(when - ONE_DAY * when.weekday(), 7)


def month(year: int, number: int) -> Span:
    """A month of a year; numbers outside 1 to 12 carry over into neighbouring years."""
    year, number = year + (number - 1) // 12, (number - 1) % 12 + 1
    return days(date(year, number, 1), monthrange(year, number)[1], "month")


def part_of_month(whole: Span, part: int) -> Span:
    """A third of a month: its first ten days (0), the next ten (1), the rest (2)."""
    first = whole.start.date() + ONE_DAY * 10 * part
    after = whole.end.date() if part == 2 else first + ONE_DAY * 10
    return replace(span(first, after, "week"), every_year=whole.every_year)


def year(number: int) -> Span:
    """The span of a year."""
    return span(date(number, 1, 1), date(number + 1, 1, 1), "year")


def season(number: int, first_month: int) -> Span:
    """The three-month season of a year that begins in ``first_month``; winter ends in the next year."""
    end = month(number, first_month + 3).start.date()
    return span(date(number, first_month, 1), end, "season")


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


def latest_month(now: date, number: int) -> Span:
    """The latest such month that has begun."""
    return replace(month(now.year - (number > now.month), number), every_year=True)


def latest_season(now: date, first_month: int) -> Span:
    """The latest such season that has begun."""
    return replace(season(now.year - (first_month > now.month), first_month), every_year=True)


def last_season(now: date, first_month: int) -> Span:
    """The latest such season that has ended."""
    number = now.year
    while season(number, first_month).end.date() > now:
        number -= 1
    return season(number, first_month)


def ago(now: date, count: int, unit: int, vague: bool) -> Span:
    """``count`` units ago; ``unit`` in days: 1, 7 (the seven days around that day), 30 (that calendar month) or 365
    (that year). ``vague`` widens a day to five."""
    when = now - ONE_DAY * count * unit
    if unit == 1:
        return days(when - ONE_DAY * 2, 5) if vague else day(when)
    if unit == 7:
        return days(when - ONE_DAY * 3, 7)
    return month(now.year, now.month - count) if unit == 30 else year(max(1, now.year - count))
