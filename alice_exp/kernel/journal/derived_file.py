"""Derived files below ``state/``: JSON under a checksum, a damaged one counts as missing; the file signatures of the
last commit."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any
from zlib import crc32

from alice_exp.kernel.journal.atomic_files import RACY_NS, Signature, keep
from alice_exp.kernel.value_class import attributes, dataclass


def derived(body: object) -> str:
    """The text of a derived file: a line with the checksum (CRC-32), then JSON."""
    text = json.dumps(body)
    return f"{crc32(text.encode()):08x}\n{text}"


def keep_derived(path: Path, body: object) -> None:
    """Write a dispensable file, see ``atomic_files.keep``."""
    keep(path, derived(body))


def load_derived(path: Path) -> Any:
    """What ``keep_derived`` wrote; None if the file is missing, or is not byte for byte what was written."""
    try:
        head, _, text = path.read_bytes().partition(b"\n")
        # Compared before it is parsed: of what somebody else wrote not even the nesting is looked at.
        return json.loads(text) if head == b"%08x" % crc32(text) else None
    except (OSError, ValueError, RecursionError):
        return None


_VERSION = 3
UNKNOWN = Signature(0, 0, -1, 0)
"""The signature of a file that differs from the commit; no real file has a negative size."""


@dataclass(frozen=True)
class Stamps:
    """The commit that the files equalled, its time (epoch seconds), and each file's signature and blob id.

    ``at`` (ns) is a time before the signatures were taken: a file that is not clearly older may have changed unnoticed
    within one tick of the file system's clock. A file that differs from the commit has the signature ``UNKNOWN``.
    ``loose`` counts the bytes of packs written since the last repacking; -1 if not known.
    """

    head: str = ""
    commit_time: int = 0
    at: int = 0
    loose: int = -1
    files: Mapping[str, tuple[Signature, str]] = field(default_factory=dict)

    def unchanged(self, path: str, signature: Signature) -> bool:
        """Whether a file certainly has the content of the commit; False means "read it to find out"."""
        known = self.files.get(path)
        if known is None or known[0] != signature:
            return False
        # git calls the others "racily clean": a second write within one tick does not show in the time stamp.
        return max(signature.mtime, signature.ctime) < self.at - RACY_NS


def load(path: Path) -> Stamps:
    """Read the stamps from disk; empty if the file is missing, unreadable or of another version."""
    try:
        raw = load_derived(path)
        if raw["version"] != _VERSION:
            return Stamps()
        files = {name: (Signature(*row[:4]), str(row[4])) for name, row in raw["files"].items()}
        return Stamps(raw["head"], raw["commit_time"], raw["at"], raw["loose"], files)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        return Stamps()


def save(path: Path, stamps: Stamps) -> None:
    """Write the stamps. Failure is ignored: it only makes the next command slower."""
    files = {name: (*known, oid) for name, (known, oid) in stamps.files.items()}
    known = attributes(stamps, "head commit_time at loose")
    keep_derived(path, {"version": _VERSION, **known, "files": files})


def now_ns() -> int:
    """The current time in ns for ``Stamps.at``, comparable with file times."""
    return time.time_ns()
