"""Merges two machines' ledgers: of two entries on a block that which had seen the other holds, whatever clocks say.

Where neither had, it is asked, and until then the lower standing and the narrower place hold (DESIGN 5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.ledger import agree, digest
from alice_exp.model.values.ledger_entry import ASKED, MARKS, Entry

Entries = Mapping[str, Entry]
"""The entries of a ledger, by id."""

_HEIGHT: Final = ("forgotten", "rejected", "retired", "waiting", "trusted")


@dataclass(frozen=True, slots=True)
class MergedLedger:
    """All entries of the merged ledger, and the ids that both machines decided on, each otherwise and unseen."""

    entries: Entries
    asked: tuple[str, ...] = ()


def merge_ledgers(was: Sequence[Entries], one: Entries, other: Entries) -> MergedLedger:
    """Merge two ledgers with the common ancestors ``was`` (none: no shared past); symmetric in the two sides."""
    entries: dict[str, Entry] = {}
    asked: list[str] = []
    for block_id in sorted({*one, *other}):
        a, b = one.get(block_id), other.get(block_id)
        if a is None or b is None:
            entries[block_id] = a or b or Entry(block_id, "waiting")
            continue
        if block_id.startswith(MARKS):
            entries[block_id] = min(a, b, key=digest)
            continue
        seen = [past[block_id] for past in was if block_id in past]
        held = _seen_by_the_other(seen, a, b)
        entries[block_id] = held or _lower(a, b)
        if held is None and not agree(a, b):
            asked.append(block_id)
    return MergedLedger(entries, tuple(asked))


def _seen_by_the_other(seen: Sequence[Entry], one: Entry, other: Entry) -> Entry | None:
    """The entry that holds without a question; None if neither machine had seen the other's."""
    if gone := next((each for each in (one, other) if each.standing == "forgotten"), None):
        return gone if one.standing != other.standing else min(one, other, key=digest)
    if one == other or (other in seen and one not in seen) or one.replaced == digest(other):
        return one
    if (one in seen and other not in seen) or other.replaced == digest(one):
        return other
    return None


def _lower(one: Entry, other: Entry) -> Entry:
    """What holds of two entries of which neither had seen the other: composed alike on both machines."""
    low, high = sorted(
        (one, other), key=lambda each: (_HEIGHT.index(each.standing), each.content, digest(each))
    )
    if agree(one, other):
        return low
    held = replace(low, channel=ASKED, replaced=digest(high))
    if low.standing != "trusted":
        return held
    # Of two projects neither is the narrower one.
    apart = bool(one.project and other.project and one.project != other.project)
    return replace(
        held,
        standing="waiting" if apart else "trusted",
        # A block in personal leaves this person's machines for nobody, so that is the narrower set.
        path=min(one.path, other.path, key=lambda path: (not path.startswith("personal/"), path)),
        project=low.project or high.project,
        importance=min(one.importance, other.importance),
        shareable=one.shareable and other.shareable,
        replaces=tuple(sorted({*one.replaces, *other.replaces})),
        both=tuple(sorted({*one.both} & {*other.both})),
    )
