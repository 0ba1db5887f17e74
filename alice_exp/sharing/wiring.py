"""Wiring of sharing: this Alice's name and identity, the disclosure log, the network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.home.session import Session, once

if TYPE_CHECKING:
    from alice_exp.sharing.store.network import Network
    from alice_exp.sharing.store.peer_identity import FileIdentity, Shares


@once
def shares(session: Session) -> Shares:
    """This home's public name and the disclosure log."""
    from alice_exp.sharing.store.peer_identity import Shares

    return Shares(session.root / "identity", session.config.text("sharing.name"), session.new_id)


@once
def peers(session: Session) -> FileIdentity:
    """This Alice's network identity and its trusted peers."""
    from alice_exp.sharing.store.peer_identity import FileIdentity

    return FileIdentity(session.root, shares(session).name)


@once
def network(session: Session) -> Network:
    """The local network."""
    from alice_exp.sharing.store.network import Network

    return Network(peers(session), session.warn)
