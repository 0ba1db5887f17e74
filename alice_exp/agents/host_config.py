"""Our server's entry in a host's configuration: put in, taken out, all else kept.

JSON hosts are edited as JSONC, so that comments stay; Codex keeps TOML, of which only our own table is ever touched.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence

from alice_exp.home.hosts import Host
from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.jsonc import Remove, Set, edit, parse
from alice_exp.kernel.jsonc.problem import Json

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
