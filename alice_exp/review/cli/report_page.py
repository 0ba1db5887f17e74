"""The report's page as a file in ``state/``: written, shown in the browser, told to the desktop."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.atomic_files import replace
from alice_exp.terminal.console import Terminal


def written(terminal: Terminal, page: str) -> Path:
    """Write the page to ``state/report.html``, for its owner alone; its path. ``ProblemError`` where it cannot be."""
    path = terminal.session.root / "state" / "report.html"
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        replace(path, page.encode(errors="replace"), durable=False)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise ProblemError("this file cannot be written: {why}", why=why, path=str(path)) from error
    return path


def opened(path: Path) -> bool:
    """Show a file in the person's browser; false where there is none that could."""
    import webbrowser

    try:
        return webbrowser.open(path.as_uri())
    except webbrowser.Error:
        return False


def told(title: str, text: str) -> bool:
    """Tell the desktop; false where there is none, or where it does not take it."""
    if sys.platform == "darwin":
        # As arguments, not in the script: a text can then never be part of a program.
        script = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run"
        words = ["osascript", "-e", script, title, text]
    else:
        words = ["notify-send", "--app-name=alice-exp", "--", title, text]
    if shutil.which(words[0]) is None:
        return False
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
