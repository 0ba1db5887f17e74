"""What extraction finds: frozen inferences with their importance, slot and concept (R4.17-R4.19, B4.8-B4.10)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from alice_exp.kernel.text.data_files import table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from alice_exp.model.values.block import BlockType

Concept = Literal[
    "name",
    "occupation",
    "place",
    "person",
    "tools",
    "likes",
    "dislikes",
    "health",
    "habit",
    "goal",
    "project",
    "family",
    "instruction",
    "correction",
    "other",
]
"""What an inference is about: chooses its tags, and tells whether the assistant had asked about it."""

_CONCEPTS = cast("Mapping[Concept, Mapping[str, list[str]]]", table("conversations/rules/data/concepts.toml"))

TAGS: Mapping[Concept, tuple[str, ...]] = {name: tuple(row["tags"]) for name, row in _CONCEPTS.items()}
"""Words by which a question finds an inference though its text does not hold them (B4.10)."""

ASKED: Mapping[Concept, tuple[str, ...]] = {
    name: tuple(row["asked"]) for name, row in _CONCEPTS.items() if "asked" in row
}
"""How an assistant asks about a concept (B4.8)."""

Slot = Literal["", "name", "job", "city"]
"""What a person has one of at a time (B4.14); empty: any number."""


@dataclass(frozen=True, slots=True)
class Inference:
    """One thing that a user said, as a sentence that stands alone, in the language it was said in.

    ``importance`` lies in [0, 1] (R4.17); ``value`` is the part of the content that was said, ``slot`` says that
    a newer value takes its place; ``replaces`` is the content that it takes the place of, where this text shows
    it; ``quote`` is the sentence, ``index`` its message's place in what was read; ``explicit``: the user asked to
    have it remembered (B4.18).
    """

    content: str
    importance: float
    type: BlockType = "fact"
    concept: Concept = "other"
    slot: Slot = ""
    value: str = ""
    replaces: str = ""
    quote: str = ""
    index: int = 0
    explicit: bool = False

    @property
    def tags(self) -> tuple[str, ...]:
        """The concept's words, and ``slot:…`` where the slot holds one value."""
        return (*TAGS[self.concept], *([f"slot:{self.slot}"] if self.slot else []))


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a conversation yields, in the order it was said, and how much was too unimportant (B4.9)."""

    inferences: tuple[Inference, ...] = ()
    dropped: int = 0
