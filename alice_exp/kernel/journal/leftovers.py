"""What a killed git leaves in a repository, and when nobody works on it any more, so that it may go."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from alice_exp.kernel.journal.atomic_files import maker_lives
from alice_exp.kernel.journal.git_process import FETCHED

if TYPE_CHECKING:
    from alice_exp.kernel.journal.git_process import Repository

_DYING_TRIES, _DYING_PAUSE = 60, 0.05
"""How often, and how long apart (s), recovery looks whether the git that made a lock is gone."""


def drop_stale_locks(repository: Repository) -> None:
    """Remove lock files of git whose holder is dead: under our lock no git of ours lives, so only a person's may."""
    git_dir = repository.git_dir
    candidates = [git_dir / name for name in ("index.lock", "HEAD.lock", "packed-refs.lock", "config.lock")]
    candidates += [*(git_dir / "refs").glob("**/*.lock")]
    stale = [path for path in candidates if path.exists()]
    if not stale:
        return
    # A git that was killed a moment ago may still be on its way out.
    for _ in range(_DYING_TRIES):
        if not _git_runs_here(git_dir):
            for path in stale:
                path.unlink(missing_ok=True)
            return
        time.sleep(_DYING_PAUSE)


def drop_abandoned_names(repository: Repository) -> None:
    """Remove the names of fetched history that a dead process looked at; they are given without the lock."""
    for path in (repository.git_dir / FETCHED).glob("[0-9]*"):
        if path.name != str(os.getpid()) and not maker_lives(path.name):
            path.unlink(missing_ok=True)


def sweep_objects(repository: Repository) -> None:
    """Remove objects and packs that a killed git never finished: nothing names them."""
    objects = repository.git_dir / "objects"
    unfinished = [*objects.glob("*/tmp_*"), *objects.glob("pack/*.keep")]
    if unfinished and not _git_runs_here(repository.git_dir):
        for path in unfinished:
            path.unlink(missing_ok=True)


_READERS = (b"cat-file", b"log", b"show", b"diff", b"diff-tree", b"rev-list", b"ls-tree", b"for-each-ref")
"""What of git takes no lock: a pager left open, or the reader that a long-running process of ours keeps."""


def _verb(words: list[bytes]) -> bytes:
    """The command that a git process was called with."""
    rest = iter(words[1:])
    for word in rest:
        if word in (b"-c", b"-C"):
            next(rest, b"")
        elif not word.startswith(b"-"):
            return word
    return b""


def _git_runs_here(git_dir: Path) -> bool:
    """Whether some git process writes to this repository; where that cannot be seen, a minute's age decides."""
    here = str(git_dir.parent)
    proc = Path("/proc")
    if not (proc / "self" / "cmdline").exists():
        newest = max((path.stat().st_mtime for path in git_dir.glob("*.lock")), default=0.0)
        return time.time() - newest < 60
    for process in proc.glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            if Path(os.fsdecode(words[0])).name.startswith("git") and _verb(words) not in _READERS:
                where = str((process / "cwd").readlink())
                if where.startswith(here) or any(here in os.fsdecode(word) for word in words):
                    return True
        except OSError:
            continue
    return False
