"""Blocks from another home of alice-exp: as candidates that claim their standing there, or as they are (DESIGN 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from alice_exp.blocks.rules.exported_blocks import as_claim, renamed
from alice_exp.home.caller import Caller, require_person
from alice_exp.home.dry_run import DryHome
from alice_exp.home.ports import Home
from alice_exp.kernel.journal.act import Act, Commit
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.identity import sameness
from alice_exp.model.rules.rejection import Rejections
from alice_exp.model.values.block import PLACES, Block, Placed, path_of
from alice_exp.model.values.changes import ChangeSet, Put
from alice_exp.model.values.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What came in, how many were here already, which were rejected here, and how many of the archive stayed out."""

    placed: tuple[Placed, ...] = ()
    known: int = 0
    refused: tuple[str, ...] = ()
    archived: int = 0
    commit: Commit | None = None


def take_in_blocks(
    home: Home, caller: Caller, rows: Sequence[Placed], *, as_mine: bool = False, dry_run: bool = False
) -> TakenIn:
    """Take in exported blocks in one commit. A block whose texts are here already is left as it is.

    Without ``as_mine`` each becomes a candidate; what another home archived stays out, and what a person rejected here
    is refused. With it, a person's act, set, state, counts and approval are kept. Ids stay where they are free.
    """
    if as_mine:
        require_person(caller, "take blocks in as their own", "alice-exp import alice FILE --as-mine")

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, TakenIn]:
        taken = _taken(snapshot, caller, rows, as_mine)
        puts = tuple(Put(one.block, one.path) for one in taken.placed)
        act = Act("import", caller.actor, caller.now, tuple(put.block.id for put in puts))
        return (ChangeSet(act, puts) if puts else None), taken

    commit, taken = (DryHome(home) if dry_run else home).apply(plan, PLACES)
    return replace(taken, commit=commit)


def _taken(snapshot: Snapshot, caller: Caller, rows: Sequence[Placed], as_mine: bool) -> TakenIn:
    here = {sameness(one.block) for one in snapshot if as_mine or one.place != "archive"}
    ids = {one.block.id for one in snapshot}
    rejections = Rejections.within(snapshot)
    chosen: list[tuple[Placed, str]] = []
    names: dict[str, str] = {}
    known = archived = 0
    refused: list[str] = []
    for row in rows:
        same = sameness(row.block)
        rejected = None if as_mine else rejections.find(row.block.payload)
        if same in here:
            known += 1
        elif row.place == "archive" and not as_mine:
            archived += 1
        elif rejected is not None:
            refused.append(rejected.block.id)
        else:
            here.add(same)
            name = _free(row.block, ids, caller)
            # Two rows may have one id, or none; a reference means the first.
            names.setdefault(row.block.id or name, name)
            chosen.append((row, name))
    pool = path_of("low_value", f"pending_{caller.day}")
    placed = tuple(
        Placed(renamed(replace(row.block, id=name), names), row.path)
        if as_mine
        else Placed(renamed(as_claim(row, name, caller.now), names), pool)
        for row, name in chosen
    )
    return TakenIn(placed, known, tuple(refused), archived)


def _free(block: Block, ids: set[str], caller: Caller) -> str:
    """The block's own id where no block here has it, else a new one."""
    name = block.id
    while not name or name in ids:
        name = caller.new_id("exp")
    ids.add(name)
    return name
