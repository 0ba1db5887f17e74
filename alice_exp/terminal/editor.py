"""A text in the person's editor, opened again at the line of a fault; and somebody else's text files, written whole."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from alice_exp.kernel.errors import ProblemError, reason, refused_as
from alice_exp.kernel.journal.atomic_files import replace
from alice_exp.kernel.jsonc.scan import Problem
from alice_exp.terminal.console import Terminal, faulty

MARK = "// alice-exp: "
"""The start of every line that we add; such lines are removed when the text is read back."""

_TAKES_LINE = frozenset(
    (
        *("vi", "vim", "nvim", "view", "gvim", "nano", "pico", "emacs", "emacsclient"),
        *("micro", "joe", "kak", "ne", "mcedit", "ed"),
    )
)
"""Editors that accept ``+LINE`` to open a file at a line."""

_TRIES_ALONE = 3
"""The number of faulty results accepted from an editor without a terminal (a script), which may never end."""


def in_editor(
    terminal: Terminal,
    name: str,
    head: Sequence[str],
    text: str,
    faults: Callable[[str], Sequence[Problem]],
    *,
    plain: bool = False,
) -> str | None:
    """Let a person edit ``text`` in $VISUAL or $EDITOR; None if the result is unchanged or empty.

    ``faults`` finds the faults of a text, with lines counted from its first; the editor is opened again at the first
    one, with the faults as comments at the top. ``ProblemError`` (exit 3) names the file, which is kept, if a person
    leaves a fault as it is. ``plain``: a sentence and no JSONC; our lines stand below it, as git's do.
    """
    folder = Path(tempfile.mkdtemp(prefix="alice-exp-"))
    path = folder / f"{name}.{'txt' if plain else 'jsonc'}"
    wrong: Sequence[Problem] = ()
    shown, kept, tries = text, False, 0
    try:
        while True:
            above = [*head, *(faulty(fault) for fault in wrong)]
            ours = "".join(f"{MARK}{line}\n" for line in above)
            path.write_text(f"{shown}\n{ours}" if plain else ours + shown, encoding="utf-8", newline="")
            line = wrong[0].line if wrong and wrong[0].line else 1
            _open(path, 1 if plain else line + len(above))
            made = _without_marks(path)
            if made is None or not made.strip() or made.strip() == text.strip():
                return None
            if wrong and made == shown:
                raise _left(path, wrong[0])
            wrong, shown, tries = faults(made), made, tries + 1
            if not wrong:
                return made
            if tries >= _TRIES_ALONE and not sys.stdin.isatty():
                raise _left(path, wrong[0])
            for fault in wrong:
                terminal.note(f"alice-exp: {faulty(fault)}")
    except ProblemError:
        kept = (_without_marks(path) or "").strip() not in ("", text.strip())
        raise
    finally:
        if not kept:
            shutil.rmtree(folder, ignore_errors=True)


def _left(path: Path, fault: Problem) -> ProblemError:
    above = sum(line.startswith(MARK.encode()) for line in path.read_bytes().splitlines())
    return ProblemError(
        "{why}; nothing was changed",
        why=fault.message,
        path=str(path),
        line=fault.line + above,
        column=fault.column,
        hint="what you wrote is kept in this file",
    )


def _without_marks(path: Path) -> str | None:
    """The file's text without our lines; None if the file was deleted."""
    try:
        with path.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
            lines = file.read().splitlines(keepends=True)
    except FileNotFoundError:
        return None
    return "".join(line for line in lines if not line.startswith(MARK))


def _open(path: Path, line: int) -> None:
    # An editor that nobody named may wait for a terminal for ever.
    words = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi" * sys.stdin.isatty())
    if not words:
        raise ProblemError("there is no terminal for an editor", hint="set VISUAL or EDITOR")
    words += [f"+{line}"] * (Path(words[0]).name in _TAKES_LINE)
    try:
        # stdout is for the answer only: if it is not a terminal, the editor draws on stderr's.
        done = subprocess.run([*words, path], stdout=None if sys.stdout.isatty() else 2, check=False)
    except OSError as error:
        raise ProblemError(
            "the editor {editor} cannot be started: {why}",
            editor=words[0],
            why=reason(error),
            hint="set VISUAL or EDITOR",
        ) from error
    if done.returncode:
        raise ProblemError("the editor ended with {code}; nothing was changed", code=done.returncode)


def text_of(path: Path) -> str:
    """A file's text; empty where there is none. ``ProblemError`` where it cannot be read as UTF-8."""
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise ProblemError("this is not UTF-8 text", path=str(path)) from None
    except OSError as error:
        raise ProblemError("this file cannot be read: {why}", why=reason(error), path=str(path)) from error


def write_text(path: Path, text: str) -> None:
    """Beside, then in its place, with the mode that it had; where a link stands, its target is written.

    Without a text the file goes. ``ProblemError`` where the disk refuses; the old file stands then.
    """
    target = path.resolve()
    with refused_as("this file cannot be written: {why}", path):
        if not text:
            target.unlink(missing_ok=True)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o600
        replace(target, text.encode(), durable=True, mode=mode)
