"""The verification counts that peers claim for a block, and their effect here."""

from __future__ import annotations

import re
from dataclasses import replace

from alice_exp.model.values.block import Block

CLAIM = "claim"
"""The kind of evidence that records a sender's count, quoted as ``72 verified there``."""


_CLAIMED = re.compile(r"(\d{1,7}) verified there")


def claimed(block: Block, name: str = "") -> int:
    """The highest count that any sender (or the one named) claims for a block; 0 if none does."""
    counts = [
        int(found[1])
        for piece in block.evidence
        if piece.kind == CLAIM
        and piece.ref.startswith(f"{name}/" if name else "")
        and (found := _CLAIMED.match(piece.quote))
    ]
    return max(counts, default=0)


def accepted(block: Block) -> Block:
    """A received candidate after a person approved it, with the higher of our count and the claims (B2.38).

    Its state stays, because only successes here raise it, and so does ``verifications_local``.
    """
    return replace(block, verifications=max(block.verifications, claimed(block)))
