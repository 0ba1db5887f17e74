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
from alice_exp.kernel import VERSION
from alice_exp.kernel.errors import AliceError, ProblemError, reason
from alice_exp.terminal import language
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.streams import settle


def usage(terminal: Terminal, error: Any) -> int:
    """Report typer's complaint about the command line (exit 2)."""
    from alice_exp.app.wrong_commands import told

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
                why=reason(error),
                hint="what the command had to do is done, see 'alice-exp log'",
            )
        )
    return terminal.error(
        ProblemError(
            "the system refused: {why}",
            why=reason(error),
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


_COMMANDS = """
maintenance.cli.home_commands init check
blocks.cli.capture_commands memorize remember
finding.cli recall list=list_blocks show
learning.cli.decision_commands decide outcome keep
app.status status
review.cli.heartbeat_command heartbeat
review.cli.review_commands approve reject reply
maintenance.cli.home_commands pause
app.doctor_command doctor
review.cli.interactive_review review
blocks.cli.provenance_commands why log diff undo restore
blocks.cli.lifetime_commands edit move retire revive purge
conversations.cli.context_commands context prime heard
blocks.cli.import_export export
blocks.cli.import_export:import alice=import_alice
blocks.cli.import_export:import claude-md=claude_md skill mem0 basic-memory=basic_memory jsonl
learning.cli.assess_commands assess consolidation stats impact
maintenance.cli.home_commands:config get=config_get set=config_set accept=config_accept
maintenance.cli.home_commands:config list=config_list edit=config_edit
app.completion completion
app.help_page help=help_
maintenance.cli.schedule_commands:schedule install remove status
maintenance.cli.watch_command watch
owner.cli:owner init show sign drop
sharing.cli.share_commands:share allow deny list=list_shared preview export import=import_ log
sharing.cli.peer_commands:peer invite join list=list_peers show forget discover exchange serve
sync.cli:sync =run add list=list_remotes remove confirm watch settle
episodes.cli.episode_commands:episode add list=list_episodes show similar reflect stats prune restore
episodes.cli.episode_commands:episode export import=import_
timeline.cli.event_commands:event add result list=list_events search segments narrative=tell stats expand
timeline.cli.event_commands:event export import=import_
learning.cli.decision_commands distill
conversations.cli.session_commands:session start say list=list_sessions show window extract end forget
conversations.cli.session_search:session import=import_session search
agents.cli.connect_commands connect disconnect
agents.cli.project_command:project =project off on is=is_ not=not_
team.cli:project publish trust
agents.cli.hook_command hook
agents.cli.connect_commands:mcp =serve install
maintenance.cli.home_commands:namespace list=namespace_list create=namespace_create show=namespace_show
"""
"""A module of commands below ``alice_exp``, with the group that they are in, and the functions of its commands; where a
function has another name than its command, ``command=function``."""


def _table() -> Table:
    found: dict[str, Any] = {}
    for module, *commands in map(str.split, _COMMANDS.strip().splitlines()):
        room, _, group = module.partition(":")
        into = found.setdefault(group, {}) if group else found
        for command in commands:
            name, _, function = command.partition("=")
            into[name] = f"alice_exp.{room}:{function or name}"
    return found


COMMANDS = _table()
"""Every command, and every group with its commands, by name: the function as ``module:function``."""


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
