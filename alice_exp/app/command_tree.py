"""The tree of commands: groups that import a command only when it is asked for, and the options that all share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from copy import copy
from functools import cache, partial, wraps
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from typer.core import TyperGroup

from alice_exp.kernel.errors import AliceError, Hint, Names, ProblemError, UsageError
from alice_exp.terminal import language
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.options import guard, named

if TYPE_CHECKING:
    from alice_exp.home.session import Session

Table = Mapping[str, "str | Table"]

_NOT_FINISHING = frozenset(
    ("hook", "mcp", "init", "completion", "help", "merge-driver", "connect", "disconnect")
)
"""Commands that do not wait for what a hook left: a host waits for them, or they have no home yet."""

QUIET: dict[str, Any] = {
    "rich_markup_mode": None,
    "add_completion": False,
    "pretty_exceptions_enable": False,
}


def _shared(
    home: Annotated[
        str,
        typer.Option("--home", metavar="DIR", help="The home's directory (else ALICE_HOME, else ~/.alice)."),
    ] = "",
    actor: Annotated[
        str, typer.Option("--actor", metavar="WHO", help="Who acts: user, agent[:name] … (else ALICE_ACTOR).")
    ] = "",
    lang: Annotated[
        str, typer.Option("--lang", metavar="|".join(language.LANGUAGES), help="Language of messages.")
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print no answer; the exit code tells.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Confirm; needed where there is no terminal.")
    ] = False,
    fields: Annotated[
        str,
        typer.Option("--fields", metavar="A,B", help="Of each row, or of the answer, these fields alone."),
    ] = "",
    format: Annotated[
        str, typer.Option("--format", metavar="tsv|csv|json", help="A table for other programs.")
    ] = "",
    debug: Annotated[
        bool, typer.Option("--debug", help="Show a traceback where alice-exp itself fails.")
    ] = False,
) -> None:
    """Carry the options that every command has."""


def open_home(home: str, actor: str, warn: Callable[[AliceError], None]) -> Session:
    """The home that a command works on; loaded by the first that needs one."""
    from alice_exp.app.opening import open_session

    return open_session(home, actor, warn)


def _store(context: typer.Context, parameter: Any, value: Any) -> Any:
    """Put a shared option where the command finds it; one given at the root holds unless it is given again."""
    if not isinstance(context.obj, Terminal):
        context.obj = Terminal(open_home)
    named(context, parameter, value)
    if parameter.name == "lang":
        if value:
            language.require("--lang", value)
            language.choose(value)
    elif parameter.name == "format" and value:
        require_format(context.obj, value)
    elif value:
        setattr(context.obj, parameter.name, value)
    return value


def require_format(terminal: Terminal, format: str) -> None:
    """Let the answer be written in this format; ``UsageError`` if it is none, or another than ``--json`` asks for."""
    formats = ("tsv", "csv", "json")
    if format in formats and terminal.json and format != "json":
        raise UsageError("--json and --format {format} contradict each other", format=format)
    if format not in formats:
        raise UsageError(
            "unknown format {format}",
            format=repr(format),
            hint=Hint("write --format {names}", names=Names(formats)),
        )
    terminal.format = format


def shared_options(*, hidden: bool) -> list[Any]:
    """The options that every command takes; hidden where the page of all commands names them once for all."""
    options = [copy(one) for one in _carried()]
    for option in options:
        option.hidden = hidden
    return options


# Read from the signature once: the root needs them and each command that it builds.
@cache
def _carried() -> tuple[Any, ...]:
    carrier = typer.Typer(**QUIET)
    carrier.command()(_shared)
    options = tuple(one for one in typer.main.get_command(carrier).params if one.name != "help")
    for option in options:
        option.expose_value = False
        option.callback = cast("Any", _store)
    return options


class LazyGroup(TyperGroup):
    """A group that imports a command's module only when that command is asked for."""

    table: Table
    is_alone = False
    """Whether the group does something itself where no command follows."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """The names, in the table's order; ``""`` is what the group itself does."""
        return [name for name in self.table if name]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """One command, built now; ``None`` where there is none of that name."""
        target = self.table.get(cmd_name) if cmd_name else None
        if target is None:
            return None
        if isinstance(target, str):
            return command_of(cmd_name, target)
        return _group(cmd_name, target)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the words mean; ``UsageError`` with the right one where there is none of that name."""
        if args[0] not in self.table and not args[0].startswith("-"):
            from alice_exp.app.wrong_commands import meant

            args = [*meant(ctx, self.table, args), *args[1:]]
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Do what the words say; without any, show the group's page."""
        if ctx._protected_args or self.is_alone:
            return super().invoke(ctx)
        from alice_exp.app.help_page import show

        return show(ctx.obj, ctx)

    def get_help(self, ctx: Any) -> str:
        """The group's page; that of the root names every command."""
        from alice_exp.app import help_page

        if self.name == "alice-exp":
            return help_page.root_page(self)
        return help_page.group_page(ctx, self)


def command_of(name: str, target: str) -> Any:
    """One command of the table, built of ``module:function``."""
    module, _, function = target.partition(":")
    carrier = typer.Typer(**QUIET)
    carrier.command(name)(_on_terminal(getattr(import_module(module), function)))
    command = typer.main.get_command(carrier)
    for parameter in command.params:
        if parameter.metavar is None:
            parameter.metavar = _METAVARS.get(parameter.type.name)
    guard(command)
    own = {parameter.name for parameter in command.params}
    command.params += [one for one in shared_options(hidden=True) if one.name not in own]
    command.invoke = _after_the_report(command.invoke)  # type: ignore[method-assign,assignment]
    command.parse_args = partial(_parsed, command.parse_args)  # type: ignore[method-assign]
    command.get_help = partial(_help, command)  # type: ignore[method-assign]
    return command


_UsageError: Any = typer.BadParameter.__mro__[1]


def _parsed(parse: Callable[[Any, list[str]], list[str]], context: Any, args: list[str]) -> list[str]:
    """The parser's own complaint about an option without a value names no command: it is this one."""
    try:
        return parse(context, args)
    except _UsageError as error:
        error.ctx = error.ctx or context
        raise


def _on_terminal(function: Callable[..., None]) -> Callable[..., None]:
    """A command's function as typer takes it: typer's context stands for the ``terminal`` that it works on.

    What a group does itself is not done where a command of the group follows.
    """
    if "terminal" not in function.__annotations__:
        return function
    function.__annotations__["terminal"] = typer.Context

    @wraps(function)
    def command(terminal: Any, **values: Any) -> None:
        if not terminal.invoked_subcommand:
            function(terminal.obj, **values)

    return command


_METAVARS = {
    "str": "TEXT",
    "text": "TEXT",
    "int": "N",
    "integer": "N",
    "int range": "N",
    "integer range": "N",
    "float": "X",
}
"""How a page writes a value of a type that the option gives no name of its own."""


def _help(command: Any, context: Any) -> str:
    from alice_exp.app.help_page import command_page

    return command_page(context, command)


def _after_the_report(invoke: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The command, once the first one of a day has shown or named what waits for a decision (B2.23)."""

    def invoked(context: Any) -> Any:
        from alice_exp.review.cli import daily_notice

        terminal: Terminal = context.obj
        terminal.command = context.command_path.partition(" ")[2]
        _do_what_hooks_left(terminal, terminal.command)
        _name_what_hosts_miss(terminal)
        if not daily_notice.shows_itself(terminal.command):
            daily_notice.greet(terminal, terminal.command)
            return _worked(invoke, context, terminal.command)
        answer = invoke(context)
        if terminal.is_seen:
            daily_notice.mark_shown(terminal)
        _name_open_decisions(terminal)
        if not context.params.get("peek"):
            _forget_old_conversations(terminal)
        return answer

    return invoked


def _worked(invoke: Callable[[Any], Any], context: Any, name: str) -> Any:
    """Run it; where a person waits at a terminal, a line says after a second that it is at work."""
    if not sys.stderr.isatty():
        return invoke(context)
    from alice_exp.terminal.streams import ticking

    with ticking(name):
        return invoke(context)


def _name_open_decisions(terminal: Terminal) -> None:
    """Behind the report: what agents decided half a day ago or earlier, and told nobody how it went."""
    if terminal.command != "heartbeat" or terminal.quiet or terminal.json:
        return
    from datetime import timedelta

    from alice_exp.agents.usecases.hook_answers import waiting
    from alice_exp.learning.store import decisions

    session = terminal.session
    last, first = (session.moment - timedelta(hours=hours) for hours in (12, 24 * 14))
    stamp = "%Y-%m-%dT%H:%M:%SZ"
    found = [
        one for one in waiting(decisions(session), first.strftime(stamp)) if one.at < last.strftime(stamp)
    ]
    for one in found[:_OPEN_NAMED]:
        line = language.say(
            "no outcome yet: {task} (alice-exp outcome {decision} ok|fail)",
            task=one.task,
            decision=one.decision,
        )
        seemed = (
            language.say("{kind} seemed ok" if ok else "{kind} seemed failed", kind=language.say(kind))
            for kind, ok in one.seemed.items()
        )
        terminal.note(line + language.aside(", ".join(seemed)))
    if len(found) > _OPEN_NAMED:
        terminal.note(language.say("and {count} more", count=len(found) - _OPEN_NAMED))


def _forget_old_conversations(terminal: Terminal) -> None:
    """A person's report is what old conversations go with: agents open most of them, and delete none (B4.6)."""
    session = terminal.session
    if not session.actor.is_person or not terminal.is_seen or terminal.quiet:
        return
    try:
        oldest = min(entry.stat().st_mtime for entry in os.scandir(session.root / "sessions"))
        # Hardly a report has anything to do here, and none should load what it takes: days are counted there.
        if session.moment.timestamp() - oldest > _YOUNG:
            from alice_exp.conversations.usecases.sessions import forget_old

            forget_old(session)
    except (OSError, ValueError, AliceError):
        return


_YOUNG = 28 * 86_400.0
"""Seconds for which a conversation surely stays."""

_OPEN_NAMED = 3
"""So many of the decisions without an outcome are named behind a report; the others are counted."""


def _do_what_hooks_left(terminal: Terminal, name: str) -> None:
    """See to what a host's hook wrote down and nobody did: the process that it started was killed, or still works."""
    if name.partition(" ")[0] in _NOT_FINISHING:
        return
    try:
        left = any(one.endswith(".json") for one in os.listdir(terminal.session.root / "state" / "hooks"))  # noqa: PTH208
    except OSError:
        return
    if left:
        from alice_exp.agents.cli.hook_command import settle_left

        settle_left(terminal, patience=5.0 if name in ("heartbeat", "review", "status") else 0.0)


def _name_what_hosts_miss(terminal: Terminal) -> None:
    """Tell a person where the connected hosts cannot start us any more: their hooks and servers fail in silence."""
    if terminal.quiet or terminal.command in ("doctor", "status"):
        return
    root = str(terminal.session.root)
    try:
        connected = any(one.endswith(".json") for one in os.listdir(f"{root}/state/hosts"))  # noqa: PTH208
        if not connected or not terminal.session.acting.named.is_person:
            return
    except (OSError, AliceError):
        return
    from alice_exp.agents import launcher

    if gone := launcher.missing(terminal.session.root):
        terminal.warn(
            ProblemError(
                "agents' hosts cannot start alice-exp: {program} is gone",
                program=gone,
                hint="mend it with: alice-exp doctor --fix",
            )
        )


def group_help(name: str) -> str:
    """What a group is for, as the page of all commands says it."""
    from alice_exp.app.help_page import GROUPS

    return next((rows[name] for rows in GROUPS.values() if name in rows), "")


def _group(name: str, table: Table) -> LazyGroup:
    group = LazyGroup(name=name, help=group_help(name), rich_markup_mode=None)
    group.table = table
    own = table.get("")
    if isinstance(own, str):
        _with_own_command(group, command_of(name, own))
    return group


def _with_own_command(group: LazyGroup, own: Any) -> None:
    """A group that does something itself, unless one of its commands follows."""
    group.invoke_without_command = group.is_alone = True
    group.params += own.params
    group.callback = own.callback
    group.help = f"{group.help}\n\n{own.help}"
