"""Agents' hosts: where each keeps servers, hooks and instructions; our server's entry put in, taken out, all else kept.

JSON hosts are edited as JSONC, so that comments stay; Codex keeps TOML, of which only our own table is ever touched.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Literal

from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.jsonc import Remove, Set, edit, parse
from alice_exp.kernel.jsonc.problem import Json
from alice_exp.kernel.value_class import dataclass

NAME = "alice-exp"
"""What our server is called in every host."""

_TABLE = re.compile(
    r'^[ \t]*\[[ \t]*mcp_servers[ \t]*\.[ \t]*(?:"alice-exp"|\'alice-exp\'|alice-exp)[ \t]*[.\]]'
)
_OURS = re.compile(r"^[ \t]*(?:command|args)[ \t]*=")
_ANY_TABLE = re.compile(r"^[ \t]*\[")

Event = Literal["start", "prompt", "stop", "end"]
"""When a host calls us: a session begins, a person asks, the agent has answered, a session ends."""

_CLAUDE: Mapping[Event, str] = {
    "start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "stop": "Stop",
    "end": "SessionEnd",
}
_CAMEL: Mapping[Event, str] = {"start": "sessionStart", "end": "sessionEnd"}


@dataclass(frozen=True, slots=True)
class Hooks:
    """Where a host keeps hooks, in which form, and what it calls each event.

    ``groups`` is Claude Code's form (an event holds groups of hooks), ``flat`` Cursor's (an event holds commands);
    ``file`` and ``plugin`` are files of our own, of Copilot and of opencode. ``each_turn``: what was said is taken in
    whenever the agent stops, for not every version and way of running tells of the start and the end.
    """

    file: str
    form: Literal["groups", "flat", "file", "plugin"]
    events: Mapping[Event, str]
    each_turn: bool = False


@dataclass(frozen=True, slots=True)
class Host:
    """Where a host keeps its servers: the file for one project and for the user, and the key above the entries.

    Paths are relative to the project and to the person's home; an empty one does not exist. ``key`` is empty for TOML.
    ``folder`` is there where the host is; ``instructions`` is the file that it reads when a session begins.
    """

    name: str
    project: str
    user: str
    key: str
    typed: bool = False
    folder: str = ""
    program: str = ""
    instructions: str = ""
    hooks: Hooks = field(default_factory=lambda: Hooks("", "groups", {}))


HOSTS: dict[str, Host] = {
    host.name: host
    for host in (
        Host(
            "claude-code", ".mcp.json", ".claude.json", "mcpServers", folder=".claude", program="claude",
            instructions=".claude/CLAUDE.md", hooks=Hooks(".claude/settings.json", "groups", _CLAUDE),
        ),
        Host(
            "cursor", ".cursor/mcp.json", ".cursor/mcp.json", "mcpServers", folder=".cursor", program="cursor",
            hooks=Hooks(".cursor/hooks.json", "flat", {**_CAMEL, "prompt": "beforeSubmitPrompt", "stop": "stop"}),
        ),
        Host(
            "vscode", ".vscode/mcp.json", ".config/Code/User/mcp.json", "servers", True, ".config/Code", "code",
            ".config/Code/User/prompts/alice-exp.instructions.md",
            # Copilot's names, which VS Code reads as its own; it has none for the end of a session.
            Hooks(
                ".copilot/hooks/alice-exp.json", "file",
                {**_CAMEL, "prompt": "userPromptSubmitted", "stop": "agentStop"}, each_turn=True,
            ),
        ),
        Host(
            "codex", "", ".codex/config.toml", "", folder=".codex", program="codex",
            instructions=".codex/AGENTS.md",
            # Before 0.160 it told nothing of the end.
            hooks=Hooks(".codex/hooks.json", "groups", _CLAUDE, each_turn=True),
        ),
        Host(
            "gemini", ".gemini/settings.json", ".gemini/settings.json", "mcpServers", folder=".gemini",
            program="gemini", instructions=".gemini/GEMINI.md",
            hooks=Hooks(
                ".gemini/settings.json", "groups", {**_CLAUDE, "prompt": "BeforeAgent", "stop": "AfterAgent"}
            ),
        ),
        Host(
            "qwen", ".qwen/settings.json", ".qwen/settings.json", "mcpServers", folder=".qwen", program="qwen",
            # With a prompt on its command line it tells neither of the start nor of the end.
            instructions=".qwen/QWEN.md", hooks=Hooks(".qwen/settings.json", "groups", _CLAUDE, each_turn=True),
        ),
        Host(
            "opencode", "opencode.json", ".config/opencode/opencode.json", "mcp", folder=".config/opencode",
            program="opencode", instructions=".config/opencode/AGENTS.md",
            hooks=Hooks(".config/opencode/plugins/alice-exp.js", "plugin", {}),
        ),
    )
}  # fmt: skip

ALIASES: Mapping[str, str] = {"copilot": "vscode", "vscode/copilot": "vscode", "claude": "claude-code"}


def _entry(host: Host, command: str, arguments: Sequence[str]) -> dict[str, Json]:
    """Our server's entry in a JSON host."""
    if host.name == "opencode":
        return {"type": "local", "command": [command, *arguments], "enabled": True}
    typed: dict[str, Json] = {"type": "stdio"} if host.typed else {}
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
