"""Wiring of the owner key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.home.session import Session, once

if TYPE_CHECKING:
    from collections.abc import Callable

    from alice_exp.owner.store import SshOwner


@once
def owner(session: Session) -> SshOwner:
    """The owner key store of the session's home."""
    from alice_exp.owner.store import SshOwner

    return SshOwner(session.root, lambda: session.home.config().text("owner.key"))


def signer(session: Session) -> Callable[[], SshOwner | None]:
    """What gives the home its owner key. Without a key (None) the store is not even imported."""
    pin = session.root / "identity" / "owner.pub"
    return lambda: owner(session) if session.home.config().text("owner.key") or pin.exists() else None
