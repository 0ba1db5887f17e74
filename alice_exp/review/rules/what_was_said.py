"""What a candidate rests on in the person's own words: on which days it was said, and how sure a rule is of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.kernel.text.tokens import tokens
from alice_exp.model.values.block import CUES, EXPLICIT, HEARD

if TYPE_CHECKING:
    from alice_exp.model.values.block import Block


def said_on(block: Block) -> tuple[str, ...]:
    """The days (YYYY-MM-DD) of the sessions in which it was said, the first of each; one or none for most."""
    days: dict[str, str] = {}
    for piece in sorted((one for one in block.evidence if one.kind == "session"), key=lambda one: one.at):
        days.setdefault(piece.ref.partition("#")[0], piece.at[:10])
    return tuple(days.values())


def is_perhaps(block: Block) -> bool:
    """Whether nothing but a cue in one session speaks for it."""
    return block.origin == CUES and EXPLICIT not in block.tags and len(said_on(block)) < 2


def is_unlike(block: Block) -> bool:
    """Whether a model worded it without any word of the sentences on which it says that it rests."""
    if block.origin != HEARD:
        return False
    words = {*tokens(block.payload.content), *tokens(block.trigger.text)}
    return not any(words.intersection(tokens(piece.quote)) for piece in block.evidence if piece.quote)
