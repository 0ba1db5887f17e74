"""What a person's approval does to a block, and how one in a trusted set stands (DESIGN 6)."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from alice_exp.model.values.block import Approved, Block, Placed, content_hash, is_approved

Standing = Literal["approved", "edited", "unsigned", "waiting"]
"""``edited``: the content differs from what the file calls approved. ``unsigned``: the file calls it approved, or it is
personal, and the ledger does not trust it. ``waiting``: not approved."""


def approved_now(block: Block, at: str, by: str) -> Block:
    """The block with a person's approval of its present content; an approval by the same act is kept."""
    digest = content_hash(block)
    approved = block.approved
    if approved is not None and approved.hash == digest and approved.at == at:
        return block
    report = approved.report if approved is not None and approved.hash == digest else ""
    return replace(block, approved=Approved(at, by, digest, report))


def kept_here(was: Placed, block: Block) -> Block:
    """A block as an approval leaves it: one that was not trusted does not leave, whatever its file says; only
    "share allow" lets it."""
    return replace(block, shareable=block.shareable and is_approved(was))


def standing(placed: Placed) -> Standing:
    """The approval status of a block in ``personal/`` or ``universal/``, for reports (``Standing``)."""
    block = placed.block
    if is_approved(placed):
        return "approved"
    if block.approved is None:
        # Taken in with the home: the ledger trusts it, and no file says so.
        is_bound = block.entry is not None and block.entry.content == content_hash(block)
        return "unsigned" if placed.place == "personal" or is_bound else "waiting"
    return "unsigned" if block.approved.hash == content_hash(block) else "edited"


def started(block: Block) -> Block:
    """A block as an approval starts it: past with at least one verification, since the person's yes is the first
    evidence (DESIGN 12.2). What it failed at before a person looked is answered by the approval."""
    block = replace(block, open_failures={}, doubt=None)
    if block.state != "possible":
        return block
    return replace(block, state="past", verifications=max(1, block.verifications))
