"""One act, one commit, nothing half done: prepare, swap, land, and recover what a crash left (DESIGN 5).

The journal is the reference ``refs/alice/pending``: while it exists, the commit it names is decided and will stand.
Temporary files are written before anything is decided, so that a full disk is found while nothing has changed.
"""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from alice_exp.kernel.errors import AliceError, ProblemError
from alice_exp.kernel.journal.atomic_files import (
    ChangedOnDisk,
    read_bytes,
    swap_in,
    sweep,
    sync_directory,
    take_out,
    write_beside,
)
from alice_exp.kernel.journal.commit_message import COMPLETES
from alice_exp.kernel.journal.git_process import FORWARD, LOST, NO_OBJECT, PENDING, blob_id
from alice_exp.kernel.journal.leftovers import (
    drop_abandoned_names,
    drop_stale_locks,
    sweep_objects,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from alice_exp.kernel.journal.git_process import Message, Repository

First: TypeAlias = "tuple[Message, Mapping[str, bytes | None]]"
"""The first of two commits of one stream: its message and its files' bytes, which are on disk only if they stay."""


_TICK_NS = 50_000_000
"""How far (ns) a file system's time stamps may lag behind the clock."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of an act: what it must hold now (None: not exist) and what it shall hold (None: be gone)."""

    expected: bytes | None
    new: bytes | None


@dataclass(frozen=True, slots=True)
class Recovered:
    """What recovery did: ``finished`` an act, set one aside as ``lost``, or nothing (both empty)."""

    finished: str = ""
    lost: str = ""


def write(
    repository: Repository,
    parent: str,
    message: Message,
    changes: Mapping[str, FileChange],
    first: First | None = None,
    *,
    merged: str = "",
    follow: str = "",
) -> str:
    """Commit the changes and bring the files to what the commit says; returns the commit's id.

    ``first`` is committed before it, in the same stream: both land or none does. ``merged`` is the commit's second
    parent. ``follow`` is a commit that is there already and follows on ``parent``: the branch moves to it.

    Raises ``ChangedOnDisk`` with nothing changed where a person saved in between, ``ProblemError`` where the disk or
    git refused: then nothing has changed either, unless the sentence says that the act is decided.
    """
    temporaries = _write_temporaries(repository.work_tree, changes)
    pending = ""
    try:
        if follow:
            repository.point([(PENDING, follow, ""), (FORWARD, follow, "")])
            pending = follow
        else:
            pending = _prepare(repository, parent, message, changes, first, merged)
        with _telling(repository, changes):
            _swap_all(repository, changes, temporaries)
            _land(repository, pending, parent)
    except ChangedOnDisk:
        repository.give_up(pending)
        with contextlib.suppress(ProblemError):
            repository.refresh_index(None)
        raise
    except (OSError, ProblemError) as error:
        landed = pending != "" and repository.head() == pending
        if not landed and not repository.resolve(PENDING):
            raise _sentence(error) from error
        _finish(repository, changes, error)
        with contextlib.suppress(ProblemError):
            repository.refresh_index(None)
    finally:
        for temporary in temporaries.values():
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
    return pending or repository.head()


def _write_temporaries(root: Path, changes: Mapping[str, FileChange]) -> dict[str, Path]:
    temporaries: dict[str, Path] = {}
    try:
        for path, change in changes.items():
            if change.new is not None and change.new != change.expected:
                (root / path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                temporaries[path] = write_beside(root / path, change.new)
    except OSError as error:
        for temporary in temporaries.values():
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
        raise _sentence(error) from error
    return temporaries


def _prepare(
    repository: Repository,
    parent: str,
    message: Message,
    changes: Mapping[str, FileChange],
    first: First | None,
    merged: str,
) -> str:
    began = time.time_ns() - _TICK_NS
    files = {path: change.new for path, change in changes.items()}
    try:
        pending = repository.prepare(parent, message, files, first, merged)
    except (OSError, ProblemError):
        pending = repository.resolve(PENDING)
        if not pending:
            sweep_objects(repository)
            raise
    _sync_objects(repository, began)
    return pending


def _is_fresh(changed: int, since: int) -> bool:
    """Whether a directory changed after ``since`` (both ns); some file systems count in seconds alone."""
    return changed >= since or (changed % 1_000_000_000 == 0 and changed >= since - 2_000_000_000)


def _sync_objects(repository: Repository, since: int) -> None:
    """Force the names of new objects and of the pending reference to disk: git forces their content alone."""
    git_dir = repository.git_dir
    with os.scandir(git_dir / "objects") as entries:
        fresh = [
            entry.path for entry in entries if entry.is_dir() and _is_fresh(entry.stat().st_mtime_ns, since)
        ]
    if any(name.startswith("tmp_") for directory in fresh for name in os.listdir(directory)):  # noqa: PTH208
        sweep_objects(repository)
    for directory in [*map(Path, fresh), git_dir / "objects", git_dir / "refs" / "alice"]:
        sync_directory(directory)


def _swap_all(
    repository: Repository, changes: Mapping[str, FileChange], temporaries: Mapping[str, Path]
) -> None:
    root = repository.work_tree
    done: list[str] = []
    try:
        for path, change in changes.items():
            if change.new is None and change.expected is not None:
                take_out(root / path, change.expected)
            elif path in temporaries:
                swap_in(temporaries[path], root / path, change.expected)
            done.append(path)
    except ChangedOnDisk:
        for path in reversed(done):
            _put_back(root / path, changes[path])
        raise
    for directory in {(root / path).parent for path in changes}:
        sync_directory(directory)


def _put_back(path: Path, change: FileChange) -> None:
    """Undo one swap; a file that a person has saved since stays as it is."""
    with contextlib.suppress(ChangedOnDisk):
        if change.expected is None and change.new is not None:
            take_out(path, change.new)
        elif change.expected is not None and change.expected != change.new:
            swap_in(write_beside(path, change.expected), path, change.new)


def _land(repository: Repository, pending: str, parent: str) -> None:
    repository.land(pending, parent)
    sync_directory(repository.git_dir / "refs" / "heads")


@contextlib.contextmanager
def _telling(repository: Repository, changes: Mapping[str, FileChange]) -> Iterator[None]:
    """Tell git's index what lands while it lands; where git refuses, the index is stale and the next act mends it."""
    entries = {
        path: NO_OBJECT if change.new is None else blob_id(change.new) for path, change in changes.items()
    }
    end = repository.telling_index(entries)
    try:
        yield
    finally:
        with contextlib.suppress(ProblemError):
            end()


def _finish(repository: Repository, changes: Mapping[str, FileChange], error: Exception) -> None:
    try:
        _swap_the_rest(repository.work_tree, changes)
        recover(repository)
    except (OSError, AliceError):
        raise ProblemError(
            "the act is decided but could not be finished: {why}",
            why=_why(error),
            hint="the next command finishes it; see 'alice-exp log' before you repeat it",
        ) from error


def _swap_the_rest(root: Path, changes: Mapping[str, FileChange]) -> None:
    """Bring every file that is still as it was read to what the act says; one saved since stays as it is."""
    for path, change in changes.items():
        full = root / path
        if change.expected == change.new or _present(full) != change.expected:
            continue
        with contextlib.suppress(ChangedOnDisk):
            if change.new is None:
                take_out(full, change.expected or b"")
            else:
                swap_in(write_beside(full, change.new), full, change.expected)
        sync_directory(full.parent)


def _sentence(error: Exception) -> AliceError:
    if isinstance(error, AliceError):
        return error
    return ProblemError("nothing was changed: {why}", why=_why(error))


def _why(error: Exception) -> str:
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower()
    return str(error)


def recover(
    repository: Repository, *, finish: Callable[[], object] = lambda: None, holder_died: bool = False
) -> Recovered:
    """Finish what a crash interrupted. Call it under the lock alone.

    ``finish`` ends what else was decided in this history before a pending act is looked at.
    ``holder_died`` says that the last holder of the lock ended in the middle: what git left half done is swept too.
    Pending on the branch's tip: its files are brought up to date where they still are as before, and it lands. Already
    on the branch: the mark is dropped. On another line: it is kept as ``refs/alice/lost/<id>``.
    """
    for folder in _folders(repository.work_tree):
        sweep(folder)
    drop_stale_locks(repository)
    drop_abandoned_names(repository)
    finish()
    if holder_died:
        sweep_objects(repository)
    pending = repository.resolve(PENDING)
    if not pending:
        return Recovered()
    head = repository.head()
    if _base(repository, pending) != head and not _is_followed(repository, pending, head):
        if head and repository.contains(head, pending):
            repository.give_up(pending)
            return Recovered()
        repository.point([(f"{LOST}/{pending}", pending, "")])
        repository.give_up(pending)
        return Recovered(lost=pending)
    _finish_files(repository, head, pending)
    repository.land(pending, head)
    sync_directory(repository.git_dir / "refs" / "heads")
    with contextlib.suppress(ProblemError):
        repository.refresh_index(None)
    return Recovered(finished=pending)


def _folders(root: Path) -> list[Path]:
    """The directories in which files are exchanged: acts write one level deep."""
    with os.scandir(root) as entries:
        return [root, *(Path(entry) for entry in entries if entry.name != ".git" and entry.is_dir())]


def _is_followed(repository: Repository, pending: str, head: str) -> bool:
    """Whether it is history that this home was about to follow from where it stands."""
    return (
        repository.resolve(FORWARD) == pending
        and pending != head
        and (not head or repository.contains(pending, head))
    )


def _base(repository: Repository, pending: str) -> str:
    """Where the branch stood when this was prepared: before the commit, or before the one that it completes."""
    parent = repository.parent(pending)
    message = repository.run("log", "-1", "--format=%B", pending, "--").decode("utf-8", "replace")
    return repository.parent(parent) if f"\nAlice-{COMPLETES}: " in message else parent


def _finish_files(repository: Repository, old: str, new: str) -> None:
    root = repository.work_tree
    touched: set[Path] = set()
    for path, old_blob, new_blob in _differences(repository, old, new):
        full = root / path
        present = _present(full)
        if (NO_OBJECT if present is None else blob_id(present)) != old_blob:
            continue
        touched.add(full.parent)
        with contextlib.suppress(ChangedOnDisk):
            if new_blob == NO_OBJECT:
                take_out(full, present or b"")
            else:
                full.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                swap_in(write_beside(full, repository.blob(new_blob)), full, present)
    for directory in touched:
        sync_directory(directory)


def _differences(repository: Repository, old: str, new: str) -> list[tuple[str, str, str]]:
    if old:
        return repository.difference(old, new)
    return [(path, NO_OBJECT, oid) for path, oid in repository.tree(new).items()]


def _present(path: Path) -> bytes | None:
    try:
        return read_bytes(path)[0]
    except FileNotFoundError:
        return None
