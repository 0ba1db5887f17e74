"""Find the days and periods named in a question, in English and Chinese (DESIGN 10).

"On 5 May", "last spring", "two weeks ago", 昨天, 上周三, 五月三号: each becomes a span of days relative to ``now``.
Words that only look like a date ("what may you know") are ignored.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

from alice_exp.kernel.text import dates_chinese, dates_english
from alice_exp.kernel.text.date_spans import Precision, Rule, Span

__all__ = ["Precision", "Span", "asks_only_of_days", "asks_when", "day_of", "named_spans"]

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
    return [span for _, span in sorted(_found(text, day_of(now).date())[0], key=lambda each: each[0])]


def asks_only_of_days(question: str) -> bool:
    """Whether a question names days and asks for nothing but what was said or done then: 3月12号说了什么."""
    found, rest = _found(question, _ANY_DAY)
    return bool(found) and not _ASKING.sub("", rest).strip()


def _found(text: str, today: date) -> tuple[list[tuple[int, Span]], str]:
    """The spans with where they begin, and the text without the words that name them."""
    rest = text[:MOST_TEXT].replace("’", "'")
    found: list[tuple[int, Span]] = []
    if _CJK.search(rest):
        more, rest = _read(rest, dates_chinese.rules(), today)
        found += more
    more, rest = _read(rest, dates_english.rules(), today)
    return found + more, rest


def _read(text: str, rules: tuple[Rule, ...], today: date) -> tuple[list[tuple[int, Span]], str]:
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
    return found, rest
