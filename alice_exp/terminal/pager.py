"""Long output on a terminal goes through a pager, as git's does: ``ALICE_PAGER``, else ``PAGER``, else less.

``cat`` or an empty name turns it off. What fits on the screen is printed as it is.
"""

from __future__ import annotations

import io
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable


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
    """Whether the pager showed it."""
    # As git does: leave what fits, keep colours, do not clear the screen afterwards.
    environment = {"LESS": "FRX", "LESSCHARSET": "utf-8", **os.environ}
    try:
        subprocess.run(command(), input=text.encode(), env=environment, check=False)
    except OSError:
        return False
    return True
