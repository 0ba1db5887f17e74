"""Recovers a home after a crash: the journal's recovery plus decided purges and the merge driver entry."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from alice_exp.home.state_files import FOLDERS
from alice_exp.home.store.repo_setup import DRIVER, OLD_DRIVER
from alice_exp.kernel.errors import AliceError, ProblemError
from alice_exp.kernel.journal import transaction
from alice_exp.kernel.journal.atomic_files import sweep
from alice_exp.kernel.journal.git_process import LOST, PURGING, STAGE, Repository
from alice_exp.kernel.journal.transaction import Recovered

SWEPT = ("", *(f"state/{folder}".rstrip("/") for folder in FOLDERS), "identity", "identity/peers")
"""The folders besides the files of the history in which a dead process may have left something temporary."""


def recover_home(repository: Repository, *, holder_died: bool) -> Recovered:
    """Finish what a crash interrupted; see ``transaction.recover``. The caller must hold the writer lock."""

    def finish() -> None:
        _set_driver(repository)
        if repository.resolve(PURGING) or (repository.git_dir / STAGE).is_dir():
            # Every act passes here and hardly one finds a purge: what finishes it is loaded only then.
            from alice_exp.home.store import purge

            purge.finish(repository)

    root = repository.work_tree.parent
    for folder in SWEPT:
        sweep(root / folder, dead_only=True)
    return transaction.recover(repository, finish=finish, holder_died=holder_died)


def finish_interrupted(repository: Repository, holder_died: bool, warn: Callable[[AliceError], None]) -> None:
    """``recover_home``, with a warning for an act that fits no more; ``ProblemError`` if the disk refuses."""
    try:
        done = recover_home(repository, holder_died=holder_died)
    except OSError as error:
        raise ProblemError(
            "an interrupted act could not be finished: {why}",
            why=(error.strerror or str(error)).lower(),
            hint="see that the disk can be written, then run this again",
        ) from error
    if done.lost:
        warn(
            ProblemError(
                "an interrupted act did not fit the history any more; it is kept as {ref}",
                ref=f"{LOST}/{done.lost}",
            )
        )


def _set_driver(repository: Repository) -> None:
    """Set the merge driver in a plain clone; ``ProblemError`` for a home that version 0.1 wrote last."""
    with contextlib.suppress(OSError):
        config = (repository.git_dir / "config").read_bytes()
        if OLD_DRIVER in config:
            raise ProblemError(
                "version 0.1 wrote this home: version 0.2.0 has to upgrade it first",
                hint="run 'alice-exp doctor --fix' of alice-exp 0.2.0 once",
            )
        if DRIVER not in config:
            repository.create()
