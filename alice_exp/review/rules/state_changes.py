"""What acts did to blocks since the last report: risen, fallen, refuted, expired; and what was changed by hand.

Read from the acts' own messages (``Alice-From``, ``Alice-To``, ``Alice-Effect``, ``Alice-Expired``, ``Alice-Raised``,
``Alice-Changed``), so that no file and no older version has to be opened. Sources: B2.22, B2.43; DESIGN 5 and 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from alice_exp.model.rules.lifecycle import LEVELS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from alice_exp.kernel.journal.act import Commit
    from alice_exp.model.rules.lifecycle import Level
    from alice_exp.model.values.block import Block, Placed
    from alice_exp.model.values.snapshot import Snapshot

Kind = Literal["promoted", "demoted", "needs_review", "obsolete", "debounced", "verified", "expired"]


@dataclass(frozen=True, slots=True)
class Movement:
    """What became of one block: ``before`` and ``after`` are its levels, empty where it expired; ``times`` outcomes.

    ``placed`` is the block where it is now, None where it is in no file any more.
    """

    block_id: str
    kind: Kind
    before: Level | Literal[""]
    after: Level | Literal[""]
    times: int
    placed: Placed | None


@dataclass(frozen=True, slots=True)
class _Step:
    block_id: str
    before: str
    after: str
    effect: str


def movements(
    acts: Sequence[Commit], snapshot: Snapshot, leaving: Sequence[Placed], level: Callable[[Block], Level]
) -> tuple[Movement, ...]:
    """Each block that outcomes touched since the last report, and each that expired, in the order of the first act.

    ``acts`` are newest first, as a log gives them; ``leaving`` are blocks that expire with this very report.
    """
    steps: dict[str, list[_Step]] = {}
    gone: dict[str, Placed | None] = {placed.block.id: placed for placed in leaving}
    for act in reversed(acts):
        for step in _steps(act):
            steps.setdefault(step.block_id, []).append(step)
        for name, value in act.trailers:
            if name == "Expired":
                gone.setdefault(value, None)
    places = {
        placed.block.id: placed for placed in snapshot if placed.block.id in steps or placed.block.id in gone
    }
    moved = [_movement(block_id, rows, places.get(block_id), level) for block_id, rows in steps.items()]
    ended = [
        Movement(block_id, "expired", "", "", 0, placed)
        for block_id, placed in gone.items()
        if block_id not in places or placed is not None
    ]
    return (*(one for one in moved if one is not None), *ended)


def hand_edits(acts: Iterable[Commit]) -> tuple[str, ...]:
    """Ids whose trust a hand edit raised and files of settings that one changed, oldest first, each once.

    A hand edit is one of the file itself, or ``edit``: the editor that a command opens.
    """
    found = [
        value
        for act in reversed(tuple(acts))
        if act.actor == "editor" or act.op == "edit"
        for name, value in act.trailers
        if name in ("Raised", "Changed")
    ]
    return tuple(dict.fromkeys(found))


def _steps(act: Commit) -> Iterator[_Step]:
    """An outcome of one block has one From, To and Effect; of several, one of each a block, in their order."""
    values = {
        name: [value for key, value in act.trailers if key == name] for name in ("From", "To", "Effect")
    }
    count = len(values["Effect"])
    if not count or len(act.blocks) < count or any(len(row) != count for row in values.values()):
        return
    for block_id, before, after, effect in zip(act.blocks, *values.values(), strict=False):
        yield _Step(block_id, before, after, effect)


def _movement(
    block_id: str, steps: Sequence[_Step], placed: Placed | None, level: Callable[[Block], Level]
) -> Movement | None:
    before, after = steps[0].before, steps[-1].after
    if placed is not None:
        after = level(placed.block)
    if before not in LEVELS or after not in LEVELS:
        return None
    was_taken_back = after != steps[-1].after and after == before
    if was_taken_back:
        return None
    return Movement(block_id, _kind(before, after, steps), before, after, len(steps), placed)


def _kind(before: Level, after: Level, steps: Sequence[_Step]) -> Kind:
    effects = [step.effect for step in steps]
    if after == "obsolete":
        return "obsolete"
    if before != after:
        return "promoted" if LEVELS.index(after) > LEVELS.index(before) else "demoted"
    if "needs_review" in effects:
        return "needs_review"
    if effects[-1] in ("promoted", "demoted", "debounced"):
        return effects[-1]  # type: ignore[return-value]
    return "verified"
