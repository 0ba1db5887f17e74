"""The command line: which command lives where, the options that all share, and the one error boundary.

A command's module is imported when it is invoked, so that no command pays for another (DESIGN 8).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Annotated, Any, cast

import typer
from typer.core import TyperGroup

from alice_exp.cli import language
from alice_exp.cli.terminal import Terminal
from alice_exp.core.errors import AliceError
from alice_exp.core.version import VERSION
from alice_exp.owner_wiring import open_session

Table = Mapping[str, "str | Table"]

COMMANDS: Table = {
    "init": "alice_exp.cli.upkeep:init",
    "memorize": "alice_exp.cli.capture:memorize",
    "remember": "alice_exp.cli.capture:remember",
    "recall": "alice_exp.cli.finding:recall",
    "decide": "alice_exp.cli.deciding:decide",
    "outcome": "alice_exp.cli.deciding:outcome",
    "heartbeat": "alice_exp.cli.review:heartbeat",
    "approve": "alice_exp.cli.review:approve",
    "reject": "alice_exp.cli.review:reject",
    "reply": "alice_exp.cli.review:reply",
    "review": "alice_exp.cli.reviewing:review",
    "list": "alice_exp.cli.finding:list_blocks",
    "show": "alice_exp.cli.finding:show",
    "why": "alice_exp.cli.provenance:why",
    "edit": "alice_exp.cli.life:edit",
    "move": "alice_exp.cli.life:move",
    "retire": "alice_exp.cli.life:retire",
    "revive": "alice_exp.cli.life:revive",
    "purge": "alice_exp.cli.life:purge",
    "log": "alice_exp.cli.provenance:log",
    "diff": "alice_exp.cli.provenance:diff",
    "undo": "alice_exp.cli.provenance:undo",
    "restore": "alice_exp.cli.provenance:restore",
    "context": "alice_exp.cli.context:context",
    "prime": "alice_exp.cli.context:prime",
    "import": {
        "claude-md": "alice_exp.cli.importing:claude_md",
        "mem0": "alice_exp.cli.importing:mem0",
        "basic-memory": "alice_exp.cli.importing:basic_memory",
        "jsonl": "alice_exp.cli.importing:jsonl",
    },
    "assess": "alice_exp.cli.knowing:assess",
    "consolidation": "alice_exp.cli.knowing:consolidation",
    "stats": "alice_exp.cli.knowing:stats",
    "impact": "alice_exp.cli.knowing:impact",
    "check": "alice_exp.cli.upkeep:check",
    "doctor": "alice_exp.cli.doctor:doctor",
    "config": {
        "get": "alice_exp.cli.doctor:config_get",
        "set": "alice_exp.cli.doctor:config_set",
        "list": "alice_exp.cli.doctor:config_list",
        "edit": "alice_exp.cli.doctor:config_edit",
    },
    "completion": "alice_exp.cli.completion:completion",
    "watch": "alice_exp.cli.watch:watch",
    "owner": {
        "init": "alice_exp.cli.owner:init",
        "show": "alice_exp.cli.owner:show",
        "verify": "alice_exp.cli.owner:verify",
        "sign": "alice_exp.cli.owner:sign",
        "drop": "alice_exp.cli.owner:drop",
    },
    "share": {
        "allow": "alice_exp.cli.sharing:allow",
        "deny": "alice_exp.cli.sharing:deny",
        "list": "alice_exp.cli.sharing:list_shared",
        "preview": "alice_exp.cli.sharing:preview",
        "export": "alice_exp.cli.sharing:export",
        "import": "alice_exp.cli.sharing:import_",
        "log": "alice_exp.cli.sharing:log",
    },
    "peer": {
        "invite": "alice_exp.cli.peers:invite",
        "join": "alice_exp.cli.peers:join",
        "list": "alice_exp.cli.peers:list_peers",
        "show": "alice_exp.cli.peers:show",
        "forget": "alice_exp.cli.peers:forget",
        "discover": "alice_exp.cli.peers:discover",
        "exchange": "alice_exp.cli.peers:exchange",
        "serve": "alice_exp.cli.peers:serve",
    },
    "sync": {
        "": "alice_exp.cli.syncing:run",
        "add": "alice_exp.cli.syncing:add",
        "list": "alice_exp.cli.syncing:list_remotes",
        "remove": "alice_exp.cli.syncing:remove",
        "watch": "alice_exp.cli.syncing:watch",
        "settle": "alice_exp.cli.syncing:settle",
    },
    "episode": {
        "add": "alice_exp.cli.episodes:add",
        "list": "alice_exp.cli.episodes:list_episodes",
        "show": "alice_exp.cli.episodes:show",
        "similar": "alice_exp.cli.episodes:similar",
        "reflect": "alice_exp.cli.episodes:reflect",
        "stats": "alice_exp.cli.episodes:stats",
        "prune": "alice_exp.cli.episodes:prune",
        "restore": "alice_exp.cli.episodes:restore",
        "export": "alice_exp.cli.episodes:export",
        "import": "alice_exp.cli.episodes:import_",
    },
    "event": {
        "add": "alice_exp.cli.events:add",
        "result": "alice_exp.cli.events:result",
        "list": "alice_exp.cli.events:list_events",
        "segments": "alice_exp.cli.events:segments",
        "narrative": "alice_exp.cli.events:tell",
        "stats": "alice_exp.cli.events:stats",
        "expand": "alice_exp.cli.events:expand",
        "export": "alice_exp.cli.events:export",
        "import": "alice_exp.cli.events:import_",
    },
    "distill": "alice_exp.cli.distill:distill",
    "session": {
        "start": "alice_exp.cli.sessions:start",
        "say": "alice_exp.cli.sessions:say",
        "list": "alice_exp.cli.sessions:list_sessions",
        "show": "alice_exp.cli.sessions:show",
        "window": "alice_exp.cli.sessions:window",
        "extract": "alice_exp.cli.sessions:extract",
        "end": "alice_exp.cli.sessions:end",
        "forget": "alice_exp.cli.sessions:forget",
        "import": "alice_exp.cli.talk:import_session",
        "search": "alice_exp.cli.talk:search",
    },
    "mcp": {
        "": "alice_exp.cli.mcp:serve",
        "install": "alice_exp.cli.mcp:install",
    },
    "namespace": {
        "list": "alice_exp.cli.upkeep:namespace_list",
        "create": "alice_exp.cli.upkeep:namespace_create",
        "show": "alice_exp.cli.upkeep:namespace_show",
    },
}

_GROUP_HELP = {
    "import": "What another memory holds already: into the pool, each with its origin.",
    "session": "Conversations: kept outside git, read for candidates, fitted into a window, searched.",
    "episode": "What happened, task by task: record it, find what is alike, keep it within bounds.",
    "event": "The running diary of thoughts: add, tell, look into, expand from history.",
    "namespace": "Files of blocks within a set: list them, look into one, make a new one.",
    "sync": "One person's machines share one memory; any other remote gets what may leave.",
    "share": "What may leave this machine, what would, what did; and what others shared.",
    "peer": "Other people's Alices on the network: pair, find, exchange; nothing runs unasked.",
    "owner": "The SSH key whose signature approves: name it, show it, verify, sign.",
    "config": "How the home behaves: read, set and edit its configuration.",
    "mcp": "An agent's way into this home, over the Model Context Protocol.",
}

_QUIET: dict[str, Any] = {
    "rich_markup_mode": None,
    "add_completion": False,
    "pretty_exceptions_enable": False,
}


def _shared(
    home: Annotated[
        str, typer.Option("--home", help="The home's directory (else ALICE_HOME, else ~/.alice).")
    ] = "",
    actor: Annotated[
        str, typer.Option("--actor", help="Who acts: user, agent[:name] … (else ALICE_ACTOR).")
    ] = "",
    lang: Annotated[str, typer.Option("--lang", help="Language of messages: en or zh.")] = "",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print no answer; the exit code tells.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Confirm; needed where there is no terminal.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show a traceback where alice-exp itself fails.")
    ] = False,
) -> None:
    """Carry the options that every command has."""


def _store(context: typer.Context, parameter: Any, value: Any) -> Any:
    """Put a shared option where the command finds it; one given at the root holds unless it is given again."""
    if not isinstance(context.obj, Terminal):
        context.obj = Terminal(open_session)
    if parameter.name == "lang":
        if value:
            language.choose(value)
    elif value:
        setattr(context.obj, parameter.name, value)
    return value


def _shared_options() -> list[Any]:
    carrier = typer.Typer(**_QUIET)
    carrier.command()(_shared)
    options = [option for option in typer.main.get_command(carrier).params if option.name != "help"]
    for option in options:
        option.expose_value = False
        option.callback = cast("Any", _store)
    return options


class LazyGroup(TyperGroup):
    """A group that imports a command's module only when that command is asked for."""

    table: Table

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """The names, in the table's order; ``""`` is what the group itself does."""
        return [name for name in self.table if name]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """One command, built now; ``None`` where there is none of that name."""
        target = self.table.get(cmd_name) if cmd_name else None
        if target is None:
            return None
        if isinstance(target, str):
            return _command(cmd_name, target)
        return _group(cmd_name, target)


def _command(name: str, target: str) -> Any:
    module, _, function = target.partition(":")
    carrier = typer.Typer(**_QUIET)
    carrier.command(name)(getattr(import_module(module), function))
    command = typer.main.get_command(carrier)
    command.params += _shared_options()
    command.invoke = _after_the_report(command.invoke)  # type: ignore[method-assign,assignment]
    command.get_help = partial(_help, command)  # type: ignore[method-assign]
    return command


def _help(command: Any, context: Any) -> str:
    from alice_exp.cli.manual import laid_out

    names = command.list_commands(context) if isinstance(command, LazyGroup) else ()
    command.help = laid_out(
        command.help or "", [command.get_command(context, one).help or "" for one in names]
    )
    return str(type(command).get_help(command, context))


def _after_the_report(invoke: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The command, once the first one of a day has shown or named what waits for a decision (B2.23)."""

    def invoked(context: Any) -> Any:
        from alice_exp.cli import morning

        name = context.command_path.partition(" ")[2]
        if not morning.shows_itself(name):
            morning.greet(context.obj, name)
            return invoke(context)
        answer = invoke(context)
        morning.mark_shown(context.obj)
        return answer

    return invoked


def _group(name: str, table: Table) -> LazyGroup:
    group = LazyGroup(name=name, help=_GROUP_HELP.get(name, ""), no_args_is_help=True, rich_markup_mode=None)
    group.table = table
    group.get_help = partial(_help, group)  # type: ignore[method-assign]
    own = table.get("")
    if isinstance(own, str):
        _with_own_command(group, _command(name, own))
    return group


def _with_own_command(group: LazyGroup, own: Any) -> None:
    """A group that does something itself; its function looks at ``ctx.invoked_subcommand``, empty if it is meant."""
    group.invoke_without_command = True
    group.no_args_is_help = False
    group.params += own.params
    group.callback = own.callback
    group.help = f"{group.help}\n\n{own.help}"


def _version(value: bool) -> None:
    if value:
        typer.echo(f"alice-exp {VERSION}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """An agent's experience in plain files that a person reads, reviews and trusts.

    Examples: alice-exp init · alice-exp remember "I like tables" --when "comparing options" ·
    alice-exp recall "comparing options" · alice-exp heartbeat · alice-exp review
    """


def command() -> Any:
    """The whole command line as one object."""
    app = typer.Typer(cls=LazyGroup, no_args_is_help=True, name="alice-exp", **_QUIET)
    app.callback()(_root)
    built = typer.main.get_command(app)
    built.table = COMMANDS  # type: ignore[attr-defined]
    built.get_help = partial(_help, built)  # type: ignore[method-assign]
    built.params += _shared_options()
    return built


_ClickError: Any = typer.BadParameter.__mro__[2]
"""The base of all that typer says of a command line: it gives it no name, and may bring a click of its own."""


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code: the only place where errors become exit codes."""
    if "_ALICE_EXP_COMPLETE" in os.environ:
        return _complete(arguments)
    terminal = Terminal(open_session, json="--json" in arguments, debug="--debug" in arguments)
    language.ask(terminal.configured_language)
    try:
        answer = command().main(list(arguments), prog_name="alice-exp", standalone_mode=False, obj=terminal)
        sys.stdout.flush()
    except AliceError as error:
        return terminal.error(error)
    except _ClickError as error:
        return _failure("usage", terminal, error)
    except (typer.Abort, KeyboardInterrupt):
        return 130
    except typer.Exit as done:
        return int(done.exit_code)
    except (BrokenPipeError, SystemExit) as ended:
        if isinstance(ended, SystemExit) and ended.code != 1:
            raise
        # The reader of the answer went away; within a command typer makes a SystemExit(1) of it.
        from alice_exp.cli.failures import silence_stdout

        silence_stdout()
        return 0
    except OSError as error:
        return _failure("system" if error.errno else "bug", terminal, error)
    except Exception as error:
        return _failure("bug", terminal, error)
    # typer answers an interruption with its exit code as the value.
    return answer if isinstance(answer, int) and answer else terminal.exit_code


def _complete(arguments: Sequence[str]) -> int:
    """A shell asks what may follow: ``alice-exp completion SHELL`` prints the script that does."""
    from alice_exp.cli.completion import complete

    return complete(arguments, COMMANDS, _command)


def _failure(kind: str, terminal: Terminal, error: Any) -> int:
    """The exit code of what is no error of ours; loaded only when it happens."""
    from alice_exp.cli import failures

    return int(getattr(failures, kind)(terminal, error))
