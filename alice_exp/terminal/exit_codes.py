"""Failures that no command expected, as exit codes: a wrong argument, a system that refuses, a bug, a reader gone."""

from __future__ import annotations

import os
import sys
from typing import Any

from alice_exp.kernel.errors import AliceError, ProblemError, UsageError
from alice_exp.terminal.console import Terminal


def usage(terminal: Terminal, error: Any) -> int:
    """Typer's own complaint about the command line (exit 2)."""
    where = getattr(error, "ctx", None)
    hint = f"see '{where.command_path} --help'" if where is not None else "see 'alice-exp --help'"
    return terminal.error(UsageError("{message}", message=error.format_message(), hint=hint))


def system(terminal: Terminal, error: OSError) -> int:
    """The system refused something where no command expected it: a full disk, a permission (exit 3)."""
    if terminal.debug:
        import traceback

        traceback.print_exception(error)
    if error.filename is None:
        silence_stdout()  # it may have been stdout itself: what is left in it must not fail again at the end
    return terminal.error(
        ProblemError(
            "the system refused: {why}",
            why=(error.strerror or str(error)).lower(),
            path=str(error.filename or ""),
            hint="see that the disk has room and the place can be written, then run this again",
        )
    )


def bug(terminal: Terminal, error: Exception) -> int:
    """Anything else: our bug (exit 1)."""
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
    """A reader that went away is no failure: keep the interpreter from complaining when it closes stdout."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
