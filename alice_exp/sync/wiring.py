"""Connects sync to its stores for a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.home.session import Session, once

if TYPE_CHECKING:
    from alice_exp.sync.store.git_remotes import GitExchange
    from alice_exp.sync.store.known_remotes import FileRemotes


@once
def remotes(session: Session) -> FileRemotes:
    """The session's list of remotes."""
    from alice_exp.sync.store.known_remotes import FileRemotes

    return FileRemotes(session.root / "identity")


@once
def exchange(session: Session) -> GitExchange:
    """The session's git exchange."""
    from alice_exp.sync.store.git_remotes import GitExchange

    return GitExchange(session.home, remotes(session).key)
