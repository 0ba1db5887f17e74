"""What the files looked like when they were last known to equal the last commit: derived, deletable, never truth."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from alice_exp.kernel.journal.atomic_files import RACY_NS, Signature, keep

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_VERSION = 2
UNKNOWN = Signature(0, 0, -1, 0)
"""The signature of a file that is not as the commit has it: equal to none."""


@dataclass(frozen=True)
class Stamps:
    """The commit that the files equalled, its time (epoch seconds), each of its files' signature and blob id.

    ``at`` (ns) is a moment before the signatures were taken: a file that is not clearly older may have changed unseen
    within its tick. A file that differs from the commit has the signature ``UNKNOWN``.
    ``loose`` counts the bytes that acts have written since the last packing; -1 where it is not known.
    """

    head: str = ""
    commit_time: int = 0
    at: int = 0
    loose: int = -1
    files: Mapping[str, tuple[Signature, str]] = field(default_factory=dict)

    def unchanged(self, path: str, signature: Signature) -> bool:
        """Whether a file is certainly what it was."""
        known = self.files.get(path)
        if known is None or known[0] != signature:
            return False
        return max(signature.mtime, signature.ctime) < self.at - RACY_NS

    def equal(self, head: str, found: Mapping[str, Signature]) -> bool:
        """Whether the whole home is certainly as the commit ``head`` has it."""
        return (
            head == self.head
            and found.keys() == self.files.keys()
            and all(self.unchanged(path, signature) for path, signature in found.items())
        )


def load(path: Path) -> Stamps:
    """The stamps on disk; empty ones where there are none or they cannot be read."""
    try:
        raw = json.loads(path.read_bytes())
        if raw["version"] != _VERSION:
            return Stamps()
        files = {name: (Signature(*row[:4]), str(row[4])) for name, row in raw["files"].items()}
        return Stamps(raw["head"], raw["commit_time"], raw["at"], raw["loose"], files)
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return Stamps()


def save(path: Path, stamps: Stamps) -> None:
    """Write the stamps; a failure is nothing worse than a slower next command."""
    files = {
        name: [known.mtime, known.ctime, known.size, known.inode, oid]
        for name, (known, oid) in stamps.files.items()
    }
    body = {
        "version": _VERSION,
        "head": stamps.head,
        "commit_time": stamps.commit_time,
        "at": stamps.at,
        "loose": stamps.loose,
        "files": files,
    }
    keep(path, json.dumps(body))


def now_ns() -> int:
    """The file system's clock as ``at`` wants it."""
    return time.time_ns()
