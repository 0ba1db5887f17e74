"""Single keys from a terminal, which is in raw mode only while it waits for one."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import NoReturn

from alice_exp.terminal.language import say

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
    import signal
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
