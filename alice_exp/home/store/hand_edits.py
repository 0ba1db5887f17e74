"""What is seen to before any act of ours: what a crash interrupted is finished, and a person's hand edits are committed
as the actor ``editor``, one commit per file (DESIGN 5, 6)."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Collection, Mapping

from alice_exp.home.store.list_files import FOLDERS, Found
from alice_exp.home.store.read_files import Reading
from alice_exp.home.store.standings import Standings
from alice_exp.home.store.write_changes import as_adopted
from alice_exp.kernel.errors import AliceError, Hint, ProblemError, refused_as
from alice_exp.kernel.journal import transaction
from alice_exp.kernel.journal.act import Act, Actor
from alice_exp.kernel.journal.atomic_files import Signature, read_bytes, sweep
from alice_exp.kernel.journal.commit_writer import UNKNOWN, CommitWriter, Stamps
from alice_exp.kernel.journal.git_process import LOST, PURGING, STAGE, Repository
from alice_exp.kernel.journal.transaction import FileChange
from alice_exp.kernel.jsonc import first_error
from alice_exp.kernel.jsonc.document import Document
from alice_exp.kernel.jsonc.edits import edit
from alice_exp.kernel.jsonc.reader import parse
from alice_exp.kernel.value_class import blob_id
from alice_exp.model.formats.block_edits import rewrite
from alice_exp.model.formats.block_schema import read_blocks
from alice_exp.model.formats.record_schema import CONFIG_PATH
from alice_exp.model.rules.approval import adopt, withdrawn
from alice_exp.model.rules.identity import Returned, id_of_nameless, lifted_by, refusals, typed_again
from alice_exp.model.values.block import Block, Placed, holds_blocks, place_of
from alice_exp.model.values.config import HAND_EDITS_TRUSTED, Config
from alice_exp.model.values.snapshot import ChangeSet


class Adopting:
    """Finds and commits hand edits. The caller must hold the writer lock."""

    def __init__(
        self, writer: CommitWriter, reading: Reading, standings: Standings, config: Callable[[], Config]
    ) -> None:
        self._writer = writer
        self._config = config
        self._standings = standings
        self._reading = reading
        self._experiences = writer.work_tree
        self._repository = writer.repository
        self._sources = writer.sources
        self._is_foreign = False

    def adopt(self, found: Found, *, is_foreign: bool = False) -> None:
        """Commit every edited file that has no error, one commit per file. ``is_foreign``: commits of others brought
        what is new, so that it never counts at once, and a block without an id has the same one on each machine."""
        self._is_foreign = is_foreign
        head = self._repository.head()
        stamps = self._writer.reread()
        tree, when = {path: oid for path, (_, oid) in stamps.files.items()}, stamps.commit_time
        if not head:
            tree, when = {}, 0
        elif stamps.head != head:
            tree, when = self._repository.tree(head), self._repository.commit_time(head)
            with contextlib.suppress(ProblemError):
                self._repository.refresh_index()
        # Taken before the files are read, so that an edit during the reading is noticed next time.
        began = time.time_ns()
        edited, fresh = self._edited(found, tree, stamps if stamps.head == head else Stamps())
        deleted = [path for path in tree if path not in found.files and self._is_deleted(path, found)]
        is_certain = stamps.head == head and all(stamps.unchanged(*row) for row in found.files.items())
        # Nothing new: the signatures on disk are as good as fresh ones, so do not write them again.
        if is_certain and not edited and not deleted:
            return
        files = {path: fresh.get(path, (UNKNOWN, oid)) for path, oid in tree.items()}
        self._writer.stamps = Stamps(head, when, began, stamps.loose, files)
        if edited or deleted:
            self._adopt_files(found, tree, self._before(found, tree, fresh), edited, deleted)
        self._writer.save()

    def _edited(
        self, found: Found, tree: Mapping[str, str], stamps: Stamps
    ) -> tuple[dict[str, bytes], dict[str, tuple[Signature, str]]]:
        """The files whose bytes differ from the commit, and the signatures of those that do not."""
        edited: dict[str, bytes] = {}
        fresh: dict[str, tuple[Signature, str]] = {}
        for path, signature in found.files.items():
            if stamps.unchanged(path, signature):
                fresh[path] = stamps.files[path]
                continue
            try:
                data, signature = read_bytes(self._experiences / path)
            except OSError:
                continue
            oid = blob_id(data)
            if tree.get(path) == oid:
                fresh[path] = (signature, oid)
            else:
                edited[path] = data
        return edited, fresh

    def _is_deleted(self, path: str, found: Found) -> bool:
        """Whether a person deleted the file: its directory exists, and nothing else is in its place.

        A missing directory is never taken for deleted blocks.
        """
        folder = path.rpartition("/")[0]
        if folder and folder not in found.directories:
            return False
        odd = {problem.path for problem in found.problems}
        return odd.isdisjoint((path, folder)) and not (self._experiences / path).is_symlink()

    def _adopt_files(
        self,
        found: Found,
        tree: Mapping[str, str],
        before: Mapping[str, Placed],
        edited: Mapping[str, bytes],
        deleted: Collection[str],
    ) -> None:
        documents = {path: parse(data, path) for path, data in edited.items()}
        on_disk: dict[str, dict[str, Block]] = {}
        for path, signature in found.files.items():
            if holds_blocks(path):
                new = documents.get(path)
                read = self._reading.blocks(new)[0] if new else self._reading.parsed(path, signature).blocks
                on_disk[path] = {block.id: block for block in read if block.id}
        for path in deleted:
            elsewhere = {block_id for other, ids in on_disk.items() if other != path for block_id in ids}
            # A block that turned up in another file was moved, not removed.
            ids = tuple(i for i, place in before.items() if place.path == path and i not in elsewhere)
            blob = self._repository.blob(tree[path])
            trailers = tuple(("Withdrawn", one) for one in withdrawn(before, ids)) if ids else ()
            self._commit_adopted(path, blob, None, ids, "removed", trailers)
        for path, data in edited.items():
            others = {other: ids for other, ids in on_disk.items() if other != path}
            self._adopt_file(documents[path], data, before, others)

    def _adopt_file(
        self,
        document: Document,
        data: bytes,
        before: Mapping[str, Placed],
        others: Mapping[str, Mapping[str, Block]],
    ) -> None:
        path = document.path
        if not holds_blocks(path):
            if (new := as_adopted(document, data, self._sources.new_id, self._sources.now())) is not None:
                trailers = (("Changed", path),) if path == CONFIG_PATH else ()
                self._commit_adopted(path, data, new, (), "changed", trailers)
            return
        blocks, problems = self._reading.blocks(document)
        if first_error(problems):
            return
        elsewhere = {block_id for there in others.values() for block_id in there}
        copies = self._standings.copies(blocks, path, others, before)
        new_id = self._new_ids(path, {*before, *elsewhere})
        adoption = adopt(document, blocks, before, elsewhere, self._sources.now(), new_id, copies)
        new = edit(document, adoption.edits) if adoption.edits else data
        back: tuple[Returned, ...] = ()
        # What a person rejected and types again is told (DESIGN 6); of what git brought back the report says so.
        if not self._is_foreign and place_of(path) in ("low_value", "universal"):
            self._standings.follow()
            back = typed_again(self._reading.blocks(parse(new, path))[0], path, before, self._standings)
        self._commit_adopted(path, data, new, adoption.blocks, adoption.detail, adoption.trailers, back)
        self._warn_returned(path, back)

    def _warn_returned(self, path: str, back: Collection[Returned]) -> None:
        is_out = place_of(path) == "low_value"
        template = "{id} says what was rejected before, as {rejected}: it waits for your approval"
        if is_out:
            template = "{id} says what was rejected before, as {rejected}: it was taken out again, and history keeps it"
        for one in back:
            known = one.rejected.block.id
            helps = lifted_by(one.rejected) if is_out else Hint("see 'alice-exp why {id}'", id=known)
            self._sources.warn(ProblemError(template, id=one.block_id, rejected=known, path=path, hint=helps))

    def _commit_adopted(
        self,
        path: str,
        expected: bytes,
        new: bytes | None,
        blocks: tuple[str, ...],
        detail: str,
        trailers: tuple[tuple[str, str], ...],
        back: tuple[Returned, ...] = (),
    ) -> None:
        """Commit one file; what was rejected before leaves the pool in a second act, which lands with the first."""
        detail = f"{path.removesuffix('.jsonc')}, {detail}"
        act = Act("adopt", Actor("editor"), self._sources.now(), blocks, detail, trailers)
        disk = expected if new is not None else None
        if new is None or not back or place_of(path) != "low_value":
            is_own = holds_blocks(path) and place_of(path) == "personal" and not self._is_foreign
            # A person sets on a machine whether what is typed there counts at once.
            counts = is_own and self._config().flag(HAND_EDITS_TRUSTED)
            typed = self._standings.typed(path, new, blocks) if counts else ()
            self._writer.write(act, {path: FileChange(disk, new)}, ledger=self._standings.composing(typed))
            self._standings.catch_up()
        else:
            ids = tuple(one.block_id for one in back)
            refuse = Act("refuse", Actor("system"), act.at, ids, "rejected before", refusals(back))
            places = {one.block_id: one.placed for one in back if one.placed is not None}
            rest = rewrite(ChangeSet(refuse, removes=ids), places.get, lambda _: parse(new, path))
            self._writer.write(refuse, {path: FileChange(expected, rest[path])}, (act, {path: new}))
        said = "a secret or a private fact was taken out of {id}, but history keeps the words"
        ends = "'alice-exp purge {id}' forgets every version of it, the present one too"
        for block_id in (value for name, value in trailers if name == "Withdrawn"):
            self._sources.warn(ProblemError(said, id=block_id, path=path, hint=Hint(ends, id=block_id)))

    def _new_ids(self, path: str, taken: set[str]) -> Callable[[Block], str]:
        """A source of ids of blocks that are not ``taken``; each one given is added to it."""

        def new_id(block: Block) -> str:
            own = id_of_nameless(block, path, taken) if self._is_foreign else self._sources.new_id("exp")
            if own in taken:
                return new_id(block)
            taken.add(own)
            return own

        return new_id

    def _before(self, found: Found, tree: Mapping[str, str], fresh: Collection[str]) -> dict[str, Placed]:
        """Every block of the last commit, by id; read from git only for files that differ from it."""
        before: dict[str, Placed] = {}
        good = self._reading.last_good(tree, self._repository.blob)
        for path in tree:
            if not holds_blocks(path):
                continue
            is_kept = path in fresh
            blocks = self._reading.unread(path, found.files[path], good) if is_kept else good.blocks(path)
            before.update({block.id: Placed(block, path) for block in blocks})
        return before

    def taken_in(self, found: Found) -> tuple[dict[str, FileChange], list[str]]:
        """The files that exist before the home, completed, and the ids of their blocks."""
        files: dict[str, FileChange] = {}
        taken: list[str] = []
        for path in found.files:
            data = self._reading.content(path)
            document = parse(data, path)
            blocks, problems = read_blocks(document) if holds_blocks(path) else ((), ())
            new: bytes | None = None
            if (fault := first_error((document.problem, *problems))) is not None:
                self._sources.warn(fault.as_error("{message}; the file stays as it is"))
            elif not holds_blocks(path):
                new = as_adopted(document, data, self._sources.new_id, self._sources.now())
            else:
                named = adopt(document, blocks, {}, (), self._sources.now(), self._new_ids(path, set(taken)))
                new = edit(document, named.edits) if named.edits else data
                taken += named.blocks
            if new is not None:
                files[path] = FileChange(data, new)
        return files, taken


OLD_DRIVER = b"alice_exp.store.merging"
"""The module that the merge driver entry of a home of version 0.1 names."""

DRIVER = b'[merge "alice"]'
"""The section of the merge driver in a repository's configuration."""

SWEPT = ("", *(f"state/{folder}".rstrip("/") for folder in FOLDERS), "identity", "identity/peers")
"""The folders besides the files of the history in which a dead process may have left something temporary."""


def recover_home(repository: Repository, *, holder_died: bool) -> str:
    """Finish what a crash interrupted; see ``transaction.recover``. The caller must hold the writer lock.

    ``ProblemError`` for a home that version 0.1 wrote last.
    """

    def finish() -> None:
        # The merge driver is set in a plain clone.
        with contextlib.suppress(OSError):
            config = (repository.git_dir / "config").read_bytes()
            if OLD_DRIVER in config:
                raise ProblemError(
                    "version 0.1 wrote this home: version 0.2.0 has to upgrade it first",
                    hint="run 'alice-exp doctor --fix' of alice-exp 0.2.0 once",
                )
            if DRIVER not in config:
                repository.create()
        if repository.resolve(PURGING) or (repository.git_dir / STAGE).is_dir():
            # Every act passes here and hardly one finds a purge: what finishes it is loaded only then.
            from alice_exp.home.store import purge

            purge.finish(repository)

    root = repository.work_tree.parent
    for folder in SWEPT:
        sweep(root / folder, dead_only=True)
    return transaction.recover(repository, finish=finish, holder_died=holder_died)


def finish_interrupted(repository: Repository, holder_died: bool, warn: Callable[[AliceError], None]) -> None:
    """``recover_home``, with a warning for an act that fits no more; ``ProblemError`` if the disk refuses."""
    hint = "see that the disk can be written, then run this again"
    with refused_as("an interrupted act could not be finished: {why}", hint=hint):
        lost = recover_home(repository, holder_died=holder_died)
    if lost:
        said = "an interrupted act did not fit the history any more; it is kept as {ref}"
        warn(ProblemError(said, ref=f"{LOST}/{lost}"))
