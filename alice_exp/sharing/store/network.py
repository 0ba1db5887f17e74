"""The local network: invite, join, serve, connect and discover, over TLS and, where available, mDNS."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import ipaddress
import re
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field, replace
from typing import Any, Final

from alice_exp.home.session import Session
from alice_exp.kernel.errors import PeerError, reason
from alice_exp.kernel.value_class import dataclass
from alice_exp.sharing.rules.bundle import Message, Neighbour, Peer
from alice_exp.sharing.store import pairing, tls_transport
from alice_exp.sharing.store.peer_identity import FileIdentity, peers, random_word
from alice_exp.sharing.store.tls_transport import TlsLink, Wire

SERVICE: Final = "_alice._tcp.local."
MOST: Final = 64
"""Maximum number of answers considered."""

_LABEL = re.compile(r"[a-z0-9-]{1,40}")


def may_be(found: Neighbour, peer: Peer) -> bool:
    """Whether the hint matches that peer; only its certificate proves it."""
    return bool(found.hint) and found.hint == hint_of(found.instance, peer.id)


def hint_of(instance: str, peer_id: str) -> str:
    """Sixteen hex digits that identify a peer to those who know its id (hex) and are meaningless to others.

    Hashed with the random instance name, so that announcements of one Alice cannot be linked.
    """
    return hashlib.sha256(f"alice-exp hint {instance} {peer_id}".encode()).hexdigest()[:16]


@contextlib.contextmanager
def announced(port: int, own_id: str, *, invites: int = 0, host: str = "") -> Iterator[str]:
    """Announce a port while the block runs; yields the random instance name.

    ``host``: announce only that address, on its interface; empty: all addresses of the machine.
    """
    import ifaddr
    from zeroconf import NonUniqueNameException, ServiceInfo

    own = [ip.ip for adapter in ifaddr.get_adapters() for ip in adapter.ips if isinstance(ip.ip, str)]
    outward = [address for address in own if not ipaddress.ip_address(address).is_loopback]
    instance = f"a-{random_word(10)}"
    properties = {"v": "1", "h": hint_of(instance, own_id), **({"i": str(invites)} if invites else {})}
    info = ServiceInfo(
        SERVICE,
        f"{instance}.{SERVICE}",
        port=port,
        properties=properties,
        server=f"{instance}.local.",
        parsed_addresses=[host] if host else outward or own,
    )
    with _multicast(host) as zero:
        try:
            zero.register_service(info)
        except (OSError, NonUniqueNameException) as error:
            raise _no_multicast(error) from error
        try:
            yield instance
        finally:
            with contextlib.suppress(OSError):
                zero.unregister_service(info)


def discover(
    seconds: float = 2.0, *, host: str = "", wanted: Callable[[Neighbour], bool] | None = None
) -> tuple[Neighbour, ...]:
    """Announcements heard within ``seconds``, at most ``MOST``, by instance; returns early once one is ``wanted``."""
    from zeroconf import ServiceBrowser, ServiceStateChange

    names: list[str] = []

    def heard(zeroconf: Any, service_type: str, name: str, state_change: Any) -> None:  # noqa: ARG001
        if state_change is ServiceStateChange.Removed:
            if name in names:
                names.remove(name)
        elif len(names) < MOST and name not in names:
            names.append(name)

    found: dict[str, Neighbour] = {}
    deadline = time.monotonic() + seconds
    with _multicast(host) as zero:
        browser = ServiceBrowser(zero, SERVICE, [heard])
        while (left := deadline - time.monotonic()) > 0:
            for name in [name for name in names if name not in found]:
                known = _looked_up(zero, name, min(left, 1.0))
                if known is not None:
                    found[name] = known
            if wanted is not None and any(wanted(one) for one in found.values()):
                break
            time.sleep(min(0.05, left))
        browser.cancel()
    return tuple(found[name] for name in sorted(found) if name in names)


def _looked_up(zero: Any, name: str, seconds: float) -> Neighbour | None:
    from zeroconf import IPVersion

    info = zero.get_service_info(SERVICE, name, timeout=int(seconds * 1000))
    instance = name.removesuffix(f".{SERVICE}")
    if info is None or not info.port or not _LABEL.fullmatch(instance):
        return None
    said = {key.decode("ascii", "replace"): value or b"" for key, value in info.properties.items()}
    number = said.get("i", b"").decode("ascii", "replace")
    near = filter(_is_near, info.parsed_addresses(IPVersion.V4Only)[:8])
    addresses = tuple(f"{address}:{info.port}" for address in near)
    if not addresses or said.get("v") != b"1":
        return None
    hint = said.get("h", b"").decode("ascii", "replace")
    invites = int(number) if number.isdecimal() and len(number) <= 2 else 0
    return Neighbour(instance, addresses, hint[:16], invites)


def _is_near(address: str) -> bool:
    """Whether an address can be on the local network: a forged announcement must not point to the internet."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return parsed.is_private or parsed.is_link_local or parsed.is_loopback


@contextlib.contextmanager
def _multicast(host: str) -> Iterator[Any]:
    from zeroconf import InterfaceChoice, IPVersion, Zeroconf

    try:
        zero = Zeroconf(interfaces=[host] if host else InterfaceChoice.All, ip_version=IPVersion.V4Only)
    except OSError as error:
        raise _no_multicast(error) from error
    try:
        yield zero
    finally:
        zero.close()


def _no_multicast(error: BaseException) -> PeerError:
    return PeerError(
        "mDNS does not work here: {why}", why=reason(error), hint="name the other side: --at host:port"
    )


LOOK = 3.0
"""Maximum seconds spent looking for a peer or an invitation."""


@dataclass
class Reception:
    """Connection handler of ``serve``: answers only peers, one message at a time."""

    identity: FileIdentity
    answer: Callable[[Peer, Message], Message]
    met: Callable[[Peer], None]
    """Called when a conversation with a peer is over."""
    worker: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "exchange"))
    """The single thread that answers messages: a home is bound to the thread that opened it."""
    _known: tuple[Peer, ...] | None = None
    _secured: ssl.SSLContext | None = None

    def secured(self) -> ssl.SSLContext:
        """A TLS context for the currently trusted peers, rebuilt when they change."""
        known = self.identity.all()
        if self._secured is None or known != self._known:
            trusted = tuple(peer.certificate for peer in known)
            files = (self.identity.certificate_file, self.identity.key_file)
            self._known, self._secured = known, tls_transport.context(tls_transport.SERVER, *files, trusted)
        return self._secured

    async def __call__(self, wire: Wire, settle: Callable[[], None]) -> None:
        """Converse with a peer. The certificate is compared with the pinned ones again, independently of TLS."""
        peer = next((one for one in self.identity.all() if one.id == wire.peer_id), None)
        if peer is None:
            raise PeerError("a stranger")
        settle()
        spoke = False
        try:
            while True:
                message = await wire.receive()
                if all(one.id != peer.id for one in self.identity.all()):
                    raise PeerError("this Alice trusts that certificate no more")
                running = asyncio.get_running_loop()
                answer = await running.run_in_executor(self.worker, self.answer, peer, message)
                spoke = True
                await wire.send(answer)
        except PeerError as error:
            if not spoke or error.template != "the other end hung up":
                await tls_transport.say(wire, error)
        finally:
            if spoke:
                self.met(peer)


def neighbours(session: Session, seconds: float) -> tuple[Neighbour, ...]:
    """What is announced within so many seconds, named where it hints at a peer; without mDNS ``PeerError``."""
    known = peers(session).all()
    return tuple(
        replace(found, name=next((peer.name for peer in known if may_be(found, peer)), ""))
        for found in discover(seconds)
    )


def invite(session: Session, alias: str, bind: tuple[str, int], shown: Callable[[str, int], None]) -> Peer:
    """Show code and port through ``shown`` and wait for the peer who enters the code: one try, sixty seconds.

    ``PeerError`` where nobody comes, or the try fails.
    """
    code = pairing.Code.fresh()
    with _listening(session, bind, code.number) as (listener, port):
        shown(str(code), port)
        return pairing.invite(pairing.Invitation(peers(session), code, session.caller.now, alias), listener)


def join(session: Session, code: str, at: str, alias: str) -> Peer:
    """Pair with the inviting side; ``at`` is ``host:port``, empty: look for the code's number by mDNS."""
    identity, read = peers(session), pairing.Code.read(code)
    return pairing.join(identity, read, (at,) if at else _inviting(read.number), session.caller.now, alias)


def serve(
    session: Session,
    answer: Callable[[Peer, Message], Message],
    met: Callable[[Peer], None],
    bind: tuple[str, int],
    seconds: float | None,
    shown: Callable[[int], None],
) -> None:
    """Answer peers for ``seconds`` or until interrupted; ``shown`` gets the port, ``met`` each peer that leaves."""
    reception = Reception(peers(session), answer, met)
    with _listening(session, bind) as (listener, port):
        shown(port)
        tls_transport.serve(listener, reception.secured, reception, seconds=seconds)


@contextlib.contextmanager
def connect(session: Session, peer: Peer, at: str) -> Iterator[TlsLink]:
    """Connect to a peer; ``at`` is ``host:port``, empty: found by its mDNS hint, else its last address.

    ``PeerError`` if it fails or is not trusted.
    """
    with tls_transport.connected(peers(session), peer, _addresses(peer, at)) as link:
        if link.address != peer.address:
            peers(session).update(replace(peer, address=link.address))
        yield link


def _addresses(peer: Peer, at: str) -> tuple[str, ...]:
    """Addresses to try: ``at`` alone if given, else those whose mDNS hint matches, then the last known one."""
    if at:
        tls_transport.host_and_port(at)
        return (at,)
    last = (peer.address,) if peer.address else ()
    try:
        found = discover(LOOK, wanted=lambda one: may_be(one, peer))
    except PeerError:
        if not last:
            raise
        found = ()
    hinted = tuple(address for one in found if may_be(one, peer) for address in one.addresses)
    return tuple(dict.fromkeys((*hinted, *last)))


@contextlib.contextmanager
def _listening(
    session: Session, bind: tuple[str, int], invites: int = 0
) -> Iterator[tuple[socket.socket, int]]:
    """A listening socket and its port, announced by mDNS; not when bound to loopback, and with a warning alone where
    mDNS fails."""
    own = peers(session).own().id
    host, _ = bind
    with tls_transport.listening(*bind) as listener, contextlib.ExitStack() as stack:
        port = int(listener.getsockname()[1])
        if host not in ("127.0.0.1", "localhost", "::1"):
            only = "" if host in ("0.0.0.0", "") else host
            try:
                stack.enter_context(announced(port, own, invites=invites, host=only))
            except PeerError as error:
                session.warn(error)
        yield listener, port


def _inviting(number: int) -> tuple[str, ...]:
    """Addresses of the one invitation with this number; raises ``PeerError`` if there is none or more than one.

    Refused if ambiguous: a code has a single try, which somebody who announces every number could otherwise use up.
    """
    found = [one for one in discover(LOOK - 1) if one.invites == number]
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
