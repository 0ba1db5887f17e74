"""Hashes of file contents, each computed once: an act of a big file asks for that of two contents a dozen times."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

SMALL, HUGE = 1 << 16, 1 << 24
"""The sizes, in bytes, between which a content is kept with its hash: below it is as fast to hash it again."""

KEPT = 4
"""How many hashes are kept: of what a file was and of what it becomes, by either function."""

_kept: tuple[tuple[Callable[[bytes], str], bytes, str], ...] = ()


def blob_id(data: bytes) -> str:
    """The object id that git gives these bytes."""
    return _once(_blob_id, data)


def digest(data: bytes) -> str:
    """The first half of a content's SHA-256, in hex: by it a displaced file is recognised."""
    return _once(_digest, data)


def _once(compute: Callable[[bytes], str], data: bytes) -> str:
    """The hash of a content, from before if one of the last was equal to it byte by byte."""
    global _kept
    if not SMALL <= len(data) <= HUGE:
        return compute(data)
    for known, content, found in _kept:
        if known is compute and content == data:
            return found
    found = compute(data)
    # A new tuple: another thread may be looking through the old one.
    _kept = (*_kept[1 - KEPT :], (compute, data, found))
    return found


def _blob_id(data: bytes) -> str:
    # Imported by those who ask for one: it loads OpenSSL.
    import hashlib

    hashed = hashlib.sha1(b"blob %d\0" % len(data), usedforsecurity=False)
    hashed.update(data)
    return hashed.hexdigest()


def _digest(data: bytes) -> str:
    import hashlib

    return hashlib.sha256(data).hexdigest()[:32]
