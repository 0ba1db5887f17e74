"""The launcher in a home, ``bin/alice-exp``: every host starts the program through it: one file says where it is.

Only a person's ``connect`` and ``doctor --fix`` write it: were any command to, a hostile folder's environment would
choose once what every host runs from then on.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from alice_exp.kernel import VERSION
from alice_exp.kernel.errors import reason, refused_as
from alice_exp.kernel.journal.atomic_files import replace

_PATIENCE = 20.0
_EXEC = "exec "


def place(root: Path) -> Path:
    """Where the launcher of a home lies."""
    return root / "bin" / "alice-exp"


def own_program() -> list[str]:
    """The words that start this very installation."""
    beside = Path(sys.executable).parent / "alice-exp"
    found = str(beside) if beside.exists() else shutil.which("alice-exp")
    return [found] if found else [sys.executable, "-m", "alice_exp"]


def text(root: Path) -> str:
    """What starts this very installation on this home, whatever the environment says."""
    program = own_program()
    gone = f"alice-exp: {program[0]} is gone: install alice-exp again, then run 'alice-exp doctor --fix'"
    return (
        "#!/bin/sh\n"
        "# Agents' hosts start this; 'alice-exp connect' and 'alice-exp doctor --fix' write it.\n"
        f"[ -x {shlex.quote(program[0])} ] || {{ echo {shlex.quote(gone)} >&2; exit 127; }}\n"
        f'{_EXEC}{shlex.join([*program, "--home", str(root)])} "$@"\n'
    )


def write(root: Path) -> bool:
    """Write it; whether that changed anything. ``ProblemError`` where the disk refuses."""
    path, wanted = place(root), text(root).encode()
    with refused_as("this file cannot be written: {why}", path):
        if path.is_file() and path.read_bytes() == wanted and os.access(path, os.X_OK):
            return False
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace(path, wanted, durable=True, mode=0o700)
    return True


def missing(root: Path) -> str:
    """What the hosts need and is not there: the launcher, the program that it names, what runs that; empty: nothing."""
    path = str(place(root))
    try:
        with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123  a command pays for each module
            told = next((line for line in file if line.startswith(_EXEC)), "")
        words = shlex.split(told)
        if not os.access(path, os.X_OK) or len(words) < 2:
            return path
        path = words[1]
        with open(path, "rb") as file:  # noqa: PTH123
            head = file.read(256)
    except (OSError, ValueError):
        return path
    if not os.access(path, os.X_OK):
        return path
    runner = os.fsdecode(head.partition(b"\n")[0][2:].split()[0]) if head.startswith(b"#!/") else ""
    return runner if runner and not os.access(runner, os.X_OK) else ""


def try_server(program: str, arguments: list[str]) -> str:
    """Start the server as a host would, and ask it once: ``ok``, or why it cannot."""
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "alice-exp", "version": VERSION},
    }
    asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}) + "\n"
    try:
        done = subprocess.run(
            [program, *arguments], input=asked, capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {_PATIENCE:g} s"
    except (OSError, ValueError) as error:
        return reason(error)
    for line in done.stdout.splitlines():
        try:
            if json.loads(line)["result"]["serverInfo"]["name"] == "alice-exp":
                return "ok"
        except (ValueError, KeyError, TypeError):
            continue
    said = done.stderr.strip().splitlines()
    return said[-1].removeprefix("alice-exp: ") if said else f"it ended with exit code {done.returncode}"
