"""Writes acts as commits of one repository and keeps the file signatures up to date, in a derived file as all below
``state/``: JSON under a checksum, where a damaged one counts as missing.

Every method but ``compared`` must be called with the writer lock held.
"""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from zlib import crc32

from alice_exp.kernel.errors import AliceError, ProblemError
from alice_exp.kernel.journal import atomic_files
from alice_exp.kernel.journal.act import Act, Commit, LedgerCommit, Message, commit_lines, compose
from alice_exp.kernel.journal.atomic_files import Signature, read_bytes
from alice_exp.kernel.journal.git_process import Repository
from alice_exp.kernel.journal.git_references import RepoConfig
from alice_exp.kernel.value_class import attributes, blob_id, dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from alice_exp.kernel.journal.transaction import FileChange

Ledgering: TypeAlias = "Callable[[Commit, int], LedgerCommit | None]"

PACK_AT = 4 << 20
"""Repack once this many bytes of new packs have gathered: files are rewritten whole, so size grows before number."""

PACKS = 40
"""Repack above this many packs: every act leaves one, and git searches them one by one."""


def derived(body: object) -> str:
    """The text of a derived file: a line with the checksum (CRC-32), then JSON."""
    text = json.dumps(body)
    return f"{crc32(text.encode()):08x}\n{text}"


def keep_derived(path: Path, body: object) -> None:
    """Write a dispensable file below ``state/``: errors of the disk are ignored, no fsync."""
    with contextlib.suppress(OSError):
        atomic_files.replace(path, derived(body).encode(), durable=False)


def load_derived(path: Path) -> Any:
    """What ``keep_derived`` wrote; None if the file is missing, or is not byte for byte what was written."""
    try:
        head, _, text = path.read_bytes().partition(b"\n")
        # Compared before it is parsed: of what somebody else wrote not even the nesting is looked at.
        return json.loads(text) if head == b"%08x" % crc32(text) else None
    except (OSError, ValueError, RecursionError):
        return None


_VERSION = 3
UNKNOWN = Signature(0, 0, -1, 0)
"""The signature of a file that differs from the commit; no real file has a negative size."""


@dataclass(frozen=True)
class Stamps:
    """The commit that the files equalled, its time (epoch seconds), and each file's signature and blob id.

    ``at`` (ns) is a time before the signatures were taken: a file that is not clearly older may have changed unnoticed
    within one tick of the file system's clock. A file that differs from the commit has the signature ``UNKNOWN``.
    ``loose`` counts the bytes of packs written since the last repacking, as far as that is known.
    """

    head: str = ""
    commit_time: int = 0
    at: int = 0
    loose: int = 0
    files: Mapping[str, tuple[Signature, str]] = field(default_factory=dict)

    def unchanged(self, path: str, signature: Signature) -> bool:
        """Whether a file certainly has the content of the commit; False means "read it to find out"."""
        known = self.files.get(path)
        # git calls the younger "racily clean": a second write within one tick does not show in the time stamp.
        return known is not None and known[0] == signature and signature.is_older(self.at)


@dataclass(frozen=True, slots=True)
class Sources:
    """Injected sources of time (``now`` ISO-8601 UTC, ``epoch`` seconds), fresh ids, and the sink for warnings."""

    now: Callable[[], str]
    epoch: Callable[[], int]
    new_id: Callable[[str], str]
    warn: Callable[[AliceError], None]


class CommitWriter:
    """Writer of the commits of one work tree; ``stamps`` is the path of its signature cache."""

    def __init__(
        self, work_tree: Path, stamps: Path, sources: Sources, config: Callable[[], RepoConfig] = RepoConfig
    ) -> None:
        self.work_tree = work_tree
        self.repository = Repository(work_tree, config)
        self.sources = sources
        self._path = stamps

    @cached_property
    def stamps(self) -> Stamps:
        """The signatures as this process knows them, read from disk on first use; none where the file is missing,
        unreadable or of another version."""
        raw = load_derived(self._path)
        if raw is None or raw["version"] != _VERSION:
            return Stamps()
        files = {name: (Signature(*row[:4]), row[4]) for name, row in raw["files"].items()}
        return Stamps(raw["head"], raw["commit_time"], raw["at"], raw["loose"], files)

    def reread(self) -> Stamps:
        """Read the signatures from disk again, because another process may have written."""
        self.forget()
        return self.stamps

    def forget(self) -> None:
        """Drop the signatures in memory, after history itself was rewritten."""
        vars(self).pop("stamps", None)

    def composed(self, act: Act) -> tuple[Commit, Message]:
        """The act as a ``Commit`` without an id, and its commit message."""
        commit, text = compose(act, act.act_id or self.sources.new_id("act"))
        # A commit is never older than its parent, even if the clock was set back.
        return commit, Message(
            f"{act.actor} <{act.actor.kind}@alice>", max(self.sources.epoch(), self.stamps.commit_time), text
        )

    def write(
        self,
        act: Act,
        files: Mapping[str, FileChange],
        first: tuple[Act, Mapping[str, bytes | None]] | None = None,
        ledger: Ledgering = lambda *_: None,
    ) -> Commit:
        """Write one act, or ``first`` and then ``act`` as two commits that land together (``COMPLETES``).

        Returns the commit that the caller asked for: that of ``first`` if it is given. ``ledger`` gives the commit of
        the ledger that lands with it, from the act with its id and the time in epoch seconds; None: it stays.
        """
        from alice_exp.kernel.journal import transaction
        from alice_exp.kernel.journal.act import COMPLETES, LEDGER

        opened = self.composed(first[0]) if first else None
        if opened is not None:
            act = replace(act, trailers=(*act.trailers, (COMPLETES, opened[0].act_id)))
        commit, message = self.composed(act)
        made = ledger(opened[0] if opened else commit, message.when)
        if made is not None:
            message = replace(message, text=f"{message.text}Alice-{LEDGER}: {made.oid}\n")
        parent = self.stamps.head or self.repository.head()
        before = (opened[1], first[1]) if opened and first else None
        oid = transaction.write(self.repository, parent, message, files, before, ledger=made)
        self._stamp(oid, message.when, files)
        if opened is not None:
            commit, oid = opened[0], self.repository.parent(oid)
        return replace(commit, commit=oid)

    def _stamp(self, oid: str, when: int, files: Mapping[str, FileChange]) -> None:
        """Record what landed, and repack if enough has gathered.

        Written files get the signature ``UNKNOWN``, so that they are compared next time: a person may have saved one of
        them in between, and then it is not what the commit says.
        """
        stamps = self.stamps
        known = dict(stamps.files)
        for path, change in files.items():
            known.pop(path, None)
            if change.new is not None:
                known[path] = (UNKNOWN, blob_id(change.new))
        packs, newest = self.repository.packs()
        grown = stamps.loose + newest
        if grown > PACK_AT or packs > PACKS:
            # The act has landed; a failed repack must not make it look failed. The next act tries again.
            with contextlib.suppress(ProblemError):
                self.repository.pack()
            grown = 0
        self.stamps = Stamps(oid, when, stamps.at, grown, known)
        self.save()

    def compared(self, found: Mapping[str, Signature]) -> bool:
        """Whether the files are those of the commit, none missing and none added.

        Those that their signatures cannot vouch for, as what an act just wrote, are read: that costs a fraction of what
        adopting does, and takes no lock.
        """
        files = dict(self.stamps.files)
        if found.keys() != files.keys():
            return False
        unsure = [path for path, signature in found.items() if not self.stamps.unchanged(path, signature)]
        if not unsure:
            return True
        # Taken before the files are read, so that an edit during the reading is noticed next time.
        began = time.time_ns()
        for path in unsure:
            try:
                data, signature = read_bytes(self.work_tree / path)
            except OSError:
                return False
            oid = files[path][1]
            if blob_id(data) != oid:
                return False
            files[path] = (signature, oid)
        self.stamps = replace(self.stamps, at=began, files=files)
        self.save()
        return True

    def save(self) -> None:
        """Write the signatures to disk; without their commit if git's index is stale, so that the next act mends it."""
        files = {name: (*known, oid) for name, (known, oid) in self.stamps.files.items()}
        known = attributes(self.stamps, "head commit_time at loose")
        known |= {"head": ""} if self.repository.index_is_stale else {}
        keep_derived(self._path, {"version": _VERSION, **known, "files": files})


_CHANGE = re.compile(rb"M (\d+) ([0-9a-f]{40}) ")
# Marks of our own blobs and of the tombstone, far above those that fast-export hands out from 1.
_BLOB_MARK = 1_000_000_000
_LAST_MARK = 2_000_000_000


def rewrite(
    repository: Repository,
    refs: Mapping[str, str],
    replacements: Mapping[str, bytes],
    cleaned: Callable[[bytes], bytes],
    stage: str,
    branch: str,
    tombstone: Message,
    emptied: Iterable[str],
) -> tuple[str, int]:
    """Rewrite the history of all ``refs`` below ``stage`` and append a commit to ``branch``: the ``tombstone``, which
    removes the files ``emptied``. Returns that commit, and how many commits of the old history were replaced.

    ``replacements`` maps blob ids to their new bytes; ``cleaned`` gives a commit's new message. Merges, authors, times
    and act ids survive. Tags become plain references. Commits before the first replaced blob keep their ids.
    """
    # --no-data: blobs are named by id, so the stream carries only the new bytes of replaced ones.
    exported = repository.run(
        "fast-export",
        "--no-data",
        "--signed-tags=strip",
        "--tag-of-filtered-object=rewrite",
        "--reencode=no",
        "--show-original-ids",
        *refs,
    )
    marks = {oid: b":%d" % (_BLOB_MARK + number) for number, oid in enumerate(replacements)}
    pieces = [b"feature done\n"]
    for number, data in enumerate(replacements.values()):
        pieces.append(b"blob\nmark :%d\ndata %d\n%s\n" % (_BLOB_MARK + number, len(data), data))
    pieces += _changed(exported, marks, cleaned, f"{stage}/".encode())
    pieces += commit_lines(_LAST_MARK, tombstone, b"", f"{stage}/{branch.removeprefix('refs/')}")
    pieces += [b"D %s\n" % path.encode() for path in emptied]
    pieces.append(b"\nget-mark :%d\ndone\n" % _LAST_MARK)
    output = repository.run(
        "fast-import", "--quiet", "--done", "--date-format=raw-permissive", stdin=b"".join(pieces)
    )
    last = output.decode().split()[-1]
    return last, int(repository.run("rev-list", "--count", refs[branch], f"^{last}"))


def _changed(
    exported: bytes, marks: Mapping[str, bytes], cleaned: Callable[[bytes], bytes], stage: bytes
) -> Iterator[bytes]:
    """The exported stream with renamed references, replaced blobs, and cleaned messages."""
    # Not split into lines: `data N` is followed by N raw bytes, and a message may look like commands.
    at = 0
    tag: bytes | None = None
    while at < len(exported):
        end = exported.index(b"\n", at) + 1
        line = exported[at:end]
        at = end
        if line.startswith(b"data "):
            size = int(line[5:])
            text = exported[at : at + size]
            at += size
            # An annotated tag becomes a plain reference, so its message and tagger are dropped.
            if tag is None:
                new = cleaned(text)
                yield b"data %d\n%s\n" % (len(new), new)
            tag = None
        elif line.startswith(b"tag "):
            tag = line[4:-1]
            yield b"reset %stags/%s\n" % (stage, tag)
        elif tag is not None:
            if line.startswith(b"from "):
                yield line
        elif line.startswith((b"commit refs/", b"reset refs/")):
            verb, _, name = line.partition(b" ")
            yield b"%s %s%s" % (verb, stage, name.removeprefix(b"refs/"))
        elif line != b"\n":
            change = _CHANGE.match(line)
            mark = marks.get(change[2].decode()) if change else None
            yield b"M %s %s %s" % (change[1], mark, line[change.end() :]) if change and mark else line
