"""Makes streams fit to write to: a closed one is nowhere, a character that an encoding lacks is escaped, long output
is paged, a page of HTML stands alone, and a reader who does not read never stops who serves others.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from alice_exp.kernel.errors import so_far
from alice_exp.kernel.text.display import Markup, escaped_json, filling, visible
from alice_exp.kernel.value_class import sha256
from alice_exp.terminal.language import language, say


def settle() -> None:
    """Once, before a command runs. A stream that a test or another program put there stays as it is."""
    for handle in range(3):
        try:
            os.fstat(handle)
        except OSError:
            # Else the next file that is opened would become the answer's place.
            while os.open(os.devnull, os.O_RDWR) < handle:
                pass
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123
    for stream in (sys.stdout, sys.stderr):
        stream_: Any = stream
        if hasattr(stream_, "reconfigure") and stream_.errors in ("strict", "surrogateescape"):
            stream_.reconfigure(errors="backslashreplace")


def json_text(document: object, indent: int | None = 2, stream: TextIO | None = None) -> str:
    """A document as JSON with a final newline, indented or on one line.

    Escaped is what the encoding of the stream (stdout) may lack, and whatever could control a terminal: the document is
    the same.
    """
    is_ascii = (
        not ((stream or sys.stdout).encoding or "")
        .lower()
        .replace("-", "")
        .replace("_", "")
        .startswith("utf")
    )
    text = json.dumps(document, ensure_ascii=is_ascii, indent=indent, default=str) + "\n"
    if text.isascii() and "\x7f" not in text:
        return text
    return escaped_json(text)


class _Held(io.StringIO):
    """What would have gone to the terminal: it says that it is one, so that what is drawn is drawn for one."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        """True, since it stands for a terminal."""
        return True

    def fileno(self) -> int:
        """The terminal's own, so that its width is found."""
        return sys.__stdout__.fileno() if sys.__stdout__ is not None else 1


def command() -> list[str]:
    """The pager's command line; empty where none is wanted or there."""
    import shlex

    named = os.environ.get("ALICE_PAGER", os.environ.get("PAGER", "less"))
    words = shlex.split(named) if named else []
    return words if words and words != ["cat"] and shutil.which(words[0]) else []


def paged(write: Callable[[], None]) -> None:
    """Let ``write`` print; if that is longer than the screen and somebody sits there, through the pager."""
    out = sys.stdout
    if not (out.isatty() and sys.stdin.isatty()) or os.environ.get("TERM") == "dumb" or not command():
        write()
        return
    held = _Held()
    sys.stdout = held
    try:
        write()
    finally:
        sys.stdout = out
        text = held.getvalue()
        if text.count("\n") < shutil.get_terminal_size().lines or not _shown(text):
            out.write(text)


def _shown(text: str) -> bool:
    # As git does: leave what fits, keep colours, do not clear the screen afterwards.
    environment = {"LESS": "FRX", "LESSCHARSET": "utf-8", **os.environ}
    try:
        subprocess.run(command(), input=text.encode(), env=environment, check=False)
    except OSError:
        return False
    return True


MOST = 1000
"""The most texts that wait for a reader; what comes after them is counted instead."""

_PATIENCE = 1.0
"""Seconds to wait at the end for what has not been read."""


class PatientLines:
    """One stream, written by a thread of its own. ``unread`` makes the text that says how many were left out."""

    def __init__(self, stream: TextIO, unread: Callable[[int], str]) -> None:
        self._stream = stream
        self._unread = unread
        self._lost = 0
        # Loaded by those who serve: every command loads this module.
        from queue import Full, Queue

        self._full = Full
        self._queue: Queue[str | None] = Queue(MOST)
        # A thread that is stuck in a full pipe must not keep the process from ending.
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def write(self, text: str) -> None:
        """Have a text written when there is room for it; returns at once."""
        try:
            if self._lost:
                self._queue.put_nowait(self._unread(self._lost))
                self._lost = 0
            self._queue.put_nowait(text)
        except self._full:
            self._lost += 1

    def close(self) -> None:
        """Wait a moment until all is written."""
        with suppress(self._full):
            self._queue.put_nowait(None)
            self._thread.join(_PATIENCE)

    def _run(self) -> None:
        while (text := self._queue.get()) is not None:
            with suppress(OSError, ValueError):
                self._put(text)

    def _put(self, text: str) -> None:
        handle = self._stream.fileno()
        # Past the stream's own buffer, whose lock would otherwise be held for ever.
        data = memoryview(text.encode(self._stream.encoding or "utf-8", "backslashreplace"))
        while data:
            data = data[os.write(handle, data) :]


LONG = frozenset(
    (
        *("import", "memorize", "recall", "list", "decide", "assess", "sync", "distill", "check"),
        *("doctor", "stats", "episode", "event", "session"),
    )
)
"""Commands (a group's first word) that may take long and ask nothing while they work."""

ONCE = frozenset(("sync",))
"""Those during which another program may ask on this terminal, as ssh does: one line that stays, and no more."""

_running = ""
"""What wipes the line of the work that goes on (a blank: nothing, as it stays); empty: none goes on."""


@contextmanager
def ticking(name: str) -> Iterator[None]:
    """Within, a line says how long the command is at work; nothing without a terminal, nothing in the first second."""
    global _running
    if name.partition(" ")[0] not in LONG or not sys.stderr.isatty() or not hasattr(signal, "setitimer"):
        yield
        return
    began = time.monotonic()
    once = name.partition(" ")[0] in ONCE

    def tick(*_: Any) -> None:
        line = _line(name, int(time.monotonic() - began))
        sys.stderr.write(f"{line}\n" if once else f"\r\033[K{line}")
        sys.stderr.flush()

    before = signal.signal(signal.SIGALRM, tick)
    signal.setitimer(signal.ITIMER_REAL, 1, 0 if once else 1)
    _running = " " if once else "\r\033[K"
    try:
        yield
    finally:
        stop_ticking()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _line(name: str, seconds: int) -> str:
    done, total = so_far()
    if not total:
        return say("{command}: at work for {count} s …", command=name, count=seconds)
    return say(
        "{command}: {done} of {total}, at work for {count} s …",
        command=name,
        done=f"{done:,}",
        total=f"{total:,}",
        count=seconds,
    )


def stop_ticking() -> None:
    """No more of it, and its line is wiped; before an answer, a warning or a question is written."""
    global _running
    if not _running:
        return
    signal.setitimer(signal.ITIMER_REAL, 0)
    sys.stderr.write(_running.strip(" "))
    sys.stderr.flush()
    _running = ""


def _escaped(text: str) -> str:
    from html import escape  # A command that writes no page does without its tables.

    return escape(text)


html = filling(lambda text: _escaped(visible(text)))
"""Fills a template of HTML."""


def document(title: str, lead: str, body: str, foot: str, script: str = "") -> str:
    """A complete page around a body of HTML; title, lead and foot are plain texts, which are escaped.

    The page's policy lets that one script run and nothing else: no text in the page can become a program.
    """
    style = Path(__file__).with_name("data").joinpath("page.css").read_text("utf-8")
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    if script:
        from base64 import b64encode

        policy += f"; script-src 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"
    return html(
        '<!DOCTYPE html>\n<html lang="{0}">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="{1}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<title>{2}</title>\n<style>\n{3}</style>\n</head>\n<body>\n<main>\n"
        "<header>\n<h1>{2}</h1>\n<p>{4}</p>\n</header>\n{5}<footer>{6}</footer>\n</main>\n{7}</body>\n</html>\n",
        language(),
        Markup(policy),
        title,
        Markup(style),
        lead,
        Markup(body),
        foot,
        Markup(f"<script>{script}</script>\n" if script else ""),
    )
