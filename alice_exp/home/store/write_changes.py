"""Composes the new contents of files from a change set, verifies them, and writes them as one act."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from alice_exp.home.ports import NEW, WrittenFile
from alice_exp.home.store.held_back import HeldBack, as_filed
from alice_exp.home.store.list_files import Found
from alice_exp.home.store.read_files import Reading
from alice_exp.home.store.record_files import Recording
from alice_exp.home.store.standings import Standings
from alice_exp.kernel.content_digest import blob_id
from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.act import Commit
from alice_exp.kernel.journal.atomic_files import ChangedOnDisk
from alice_exp.kernel.journal.commit_writer import CommitWriter
from alice_exp.kernel.journal.transaction import FileChange
from alice_exp.kernel.jsonc import Document, parse
from alice_exp.kernel.jsonc.problem import Json, first_error
from alice_exp.model.formats.block_edits import rewrite
from alice_exp.model.formats.block_schema import read_blocks
from alice_exp.model.values.block import HELD, Placed, holds_blocks
from alice_exp.model.values.changes import ChangeSet
from alice_exp.model.values.ledger_entry import Entry
from alice_exp.model.values.snapshot import Snapshot, Unread


class Composing:
    """Writer of change sets. The caller must hold the writer lock on a settled home."""

    def __init__(
        self,
        writer: CommitWriter,
        reading: Reading,
        recording: Recording,
        standings: Standings,
        follow: Callable[[Sequence[WrittenFile]], None] = lambda _: None,
    ) -> None:
        self._follow = follow
        self._standings = standings
        self._writer = writer
        self._reading = reading
        self._recording = recording
        self._experiences = writer.work_tree
        self.held = HeldBack(self._experiences.parent, self._experiences)

    def carry_out(self, changes: ChangeSet, seen: Snapshot, found: Found) -> Commit:
        """Write one act; ``ChangedOnDisk``, with nothing changed, if a person saved in between."""
        self.held.sweep(seen)
        told, changes = changes, as_filed(changes, seen)
        documents: dict[str, Document] = {}
        contents: dict[str, bytes] = {}

        def document(path: str) -> Document | None:
            if path == HELD:
                return self.held.document()
            if path not in found.files:
                self._require_place(path, found)
                return None
            contents[path], documents[path] = self._as_seen(path)
            return documents[path]

        self._refuse_frozen(changes, seen, found)
        is_few = len(changes.puts) + len(changes.removes) <= FEW
        find: Callable[[str], Placed | None] = (
            seen.find if is_few else {placed.block.id: placed for placed in seen}.get
        )
        new = rewrite(changes, find, document)
        new |= self._recording.compose(changes, seen, lambda path: self._record(path, found, contents))
        contents |= self._whole_files(changes, found)
        checked = self._check(new, changes, seen, documents, contents)
        with self.held.moving(changes, seen, new):
            commit = self._commit(changes, self._standings.entries(told, find), seen, new, found, contents)
        self._standings.catch_up()
        self._follow(checked)
        return commit

    def _commit(
        self,
        changes: ChangeSet,
        entries: Sequence[Entry],
        seen: Snapshot,
        new: dict[str, bytes | None],
        found: Found,
        contents: dict[str, bytes],
    ) -> Commit:
        """Commit the ``new`` contents of files that stand at ``contents``, and entries of the ledger."""
        # Record first, then prune: the first commit keeps in git what the second removes from the file.
        first = None
        if changes.then is not None:
            first = (changes.act, {p: data for p, data in new.items() if data != contents.get(p)})
            after = replace(
                seen, episodes=changes.episodes or seen.episodes, timeline=changes.timeline or seen.timeline
            )
            new |= self._recording.compose(
                changes.then, after, lambda path: new.get(path) or self._record(path, found, contents)
            )
        files = {path: FileChange(contents.get(path), data) for path, data in new.items()}
        act = changes.then.act if changes.then is not None else changes.act
        ledger = self._standings.composing(entries, signs=act.actor.is_person)
        different = {path: change for path, change in files.items() if change.expected != change.new}
        return self._writer.write(act, different, first, ledger)

    def _whole_files(self, changes: ChangeSet, found: Found) -> dict[str, bytes]:
        """What stands in the files that an act replaces as a whole; ``ChangedOnDisk`` if it is not what it saw."""
        there = {path: self._reading.content(path) for path in changes.texts if path in found.files}
        for path in changes.texts.keys() & changes.seen.keys():
            text = changes.seen[path]
            if there.get(path) != (None if text is None else text.encode()):
                raise ChangedOnDisk(self._experiences / path)
        return there

    def _record(self, path: str, found: Found, contents: dict[str, bytes]) -> bytes | None:
        """A record file's content (None if missing), also put into ``contents`` as what must still be there."""
        if path not in found.files:
            return None
        contents[path], is_adopted = self._present(path)
        if not is_adopted:
            raise ChangedOnDisk(self._experiences / path)
        return contents[path]

    def _present(self, path: str) -> tuple[bytes, bool]:
        """A file's content, and whether it is as it was adopted; ``ChangedOnDisk`` where it cannot be read."""
        try:
            data = self._reading.content(path)
        except OSError:
            raise ChangedOnDisk(self._experiences / path) from None
        known = self._writer.stamps.files.get(path)
        return data, known is not None and known[1] == blob_id(data)

    def _as_seen(self, path: str) -> tuple[bytes, Document]:
        """A file that an act will write, as it was adopted; ``ChangedOnDisk`` if a person has saved it since."""
        data, is_adopted = self._present(path)
        document = self._reading.document(path, data) if holds_blocks(path) else parse(data, path)
        problem = document.problem
        if problem is not None and not holds_blocks(path):
            raise problem.as_error("{message}; the file is left as it is")
        if problem is not None or not is_adopted:
            raise ChangedOnDisk(self._experiences / path)
        return data, document

    def _require_place(self, path: str, found: Found) -> None:
        for problem in found.problems:
            if problem.path in (path, path.partition("/")[0]):
                raise problem.as_error()
        folder = path.partition("/")[0]
        if folder not in found.directories and any(
            known.startswith(f"{folder}/") for known in self._writer.stamps.files
        ):
            raise ProblemError(
                "the directory {folder} is missing",
                folder=folder,
                hint="put it back, or run 'alice-exp restore'",
            )

    def _refuse_frozen(self, changes: ChangeSet, seen: Snapshot, found: Found) -> None:
        """Raise ``ProblemError`` if the change set would write to a file with an error: that is left untouched."""
        targets = {put.path for put in changes.puts}
        moving = {put.block.id for put in changes.puts} | set(changes.removes)
        for file in seen.files:
            if file.stale and (file.path in targets or any(block.id in moving for block in file.blocks)):
                problem = first_error(file.problems)
                if problem is None:
                    self._require_place(file.path, found)
                    raise ProblemError("the directory of {path} is missing", path=file.path)
                hint = "mend the file, then run the command again"
                raise problem.as_error("{message}; the file is left as it is", hint=hint)

    def _check(
        self,
        new: Mapping[str, bytes | None],
        changes: ChangeSet,
        seen: Snapshot,
        documents: Mapping[str, Document],
        contents: Mapping[str, bytes],
    ) -> list[WrittenFile]:
        """Parse and compare the composed files before writing: a wrong edit must never reach a person's file.

        What became of the blocks of each file whose changed blocks were all read.
        """
        written: list[WrittenFile] = []
        was = {file.path: file.blocks for file in seen.files if not file.stale}
        for path, data in new.items():
            if data is None or not holds_blocks(path):
                continue
            document = self._reading.document(path, data)
            wanted = {put.block.id: put.block for put in changes.puts if put.path == path}
            if len(changes.puts) > MANY and document.problem is None:
                blocks, problems = read_blocks(replace(document, value=_sampled(document.value)))
            elif path in documents and isinstance(was.get(path), Unread) and document.problem is None:
                items, kept = _unlike(document, documents[path], wanted)
                blocks, problems = read_blocks(replace(document, value={"blocks": [*items.values()]}))
                fresh = {at: block for at, block in zip(items, blocks, strict=False) if kept[at] == NEW}
                written.append(WrittenFile(path, contents[path], data, kept, fresh, not problems))
            else:
                blocks, problems = self._reading.blocks(document)
                if path in was and path in contents:
                    plain = not problems
                    written.append(
                        WrittenFile.of(path, contents[path], data, was[path], blocks, is_plain=plain)
                    )
            if (fault := first_error(problems)) is not None:
                raise AssertionError(f"composed {path} does not read back: {fault.where} {fault.message}")
            for block in blocks:
                if wanted.get(block.id, block) != block:
                    raise AssertionError(f"composed {block.id} differs from what was meant in {path}")
        return written


FEW = 20
"""Up to so many blocks are looked for one by one, more in a table of all."""

MANY = 500
"""Above this many puts only a sample is compared: one function wrote them all, and the whole file was parsed."""


def _sampled(value: Json) -> Json:
    """A namespace file's value with every twentieth block and the last one."""
    listed = value.get("blocks") if isinstance(value, dict) else None
    return {"blocks": [*listed[:-1:20], *listed[-1:]]} if isinstance(listed, list) else value


def _unlike(new: Document, old: Document, wanted: Collection[str]) -> tuple[dict[int, Json], list[int]]:
    """The elements of a file's new content that have to be read: new ones and those ``wanted``, by their place.

    And for each element its place in the old content, which is sound; ``NEW`` for a new one. ``AssertionError`` where
    an id stands twice.
    """
    places = {id(item): at for at, item in enumerate(old.items)}
    kept = [places.get(id(item), NEW) for item in new.items]
    ids = [item.get("id") if isinstance(item, dict) else None for item in new.items]
    if len(set(ids)) != len(ids):
        raise AssertionError(f"an id stands twice in {new.path}")
    asked = (at for at, was in enumerate(kept) if was == NEW or ids[at] in wanted)
    return {at: new.items[at] for at in asked}, kept
