"""Merges two machines' ledgers, and reads and signs their heads.

Of two entries on a block that which had seen the other holds, whatever clocks say; where neither had, it is asked, and
until then the lower standing and the narrower place hold (DESIGN 5). Heads are numbered, and signed by the key of the
machine that merged last: the tree, the parents and the number, so a head proves every entry and cannot be moved
elsewhere.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from alice_exp.model.rules.ledger import agree, digest
from alice_exp.model.values.ledger_entry import ASKED, MARKS, Entry
from alice_exp.owner.rules.ssh_signature import public_key, signature, verified

_ROW = re.compile(r"^Alice-(Number|Machine|Signature): (\S+)$", re.MULTILINE)

LedgerHead = tuple[int, str, bool]
Entries = Mapping[str, Entry]
"""The entries of a ledger, by id."""

_HEIGHT: Final = ("forgotten", "rejected", "retired", "waiting", "trusted")


def merge_ledgers(was: Sequence[Entries], one: Entries, other: Entries) -> tuple[Entries, tuple[str, ...]]:
    """Merge two ledgers with the common ancestors ``was`` (none: no shared past); symmetric in the two sides.

    Returns all entries, and the ids that both machines decided on, each otherwise and unseen.
    """
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
    return entries, tuple(asked)


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


def read_head(message: str, tree: str, parents: Sequence[str]) -> LedgerHead:
    """What a commit of a ledger with this message, tree and parents says of itself: its number (from 1; 0: none), the
    public key of the machine that signed it (64 hex digits; empty: nobody) and whether that signature is right."""
    rows = dict(_ROW.findall(message))
    number = int(rows["Number"]) if rows.get("Number", "").isdecimal() else 0
    machine = rows.get("Machine", "")
    if not re.fullmatch("[0-9a-f]{64}", machine):
        return number, "", False
    try:
        made = base64.b64decode(rows.get("Signature", ""), validate=True)
    except ValueError:
        made = b""
    return number, machine, verified(bytes.fromhex(machine), _text(tree, parents, number), made)


def signing_rows(seed: bytes, tree: str, parents: Sequence[str], number: int) -> str:
    """The rows by which a machine whose private key is ``seed`` signs a commit with this tree, parents and number."""
    made = base64.b64encode(signature(seed, _text(tree, parents, number))).decode()
    return f"Alice-Machine: {public_key(seed).hex()}\nAlice-Signature: {made}\n"


def _text(tree: str, parents: Sequence[str], number: int) -> bytes:
    return f"alice-exp ledger 1\ntree {tree}\nparents {' '.join(parents)}\nnumber {number}\n".encode()


def told_key(machine: str) -> str:
    """A machine's public key as people compare it: 20 letters of its SHA-256 (100 bits), in groups of four."""
    letters = base64.b32encode(hashlib.sha256(bytes.fromhex(machine)).digest()).decode().lower()[:20]
    return "-".join(letters[at : at + 4] for at in range(0, 20, 4))
