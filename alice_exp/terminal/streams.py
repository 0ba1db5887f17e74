"""Makes the streams fit to write to: a closed one is nowhere, a character that an encoding lacks is escaped."""

from __future__ import annotations

import io
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import Any, TextIO


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


def json_text(document: object, indent: int | None = 2) -> str:
    """A document as JSON with a final newline, indented or on one line.

    Escaped is what stdout's encoding may lack, and whatever could control a terminal: the document is the same.
    """
    return _document(document, sys.stdout, indent)


def json_error(body: object) -> str:
    """The one line of JSON by which a command with ``--json`` fails, for stderr."""
    return _document({"error": body}, sys.stderr, None)


def _document(document: object, stream: TextIO, indent: int | None) -> str:
    named = (stream.encoding or "").lower().replace("-", "").replace("_", "")
    is_ascii = not named.startswith("utf")
    text = json.dumps(document, ensure_ascii=is_ascii, indent=indent, default=str) + "\n"
    if text.isascii() and "\x7f" not in text:
        return text
    from alice_exp.kernel.text.display import escaped_json

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
