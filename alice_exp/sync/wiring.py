"""Connects the ports of sync to their stores for a session."""

from __future__ import annotations

from alice_exp.home.session import Session, once
from alice_exp.sync.ports import Exchange, Remotes


@once
def remotes(session: Session) -> Remotes:
    """The session's list of remotes."""
    from alice_exp.sync.store.known_remotes import FileRemotes

    return FileRemotes(session.root / "identity")


@once
def exchange(session: Session) -> Exchange:
    """The session's git exchange."""
    from alice_exp.sync.store.git_remotes import GitExchange

    return GitExchange(session.home, remotes(session).key)
