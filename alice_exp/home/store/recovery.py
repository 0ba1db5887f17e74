"""Recovers a home after a crash: the journal's recovery plus decided purges and an outdated merge driver entry."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from alice_exp.home.store import purge
from alice_exp.home.store.repo_setup import OLD_DRIVER
from alice_exp.kernel.journal import transaction
from alice_exp.kernel.journal.atomic_files import sweep

if TYPE_CHECKING:
    from alice_exp.kernel.journal.git_process import Repository
    from alice_exp.kernel.journal.transaction import Recovered


def recover_home(repository: Repository, *, holder_died: bool) -> Recovered:
    """Finish what a crash interrupted; see ``transaction.recover``. The caller must hold the writer lock."""

    def finish() -> None:
        _leave_old_driver(repository)
        purge.finish(repository)

    # Caches in state/ are also written without the lock, so a live process's file is left alone.
    sweep(repository.work_tree.parent / "state", dead_only=True)
    return transaction.recover(repository, finish=finish, holder_died=holder_died)


def _leave_old_driver(repository: Repository) -> None:
    """Replace the merge driver entry of earlier versions, which named a module, by the stable command line."""
    with contextlib.suppress(OSError):
        if OLD_DRIVER in (repository.git_dir / "config").read_bytes():
            repository.create()
