"""The line protocol between Alices: one JSON object per line, at most ``MOST`` bytes, over TLS."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import ssl
from typing import TYPE_CHECKING, Final, cast

from alice_exp.kernel.errors import PeerError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from alice_exp.kernel.jsonc.scan import Json
    from alice_exp.sharing.ports import Message

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
        """Receive the next message; raises ``PeerError`` on timeout or malformed input."""
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
    """Parse a line; raises ``PeerError`` unless it is a JSON object whose texts can be encoded as UTF-8."""
    try:
        value = json.loads(line.decode("utf-8"), parse_constant=_no_number)
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        raise PeerError("what came is not a message") from error
    if not isinstance(value, dict):
        raise PeerError("what came is not a message")
    return cast("Mapping[str, Json]", value)


def _no_number(name: str) -> float:
    raise ValueError(name)


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
