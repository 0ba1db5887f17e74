"""A command in a process that is killed (SIGKILL) at a named step."""

import os
import signal
import subprocess
import sys
from pathlib import Path

_DIE = """
import os, signal, sys
from importlib import import_module
import alice_exp.kernel.journal.transaction
module, _, name = sys.argv[1].partition(":")
owner = import_module(module)
*path, last = name.split(".")
for part in path:
    owner = getattr(owner, part)
real = getattr(owner, last)
def dying(*arguments, **named):
    if sys.argv[2] == "after":
        real(*arguments, **named)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(owner, last, dying)
for module in list(sys.modules.values()):
    if getattr(module, last, None) is real:
        setattr(module, last, dying)
from alice_exp.app.main import run
sys.exit(run(sys.argv[3:]))
"""


def killed(step: str, when: str, *command: str) -> None:
    """Run a command that dies ``before`` or ``after`` the call of ``module:function``; fail where it does not."""
    died = subprocess.run(
        [sys.executable, "-c", _DIE, step, when, *command],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr
