"""Reads namespace files into snapshots: each content is parsed once, and a broken file yields its last good version."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from alice_exp.home.store.list_files import Found, held_file, with_held
from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.atomic_files import NotAFile, Signature, read_bytes
from alice_exp.kernel.jsonc import Problem, first_error
from alice_exp.kernel.value_class import blob_id, dataclass
from alice_exp.model.formats.block_schema import read_blocks
from alice_exp.model.formats.record_schema import EMPTY, EPISODES, SEGMENTS, read_episodes, read_timeline
from alice_exp.model.rules.ledger import keeper
from alice_exp.model.values.block import HELD, NONE, Block, Place, holds_blocks, place_of
from alice_exp.model.values.records import EPISODES_PATH, EVENTS_PATH, Episode, EpisodeBook, Timeline
from alice_exp.model.values.snapshot import Catalogue, ChangeSet, NamespaceFile, Snapshot, Unread

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from alice_exp.kernel.journal.git_references import References
    from alice_exp.kernel.jsonc.document import Document, Unchanged

Marked: TypeAlias = "Callable[[str, Sequence[Block]], tuple[Block, ...]]"
"""Gives the blocks of a path their entries of the ledger."""

SAVING_NS = 50_000_000
"""A broken file younger than this (ns) may be half saved, so an act reads it again before reporting a problem."""

SOON_READ = 1 << 17
"""Files of so many bytes in all, some two hundred blocks, are read in less time than SQLite is loaded."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """One version of one file: its signature on disk, its blocks and its problems."""

    signature: Signature
    blocks: tuple[Block, ...]
    problems: tuple[Problem, ...]

    @property
    def broken(self) -> bool:
        """Whether an error prevents writing to the file."""
        return first_error(self.problems) is not None


class Reading:
    """A parser with a cache: within a process no unchanged file is parsed, and no unchanged block read, twice."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._parsed: dict[str, Parsed] = {}
        self._good: dict[str, tuple[str, tuple[Block, ...]]] = {}
        self._documents: dict[str, tuple[bytes, Document]] = {}
        self._sound: dict[str, Unchanged[Block]] = {}
        self.records = Recording(self)

    def content(self, path: str) -> bytes:
        """A file's bytes; ``OSError`` unchanged."""
        return self.signed(path)[0]

    def signed(self, path: str) -> tuple[bytes, Signature]:
        """A file's bytes and signature; ``OSError`` unchanged."""
        return read_bytes(held_file(self.root) if path == HELD else self.root / path)

    def document(self, path: str, data: bytes, listed: str = "blocks") -> Document:
        """Parse a file whose list has the name ``listed``, reusing unchanged elements of the document parsed last."""
        known = self._documents.get(path)
        if known is None or known[0] != data:
            from alice_exp.kernel.jsonc.reader import parse

            was = known[1] if known else None
            known = self._documents[path] = (data, parse(data, path, listed, was))
        return known[1]

    def parsed(self, path: str, signature: Signature) -> Parsed:
        """The namespace file on disk; a file that cannot be read has a problem instead of blocks."""
        known = self._parsed.get(path)
        if known is not None and known.signature == signature:
            return known
        try:
            data, signature = self.signed(path)
        except OSError as error:
            why = error.strerror or "it is gone"
            template = "{why}" if isinstance(error, NotAFile) else "this file cannot be read: {why}"
            return Parsed(signature, (), (Problem.fault(path, template, why=why.lower()),))
        parsed = self._parsed[path] = Parsed(signature, *self.blocks(self.document(path, data)))
        if not parsed.broken:
            self._good[path] = (blob_id(data), parsed.blocks)
        return parsed

    def unread(self, path: str, signature: Signature, last_good: LastGood) -> tuple[Block, ...]:
        """The blocks that a file has in the last commit, from disk if it is still the same there."""
        blocks = self.parsed(path, signature).blocks
        return blocks if self._good.get(path, ("",))[0] == last_good.oid(path) else last_good.blocks(path)

    def not_read(
        self, committed: Mapping[str, tuple[Signature, str]], found: Found, places: Collection[Place]
    ) -> dict[str, str]:
        """The namespace files of some sets that are as ``committed`` and were not parsed yet: path to blob id.

        None where all of them are read sooner than an index is asked.
        """
        rows = {
            path: (signature.size, oid)
            for path, (signature, oid) in committed.items()
            if holds_blocks(path)
            and place_of(path) in places
            and found.files.get(path) == signature
            and (path not in self._parsed or self._parsed[path].signature != signature)
        }
        if sum(size for size, _ in rows.values()) < SOON_READ:
            return {}
        return {path: oid for path, (_, oid) in rows.items()}

    def last_good(self, tree: Mapping[str, str], blob: Callable[[str], bytes]) -> LastGood:
        """Access to the files of a commit (``tree``: path to blob id), with this object's cache."""
        return LastGood(tree, blob, self._good)

    def blocks(self, document: Document) -> tuple[tuple[Block, ...], tuple[Problem, ...]]:
        """The blocks and problems of a parsed file; unchanged blocks are taken from the last reading."""
        blocks, problems = read_blocks(document, self._sound.get(document.path))
        # Elements and blocks correspond one to one only if every element could be read.
        if len(blocks) == len(document.elements):
            from alice_exp.kernel.jsonc.document import Unchanged

            self._sound[document.path] = Unchanged(document, blocks)
        return blocks, problems

    def sound(self, path: str, data: bytes) -> tuple[tuple[Block, ...], bool] | None:
        """The blocks of a content and whether it has no warning either; None if it has an error.

        For the index; new contents are not cached here.
        """
        known = self._parsed.get(path)
        if known is not None and not known.broken and self._good[path][0] == blob_id(data):
            return known.blocks, not known.problems
        from alice_exp.kernel.jsonc.reader import parse

        blocks, problems = read_blocks(parse(data, path))
        return None if first_error(problems) else (blocks, not problems)


def is_being_saved(seen: Snapshot, found: Found) -> bool:
    """Whether a broken file was written within ``SAVING_NS``."""
    young = time.time_ns() - SAVING_NS
    broken = (found.files.get(file.path) for file in seen.files if file.stale)
    return any(signature is not None and signature.mtime > young for signature in broken)


def snapshot(
    reading: Reading,
    found: Found,
    places: Collection[Place],
    head: str,
    last_good: LastGood,
    marked: Marked,
    catalogue: tuple[Collection[str], Catalogue] | None = None,
) -> Snapshot:
    """All blocks of some sets, each id once, with their entries of the ledger; a broken file contributes its last good
    version, marked stale.

    ``catalogue`` answers for some paths, which are those of the last commit: they are read when somebody looks at their
    blocks. Beside a file with an error every file is read, since which of them owns an id must be known.
    """
    if "held" in places:
        found = with_held(found, reading.root)
    covered, known = catalogue or ((), None)

    def read(path: str, signature: Signature) -> Sequence[Block]:
        # As a catalogue knows them: as fast as from the file, and without what parses it.
        blocks: Sequence[Block] | None = known(lambda rows: rows.of_file(path)) if known else None
        return marked(path, reading.unread(path, signature, last_good)) if blocks is None else blocks

    files: list[NamespaceFile] = []
    ids, count = set[str](), 0
    problems = list(found.problems)
    has_error = bool(problems)
    for path, signature in found.files.items():
        if path != HELD and (not holds_blocks(path) or place_of(path) not in places):
            continue
        if path in covered:
            files.append(NamespaceFile(path, Unread(partial(read, path, signature))))
            continue
        parsed = reading.parsed(path, signature)
        has_error = has_error or parsed.broken
        blocks = last_good.blocks(path) if parsed.broken else parsed.blocks
        files.append(NamespaceFile(path, marked(path, blocks), parsed.problems, stale=parsed.broken))
        ids.update(block.id for block in blocks if block.id)
        count += sum(1 for block in blocks if block.id)
        problems += parsed.problems
    twice = known(lambda rows: rows.with_ids(ids)) if known else []
    if known and (has_error or twice is None or any(one.path in covered for one in twice)):
        return snapshot(reading, found, places, head, last_good, marked)
    lost = last_good.missing(found, places)
    files += [replace(file, blocks=marked(file.path, file.blocks), stale=True) for file in lost]
    # A directory with something else in its place has its problem already.
    gone = {file.path.partition("/")[0] for file in lost} - {problem.path for problem in found.problems}
    template = "this directory is missing; the last good version answers"
    for folder in sorted(gone - found.directories):
        problems.append(Problem.fault(folder, template, "put it back where it was"))
    if lost or count > len(ids):
        files, named = _each_once(files, last_good)
        problems += named
    return Snapshot(tuple(sorted(files, key=lambda file: file.path)), tuple(problems), head, catalogue=known)


def _each_once(
    files: Sequence[NamespaceFile], last_good: LastGood
) -> tuple[list[NamespaceFile], list[Problem]]:
    """The files without blocks that count in another one (``ledger.keeper``), and the copies by name."""
    holders: dict[str, list[NamespaceFile]] = {}
    for file in files:
        for block in file.blocks:
            if block.id:
                holders.setdefault(block.id, []).append(file)
    kept: dict[str, str] = {}
    problems: list[Problem] = []
    for block_id, several in holders.items():
        if len(several) < 2:
            continue
        entry = next(block.entry for block in several[0].blocks if block.id == block_id) or NONE
        # What a broken file held is older than what a sound one says: a block that was moved must not appear twice.
        paths = [file.path for file in several if not file.stale] or [file.path for file in several]
        last = next((p for p in paths if any(b.id == block_id for b in last_good.blocks(p))), "")
        kept[block_id] = place = keeper(entry, last, paths)
        template = "{id} stands in {other} as well, which counts"
        values = {"id": block_id, "other": place}
        problems += [
            Problem(file.path, 1, 1, template, values, "warning")
            for file in several
            if file.path != place and not file.stale
        ]
    return [
        replace(file, blocks=tuple(b for b in file.blocks if kept.get(b.id, file.path) == file.path))
        if any(b.id in kept for b in file.blocks)
        else file
        for file in files
    ], problems


class LastGood:
    """The last committed versions of files, read from git only if a file on disk is unusable."""

    def __init__(
        self,
        tree: Mapping[str, str],
        blob: Callable[[str], bytes],
        known: dict[str, tuple[str, tuple[Block, ...]]],
    ) -> None:
        self._tree = tree
        self._blob = blob
        self._known = known

    def oid(self, path: str) -> str:
        """The blob id of a path in the last commit; empty if it was not tracked."""
        return self._tree.get(path, "")

    def blocks(self, path: str) -> tuple[Block, ...]:
        """The blocks of a path in the last commit; none if it was not tracked or is broken there too."""
        oid = self._tree.get(path)
        if oid is None:
            return ()
        if self._known.get(path, ("",))[0] != oid:
            from alice_exp.kernel.jsonc.reader import parse

            try:
                data = self._blob(oid)
            except ProblemError:
                return ()
            blocks, problems = read_blocks(parse(data, path))
            self._known[path] = (oid, () if first_error(problems) else blocks)
        return self._known[path][1]

    def missing(self, found: Found, places: Collection[Place]) -> list[NamespaceFile]:
        """Tracked files that do not count as deleted, because their directory is missing or something is in the way."""
        misplaced = {problem.path for problem in found.problems}
        unreachable = [
            path
            for path in self._tree
            if holds_blocks(path)
            and place_of(path) in places
            and path not in found.files
            and (
                path in misplaced
                or (folder := path.partition("/")[0]) in misplaced
                or folder not in found.directories
            )
        ]
        return [NamespaceFile(path, self.blocks(path)) for path in unreachable]


def unavailable(repository: References) -> tuple[Problem, ...]:
    """What is wrong with the history, where readers have to do without it; nothing if only its objects may be."""
    why = repository.damage()
    template = "the history is unavailable, the files are read as they are: {why}"
    return (Problem.fault(".git", template, repository.way_out(), why=why),) if why else ()


Read: TypeAlias = "tuple[EpisodeBook | Timeline | None, tuple[Problem, ...]]"
"""A file's value (None if it is broken) and its problems."""

_KINDS: Mapping[str, tuple[str, Callable[[], Any], str]] = {
    EPISODES_PATH: ("episodes", EpisodeBook, EPISODES),
    EVENTS_PATH: ("timeline", Timeline, SEGMENTS),
}
"""Of each record file: the field of snapshots and change sets, the value of an empty one, the name of its list."""


class Recording:
    """Reader and writer of the record files of one home, with a cache: no content is parsed twice."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._read: dict[str, tuple[Signature, Read]] = {}
        self._composed: dict[str, tuple[bytes, Read]] = {}
        self._sound: Unchanged[Episode] | None = None

    def within(self, seen: Snapshot, found: Found, records: bool | str) -> Snapshot:
        """A snapshot with both record files (True), or the one of a path, and their problems."""
        for path, (name, empty, _) in _KINDS.items():
            if records in (True, path):
                signature = found.files.get(path)
                value, faults = self._value(path, signature) if signature else (empty(), ())
                known: dict[str, Any] = {name: value}
                seen = replace(seen, problems=(*seen.problems, *faults), **known)
        return seen

    def _value(self, path: str, signature: Signature) -> Read:
        known = self._read.get(path)
        if known is None or known[0] != signature:
            try:
                data, signature = self._reading.signed(path)
            except OSError as error:
                why = (error.strerror or "it is gone").lower()
                return None, (Problem.fault(path, "this file cannot be read: {why}", why=why),)
            was, made = self._composed.pop(path, (None, None))
            known = self._read[path] = (signature, made if made and was == data else self._parsed(path, data))
        return known[1]

    def compose(
        self, changes: ChangeSet, seen: Snapshot, content: Callable[[str], bytes | None]
    ) -> dict[str, bytes]:
        """The new bytes of the record files that an act changes; ``content`` reads the present ones.

        They are parsed and compared before anything is written: a wrong edit must never reach a person's file.
        """
        files: dict[str, bytes] = {}
        for path, (name, empty, listed) in _KINDS.items():
            old, new = getattr(seen, name), getattr(changes, name)
            if new is not None and new != old:
                # Most acts record nothing.
                from alice_exp.kernel.jsonc.edits import edit
                from alice_exp.model.formats.record_import import book_edits, timeline_edits

                edits: Callable[..., list[Any]] = book_edits if path == EPISODES_PATH else timeline_edits
                document = self._reading.document(path, content(path) or EMPTY[path].encode(), listed)
                files[path] = edit(document, edits(document, old or empty(), new))
                read = self._parsed(path, files[path])
                if read[0] != new:
                    fault = first_error(read[1])
                    why = f"{fault.where} {fault.message}" if fault else "it differs from what was meant"
                    raise AssertionError(f"composed {path} does not read back: {why}")
                # Parsed already, so that the next read after landing does not parse it again.
                self._composed[path] = (files[path], read)
        return files

    def _parsed(self, path: str, data: bytes) -> Read:
        if data == EMPTY[path].encode():
            # A new home's file: the parser need not be loaded to find nothing in it.
            return _KINDS[path][1](), ()
        from alice_exp.kernel.jsonc.document import Unchanged

        document = self._reading.document(path, data, _KINDS[path][2])
        if path == EPISODES_PATH:
            book, problems = read_episodes(document, self._sound)
            if first_error(problems):
                return None, problems
            self._sound = Unchanged(document, book.episodes)
            return book, problems
        timeline, problems = read_timeline(document)
        return (None if first_error(problems) else timeline), problems
