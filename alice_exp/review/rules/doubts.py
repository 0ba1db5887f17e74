"""The questions of a report about blocks in doubt: of those told together, which one no longer holds (DESIGN 12.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.finding.rules.concerns import TRUSTED_PLACES, came_up
from alice_exp.kernel.text.times import days_before
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.doubt import DOUBTED, OUTCOMES, STILL_TRUE, is_in_doubt

if TYPE_CHECKING:
    from alice_exp.model.values.block import Block, Placed
    from alice_exp.model.values.snapshot import Snapshot

AT_ONCE = 3
"""The most questions that a report asks."""

ASKED_AGAIN = 7
"""After how many days a question that nobody answered is asked again."""

LATELY = 8
"""How many of a block's last outcomes a question counts."""


@dataclass(frozen=True, slots=True)
class Question:
    """A block that a person is asked about, the living ones that were told with it, and how its last uses ended."""

    placed: Placed
    beside: tuple[Placed, ...]
    failed: int
    uses: int

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all blocks of which the person may say that it no longer holds."""
        return tuple(one.block.id for one in (self.placed, *self.beside))


def questions(snapshot: Snapshot, day_began: str, now: str) -> tuple[Question, ...]:
    """What this report asks: what it asked today already, then what was never asked, then the longest unanswered."""
    found = [
        placed
        for placed in snapshot.concerned(came_up(DOUBTED))
        if placed.place in TRUSTED_PLACES and is_asked(placed.block, day_began, now)
    ]
    found.sort(key=lambda one: _urgency(one.block, day_began))
    asked = found[:AT_ONCE]
    wanted = {block_id for one in asked if one.block.doubt is not None for block_id in one.block.doubt.beside}
    known = snapshot.with_ids(wanted)
    return tuple(_question(one, known) for one in asked)


def is_asked(block: Block, day_began: str, now: str) -> bool:
    """Whether a report asks about a block: at once, and weekly until the person answers (times are ISO-8601 UTC)."""
    if not is_in_doubt(block) or block.doubt is None:
        return False
    asked = block.doubt.asked
    return not asked or asked >= day_began or asked <= days_before(now, ASKED_AGAIN)


def _urgency(block: Block, day_began: str) -> tuple[bool, str, str]:
    assert block.doubt is not None
    return block.doubt.asked < day_began, block.doubt.asked, block.doubt.since


def _question(placed: Placed, known: dict[str, Placed]) -> Question:
    beside = block.doubt.beside if (block := placed.block).doubt is not None else ()
    there = [known[one] for one in beside if one in known and known[one].place in TRUSTED_PLACES]
    effects: list[str] = []
    for piece in placed.block.evidence:
        if piece.effect == STILL_TRUE:
            effects.clear()
        elif piece.effect in OUTCOMES:
            effects.append(piece.effect)
    lately = effects[-LATELY:]
    return Question(placed, tuple(there), sum(one != "ok" for one in lately), len(lately))
