"""Heads of a ledger as machines hand them on: numbered, and signed by the key of the machine that merged last.

What is signed is the tree, the parents and the number, so a head proves every entry and cannot be moved elsewhere.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence

from alice_exp.kernel.value_class import dataclass
from alice_exp.owner.rules.ssh_signature import Signed, public_key, signature, verified

_ROW = re.compile(r"^Alice-(Number|Machine|Signature): (\S+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LedgerHead:
    """What a commit of a ledger says of itself: its number (from 1; 0: none), the public key of the machine that signed
    it (64 hex digits; empty: nobody) and whether that signature is right."""

    number: int
    machine: str = ""
    is_signed: bool = False


def read_head(message: str, tree: str, parents: Sequence[str]) -> LedgerHead:
    """The head that a commit with this message, tree and parents is."""
    rows = dict(_ROW.findall(message))
    number = int(rows["Number"]) if rows.get("Number", "").isdecimal() else 0
    machine = rows.get("Machine", "")
    if not re.fullmatch("[0-9a-f]{64}", machine):
        return LedgerHead(number)
    try:
        made = base64.b64decode(rows.get("Signature", ""), validate=True)
    except ValueError:
        made = b""
    said = Signed(_text(tree, parents, number), made)
    return LedgerHead(number, machine, verified(bytes.fromhex(machine), said))


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
