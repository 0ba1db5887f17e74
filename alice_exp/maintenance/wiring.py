"""Connects doctor's inspection and the file watcher to a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.finding.wiring import index
from alice_exp.home.session import Session, once
from alice_exp.kernel.errors import AliceError

if TYPE_CHECKING:
    from collections.abc import Callable

    from alice_exp.maintenance.store.inspection import HomeInspection
    from alice_exp.maintenance.store.watch import Watcher


@once
def inspection(session: Session) -> HomeInspection:
    """The session's inspection for ``doctor``."""
    from alice_exp.maintenance.store.inspection import HomeInspection

    return HomeInspection(session.home, index(session), session.caller.actor)


def watcher(session: Session, on_change: Callable[[], None]) -> Watcher:
    """A context manager that calls ``on_change`` on its own thread when files of the home were saved."""
    from alice_exp.maintenance.store.watch import Watcher

    debounce = session.config.count("watch.debounce_ms") / 1000
    return Watcher(session.home.experiences, on_change, debounce=debounce)


def reloading(session: Session) -> Watcher:
    """A context manager for long-running processes that adopts what a person saves meanwhile.

    It reads through a separate home object, since those are not thread-safe; the process's own home notices the change
    by file signatures at its next read.
    """
    apart = session.apart()

    def adopt() -> None:
        try:
            apart.home.read()
            # Brings the index up to date now rather than while an agent waits.
            index(apart).ask(lambda _: True)
        except AliceError as error:
            session.warn(error)
        if apart.home.waiting:
            watching.again()

    watching = watcher(session, adopt)
    return watching
