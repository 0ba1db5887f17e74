"""Keeps what somebody saved into a file that an act had just displaced: as a hand edit, or as a commit set aside."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from alice_exp.kernel.content_digest import blob_id
from alice_exp.kernel.journal.act import COMMITTER, Message
from alice_exp.kernel.journal.atomic_files import MARK, exchange, is_written, link_back, read_bytes
from alice_exp.kernel.journal.git_process import LOST, Repository


def keep_late_saves(repository: Repository, waiting: Iterable[Path], *, interrupted: bool = False) -> str:
    """Remove displaced files once git knows their content; returns the last commit that was set aside, if any.

    ``waiting`` are those that ``atomic_files.sweep`` left.

    A save later than what stands in the file now takes its place, as a hand edit; an earlier one is committed as
    ``refs/alice/lost/ID``. What an ``interrupted`` act put there is newer than the save that it displaced, and yields
    all the same. A file that some process has still open for writing waits.
    """
    lost = ""
    for displaced in sorted(waiting):
        if not is_written(displaced):
            lost = _keep(repository, displaced, interrupted) or lost
    return lost


def _keep(repository: Repository, displaced: Path, interrupted: bool) -> str:
    path = displaced.with_name(displaced.name[1:].partition(MARK)[0])
    if not _is_known(repository, displaced):
        if not path.exists():
            link_back(displaced, path)
            return ""
        is_later = displaced.stat().st_mtime_ns > path.stat().st_mtime_ns
        if is_later or (interrupted and _is_known(repository, path)):
            exchange(displaced, path)
    lost = "" if _is_known(repository, displaced) else _set_aside(repository, displaced, path)
    displaced.unlink()
    return lost


def _is_known(repository: Repository, displaced: Path) -> bool:
    return repository.holds("blob", blob_id(read_bytes(displaced)[0]))


def _set_aside(repository: Repository, displaced: Path, path: Path) -> str:
    head = repository.head()
    message = Message(COMMITTER, repository.commit_time(head), "a save that came in the middle of an act\n")
    files = {str(path.relative_to(repository.work_tree)): read_bytes(displaced)[0]}
    kept = repository.prepare(head, message, files)
    repository.point([(f"{LOST}/{kept}", kept, None)])
    repository.give_up(kept)
    return kept
