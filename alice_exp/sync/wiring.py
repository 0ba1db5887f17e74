"""What synchronising stands on: the remotes that the person named, and git with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.home.session import Session, once

if TYPE_CHECKING:
    from alice_exp.sync.ports import Exchange, Remotes


@once
def remotes(session: Session) -> Remotes:
    """The remotes that the person named."""
    from alice_exp.sync.store.git_remotes import FileRemotes

    return FileRemotes(session.root / "identity")


@once
def exchange(session: Session) -> Exchange:
    """Git with these remotes."""
    from alice_exp.sync.store.git_remotes import GitExchange

    return GitExchange(session.home)
