"""Whether what a report showed of a block is what the block says now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.model.values.block import content_hash

if TYPE_CHECKING:
    from alice_exp.model.values.block import Block


def is_shown_as_it_is(block: Block) -> bool:
    """Whether the last report that showed the block showed its present content (B2.20)."""
    return block.reported is not None and block.reported.hash == content_hash(block)
