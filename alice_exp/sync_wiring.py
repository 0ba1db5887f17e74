"""What synchronising stands on: the remotes that the person named, and git with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.session import Session, once

if TYPE_CHECKING:
    from alice_exp.core.sync_ports import Exchange, Remotes


@once
def remotes(session: Session) -> Remotes:
    """The remotes that the person named."""
    from alice_exp.store.syncing import FileRemotes

    return FileRemotes(session.root / "identity")


@once
def exchange(session: Session) -> Exchange:
    """Git with these remotes."""
    from alice_exp.store.syncing import GitExchange

    return GitExchange(session.home)
