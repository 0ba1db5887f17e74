"""Conversion between ISO-8601 UTC text, seconds and milliseconds since 1970."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache

from alice_exp.kernel.text.data_files import LazyPattern

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_YEARS = range(1000, 9999)
"""Those that any zone and any span of days can be added to, and that are written with four digits everywhere."""

# Numbers from here on are milliseconds: 1973 in milliseconds, the year 5138 in seconds.
_FIRST_MILLISECONDS = 100_000_000_000

# At least nine digits: eight are a date, as in 20260220.
_NUMBER = re.compile(r"\s*-?(?:[0-9]{9,}(?:\.[0-9]*)?|[0-9]+\.[0-9]*)\s*")


def parsed(text: str, zone: tzinfo | None = UTC) -> datetime:
    """ISO-8601 text as a moment in UTC. ValueError outside of the years 1000 to 9998.

    What names no zone is in ``zone``; None: in that of the system.
    """
    moment = datetime.fromisoformat(text)
    if moment.year not in _YEARS:
        raise ValueError(f"no time: {text!r}")
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)


_TIMED = LazyPattern(
    r"(?:19|20)\d\d|[年月天日号號周週星礼季节元国五双平圣跨]|[前昨今明][晚夜早]"
    r"|day|night|tomorrow|ago|back|earlier|last|past|previous|this|next|every|over|since|during|mid|late|early"
    r"|week|month|year|spring|summer|autumn|fall|winter|christmas|halloween|valentine|july|"
    r"jan|feb|mar|apr|may|jun|aug|sep|oct|nov|dec",
    re.IGNORECASE,
)


def mentions_time(text: str) -> bool:
    """Whether a text may name a day or a period: a cheap look before ``named_dates``, which takes longer to load."""
    return _TIMED.search(text) is not None


@lru_cache(maxsize=16384)
def _moment(at: str) -> datetime:
    moment = datetime.fromisoformat(at)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def seconds(at: str) -> float:
    """Seconds since 1970 of ISO-8601 text (UTC if it names no zone); 0.0 if empty. ValueError if it is not a time."""
    return _moment(at).timestamp() if at else 0.0


def milliseconds(at: str) -> int:
    """Exact whole milliseconds since 1970; 0 if ``at`` is empty. ValueError if it is not a time."""
    return (_moment(at) - _EPOCH) // timedelta(milliseconds=1) if at else 0


def days_before(at: str, days: int) -> str:
    """ISO-8601 UTC of the same time some days before; empty if that is before the year 1000."""
    try:
        return _written(_moment(at) - timedelta(days=days))
    except (OverflowError, ValueError):
        return ""


def iso_time(value: object) -> str:
    """Any of the time formats of B1.9 as it is written to files: ISO-8601 UTC with ``Z``, milliseconds unless 0.

    Accepts ISO text (UTC if it names no zone), seconds as float or int, milliseconds (numbers from 10^11 on), the same
    as text, and datetimes. ValueError for anything else.
    """
    if isinstance(value, datetime):
        return _written(value)
    if isinstance(value, str):
        if not _NUMBER.fullmatch(value):
            return _written(datetime.fromisoformat(value.strip()))
        value = float(value)
    # bool is a subclass of int.
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"no time: {value!r}")
    scale = 1 if abs(value) >= _FIRST_MILLISECONDS else 1000
    try:
        return _written(_EPOCH + timedelta(milliseconds=round(value * scale)))
    except (OverflowError, ValueError):
        raise ValueError(f"no time: {value!r}") from None


def _written(moment: datetime) -> str:
    if moment.year not in _YEARS:
        raise ValueError(f"no time: {moment}")
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    utc = aware.astimezone(UTC).replace(tzinfo=None)
    return utc.isoformat(timespec="milliseconds").removesuffix(".000") + "Z"
