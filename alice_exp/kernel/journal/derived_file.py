"""Small derived files below ``state/``: JSON under a checksum, so that a damaged file counts as a missing one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from zlib import crc32

from alice_exp.kernel.journal.atomic_files import keep

if TYPE_CHECKING:
    from pathlib import Path


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
