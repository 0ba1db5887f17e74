"""The order in which a person sees the candidates: what cannot wait, what is about them, work by subject (DESIGN 7)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Literal, get_args

from alice_exp.kernel.text.tokens import tokens
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.block import CUES, EXPLICIT, HEARD, Block

if TYPE_CHECKING:
    from alice_exp.review.rules.daily_report import Item

CARDS = 10
"""How many candidates a screen shows; the rest is counted."""

FEW = 20
"""Up to this many candidates come one by one in a review, more by pages."""

Key = Literal["today", "user", "work", "repeats", "perhaps", "turned_down"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which candidates a person wants; empty: any. ``by``: an actor or its name, ``project``: all names of one."""

    new: bool = False
    about: str = ""
    by: str = ""
    project: str = ""
    match: str = ""

    @property
    def is_any(self) -> bool:
        """Whether nothing is asked for."""
        return self == Wanted()

    def holds(self, item: Item) -> bool:
        """Whether a candidate is wanted."""
        block = item.placed.block
        actor = item.proposed.actor if item.proposed else ""
        text = " ".join((block.trigger.text, block.payload.content, *block.payload.steps)).casefold()
        is_about_user = item.destination.startswith("personal/")
        return (
            (not self.new or item.is_new)
            and (not self.about or (self.about == "user") is is_about_user)
            and (not self.by or self.by in (actor, actor.partition(":")[2]))
            and (not self.project or block.project in self.project.split())
            and self.match.casefold() in text
        )


def arranged(items: Sequence[Item]) -> list[tuple[Key, list[Item]]]:
    """The candidates in parts that are not empty, within one what was observed most often first (DESIGN 12.9), then as
    given; a group where its first one is."""
    parts: dict[Key, list[Item]] = {key: [] for key in get_args(Key)}
    key_of_group: dict[int, Key] = {}
    for item in items:
        key = _key(item)
        parts[key_of_group.setdefault(item.group, key) if item.group else key].append(item)
    rank = {item.group: at for at, item in reversed(list(enumerate(items))) if item.group}
    place = {id(item): rank.get(item.group, at) for at, item in enumerate(items)}
    seen: dict[int, int] = {}
    for item in items:
        at = place[id(item)]
        seen[at] = max(seen.get(at, 0), item.placed.block.observations, len(said_on(item.placed.block)) - 1)
    for key, rows in parts.items():

        def order(item: Item, key: Key = key) -> tuple[str | int, ...]:
            at = place[id(item)]
            often = seen[at] if len(said_on(item.placed.block)) > 1 else 0
            subject = (item.placed.block.project, item.destination) if key == "work" else ()
            return (-often, *subject, -seen[at], at)

        rows.sort(key=order)
    return [(key, rows) for key, rows in parts.items() if rows]


def _key(item: Item) -> Key:
    if item.mark:
        return "turned_down"
    if item.conflict or item.delicate or item.is_changed or 0 <= item.days_left <= 1:
        return "today"
    if item.repeated:
        return "repeats"
    if is_perhaps(item):
        return "perhaps"
    return "user" if item.destination.startswith("personal/") else "work"


def page_of(items: Sequence[Item], number: int = 1) -> tuple[Item, ...]:
    """The candidates of one screen, ``number`` from 1: at most ``CARDS``, a group never cut in two."""
    screens: list[list[Item]] = [[]]
    row = [item for _, part in arranged(items) for item in part]
    for _, together in groupby(row, key=lambda item: item.group or -id(item)):
        group = [*together]
        if screens[-1] and len(screens[-1]) + len(group) > CARDS:
            screens.append([])
        screens[-1] += group
    return tuple(screens[number - 1]) if 1 <= number <= len(screens) else ()


def review_screens(items: Sequence[Item], first: str = "") -> list[tuple[Item, ...]]:
    """What a review brings on one screen after the other, from the one with the block ``first`` on: up to ``FEW``
    candidates one by one; of more, first what is decided by itself one by one, then the rest by pages, last what is
    like something rejected. What another one asks about stands on the card of that one."""
    asked = {item.asks_of.placed.block.id for item in items if item.asks_of is not None}
    items = [item for item in items if item.asks_of is not None or item.placed.block.id not in asked]
    apart = [item for item in items if len(items) <= FEW or (item.stands_apart and not item.mark)]
    plain = [item for item in items if len(items) > FEW and not item.stands_apart]
    last = [item for item in items if len(items) > FEW and item.mark]
    pages = [tuple(plain[at : at + CARDS]) for at in range(0, len(plain), CARDS)]
    found = [*((item,) for item in apart), *pages, *((item,) for item in last)]
    start = next((n for n, screen in enumerate(found) if any(i.placed.block.id == first for i in screen)), 0)
    return found[start:] + found[:start]


def said_on(block: Block) -> tuple[str, ...]:
    """The days (YYYY-MM-DD) of the sessions in which it was said, the first of each; of what was imported none."""
    days: dict[str, str] = {}
    said = (one for one in block.evidence if one.kind == "session" and not block.origin.startswith("import:"))
    for piece in sorted(said, key=lambda one: one.at):
        days.setdefault(piece.ref.partition("#")[0], piece.at[:10])
    return tuple(days.values())


def is_perhaps(item: Item) -> bool:
    """Whether nothing but a cue in one session speaks for it, or a reader of 0.2.0, which left no origin."""
    block, proposed = item.placed.block, item.proposed
    was_read = block.origin == "local" and proposed is not None and proposed.op == "extract"
    return (block.origin == CUES or was_read) and EXPLICIT not in block.tags and len(said_on(block)) < 2


def is_unlike(block: Block) -> bool:
    """Whether a model worded it without any word of the sentences on which it says that it rests."""
    if block.origin != HEARD:
        return False
    words = {*tokens(block.payload.content), *tokens(block.trigger.text)}
    return not any(words.intersection(tokens(piece.quote)) for piece in block.evidence if piece.quote)
