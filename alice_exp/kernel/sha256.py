"""SHA-256 of short texts by Python's own module: ``hashlib`` loads OpenSSL, a twentieth of a cold command."""

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
