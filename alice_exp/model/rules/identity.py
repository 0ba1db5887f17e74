"""Decides whether two blocks are the same: by an equal outside key, or by equal trigger and payload in one project
(DESIGN 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from alice_exp.kernel.text.tokens import fingerprint_text

if TYPE_CHECKING:
    from alice_exp.model.values.block import BlockType, Payload, Trigger

Sameness = tuple[str, ...]
"""A value that is equal for blocks that are the same; opaque otherwise."""


class Saying(Protocol):
    """The fields that a block and a draft have in common."""

    @property
    def key(self) -> str:
        """The key given by an outside source; empty if there is none."""

    @property
    def type(self) -> BlockType:
        """The type of knowledge."""

    @property
    def trigger(self) -> Trigger:
        """When it applies."""

    @property
    def payload(self) -> Payload:
        """What to do or to believe."""

    @property
    def project(self) -> str:
        """The project in which it holds, of a draft as all its names; empty: everywhere."""


def sameness(saying: Saying) -> Sameness:
    """Type and outside key, or else the project with the fingerprints of trigger and payload (NFKC, case folded, no
    punctuation)."""
    if saying.key:
        return ("key", saying.type, saying.key)
    parts = (saying.trigger.text, saying.payload.content, *saying.payload.steps)
    return ("text", saying.project.partition(" ")[0], *(fingerprint_text(part) for part in parts))
