"""Find the days and periods named in a question, in English and Chinese (DESIGN 10).

"On 5 May", "last spring", "two weeks ago", 昨天, 上周三, 五月三号: each becomes a span of days relative to ``now``.
Words that only look like a date ("what may you know") are ignored.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from alice_exp.kernel.text import dates_chinese, dates_english
from alice_exp.kernel.text.date_spans import Precision, Rule, Span

if TYPE_CHECKING:
    from datetime import date

__all__ = ["Precision", "Span", "asks_when", "day_of", "named_spans"]

MOST_TEXT = 2_000
"""Characters of a question that are looked at."""

_CJK = re.compile("[\u3400-\u9fff]")


def day_of(moment: str | datetime) -> datetime:
    """A moment as naive UTC, from ISO-8601 text or a datetime (UTC if naive). Raises ``ValueError`` for other text."""
    known = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return known.astimezone(UTC).replace(tzinfo=None) if known.tzinfo else known


def asks_when(folded: str) -> bool:
    """Whether a question (folded) asks when something happened."""
    languages = (dates_english.PATTERNS, dates_chinese.PATTERNS)
    return any(patterns.asks_when.search(folded) for patterns in languages)


def named_spans(text: str, now: str | datetime) -> list[Span]:
    """The spans that a question names, in order of appearance; empty if it names none.

    ``now`` is ISO-8601 text or a datetime. A day or month without a year means its latest occurrence and matches every
    year (``Span.every_year``). Weeks begin on Monday; seasons are those of the northern hemisphere.
    """
    shortened = text[:MOST_TEXT].replace("’", "'")
    today = day_of(now).date()
    found: list[tuple[int, Span]] = []
    if _CJK.search(shortened):
        found += _read(shortened, dates_chinese.rules(), today)
    found += _read(shortened, dates_english.rules(), today)
    return [span for _, span in sorted(found, key=lambda each: each[0])]


def _read(text: str, rules: tuple[Rule, ...], today: date) -> list[tuple[int, Span]]:
    # Lower-case only where the length stays the same, so that match positions are valid in the original text.
    rest = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
    found: list[tuple[int, Span]] = []
    for form, rule in rules:
        for match in list(form.finditer(rest)):
            if dates_english.is_doubtful(match, text):
                continue
            span = rule(match, today)
            if span is not None:
                found.append((match.start(), span))
                rest = rest[: match.start()] + " " * len(match.group()) + rest[match.end() :]
    return found
