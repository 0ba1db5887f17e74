"""What sharing stands on: this Alice's name and identity, what went to whom, the network around it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.home.session import Session, once
from alice_exp.kernel.journal.act import Actor

if TYPE_CHECKING:
    from collections.abc import Callable

    from alice_exp.home.caller import Caller
    from alice_exp.sharing.ports import Network, Peer, Shares
    from alice_exp.sharing.store.peer_identity import FileIdentity


@once
def shares(session: Session) -> Shares:
    """The name that others know this home by, and what went to whom."""
    from alice_exp.sharing.store.disclosure_log import FileShares

    return FileShares(session.root / "identity", session.config.text("sharing.name"), session.new_id)


@once
def peers(session: Session) -> FileIdentity:
    """Who this Alice is on a network, and whom it trusts."""
    from alice_exp.sharing.store.peer_identity import FileIdentity

    return FileIdentity(session.root, shares(session).name)


@once
def network(session: Session) -> Network:
    """The network around this Alice."""
    from alice_exp.sharing.store.network import LanNetwork

    return LanNetwork(peers(session), session.warn)


def caller_as(session: Session) -> Callable[[Peer], Caller]:
    """Who a peer is when it acts on this home, now."""
    return lambda peer: replace(session.caller, actor=Actor("peer", peer.name))
