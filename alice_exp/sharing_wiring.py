"""What sharing stands on: this Alice's name and identity, what went to whom, the network around it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from alice_exp.core.act import Actor
from alice_exp.session import Session, once

if TYPE_CHECKING:
    from collections.abc import Callable

    from alice_exp.core.caller import Caller
    from alice_exp.core.network_ports import Network, Peer, Shares
    from alice_exp.lan.identity import FileIdentity


@once
def shares(session: Session) -> Shares:
    """The name that others know this home by, and what went to whom."""
    from alice_exp.store.sharing import FileShares

    return FileShares(session.root / "identity", session.config.text("sharing.name"), session.new_id)


@once
def peers(session: Session) -> FileIdentity:
    """Who this Alice is on a network, and whom it trusts."""
    from alice_exp.lan.identity import FileIdentity

    return FileIdentity(session.root, shares(session).name)


@once
def network(session: Session) -> Network:
    """The network around this Alice."""
    from alice_exp.lan.network import LanNetwork

    return LanNetwork(peers(session), session.warn)


def caller_as(session: Session) -> Callable[[Peer], Caller]:
    """Who a peer is when it acts on this home, now."""
    return lambda peer: replace(session.caller, actor=Actor("peer", peer.name))
