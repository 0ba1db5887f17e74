"""Recovery of a home: the journal's, with what only a home has to finish or to sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.home.store import purge
from alice_exp.kernel.journal import transaction as landing
from alice_exp.kernel.journal.atomic_files import sweep

if TYPE_CHECKING:
    from alice_exp.kernel.journal.git_process import Repository
    from alice_exp.kernel.journal.transaction import Recovered


def recover_home(repository: Repository, *, holder_died: bool) -> Recovered:
    """Finish what a crash interrupted in a home; see ``landing.recover``. Call it under the lock alone."""

    def finish() -> None:
        # A home of the version before is brought up to date here: every process passes before it writes.
        repository.leave_old_driver()
        purge.finish(repository)

    sweep(repository.work_tree.parent / "state", dead_only=True)
    return landing.recover(repository, finish=finish, holder_died=holder_died)
