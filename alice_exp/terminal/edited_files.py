"""Somebody else's text files (a host's configuration, CLAUDE.md): read as UTF-8, written beside and put in place."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from alice_exp.kernel.errors import ProblemError


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
    temporary = target.with_name(f".{target.name}.alice-{os.getpid()}")
    try:
        if not text:
            target.unlink(missing_ok=True)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as out:
            out.write(text.encode())
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        why = (error.strerror or str(error)).lower()
        raise ProblemError("this file cannot be written: {why}", why=why, path=str(path)) from error
