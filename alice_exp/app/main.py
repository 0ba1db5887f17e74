"""The command line as a whole, the one error boundary, and its exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from alice_exp.app.command_tree import COMMANDS, QUIET, LazyGroup, open_home, shared_options
from alice_exp.kernel import VERSION
from alice_exp.kernel.errors import AliceError, ProblemError, UsageError, reason
from alice_exp.terminal import language
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.streams import settle


def _unexpected(error: Exception, debug: bool) -> AliceError:
    """What the system refused, such as a full disk or a missing permission (exit 3); all else is a bug (exit 1)."""
    if debug:
        import traceback

        traceback.print_exception(error)
    if not isinstance(error, OSError) or not error.errno:
        return AliceError(
            "this is a bug of alice-exp: {kind}: {what}",
            kind=type(error).__name__,
            what=error,
            hint="see it with --debug",
        )
    try:
        if error.filename is None:
            sys.stdout.flush()  # What it could not take is in its buffer still.
    except OSError:
        silence_stdout()  # Its buffer must not fail again at interpreter exit.
        return ProblemError(
            "the answer cannot be written: {why}",
            why=reason(error),
            hint="what the command had to do is done, see 'alice-exp log'",
        )
    return ProblemError(
        "the system refused: {why}",
        why=reason(error),
        path=str(error.filename or ""),
        hint="see that the disk has room and the place can be written, then run this again",
    )


def silence_stdout() -> None:
    """Redirect stdout to nowhere, so that the interpreter does not complain on exit that its reader is gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
        from alice_exp.app.completion import complete

        return complete(arguments)
    settle()
    terminal = Terminal(open_home, json="--json" in arguments, debug="--debug" in arguments)
    language.ask(lambda: terminal.session.config.text("lang"))
    language.begin(arguments)
    try:
        answer = command().main(list(arguments), prog_name="alice-exp", standalone_mode=False, obj=terminal)
        sys.stdout.flush()
    except AliceError as error:
        return terminal.error(error)
    except _ClickError as error:
        from alice_exp.app.help_page import told

        return terminal.error(told(error))
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
    except UnicodeEncodeError:
        return terminal.error(UsageError("this argument is not UTF-8 text"))
    except Exception as error:
        return terminal.error(_unexpected(error, terminal.debug))
    # typer answers an interruption with its exit code as the value.
    return answer if isinstance(answer, int) and answer else terminal.exit_code
