"""The local network: invite, join, serve, connect and discover, over TLS and, where available, mDNS."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from alice_exp.kernel.errors import AliceError, PeerError
from alice_exp.sharing.ports import Neighbour
from alice_exp.sharing.store import discovery, pairing, tls_transport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from alice_exp.sharing.ports import Link, Message, Peer
    from alice_exp.sharing.store.discovery import Found
    from alice_exp.sharing.store.peer_identity import FileIdentity

LOOK = 3.0
"""Maximum seconds spent looking for a peer or an invitation."""


class LanNetwork:
    """Implements ``sharing.ports.Network``; without mDNS it calls ``warn`` and goes on."""

    def __init__(self, identity: FileIdentity, warn: Callable[[AliceError], None]) -> None:
        self._identity = identity
        self._warn = warn

    def discover(self, seconds: float) -> tuple[Neighbour, ...]:
        """See ``sharing.ports.Network.discover``."""
        return tuple(self._neighbour(found) for found in discovery.discover(seconds))

    def _neighbour(self, found: Found) -> Neighbour:
        name = next((peer.name for peer in self._identity.all() if found.may_be(peer)), "")
        return Neighbour(found.instance, found.addresses, name, found.invites)

    def invite(self, now: str, alias: str, bind: tuple[str, int], shown: Callable[[str, int], None]) -> Peer:
        """See ``sharing.ports.Network.invite``."""
        code = pairing.Code.fresh()
        self._identity.own()
        listener = tls_transport.listening(*bind)
        port = int(listener.getsockname()[1])
        with listener, self._announced(bind[0], port, code.number):
            shown(str(code), port)
            return pairing.invite(pairing.Invitation(self._identity, code, now, alias), listener)

    def join(self, code: str, at: str, now: str, alias: str) -> Peer:
        """See ``sharing.ports.Network.join``."""
        read = pairing.Code.read(code)
        return pairing.join(self._identity, read, (at,) if at else _inviting(read.number), now, alias)

    def serve(
        self,
        answer: Callable[[Peer, Message], Message],
        met: Callable[[Peer], None],
        bind: tuple[str, int],
        seconds: float | None,
        shown: Callable[[int], None],
    ) -> None:
        """See ``sharing.ports.Network.serve``."""
        reception = tls_transport.Reception(self._identity, answer, met)
        self._identity.own()
        listener = tls_transport.listening(*bind)
        port = int(listener.getsockname()[1])
        with listener, self._announced(bind[0], port):
            shown(port)
            tls_transport.serve(listener, reception.secured, reception, seconds=seconds)

    def connect(self, peer: Peer, at: str) -> AbstractContextManager[Link]:
        """See ``sharing.ports.Network.connect``."""
        return self._connected(peer, at)

    @contextlib.contextmanager
    def _connected(self, peer: Peer, at: str) -> Iterator[Link]:
        with tls_transport.connected(self._identity, peer, self._addresses(peer, at)) as link:
            if link.address != peer.address:
                self._identity.update(tls_transport.at_address(peer, link.address))
            yield link

    def _addresses(self, peer: Peer, at: str) -> tuple[str, ...]:
        """Addresses to try: ``at`` alone if given, else those whose mDNS hint matches, then the last known one."""
        if at:
            tls_transport.host_and_port(at)
            return (at,)
        last = (peer.address,) if peer.address else ()
        try:
            found = discovery.discover(LOOK, wanted=lambda one: one.may_be(peer))
        except PeerError:
            if not last:
                raise
            found = ()
        hinted = tuple(address for one in found if one.may_be(peer) for address in one.addresses)
        return tuple(dict.fromkeys((*hinted, *last)))

    @contextlib.contextmanager
    def _announced(self, host: str, port: int, invites: int = 0) -> Iterator[None]:
        """Announce by mDNS while the block runs; not when bound to loopback, and only with a warning if mDNS fails."""
        with contextlib.ExitStack() as stack:
            if host not in ("127.0.0.1", "localhost", "::1"):
                only = "" if host in ("0.0.0.0", "") else host
                try:
                    own = self._identity.own().id
                    stack.enter_context(discovery.announced(port, own, invites=invites, host=only))
                except PeerError as error:
                    self._warn(error)
            yield


def _inviting(number: int) -> tuple[str, ...]:
    """Addresses of the one invitation with this number; raises ``PeerError`` if there is none or more than one.

    Refused if ambiguous: a code has a single try, which somebody who announces every number could otherwise use up.
    """
    found = [one for one in discovery.discover(LOOK - 1) if one.invites == number]
    if len(found) == 1:
        return found[0].addresses
    if found:
        raise PeerError(
            "{count} Alices invite under the number {number}",
            count=len(found),
            number=number,
            hint="name the right one with --at host:port, as its screen shows",
        )
    raise PeerError(
        "nobody invites under the number {number} here",
        number=number,
        hint="name the other side with --at host:port, as its screen shows",
    )
