"""The commands ``init``, ``check``, ``namespace``, ``config`` and ``pause``."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any

import typer

from alice_exp.caller.acting import require_person
from alice_exp.home.store.list_files import unread
from alice_exp.kernel.errors import ProblemError, UsageError
from alice_exp.kernel.journal.act import commit_id
from alice_exp.kernel.jsonc import plain
from alice_exp.kernel.value_class import attributes
from alice_exp.maintenance.usecases import settings
from alice_exp.maintenance.usecases.settings import Value
from alice_exp.model import documents
from alice_exp.model.values.block import is_approved
from alice_exp.model.values.config import is_local
from alice_exp.model.values.snapshot import NamespaceFile, namespace_name
from alice_exp.terminal.console import Terminal, faulty, short
from alice_exp.terminal.language import say

Key = Annotated[str, typer.Argument(metavar="KEY", help="As thresholds.past.")]


def init(terminal: Terminal) -> None:
    """Make the home; files that are there already are taken in as they are. Again: changes nothing.

    Examples: alice-exp init · alice-exp --home ~/other-alice init
    """
    session = terminal.session
    require_person(session.caller, say("make a home"), "alice-exp init")
    commit, blocks = session.home.create(session.actor, settings.default_files())
    document = {"home": str(session.root), "commit": commit_id(commit), "adopted": blocks}

    def text() -> None:
        if commit is None:
            terminal.line(say("{root}  is there already; nothing changed", root=session.root))
        elif blocks:
            told = "{root}  is ready; {count} blocks were taken in unchanged"
            terminal.line(say(told, root=session.root, count=blocks))
            if believed := sum(map(is_approved, session.home.read(("personal", "universal")))):
                told = "{count} of them are believed as they stand: look at them with 'alice-exp list'"
                terminal.warn(ProblemError(told, count=believed))
        else:
            terminal.line(say("{root}  is ready", root=session.root))

    terminal.answer(document, text)
    if commit is not None and not terminal.json:
        # Beside the answer, since it is none.
        terminal.note(say("Next:"))
        for command, what in (
            ('alice-exp remember "…"', say("keeps your own word")),
            ("alice-exp connect HOST", say("lets an agent learn and recall here")),
            ("alice-exp heartbeat", say("each day: what was learned, for you to decide")),
        ):
            terminal.note(f"  {command:<27} {what}")


def check(terminal: Terminal) -> None:
    """Name every problem in the home's files with its place; exit 3 where one stops a file from being used.

    Examples: alice-exp check · alice-exp check --json
    """
    session = terminal.session
    own = settings.check(session.home, session.caller.now)
    problems = (*own, *session.exposed(), *unread(session.root / "experiences"))

    def text() -> None:
        for problem in problems:
            told = say("{name}: {text}", name=say(problem.severity), text=faulty(problem))
            terminal.line(f"{problem.where}: {told}")
        if not problems:
            terminal.line(say("all files are in order"))

    terminal.answer({"problems": [documents.problem(problem) for problem in problems]}, text)
    if any(problem.severity == "error" for problem in problems):
        terminal.exit_code = ProblemError.exit_code


def _namespace(one: NamespaceFile) -> dict[str, object]:
    blocks = {"blocks": len(one.blocks), "stale": one.stale}
    return {"set": one.place, "namespace": one.namespace, "path": one.path, **blocks}


def namespace_list(terminal: Terminal) -> None:
    """List the namespaces with their sets and how many blocks each holds.

    Example: alice-exp namespace list
    """
    found = terminal.session.home.read().files
    rows = [
        [one.place, one.namespace, str(len(one.blocks)), say("has a problem") if one.stale else ""]
        for one in found
    ]
    document = {"namespaces": [_namespace(one) for one in found]}
    terminal.answer(document, lambda: terminal.table([say("set"), say("namespace"), say("blocks"), ""], rows))


def namespace_show(
    terminal: Terminal,
    name: Annotated[str, typer.Argument(metavar="SET/NAME", help="As universal/tool_usage.")],
) -> None:
    """Show one namespace: where its file is, and the blocks in it.

    Example: alice-exp namespace show universal/tool_usage
    """
    session = terminal.session
    one = settings.namespace(session.home, name)
    from alice_exp.finding import documents as finding_documents
    from alice_exp.finding.usecases import Filters, listing

    shown = listing(session, Filters((one.place,), one.namespace))
    document = {**_namespace(one), "blocks": [finding_documents.block(block) for block in shown]}

    def text() -> None:
        state = f"  {say('has a problem')}" if one.stale else ""
        terminal.line(f"{namespace_name(one.path)}  {session.root / 'experiences' / one.path}{state}")
        rows = [
            [block.placed.block.id, say(block.level), short(documents.payload_text(block.placed), 80)]
            for block in shown
        ]
        terminal.table([say("id"), say("state"), say("what is known")], rows)

    terminal.answer(document, text)


def namespace_create(
    terminal: Terminal,
    name: Annotated[str, typer.Argument(metavar="SET/NAME", help="As universal/recipes.")],
    comment: Annotated[str, typer.Option(help="What it is for: the file's head comment.")] = "",
) -> None:
    """Make a new, empty namespace file.

    Example: alice-exp namespace create universal/recipes --comment "What cooks well."
    """
    path, commit = settings.create_namespace(terminal.session.home, terminal.session.caller, name, comment)
    document = {"path": path, "commit": commit_id(commit)}
    terminal.answer(document, lambda: terminal.line(say("{name}  is ready", name=namespace_name(path))))


def config_get(terminal: Terminal, name: Key) -> None:
    """Show one key of the configuration.

    Example: alice-exp config get heartbeat.expire_days
    """
    found = settings.get(terminal.session.home, name)
    terminal.answer(_value(found), lambda: terminal.line(plain(found.value)))


def config_set(
    terminal: Terminal,
    name: Key,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="A number, true or false, or a text.")],
) -> None:
    """Set one key; the file's comments stay.

    Example: alice-exp config set heartbeat.expire_days 14
    """
    if name == "timezone" and value:
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

        try:
            ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise UsageError(
                "the timezone {name} is not known", name=repr(value), hint="as Asia/Shanghai"
            ) from None
    found, commit = settings.put(terminal.session.home, terminal.session.caller, name, value)
    document = {**_value(found), "commit": commit_id(commit)}
    template = "{key}  is {value}" if commit or is_local(name) else "{key}  is {value} already"
    line = say(template, key=name, value=plain(found.value) or "“”")
    terminal.answer(document, lambda: terminal.line(line))


def config_accept(
    terminal: Terminal, name: Annotated[str, typer.Argument(metavar="KEY", help="As provider.base_url.")]
) -> None:
    """Let a setting of another machine count here: one that says where data goes, and so needs your word.

    Example: alice-exp config accept provider.base_url
    """
    session = terminal.session
    found = settings.accept(session.home, session.caller, name)
    line = say("{key}  is {value}", key=name, value=plain(found.value))
    terminal.answer({**_value(found), "commit": None}, lambda: terminal.line(line))


def config_list(terminal: Terminal) -> None:
    """List every key: what it is, its default, what it does.

    Example: alice-exp config list
    """
    found = settings.listing(terminal.session.home)
    columns = [say("key"), say("value"), say("default"), say("what it does")]
    rows = [
        [
            one.option.name,
            plain(one.value)
            if one.proposed is None
            else say("{value} (proposed: {other})", value=plain(one.value), other=plain(one.proposed)),
            "" if one.value == one.option.default else plain(one.option.default),
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
    head = say("config.jsonc: change what you like, save and close. Unchanged or emptied, nothing happens.")
    after = in_editor(terminal, "config", [head], before, settings.faults)
    commit = None if after is None else settings.replaced(session.home, session.caller, before, after)
    document = {"changed": commit is not None, "commit": commit_id(commit)}
    line = say("the configuration is changed") if commit else say("nothing changed")
    terminal.answer(document, lambda: terminal.line(line))


def _value(found: Value) -> dict[str, Any]:
    option = found.option
    return {
        "key": option.name,
        "value": found.value,
        **attributes(option, "default kind doc"),
        **({} if found.proposed is None else {"proposed": found.proposed}),
    }


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
    begins = datetime(day.year, day.month, day.day, tzinfo=session.zone).astimezone(session.zone)
    return None if day == today else begins
