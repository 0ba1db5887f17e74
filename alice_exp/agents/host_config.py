"""Our server's entry in a host's configuration: where that lies, put in, taken out, tried, all else kept.

JSON hosts are edited as JSONC, so that comments stay; Codex keeps TOML, of which only our own table is ever touched.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from alice_exp.home.hosts import Event, Host
from alice_exp.kernel.errors import ProblemError, UsageError
from alice_exp.kernel.jsonc import Remove, Set, edit, parse
from alice_exp.kernel.jsonc.problem import Json
from alice_exp.kernel.version import VERSION

NAME = "alice-exp"
"""What our server is called in every host."""

_TABLE = re.compile(
    r'^[ \t]*\[[ \t]*mcp_servers[ \t]*\.[ \t]*(?:"alice-exp"|\'alice-exp\'|alice-exp)[ \t]*[.\]]'
)
_OURS = re.compile(r"^[ \t]*(?:command|args)[ \t]*=")
_ANY_TABLE = re.compile(r"^[ \t]*\[")


def _entry(host: Host, command: str, arguments: Sequence[str]) -> dict[str, Json]:
    """Our server's entry in a JSON host."""
    if host.entry == "command":
        return {"type": "local", "command": [command, *arguments], "enabled": True}
    typed: dict[str, Json] = {"type": "stdio"} if host.entry == "typed" else {}
    return {**typed, "command": command, "args": list(arguments)}


def installed(text: str, path: str, host: Host, command: str, arguments: Sequence[str]) -> str:
    """The configuration with our entry in it; as it is where it stands there already.

    ``ProblemError`` with the place where the file cannot be read.
    """
    if not host.key:
        return _with_table(text, path, _table(command, arguments))
    entry = _entry(host, command, arguments)
    if not text.strip():
        text = "{}\n"
    servers = _servers(text, path, host)
    present = servers.get(NAME) if servers else None
    if isinstance(present, dict) and all(present.get(key) == value for key, value in entry.items()):
        return text
    document = parse(text.encode(), path)
    if isinstance(present, dict):
        sets = [
            Set((host.key, NAME, key), value) for key, value in entry.items() if present.get(key) != value
        ]
    else:
        sets = [Set((host.key, NAME), entry)]
    return edit(document, sets).decode()


def removed(text: str, path: str, host: Host) -> str:
    """The configuration without our entry; as it is where there is none, empty where it held nothing else."""
    if not host.key:
        return _with_table(text, path, "")
    servers = _servers(text, path, host)
    if NAME not in servers:
        return text
    pointer = (host.key, NAME) if len(servers) > 1 else (host.key,)
    without = edit(parse(text.encode(), path), [Remove(pointer)]).decode()
    return "" if parse(without.encode(), path).value == {} else without


def _servers(text: str, path: str, host: Host) -> dict[str, Json]:
    return read_object(text, path, host.key)


def read_object(text: str, path: str, key: str) -> dict[str, Json]:
    """The object under a key of a JSON or JSONC file, empty where there is none; ``ProblemError`` with the place."""
    if not text.strip():
        return {}
    document = parse(text.encode(), path)
    fault = document.problem
    if fault is not None:
        values = dict(fault.values)
        raise ProblemError(
            "this configuration cannot be read: {why}",
            why=fault.template.format(**values) if values else fault.template,
            path=path,
            line=fault.line,
            column=fault.column,
            hint="mend it, then run the command again",
        )
    value = document.value
    held = value.get(key, {}) if isinstance(value, dict) else None
    if not isinstance(held, dict):
        raise ProblemError('"{key}" is not an object here', key=key, path=path)
    return held


def _table(command: str, arguments: Sequence[str]) -> str:
    listed = ", ".join(_toml(argument) for argument in arguments)
    return f"[mcp_servers.{NAME}]\ncommand = {_toml(command)}\nargs = [{listed}]\n"


def _toml(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _with_table(text: str, path: str, table: str) -> str:
    """The TOML with our table as given (empty: none), in its old place or at the end."""
    servers = _toml_servers(text, path)
    wanted = tomllib.loads(table)["mcp_servers"][NAME] if table else None
    present = servers.get(NAME)
    if present == wanted or (wanted and isinstance(present, dict) and wanted.items() <= present.items()):
        return text
    lines = text.splitlines(keepends=True)
    start, end = _span(lines)
    if present is not None and start == end:
        raise ProblemError(
            "{name} stands here in a form that is not edited by us",
            name=NAME,
            path=path,
            hint="take it out by hand",
        )
    if start < end:
        if not table and start and not lines[start - 1].strip() and not "".join(lines[end : end + 1]).strip():
            start -= 1  # the empty line that was put in above it
        made = "".join([*lines[:start], *_kept(table, lines[start:end]), *lines[end:]])
        _toml_servers(made, path)
        return made
    gap = "" if not text.strip() else "\n" if text.endswith("\n") else "\n\n"
    return f"{text}{gap}{table}"


def _toml_servers(text: str, path: str) -> dict[str, Json]:
    try:
        servers = tomllib.loads(text).get("mcp_servers", {})
    except tomllib.TOMLDecodeError as error:
        raise ProblemError(
            "this configuration cannot be read: {why}", why=str(error).lower(), path=path
        ) from None
    return servers if isinstance(servers, dict) else {}


def _span(lines: Sequence[str]) -> tuple[int, int]:
    """The lines of our table and its own tables; blank lines and comments before the next table are not ours."""
    start = next((index for index, line in enumerate(lines) if _TABLE.match(line)), -1)
    if start < 0:
        return 0, 0
    end = start + 1
    while end < len(lines) and (not _ANY_TABLE.match(lines[end]) or _TABLE.match(lines[end])):
        end += 1
    while end < len(lines) and end > start + 1 and lines[end - 1].lstrip().startswith("#"):
        end -= 1
    return start, end


def _kept(table: str, old: Sequence[str]) -> list[str]:
    """The new table with what a person added to the old one, blank lines at its end too."""
    return [table, *(line for line in old[1:] if not _OURS.match(line))] if table else []


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
