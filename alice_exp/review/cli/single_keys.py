"""Single keys from a terminal, which is in raw mode only while it waits for one."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from alice_exp.terminal.language import say

END = "\x04"
BREAK = "\x03"
CAPITALS = ("R",)
"""The keys that mean something else in upper case."""


_PASTE, _PASTE_ENDS = b"\x1b[200~", b"\x1b[201~"
"""What a terminal puts around a pasted text, when it is asked to (``mark_pastes``)."""


def key(prompt: str) -> str:
    """One key in lower case (except ``CAPITALS``); an arrow key as its escape sequence; the end of input as Ctrl-D.

    A pasted text is no key: its letters would decide on what nobody has read.
    """
    mark_pastes(True)
    while True:
        sys.stdout.write(prompt)
        sys.stdout.flush()
        with _raw(sys.stdin.fileno()) as handle:
            raw = _sequence(handle)
        pressed = raw.decode("utf-8", "replace") if raw else END
        sys.stdout.write((pressed if pressed.isprintable() else "") + "\n")
        if not raw.startswith(_PASTE):
            return pressed if pressed.startswith("\x1b") or pressed in CAPITALS else pressed.lower()
        sys.stdout.write(say("  what is pasted decides nothing: press a key") + "\n")


def mark_pastes(on: bool) -> None:
    """Ask the terminal to mark what is pasted, or no more: an editor and a line that is typed take a paste as it is."""
    if os.environ.get("TERM", "dumb") != "dumb":
        sys.stdout.write("\x1b[?2004h" if on else "\x1b[?2004l")
        sys.stdout.flush()


def drop_typed_ahead() -> None:
    """Forget the keys that were pressed before now: they were meant for what stood on the screen then."""
    import termios

    # A test's terminal is none.
    with suppress(OSError, ValueError, termios.error):
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def _sequence(handle: int) -> bytes:
    """The bytes of one key, or of one pasted text with its marks; empty at the end of input."""
    raw = os.read(handle, 1)
    while raw and _goes_on(raw, handle):
        piece = os.read(handle, 1)
        if not piece:
            break
        raw += piece
    return raw


def _goes_on(raw: bytes, handle: int) -> bool:
    if raw.startswith(_PASTE):
        return not raw.endswith(_PASTE_ENDS)
    if raw[0] != 0x1B:
        return _is_partial(raw)
    # ESC [ … ends with a letter or ~, ESC and another character with that one: two arrows in haste are two keys.
    is_whole = len(raw) > 2 and 0x40 <= raw[-1] <= 0x7E if raw[1:2] in (b"", b"[", b"O") else True
    # The bytes of an arrow key follow its escape at once; 20 ms tell them from a lone Escape key.
    return not is_whole and bool(select.select([handle], [], [], 0.02)[0])


def _is_partial(raw: bytes) -> bool:
    """Whether these bytes are an incomplete UTF-8 character."""
    wanted = 1 if raw[0] < 0x80 else 2 if raw[0] < 0xE0 else 3 if raw[0] < 0xF0 else 4
    return len(raw) < wanted


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
