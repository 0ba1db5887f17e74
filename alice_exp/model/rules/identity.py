"""When two blocks are one: the same outside key, or trigger and payload as a person reads them (DESIGN 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from alice_exp.kernel.text.tokens import fingerprint_text

if TYPE_CHECKING:
    from alice_exp.model.values.block import BlockType, Payload, Trigger

Sameness = tuple[str, ...]
"""What two blocks share that are one; nothing but equality is asked of it."""


class Saying(Protocol):
    """What a block and a draft of one have alike."""

    @property
    def key(self) -> str:
        """The outside name; empty where there is none."""

    @property
    def type(self) -> BlockType:
        """The kind of knowledge."""

    @property
    def trigger(self) -> Trigger:
        """When it applies."""

    @property
    def payload(self) -> Payload:
        """What it says."""


def sameness(saying: Saying) -> Sameness:
    """Type and outside key, or else trigger and payload after NFKC, case folding, punctuation and spaces."""
    if saying.key:
        return ("key", saying.type, saying.key)
    parts = (saying.trigger.text, saying.payload.content, *saying.payload.steps)
    return ("text", *(fingerprint_text(part) for part in parts))
