"""Writes the lines of a command that serves others; a reader who does not read never stops it."""

from __future__ import annotations

import contextlib
import io
import os
import threading
from queue import Full, Queue
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable

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
        self._known: set[str] = set()
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
        except Full:
            self._lost += 1

    def write_once(self, text: str) -> None:
        """``write``, unless the same text was given before."""
        if text not in self._known:
            self._known.add(text)
            self.write(text)

    def close(self) -> None:
        """Wait a moment until all is written."""
        with contextlib.suppress(Full):
            self._queue.put_nowait(None)
            self._thread.join(_PATIENCE)

    def _run(self) -> None:
        while (text := self._queue.get()) is not None:
            with contextlib.suppress(OSError, ValueError):
                self._put(text)

    def _put(self, text: str) -> None:
        try:
            handle = self._stream.fileno()
        except io.UnsupportedOperation:
            self._stream.write(text)
            return
        # Past the stream's own buffer, whose lock would otherwise be held for ever.
        data = memoryview(text.encode(self._stream.encoding or "utf-8", "backslashreplace"))
        while data:
            data = data[os.write(handle, data) :]
