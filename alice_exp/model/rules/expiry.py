"""Expiry of unanswered candidates, seven days after the first report that showed them (R2.43, B2.21, B2.22, D27, D28).

Readers hide what has expired; the next writer or heartbeat removes it, and git keeps it.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from alice_exp.model.values.block import Block, Placed
    from alice_exp.model.values.changes import ChangeSet
    from alice_exp.model.values.snapshot import Snapshot


def expires_at(block: Block, days: float) -> str:
    """When a candidate expires: ``days`` after the first report that showed it; empty if none has (B2.21)."""
    if block.reported is None:
        return ""
    shown = datetime.fromisoformat(block.reported.at)
    return (shown + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


def is_expired(block: Block, now: str, days: float) -> bool:
    """Whether a candidate has expired; at the exact second it has (R2.43)."""
    due = expires_at(block, days)
    return bool(due) and datetime.fromisoformat(now) >= datetime.fromisoformat(due)


def expired(snapshot: Snapshot, now: str) -> tuple[Placed, ...]:
    """The expired candidates: readers hide them, the next writer or heartbeat removes them (B2.22).

    Those in a file with a problem stay until it is mended, since nothing is written to such a file.
    """
    days = snapshot.config.number("heartbeat.expire_days")
    pool = snapshot.within("low_value")
    return tuple(placed for placed in pool if not placed.stale and is_expired(placed.block, now, days))


def with_expired(changes: ChangeSet, snapshot: Snapshot) -> ChangeSet:
    """The change set, extended to remove all expired candidates that it does not touch itself.

    The act's message names each of them, so that ``log`` and ``restore`` can find them.
    """
    touched = {put.block.id for put in changes.puts} | set(changes.removes)
    ids = tuple(p.block.id for p in expired(snapshot, changes.act.at) if p.block.id not in touched)
    if not ids:
        return changes
    trailers = tuple((name, block_id) for block_id in ids for name in ("Expired", "Block"))
    act = replace(changes.act, trailers=(*changes.act.trailers, *trailers))
    return replace(changes, act=act, removes=(*changes.removes, *ids))
