"""Messages between Alices, a JSON object per line of at most ``MOST`` bytes, over TLS with certificates pinned on both
sides (DESIGN 6): the wire, a server, a client.

Unauthenticated connections are limited in number and time; when the limit is reached, the oldest of them is dropped, so
that silent connections cannot keep others out.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import signal
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Final

from alice_exp.kernel.errors import AliceError, PeerError, UsageError
from alice_exp.kernel.jsonc import strict
from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from pathlib import Path

    from alice_exp.sharing.rules.bundle import Message, Peer
    from alice_exp.sharing.store.peer_identity import FileIdentity

MOST: Final = 1 << 20
"""Maximum bytes of one message, including its newline."""

PATIENCE: Final = 15.0
"""Seconds within which one message has to be received or sent."""


class TooLong(PeerError):
    """Raised for a message of our own longer than ``MOST``; nothing was sent."""


class Wire:
    """A connection that carries messages, each a JSON object on one line of UTF-8.

    ``send`` and ``receive`` raise ``PeerError`` if the other end is too slow, has hung up or sends something else.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @property
    def certificate(self) -> bytes:
        """The other end's certificate (DER), whose key it has proved to hold; empty if it presented none."""
        secured = self._writer.get_extra_info("ssl_object")
        return (secured.getpeercert(binary_form=True) or b"") if secured is not None else b""

    @property
    def peer_id(self) -> str:
        """SHA-256 (hex) of that certificate; empty without one."""
        return hashlib.sha256(self.certificate).hexdigest() if self.certificate else ""

    async def send(self, message: Message, patience: float = PATIENCE) -> None:
        """Send one message; raises ``TooLong`` if it exceeds ``MOST``."""
        data = encoded(message)
        if len(data) > MOST:
            raise TooLong("a message of {size} bytes is too long to send", size=len(data))
        try:
            self._writer.write(data)
            async with asyncio.timeout(patience):
                await self._writer.drain()
        except TimeoutError:
            raise PeerError("the other end does not read what it is sent") from None
        except (OSError, ssl.SSLError) as error:
            raise gone(error) from error

    async def receive(self, patience: float = PATIENCE) -> Message:
        """Receive the next message."""
        try:
            async with asyncio.timeout(patience):
                line = await self._reader.readuntil(b"\n")
        except TimeoutError:
            raise PeerError("the other end says nothing") from None
        except asyncio.LimitOverrunError:
            raise PeerError("a message longer than {most} bytes was refused", most=MOST) from None
        except asyncio.IncompleteReadError:
            raise PeerError("the other end hung up") from None
        except (OSError, ssl.SSLError) as error:
            raise gone(error) from error
        # The reader's own limit leaves the newline out.
        if len(line) > MOST:
            raise PeerError("a message longer than {most} bytes was refused", most=MOST)
        return decoded(line)

    async def close(self) -> None:
        """Close the connection; never raises, waits at most a second."""
        self._writer.close()
        try:
            async with asyncio.timeout(1):
                await self._writer.wait_closed()
        except OSError:
            # Of a connection that is gone, the transport of Python 3.11.0 to 3.11.4 has nothing left to abort.
            with contextlib.suppress(AttributeError):
                self._writer.transport.abort()


def encoded(message: Message) -> bytes:
    """A message as a line of bytes."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"


def decoded(line: bytes) -> Message:
    """Parse a line; raises ``PeerError`` unless it is a JSON object that a file might hold (``strict``)."""
    try:
        value = strict(line.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise PeerError("what came is not a message") from error
    if not isinstance(value, dict):
        raise PeerError("what came is not a message")
    return value


def gone(error: BaseException) -> PeerError:
    """A failed connection as a ``PeerError`` that explains it."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return PeerError("the other end is not the Alice that was paired", hint="nothing was sent to it")
    if isinstance(error, ssl.SSLError):
        return PeerError(
            "the other end does not trust this Alice, or speaks no TLS 1.3",
            hint="pair with 'alice-exp peer invite' there and 'peer join' here",
        )
    return PeerError("the other end hung up")


def context(purpose: int, certificate: Path, key: Path, trusted: tuple[str, ...] | None) -> ssl.SSLContext:
    """A TLS context: version 1.3 only, with our certificate, accepting only the ``trusted`` certificates (PEM).

    ``None`` accepts anyone without a certificate (pairing, where the code authenticates). Session resumption is off, so
    that every connection has to present its certificate again.
    """
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if purpose else ssl.PROTOCOL_TLS_CLIENT)
    made.minimum_version = made.maximum_version = ssl.TLSVersion.TLSv1_3
    made.check_hostname = False
    made.load_cert_chain(certificate, key)
    if purpose:
        made.num_tickets = 0
    if trusted is None:
        made.verify_mode = ssl.CERT_NONE
        return made
    made.verify_mode = ssl.CERT_REQUIRED
    made.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    if trusted:
        made.load_verify_locations(cadata="\n".join(trusted))
    return made


Meeting = Callable[[Wire, Callable[[], None]], Awaitable[None]]
"""Holds a conversation after the TLS handshake, calls its second argument once the other end is authenticated; may
raise ``PeerError``. The connection is closed afterwards."""

HANDSHAKE: Final = 5.0
"""Seconds within which a connection has to complete the TLS handshake."""

SESSION: Final = 120.0
"""Maximum seconds of one conversation."""

STRANGERS: Final = 64
"""Maximum concurrent unauthenticated connections."""

AT_ONCE: Final = 16
"""Maximum concurrent conversations with peers."""

SERVER: Final = 1
CLIENT: Final = 0
"""Purpose of a TLS context."""


@dataclass
class Door:
    """A listening socket that handles each connection in its own task, within limits."""

    listener: socket.socket
    secured: Callable[[], ssl.SSLContext]
    meet: Meeting
    strangers: dict[asyncio.Task[None], None] = field(default_factory=dict)
    settled: set[asyncio.Task[None]] = field(default_factory=set)

    async def stand(self) -> None:
        """Accept connections until cancelled."""
        loop = asyncio.get_running_loop()
        try:
            while True:
                try:
                    connection, _ = await loop.sock_accept(self.listener)
                except OSError:
                    await asyncio.sleep(0.1)
                    continue
                if len(self.strangers) >= STRANGERS:
                    oldest = next(iter(self.strangers))
                    del self.strangers[oldest]
                    oldest.cancel()
                task = asyncio.create_task(self._met(connection))
                self.strangers[task] = None
                task.add_done_callback(self._gone)
        finally:
            self.listener.close()
            for task in (*self.strangers, *self.settled):
                task.cancel()
            await asyncio.gather(*self.strangers, *self.settled, return_exceptions=True)

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
    """A listening socket (port 0: any free one); raises ``PeerError`` if the address is not available."""
    try:
        listener = socket.create_server((host, port), backlog=128)
    except (OSError, OverflowError) as error:
        number = getattr(error, "errno", None)
        why = os.strerror(number) if number else getattr(error, "strerror", "") or str(error)
        said = "nothing can listen on {host}:{port}: {why}"
        hint = "choose another one with --port"
        raise PeerError(said, host=host, port=port, why=why.lower(), hint=hint) from error
    listener.setblocking(False)
    return listener


async def say(wire: Wire, error: AliceError) -> None:
    """Send the other end an error, if it is still there."""
    with contextlib.suppress(PeerError):
        await wire.send({"error": str(error)}, 2)


def serve(
    listener: socket.socket,
    secured: Callable[[], ssl.SSLContext],
    meet: Meeting,
    *,
    seconds: float | None = None,
    over: Callable[[], Awaitable[object]] | None = None,
) -> None:
    """Serve for ``seconds`` (None: until SIGINT or SIGTERM), or until ``over`` returns.

    Raises ``KeyboardInterrupt`` on SIGINT.
    """

    async def run() -> None:
        door = Door(listener, secured, meet)
        ended = asyncio.Event()
        with contextlib.suppress(ValueError, RuntimeError):
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
        standing = asyncio.create_task(door.stand())
        waits: list[Callable[[], Awaitable[object]]] = [ended.wait, *([over] if over is not None else [])]
        ends = [asyncio.ensure_future(one()) for one in waits]
        try:
            await asyncio.wait(ends, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            standing.cancel()
            for end in ends:
                end.cancel()
            await asyncio.gather(standing, *ends, return_exceptions=True)

    asyncio.run(run())


class TlsLink:
    """A connection to a peer whose certificate has been verified; carries requests and responses."""

    def __init__(self, runner: asyncio.Runner, wire: Wire, address: str) -> None:
        self._runner = runner
        self._wire = wire
        self.address = address
        self._answered = False

    def ask(self, message: Message) -> Message:
        """The peer's answer to one message; raises ``PeerError`` if it fails, is too slow, or refuses."""
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
            # In TLS 1.3 the client's handshake completes before the server has checked the client's certificate.
            raise PeerError(
                "{address} ended the conversation before it began; it may not trust this Alice",
                address=self.address,
                hint="pair anew: 'alice-exp peer invite' there, 'peer join' here",
            ) from error
        self._answered = True
        return answer


@contextlib.contextmanager
def connected(identity: FileIdentity, peer: Peer, addresses: Sequence[str]) -> Iterator[TlsLink]:
    """Connect to a peer at the first address (``host:port``) where it answers.

    Nothing is sent before its certificate has been compared with the pinned one. Raises ``PeerError`` if none is the
    peer.
    """
    identity.own()
    secured = context(CLIENT, identity.certificate_file, identity.key_file, (peer.certificate,))
    failure = PeerError("{name} was not found", name=peer.name, hint="say where it is: --at host:port")
    with asyncio.Runner() as runner:
        wire, address = runner.run(
            reached(addresses, secured, failure, "on the other side: alice-exp peer serve")
        )
        try:
            if wire.peer_id != peer.id:
                raise PeerError("{address} is not {name}", address=address, name=peer.name)
            yield TlsLink(runner, wire, address)
        finally:
            runner.run(wire.close())


async def reached(
    addresses: Sequence[str], secured: ssl.SSLContext, failure: PeerError, hint: str
) -> tuple[Wire, str]:
    """A connection to the first address where somebody answers; raises what failed last, ``failure`` where none is."""
    for address in addresses:
        try:
            return await opened(address, secured, hint), address
        except PeerError as error:
            failure = error
    raise failure


async def opened(address: str, secured: ssl.SSLContext, hint: str = "") -> Wire:
    """Open a TLS connection to an address; raises ``PeerError`` if nobody answers or its certificate is not trusted."""
    host, port = host_and_port(address)
    try:
        async with asyncio.timeout(HANDSHAKE):
            reader, writer = await asyncio.open_connection(
                host, port, ssl=secured, server_hostname="", limit=MOST, ssl_handshake_timeout=HANDSHAKE
            )
    except ssl.SSLError as error:
        raise gone(error) from error
    except (OSError, TimeoutError) as error:
        raise PeerError("nobody answers at {address}", address=address, hint=hint) from error
    return Wire(reader, writer)


def host_and_port(address: str) -> tuple[str, int]:
    """Split ``host:port`` or ``[host]:port``; raises ``UsageError`` if malformed."""
    host, colon, port = address.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not port.isdecimal() or not 0 < int(port[:6]) < 65536:
        raise UsageError("not an address: {address}", address=repr(address), hint="write host:port")
    return host, int(port)
