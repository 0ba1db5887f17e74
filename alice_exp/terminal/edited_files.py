"""Somebody else's text files (a host's configuration, CLAUDE.md): read as UTF-8, written beside and put in place."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.atomic_files import replace

if TYPE_CHECKING:
    from pathlib import Path


def text_of(path: Path) -> str:
    """A file's text; empty where there is none. ``ProblemError`` where it cannot be read as UTF-8."""
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise ProblemError("this is not UTF-8 text", path=str(path)) from None
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise ProblemError("this file cannot be read: {why}", why=why, path=str(path)) from error


def write_text(path: Path, text: str) -> None:
    """Beside, then in its place, with the mode that it had; where a link stands, its target is written.

    Without a text the file goes. ``ProblemError`` where the disk refuses; the old file stands then.
    """
    target = path.resolve()
    try:
        if not text:
            target.unlink(missing_ok=True)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o600
        replace(target, text.encode(), durable=True, mode=mode)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise ProblemError("this file cannot be written: {why}", why=why, path=str(path)) from error
