"""Maps failures that no command handles to exit codes: usage errors, system errors, bugs, a closed stdout."""

from __future__ import annotations

import os
import sys
from typing import Any

from alice_exp.kernel.errors import AliceError, ProblemError
from alice_exp.terminal.console import Terminal


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
