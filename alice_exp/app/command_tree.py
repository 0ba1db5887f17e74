"""The tree of commands: groups that import a command only when it is asked for, and the options that all share."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import timedelta
from functools import partial, wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup, TyperOption

from alice_exp.app.command_table import GROUPS, Table
from alice_exp.kernel.errors import AliceError, ProblemError
from alice_exp.terminal import language
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.fields import sentence_of
from alice_exp.terminal.options import guard, named
from alice_exp.terminal.streams import ticking

if TYPE_CHECKING:
    from alice_exp.home.session import Session

_NOT_FINISHING = frozenset(
    ("hook", "mcp", "init", "completion", "help", "merge-driver", "connect", "disconnect")
)
"""Commands that do not wait for what a hook left: a host waits for them, or they have no home yet."""

QUIET: dict[str, Any] = {"rich_markup_mode": None, "add_completion": False, "pretty_exceptions_enable": False}

_SHARED = (
    ("--home", "DIR", "The home's directory (else ALICE_HOME, else ~/.alice)."),
    ("--actor", "WHO", "Who acts: user, agent[:name] … (else ALICE_ACTOR)."),
    ("--lang", "|".join(language.LANGUAGES), "Language of messages."),
    ("--json", "", "Print one JSON document and nothing else."),
    ("--quiet -q", "", "Print no answer; the exit code tells."),
    ("--yes -y", "", "Confirm; needed where there is no terminal."),
    ("--fields", "A,B", "Of each row, or of the answer, these fields alone."),
    ("--format", "tsv|csv|json", "A table for other programs."),
    ("--debug", "", "Show a traceback where alice-exp itself fails."),
)
"""The options that every command has: their names, what their value is called (empty: none), what they do."""


def open_home(home: str, actor: str, warn: Callable[[AliceError], None]) -> Session:
    """The home that a command works on; loaded by the first that needs one."""
    from alice_exp.app.opening import open_session

    return open_session(home, actor, warn)


def _store(context: typer.Context, parameter: Any, value: Any) -> Any:
    """Put a shared option where the command finds it; one given at the root holds unless it is given again."""
    named(context, parameter, value)
    if parameter.name == "lang":
        if value:
            language.require("--lang", value)
            language.choose(value)
    elif parameter.name == "format" and value:
        context.obj.write_as(value)
    elif value:
        setattr(context.obj, parameter.name, value)
    return value


def shared_options(*, hidden: bool) -> list[Any]:
    """The options that every command takes; hidden where the page of all commands names them once for all."""
    return [
        TyperOption(
            param_decls=names.split(),
            default="" if metavar else False,
            is_flag=not metavar,
            metavar=metavar or None,
            help=told,
            hidden=hidden,
            expose_value=False,
            callback=_store,
        )
        for names, metavar, told in _SHARED
    ]


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
        told = next(rows[cmd_name] for rows in GROUPS.values() if cmd_name in rows)
        group = LazyGroup(name=cmd_name, help=told, rich_markup_mode=None)
        group.table = target
        if isinstance(function := target.get(""), str):
            # A group that does something itself, unless one of its commands follows.
            own = command_of(cmd_name, function)
            group.invoke_without_command = group.is_alone = True
            group.params += own.params
            group.callback = own.callback
            group.help = f"{told}\n\n{own.help}"
        return group

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

        return help_page.root_page(self) if self.name == "alice-exp" else help_page.group_page(ctx, self)


def command_of(name: str, target: str) -> Any:
    """One command of the table, built of ``module:function``."""
    module, _, function = target.partition(":")
    carrier = typer.Typer(**QUIET)
    carrier.command(name)(_on_terminal(getattr(import_module(module), function)))
    command = typer.main.get_command(carrier)
    parameter: Any
    for parameter in command.params:
        if parameter.metavar is None:
            parameter.metavar = _METAVARS.get(parameter.type.name)
        if not parameter.help:
            said = sentence_of(f"{module.split('.')[1]}.{function}", parameter.name)
            many = getattr(parameter, "multiple", False)
            parameter.help = said.removesuffix(".") + "; may be repeated." if many else said
    guard(command)
    own = {parameter.name for parameter in command.params}
    command.params += [one for one in shared_options(hidden=True) if one.name not in own]
    command.invoke = partial(_after_the_report, command.invoke)  # type: ignore[method-assign]
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
    **dict.fromkeys(("str", "text"), "TEXT"),
    **dict.fromkeys(("int", "integer", "int range", "integer range"), "N"),
    "float": "X",
}
"""How a page writes a value of a type that the option gives no name of its own."""


def _help(command: Any, context: Any) -> str:
    from alice_exp.app.help_page import command_page

    return command_page(context, command)


def _after_the_report(invoke: Callable[[Any], Any], context: Any) -> Any:
    """Run a command, once the first one of a day has shown or named what waits for a decision (B2.23)."""
    from alice_exp.review.cli import daily_notice

    terminal: Terminal = context.obj
    terminal.command = context.command_path.partition(" ")[2]
    _do_what_hooks_left(terminal)
    _name_what_hosts_miss(terminal)
    if terminal.command not in daily_notice.SHOWING:
        daily_notice.greet(terminal, terminal.command)
        with ticking(terminal.command):
            return invoke(context)
    answer = invoke(context)
    if terminal.is_seen:
        daily_notice.mark_shown(terminal)
    _name_open_decisions(terminal)
    if not context.params.get("peek"):
        _forget_old_conversations(terminal)
    return answer


def _name_open_decisions(terminal: Terminal) -> None:
    """Behind the report: what agents decided half a day ago or earlier, and told nobody how it went."""
    if terminal.command != "heartbeat" or terminal.quiet or terminal.json:
        return
    from alice_exp.learning.store import decisions

    session = terminal.session
    last, first = (session.moment - timedelta(hours=hours) for hours in (12, 24 * 14))
    stamp = "%Y-%m-%dT%H:%M:%SZ"
    waiting = decisions(session).waiting(first.strftime(stamp))
    found = [one for one in waiting if one.at < last.strftime(stamp)]
    for one in found[:_OPEN_NAMED]:
        line = "no outcome yet: {task} (alice-exp outcome {decision} ok|fail)"
        seemed = (
            language.say("{kind} seemed ok" if ok else "{kind} seemed failed", kind=language.say(kind))
            for kind, ok in one.seemed.items()
        )
        said = language.say(line, task=one.task, decision=one.decision)
        terminal.note(said + language.aside(", ".join(seemed)))
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


def _do_what_hooks_left(terminal: Terminal) -> None:
    """See to what a host's hook wrote down and nobody did: the process that it started was killed, or still works."""
    name = terminal.command
    if name.partition(" ")[0] not in _NOT_FINISHING and _is_noted(terminal, "hooks"):
        from alice_exp.agents.cli.hook_command import settle_left

        settle_left(terminal, patience=5.0 if name in ("heartbeat", "review", "status") else 0.0)


def _is_noted(terminal: Terminal, folder: str) -> bool:
    try:
        return any(one.endswith(".json") for one in os.listdir(terminal.session.root / "state" / folder))  # noqa: PTH208
    except OSError:
        return False


def _name_what_hosts_miss(terminal: Terminal) -> None:
    """Tell a person where the connected hosts cannot start us any more: their hooks and servers fail in silence."""
    if terminal.quiet or terminal.command in ("doctor", "status") or not _is_noted(terminal, "hosts"):
        return
    try:
        if not terminal.session.acting.named.is_person:
            return
    except AliceError:
        return
    from alice_exp.agents import launcher

    if gone := launcher.missing(terminal.session.root):
        said = "agents' hosts cannot start alice-exp: {program} is gone"
        terminal.warn(ProblemError(said, program=gone, hint="mend it with: alice-exp doctor --fix"))
