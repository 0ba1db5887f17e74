"""One line of JSON at a time over a stream, never longer than ``MOST``; who is at the other end, by certificate."""

from __future__ import annotations

import asyncio
import hashlib
import json
import ssl
from typing import TYPE_CHECKING, Final, cast

from alice_exp.kernel.errors import PeerError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from alice_exp.kernel.jsonc.problem import Json
    from alice_exp.sharing.ports import Message

MOST: Final = 1 << 20
"""Bytes of one message, its newline included."""

PATIENCE: Final = 15.0
"""Seconds that one message may take to arrive or to go out."""


class TooLong(PeerError):
    """Our own message is longer than ``MOST``; nothing was sent."""


class Wire:
    """A connection that carries messages, each one object in one line of UTF-8 JSON.

    ``send`` and ``receive`` raise ``PeerError`` where the other end is slow, gone or says what is no message.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @property
    def certificate(self) -> bytes:
        """The certificate that the other end proved to hold, DER; empty where it showed none."""
        secured = self._writer.get_extra_info("ssl_object")
        return (secured.getpeercert(binary_form=True) or b"") if secured is not None else b""

    @property
    def peer_id(self) -> str:
        """The SHA-256 of that certificate as hex; empty where there is none."""
        return hashlib.sha256(self.certificate).hexdigest() if self.certificate else ""

    async def send(self, message: Message, patience: float = PATIENCE) -> None:
        """Send one message; ``PeerError`` where it is longer than ``MOST``."""
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
        """The next message; ``PeerError`` where none comes in time or it is none."""
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
        return decoded(line)

    async def close(self) -> None:
        """Say good-bye; never raises, never waits long."""
        self._writer.close()
        try:
            async with asyncio.timeout(1):
                await self._writer.wait_closed()
        except (OSError, TimeoutError, ssl.SSLError):
            self._writer.transport.abort()


def encoded(message: Message) -> bytes:
    """A message as its line."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"


def decoded(line: bytes) -> Message:
    """A line as its message; ``PeerError`` where it is no object of JSON, or no text that could be written down."""
    try:
        value = json.loads(line.decode("utf-8"), parse_constant=_no_number)
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        raise PeerError("what came is no message") from error
    if not isinstance(value, dict):
        raise PeerError("what came is no message")
    return cast("Mapping[str, Json]", value)


def _no_number(name: str) -> float:
    raise ValueError(name)


def gone(error: BaseException) -> PeerError:
    """What a failed connection means, in a sentence."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return PeerError("the other end is not the Alice that was paired", hint="nothing was sent to it")
    if isinstance(error, ssl.SSLError):
        return PeerError(
            "the other end does not trust this Alice, or speaks no TLS 1.3",
            hint="pair with 'alice-exp peer invite' there and 'peer join' here",
        )
    return PeerError("the other end hung up")


def context(purpose: int, certificate: Path, key: Path, trusted: tuple[str, ...] | None) -> ssl.SSLContext:
    """TLS 1.3 alone, with our certificate; ``trusted`` (PEM) are the only ones that may be at the other end.

    ``None``: anyone may, and is asked for no certificate (pairing, where a code proves who it is). No session is ever
    resumed, so that every connection proves its certificate anew.
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
