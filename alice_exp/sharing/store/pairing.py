"""Pairing: two Alices exchange certificates, authenticated by a short spoken code (SPAKE2; DESIGN 6).

SPAKE2 derives a shared key from the code, bound to both certificate fingerprints as each side saw them, so that a man
in the middle does not get it. An eavesdropper learns nothing about the code, an attacker has one guess, and the code
expires after sixty seconds. The joining side sends its certificate and name only after the key has authenticated the
inviting side.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import os
import re
import socket
import ssl
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any, Final

from alice_exp.kernel.errors import AliceError, PeerError, UsageError
from alice_exp.kernel.value_class import dataclass
from alice_exp.sharing.rules.bundle import PEER_NAME, Message, Peer
from alice_exp.sharing.store.peer_identity import FileIdentity, certificate_id, random_word, require_leaf
from alice_exp.sharing.store.tls_transport import CLIENT, SERVER, Wire, context, reached, say, serve

SECONDS: Final = 60.0
"""Lifetime of a code."""

VERSION: Final = 1

_CODE = re.compile(r"([1-9][0-9]?)-([a-z2-9]{3})-?([a-z2-9]{3})")
_ID = re.compile(r"[0-9a-f]{64}")
_PATIENCE = 5.0
_WRONG = "the code is wrong, or somebody stands in between"
_AGAIN = "a code has one try: begin again with 'alice-exp peer invite'"


@dataclass(frozen=True, slots=True)
class Code:
    """A spoken code: ``number`` (1 to 99) identifies the invitation, ``word`` (6 letters, 2^30) is the secret."""

    number: int
    word: str

    def __str__(self) -> str:
        return f"{self.number}-{self.word[:3]}-{self.word[3:]}"

    @classmethod
    def fresh(cls) -> Code:
        """A new code from the system's random source."""
        return cls(1 + int.from_bytes(os.urandom(4), "big") % 99, random_word(6))

    @classmethod
    def read(cls, text: str) -> Code:
        """Parse a code as typed; raises ``UsageError`` if it is malformed."""
        fits = _CODE.fullmatch(text.strip().lower().replace(" ", "-"))
        if not fits:
            raise UsageError(
                "not a pairing code: {text}", text=repr(text), hint="a code looks like 7-k3m-x9p"
            )
        return cls(int(fits[1]), fits[2] + fits[3])


@dataclass
class Invitation:
    """The inviting side; its single try goes to the first connection that starts pairing."""

    identity: FileIdentity
    code: Code
    now: str
    alias: str = ""
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    joined: Peer | None = None
    failure: AliceError | None = None

    async def __call__(self, wire: Wire, settle: Callable[[], None]) -> None:
        """Handle one joining side; the try is spent once pairing has started, whether the code is right or wrong."""
        first = await wire.receive(_PATIENCE)
        if first.get("pair") != VERSION or self.ended.is_set() or self.failure is not None:
            raise PeerError("no attempts are left")
        # Set before the next await, so that a second connection finds the try already spent.
        self.failure = PeerError(_WRONG, hint=_AGAIN)
        settle()
        try:
            self.joined = await self._joined(wire, first)
            self.failure = None
        except PeerError as error:
            self.failure = error
            await say(wire, error)
        finally:
            self.ended.set()

    async def _joined(self, wire: Wire, first: Message) -> Peer:
        own = self.identity.own()
        their_id = _text(first, "id", _ID)
        side = _side(self.code, their_id, own.id, invited=False)
        mine = side.start().hex()
        key = _finished(side, _text(first, "pake"))
        await wire.send({"pake": mine}, _PATIENCE)
        proof = await wire.receive(_PATIENCE)
        if not hmac.compare_digest(_text(proof, "proof"), _proof(key, "join")):
            raise PeerError(_WRONG, hint=_AGAIN)
        await wire.send({"proof": _proof(key, "invite"), "name": own.name}, _PATIENCE)
        last = await wire.receive(_PATIENCE)
        certificate = _text(last, "certificate")
        if certificate_id(certificate) != their_id:
            raise PeerError("this is not the certificate that the code was bound to")
        peer = self.identity.keep(
            Peer(self.alias or _text(last, "name", PEER_NAME), their_id, certificate, self.now)
        )
        await wire.send({"paired": True}, _PATIENCE)
        return peer


def invite(invitation: Invitation, listener: socket.socket, seconds: float = SECONDS) -> Peer:
    """Wait for the peer with the code; raises ``PeerError`` if nobody came in time or the one try failed."""
    files = (invitation.identity.certificate_file, invitation.identity.key_file)
    invitation.identity.own()
    secured = context(SERVER, *files, None)

    serve(listener, lambda: secured, invitation, seconds=seconds, over=invitation.ended.wait)
    if invitation.failure is not None:
        raise invitation.failure
    if invitation.joined is None:
        raise PeerError("nobody came; the code is void", hint=_AGAIN)
    return invitation.joined


def join(identity: FileIdentity, code: Code, addresses: Sequence[str], now: str, alias: str = "") -> Peer:
    """Pair with the inviting side at the first ``host:port`` that answers; the code is tried only there.

    Raises ``PeerError`` if the code is wrong or the other end's certificate or name is invalid.
    """
    identity.own()
    return asyncio.run(_join(identity, code, addresses, Peer(alias, "", "", now)))


async def _join(identity: FileIdentity, code: Code, addresses: Sequence[str], blank: Peer) -> Peer:
    own = identity.own()
    secured = context(CLIENT, identity.certificate_file, identity.key_file, None)
    nobody, hint = PeerError("nobody is there to pair with"), "on the other side: alice-exp peer invite"
    wire, address = await reached(addresses, secured, nobody, hint)
    try:
        side = _side(code, own.id, wire.peer_id, invited=True)
        await wire.send({"pair": VERSION, "id": own.id, "pake": side.start().hex()}, _PATIENCE)
        key = _finished(side, _text(_fine(await wire.receive(_PATIENCE)), "pake"))
        await wire.send({"proof": _proof(key, "join")}, _PATIENCE)
        answer = _fine(await wire.receive(_PATIENCE))
        if not hmac.compare_digest(_text(answer, "proof"), _proof(key, "invite")):
            raise PeerError(_WRONG, hint=_AGAIN)
        certificate = ssl.DER_cert_to_PEM_cert(wire.certificate)
        require_leaf(certificate)
        name = blank.name or _text(answer, "name", PEER_NAME)
        await wire.send({"certificate": own.certificate, "name": own.name}, _PATIENCE)
        if _fine(await wire.receive(_PATIENCE)).get("paired") is not True:
            raise PeerError("the other end did not pair")
        return identity.keep(Peer(name, wire.peer_id, certificate, blank.paired_at, address))
    finally:
        await wire.close()


def _side(code: Code, joining: str, inviting: str, *, invited: bool) -> Any:
    from spake2 import SPAKE2_A, SPAKE2_B

    made = SPAKE2_A if invited else SPAKE2_B
    names = {"idA": joining.encode("ascii"), "idB": inviting.encode("ascii")}
    return made(f"alice-exp pair {VERSION} {code.word}".encode("ascii"), **names)


def _finished(side: Any, theirs: str) -> bytes:
    """The shared key. An invalid curve point, or our own message reflected, counts as a wrong code."""
    from spake2 import SPAKEError

    try:
        return bytes(side.finish(bytes.fromhex(theirs)))
    except (SPAKEError, ValueError, AssertionError) as error:
        raise PeerError(_WRONG, hint=_AGAIN) from error


def _proof(key: bytes, who: str) -> str:
    return hmac.new(key, f"alice-exp pair {VERSION} {who}".encode("ascii"), hashlib.sha256).hexdigest()


def _text(message: Message, name: str, shape: re.Pattern[str] | None = None) -> str:
    value = message.get(name)
    if not isinstance(value, str) or len(value) > 8192 or not value.isascii():
        raise PeerError("what came is not a message")
    if shape is not None and not shape.fullmatch(value):
        raise PeerError(
            "{value} cannot be the {name} of a peer",
            value=repr(value[:80]),
            name=name,
            hint="give a name with --as",
        )
    return value


def _fine(message: Message) -> Message:
    if "error" in message:
        raise PeerError("the other end refused: {why}", why=str(message["error"])[:300], hint=_AGAIN)
    return message
