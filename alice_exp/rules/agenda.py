"""What the daily report shows: undecided candidates with their numbers, what changed, what fails, what fades.

Sources: R2.39-R2.44, R3.33, B2.20-B2.24, B2.43; DESIGN 6 and 7.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from alice_exp.core.model import CONFIDENCE, Block, Placed, Problem, Snapshot, content_hash
from alice_exp.rules.consolidation import decay_score
from alice_exp.rules.lifecycle import needs_review

FADING_BELOW = 0.5
"""A trusted block whose weight has fallen below this is offered for review (R3.33)."""


@dataclass(frozen=True, slots=True)
class Item:
    """One undecided candidate: its number in the open report (0: not shown yet), where approval takes it, until when.

    ``expires_at`` is ISO-8601 UTC, empty while no report has shown the block (R2.43, B2.21).
    """

    number: int
    placed: Placed
    destination: str
    expires_at: str
    is_new: bool
    is_changed: bool

    @property
    def confidence(self) -> float:
        """The state's confidence, in [0, 1]."""
        return CONFIDENCE[self.placed.block.state]


@dataclass(frozen=True, slots=True)
class Agenda:
    """One report. ``new`` counts items that no earlier report has shown, ``today`` those made since the day began."""

    report: str
    at: str
    items: tuple[Item, ...]
    new: int
    today: int
    changed: tuple[Placed, ...]
    review: tuple[Placed, ...]
    fading: tuple[Placed, ...]
    unapproved: tuple[Placed, ...]
    problems: tuple[Problem, ...]


def candidates(snapshot: Snapshot, now: str, days: float) -> list[Placed]:
    """Undecided and unexpired blocks of the pool, oldest first (then by id)."""
    living = [placed for placed in snapshot.within("low_value") if not is_expired(placed.block, now, days)]
    return sorted(living, key=lambda placed: (placed.block.created_at, placed.block.id))


def expires_at(block: Block, days: float) -> str:
    """When an unanswered candidate goes: ``days`` after the first report that showed it; empty before (B2.21)."""
    if block.reported is None:
        return ""
    shown = datetime.fromisoformat(block.reported.at)
    return (shown + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


def is_expired(block: Block, now: str, days: float) -> bool:
    """Whether a candidate's time is over: at the very second and after (R2.43)."""
    due = expires_at(block, days)
    return bool(due) and datetime.fromisoformat(now) >= datetime.fromisoformat(due)


def is_shown_as_it_is(block: Block) -> bool:
    """Whether the last report that showed the block showed what it says now (B2.20)."""
    return block.reported is not None and block.reported.hash == content_hash(block)


def agenda(
    snapshot: Snapshot,
    now: str,
    day_began: str,
    report: str,
    since: str,
    numbers: Mapping[str, int],
    destinations: Mapping[str, str],
) -> Agenda:
    """The report on a snapshot that holds the archive too.

    ``since`` is the last report's time, ``numbers`` are those of the open report, ``destinations`` where approval
    leads, by id.
    """
    days = snapshot.config.number("heartbeat.expire_days")
    waiting = candidates(snapshot, now, days)
    items = tuple(
        Item(
            numbers.get(placed.block.id, 0),
            placed,
            destinations[placed.block.id],
            expires_at(placed.block, days),
            placed.block.reported is None or placed.block.reported.report == report,
            placed.block.reported is not None and not is_shown_as_it_is(placed.block),
        )
        for placed in waiting
    )
    trusted = list(snapshot.within("personal", "universal"))
    return Agenda(
        report,
        now,
        items,
        sum(item.is_new for item in items),
        sum(item.placed.block.created_at >= day_began for item in items),
        tuple(placed for placed in snapshot if has_changed(placed.block, since)),
        tuple(placed for placed in trusted if needs_review(placed.block)),
        tuple(_fading(trusted, now, snapshot.config.half_life_days)),
        tuple(
            placed for placed in trusted if placed.place == "universal" and _waits_for_approval(placed.block)
        ),
        snapshot.problems,
    )


def has_changed(block: Block, since: str) -> bool:
    """Whether an outcome or an archiving touched the block after ``since`` (ISO-8601 UTC; empty: never asked)."""
    if not since:
        return False
    archived = (
        block.archived is not None and block.archived.reason == "obsolete" and block.archived.at > since
    )
    return archived or any(piece.effect and piece.at > since for piece in block.evidence)


def _waits_for_approval(block: Block) -> bool:
    return block.approved is None or block.approved.hash != content_hash(block)


def _fading(trusted: Iterable[Placed], now: str, half_life_days: Mapping[str, float]) -> list[Placed]:
    """Settled knowledge that has gone quiet, faintest first."""
    weighed = [
        (decay_score(p.block.updated_at or now, p.block.type, now, half_life_days=half_life_days), p)
        for p in trusted
        if p.block.state == "reliable"
    ]
    return [placed for weight, placed in sorted(weighed, key=lambda pair: pair[0]) if weight < FADING_BELOW]
