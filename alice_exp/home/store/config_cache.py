"""The configuration's checked values in ``state/``, by the file's signature: derived, so that it is parsed once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from alice_exp.kernel.journal.atomic_files import RACY_NS, keep
from alice_exp.model.values.config import Config

if TYPE_CHECKING:
    from pathlib import Path

    from alice_exp.kernel.journal.atomic_files import Signature


def recalled(path: Path, signature: Signature) -> Config | None:
    """The configuration that a file of this signature was found to say; ``None`` where that is not certain."""
    try:
        known = json.loads(path.read_bytes())
        is_old = max(signature.mtime, signature.ctime) < known["at"] - RACY_NS
        if known["signature"] != _told(signature) or not is_old or not isinstance(known["values"], dict):
            return None
        return Config(known["values"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def remember(path: Path, signature: Signature, at: int, config: Config) -> None:
    """Keep what a faultless file says, ``at`` (ns) a moment before it was read.

    A failure means that the next command parses it again.
    """
    keep(path, json.dumps({"signature": _told(signature), "at": at, "values": dict(config.values)}))


def _told(signature: Signature) -> list[int]:
    return [signature.mtime, signature.ctime, signature.size, signature.inode]
