"""The inventory of ``state/``: every file that is written there, and what of a block stands in it.

A purge goes by it, and so do the sweeps after a crash. Whoever writes a new file there adds it; the tests look into
each home that they used.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from alice_exp.kernel.journal.atomic_files import append

Holds = Literal["nothing", "ids", "texts", "entry", "said", "waiting"]
"""What a file holds: neither id nor word of a block; ids alone, which stay; texts of any block, made anew from the
files when it is gone; one momentary entry, which goes with a block that it names or quotes; what was said and is not
taken in yet, a conversation's words; candidates that are nowhere else."""

INVENTORY: Mapping[str, Holds] = {
    "lock": "nothing",
    "config.json": "nothing",
    "shown-*": "nothing",
    "held.jsonc": "waiting",
    "hosts/*": "nothing",
    "hooks/.lock": "nothing",
    "hooks/once-*": "nothing",
    "hooks/*.json": "said",
    "access.jsonl": "ids",
    "access-*.jsonl": "ids",
    "access.lost": "nothing",
    "report.json": "ids",
    "review.json": "ids",
    "report.html": "texts",
    "files.json": "texts",
    "index.sqlite*": "texts",
    "ledger/*": "ids",
    "lost/*": "ids",
    "rejected.key": "nothing",
    "sessions.sqlite*": "texts",
    "published/*": "texts",
    "decisions/dec-*": "entry",
    "ran.jsonl": "entry",
    "heard/hrd-*": "entry",
    "heard/gone.jsonl": "ids",
    "heard/key": "nothing",
    "showings/*.dec-*": "entry",
    "team/uses.json": "ids",
    "team/words.json": "texts",
    "vectors-*.bin": "texts",
    ".report.html.new": "texts",
}
"""What each file holds, by patterns (of ``fnmatch``) of its path below ``state/``."""

FOLDERS = ("", *dict.fromkeys(name.partition("/")[0] for name in INVENTORY if "/" in name))
"""``state/`` itself and its folders, by their names below it."""


def kind_of(name: str) -> Holds | None:
    """What a file holds by its path below ``state/``; None for one that is not in the inventory."""
    from fnmatch import fnmatchcase

    return next((holds for pattern, holds in INVENTORY.items() if fnmatchcase(name, pattern)), None)


def state_files(root: Path) -> Iterator[tuple[Path, Holds | None]]:
    """Every file below the ``state/`` of a home, with what it holds."""
    state = root / "state"
    for path in sorted(state.rglob("*"), reverse=True):
        if path.is_symlink() or not path.is_dir():
            yield path, kind_of(path.relative_to(state).as_posix())


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
