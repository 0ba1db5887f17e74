"""The namespaces of a new home, and the default namespace for each type of block (B2.17, B2.18).

``NAMESPACES`` is the only place to add a namespace or to change where a type of block belongs.
"""

from __future__ import annotations

from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.block import BlockType, Place, path_of


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
