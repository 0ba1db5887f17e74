"""Composes the new contents of files from a change set, verifies them, and writes them as one act."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.home.landed import Landed
from alice_exp.home.store.read_files import holds_blocks, placed
from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.atomic_files import ChangedOnDisk
from alice_exp.kernel.journal.git_process import blob_id
from alice_exp.kernel.journal.transaction import FileChange
from alice_exp.kernel.jsonc import parse
from alice_exp.model.formats.block_schema import read_blocks
from alice_exp.model.formats.change_edits import rewrite

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from alice_exp.home.store.list_files import Found
    from alice_exp.home.store.read_files import Reading
    from alice_exp.home.store.record_files import Recording
    from alice_exp.kernel.journal.act import Commit
    from alice_exp.kernel.journal.commit_writer import CommitWriter
    from alice_exp.kernel.jsonc import Document
    from alice_exp.kernel.jsonc.problem import Json
    from alice_exp.model.values.block import Block
    from alice_exp.model.values.changes import ChangeSet
    from alice_exp.model.values.snapshot import Snapshot


class Composing:
    """Writer of change sets. The caller must hold the writer lock on a settled home."""

    def __init__(
        self,
        writer: CommitWriter,
        reading: Reading,
        recording: Recording,
        follow: Callable[[Sequence[Landed]], None] = lambda _: None,
    ) -> None:
        self._follow = follow
        self._writer = writer
        self._reading = reading
        self._recording = recording
        self._experiences = writer.work_tree

    def carry_out(self, changes: ChangeSet, seen: Snapshot, found: Found) -> Commit:
        """Write one act; ``ChangedOnDisk``, with nothing changed, if a person saved in between."""
        documents: dict[str, Document] = {}
        contents: dict[str, bytes] = {}

        def document(path: str) -> Document | None:
            if path not in found.files:
                self._require_place(path, found)
                return None
            contents[path], documents[path] = self._as_seen(path)
            return documents[path]

        self._refuse_frozen(changes, seen, found)
        new = rewrite(changes, placed(seen.files), document)
        new |= self._recording.compose(changes, seen, lambda path: self._record(path, found, contents))
        for path in changes.texts:
            if path in found.files:
                contents[path] = self._reading.content(path)
            text = changes.seen.get(path)
            if path in changes.seen and contents.get(path) != (None if text is None else text.encode()):
                raise ChangedOnDisk(self._experiences / path)
        now = self._check(new, changes)
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
        commit = self._writer.write(act, {p: c for p, c in files.items() if c.expected != c.new}, first)
        self._tell(seen, contents, new, now)
        return commit

    def _tell(
        self,
        seen: Snapshot,
        contents: Mapping[str, bytes],
        new: Mapping[str, bytes | None],
        now: Mapping[str, tuple[Block, ...]],
    ) -> None:
        """Tell what landed, for those files whose blocks are known before and after."""
        was = {file.path: file.blocks for file in seen.files if not file.stale}
        self._follow(
            [
                Landed(path, contents[path], new[path] or b"", was[path], blocks)
                for path, blocks in now.items()
                if path in contents and path in was
            ]
        )

    def _record(self, path: str, found: Found, contents: dict[str, bytes]) -> bytes | None:
        """A record file's content (None if missing), also put into ``contents`` as what must still be there."""
        if path not in found.files:
            return None
        try:
            contents[path] = self._reading.content(path)
        except OSError:
            raise ChangedOnDisk(self._experiences / path) from None
        known = self._writer.stamps.files.get(path)
        if known is None or known[1] != blob_id(contents[path]):
            raise ChangedOnDisk(self._experiences / path)
        return contents[path]

    def _as_seen(self, path: str) -> tuple[bytes, Document]:
        """A file that an act will write, as it was adopted; ``ChangedOnDisk`` if a person has saved it since."""
        full = self._experiences / path
        try:
            data = self._reading.content(path)
        except OSError:
            raise ChangedOnDisk(full) from None
        document = self._reading.document(path, data) if holds_blocks(path) else parse(data, path)
        problem = document.problem
        if problem is not None and not holds_blocks(path):
            raise ProblemError(
                "{message}; the file is left as it is",
                message=problem.message,
                path=path,
                line=problem.line,
                column=problem.column,
            )
        known = self._writer.stamps.files.get(path)
        if problem is not None or known is None or known[1] != blob_id(data):
            raise ChangedOnDisk(full)
        return data, document

    def _require_place(self, path: str, found: Found) -> None:
        for problem in found.problems:
            if problem.path in (path, path.partition("/")[0]):
                raise ProblemError("{message}", message=problem.message, path=problem.path, hint=problem.hint)
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
                problem = next((p for p in file.problems if p.severity == "error"), None)
                if problem is None:
                    self._require_place(file.path, found)
                    raise ProblemError("the directory of {path} is missing", path=file.path)
                raise ProblemError(
                    "{message}; the file is left as it is",
                    message=problem.message,
                    path=problem.path,
                    line=problem.line,
                    column=problem.column,
                    hint=problem.hint or "mend the file, then run the command again",
                )

    def _check(self, new: Mapping[str, bytes | None], changes: ChangeSet) -> dict[str, tuple[Block, ...]]:
        """Parse and compare the composed files before writing: a wrong edit must never reach a person's file.

        The blocks of each file whose blocks were all read.
        """
        read: dict[str, tuple[Block, ...]] = {}
        wanted: dict[tuple[str, str], Block] = {(put.path, put.block.id): put.block for put in changes.puts}
        for path, data in new.items():
            if data is None or not holds_blocks(path):
                continue
            document = self._reading.document(path, data)
            if len(changes.puts) > MANY and document.problem is None:
                blocks, problems = read_blocks(replace(document, value=_sampled(document.value)))
            else:
                blocks, problems = self._reading.blocks(document)
                read[path] = blocks
            faults = [problem for problem in problems if problem.severity == "error"]
            if faults:
                raise AssertionError(
                    f"composed {path} does not read back: {faults[0].where} {faults[0].message}"
                )
            for block in blocks:
                if wanted.get((path, block.id), block) != block:
                    raise AssertionError(f"composed {block.id} differs from what was meant in {path}")
        return read


MANY = 500
"""Above this many puts only a sample is compared: one function wrote them all, and the whole file was parsed."""


def _sampled(value: Json) -> Json:
    """A namespace file's value with every twentieth block and the last one."""
    listed = value.get("blocks") if isinstance(value, dict) else None
    return {"blocks": [*listed[:-1:20], *listed[-1:]]} if isinstance(listed, list) else value
