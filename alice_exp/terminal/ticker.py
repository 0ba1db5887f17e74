"""Says on a terminal that long work goes on: after a second, each second, on one line of stderr that goes again.

By an alarm of the system, not a thread: the work itself stays as it is.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from alice_exp.kernel.progress import so_far
from alice_exp.terminal.language import say

LONG = frozenset(
    (
        *(
            "import",
            "memorize",
            "recall",
            "list",
            "decide",
            "assess",
            "sync",
            "distill",
            "check",
            "doctor",
            "stats",
        ),
        *("episode", "event", "session"),
    )
)
"""Commands (a group's first word) that may take long and ask nothing while they work."""

ONCE = frozenset(("sync",))
"""Those during which another program may ask on this terminal, as ssh does: one line that stays, and no more."""

_is_running = False


@contextmanager
def ticking(name: str) -> Iterator[None]:
    """Within, a line says how long the command is at work; nothing without a terminal, nothing in the first second."""
    global _is_running
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
    _is_running = not once
    try:
        yield
    finally:
        stop()
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


def stop() -> None:
    """No more of it, and its line is wiped; before an answer, a warning or a question is written."""
    global _is_running
    if not _is_running:
        return
    _is_running = False
    signal.setitimer(signal.ITIMER_REAL, 0)
    sys.stderr.write("\r\033[K")
    sys.stderr.flush()
