"""What the owner key stands on, and the session whose home it judges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.home.judge import Judge
from alice_exp.home.session import Session, once

if TYPE_CHECKING:
    from collections.abc import Callable

    from alice_exp.kernel.errors import AliceError
    from alice_exp.model.values.snapshot import Snapshot
    from alice_exp.owner.store import SshOwner


@once
def owner(session: Session) -> SshOwner:
    """The owner key of the home, where it has one."""
    from alice_exp.owner.store import SshOwner

    return SshOwner(session.root, session.warn)


def judge(session: Session) -> Judge:
    """The owner key as the home's judge; where there is none, nothing is imported for it."""
    pinned = session.root / "identity" / "owner.pub"

    def is_judged() -> bool:
        return pinned.exists() or bool(session.home.config().text("owner.key"))

    def judged(seen: Snapshot) -> Snapshot:
        if not seen.config.text("owner.key") and not pinned.exists():
            return seen
        return owner(session).judge(seen)

    return Judge(judged, is_judged)


def open_session(
    home: str = "", actor: str = "", warn: Callable[[AliceError], None] = lambda _: None
) -> Session:
    """One process's use of a home whose approvals the owner key judges, where it has one."""
    return Session(home, actor, warn, judge)
