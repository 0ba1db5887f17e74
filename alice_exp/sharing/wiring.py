"""Wiring of sharing: this Alice's name and identity, the disclosure log, the network."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.caller.acting import Acting
from alice_exp.home.session import Session, once
from alice_exp.kernel.journal.act import Actor

if TYPE_CHECKING:
    from collections.abc import Callable

    from alice_exp.caller.acting import Caller
    from alice_exp.sharing.ports import Peer
    from alice_exp.sharing.store.network import Network
    from alice_exp.sharing.store.peer_identity import FileIdentity, Shares
    from alice_exp.sharing.usecases.bundles import Sharing


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


def sharing(session: Session, peer: Peer | None = None) -> Sharing:
    """The home, name, log and caller of this session; ``peer`` acts where one is given."""
    from alice_exp.sharing.usecases.bundles import Sharing

    caller = session.caller if peer is None else caller_as(session)(peer)
    return Sharing(session.home, shares(session), caller)


def caller_as(session: Session) -> Callable[[Peer], Caller]:
    """A function that gives the caller for acts of a peer, at the current time."""
    return lambda peer: replace(session.caller, acting=Acting.of(Actor("peer", peer.name)))
