"""Values of extraction: inferences with their importance, concept and slot (R4.17-R4.19, B4.8-B4.10)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, cast

from alice_exp.kernel.text.data_files import LazyPattern, table
from alice_exp.kernel.value_class import dataclass

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
    "any",
]
"""What an inference is about; determines its tags and which questions of the assistant ask for it.

``any`` stands in rows of the tables alone: a word of the statement tells.
"""

_CONCEPTS = cast("Mapping[Concept, Mapping[str, list[str]]]", table("conversations/rules/data/concepts.toml"))

TAGS: Mapping[Concept, tuple[str, ...]] = {name: tuple(row["tags"]) for name, row in _CONCEPTS.items()}
"""Tags per concept: words by which a query finds an inference whose text lacks them (B4.10)."""

_TOLD: Mapping[Concept, tuple[LazyPattern, list[str]]] = {
    name: (LazyPattern(row["told"][0], re.IGNORECASE), row["told"][1:])
    for name, row in _CONCEPTS.items()
    if "told" in row
}
"""Tags per concept that only what is told allows: 过敏 as a tag of every illness would outdo the note of an allergy."""

ASKED: Mapping[Concept, tuple[str, ...]] = {
    name: tuple(row["asked"]) for name, row in _CONCEPTS.items() if "asked" in row
}
"""Words by which an assistant asks about a concept (B4.8)."""

Slot = Literal["", "name", "job", "city"]
"""What a person has one of at a time (B4.14); empty: not limited to one value."""


@dataclass(frozen=True, slots=True)
class Inference:
    """One statement of a user as a self-contained sentence, in the language it was said in.

    ``importance`` lies in [0, 1] (R4.17). ``value`` is the part of the content that was actually said; with a ``slot``,
    a newer value replaces it. ``replaces`` is the content this one replaces, if the same text shows it. ``quote`` is
    the sentence, ``index`` the index of its message. ``explicit``: the user asked to have it remembered (B4.18).
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
        """The concept's tags, with those that only such a content has, and ``slot:…`` for a single-valued slot."""
        told, words = _TOLD.get(self.concept, (None, []))
        more = words if told and told.search(self.content) else []
        return (*TAGS[self.concept], *more, *([f"slot:{self.slot}"] if self.slot else []))


@dataclass(frozen=True, slots=True)
class Extraction:
    """Inferences in the order they were said, and how many were dropped as unimportant (B4.9)."""

    inferences: tuple[Inference, ...] = ()
    dropped: int = 0
