"""The entry point of ``alice-exp`` and ``python -m alice_exp``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from alice_exp.home.session import Session
    from alice_exp.kernel.errors import AliceError


def main() -> None:
    """Run the command line and end the process with its exit code."""
    if sys.platform == "win32":
        from alice_exp import WINDOWS
        from alice_exp.terminal.language import say

        sys.exit(f"alice-exp: {say(WINDOWS)}")
    if sys.argv[1:2] == ["merge-driver"]:
        # Every home's .git/config names this entry, so it has to stay wherever the module goes.
        from alice_exp.sync.store import merge_driver

        if sys.argv[5:] == [".alice/experience.jsonc"]:
            from alice_exp.team.store import driver

            sys.exit(merge_driver.main(sys.argv[2:], driver))
        sys.exit(merge_driver.main(sys.argv[2:]))
    import gc

    # One command lives for a moment and makes few cycles: collecting costs a fifth of its time and frees nothing.
    gc.disable()
    if sys.argv[-1:] == ["mcp"]:
        # A host that starts a server waits for it: it is reached before the command line is loaded.
        from alice_exp.agents import server

        if (named := server.plain(sys.argv[1:])) is not None:
            server.serve(lambda: _opened(*named))
            sys.exit(0)
    try:
        from alice_exp.app.main import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while the program was still loading; later ``run`` answers it
        code = 130
    sys.exit(code)


def _opened(home: str, actor: str) -> Session:
    from alice_exp.app.opening import open_session

    return open_session(home, actor, _warn)


def _warn(error: AliceError) -> None:
    from alice_exp.terminal.console import sentence

    sys.stderr.write(f"alice-exp: {sentence(error)}\n")


def process() -> None:
    """``main`` for a process that does nothing else: it leaves without freeing, module by module, what it loaded.

    That takes a tenth of a command's time or more. What is registered for the end of a process is done before; where a
    thread is still at work or a stream refuses the rest of the answer, the interpreter ends as ever.
    """
    try:
        main()
    except SystemExit as ended:
        if isinstance(ended.code, int):
            _leave(ended.code)
        raise


def _leave(code: int) -> None:
    import atexit
    import contextlib
    import os
    import threading

    if threading.active_count() > 1:
        return
    with contextlib.suppress(OSError, ValueError):
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    process()
