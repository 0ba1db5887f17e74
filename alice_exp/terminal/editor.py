"""A person at work in a terminal: a text in their editor, opened again at the line of a fault; single keys. Somebody
else's text files, written whole.
"""

from __future__ import annotations

import os
import select
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from alice_exp.kernel.errors import ProblemError, reason, refused_as
from alice_exp.kernel.journal.atomic_files import replace
from alice_exp.kernel.jsonc import Problem
from alice_exp.terminal.console import Terminal, faulty
from alice_exp.terminal.language import say

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


END = "\x04"
BREAK = "\x03"
QUITTING = ("q", END, BREAK)
LATER = ("l", " ")
CAPITALS = ("A", "R")
"""The keys that mean something else in upper case."""

_PASTE, _PASTE_ENDS = b"\x1b[200~", b"\x1b[201~"
"""What a terminal puts around a pasted text, when it is asked to (``mark_pastes``)."""


def key(prompt: str, ahead: Collection[str] | None = None) -> str:
    """One key in lower case (except ``CAPITALS``); an arrow key as its escape sequence; the end of input as Ctrl-D.

    A pasted text is no key: its letters would decide on what nobody has read. ``ahead`` says that what is on the screen
    was not there before: of the keys that were pressed already, only those in ``ahead`` count, and those that quit.
    """
    mark_pastes(True)
    while True:
        with _raw(sys.stdin.fileno()) as handle:
            raw = b"" if ahead is None else _typed_ahead(handle, ahead)
            sys.stdout.write(prompt)
            sys.stdout.flush()
            raw = raw or _sequence(handle)
        ahead, pressed = None, _text(raw)
        sys.stdout.write((pressed if pressed.isprintable() else "") + "\n")
        if not raw.startswith(_PASTE):
            return pressed
        sys.stdout.write(say("  what is pasted decides nothing: press a key") + "\n")


def answered_key(question: str, keys: Collection[str]) -> str:
    """The key that answers, puts off or quits; one that was pressed before the text was there decides nothing."""
    ahead: Collection[str] | None = LATER
    while True:
        pressed, ahead = key(question, ahead), None
        if pressed in QUITTING or pressed in LATER or (pressed and pressed in keys):
            return pressed


def _typed_ahead(handle: int, counting: Collection[str]) -> bytes:
    """The first waiting key that counts; what comes before it is dropped, and after a dropped key only quitting counts,
    since the person meant the others for what that key would have led to."""
    is_lost = False
    while select.select([handle], [], [], 0)[0]:
        raw = _sequence(handle)
        pressed = _text(raw)
        if pressed in QUITTING or (pressed in counting and not is_lost):
            return raw
        if not is_lost:
            sys.stdout.write(say("  a key pressed before this was on the screen decides nothing") + "\n")
        is_lost = True
    return b""


def _text(raw: bytes) -> str:
    pressed = raw.decode("utf-8", "replace") if raw else END
    return pressed if pressed.startswith("\x1b") or pressed in CAPITALS else pressed.lower()


def mark_pastes(on: bool) -> None:
    """Ask the terminal to mark what is pasted, or no more: an editor and a line that is typed take a paste as it is."""
    if os.environ.get("TERM", "dumb") != "dumb":
        sys.stdout.write("\x1b[?2004h" if on else "\x1b[?2004l")
        sys.stdout.flush()


def _sequence(handle: int) -> bytes:
    """The bytes of one key, or of one pasted text with its marks; empty at the end of input."""
    raw = piece = os.read(handle, 1)
    while piece and _goes_on(raw, handle):
        piece = os.read(handle, 1)
        raw += piece
    return raw


def _goes_on(raw: bytes, handle: int) -> bool:
    if raw.startswith(_PASTE):
        return not raw.endswith(_PASTE_ENDS)
    if raw[0] != 0x1B:
        # A character in UTF-8 that is not whole yet.
        return len(raw) < (1 if raw[0] < 0x80 else 2 if raw[0] < 0xE0 else 3 if raw[0] < 0xF0 else 4)
    # ESC [ … ends with a letter or ~, ESC and another character with that one: two arrows in haste are two keys.
    is_whole = len(raw) > 2 and 0x40 <= raw[-1] <= 0x7E if raw[1:2] in (b"", b"[", b"O") else True
    # The bytes of an arrow key follow its escape at once; 20 ms tell them from a lone Escape key.
    return not is_whole and bool(select.select([handle], [], [], 0.02)[0])


@contextmanager
def _raw(handle: int) -> Iterator[int]:
    """Turn off the terminal's line buffering and echo for one key; always restores them."""
    import termios
    import tty

    before = termios.tcgetattr(handle)
    ending = {number: signal.signal(number, _ended) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        tty.setcbreak(handle, termios.TCSADRAIN)
        yield handle
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)
        for number, handler in ending.items():
            signal.signal(number, handler)


def _ended(number: int, frame: object) -> NoReturn:  # noqa: ARG001
    """Exit with the status of a signal, but through every ``finally``, so that the terminal gets its echo back."""
    raise SystemExit(128 + number)


def typed(question: str) -> str | None:
    """What the person types on a line of its own, possibly nothing; ``None`` if they cancel."""
    mark_pastes(False)
    try:
        return input(question).strip()
    except (EOFError, KeyboardInterrupt):
        sys.stdout.write("\n")
        return None
