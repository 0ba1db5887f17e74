"""What others claim to have verified, and what of it counts here."""

from __future__ import annotations

import re
from dataclasses import replace

from alice_exp.model.values.block import Block

CLAIM = "claim"
"""Kind of the evidence that keeps what a sender counted, quoted as ``72 verified there``."""


_CLAIMED = re.compile(r"(\d{1,7}) verified there")


def claimed(block: Block, name: str = "") -> int:
    """The highest count that senders (or the one named) claim for a block; 0 where none does."""
    counts = [
        int(found[1])
        for piece in block.evidence
        if piece.kind == CLAIM
        and piece.ref.startswith(f"{name}/" if name else "")
        and (found := _CLAIMED.match(piece.quote))
    ]
    return max(counts, default=0)


def accepted(block: Block) -> Block:
    """A received candidate that a person approves: its count is the higher of ours and the claims (B2.38).

    Its state stays: it rises by what succeeds here. What was verified here (``verifications_local``) stays too.
    """
    return replace(block, verifications=max(block.verifications, claimed(block)))
