"""What last week's approvals did: the part of a Monday's report that looks back."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Literal

from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.doubt import is_in_doubt
from alice_exp.model.values.block import Placed, Record

Effect = Literal["helped", "in doubt", "never used", "used"]
"""Worked at least once; asked about; no outcome was ever reported; reported, and never as a success."""

_ORDER: tuple[Effect, ...] = ("in doubt", "used", "helped", "never used")


@dataclass(frozen=True, slots=True)
class Approval:
    """A block that was approved in the week before, and what came of it."""

    placed: Placed
    effect: Effect


def last_week(trusted: Iterable[Placed], day_began: str) -> tuple[Approval, ...]:
    """On a Monday what was approved in the seven days before it began, what needs the person first; else nothing.

    ``day_began`` is the ISO-8601 UTC time at which the person's day began.
    """
    began = datetime.fromisoformat(day_began)
    # Midnight in any time zone lies within half a day of noon of the same date in UTC.
    if (began + timedelta(hours=12)).weekday():
        return ()
    since = (began - timedelta(days=7)).strftime("%Y-%m-%dT%H:%M:%SZ")
    found = [
        Approval(placed, _effect(placed))
        for placed in trusted
        if placed.block.approved is not None and since <= placed.block.approved.at < day_began
    ]
    return tuple(sorted(found, key=lambda one: (_ORDER.index(one.effect), one.placed.block.id)))


def _effect(placed: Placed) -> Effect:
    record = placed.block.record or Record()
    if is_in_doubt(placed.block):
        return "in doubt"
    return "helped" if record.ok else "used" if record.failed else "never used"
