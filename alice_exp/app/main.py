"""The command line: which command lives where, the options that all share, and the one error boundary.

A command's module is imported when it is invoked, so that no command pays for another (DESIGN 8).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from typer.core import TyperGroup

from alice_exp.kernel.errors import AliceError
from alice_exp.kernel.version import VERSION
from alice_exp.terminal import language
from alice_exp.terminal.console import Terminal

if TYPE_CHECKING:
    from alice_exp.home.session import Session

Table = Mapping[str, "str | Table"]

COMMANDS: Table = {
    "init": "alice_exp.maintenance.cli.home_commands:init",
    "memorize": "alice_exp.blocks.cli.capture_commands:memorize",
    "remember": "alice_exp.blocks.cli.capture_commands:remember",
    "recall": "alice_exp.finding.cli:recall",
    "decide": "alice_exp.learning.cli.decision_commands:decide",
    "outcome": "alice_exp.learning.cli.decision_commands:outcome",
    "keep": "alice_exp.learning.cli.decision_commands:keep",
    "heartbeat": "alice_exp.review.cli.review_commands:heartbeat",
    "approve": "alice_exp.review.cli.review_commands:approve",
    "reject": "alice_exp.review.cli.review_commands:reject",
    "reply": "alice_exp.review.cli.review_commands:reply",
    "review": "alice_exp.review.cli.interactive_review:review",
    "list": "alice_exp.finding.cli:list_blocks",
    "show": "alice_exp.finding.cli:show",
    "why": "alice_exp.blocks.cli.provenance_commands:why",
    "edit": "alice_exp.blocks.cli.lifetime_commands:edit",
    "move": "alice_exp.blocks.cli.lifetime_commands:move",
    "retire": "alice_exp.blocks.cli.lifetime_commands:retire",
    "revive": "alice_exp.blocks.cli.lifetime_commands:revive",
    "purge": "alice_exp.blocks.cli.lifetime_commands:purge",
    "log": "alice_exp.blocks.cli.provenance_commands:log",
    "diff": "alice_exp.blocks.cli.provenance_commands:diff",
    "undo": "alice_exp.blocks.cli.provenance_commands:undo",
    "restore": "alice_exp.blocks.cli.provenance_commands:restore",
    "context": "alice_exp.conversations.cli.context_commands:context",
    "prime": "alice_exp.conversations.cli.context_commands:prime",
    "import": {
        "claude-md": "alice_exp.blocks.cli.import_command:claude_md",
        "mem0": "alice_exp.blocks.cli.import_command:mem0",
        "basic-memory": "alice_exp.blocks.cli.import_command:basic_memory",
        "jsonl": "alice_exp.blocks.cli.import_command:jsonl",
    },
    "assess": "alice_exp.learning.cli.assess_commands:assess",
    "consolidation": "alice_exp.learning.cli.assess_commands:consolidation",
    "stats": "alice_exp.learning.cli.assess_commands:stats",
    "impact": "alice_exp.learning.cli.assess_commands:impact",
    "check": "alice_exp.maintenance.cli.home_commands:check",
    "doctor": "alice_exp.maintenance.cli.doctor_commands:doctor",
    "config": {
        "get": "alice_exp.maintenance.cli.doctor_commands:config_get",
        "set": "alice_exp.maintenance.cli.doctor_commands:config_set",
        "list": "alice_exp.maintenance.cli.doctor_commands:config_list",
        "edit": "alice_exp.maintenance.cli.doctor_commands:config_edit",
    },
    "completion": "alice_exp.app.completion:completion",
    "watch": "alice_exp.maintenance.cli.watch_command:watch",
    "owner": {
        "init": "alice_exp.owner.cli:init",
        "show": "alice_exp.owner.cli:show",
        "verify": "alice_exp.owner.cli:verify",
        "sign": "alice_exp.owner.cli:sign",
        "drop": "alice_exp.owner.cli:drop",
    },
    "share": {
        "allow": "alice_exp.sharing.cli.share_commands:allow",
        "deny": "alice_exp.sharing.cli.share_commands:deny",
        "list": "alice_exp.sharing.cli.share_commands:list_shared",
        "preview": "alice_exp.sharing.cli.share_commands:preview",
        "export": "alice_exp.sharing.cli.share_commands:export",
        "import": "alice_exp.sharing.cli.share_commands:import_",
        "log": "alice_exp.sharing.cli.share_commands:log",
    },
    "peer": {
        "invite": "alice_exp.sharing.cli.peer_commands:invite",
        "join": "alice_exp.sharing.cli.peer_commands:join",
        "list": "alice_exp.sharing.cli.peer_commands:list_peers",
        "show": "alice_exp.sharing.cli.peer_commands:show",
        "forget": "alice_exp.sharing.cli.peer_commands:forget",
        "discover": "alice_exp.sharing.cli.peer_commands:discover",
        "exchange": "alice_exp.sharing.cli.peer_commands:exchange",
        "serve": "alice_exp.sharing.cli.peer_commands:serve",
    },
    "sync": {
        "": "alice_exp.sync.cli:run",
        "add": "alice_exp.sync.cli:add",
        "list": "alice_exp.sync.cli:list_remotes",
        "remove": "alice_exp.sync.cli:remove",
        "watch": "alice_exp.sync.cli:watch",
        "settle": "alice_exp.sync.cli:settle",
    },
    "episode": {
        "add": "alice_exp.episodes.cli.episode_commands:add",
        "list": "alice_exp.episodes.cli.episode_commands:list_episodes",
        "show": "alice_exp.episodes.cli.episode_commands:show",
        "similar": "alice_exp.episodes.cli.episode_commands:similar",
        "reflect": "alice_exp.episodes.cli.episode_commands:reflect",
        "stats": "alice_exp.episodes.cli.episode_commands:stats",
        "prune": "alice_exp.episodes.cli.episode_commands:prune",
        "restore": "alice_exp.episodes.cli.episode_commands:restore",
        "export": "alice_exp.episodes.cli.episode_commands:export",
        "import": "alice_exp.episodes.cli.episode_commands:import_",
    },
    "event": {
        "add": "alice_exp.timeline.cli.event_commands:add",
        "result": "alice_exp.timeline.cli.event_commands:result",
        "list": "alice_exp.timeline.cli.event_commands:list_events",
        "segments": "alice_exp.timeline.cli.event_commands:segments",
        "narrative": "alice_exp.timeline.cli.event_commands:tell",
        "stats": "alice_exp.timeline.cli.event_commands:stats",
        "expand": "alice_exp.timeline.cli.event_commands:expand",
        "export": "alice_exp.timeline.cli.event_commands:export",
        "import": "alice_exp.timeline.cli.event_commands:import_",
    },
    "distill": "alice_exp.learning.cli.distill_command:distill",
    "session": {
        "start": "alice_exp.conversations.cli.session_commands:start",
        "say": "alice_exp.conversations.cli.session_commands:say",
        "list": "alice_exp.conversations.cli.session_commands:list_sessions",
        "show": "alice_exp.conversations.cli.session_commands:show",
        "window": "alice_exp.conversations.cli.session_commands:window",
        "extract": "alice_exp.conversations.cli.session_commands:extract",
        "end": "alice_exp.conversations.cli.session_commands:end",
        "forget": "alice_exp.conversations.cli.session_commands:forget",
        "import": "alice_exp.conversations.cli.session_search:import_session",
        "search": "alice_exp.conversations.cli.session_search:search",
    },
    "mcp": {
        "": "alice_exp.agents.cli:serve",
        "install": "alice_exp.agents.cli:install",
    },
    "namespace": {
        "list": "alice_exp.maintenance.cli.home_commands:namespace_list",
        "create": "alice_exp.maintenance.cli.home_commands:namespace_create",
        "show": "alice_exp.maintenance.cli.home_commands:namespace_show",
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


def _open_session(home: str, actor: str, warn: Callable[[AliceError], None]) -> Session:
    """The home that a command works on; loaded by the first that needs one."""
    from alice_exp.owner.wiring import open_session

    return open_session(home, actor, warn)


def _store(context: typer.Context, parameter: Any, value: Any) -> Any:
    """Put a shared option where the command finds it; one given at the root holds unless it is given again."""
    if not isinstance(context.obj, Terminal):
        context.obj = Terminal(_open_session)
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
    from alice_exp.terminal.help_text import laid_out

    names = command.list_commands(context) if isinstance(command, LazyGroup) else ()
    command.help = laid_out(
        command.help or "", [command.get_command(context, one).help or "" for one in names]
    )
    return str(type(command).get_help(command, context))


def _after_the_report(invoke: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The command, once the first one of a day has shown or named what waits for a decision (B2.23)."""

    def invoked(context: Any) -> Any:
        from alice_exp.review.cli import daily_notice

        name = context.command_path.partition(" ")[2]
        if not daily_notice.shows_itself(name):
            daily_notice.greet(context.obj, name)
            return invoke(context)
        answer = invoke(context)
        daily_notice.mark_shown(context.obj)
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
    terminal = Terminal(_open_session, json="--json" in arguments, debug="--debug" in arguments)
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
        from alice_exp.terminal.exit_codes import silence_stdout

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
    from alice_exp.app.completion import complete

    return complete(arguments, COMMANDS, _command)


def _failure(kind: str, terminal: Terminal, error: Any) -> int:
    """The exit code of what is no error of ours; loaded only when it happens."""
    from alice_exp.terminal import exit_codes

    return int(getattr(exit_codes, kind)(terminal, error))
