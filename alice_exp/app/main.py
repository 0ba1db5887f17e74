"""The command line: which command lives where, the one error boundary, and its exit codes.

A command's module is imported when it is invoked, so that no command pays for another (DESIGN 8).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from alice_exp.app.command_tree import QUIET, LazyGroup, Table, command_of, open_home, shared_options
from alice_exp.kernel.errors import AliceError, ProblemError
from alice_exp.kernel.version import VERSION
from alice_exp.terminal import language
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.streams import settle


def usage(terminal: Terminal, error: Any) -> int:
    """Report typer's complaint about the command line (exit 2)."""
    from alice_exp.terminal.usage_errors import told

    return terminal.error(told(error))


def system(terminal: Terminal, error: OSError) -> int:
    """Report an unexpected error of the system, such as a full disk or a missing permission (exit 3)."""
    if terminal.debug:
        import traceback

        traceback.print_exception(error)
    if error.filename is None and _refuses_the_answer():
        silence_stdout()  # Its buffer must not fail again at interpreter exit.
        return terminal.error(
            ProblemError(
                "the answer cannot be written: {why}",
                why=(error.strerror or str(error)).lower(),
                hint="what the command had to do is done, see 'alice-exp log'",
            )
        )
    return terminal.error(
        ProblemError(
            "the system refused: {why}",
            why=(error.strerror or str(error)).lower(),
            path=str(error.filename or ""),
            hint="see that the disk has room and the place can be written, then run this again",
        )
    )


def _refuses_the_answer() -> bool:
    """Whether stdout is what failed: what it could not take is in its buffer still."""
    try:
        sys.stdout.flush()
    except OSError:
        return True
    return False


def bug(terminal: Terminal, error: Exception) -> int:
    """Report anything else, which is a bug of ours (exit 1)."""
    if terminal.debug:
        import traceback

        traceback.print_exception(error)
    failure = AliceError(
        "this is a bug of alice-exp: {kind}: {what}",
        kind=type(error).__name__,
        what=error,
        hint="see it with --debug",
    )
    return terminal.error(failure)


def silence_stdout() -> None:
    """Redirect stdout to nowhere, so that the interpreter does not complain on exit that its reader is gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


COMMANDS: Table = {
    "init": "alice_exp.maintenance.cli.home_commands:init",
    "memorize": "alice_exp.blocks.cli.capture_commands:memorize",
    "remember": "alice_exp.blocks.cli.capture_commands:remember",
    "recall": "alice_exp.finding.cli:recall",
    "decide": "alice_exp.learning.cli.decision_commands:decide",
    "outcome": "alice_exp.learning.cli.decision_commands:outcome",
    "keep": "alice_exp.learning.cli.decision_commands:keep",
    "status": "alice_exp.app.status:status",
    "heartbeat": "alice_exp.review.cli.heartbeat_command:heartbeat",
    "approve": "alice_exp.review.cli.review_commands:approve",
    "reject": "alice_exp.review.cli.review_commands:reject",
    "reply": "alice_exp.review.cli.review_commands:reply",
    "pause": "alice_exp.maintenance.cli.doctor_commands:pause",
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
    "export": "alice_exp.blocks.cli.export_command:export",
    "import": {
        "alice": "alice_exp.blocks.cli.export_command:import_alice",
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
        "accept": "alice_exp.maintenance.cli.doctor_commands:config_accept",
        "list": "alice_exp.maintenance.cli.doctor_commands:config_list",
        "edit": "alice_exp.maintenance.cli.doctor_commands:config_edit",
    },
    "completion": "alice_exp.app.completion:completion",
    "help": "alice_exp.app.help_page:help_",
    "schedule": {
        "install": "alice_exp.maintenance.cli.schedule_commands:install",
        "remove": "alice_exp.maintenance.cli.schedule_commands:remove",
        "status": "alice_exp.maintenance.cli.schedule_commands:status",
    },
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
        "confirm": "alice_exp.sync.cli:confirm",
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
        "search": "alice_exp.timeline.cli.event_commands:search",
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
    "heard": "alice_exp.conversations.cli.heard_command:heard",
    "connect": "alice_exp.agents.cli.connect_commands:connect",
    "disconnect": "alice_exp.agents.cli.connect_commands:disconnect",
    "project": "alice_exp.agents.cli.project_command:project",
    "hook": "alice_exp.agents.cli.hook_command:hook",
    "mcp": {
        "": "alice_exp.agents.cli.mcp_commands:serve",
        "install": "alice_exp.agents.cli.mcp_commands:install",
    },
    "namespace": {
        "list": "alice_exp.maintenance.cli.home_commands:namespace_list",
        "create": "alice_exp.maintenance.cli.home_commands:namespace_create",
        "show": "alice_exp.maintenance.cli.home_commands:namespace_show",
    },
}


def _version(context: typer.Context, value: bool) -> None:
    if value:
        terminal: Terminal = context.obj
        terminal.answer({"version": VERSION}, lambda: typer.echo(f"alice-exp {VERSION}"))
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", "-V", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """An agent's experience in plain files that a person reads, reviews and trusts.

    Examples: alice-exp init · alice-exp remember "I like tables" --when "comparing options" ·
    alice-exp recall "comparing options" · alice-exp heartbeat · alice-exp review
    """


def command() -> Any:
    """The whole command line as one object."""
    app = typer.Typer(cls=LazyGroup, name="alice-exp", **QUIET)
    app.callback(context_settings={"help_option_names": ["-h", "--help"]})(_root)
    built = typer.main.get_command(app)
    built.table = COMMANDS  # type: ignore[attr-defined]
    built.params += shared_options(hidden=False)
    return built


_ClickError: Any = typer.BadParameter.__mro__[2]
"""The base of all that typer says of a command line: it gives it no name, and may bring a click of its own."""


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code: the only place where errors become exit codes."""
    if "_ALICE_EXP_COMPLETE" in os.environ:
        return _complete(arguments)
    settle()
    terminal = Terminal(open_home, json="--json" in arguments, debug="--debug" in arguments)
    language.ask(terminal.configured_language)
    language.begin(arguments)
    try:
        answer = command().main(list(arguments), prog_name="alice-exp", standalone_mode=False, obj=terminal)
        sys.stdout.flush()
    except AliceError as error:
        return terminal.error(error)
    except _ClickError as error:
        return usage(terminal, error)
    except (typer.Abort, KeyboardInterrupt):
        return 130
    except typer.Exit as done:
        return int(done.exit_code)
    except (BrokenPipeError, SystemExit) as ended:
        if isinstance(ended, SystemExit) and ended.code != 1:
            raise
        # The reader of the answer went away; within a command typer makes a SystemExit(1) of it.
        silence_stdout()
        return 0
    except OSError as error:
        return (system if error.errno else bug)(terminal, error)
    except Exception as error:
        return bug(terminal, error)
    # typer answers an interruption with its exit code as the value.
    return answer if isinstance(answer, int) and answer else terminal.exit_code


def _complete(arguments: Sequence[str]) -> int:
    """A shell asks what may follow: ``alice-exp completion SHELL`` prints the script that does."""
    from alice_exp.app.completion import complete

    return complete(arguments, COMMANDS, command_of)
