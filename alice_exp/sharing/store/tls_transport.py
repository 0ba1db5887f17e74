"""Two Alices in conversation: one listens, the other asks; certificates are pinned both ways and compared (DESIGN 6).

Whoever connects and proves nothing costs one of a few places for a few seconds: the oldest of those that have not yet
proved who they are makes room for the next, so that silent connections starve nobody.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Protocol

from alice_exp.kernel.errors import AliceError, PeerError, UsageError
from alice_exp.sharing.store.line_protocol import MOST, TooLong, Wire, context, gone

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from alice_exp.sharing.ports import Message, Peer
    from alice_exp.sharing.store.peer_identity import FileIdentity

HANDSHAKE: Final = 5.0
"""Seconds in which a connection has to prove who it is."""

SESSION: Final = 120.0
"""Seconds that one conversation may last."""

STRANGERS: Final = 64
"""Connections that have not proved who they are, at once."""

AT_ONCE: Final = 16
"""Conversations with peers at once."""

SERVER: Final = 1
CLIENT: Final = 0
"""What a TLS context is for (``sharing.store.line_protocol.context``)."""


class Meeting(Protocol):
    """What happens on a connection whose TLS stands; ``settle`` says that it has proved who it is."""

    async def __call__(self, wire: Wire, settle: Callable[[], None]) -> None:
        """Converse; the connection ends with it. Raises ``PeerError``."""
        ...


@dataclass
class Door:
    """A listening socket: whoever comes in is met in a task of its own, within limits."""

    listener: socket.socket
    secured: Callable[[], ssl.SSLContext]
    meet: Meeting
    strangers: dict[asyncio.Task[None], None] = field(default_factory=dict)
    settled: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.listener.getsockname()[1])

    async def stand(self) -> None:
        """Let in whoever comes, until cancelled."""
        loop = asyncio.get_running_loop()
        try:
            while True:
                try:
                    connection, _ = await loop.sock_accept(self.listener)
                except OSError:
                    await asyncio.sleep(0.1)
                    continue
                self._let_in(connection)
        finally:
            self.listener.close()
            for task in (*self.strangers, *self.settled):
                task.cancel()
            await asyncio.gather(*self.strangers, *self.settled, return_exceptions=True)

    def _let_in(self, connection: socket.socket) -> None:
        if len(self.strangers) >= STRANGERS:
            oldest = next(iter(self.strangers))
            del self.strangers[oldest]
            oldest.cancel()
        task = asyncio.create_task(self._met(connection))
        self.strangers[task] = None
        task.add_done_callback(self._gone)

    def _gone(self, task: asyncio.Task[None]) -> None:
        self.strangers.pop(task, None)
        self.settled.discard(task)
        fault = None if task.cancelled() else task.exception()
        if fault is not None:
            asyncio.get_running_loop().call_exception_handler(
                {"message": "a bug of alice-exp", "exception": fault}
            )

    def _settle(self) -> None:
        task = asyncio.current_task()
        if task is not None and task in self.strangers:
            if len(self.settled) >= AT_ONCE:
                raise PeerError("too many conversations at once")
            del self.strangers[task]
            self.settled.add(task)

    async def _met(self, connection: socket.socket) -> None:
        wire = None
        try:
            async with asyncio.timeout(HANDSHAKE):
                wire = await _secured(connection, self.secured())
            async with asyncio.timeout(SESSION):
                await self.meet(wire, self._settle)
        except (OSError, TimeoutError, ssl.SSLError, AliceError):
            return
        finally:
            if wire is not None:
                await wire.close()
            connection.close()


async def _secured(connection: socket.socket, secured: ssl.SSLContext) -> Wire:
    loop = asyncio.get_running_loop()
    connection.setblocking(False)
    reader = asyncio.StreamReader(limit=MOST, loop=loop)
    protocol = asyncio.StreamReaderProtocol(reader, loop=loop)
    transport, _ = await loop.connect_accepted_socket(
        lambda: protocol, connection, ssl=secured, ssl_handshake_timeout=HANDSHAKE, ssl_shutdown_timeout=1
    )
    return Wire(reader, asyncio.StreamWriter(transport, protocol, reader, loop))


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens there (port 0: any free one); ``PeerError`` where that cannot be."""
    try:
        listener = socket.create_server((host, port), backlog=128)
    except (OSError, OverflowError) as error:
        raise PeerError(
            "nothing can listen on {host}:{port}: {why}",
            host=host,
            port=port,
            why=_why(error),
            hint="choose another one with --port",
        ) from error
    listener.setblocking(False)
    return listener


def _why(error: OSError | OverflowError) -> str:
    """The system's own words; what Python adds to them says the address once more."""
    number = getattr(error, "errno", None)
    return (os.strerror(number) if number else getattr(error, "strerror", "") or str(error)).lower()


@dataclass
class Reception:
    """What ``serve`` does with whoever comes in: peers alone are answered, one question at a time."""

    identity: FileIdentity
    answer: Callable[[Peer, Message], Message]
    met: Callable[[Peer], None]
    """Called when a conversation with a peer is over."""
    worker: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "exchange"))
    """The one thread in which questions are answered, one after the other: a home belongs to one thread."""
    _known: tuple[Peer, ...] | None = None
    _secured: ssl.SSLContext | None = None

    def secured(self) -> ssl.SSLContext:
        """The context that trusts whom this Alice trusts at this moment."""
        known = self.identity.all()
        if self._secured is None or known != self._known:
            trusted = tuple(peer.certificate for peer in known)
            files = (self.identity.certificate_file, self.identity.key_file)
            self._known, self._secured = known, context(SERVER, *files, trusted)
        return self._secured

    async def __call__(self, wire: Wire, settle: Callable[[], None]) -> None:
        """Converse with a peer; a certificate that is none of a peer's ends it, whatever TLS made of it."""
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
                await _say(wire, error)
        finally:
            if spoke:
                self.met(peer)


async def _say(wire: Wire, error: AliceError) -> None:
    """Tell the other end what was wrong with what it sent, if it still listens."""
    with contextlib.suppress(PeerError):
        await wire.send({"error": str(error)}, 2)


def serve(
    listener: socket.socket,
    secured: Callable[[], ssl.SSLContext],
    meet: Meeting,
    *,
    seconds: float | None = None,
    over: Callable[[], Awaitable[None]] | None = None,
) -> None:
    """Stand at the door for so long (None: until SIGINT or SIGTERM), or until ``over`` returns.

    Raises ``KeyboardInterrupt`` where a person interrupted.
    """

    async def run() -> None:
        door = Door(listener, secured, meet)
        ended = asyncio.Event()
        with contextlib.suppress(ValueError, RuntimeError):
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
        standing = asyncio.create_task(door.stand())
        ends: list[asyncio.Future[bool]] = [asyncio.ensure_future(_until(ended.wait))]
        if over is not None:
            ends.append(asyncio.ensure_future(_until(over)))
        try:
            await asyncio.wait(ends, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            standing.cancel()
            for end in ends:
                end.cancel()
            await asyncio.gather(standing, *ends, return_exceptions=True)

    asyncio.run(run())


async def _until(over: Callable[[], Awaitable[object]]) -> bool:
    await over()
    return True


class TlsLink:
    """A conversation with one peer; see ``home.ports.Link``. A context manager."""

    def __init__(self, runner: asyncio.Runner, wire: Wire, address: str) -> None:
        self._runner = runner
        self._wire = wire
        self.address = address
        self._answered = False

    def ask(self, message: Message) -> Message:
        """What the peer answers; ``PeerError`` where it fails, is slow, or refuses."""
        answer = self._runner.run(self._ask(message))
        if "error" in answer:
            raise PeerError("the peer refused: {why}", why=str(answer["error"])[:300])
        return answer

    async def _ask(self, message: Message) -> Message:
        try:
            await self._wire.send(message)
            answer = await self._wire.receive(SESSION)
        except TooLong:
            raise
        except PeerError as error:
            if self._answered:
                raise
            # TLS 1.3 lets a client believe it is connected before the other end has looked at its certificate.
            raise PeerError(
                "{address} ended the conversation before it began; it may not trust this Alice",
                address=self.address,
                hint="pair anew: 'alice-exp peer invite' there, 'peer join' here",
            ) from error
        self._answered = True
        return answer


@contextlib.contextmanager
def connected(identity: FileIdentity, peer: Peer, addresses: Sequence[str]) -> Iterator[TlsLink]:
    """A link to a peer at the first of some addresses (``host:port``) where it is that peer who answers.

    Nothing is sent before its certificate was compared with the pinned one. ``PeerError`` where none is the peer.
    """
    identity.own()
    secured = context(CLIENT, identity.certificate_file, identity.key_file, (peer.certificate,))
    failure = PeerError("{name} was not found", name=peer.name, hint="say where it is: --at host:port")
    with asyncio.Runner() as runner:
        for address in addresses:
            try:
                wire = runner.run(opened(address, secured))
            except PeerError as error:
                failure = error
                continue
            try:
                if wire.peer_id != peer.id:
                    raise PeerError("{address} is not {name}", address=address, name=peer.name)
                yield TlsLink(runner, wire, address)
            finally:
                runner.run(wire.close())
            return
    raise failure


_SERVING = "on the other side: alice-exp peer serve"


async def opened(address: str, secured: ssl.SSLContext, hint: str = _SERVING) -> Wire:
    """A wire to an address, TLS done; ``PeerError`` where nobody is there or the context does not trust it."""
    host, port = host_and_port(address)
    try:
        async with asyncio.timeout(HANDSHAKE):
            reader, writer = await asyncio.open_connection(
                host, port, ssl=secured, server_hostname="", limit=MOST, ssl_handshake_timeout=HANDSHAKE
            )
    except ssl.SSLError as error:
        raise gone(error) from error
    except (OSError, TimeoutError) as error:
        raise PeerError(
            "nobody answers at {address}",
            address=address,
            hint=hint,
        ) from error
    return Wire(reader, writer)


def at_address(peer: Peer, address: str) -> Peer:
    """The peer, known to have answered there."""
    return replace(peer, address=address)


def host_and_port(address: str) -> tuple[str, int]:
    """``host:port`` or ``[host]:port`` as its parts; ``UsageError`` where it is neither."""
    host, colon, port = address.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not port.isdecimal() or not 0 < int(port[:6]) < 65536:
        raise UsageError("{address} is no address", address=repr(address), hint="write host:port")
    return host, int(port)
