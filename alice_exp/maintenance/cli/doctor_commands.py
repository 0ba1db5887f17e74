"""The commands ``config`` and ``pause``."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any

import typer

from alice_exp.kernel.errors import UsageError
from alice_exp.kernel.journal.act import commit_id
from alice_exp.maintenance.usecases import settings
from alice_exp.maintenance.usecases.settings import Value
from alice_exp.model.values.config import is_local
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import say


def config_get(
    terminal: Terminal,
    name: Annotated[str, typer.Argument(metavar="KEY", help="As thresholds.past.")],
) -> None:
    """Show one key of the configuration.

    Example: alice-exp config get heartbeat.expire_days
    """
    found = settings.get(terminal.session.home, name)
    terminal.answer(_value(found), lambda: terminal.line(_plain(found)))


def config_set(
    terminal: Terminal,
    name: Annotated[str, typer.Argument(metavar="KEY", help="As thresholds.past.")],
    value: Annotated[str, typer.Argument(metavar="VALUE", help="A number, true or false, or a text.")],
) -> None:
    """Set one key; the file's comments stay.

    Example: alice-exp config set heartbeat.expire_days 14
    """
    if name == "timezone" and value:
        _require_zone(value)
    found, commit = settings.put(terminal.session.home, terminal.session.caller, name, value)
    document = {**_value(found), "commit": commit_id(commit)}
    template = "{key}  is {value}" if commit or is_local(name) else "{key}  is {value} already"
    terminal.answer(document, lambda: terminal.line(say(template, key=name, value=_plain(found) or "“”")))


def config_accept(
    terminal: Terminal,
    name: Annotated[str, typer.Argument(metavar="KEY", help="As provider.base_url.")],
) -> None:
    """Let a setting of another machine count here: one that says where data goes, and so needs your word.

    Example: alice-exp config accept provider.base_url
    """
    session = terminal.session
    found = settings.accept(session.home, session.caller, name)
    document = {**_value(found), "commit": None}
    terminal.answer(document, lambda: terminal.line(say("{key}  is {value}", key=name, value=_plain(found))))


def _require_zone(name: str) -> None:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UsageError(
            "the timezone {name} is not known", name=repr(name), hint="as Asia/Shanghai"
        ) from None


def config_list(terminal: Terminal) -> None:
    """List every key: what it is, its default, what it does.

    Example: alice-exp config list
    """
    found = settings.listing(terminal.session.home)
    columns = [say("key"), say("value"), say("default"), say("what it does")]
    rows = [
        [
            one.option.name,
            _plain(one)
            if one.proposed is None
            else say("{value} (proposed: {other})", value=_plain(one), other=_text(one.proposed)),
            "" if one.is_default else _text(one.option.default),
            say(one.option.doc),
        ]
        for one in found
    ]
    terminal.answer({"config": [_value(one) for one in found]}, lambda: terminal.table(columns, rows))


def config_edit(terminal: Terminal) -> None:
    """Open config.jsonc in $VISUAL or $EDITOR; what you save is checked, then committed.

    Example: alice-exp config edit
    """
    from alice_exp.terminal.editor import in_editor

    session = terminal.session
    before = settings.opened(session.home, session.caller)
    head = (
        say("config.jsonc: change what you like, save and close. Unchanged or emptied, nothing happens."),
    )
    after = in_editor(terminal, "config", head, before, settings.faults)
    commit = None if after is None else settings.replaced(session.home, session.caller, before, after)
    document = {"changed": commit is not None, "commit": commit_id(commit)}
    line = say("the configuration is changed") if commit else say("nothing changed")
    terminal.answer(document, lambda: terminal.line(line))


def _value(found: Value) -> dict[str, Any]:
    option = found.option
    return {
        "key": option.name,
        "value": found.value,
        "default": option.default,
        "kind": option.kind,
        "doc": option.doc,
        **({} if found.proposed is None else {"proposed": found.proposed}),
    }


def _plain(found: Value) -> str:
    return _text(found.value)


def _text(value: object) -> str:
    import json

    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


LONGEST = timedelta(days=366)
"""The longest pause: what nobody looks at for longer had better expire."""


def pause(
    terminal: Terminal,
    until: Annotated[
        str, typer.Argument(metavar="UNTIL", help="The day on which you are back, as 2026-03-08; or off.")
    ],
) -> None:
    """While you are away, let nothing expire that waits for your decision; its days go on when you are back.

    'off', or today, ends a pause at once. A new day moves the end of one that runs.

    Examples: alice-exp pause 2026-03-08 · alice-exp pause off
    """
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
