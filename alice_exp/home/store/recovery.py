"""Recovery of a home: the journal's, with what only a home has to finish or to sweep."""

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
    """Finish what a crash interrupted in a home; see ``transaction.recover``. Call it under the lock alone."""

    def finish() -> None:
        _leave_old_driver(repository)
        purge.finish(repository)

    sweep(repository.work_tree.parent / "state", dead_only=True)
    return transaction.recover(repository, finish=finish, holder_died=holder_died)


def _leave_old_driver(repository: Repository) -> None:
    """Replace the merge driver's entry of a version before, which named a module, by the one that stays."""
    with contextlib.suppress(OSError):
        if OLD_DRIVER in (repository.git_dir / "config").read_bytes():
            repository.create()
