"""The relation between two statements, named only where it is sure (DESIGN 13)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from alice_exp.finding.rules.nearness.comparison import NARROWER, RARE, Comparison
from alice_exp.finding.rules.nearness.persons import (
    are_of_two,
    is_of_user,
    is_renamed,
    names_alone,
    tells_beside,
)
from alice_exp.finding.rules.nearness.word_order import told_apart
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.rejection import inference
from alice_exp.model.rules.similarity import same_inference

if TYPE_CHECKING:
    from alice_exp.finding.rules.nearness.comparison import Weigh
    from alice_exp.finding.rules.nearness.statement import Statement

Kind = Literal["identical", "opposes", "replaces", "same", "extends", "near"]


@dataclass(frozen=True, slots=True)
class Likeness:
    """What a known statement is to a new one, and how much they share: by mass (``dice``), of the smaller one
    (``cover``), of their triggers (``topic``), each in [0, 1].

    ``kind`` is None where nothing is sure; ``differs`` is what differs, on each side.
    """

    kind: Kind | None
    dice: float
    cover: float
    topic: float
    differs: tuple[str, str] = ("", "")

    @property
    def strength(self) -> float:
        """By which neighbours are ordered: dice + topic / 4, in [0, 1.25]."""
        return self.dice + 0.25 * self.topic


def likeness(one: Statement, two: Statement, weigh: Weigh) -> Likeness:
    """What ``two``, a statement that is known, is to ``one``, a new one."""
    pair = Comparison(one, two, weigh)
    kind = _kind(pair)
    if kind in ("identical", "same", "extends"):
        kind = _apart(pair) or kind
    # Aligning the words costs more than all the rest, and most pairs turn out to have nothing in common.
    differs = pair.differs() if kind not in (None, "identical") else ("", "")
    return Likeness(kind, round(pair.dice, 3), round(pair.cover, 3), round(pair.topic, 3), differs)


LEAST = 200
"""The least number of blocks that weights assume, so that in a young home one word is not all."""

CHARACTER = 0.35
"""What a single CJK character weighs, compared with a word that as many hold."""


def weight_of(holders: int, total: int) -> float:
    """The weight of a key that ``holders`` (1 at least) of ``total`` blocks hold: ln(1 + (N − n + 0.5)/(n + 0.5))."""
    return math.log1p((total - holders + 0.5) / (holders + 0.5))


def weight_alone(key: str) -> float:
    """The weight of a key that one block of a young home holds."""
    return weight_of(1, LEAST) * (CHARACTER if len(key) == 1 and key > "\u2e7f" else 1)


def _apart(pair: Comparison) -> Literal["opposes", "near"] | None:
    payloads = [of.placed.block.payload for of in (pair.one, pair.two)]
    found = told_apart(*((payload.content, *payload.steps) for payload in payloads))
    return "near" if found and pair.has_other_scope() else found


def _odds(pair: Comparison) -> Literal["opposes", "replaces"] | None:
    """Whether the two cannot both hold, and why not."""
    if pair.is_opposed():
        return "replaces" if pair.are_values() else "opposes"
    if pair.is_replaced() or pair.is_updated():
        return "replaces"
    one, two = pair.one.placed.block.payload, pair.two.placed.block.payload
    return "replaces" if pair.shared and is_renamed(one.content, two.content) else None


def _hold_both(pair: Comparison, one: str, two: str) -> bool:
    """Whether two texts that seem at odds hold beside each other: of somebody else each, of where somebody comes from
    and where they live, of another value that is so, too, or of a name (call them Tess) and of calls."""
    is_beside = not pair.is_opposed() and tells_beside(one, two)
    is_name = pair.shared.keys() == {"call"} and names_alone(one, two)
    return is_beside or is_name or are_of_two(one, two)


def _kind(pair: Comparison) -> Kind | None:
    one, two = pair.one.placed.block, pair.two.placed.block
    # Equal words are equal keys: what shares few of them need not be compared letter by letter.
    may_be_equal = pair.dice >= 0.9 or not (pair.left and pair.right)
    if may_be_equal and same_inference(inference(one.payload), inference(two.payload)):
        return "identical"
    are_apart = bool(one.key and two.key and one.key != two.key)
    if one.project and two.project and one.project != two.project:
        # What holds in one project says nothing about another.
        return "near" if pair.dice + 0.25 * pair.topic >= 0.30 else None
    odds = _odds(pair)
    if odds and _hold_both(pair, one.payload.content, two.payload.content):
        return "near"
    if odds or two.id in one.replaces:
        return odds or "replaces"
    if not are_apart and max(pair.dice, pair.cover) >= 0.75 and pair.agrees():
        left, right = pair.over()
        # A prohibition with more words forbids less: "never edit a migration that was merged".
        is_narrower = pair.one.negations > 0 and max(left, right) >= NARROWER
        if max(left, right) < RARE and pair.dice >= 0.75 and not is_narrower:
            return "same"
        if min(left, right) < RARE and pair.cover >= 0.9:
            return "extends"
    same_trigger = bool(pair.one.trigger_mark) and pair.one.trigger_mark == pair.two.trigger_mark
    # Where a person lives now is about where they lived before, in whatever words it is said.
    moved = "city" in pair.changed and is_of_user(one) and is_of_user(two) and not pair.has_other_scope()
    is_near = pair.dice + 0.25 * pair.topic >= 0.30 or same_trigger or moved
    return "near" if is_near else None
