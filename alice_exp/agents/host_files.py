"""Where hosts' configuration lies on this machine, how a host starts us, and whether the server starts."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from alice_exp.home.hosts import Event, Host
from alice_exp.kernel.errors import UsageError
from alice_exp.kernel.version import VERSION

_PATIENCE = 20.0


def place(host: Host, project: bool) -> Path:
    """The file with a host's servers, for this directory or for the user; ``UsageError`` where it has none."""
    if project:
        if not host.project:
            raise UsageError("{host} has no configuration for one project", host=host.name)
        return Path.cwd() / host.project
    path = under(host, host.user)
    # opencode reads both names; ours goes where the person's is.
    other = path.with_suffix(".jsonc")
    return other if host.name == "opencode" and other.exists() else path


def under(host: Host, relative: str) -> Path:
    """A path of a host's table in this person's home, where the host's own variable says that it is."""
    variable, folder = host.moved
    if variable and os.environ.get(variable):
        return Path(os.environ[variable]) / f"{relative}/".removeprefix(folder)
    if sys.platform == "darwin" and relative.startswith(".config/Code"):
        return Path.home() / "Library/Application Support" / relative.removeprefix(".config/")
    return Path.home() / relative


def is_here(host: Host) -> bool:
    """Whether a host is on this machine: its folder, or its program on the path."""
    return bool(host.folder and under(host, host.folder).is_dir()) or shutil.which(host.program) is not None


def command(home: str, *, shared: bool = False) -> tuple[str, list[str]]:
    """How a host starts us: by name in a file that others share, else by the path of this very installation.

    ``home`` is the home as it was named, empty for the person's own.
    """
    named = ["--home", str(Path(home).expanduser().absolute())] if home else []
    beside = Path(sys.executable).parent / "alice-exp"
    found = str(beside) if beside.exists() else shutil.which("alice-exp")
    if shared:
        return "alice-exp", named
    return (found, named) if found else (sys.executable, ["-m", "alice_exp", *named])


def hook_line(home: str, host: Host, event: Event) -> str:
    """The shell command that a host runs at an event."""
    program, arguments = command(home)
    return shlex.join([program, *arguments, "hook", host.name, event])


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
    except OSError as error:
        return (error.strerror or str(error)).lower()
    for line in done.stdout.splitlines():
        try:
            if json.loads(line)["result"]["serverInfo"]["name"] == "alice-exp":
                return "ok"
        except (ValueError, KeyError, TypeError):
            continue
    said = done.stderr.strip().splitlines()
    return said[-1].removeprefix("alice-exp: ") if said else f"it ended with exit code {done.returncode}"
