"""Expiry of unanswered candidates, seven days after the first report that showed them (R2.43, B2.21, B2.22, D27, D28).

A person's report or next act removes what has expired, and git keeps it. Until then it waits as any other, for
everybody: an agent's clock decides nothing.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from alice_exp.model.values.block import Block, Placed
from alice_exp.model.values.changes import ChangeSet
from alice_exp.model.values.config import Pauses, Wait
from alice_exp.model.values.snapshot import Snapshot


def expires_at(block: Block, wait: Wait) -> str:
    """When a candidate expires: so many days after the first report that showed it, a pause left out; empty if none has
    shown it (B2.21)."""
    if block.reported is None:
        return ""
    shown = datetime.fromisoformat(block.reported.at)
    due = shown + timedelta(days=wait.days)
    for began, until in wait.pauses:
        if shown < until and began < due:
            due += until - max(began, shown)
    return due.strftime("%Y-%m-%dT%H:%M:%SZ")


def paused(pauses: Pauses, now: datetime, until: datetime) -> str:
    """``heartbeat.paused`` when a pause lasts from now until a time; one that is not after now ends what runs.

    What runs goes on from when it began; what is over stays, since a candidate shown before it waits longer.
    """
    kept = [(began, min(end, now)) for began, end in pauses if began < now]
    if until > now:
        began = kept.pop()[0] if kept and kept[-1][1] == now else now
        kept.append((began, until))
    return " ".join(f"{began.isoformat()}/{end.isoformat()}" for began, end in kept)


def is_expired(block: Block, now: str, wait: Wait) -> bool:
    """Whether a candidate has expired; at the exact second it has (R2.43)."""
    due = expires_at(block, wait)
    return bool(due) and datetime.fromisoformat(now) >= datetime.fromisoformat(due)


def expired(snapshot: Snapshot, now: str) -> tuple[Placed, ...]:
    """The expired candidates, which a person's report or act removes (B2.22).

    Those in a file with a problem stay until it is mended, since nothing is written to such a file.
    """
    wait = snapshot.config.wait
    pool = snapshot.within("low_value")
    return tuple(placed for placed in pool if not placed.stale and is_expired(placed.block, now, wait))


def with_expired(changes: ChangeSet, snapshot: Snapshot) -> ChangeSet:
    """A person's change set, extended to remove all expired candidates that it does not touch itself; anybody else's as
    it is.

    The act's message names each of them, so that ``log`` and ``restore`` can find them.
    """
    if not changes.act.actor.is_person:
        return changes
    touched = {put.block.id for put in changes.puts} | set(changes.removes)
    ids = tuple(p.block.id for p in expired(snapshot, changes.act.at) if p.block.id not in touched)
    if not ids:
        return changes
    trailers = tuple((name, block_id) for block_id in ids for name in ("Expired", "Block"))
    act = replace(changes.act, trailers=(*changes.act.trailers, *trailers))
    return replace(changes, act=act, removes=(*changes.removes, *ids))
