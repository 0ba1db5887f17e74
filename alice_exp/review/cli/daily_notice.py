"""The notice at the first command of a day: the summary and a few lines to a person at a terminal, else a line.

It looks only: it gives no numbers and starts no clock (DESIGN 7).

Never on stdout, and once a day (B2.23, D30). A file name in ``state/`` records what was shown together with the bounds
of the day, so that later commands of that day need no more than a directory listing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

from alice_exp.kernel.errors import AliceError
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import say

Shown = Literal["report", "line", "agent"]

SHOWING = frozenset(("heartbeat", "review", "init"))
"""The commands, by their full names, that show the report themselves, or cannot have one yet."""
# Doctor has to see a damaged index before a report, which needs one, drops it.
_SILENT = frozenset(
    ("approve", "reject", "reply", "mcp", "serve", "watch", "completion", "help", "status", "doctor")
)


def greet(terminal: Terminal, command: str) -> None:
    """Show the notice if this is the first command of the day."""
    if terminal.quiet or command.partition(" ")[0] in _SILENT:
        return
    state = terminal.session.root / "state"
    # What an agent's command shows is no notice to the person, whose agents are up first every day.
    acting = terminal.session.acting
    for_person: Shown = "report" if sys.stderr.isatty() and not terminal.json else "line"
    wants: Shown = for_person if acting.named.is_person else "agent"
    try:
        now = terminal.session.moment.timestamp()
        # A mark of a line covers only a line, an agent's only an agent's, the report's all.
        covering = (
            began <= now < ends for kind, began, ends, _ in _marks(state) if kind in ("report", wants)
        )
        if not state.is_dir() or any(covering):
            return
        # A shell that an agent drives may have a terminal, too.
        if wants != "agent" and not (acting.person if wants == "report" else acting.actor).is_person:
            return
        if not terminal.session.config.flag("heartbeat.auto") or not _mark(state, wants, terminal):
            return
    except (OSError, AliceError):
        return
    _show(terminal, wants)


def mark_shown(terminal: Terminal) -> None:
    """Record that the person has seen today's report, so that no later command of today repeats it."""
    try:
        if terminal.session.acting.person.is_person:
            _mark(terminal.session.root / "state", "report", terminal)
    except (OSError, AliceError):
        return


def _marks(state: Path) -> Iterator[tuple[str, int, int, str]]:
    for name in os.listdir(state):  # noqa: PTH208
        if name.startswith("shown-"):
            kind, began, ends = (*name.split("-"), "", "", "")[1:4]
            if began.isdigit() and ends.isdigit():
                yield kind, int(began), int(ends), name


def _mark(state: Path, shown: Shown, terminal: Terminal) -> bool:
    """Create today's mark; false if another process was first. Marks of earlier days are removed."""
    began = datetime.fromisoformat(terminal.session.day_began)
    # Wall-clock arithmetic, because a day on which the clocks change has 23 or 25 hours.
    ends = began.astimezone(terminal.session.zone) + timedelta(days=1)
    name = f"shown-{shown}-{int(began.timestamp())}-{int(ends.timestamp())}"
    for kind, _, until, old in list(_marks(state)):
        # An agent's clock may stand anywhere: it takes away no mark that says what a person saw.
        if until <= began.timestamp() and (terminal.session.actor.is_person or kind == shown):
            (state / old).unlink(missing_ok=True)
    # O_EXCL: of several commands that start at once only one shows the notice.
    try:
        os.close(os.open(state / name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    return True


def _show(terminal: Terminal, wants: Shown) -> None:
    from alice_exp.review.cli.heartbeat_command import line, summary
    from alice_exp.review.usecases.todays_report import heartbeat

    try:
        report, _ = heartbeat(terminal.session, peek=True)
    except AliceError:
        return  # the command itself meets the same error and reports it
    if wants != "report" or report.is_empty:
        terminal.note(say("alice-exp: {line}", line=line(report)))
        return
    from alice_exp.review.cli.report_text import notice

    # No number is on the screen here, and none is told.
    bare = replace(report, items=tuple(replace(item, number=0) for item in report.items))
    notice(bare, summary(bare), sys.stderr)
