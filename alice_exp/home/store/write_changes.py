"""Composes the new contents of files from a change set, verifies them, and writes them as one act."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from alice_exp.home.ports import NEW, WrittenFile
from alice_exp.home.store.held_back import HeldBack, as_filed
from alice_exp.home.store.list_files import Found
from alice_exp.home.store.read_files import Reading
from alice_exp.home.store.standings import Standings
from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.act import Commit
from alice_exp.kernel.journal.atomic_files import ChangedOnDisk
from alice_exp.kernel.journal.commit_writer import CommitWriter
from alice_exp.kernel.journal.transaction import FileChange
from alice_exp.kernel.jsonc import Json, first_error
from alice_exp.kernel.jsonc.document import Document
from alice_exp.kernel.jsonc.edits import edit
from alice_exp.kernel.jsonc.reader import parse
from alice_exp.kernel.value_class import blob_id
from alice_exp.model.formats.block_edits import rewrite
from alice_exp.model.formats.block_schema import read_blocks
from alice_exp.model.formats.record_schema import EPISODES, read_episodes, read_timeline
from alice_exp.model.values.block import HELD, Entry, holds_blocks
from alice_exp.model.values.records import EPISODES_PATH, EVENTS_PATH
from alice_exp.model.values.snapshot import ChangeSet, Snapshot


def as_adopted(document: Document, data: bytes, new_id: Callable[[str], str], now: str) -> bytes | None:
    """The bytes of a hand-edited file without blocks as they are to be committed; episodes get missing ids and times.

    None if an error prevents the commit: the file is left alone, and its last good version is used.
    """
    if document.problem is not None:
        return None
    if document.path == EVENTS_PATH:
        return None if first_error(read_timeline(document)[1]) else data
    if document.path != EPISODES_PATH:
        return data
    spanned = parse(data, EPISODES_PATH, EPISODES)
    book, problems = read_episodes(spanned)
    if first_error(problems):
        return None
    from alice_exp.model.formats.record_import import completion_edits

    edits = completion_edits(spanned, fresh_ids(new_id, {one.id for one in book.episodes}), now)
    return edit(spanned, edits) if edits else data


def fresh_ids(new_id: Callable[[str], str], taken: set[str]) -> Iterator[str]:
    """Endless new ids of episodes that are not in ``taken``; each one is added to it."""
    while True:
        if (one := new_id("ep")) not in taken:
            taken.add(one)
            yield one


class Composing:
    """Writer of change sets. The caller must hold the writer lock on a settled home."""

    def __init__(
        self,
        writer: CommitWriter,
        reading: Reading,
        standings: Standings,
        follow: Callable[[Sequence[WrittenFile]], None],
    ) -> None:
        self._follow = follow
        self._standings = standings
        self._writer = writer
        self._reading = reading
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
            if (data := self._adopted(path, found, contents)) is None:
                self._require_place(path, found)
                return None
            documents[path] = self._reading.document(path, data)
            if documents[path].problem is not None:
                raise ChangedOnDisk(self._experiences / path)
            return documents[path]

        self._refuse_frozen(changes, seen, found)
        is_few = len(changes.puts) + len(changes.removes) <= FEW
        find = seen.find if is_few else {placed.block.id: placed for placed in seen}.get
        new = rewrite(changes, find, document)
        new |= self._reading.records.compose(changes, seen, lambda path: self._adopted(path, found, contents))
        contents |= self._whole_files(changes, found)
        checked = self._check(new, changes, documents, contents)
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
            new |= self._reading.records.compose(
                changes.then, after, lambda path: new.get(path) or self._adopted(path, found, contents)
            )
        different = {p: FileChange(contents.get(p), d) for p, d in new.items() if d != contents.get(p)}
        act = changes.then.act if changes.then is not None else changes.act
        ledger = self._standings.composing(entries, signs=act.actor.is_person)
        return self._writer.write(act, different, first, ledger)

    def _whole_files(self, changes: ChangeSet, found: Found) -> dict[str, bytes]:
        """What stands in the files that an act replaces as a whole; ``ChangedOnDisk`` if it is not what it saw."""
        there = {path: self._reading.content(path) for path in changes.texts if path in found.files}
        for path, text in changes.seen.items():
            if path in changes.texts and there.get(path) != (None if text is None else text.encode()):
                raise ChangedOnDisk(self._experiences / path)
        return there

    def _adopted(self, path: str, found: Found, contents: dict[str, bytes]) -> bytes | None:
        """A file's content (None if missing), also put into ``contents`` as what must still be there; ``ChangedOnDisk``
        where it cannot be read, or is not as it was adopted."""
        if path not in found.files:
            return None
        known = self._writer.stamps.files.get(path)
        try:
            contents[path] = self._reading.content(path)
        except OSError:
            raise ChangedOnDisk(self._experiences / path) from None
        if known is None or known[1] != blob_id(contents[path]):
            raise ChangedOnDisk(self._experiences / path)
        return contents[path]

    def _require_place(self, path: str, found: Found) -> None:
        for problem in found.problems:
            if problem.path in (path, path.partition("/")[0]):
                raise problem.as_error()
        folder = path.partition("/")[0]
        if folder not in found.directories and any(
            known.startswith(f"{folder}/") for known in self._writer.stamps.files
        ):
            hint = "put it back, or run 'alice-exp restore'"
            raise ProblemError("the directory {folder} is missing", folder=folder, hint=hint)

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
        documents: Mapping[str, Document],
        contents: Mapping[str, bytes],
    ) -> list[WrittenFile]:
        """Parse and compare the composed files before writing: a wrong edit must never reach a person's file.

        What became of the blocks of each file whose changed blocks were all read.
        """
        written: list[WrittenFile] = []
        for path, data in new.items():
            if data is None or not holds_blocks(path):
                continue
            document = self._reading.document(path, data)
            wanted = {put.block.id: put.block for put in changes.puts if put.path == path}
            if len(changes.puts) > MANY and document.problem is None:
                some = [*document.items[:-1:20], *document.items[-1:]]
                blocks, problems = read_blocks(replace(document, value={"blocks": some}))
            elif path in documents and document.problem is None:
                items, kept = _unlike(document, documents[path], wanted)
                blocks, problems = read_blocks(replace(document, value={"blocks": [*items.values()]}))
                fresh = {at: block for at, block in zip(items, blocks, strict=False) if kept[at] == NEW}
                written.append(WrittenFile(path, contents[path], data, kept, fresh, not problems))
            else:
                blocks, problems = read_blocks(document)
            if (fault := first_error(problems)) is not None:
                raise AssertionError(f"composed {path} does not read back: {fault.where} {fault.message}")
            for block in blocks:
                if wanted.get(block.id, block) != block:
                    raise AssertionError(f"composed {block.id} differs from what was meant in {path}")
        return written


FEW = 20
"""Up to so many blocks are looked for one by one, more in a table of all."""

MANY = 500
"""Above this many puts every twentieth block is compared, and the last one: one function wrote them all, and the whole
file was parsed."""


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
