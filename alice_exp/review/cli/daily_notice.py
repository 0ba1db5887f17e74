"""The first interaction of a day shows what waits: the report to a person at a terminal, one line to anyone else.

Never on stdout, never twice a day (B2.23, D30). What was shown is marked in ``state/`` by the bounds of the day, so
that a later command of the same day learns from a file name that there is nothing to do.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

from alice_exp.blocks.wiring import access
from alice_exp.kernel.errors import AliceError
from alice_exp.review.wiring import reports
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import say

Shown = Literal["report", "line"]

_SHOWING = frozenset(("heartbeat", "review", "init"))
_SILENT = frozenset(("approve", "reject", "reply", "mcp", "serve", "watch", "completion"))


def shows_itself(command: str) -> bool:
    """Whether a command (its whole name, as ``owner init``) shows what waits anyway, or nothing can wait yet."""
    return command in _SHOWING


def greet(terminal: Terminal, command: str) -> None:
    """Show or name what waits, where this is the first command of the day."""
    if terminal.quiet or command.partition(" ")[0] in _SILENT:
        return
    state = terminal.session.root / "state"
    wants: Shown = "report" if _is_person_there(terminal) else "line"
    try:
        if not state.is_dir() or _was_shown(state, wants, terminal.session.moment.timestamp()):
            return
        if not terminal.session.config.flag("heartbeat.auto") or not _mark(state, wants, terminal):
            return
    except (OSError, AliceError):
        return
    _show(terminal, wants)


def mark_shown(terminal: Terminal) -> None:
    """A person has seen today's report, or there cannot be one yet: no command of today repeats it."""
    try:
        if terminal.session.actor.is_person:
            _mark(terminal.session.root / "state", "report", terminal)
    except (OSError, AliceError):
        return


def _is_person_there(terminal: Terminal) -> bool:
    return sys.stderr.isatty() and not terminal.json and terminal.session.actor.is_person


def _was_shown(state: Path, wants: Shown, now: float) -> bool:
    """Whether a mark covers this moment: a line counts for a line, the report for both."""
    return any(
        (kind == "report" or wants == "line") and began <= now < ends
        for kind, began, ends, _ in _marks(state)
    )


def _marks(state: Path) -> Iterator[tuple[str, int, int, str]]:
    for name in os.listdir(state):  # noqa: PTH208
        if name.startswith("shown-"):
            kind, began, ends = (*name.split("-"), "", "", "")[1:4]
            if began.isdigit() and ends.isdigit():
                yield kind, int(began), int(ends), name


def _mark(state: Path, shown: Shown, terminal: Terminal) -> bool:
    """Make today's mark; false where another process was first. Marks of days gone by are swept."""
    began = datetime.fromisoformat(terminal.session.day_began)
    local = began.astimezone(terminal.session.zone)
    ends = (
        (local.replace(tzinfo=None) + timedelta(days=1)).replace(tzinfo=local.tzinfo).astimezone(began.tzinfo)
    )
    name = f"shown-{shown}-{int(began.timestamp())}-{int(ends.timestamp())}"
    for _, _, until, old in list(_marks(state)):
        if until <= began.timestamp():
            (state / old).unlink(missing_ok=True)
    try:
        os.close(os.open(state / name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    return True


def _show(terminal: Terminal, wants: Shown) -> None:
    from alice_exp.review.cli.report_summary import line, summary
    from alice_exp.review.usecases import heartbeat

    session = terminal.session
    try:
        report, _ = heartbeat(
            session.home,
            reports(session),
            access(session),
            session.caller,
            session.day_began,
            peek=wants == "line",
        )
    except AliceError:
        return  # the command itself will meet what is wrong here, and say so
    if wants == "line":
        terminal.note(say("alice-exp: {line}", line=line(report)))
        return
    from alice_exp.review.cli.report_text import show

    if not report.is_empty:
        show(report, summary(report), sys.stderr)
        sys.stderr.write("\n")
    else:
        terminal.note(say("alice-exp: {line}", line=line(report)))
