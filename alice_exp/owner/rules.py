"""Ed25519 in this process (RFC 8032): signs, and verifies, also what OpenSSH signed with or without a device.

Formats: OpenSSH's PROTOCOL.sshsig and PROTOCOL.u2f. Keys of other kinds are left to ``ssh-keygen``.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from alice_exp.kernel.value_class import dataclass

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, P - 2, P) % P
_ROOT = pow(2, (P - 1) // 4, P)


class Point(NamedTuple):
    """A point of the curve in extended coordinates (RFC 8032, 5.1.4)."""

    x: int
    y: int
    z: int
    t: int


_ZERO = Point(0, 1, 1, 0)


def _plus(one: Point, other: Point) -> Point:
    a = (one.y - one.x) * (other.y - other.x) % P
    b = (one.y + one.x) * (other.y + other.x) % P
    c = 2 * one.t * other.t * _D % P
    d = 2 * one.z * other.z % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return Point(e * f % P, g * h % P, f * g % P, e * h % P)


def _point(data: bytes) -> Point | None:
    """Decode a point (RFC 8032, 5.1.3); None if the bytes are no point."""
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number & ((1 << 255) - 1)
    if len(data) != 32 or y >= P:
        return None
    u, v = (y * y - 1) % P, (_D * y * y + 1) % P
    x = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    if (v * x * x - u) % P:
        x = x * _ROOT % P
        if (v * x * x - u) % P:
            return None
    if x == 0 and sign:
        return None
    if x & 1 != sign:
        x = P - x
    return Point(x, y, 1, x * y % P)


_BASE_BYTES = (4 * pow(5, P - 2, P) % P).to_bytes(32, "little")


def _sum(terms: Iterable[tuple[int, Point]]) -> Point:
    """The sum of multiples of points, by windows of four bits that share their doublings (Straus)."""
    rows: list[tuple[int, list[Point]]] = []
    for scalar, point in terms:
        table = [_ZERO, point]
        for _ in range(14):
            table.append(_plus(table[-1], point))
        rows.append((scalar, table))
    total = _ZERO
    highest = max((scalar.bit_length() for scalar, _ in rows), default=0)
    for shift in range((highest + 3) // 4 * 4 - 4, -1, -4):
        for _ in range(4):
            total = _plus(total, total)
        for scalar, table in rows:
            if digit := scalar >> shift & 15:
                total = _plus(total, table[digit])
    return total


def verified(key: bytes, message: bytes, made: bytes) -> bool:
    """Whether a signature (64 bytes) is that of the public ``key`` (32 bytes) over a message: S·B = R + h·A."""
    public, base = _point(key), _point(_BASE_BYTES)
    r, s = _point(made[:32]), int.from_bytes(made[32:], "little")
    if public is None or base is None or r is None or len(made) != 64 or s >= L:
        return False
    digest = hashlib.sha512(made[:32] + key + message).digest()
    point = _sum([(L - s, base), (int.from_bytes(digest, "little") % L, public), (1, r)])
    # Eightfold, which RFC 8032 allows: a point of small order must not make a batch and a single check differ.
    for _ in range(3):
        point = _plus(point, point)
    return point.x % P == 0 and (point.y - point.z) % P == 0


def public_key(seed: bytes) -> bytes:
    """The public key (32 bytes) of a private one (32 random bytes)."""
    return _times_base(_scalars(seed)[0])


def signature(seed: bytes, message: bytes) -> bytes:
    """The signature (64 bytes) by the key ``seed``; its time depends on that: for messages that nobody else chooses."""
    scalar, prefix = _scalars(seed)
    nonce = int.from_bytes(hashlib.sha512(prefix + message).digest(), "little") % L
    r = _times_base(nonce)
    digest = hashlib.sha512(r + _times_base(scalar) + message).digest()
    return r + ((nonce + int.from_bytes(digest, "little") * scalar) % L).to_bytes(32, "little")


def _scalars(seed: bytes) -> tuple[int, bytes]:
    digest = hashlib.sha512(seed).digest()
    return int.from_bytes(digest[:32], "little") & ((1 << 254) - 8) | (1 << 254), digest[32:]


def _times_base(scalar: int) -> bytes:
    base = _point(_BASE_BYTES)
    assert base is not None
    point = _sum([(scalar, base)])
    inverse = pow(point.z, P - 2, P)
    y = point.y * inverse % P
    return (y | (point.x * inverse % P & 1) << 255).to_bytes(32, "little")


@dataclass(frozen=True, slots=True)
class OwnerKey:
    """An SSH key that signs decisions: ``line`` is ``TYPE BASE64``, ``fingerprint`` ``SHA256:…``, ``file`` the private
    key's path (empty: not here). ``protection``: ``passphrase``, ``hardware``, ``none``, ``agent`` (held only by an
    ssh-agent: unknown), or empty if not examined."""

    line: str
    fingerprint: str
    comment: str = ""
    file: str = ""
    protection: str = ""

    @property
    def is_hardware(self) -> bool:
        """Whether the key is on a security device (``sk-…``), which asks for a touch per signature."""
        return self.line.startswith("sk-")


_PLAIN, _DEVICE = b"ssh-ed25519", b"sk-ssh-ed25519@openssh.com"
_HASHES = {b"sha512": hashlib.sha512, b"sha256": hashlib.sha256}
_TOUCHED = 1
"""The flag of a device's signature that says that a person touched it."""


def can_verify(line: str) -> bool:
    """Whether signatures of this public key line are verified here."""
    return line.startswith(("ssh-ed25519 ", "sk-ssh-ed25519@openssh.com "))


def holds(line: str, text: str, signature: str, namespace: str) -> bool:
    """Whether a signature (base64) is by the key of ``line`` (``can_verify``) over a text."""
    key = base64.b64decode(line.split(" ")[1])
    try:
        data = base64.b64decode("".join(signature.split()), validate=True)
        public, named, reserved, algorithm, made = _strings(data[10:])
        if data[:10] != b"SSHSIG\0\0\0\1" or public != key or named != namespace.encode():
            return False
        parts = (named, reserved, algorithm, _HASHES[algorithm](text.encode()).digest())
        message = b"SSHSIG" + b"".join(len(part).to_bytes(4, "big") + part for part in parts)
        return _is_of_key(key, message, made)
    except (ValueError, KeyError, IndexError):
        return False


def _is_of_key(key: bytes, message: bytes, made: bytes) -> bool:
    kind, point, *device = _strings(key)
    size = 4 + int.from_bytes(made[:4], "big")
    bare, rest = made[size + 4 : size + 68], made[size + 68 :]
    if kind != made[4:size] or kind not in (_PLAIN, _DEVICE) or made[size : size + 4] != b"\0\0\0\x40":
        return False
    if kind == _PLAIN:
        return not rest and verified(point, message, bare)
    if len(rest) != 5 or not rest[0] & _TOUCHED:
        return False
    message = hashlib.sha256(device[0]).digest() + rest + hashlib.sha256(message).digest()
    return verified(point, message, bare)


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
