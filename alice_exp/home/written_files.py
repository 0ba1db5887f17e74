"""Which files outside of the home blocks or records were written into: a purge names those that still say its words."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from alice_exp.kernel.journal.atomic_files import append


def _list(root: Path) -> Path:
    return root / "identity" / "written.jsonl"


def note_written(root: Path, target: Path) -> None:
    """Note a file that is written now, by its whole path; an addition, so what the disk refuses is left."""
    path = target.resolve()
    with contextlib.suppress(OSError):
        if path not in written_files(root):
            _list(root).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            append(_list(root), json.dumps(str(path)).encode() + b"\n")


def written_files(root: Path) -> tuple[Path, ...]:
    """The files that were noted, in their order; lines that are none are skipped."""
    found: list[Path] = []
    with contextlib.suppress(OSError):
        for line in _list(root).read_bytes().splitlines():
            with contextlib.suppress(ValueError, TypeError):
                found.append(Path(json.loads(line)))
    return tuple(found)
