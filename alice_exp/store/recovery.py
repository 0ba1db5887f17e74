"""Recovery of a home: the journal's, with what only a home has to finish or to sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.store import landing, purge
from alice_exp.store.files import sweep

if TYPE_CHECKING:
    from alice_exp.store.landing import Recovered
    from alice_exp.store.plumbing import Repository


def recover_home(repository: Repository, *, holder_died: bool) -> Recovered:
    """Finish what a crash interrupted in a home; see ``landing.recover``. Call it under the lock alone."""

    def finish() -> None:
        # A home of the version before is brought up to date here: every process passes before it writes.
        repository.leave_old_driver()
        purge.finish(repository)

    sweep(repository.work_tree.parent / "state", dead_only=True)
    return landing.recover(repository, finish=finish, holder_died=holder_died)
