"""What a person's approval does to a block, what peers claim of it counted in, and how one in a trusted set stands
(DESIGN 6)."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.block import (
    Approved,
    Block,
    BlockType,
    Place,
    Placed,
    content_hash,
    is_approved,
    path_of,
)

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


CLAIM = "claim"
"""The kind of evidence that records a sender's count, quoted as ``72 verified there``."""

_CLAIMED = LazyPattern(r"(\d{1,7}) verified there")


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


@dataclass(frozen=True, slots=True)
class Founded:
    """A namespace of a new home: its set, name, the comment at the top of its file, and the types that belong there."""

    place: Place
    name: str
    comment: str
    types: tuple[BlockType, ...]

    @property
    def path(self) -> str:
        """The file's path in the home's repository."""
        return path_of(self.place, self.name)


NAMESPACES: tuple[Founded, ...] = (
    Founded(
        "universal",
        "system_info",
        "What holds for the systems at work here, whoever sits in front of them.",
        ("fact", "preference", "goal", "identity"),
    ),
    Founded("universal", "tool_usage", "Which tool to use for what, and how.", ("rule", "solution", "habit")),
    Founded(
        "universal",
        "api_patterns",
        "How interfaces behave, and what works with them.",
        ("pattern", "feature"),
    ),
    Founded(
        "personal",
        "user_preferences",
        "What you like and who you are. Shared with nobody.",
        ("preference", "fact", "goal", "identity", "feature"),
    ),
    Founded(
        "personal",
        "workflow_habits",
        "How you work. Shared with nobody.",
        ("habit", "rule", "solution", "pattern"),
    ),
)
"""In each set every type belongs to exactly one namespace (``tests/model/test_namespaces.py`` checks this)."""

_NAMES = {(one.place, type_): one.name for one in NAMESPACES for type_ in one.types}


def namespace_for(place: Place, type_: BlockType) -> str:
    """The namespace of ``personal`` or ``universal`` to which a type of block belongs."""
    return _NAMES[place, type_]
