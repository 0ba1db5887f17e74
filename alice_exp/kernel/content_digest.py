"""Hashes of file contents. ``hashlib`` is imported by those who ask for one: it loads OpenSSL."""

from __future__ import annotations


def blob_id(data: bytes) -> str:
    """The object id that git gives these bytes."""
    import hashlib

    hashed = hashlib.sha1(b"blob %d\0" % len(data), usedforsecurity=False)
    hashed.update(data)
    return hashed.hexdigest()


def digest(data: bytes) -> str:
    """The first half of a content's SHA-256, in hex: by it a displaced file is recognised."""
    import hashlib

    return hashlib.sha256(data).hexdigest()[:32]
