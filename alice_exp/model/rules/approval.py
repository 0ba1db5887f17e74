"""Signed approvals of a home with an owner key: the text that a signature covers, and which blocks it holds for.

Source: DESIGN 6. Without an owner key none of this is used, and a block's ``signed`` stays None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal

from alice_exp.model.values.block import (
    DECISIONS,
    Approved,
    Block,
    Claim,
    Decision,
    Placed,
    content_hash,
    is_approved,
)
from alice_exp.model.values.snapshot import NamespaceFile, Snapshot

Standing = Literal["approved", "edited", "unsigned", "bad", "waiting"]
"""``edited``: the content differs from what was approved. ``unsigned``: approved, or typed into personal, but not
signed. ``bad``: the signature is not by the owner key over this approval. ``waiting``: not approved."""

Stamp = Callable[[Block], Block]
"""Adds a person's signature to a block that a decision is about to write."""


def signed_text(block_id: str, digest: str, decision: Decision, at: str) -> str:
    """The text that a signature covers: id, content hash (hex), decision and time (ISO-8601 UTC)."""
    return f"alice-exp decision 1\nid {block_id}\ncontent sha256:{digest}\ndecision {decision}\nat {at}\n"


def claim(block: Block) -> Claim | None:
    """The claim in ``approved.signature`` (``DECISION:BASE64``); None if there is none."""
    approved = block.approved
    if approved is None or not approved.signature:
        return None
    decision, _, signature = approved.signature.partition(":")
    for known in DECISIONS:
        if decision == known:
            return Claim(signed_text(block.id, approved.hash, known, approved.at), known, signature)
    return None


def with_signature(block: Block, decision: Decision, signature: str) -> Block:
    """The block with a signature (base64) over its approval; ValueError if it has no approval."""
    if block.approved is None:
        raise ValueError("a block that no one approved cannot be signed")
    return replace(block, approved=replace(block.approved, signature=f"{decision}:{signature}"), signed=True)


def approved_now(block: Block, at: str, by: str) -> Block:
    """The block with a person's approval of its present content; an approval by the same act is kept."""
    digest = content_hash(block)
    approved = block.approved
    if approved is not None and approved.hash == digest and approved.at == at:
        return block
    report = approved.report if approved is not None and approved.hash == digest else ""
    return replace(block, approved=Approved(at, by, digest, report))


def judged(snapshot: Snapshot, marked: Callable[[NamespaceFile], NamespaceFile]) -> Snapshot:
    """The snapshot with ``signed`` set on the blocks in personal and universal."""
    files = tuple(
        marked(file) if file.place in ("personal", "universal") else file for file in snapshot.files
    )
    return replace(snapshot, files=files)


def marked(block: Block, verdicts: Mapping[Claim, bool]) -> Block:
    """The block with ``signed`` set from the known verdicts; False without a signature or a verdict."""
    said = claim(block)
    return replace(block, signed=said is not None and verdicts.get(said, False))


def standing(placed: Placed) -> Standing:
    """The approval status of a block in ``personal/`` or ``universal/``, for reports (``Standing``)."""
    block = placed.block
    if is_approved(placed):
        return "approved"
    if block.approved is None:
        # Taken in with the home: the ledger trusts it, and no file says so.
        entry = block.entry
        is_bound = entry is not None and entry.standing == "trusted" and entry.content == content_hash(block)
        return "unsigned" if placed.place == "personal" or is_bound else "waiting"
    if block.approved.hash != content_hash(block):
        return "edited"
    return "bad" if block.approved.signature else "unsigned"


def may_leave(block: Block) -> bool:
    """Whether sharing this block is signed by the owner key, if there is one (DESIGN 6)."""
    if block.signed is None:
        return True
    said = claim(block)
    return block.signed and said is not None and said.decision == "share"


def kept_here(block: Block, stamp: Stamp) -> Block:
    """The block, no longer shareable and without any signature that would allow sharing.

    A valid approval is signed again by ``stamp``, without the decision to share; otherwise the block has to be signed
    anew.
    """
    block = replace(block, shareable=False)
    said = claim(block)
    if said is None or said.decision != "share" or block.approved is None:
        return block
    if block.signed and block.approved.hash == content_hash(block):
        block = stamp(block)
    said = claim(block)
    if said is None or said.decision != "share" or block.approved is None:
        return block
    bare = replace(block.approved, signature="")
    return replace(block, approved=bare, signed=None if block.signed is None else False)


def started(block: Block) -> Block:
    """A block as an approval starts it: past with at least one verification, since the person's yes is the first
    evidence (DESIGN 12.2). What it failed at before a person looked is answered by the approval."""
    block = replace(block, open_failures={}, doubt=None)
    if block.state != "possible":
        return block
    return replace(block, state="past", verifications=max(1, block.verifications))
