"""What a daily report may have to say of a block that does not wait for a decision, and by which time it is found.

The index keeps these of every block, so that a report reads those that concern it rather than all (DESIGN 9). Whoever
asks tests again: a concern says that a block may be meant, its absence that it is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from alice_exp.kernel.jsonc.scan import Json
from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.kernel.text.times import seconds
from alice_exp.model.rules.doubt import (
    DAY,
    DEFAULT_HALF_LIFE,
    DOUBTED,
    importance_factor,
    is_in_doubt,
    stretch,
)
from alice_exp.model.values.block import BLOCK_TYPES, CONFIDENCE, TRUST, Block, Place, Placed, is_approved
from alice_exp.model.values.snapshot import Span

TRUSTED_PLACES: tuple[Place, ...] = ("personal", "universal")
"""The sets of which blocks are trusted."""

TRUSTED = "trusted"
"""Approved and trusted, by the time since when."""

UNAPPROVED = "unapproved"
"""In a set of which blocks are trusted, and nobody approved what it says now."""

REPLACING = "replacing"
"""Trusted, and a person said that it takes the place of others."""

_OWN = LazyPattern(r"\s*(?:(?:我|本人|用户)(?!们|的?[司校厂院组部])|i\b|my\b|(?:the )?user\b)")


def begins_with_user(text: str) -> bool:
    """Whether a text begins with I, 我 or the user."""
    return bool(_OWN.match(text.lower()))


def is_of_user(block: Block) -> bool:
    """Whether a block is about the user: it says so, or its text begins with I, 我 or the user."""
    return block.about == "user" or begins_with_user(block.payload.content)


def concerns(placed: Placed) -> Iterator[tuple[str, str | float]]:
    """Each concern of a block, and its time: ISO-8601 UTC, of those that fade seconds since 1970."""
    block = placed.block
    if placed.place not in TRUSTED_PLACES:
        return
    if is_approved(placed):
        yield TRUSTED, trusted_since(block)
        if block.replaces:
            yield REPLACING, "-"
    else:
        yield UNAPPROVED, "-"
    if is_in_doubt(block):
        yield DOUBTED, "-"
    if block.state == "reliable" and block.updated_at:
        yield _fading(block.type), seconds(block.updated_at)


def trusted_since(block: Block) -> str:
    """Since when a trusted block is: its approval, or else its first day."""
    return block.approved.at if block.approved is not None else block.created_at


def came_up(concern: str, after: str = "") -> Span:
    """The blocks that a concern came up of after a time, or all of them."""
    return (concern, after, "~")


def faded(now: str, half_life_days: Mapping[str, float]) -> tuple[Span, ...]:
    """The blocks whose decay may be below a half: not changed for a half-life of their type, which consolidation and
    feelings only lengthen (R3.13)."""
    lives = ((name, half_life_days.get(name, DEFAULT_HALF_LIFE)) for name in BLOCK_TYPES)
    # A second more, for rounding.
    return tuple((_fading(name), 0.0, seconds(now) - days * DAY + 1) for name, days in lives)


def _fading(block_type: str) -> str:
    return f"fading {block_type}"


def block_text(block: Block) -> str:
    """A block's searchable text: trigger, keywords, payload with its steps, tags (DESIGN 10)."""
    trigger, payload = block.trigger, block.payload
    return "\n".join((trigger.text, *trigger.keywords, payload.content, *payload.steps, *block.tags))


def is_living(placed: Placed) -> bool:
    """Whether a block can be found: neither archived nor obsolete (DESIGN 4)."""
    return placed.place != "archive" and placed.block.state != "obsolete"


LONGEST = stretch(1.0, 1.0)
"""The most half-lives of its type that a block can last."""


class Standing(NamedTuple):
    """The parts of a block's score other than its match: its id, trust · confidence · importance's factor in [0, 1.25],
    the type (for the half-life), the last change (seconds since 1970; ``None``: just now), and by how much
    consolidation and emotional weight stretch the half-life, in [1, 4.5]."""

    id: str
    weight: float
    type: str
    updated: float | None
    stretch: float


def standing(block: Block, place: Place) -> Standing:
    """The ``Standing`` of a block in the set ``place``."""
    updated = seconds(block.updated_at) if block.updated_at else None
    weight = TRUST[place] * CONFIDENCE[block.state] * importance_factor(block)
    lasting = stretch(block.consolidation_score, block.emotional_weight)
    return Standing(block.id, weight, block.type, updated, lasting)


TASK_WEIGHT, CONTEXT_WEIGHT = 0.4, 0.6
"""The weights of task and context in a similarity (R0.18)."""


def context_similarity(context_a: Mapping[str, Json], context_b: Mapping[str, Json]) -> float:
    """Equal values over the union of keys, in [0, 1]; both empty 1.0, exactly one 0.0 (R0.21, R0.22)."""
    if not context_a and not context_b:
        return 1.0
    # In Python 1 == True, but in a file they are different values.
    equal = sum(
        key in context_b and (value, type(value) is bool) == (context_b[key], type(context_b[key]) is bool)
        for key, value in context_a.items()
    )
    return equal / len(context_a.keys() | context_b.keys())


def contradicts(context: Mapping[str, Json], own: Mapping[str, Json]) -> bool:
    """Whether two contexts name one thing and say different values of it; a list names several values."""
    return any(_worded(context[key]).isdisjoint(_worded(own[key])) for key in own.keys() & context.keys())


def _worded(value: Json) -> set[str]:
    values = value if isinstance(value, list) else (value,)
    return {f"{type(one).__name__} {one}".casefold() for one in values}
