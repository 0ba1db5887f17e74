"""Cache of the validated configuration in ``state/``, keyed by the file's signature."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from alice_exp.kernel.journal.atomic_files import RACY_NS, keep
from alice_exp.model.values.config import Config

if TYPE_CHECKING:
    from pathlib import Path

    from alice_exp.kernel.journal.atomic_files import Signature


def recalled(path: Path, signature: Signature) -> Config | None:
    """The cached configuration for a file with this signature; None if there is none or it may be outdated."""
    try:
        known = json.loads(path.read_bytes())
        is_old = max(signature.mtime, signature.ctime) < known["at"] - RACY_NS
        if known["signature"] != _as_list(signature) or not is_old or not isinstance(known["values"], dict):
            return None
        return Config(known["values"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def remember(path: Path, signature: Signature, at: int, config: Config) -> None:
    """Cache the configuration of a file without problems; ``at`` (ns) is a time before it was read.

    Failure is ignored: the next command parses the file again.
    """
    keep(path, json.dumps({"signature": _as_list(signature), "at": at, "values": dict(config.values)}))


def _as_list(signature: Signature) -> list[int]:
    return [signature.mtime, signature.ctime, signature.size, signature.inode]
