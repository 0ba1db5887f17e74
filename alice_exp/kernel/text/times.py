"""Times as ISO-8601 UTC text, as seconds and as milliseconds since 1970."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


_FIRST_MILLISECONDS = 100_000_000_000


# Eight digits are a date: 20260220.
_NUMBER = re.compile(r"\s*-?(?:[0-9]{9,}(?:\.[0-9]*)?|[0-9]+\.[0-9]*)\s*")


@lru_cache(maxsize=16384)
def _moment(at: str) -> datetime:
    moment = datetime.fromisoformat(at)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def seconds(at: str) -> float:
    """Seconds since 1970 of ISO-8601 text, UTC where it names no zone; 0.0 where it is empty (ValueError: no time)."""
    return _moment(at).timestamp() if at else 0.0


def milliseconds(at: str) -> int:
    """Whole milliseconds since 1970, exactly; 0 where ``at`` is empty (ValueError where it is no time)."""
    return (_moment(at) - _EPOCH) // timedelta(milliseconds=1) if at else 0


def iso_time(value: object) -> str:
    """Any of the time formats of B1.9 as files write it: ISO-8601 UTC with ``Z``, milliseconds where they are not 0.

    Accepts ISO text (UTC where it names no zone), seconds as float or int, milliseconds (numbers from 10^11 on), the
    same as text, and datetimes. ValueError where it is none of these.
    """
    if isinstance(value, datetime):
        return _written(value)
    if isinstance(value, str):
        if not _NUMBER.fullmatch(value):
            return _written(datetime.fromisoformat(value.strip()))
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"no time: {value!r}")
    scale = 1 if abs(value) >= _FIRST_MILLISECONDS else 1000
    try:
        return _written(_EPOCH + timedelta(milliseconds=round(value * scale)))
    except (OverflowError, ValueError):
        raise ValueError(f"no time: {value!r}") from None


def _written(moment: datetime) -> str:
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    try:
        utc = aware.astimezone(UTC).replace(tzinfo=None)
    except OverflowError:
        raise ValueError(f"no time: {moment}") from None
    whole = utc.isoformat(timespec="milliseconds").removesuffix(".000")
    return f"{whole}Z"
