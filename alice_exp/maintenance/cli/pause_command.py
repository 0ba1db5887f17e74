"""The command ``pause``: while a person is away, nothing that waits for them expires."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Annotated

import typer

from alice_exp.kernel.errors import UsageError
from alice_exp.maintenance.usecases import settings
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import say

LONGEST = timedelta(days=366)
"""The longest pause: what nobody looks at for longer had better expire."""


def pause(
    ctx: typer.Context,
    until: Annotated[
        str, typer.Argument(metavar="UNTIL", help="The day on which you are back, as 2026-03-08; or off.")
    ],
) -> None:
    """While you are away, let nothing expire that waits for your decision; its days go on when you are back.

    'off', or today, ends a pause at once. A new day moves the end of one that runs.

    Examples: alice-exp pause 2026-03-08 · alice-exp pause off
    """
    terminal: Terminal = ctx.obj
    session = terminal.session
    ends = None if until == "off" else _day(terminal, until)
    settings.pause(session.home, session.caller, ends)
    line = say("paused until {day}: nothing expires", day=until) if ends else say("not paused: the days run")
    stamp = ends.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if ends else None
    terminal.answer({"until": stamp}, lambda: terminal.line(line))


def _day(terminal: Terminal, text: str) -> datetime | None:
    """The beginning of a day to come, where the person lives; None for today."""
    session = terminal.session
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise UsageError("not a day: {text}", text=text, hint="write it as 2026-03-08") from None
    today = datetime.fromisoformat(session.caller.now).astimezone(session.zone).date()
    if day < today:
        raise UsageError("{day} is over", day=text, hint="name the day on which you are back")
    if day > today + LONGEST:
        raise UsageError("{day} is too far: a pause lasts at most a year", day=text)
    return (
        None
        if day == today
        else datetime(day.year, day.month, day.day, tzinfo=session.zone).astimezone(session.zone)
    )
