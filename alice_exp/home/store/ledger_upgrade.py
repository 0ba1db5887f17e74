"""Builds the ledger of a home of 0.2.0, once, from what acts of a person did to the blocks as they stand (DESIGN 6).

A block counts if an act that may raise trust wrote what it says, and a person's newest act on it left it where it is,
in its project, for the same hands. What is in the files but in no such act waits, and the person is told how many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.home.store.read_files import holds_blocks
from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.act import Commit, disclaimed, read
from alice_exp.kernel.journal.git_references import LEDGER, SEEN
from alice_exp.kernel.jsonc import parse
from alice_exp.model.formats.block_schema import read_blocks
from alice_exp.model.rules.ledger import bound, is_same
from alice_exp.model.values.block import Placed, says_approved
from alice_exp.model.values.ledger_entry import Entry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from alice_exp.home.store.standings import Standings
    from alice_exp.kernel.journal.commit_writer import CommitWriter
    from alice_exp.kernel.journal.git_process import Repository

_RAISING = ("adopt", "approve", "edit", "init", "remember", "sign")
"""The acts by which a person of 0.2.0 gave trust; all others only carried it."""


def build_ledger(writer: CommitWriter, standings: Standings) -> None:
    """Write the first ledger of a home that has none. Needs the lock; a home that had one and lost it is left alone."""
    repository = writer.repository
    if repository.resolve(LEDGER) or standings.objects.has_copy():
        return
    # What a clone brought was seen by no act of this home.
    seen = repository.resolve(SEEN)
    entries, left = _proven(repository, seen) if seen else ((), 0)
    act = Commit("", "", "doctor", "system", writer.sources.now(), act_id=writer.sources.new_id("act"))
    standings.write(entries, act, writer.sources.epoch(), anew=True)
    if left:
        writer.sources.warn(
            ProblemError(
                "{count} blocks that version 0.2.0 trusted rest on no decision of yours and wait for it",
                count=left,
                hint="see them with 'alice-exp review'",
            )
        )


def _proven(repository: Repository, seen: str) -> tuple[tuple[Entry, ...], int]:
    """The entries of what acts prove, and how many blocks the files say more of."""
    acts = _acts_by_block(repository, seen)
    known: dict[str, dict[str, Placed]] = {}

    def at(commit: str) -> dict[str, Placed]:
        if commit not in known:
            known[commit] = _blocks(repository, commit)
        return known[commit]

    entries: list[Entry] = []
    left = 0
    for block_id, now in at(seen).items():
        mine = acts.get(block_id, [])
        if now.place == "archive":
            reason = now.block.archived.reason if now.block.archived is not None else ""
            entries += [Entry(block_id, "rejected" if reason == "rejected" else "retired")] if mine else []
        elif says_approved(now):
            last = at(mine[0].commit).get(block_id) if mine else None
            given = (at(one.commit).get(block_id) for one in mine if one.op in _RAISING)
            is_kept = last is not None and is_same(last, now)
            if is_kept and any(one is not None and _says(one) == _says(now) for one in given):
                entries.append(bound("trusted", now.block, now.path))
            else:
                left += 1
    return tuple(entries), left


def _says(placed: Placed) -> tuple[object, ...]:
    return (placed.block.payload, placed.block.trigger, placed.block.type)


def _acts_by_block(repository: Repository, seen: str) -> Mapping[str, list[Commit]]:
    """A person's acts on each block, newest first, but for commits that an act adopted as foreign."""
    rows = repository.run("log", "-z", "--format=%H%n%B", seen, "--").decode("utf-8", "replace")
    acts = (read(*row.partition("\n")[::2]) for row in rows.split("\0") if row)
    found: dict[str, list[Commit]] = {}
    for act in disclaimed(acts):
        if act.act_id and act.actor == "user":
            for block_id in act.blocks:
                found.setdefault(block_id, []).append(act)
    return found


def _blocks(repository: Repository, commit: str) -> dict[str, Placed]:
    def each() -> Iterator[Placed]:
        for path, oid in repository.tree(commit).items():
            if holds_blocks(path):
                for block in read_blocks(parse(repository.blob(oid), path))[0]:
                    yield Placed(block, path)

    return {placed.block.id: placed for placed in each()}
