"""Blocks as a home hands them out: with the entry of the ledger that trusts them."""

from __future__ import annotations

from dataclasses import replace

from alice_exp.model.rules.ledger import bound
from alice_exp.model.values.block import Approved, Block, content_hash


def approved(block: Block, path: str, at: str = "2026-02-20T09:00:00Z") -> Block:
    """The block as a person approved it at a path."""
    mark = Approved(at, "user", content_hash(block))
    return replace(block, approved=mark, entry=bound("trusted", block, path))
