"""Searches history for a block that is to be purged, and all files of the home for its text."""

from __future__ import annotations

import contextlib
import json
import os
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from alice_exp.home.store.read_files import holds_blocks
from alice_exp.kernel.journal.atomic_files import read_bytes
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.block_erasure import UNREADABLE, forget, needles, quoted_by, said_by

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from alice_exp.kernel.journal.git_process import Repository

_BATCH = 16 << 20
"""The bytes of objects that are read from git at a time; the rest of history is never in memory."""

_SENTENCE = 6
"""The least length in characters of a quotation that a conversation is searched for."""


@dataclass(frozen=True, slots=True)
class Versions:
    """The blobs that contain a block, each with its replacement, all texts (``said``) that the block ever had, and
    what its evidence quotes."""

    block_id: str
    found: Mapping[str, bytes]
    said: frozenset[str]
    quoted: frozenset[str]

    @property
    def needles(self) -> tuple[bytes, ...]:
        """The block's texts as the bytes that files may contain."""
        return needles(self.said)


def versions(repository: Repository, block_id: str, refs: Mapping[str, str]) -> Versions:
    """Every version of a namespace file in history that contains the block's id, or its text without an id."""
    paths = {oid: path for oid, path in blobs(repository, refs.values()) if holds_blocks(path)}
    wanted = block_id.encode()
    found: dict[str, bytes] = {}
    said: set[str] = set()
    quoted: set[str] = set()
    for oid, data in contents(repository, paths):
        if wanted in data:
            said |= said_by(data, paths[oid], block_id)
            quoted |= quoted_by(data, paths[oid], block_id)
            new = forget(data, paths[oid], block_id, ())
            if new != data:
                found[oid] = UNREADABLE if new is None else new
    # A second pass, with all texts known: before it got its id, a hand-written block stood in files without it.
    words = needles(said, 1)
    for oid, data in contents(repository, [oid for oid in paths if oid not in found]) if words else ():
        if any(word in data for word in words):
            new = forget(data, paths[oid], block_id, said)
            if new is None:
                found[oid] = UNREADABLE
            elif new != data:
                found[oid] = new
    return Versions(block_id, found, frozenset(said), frozenset(quoted))


def blobs(repository: Repository, commits: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Every object reachable from the commits that has a path, as id and path."""
    asked = "\n".join(commits).encode() + b"\n"
    for row in repository.run("rev-list", "--objects", "--stdin", stdin=asked).splitlines():
        oid, _, path = row.partition(b" ")
        if path:
            yield oid.decode(), path.decode("utf-8", "surrogateescape")


def contents(repository: Repository, oids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """The contents of blobs, read from git in batches; other kinds of objects are skipped."""
    asked = "\n".join(oids).encode()
    if not asked:
        return
    sizes = repository.run(
        "cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)", stdin=asked + b"\n"
    )
    batch: list[str] = []
    total = 0
    for row in sizes.decode().splitlines():
        oid, kind, size = row.split()
        if kind != "blob":
            continue
        if batch and total + int(size) > _BATCH:
            yield from _batch(repository, batch)
            batch, total = [], 0
        batch.append(oid)
        total += int(size)
    if batch:
        yield from _batch(repository, batch)


def _batch(repository: Repository, oids: list[str]) -> Iterator[tuple[str, bytes]]:
    output = repository.run("cat-file", "--batch", stdin="\n".join(oids).encode() + b"\n")
    at = 0
    for oid in oids:
        end = output.index(b"\n", at)
        size = int(output[at:end].split()[2])
        yield oid, output[end + 1 : end + 1 + size]
        at = end + size + 2


def elsewhere(repository: Repository, seen: Versions, head: str) -> tuple[str, ...]:
    """Other files with the block's text: tracked, untracked, and conversations, these also with the words that its
    evidence quotes. They are reported, not changed."""
    words, spoken = seen.needles, needles(seen.said | seen.quoted, _SENTENCE)
    if not words and not spoken:
        return ()
    present = repository.tree(head)
    names: dict[str, None] = {}
    paths = dict(blobs(repository, [head]))
    for oid, data in contents(repository, paths):
        if any(word in data for word in words):
            path = paths[oid]
            names[path if present.get(path) == oid else f"{path} (in history)"] = None
    tracked = {repository.work_tree / path for path in present}
    for loose in _loose_files(repository.work_tree.parent):
        name = str(loose.relative_to(repository.work_tree.parent))
        if loose not in tracked and _holds(
            loose, (*words, *spoken) if name.startswith("sessions/") else words
        ):
            names[name] = None
    return tuple(names)


def first_act(repository: Repository, block_id: str) -> float:
    """When an act first named the block (seconds since 1970); 0 if none did."""
    rows = repository.run("log", "--format=%ct", f"--grep=^Alice-Block: {block_id}$", "HEAD", "--").split()
    return min(map(float, rows), default=0.0)


def departed(root: Path, block_id: str, since: float) -> tuple[str, ...]:
    """Where the block, known ``since`` (seconds since 1970), went: private remotes that a sync reached since then, as
    they have the history, and what the log of sharing names."""
    names: dict[str, None] = {}
    try:
        remotes = json.loads((root / "identity" / "remotes.json").read_bytes())
        names.update(
            (str(one["name"]), None)
            for one in remotes
            # When a sync of an older version came through is not known.
            if one["private"] is True
            and ("synced" not in one or datetime.fromisoformat(one["synced"]).timestamp() >= since)
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    try:
        lines = (root / "identity" / "shared.jsonl").read_bytes().splitlines()
    except OSError:
        lines = []
    for line in lines:
        with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
            row = json.loads(line)
            if any(one["id"] == block_id for one in row["blocks"]):
                names[str(row["to"])] = None
    return tuple(names)


def _loose_files(root: Path) -> Iterator[Path]:
    """The files of the home, except the repository and derived files."""
    for folder in ("experiences", "sessions"):
        for directory, inner, files in os.walk(root / folder):
            inner[:] = [name for name in inner if name != ".git"]
            yield from (Path(directory) / name for name in files)


def _holds(path: Path, words: tuple[bytes, ...]) -> bool:
    try:
        data, _ = read_bytes(path)
    except OSError:
        return False
    return any(word in data for word in words)
