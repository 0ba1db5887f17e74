"""The commands ``doctor`` and ``config``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from alice_exp.kernel.errors import ProblemError, UsageError
from alice_exp.kernel.journal.act import commit_id
from alice_exp.maintenance.usecases import settings
from alice_exp.maintenance.usecases.doctor import Check, Patient, examine
from alice_exp.maintenance.usecases.settings import Value
from alice_exp.maintenance.wiring import inspection
from alice_exp.model import documents
from alice_exp.model.values.config import is_local
from alice_exp.owner.wiring import owner
from alice_exp.sync.wiring import remotes
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import aside, rendered, say


def doctor(
    ctx: typer.Context,
    fix: Annotated[
        bool,
        typer.Option("--fix", help="Mend what needs no decision: leftovers, permissions, schemas, hook."),
    ] = False,
) -> None:
    """Look the whole home over: files, history, remotes, leftovers, permissions, clock, disk; exit 3 for a problem.

    Examples: alice-exp doctor · alice-exp doctor --fix
    """
    terminal: Terminal = ctx.obj
    session = terminal.session
    looked = inspection(session)
    patient = Patient(
        session.home,
        session.history,
        looked.look,
        looked.mend,
        looked.commit_time,
        owner(session),
        remotes(session),
        session.caller,
    )
    checks = examine(patient, fix=fix)
    document = {
        "checks": [
            {
                "name": check.name,
                "severity": check.severity,
                "mended": check.mended,
                "problems": [documents.problem(problem) for problem in check.problems],
            }
            for check in checks
        ]
    }
    terminal.answer(document, lambda: _checks(terminal, checks))
    if any(check.severity == "error" for check in checks):
        terminal.exit_code = ProblemError.exit_code


def _checks(terminal: Terminal, checks: tuple[Check, ...]) -> None:
    marks = {"ok": "✓", "warning": "!", "error": "✗"}
    for check in checks:
        mended = say("  ({count} mended)", count=check.mended) if check.mended else ""
        terminal.line(f"{marks[check.severity]} {say(check.name)}{mended}")
        for problem in check.problems:
            where = f"{problem.where}: " if problem.path else ""
            hint = aside(rendered(problem.hint))
            terminal.line(f"    {where}{say(problem.template, **problem.values)}{hint}")


def config_get(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="KEY", help="As thresholds.past.")],
) -> None:
    """Show one key of the configuration.

    Example: alice-exp config get heartbeat.expire_days
    """
    terminal: Terminal = ctx.obj
    found = settings.get(terminal.session.home, name)
    terminal.answer(_value(found), lambda: terminal.line(_plain(found)))


def config_set(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="KEY", help="As thresholds.past.")],
    value: Annotated[str, typer.Argument(metavar="VALUE", help="A number, true or false, or a text.")],
) -> None:
    """Set one key; the file's comments stay.

    Example: alice-exp config set heartbeat.expire_days 14
    """
    terminal: Terminal = ctx.obj
    if name == "timezone" and value:
        _require_zone(value)
    found, commit = settings.put(terminal.session.home, terminal.session.caller, name, value)
    document = {**_value(found), "commit": commit_id(commit)}
    template = "{key}  is {value}" if commit or is_local(name) else "{key}  is {value} already"
    terminal.answer(document, lambda: terminal.line(say(template, key=name, value=_plain(found) or "“”")))


def config_accept(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="KEY", help="As provider.base_url.")],
) -> None:
    """Let a setting of another machine count here: one that says where data goes, and so needs your word.

    Example: alice-exp config accept provider.base_url
    """
    terminal: Terminal = ctx.obj
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


def config_list(ctx: typer.Context) -> None:
    """List every key: what it is, its default, what it does.

    Example: alice-exp config list
    """
    terminal: Terminal = ctx.obj
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


def config_edit(ctx: typer.Context) -> None:
    """Open config.jsonc in $VISUAL or $EDITOR; what you save is checked, then committed.

    Example: alice-exp config edit
    """
    from alice_exp.terminal.editor import in_editor

    terminal: Terminal = ctx.obj
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
