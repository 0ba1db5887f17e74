"""State changes of blocks since the last report (promoted, demoted, refuted, expired), and changes made by hand.

Read from the trailers of commit messages (``Alice-From``, ``Alice-To``, ``Alice-Effect``, ``Alice-Expired``,
``Alice-Raised``, ``Alice-Changed``, ``Alice-Withdrawn``), so that no older version of a file is opened. Sources: B2.22,
B2.43; DESIGN 5, 6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

from alice_exp.kernel.journal.act import CHANNEL, Commit
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.lifecycle import LEVELS, Level
from alice_exp.model.values.block import Block, Entry, Placed
from alice_exp.model.values.snapshot import Snapshot

Kind: TypeAlias = (
    Literal["promoted", "demoted", "needs_review", "debounced", "withheld", "noted", "verified"]
    | Literal["expired", "retired", "revived", "revoked"]
)


@dataclass(frozen=True, slots=True)
class Movement:
    """The change of one block: its levels (empty: it is gone), its outcomes, of which ``failed`` were failures whatever
    they changed; ``placed`` is ``None`` if it is in no file any more, ``was`` its last version then."""

    block_id: str
    kind: Kind
    before: Level | Literal[""]
    after: Level | Literal[""]
    times: int
    placed: Placed | None
    was: Placed | None = None
    failed: int = 0


_Step: TypeAlias = tuple[str, str, str, bool]
"""What an act did to a block: its level before and after, the effect, and whether it was a failure."""


def movements(
    acts: Sequence[Commit], snapshot: Snapshot, leaving: Sequence[Placed], level: Callable[[Block], Level]
) -> tuple[Movement, ...]:
    """The blocks that had outcomes since the last report, and those that expired, in the order of their first act;
    ``acts`` are newest first, ``leaving`` expire with this report."""
    steps: dict[str, list[_Step]] = {}
    gone: dict[str, Placed | None] = {placed.block.id: placed for placed in leaving}
    lasting = in_effect(acts)[::-1]
    for act in lasting:
        for block_id, step in _steps(act):
            steps.setdefault(block_id, []).append(step)
    for one in _told(lasting, "Expired"):
        gone.setdefault(one, None)
    revoked = _told(lasting, "Revoked")
    places = snapshot.with_ids({*steps, *gone, *revoked})
    moved = [_movement(block_id, rows, places.get(block_id), level) for block_id, rows in steps.items()]
    ended = [
        Movement(block_id, "expired", "", "", 0, placed)
        for block_id, placed in gone.items()
        # An expired block that is back in a file was restored.
        if block_id not in places or placed is not None
    ]
    ended += [
        Movement(one, "revoked", now := level(places[one].block), now, 0, places[one])
        for one in revoked
        if one in places and places[one].place != "archive"
    ]
    return (*(one for one in moved if one is not None), *ended)


def in_effect(acts: Iterable[Commit]) -> list[Commit]:
    """The acts, newest first, without those that an undo took back as a whole; an undo that was undone took nothing."""
    found: list[Commit] = []
    undone: set[str] = set()
    for act in acts:
        if act.act_id and act.act_id in undone:
            continue
        undone.update(_told([act], "Undoes"))
        found.append(act)
    return found


def by_dialog(acts: Iterable[Commit], snapshot: Snapshot) -> tuple[tuple[Placed, str, str], ...]:
    """What a person approved in a host's dialog, and did not take back: block, channel, what takes it back."""
    return tuple(
        (placed, channel, f"alice-exp undo {act.commit[:10]}")
        for act in in_effect(acts)
        if act.op == "approve" and (channel := dict(act.trailers).get(CHANNEL, ""))
        for placed in snapshot.with_ids(act.blocks).values()
    )


def hand_edits(acts: Iterable[Commit], snapshot: Snapshot) -> tuple[str, ...]:
    """The ids whose trust a hand edit (of the file, or by ``edit``) raised, and the settings files that one changed;
    oldest first, each once, without what a person decided on since or took out again."""
    names: tuple[str, ...] = ()
    settled: set[str] = set()
    for act in in_effect(acts):
        if act.op in ("approve", "reject", "retire"):
            settled.update(act.blocks)
        elif act.actor == "editor" or act.op in ("edit", "sync"):
            told = _told([act], "Raised", "Typed", "Changed")
            names = (*(one for one in told if one not in settled), *names)
    here = snapshot.with_ids(names)
    return tuple(one for one in dict.fromkeys(names) if one in here or not one.startswith("exp-"))


def withdrawn(acts: Iterable[Commit]) -> tuple[str, ...]:
    """The blocks out of which an edit took a secret or a private fact that history still holds; newest act first."""
    found: dict[str, None] = {}
    purged: set[str] = set()
    for act in in_effect(acts):
        if act.op == "purge":
            purged.update(act.blocks)
        found |= dict.fromkeys(one for one in _told([act], "Withdrawn") if one not in purged)
    return tuple(found)


def _told(acts: Iterable[Commit], *names: str) -> tuple[str, ...]:
    """The values of some trailers, in the order of the acts, each once."""
    return tuple(dict.fromkeys(value for act in acts for name, value in act.trailers if name in names))


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What another machine of the same person did that a sync brought since. ``asked``: blocks on which both decided
    otherwise, unseen; what stands holds until the person decides again."""

    approved: int = 0
    raised: int = 0
    configured: bool = False
    asked: tuple[Entry, ...] = ()


def elsewhere(acts: Iterable[Commit], snapshot: Snapshot) -> Elsewhere:
    """The approvals, raises and changes of the configuration among acts that a sync brought (DESIGN 6)."""
    there = [act for act in acts if act.is_from_elsewhere]
    approved = {
        one for act in there if act.op in ("approve", "sign", "share", "revive") for one in act.blocks
    }
    configured = any(
        act.op in ("config", "owner") or ("Changed", "config.jsonc") in act.trailers for act in there
    )
    # An approval that takes the place of another block archives that one in the same act.
    kept = [placed for placed in snapshot.with_ids(approved).values() if placed.place != "archive"]
    # Both machines are told, whichever of them merged, in every report.
    known = snapshot.decisions
    asked = [known.entry(one) for one in known.asked()] if known is not None else []
    return Elsewhere(len(kept), len(_told(there, "Raised")), configured, tuple(asked))


def foreign(acts: Iterable[Commit]) -> tuple[str, ...]:
    """Git's authors of the commits that alice-exp did not make and adopted since, each once."""
    return _told((act for act in acts if act.op in ("adopt", "sync")), "Author")


_FAILURES = ("demoted", "needs_review", "debounced", "withheld")
"""Effects that only a failure has; ``noted`` says of neither which it was."""

_DECIDED = ("retired", "revived")
"""Effects of what a person said, which is no use."""


def _steps(act: Commit) -> Iterator[tuple[str, _Step]]:
    """The state changes that an act records: one From, To and Effect for each block, in the order of its blocks."""
    values = {
        name: [value for key, value in act.trailers if key == name] for name in ("From", "To", "Effect")
    }
    count = len(values["Effect"])
    if not count or len(act.blocks) < count or any(len(row) != count for row in values.values()):
        return
    for block_id, before, after, effect in zip(act.blocks, *values.values(), strict=False):
        failed = effect in _FAILURES or (effect == "noted" and ("Result", "fail") in act.trailers)
        yield block_id, (before, after, effect, failed)


def _movement(
    block_id: str, steps: Sequence[_Step], placed: Placed | None, level: Callable[[Block], Level]
) -> Movement | None:
    before, last = steps[0][0], steps[-1][1]
    # Acts without these trailers, such as an undo, may have changed it since.
    after = last if placed is None else level(placed.block)
    if before not in LEVELS or after not in LEVELS:
        return None
    # Back at the level of before, by an act without trailers: an undo took the outcomes back.
    if after != last and after == before:
        return None
    ended = [failed for *_, effect, failed in steps if effect not in _DECIDED]
    kind = _kind(before, after, steps)
    return Movement(block_id, kind, before, after, len(ended), placed, failed=sum(ended))


def _kind(before: Level, after: Level, steps: Sequence[_Step]) -> Kind:
    effects = [effect for _, _, effect, _ in steps]
    if effects[-1] in _DECIDED:
        return effects[-1]  # type: ignore[return-value]
    if before != after:
        return "promoted" if LEVELS.index(after) > LEVELS.index(before) else "demoted"
    if "needs_review" in effects:
        return "needs_review"
    if effects[-1] in ("promoted", "demoted", "debounced", "withheld"):
        return effects[-1]  # type: ignore[return-value]
    if any(failed and effect != "noted" for _, _, effect, failed in steps):
        return "needs_review"
    return "noted" if effects[-1] == "noted" else "verified"
