"""Searches history for a block that is to be purged, and afterwards the whole home for what is left of its words."""

from __future__ import annotations

import contextlib
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path

from alice_exp.home.store.list_files import written_files
from alice_exp.kernel.errors import AliceError
from alice_exp.kernel.journal.atomic_files import read_bytes
from alice_exp.kernel.journal.git_process import Repository
from alice_exp.kernel.jsonc import json_rows
from alice_exp.kernel.text.display import WrittenForms
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.block_edits import UNREADABLE, Said, forget, forget_uses, said_by
from alice_exp.model.rules.private_facts import secrets_alone
from alice_exp.model.values.block import holds_blocks

_BATCH = 16 << 20
"""The bytes of objects that are read from git at a time; the rest of history is never in memory."""

_TALKS = ("sessions/", "state/hooks/")
"""The folders with conversations: what a block's evidence quotes was said there."""

_SENTENCE = 6
"""The least length in characters of a quotation that a conversation is searched for."""

_PAST = " (in history)"
MESSAGES = "git log"
"""Stands for the messages of commits, where files that are left are named."""


@dataclass(frozen=True, slots=True)
class Versions:
    """The blobs that contain a block, each with its replacement, and all that the block ever ``said``."""

    block_id: str
    found: Mapping[str, bytes]
    said: Said


def versions(repository: Repository, block_id: str, refs: Mapping[str, str]) -> Versions:
    """Every version of a file in history that contains the block: its id, its text without an id, or its words in the
    record of a decision on it."""
    paths = {
        oid: path for oid, path in blobs(repository, refs.values()) if holds_blocks(path) or _is_record(path)
    }
    wanted = block_id.encode()
    found: dict[str, bytes] = {}
    said = Said()
    for oid, data in contents(repository, [oid for oid, path in paths.items() if not _is_record(path)]):
        if wanted in data:
            said |= said_by(data, paths[oid], block_id)
            if (new := forget(data, paths[oid], block_id, ())) != data:
                found[oid] = UNREADABLE if new is None else new
    # A second pass, with all texts known: before it got its id, a hand-written block stood in files without it.
    said = with_secrets(said)
    words, uses = WrittenForms(said.payload, 1), WrittenForms(said.payload | said.trigger)
    for oid, data in contents(repository, [oid for oid in paths if oid not in found]):
        if wanted in data and uses.stand_in(data) if _is_record(paths[oid]) else words.stand_in(data):
            new = erased(data, paths[oid], block_id, said)
            if new != data:
                found[oid] = UNREADABLE if new is None else new
    return Versions(block_id, found, said)


def with_secrets(said: Said) -> Said:
    """What a block said, with each secret in it alone, where it is long enough to be no number of something else."""
    alone = secrets_alone(said.payload | said.trigger | said.quoted)
    return said | Said(frozenset(one for one in alone if len(one) >= _SENTENCE))


def erased(data: bytes, path: str, block_id: str, said: Said) -> bytes | None:
    """A file of blocks or records without what it says of the block; None if it cannot be parsed."""
    if _is_record(path):
        return forget_uses(data, path, block_id, said)
    return forget(data, path, block_id, said.payload)


def _is_record(path: str) -> bool:
    return path.startswith("records/")


def blobs(repository: Repository, commits: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Every object reachable from the commits that has a path, as id and path."""
    asked = "\n".join(commits).encode() + b"\n"
    for row in repository.run("rev-list", "--objects", "--stdin", stdin=asked).splitlines():
        oid, _, path = row.partition(b" ")
        if path:
            yield oid.decode(), path.decode("utf-8", "surrogateescape")


def contents(
    repository: Repository, oids: Iterable[str], kinds: tuple[str, ...] = ("blob",)
) -> Iterator[tuple[str, bytes]]:
    """The contents of objects, read from git in batches; those of other ``kinds`` are skipped."""
    asked = "\n".join(oids).encode()
    if not asked:
        return
    sizes = repository.run(
        "cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)", stdin=asked + b"\n"
    )
    batch: list[str] = []
    total = 0
    for row in sizes.decode().splitlines():
        # Of a damaged history set aside: "OID missing".
        oid, kind, size = [*row.split(), "0"][:3]
        if kind not in kinds:
            continue
        if batch and total + int(size) > _BATCH:
            yield from zip(batch, (data for _, data in repository.contents(batch)), strict=True)
            batch, total = [], 0
        batch.append(oid)
        total += int(size)
    yield from zip(batch, (data for _, data in repository.contents(batch)), strict=True)


def remains(repository: Repository, seen: Versions) -> Iterator[tuple[str, ...]]:
    """Where the words of a purged block still stand, where its trigger alone does, and where its id alone: in the home,
    inflated objects included, and in the files outside that it knows of. They are named, not changed."""
    root = repository.work_tree.parent
    words, occasions = with_secrets(seen.said).words, WrittenForms(seen.said.trigger)
    spoken = WrittenForms(seen.said.payload | seen.said.quoted, _SENTENCE)
    wanted = seen.block_id.encode()
    found: dict[str, list[str]] = {"words": [], "trigger": [], "id": []}
    for name, data in _everything(root, repository):
        if words.stand_in(data) or (name.startswith(_TALKS) and spoken.stand_in(data)):
            found["words"].append(name)
        elif occasions.stand_in(data):
            found["trigger"].append(name)
        # Where a version of the past names it, the acts that their messages tell of do so as well.
        elif wanted in data and not name.endswith(_PAST):
            found["id"].append(name)
    for path in written_files(root):
        with contextlib.suppress(OSError):
            if words.stand_in(path.read_bytes()):
                found["words"].append(str(path))
    # Many objects have one name; what says most of it is told.
    most = {name: kind for kind in reversed(found) for name in found[kind]}
    return (tuple(name for name in most if most[name] == kind) for kind in found)


def _everything(root: Path, repository: Repository) -> Iterator[tuple[str, bytes]]:
    """All that stands in a home, by name: its files, the tracked ones by their path in the repository, and inflated
    objects of every repository, of which those of its own history are named by their path as well."""
    present = repository.tree(repository.head())
    tracked = {repository.work_tree / path: path for path in present}
    for directory, inner, files in os.walk(root):
        if "HEAD" in files and "objects" in inner:
            inner.remove("objects")
            yield from _objects(root, Path(directory), repository, present)
        for path in (Path(directory) / name for name in files):
            with contextlib.suppress(OSError):
                yield tracked.get(path) or path.relative_to(root).as_posix(), read_bytes(path)[0]


def _objects(
    root: Path, git_dir: Path, repository: Repository, present: Mapping[str, str]
) -> Iterator[tuple[str, bytes]]:
    """The objects of a repository, reachable or not; of one that git cannot read, those that are no part of a pack."""
    paths: dict[str, str] = {}
    if git_dir == repository.git_dir:
        paths = {
            oid: path if present.get(path) == oid else f"{path}{_PAST}"
            for oid, path in blobs(repository, [repository.head()])
        }
    else:
        repository = Repository(git_dir.parent)
        repository.git_dir = git_dir
    name = git_dir.relative_to(root).as_posix()
    try:
        listed = repository.run(
            "cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)"
        )
        kinds = dict(row.split() for row in listed.decode().splitlines())
        for oid, data in contents(repository, kinds, ("blob", "commit", "tag")):
            is_message = git_dir == root / "experiences" / ".git" and kinds[oid] != "blob"
            yield MESSAGES if is_message else paths.get(oid, f"{name} ({oid[:12]})"), data
    except AliceError:
        for path in (git_dir / "objects").glob("??/*"):
            with contextlib.suppress(OSError, zlib.error):
                yield f"{name} ({path.parent.name}{path.name[:10]})", zlib.decompress(path.read_bytes())


def first_act(repository: Repository, block_id: str) -> float:
    """When an act first named the block (seconds since 1970); 0 if none did."""
    rows = repository.run("log", "--format=%ct", f"--grep=^Alice-Block: {block_id}$", "HEAD", "--").split()
    return min(map(float, rows), default=0.0)


def departed(root: Path, block_id: str, since: float) -> tuple[str, ...]:
    """Where the block, known ``since`` (seconds since 1970), went: private remotes that a sync reached since then, as
    they have the history, and what the log of sharing names."""
    names: dict[str, None] = {}
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        remotes = json.loads((root / "identity" / "remotes.json").read_bytes())
        names.update(
            (str(one["name"]), None)
            for one in remotes
            if one["private"] is True
            and "synced" in one
            and datetime.fromisoformat(one["synced"]).timestamp() >= since
        )
    with contextlib.suppress(OSError):
        for row in json_rows((root / "identity" / "shared.jsonl").read_bytes()):
            with contextlib.suppress(KeyError, TypeError):
                if any(one["id"] == block_id for one in row["blocks"]):
                    names[str(row["to"])] = None
    return tuple(names)
