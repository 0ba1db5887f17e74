"""Connects sync to its list of remotes and to git for a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.home.session import Session, once
from alice_exp.sync.remotes import Remotes

if TYPE_CHECKING:
    from alice_exp.sync.store.git_remotes import GitExchange


@once
def remotes(session: Session) -> Remotes:
    """The session's list of remotes."""
    return Remotes(session.root / "identity")


@once
def exchange(session: Session) -> GitExchange:
    """The session's git exchange."""
    from alice_exp.sync.store.git_remotes import GitExchange

    return GitExchange(session.home, remotes(session).key)
