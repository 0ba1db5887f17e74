"""Single keys from a terminal, which is in raw mode only while it waits for one."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

END = "\x04"
BREAK = "\x03"
CAPITALS = ("R",)
"""The keys that mean something else in upper case."""


def key(prompt: str) -> str:
    """One key in lower case (except ``CAPITALS``); an arrow key as its escape sequence; the end of input as Ctrl-D."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    with _raw(sys.stdin.fileno()) as handle:
        raw = os.read(handle, 1)
        # The bytes of an arrow key follow its escape at once; 20 ms tell them from a lone Escape key.
        while raw and (_is_partial(raw) or (raw[0] == 0x1B and select.select([handle], [], [], 0.02)[0])):
            raw += os.read(handle, 1)
    pressed = raw.decode("utf-8", "replace") if raw else END
    sys.stdout.write((pressed if pressed.isprintable() else "") + "\n")
    return pressed if pressed.startswith("\x1b") or pressed in CAPITALS else pressed.lower()


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
