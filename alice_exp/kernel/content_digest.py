"""Hashes of contents and short texts: ``hashlib`` loads OpenSSL, a twentieth of a cold command, so few import it."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import sha256 as sha256
else:
    # As the standard library's ``random`` does, and with its way out where Python is built without it.
    try:
        sha256 = import_module("_sha2" if sys.version_info >= (3, 12) else "_sha256").sha256
    except ImportError:
        sha256 = import_module("hashlib").sha256


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
