"""What is marked secret or private waits outside of git, in ``state/held.jsonc``, until the person keeps it (DESIGN 5).

Acts and reviews meet that file as one of the pool's (``block.HELD``). What goes into a set lands there in a commit, and
leaves the file after it; anything else that would take a block away from it leaves nothing behind but its id.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from alice_exp.home.ports import Purged
from alice_exp.home.store.list_files import held_file
from alice_exp.home.store.standings import Standings
from alice_exp.kernel.journal.act import SIGNED_BY, Act, Commit, Message
from alice_exp.kernel.journal.atomic_files import content_of, sync_directory
from alice_exp.kernel.journal.atomic_files import replace as replace_file
from alice_exp.kernel.journal.commit_writer import CommitWriter
from alice_exp.kernel.jsonc.document import Document
from alice_exp.kernel.jsonc.reader import parse
from alice_exp.model.formats.block_edits import PURGED, Said, forget, rewrite, said_by
from alice_exp.model.formats.block_schema import read_blocks
from alice_exp.model.values.block import HELD, PUT_AWAY, Block, Placed, place_of
from alice_exp.model.values.snapshot import ChangeSet, Put, Snapshot

_TOLD = ("Reply", "Reason", "Scenario")
"""The trailers in which a person's words stand."""


def held(snapshot: Snapshot) -> Mapping[str, Block]:
    """What waits outside of git, by id."""
    return {block.id: block for file in snapshot.files if file.path == HELD for block in file.blocks}


def as_filed(changes: ChangeSet, seen: Snapshot) -> ChangeSet:
    """A change set as the files get it: what was held goes into a set, or nowhere; and what an undo takes back of its
    approval is held again."""
    waiting = held(seen)
    back = tuple(_held_again(changes, seen))
    if not waiting and not back:
        return changes
    away = {
        put.block.id for put in changes.puts if put.block.id in waiting and place_of(put.path) == "archive"
    }
    puts = (*(put for put in changes.puts if put.block.id not in away), *back)
    if changes.act.op == "undo":
        # What history never held an undo of its proposal finds here alone.
        away |= waiting.keys() & {*changes.act.blocks} - {put.block.id for put in puts}
    returned = {put.block.id for put in back}
    removes = (*(one for one in changes.removes if one not in returned), *away)
    was_kept = any(entry is not None and entry.id for entry in (waiting[one].entry for one in away))
    kept = "history holds what it said, until a purge" if was_kept else "nothing of it is kept"
    detail = changes.act.detail if puts or not away or changes.act.op == "undo" else kept
    act = replace(changes.act, trailers=_unsaid(changes, waiting), detail=detail)
    return replace(changes, act=act, puts=puts, removes=removes)


def _unsaid(changes: ChangeSet, waiting: Mapping[str, Block]) -> tuple[tuple[str, str], ...]:
    """The trailers of an act, whose words a person may have taken from what is held."""
    # Loaded where something is held, which hardly an act meets.
    from alice_exp.model.rules.private_facts import secrets_alone, texts_of

    told = [value for name, value in changes.act.trailers if name in _TOLD]
    words = secrets_alone(t for one in waiting.values() for t in texts_of(one).values()) if told else []
    return tuple(
        (name, PURGED if name in _TOLD and any(word in value for word in words) else value)
        for name, value in changes.act.trailers
    )


def _held_again(changes: ChangeSet, seen: Snapshot) -> Iterator[Put]:
    if changes.act.op != "undo":
        return
    from alice_exp.model.rules.private_facts import delicate

    stays = {put.block.id for put in changes.puts}
    for block_id in changes.act.blocks:
        was = seen.find(block_id)
        if was is None or was.place not in ("personal", "universal") or block_id in stays:
            continue
        is_back = any(block_id in text for text in changes.texts.values() if text)
        was_approved = was.block.entry is not None and was.block.entry.op == "approve"
        if not is_back and was_approved and delicate(was.block):
            bare = replace(was.block, approved=None, reported=None, state="possible", verifications=0)
            yield Put(bare, HELD)


def purge(
    held_back: HeldBack,
    writer: CommitWriter,
    standings: Standings,
    act: Act,
    composed: tuple[Commit, Message],
) -> Purged | None:
    """Erase an act's block from where it waits and from history; see ``Home.purge``. What was never in git
    leaves its id alone: in the tombstone, and in the ledger."""
    from alice_exp.home.store.purge import purge as erase
    from alice_exp.home.store.purge_search import Versions, remains

    (block_id,) = act.blocks
    was_held = held_back.take_out(block_id)
    done = erase(writer.repository, block_id, *composed)
    if done is None and (was_held or standings.entry(block_id).standing == "rejected"):
        commit = writer.write(act, {})
        signed = dict(act.trailers).get(SIGNED_BY, "")
        standings.forget(block_id, commit.act_id, writer.stamps.commit_time, signed)
        seen = Versions(block_id, {}, held_back.gone.get(block_id) or said_by(b"", HELD, block_id))
        done = Purged(commit, 0, 0, (), *remains(writer.repository, seen))
    return done


class HeldBack:
    """Writes the file of what is held for the home at ``root``. The caller holds the writer lock."""

    def __init__(self, root: Path, experiences: Path) -> None:
        self._root = root
        self._file = held_file(experiences)
        self.gone: dict[str, Said] = {}
        """What the blocks said that this process took out, so that a purge can name what else says it."""

    def document(self) -> Document | None:
        """The file as it is; None if nothing waits."""
        data = content_of(self._file)
        return None if data is None else parse(data, HELD)

    def sweep(self, seen: Snapshot) -> None:
        """Take out what a crash left behind: what landed in a set since, and what was turned down."""
        if not self._file.exists():
            return
        waiting = held(seen)
        for block in read_blocks(parse(content_of(self._file) or b"", HELD))[0]:
            entry = waiting[block.id].entry if block.id in waiting else None
            if block.id not in waiting or (entry is not None and entry.standing in PUT_AWAY):
                self.take_out(block.id)

    @contextlib.contextmanager
    def moving(self, changes: ChangeSet, seen: Snapshot, new: dict[str, bytes | None]) -> Iterator[None]:
        """Around the commit of an act: what comes to be held is on the disk before it, what leaves stays until it
        landed. The file is taken out of the ``new`` contents, for no commit may hold it."""
        if HELD not in new:
            yield
            return

        after = new.pop(HELD)
        before = content_of(self._file)
        coming = replace(changes, puts=tuple(put for put in changes.puts if put.path == HELD), removes=())
        document = self.document()
        if coming.puts:
            here = {one: Placed(block, HELD) for one, block in held(seen).items()}
            self._write(rewrite(replace(coming, texts={}), here.get, lambda _: document)[HELD])
        try:
            yield
        except BaseException:
            self._write(before)
            raise
        self._write(after)
        for block_id in held(seen).keys() & {*changes.removes}:
            self._forget(block_id, said_by(before or b"", HELD, block_id))

    def take_out(self, block_id: str) -> bool:
        """Erase a block that waits, and what ``state/`` derives from it; False if it does not wait here."""

        data = content_of(self._file) or b""
        said = said_by(data, HELD, block_id)
        if not said.payload:
            return False
        self._write(forget(data, HELD, block_id, said.payload))
        self._forget(block_id, said)
        return True

    def _forget(self, block_id: str, said: Said) -> None:
        from alice_exp.home.store.purge import forget_derived

        self.gone[block_id] = said
        forget_derived(self._root, block_id, said)

    def _write(self, data: bytes | None) -> None:
        if data is None or not read_blocks(parse(data, HELD))[0]:
            self._file.unlink(missing_ok=True)
            sync_directory(self._file.parent)
        elif content_of(self._file) != data:
            replace_file(self._file, data, durable=True)
