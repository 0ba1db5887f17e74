"""The atomic write protocol: prepare, swap, land, and recovery after a crash (DESIGN 5).

The journal is the reference ``refs/alice/pending``: while it exists, the commit that it names is decided and will be
finished. Temporary files are written before the decision, so that a full disk shows while nothing has changed.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from alice_exp.kernel.errors import AliceError, ProblemError, reason, refused_as
from alice_exp.kernel.journal.act import COMPLETES, LEDGER, LedgerCommit, Message
from alice_exp.kernel.journal.atomic_files import (
    ChangedOnDisk,
    content_of,
    give_back,
    is_as_expected,
    let_go,
    link_back,
    require_replaceable,
    swap_in,
    sweep,
    sync_directory,
    take_out,
    write_beside,
)
from alice_exp.kernel.journal.git_process import FORWARD, LOST, NO_OBJECT, Repository
from alice_exp.kernel.journal.git_references import PENDING
from alice_exp.kernel.journal.lock import (
    drop_abandoned_names,
    drop_stale_locks,
    keep_late_saves,
    sweep_objects,
)
from alice_exp.kernel.value_class import blob_id, dataclass

First: TypeAlias = "tuple[Message, Mapping[str, bytes | None]]"
"""The first of two commits of one stream: its message and files. The work tree gets only what the second keeps."""

_TICK_NS = 50_000_000
"""How far (ns) a file system's time stamps may lag behind the clock (a kernel tick is up to 10 ms)."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of an act: its ``expected`` present content (None: absent) and its ``new`` content (None: removed)."""

    expected: bytes | None
    new: bytes | None


def write(
    repository: Repository,
    parent: str,
    message: Message,
    changes: Mapping[str, FileChange],
    first: First | None = None,
    *,
    merged: str = "",
    follow: str = "",
    ledger: LedgerCommit | str | None = None,
) -> str:
    """Commit the changes and update the files accordingly; returns the commit's id.

    ``first`` is committed before it, in the same stream: both land or neither, and so does ``ledger``, which the
    commit's message names (``act.LEDGER``); a string is the id of a commit of the ledger that is there. ``merged`` is
    the commit's second parent. Without a new commit, ``follow`` is the descendant of ``parent`` to move the branch to.

    Raises ``ChangedOnDisk``, with nothing changed, if somebody saved in between; ``ProblemError`` if the disk or git
    refused: nothing has changed then either, unless the message says that the act is decided.
    """
    temporaries: dict[str, Path] = {}
    displaced: dict[str, Path] = {}
    pending = ""
    try:
        _write_temporaries(repository.work_tree, changes, temporaries)
        if follow:
            repository.point([(PENDING, follow, ""), (FORWARD, follow, "")])
            pending = follow
        else:
            fresh = None if isinstance(ledger, str) else ledger
            pending = _prepare(repository, parent, message, changes, first, merged, fresh)
        with _updating_index(repository, changes):
            _swap_all(repository, changes, temporaries, displaced)
            moved = ledger if isinstance(ledger, str) else ledger.oid if ledger is not None else ""
            _land(repository, pending, parent, arrived=bool(merged), ledger=moved)
    except ChangedOnDisk:
        repository.give_up(pending)
        # The index was told of files that are back to what they were.
        with contextlib.suppress(ProblemError):
            repository.refresh_index()
        raise
    except (OSError, ProblemError) as error:
        landed = pending != "" and repository.head() == pending
        # With the reference set, the next process finishes the act, so "nothing was changed" would be wrong.
        if not landed and not repository.resolve(PENDING):
            with refused_as("nothing was changed: {why}"):
                raise
        _finish(repository, pending, changes, error)
        with contextlib.suppress(ProblemError):
            repository.refresh_index()
    finally:
        for temporary in temporaries.values():
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
        for one in displaced.values():
            with contextlib.suppress(OSError):
                let_go(one)
    return pending or repository.head()


def _write_temporaries(root: Path, changes: Mapping[str, FileChange], temporaries: dict[str, Path]) -> None:
    for path, change in changes.items():
        if change.expected is not None and change.new != change.expected:
            require_replaceable(root / path)
        if change.new is not None and change.new != change.expected:
            (root / path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            temporaries[path] = write_beside(root / path, change.new)


def _prepare(
    repository: Repository,
    parent: str,
    message: Message,
    changes: Mapping[str, FileChange],
    first: First | None,
    merged: str,
    ledger: LedgerCommit | None,
) -> str:
    began = time.time_ns() - _TICK_NS
    files = {path: change.new for path, change in changes.items()}
    try:
        pending = repository.prepare(parent, message, files, first, merged, ledger)
        if repository.may_sign():
            from alice_exp.kernel.journal.ledger_objects import sign

            pending = sign(repository, pending, 2 if first else 1)
    except (OSError, ProblemError):
        # git may have failed after it set the reference; the act is decided then.
        pending = repository.resolve(PENDING)
        if not pending:
            sweep_objects(repository)
            raise
    _sync_objects(repository, began)
    return pending


def _is_fresh(changed: int, since: int) -> bool:
    """Whether a directory changed after ``since`` (both ns), allowing for file systems that count in seconds."""
    return changed >= since or (changed % 1_000_000_000 == 0 and changed >= since - 2_000_000_000)


def _sync_objects(repository: Repository, since: int) -> None:
    """fsync the directories of new objects and of the pending reference; git fsyncs only the contents of files."""
    git_dir = repository.git_dir
    with os.scandir(git_dir / "objects") as entries:
        fresh = [
            entry.path for entry in entries if entry.is_dir() and _is_fresh(entry.stat().st_mtime_ns, since)
        ]
    # Remains of a git that was killed.
    if any(name.startswith("tmp_") for directory in fresh for name in os.listdir(directory)):  # noqa: PTH208
        sweep_objects(repository)
    for directory in [*map(Path, fresh), git_dir / "objects", git_dir / "refs" / "alice"]:
        sync_directory(directory)


def _swap_all(
    repository: Repository,
    changes: Mapping[str, FileChange],
    temporaries: Mapping[str, Path],
    displaced: dict[str, Path],
) -> None:
    """Bring every file to its new content; ``displaced`` receives what stood there, by path."""
    root = repository.work_tree
    done: list[str] = []
    try:
        for path, change in changes.items():
            if change.new is None and change.expected is not None:
                displaced[path] = take_out(root / path, change.expected)
            elif path in temporaries:
                out = swap_in(temporaries[path], root / path, change.expected, change.new or b"")
                displaced |= {path: out} if out is not None else {}
            done.append(path)
        # Whoever had a file open could save into what was displaced: looked at again before the act is final.
        for path, out in displaced.items():
            if not is_as_expected(out):
                raise ChangedOnDisk(root / path)
    except ChangedOnDisk:
        for path in reversed(done):
            _put_back(root / path, changes[path], displaced.pop(path, None))
        raise
    for directory in {(root / path).parent for path, one in changes.items() if one.new != one.expected}:
        sync_directory(directory)


def _put_back(path: Path, change: FileChange, displaced: Path | None) -> None:
    """Undo one swap; a file that somebody has saved since stays as it is."""
    with contextlib.suppress(ChangedOnDisk):
        if displaced is None:
            if change.expected is None and change.new is not None:
                let_go(take_out(path, change.new))
        elif change.new is None:
            link_back(displaced, path)
        elif content_of(path) == change.new or not is_as_expected(displaced):
            give_back(displaced, path, change.new)
        else:
            let_go(displaced)


def _land(repository: Repository, pending: str, parent: str, *, arrived: bool, ledger: str) -> None:
    repository.land(pending, parent, arrived=arrived, ledger=ledger)
    for folder in ("heads", "alice"):
        sync_directory(repository.git_dir / "refs" / folder)


@contextlib.contextmanager
def _updating_index(repository: Repository, changes: Mapping[str, FileChange]) -> Iterator[None]:
    """Update git's index during the block. If git refuses, the index is stale and the next act rewrites it."""
    entries = {
        path: NO_OBJECT if change.new is None else blob_id(change.new) for path, change in changes.items()
    }
    end = repository.start_index_update(entries)
    try:
        yield
    finally:
        with contextlib.suppress(ProblemError):
            end()


def _finish(
    repository: Repository, pending: str, changes: Mapping[str, FileChange], error: Exception
) -> None:
    try:
        _swap_remaining(repository.work_tree, changes)
        lost = recover(repository)
    except (OSError, AliceError):
        raise ProblemError(
            "the act is decided but could not be finished: {why}",
            why=reason(error) if isinstance(error, OSError) else str(error),
            hint="the next command finishes it; see 'alice-exp log' before you repeat it",
        ) from error
    if lost and lost == pending:
        said = "an interrupted act did not fit the history any more; it is kept as {ref}"
        raise ProblemError(said, ref=f"{LOST}/{lost}") from error


def _swap_remaining(root: Path, changes: Mapping[str, FileChange]) -> None:
    """Update every file that is still as it was read; one that somebody saved since stays as it is."""
    for path, change in changes.items():
        full = root / path
        if change.expected == change.new or content_of(full) != change.expected:
            continue
        with contextlib.suppress(ChangedOnDisk):
            exchange_content(full, change.expected, change.new)
        sync_directory(full.parent)


def recover(
    repository: Repository, *, finish: Callable[[], object] = lambda: None, holder_died: bool = False
) -> str:
    """Finish what a crash interrupted; returns the last commit that was set aside, if any. Needs the writer lock.

    ``finish`` completes whatever else was decided (a purge), before a pending act is examined. ``holder_died``: the
    last holder of the lock did not release it, so unfinished objects of git are removed too.

    A pending commit on top of the branch lands, after updating those files that are still as before; one that the
    branch already contains is just unmarked; one that no longer fits is kept as ``refs/alice/lost/ID``. A first commit
    lands only if no file stands in its way: what it found is in no history, so nobody could tell it from a later edit.
    """
    waiting = [displaced for folder in _folders(repository.work_tree) for displaced in sweep(folder)]
    drop_stale_locks(repository)
    drop_abandoned_names(repository)
    if holder_died:
        sweep_objects(repository)
    finish()
    pending = repository.resolve(PENDING)
    if not pending:
        return keep_late_saves(repository, waiting)
    head = repository.head()
    base, ledger, is_adopting = _named(repository, pending)
    # Landing again is safe: every step looks at what is there and does only what is missing.
    if base != head and not _is_followed(repository, pending, head):
        if head and repository.contains(head, pending):
            # After a power cut the branch may be on the disk, and the mark that this act was ours not.
            repository.give_up(pending, landed=True, ledger=ledger)
            return ""
        repository.point([(f"{LOST}/{pending}", pending, "")])
        repository.give_up(pending)
        return pending
    if not head and not _is_free(repository, pending):
        repository.give_up(pending)
        return ""
    # Whoever edited them goes on to: what the commit completed in them is adopted once more.
    if not is_adopting:
        _finish_files(repository, head, pending)
    _land(repository, pending, head, arrived=len(repository.parents(pending)) > 1, ledger=ledger)
    with contextlib.suppress(ProblemError):
        repository.refresh_index()
    return keep_late_saves(repository, waiting, interrupted=True)


def _folders(root: Path) -> list[Path]:
    """The directories that may contain temporary files: acts write at most one level deep."""
    with os.scandir(root) as entries:
        return [root, *(Path(entry) for entry in entries if entry.name != ".git" and entry.is_dir())]


def _is_followed(repository: Repository, pending: str, head: str) -> bool:
    """Whether ``pending`` is existing history that the branch at ``head`` was about to be moved to."""
    return (
        repository.resolve(FORWARD) == pending
        and pending != head
        and (not head or repository.contains(pending, head))
    )


def _named(repository: Repository, pending: str) -> tuple[str, str, bool]:
    """The branch's commit when ``pending`` was prepared: its parent, or its grandparent if it completes another; the
    commit of the ledger that lands with it, if it names one; and whether it adopted what stands in the files."""
    parent = repository.parent(pending)
    ((_, message),) = repository.told("%H%n%B", "-1", pending)
    rows = dict(line.partition(": ")[::2] for line in message.splitlines())
    base = repository.parent(parent) if f"Alice-{COMPLETES}" in rows else parent
    # What is followed is another machine's, and so is the ledger that it names.
    is_ours = repository.resolve(FORWARD) != pending
    is_adopting = is_ours and bool(base) and rows.get("Alice-Op") == "adopt"
    return base, rows.get(f"Alice-{LEDGER}", "") if is_ours else "", is_adopting


def _is_free(repository: Repository, commit: str) -> bool:
    """Whether every file of a commit has its content already, or is not there."""
    tree = repository.tree(commit)
    present = {path: content_of(repository.work_tree / path) for path in tree}
    return all(data is None or blob_id(data) == tree[path] for path, data in present.items())


def _finish_files(repository: Repository, old: str, new: str) -> None:
    root = repository.work_tree
    touched: set[Path] = set()
    for path, old_blob, new_blob in repository.difference(old, new):
        full = root / path
        present = content_of(full)
        # Either swapped before the crash, or edited by a person since: both stay.
        if (NO_OBJECT if present is None else blob_id(present)) != old_blob:
            continue
        touched.add(full.parent)
        with contextlib.suppress(ChangedOnDisk):
            full.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            exchange_content(full, present, None if new_blob == NO_OBJECT else repository.blob(new_blob))
    for directory in touched:
        sync_directory(directory)


def exchange_content(path: Path, expected: bytes | None, new: bytes | None) -> None:
    """Bring one file from ``expected`` to ``new`` (None: absent); ``ChangedOnDisk`` if it contains something else."""
    if new is None:
        let_go(take_out(path, expected or b""))
    elif (displaced := swap_in(write_beside(path, new), path, expected, new)) is not None:
        let_go(displaced)
