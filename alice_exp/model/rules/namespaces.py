"""The namespaces of a new home, and which of them a block goes to when nobody names one (B2.17, B2.18).

``NAMESPACES`` is the one place to add a namespace or to say where a type of block belongs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from alice_exp.model.values.block import path_of

if TYPE_CHECKING:
    from alice_exp.model.values.block import BlockType, Place


@dataclass(frozen=True, slots=True)
class Founded:
    """A namespace that a new home has: its set, its name, its file's head comment, the types that belong there."""

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
        "What you like and who you are. Never leaves this machine.",
        ("preference", "fact", "goal", "identity", "feature"),
    ),
    Founded(
        "personal",
        "workflow_habits",
        "How you work. Never leaves this machine.",
        ("habit", "rule", "solution", "pattern"),
    ),
)
"""In each of the two sets a type belongs to exactly one namespace (``tests/model/test_namespaces.py``)."""

_NAMES = {(one.place, type_): one.name for one in NAMESPACES for type_ in one.types}


def namespace_for(place: Place, type_: BlockType) -> str:
    """The name of the namespace of ``personal`` or ``universal`` to which a type of block belongs."""
    return _NAMES[place, type_]
