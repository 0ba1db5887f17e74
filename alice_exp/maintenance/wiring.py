"""What keeping a home stands on: what doctor looks at, and the watcher of its files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.finding.wiring import index
from alice_exp.home.session import Session, once
from alice_exp.kernel.errors import AliceError

if TYPE_CHECKING:
    from collections.abc import Callable

    from alice_exp.home.store.watch import Watcher
    from alice_exp.maintenance.ports import Inspection


@once
def inspection(session: Session) -> Inspection:
    """What ``doctor`` looks at beside the files' content."""
    from alice_exp.maintenance.store import HomeInspection

    return HomeInspection(session.home, index(session))


def watcher(session: Session, on_change: Callable[[], None]) -> Watcher:
    """Calls ``on_change`` on a thread of its own when files of the home were saved; a context manager."""
    from alice_exp.home.store.watch import Watcher

    debounce = session.config.count("watch.debounce_ms") / 1000
    return Watcher(session.home.experiences, on_change, debounce=debounce)


def reloading(session: Session) -> Watcher:
    """For any long-running process: what a person saves is adopted while it runs; a context manager.

    It reads through a home of its own; the process's own home sees by stamps what is new at its next read.
    """
    apart = session.apart()

    def adopt() -> None:
        try:
            apart.home.read()
            index(apart).ask(lambda _: True)  # the index comes into step here, not while an agent waits
        except AliceError as error:
            session.warn(error)
        if apart.home.waiting:
            watching.again()

    watching = watcher(session, adopt)
    return watching
