"""Verifies OpenSSH signatures of Ed25519 keys, with and without a security device, in this process.

Formats: OpenSSH's PROTOCOL.sshsig and PROTOCOL.u2f. Keys of other kinds are left to ``ssh-keygen``.
"""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

from alice_exp.owner.rules.ed25519 import Signed, verified

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alice_exp.model.values.block import Claim

_MAGIC = b"SSHSIG"
_PLAIN, _DEVICE = b"ssh-ed25519", b"sk-ssh-ed25519@openssh.com"
_HASHES = {b"sha512": hashlib.sha512, b"sha256": hashlib.sha256}
_TOUCHED = 1
"""The flag of a device's signature that says that a person touched it."""


def can_verify(line: str) -> bool:
    """Whether signatures of this public key line are verified here."""
    return line.startswith(("ssh-ed25519 ", "sk-ssh-ed25519@openssh.com "))


def verdicts(line: str, claims: Sequence[Claim], namespace: str) -> tuple[bool, ...]:
    """Whether each claim's signature is by the key of ``line`` (``can_verify``) over its text."""
    blob = base64.b64decode(line.split(" ")[1])
    key = _strings(blob)[1]
    found = [_signed(blob, said, namespace.encode()) for said in claims]
    answers = iter(verified(key, [one for one in found if one is not None]))
    return tuple(one is not None and next(answers) for one in found)


def _signed(key: bytes, said: Claim, namespace: bytes) -> Signed | None:
    """What the key has to have signed for this claim, and the bare signature; None if its form is wrong."""
    try:
        data = base64.b64decode("".join(said.signature.split()), validate=True)
        if data[:6] != _MAGIC or int.from_bytes(data[6:10], "big") != 1:
            return None
        public, named, reserved, algorithm, signature = _strings(data[10:])
        digest = _HASHES[algorithm](said.text.encode()).digest()
        if public != key or named != namespace:
            return None
        message = b"".join(map(_string, (namespace, reserved, algorithm, digest)))
        return _of_key(key, _MAGIC + message, signature)
    except (ValueError, KeyError, IndexError):
        return None


def _of_key(key: bytes, message: bytes, signature: bytes) -> Signed | None:
    kind, size = _strings(key)[0], 4 + int.from_bytes(signature[:4], "big")
    if kind != signature[4:size] or kind not in (_PLAIN, _DEVICE):
        return None
    bare, rest = signature[size + 4 : size + 68], signature[size + 68 :]
    if signature[size : size + 4] != b"\0\0\0\x40":
        return None
    if kind == _PLAIN:
        return Signed(message, bare) if not rest else None
    if len(rest) != 5 or not rest[0] & _TOUCHED:
        return None
    application = hashlib.sha256(_strings(key)[2]).digest()
    return Signed(application + rest + hashlib.sha256(message).digest(), bare)


def _strings(data: bytes) -> list[bytes]:
    """The fields of an SSH structure of strings; ``ValueError`` if one is cut off."""
    fields, at = [], 0
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        field = data[at + 4 : at + 4 + size]
        if len(field) != size or at + 4 > len(data):
            raise ValueError("a field is cut off")
        fields.append(field)
        at += 4 + size
    return fields


def _string(field: bytes) -> bytes:
    return len(field).to_bytes(4, "big") + field
