"""Our server's entry and our hooks in a host's configuration: where they lie, put in, taken out, all else as it was.

JSON hosts are edited as JSONC, so that comments stay; Codex keeps TOML, of which only our own table is ever touched.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from alice_exp.caller.hosts import Event, Hooks, Host
from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.jsonc import Json, Pointer
from alice_exp.kernel.jsonc.document import find
from alice_exp.kernel.jsonc.edits import Append, Edit, Remove, Set, edit
from alice_exp.kernel.jsonc.reader import parse

NAME = "alice-exp"
"""What our server is called in every host."""

_TABLE = re.compile(
    r'^[ \t]*\[[ \t]*mcp_servers[ \t]*\.[ \t]*(?:"alice-exp"|\'alice-exp\'|alice-exp)[ \t]*[.\]]'
)
_ANY_TABLE = re.compile(r"^[ \t]*\[")

Bare = Mapping[str, str]
"""What a file held before we came that is as empty as what we leave: path of keys (empty: the file) → its very text."""

_NOTHING: tuple[Json, ...] = ({}, {"version": 1})


def installed(text: str, path: str, host: Host, command: str, arguments: Sequence[str], ask: bool) -> str:
    """The configuration with our entry in it; as it is where it stands there already.

    The tools run without a dialog unless ``ask``; what a person set there themselves stays. ``ProblemError`` with the
    place where the file cannot be read.
    """
    more = {**host.listing, **({} if ask else host.unasked)}
    taken = [(key, value) for key, value in host.unasked.items() if ask]
    if not host.key:
        return _with_table(text, path, {"command": command, "args": [*arguments]}, more, taken)
    entry: dict[str, Json] = {"command": command, "args": [*arguments]}
    if host.entry == "command":
        entry = {"type": "local", "command": [command, *arguments], "enabled": True}
    elif host.entry == "typed":
        entry = {"type": "stdio", **entry}
    present = read_object(text, path, host.key).get(NAME)
    if not isinstance(present, dict):
        return _edited(text, path, [Set((host.key, NAME), {**entry, **more})])
    wanted = {**entry, **{key: value for key, value in more.items() if key not in present}}
    edits: list[Edit] = [
        Set((host.key, NAME, key), value) for key, value in wanted.items() if present.get(key) != value
    ]
    edits += [Remove((host.key, NAME, key)) for key, value in taken if present.get(key) == value]
    return _edited(text, path, edits)


def removed(text: str, path: str, host: Host, bare: Bare) -> str:
    """The configuration without our entry; as it is where there is none, empty where it held nothing else."""
    if not host.key:
        if NAME not in _toml_servers(text, path):
            return text
        lines = text.splitlines(keepends=True)
        start, end = _span(lines, path)
        before, after = "".join(lines[:start]), "".join(lines[end:])
        if not after:
            before = re.sub(r"\r?\n\Z", "", before)
        _toml_servers(before + after, path)
        return before + after
    if NAME not in read_object(text, path, host.key):
        return text
    return without(text, path, [(host.key, NAME)], bare)


def allowed(text: str, path: str, rule: str) -> str:
    """A file of permissions in which our tools are allowed; as it is where they are."""
    held = read_object(text, path, "permissions").get("allow")
    if isinstance(held, list) and rule in held:
        return text
    return _edited(text, path, [Append(("permissions", "allow"), (rule,))])


def disallowed(text: str, path: str, rule: str, bare: Bare) -> str:
    """The same without our rule."""
    held = read_object(text, path, "permissions").get("allow")
    mine = [index for index, one in enumerate(held) if one == rule] if isinstance(held, list) else []
    return without(text, path, [("permissions", "allow", index) for index in mine], bare)


def without(text: str, path: str, ours: Sequence[Pointer], bare: Bare) -> str:
    """A JSON file without what is ours, and without what then holds nothing, unless that stood there before."""
    if not ours:
        return text
    document = parse(text.encode(), path)
    gone = set(ours)
    for depth in range(max(map(len, gone)) - 1, 0, -1):
        for parent in {one[:depth] for one in gone if len(one) == depth + 1}:
            held = _at(document.value, parent)
            inner = {(*parent, key) for key in (held if isinstance(held, dict) else range(len(held)))}
            if inner <= gone and "/".join(map(str, parent)) not in bare:
                gone = (gone - inner) | {parent}
    left = edit(document, [Remove(one) for one in sorted(gone, key=str)]).decode()
    if parse(left.encode(), path).value in _NOTHING:
        return bare.get("", "")
    for name, was in bare.items():
        child = find(parse(left.encode(), path), tuple(name.split("/"))) if name else None
        if child and not parse(left[child.value : child.end].encode(), path).value:
            left = left[: child.value] + was + left[child.end :]
    return left


def _at(value: Any, pointer: Pointer) -> Any:
    for step in pointer:
        value = value[step]
    return value


def bare_parts(text: str, path: str) -> Bare:
    """What is empty in a file before we write there: without it nobody knew whether to take the emptiness out again."""
    document = parse(text.encode(), path) if text.strip() and not path.endswith((".toml", ".md")) else None
    if document is None or document.value in _NOTHING:
        return {"": text} if document or not text.strip() else {}
    found = {}
    for key, held in document.value.items() if isinstance(document.value, dict) else ():
        inner = held.items() if isinstance(held, dict) else ()
        for pointer, value in (((key,), held), *(((key, name), one) for name, one in inner)):
            child = find(document, pointer) if value in ({}, []) else None
            if child and "/" not in "".join(pointer):
                found["/".join(pointer)] = document.text[child.value : child.end]
    return found


def _edited(text: str, path: str, edits: Sequence[Edit]) -> str:
    """The file with some edits; an empty one is an empty object."""
    return edit(parse((text if text.strip() else "{}\n").encode(), path), edits).decode() if edits else text


def read_object(text: str, path: str, key: str) -> dict[str, Json]:
    """The object under a key of a JSON or JSONC file, empty where there is none; ``ProblemError`` with the place."""
    if not text.strip():
        return {}
    document = parse(text.encode(), path)
    fault = document.problem
    if fault is not None:
        raise ProblemError(
            "this configuration cannot be read: {why}",
            why=fault.message,
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


def _with_table(
    text: str,
    path: str,
    entry: Mapping[str, Json],
    more: Mapping[str, Json],
    taken: Sequence[tuple[str, Json]],
) -> str:
    """The TOML with our table, in its old place or at the end; lines that a person added to it stay."""
    present = _toml_servers(text, path).get(NAME)
    held = present if isinstance(present, dict) else {}
    if present is None:
        # The line break before the table is ours: without it the file is as it was.
        made = text + ("\n" if text else "") + _table({**entry, **more})
        # What stands in one line, ``mcp_servers = {}``, takes no table besides.
        _toml_servers(made, path)
        return made
    taken = [one for one in taken if held.get(one[0]) == one[1]]
    wanted = {**entry, **{key: value for key, value in more.items() if key not in held}}
    if not taken and wanted.items() <= held.items():
        return text
    lines = text.splitlines(keepends=True)
    start, end = _span(lines, path)
    ours = re.compile(rf"^[ \t]*(?:{'|'.join([*wanted, *(key for key, _ in taken)])})[ \t]*=")
    kept = [line for line in lines[start + 1 : end] if not ours.match(line)]
    made = "".join([*lines[:start], _table(wanted), *kept, *lines[end:]])
    _toml_servers(made, path)
    return made


def _table(fields: Mapping[str, Json]) -> str:
    rows = (f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in fields.items())
    return "".join([f"[mcp_servers.{NAME}]\n", *rows])


def _toml_servers(text: str, path: str) -> dict[str, Json]:
    try:
        servers = tomllib.loads(text).get("mcp_servers", {})
    except tomllib.TOMLDecodeError as error:
        raise ProblemError(
            "this configuration cannot be read: {why}", why=str(error).lower(), path=path
        ) from None
    return servers if isinstance(servers, dict) else {}


def _span(lines: Sequence[str], path: str) -> tuple[int, int]:
    """The lines of our table and its own tables; comments before the next table are not ours."""
    start = next((index for index, line in enumerate(lines) if _TABLE.match(line)), -1)
    if start < 0:
        raise ProblemError(
            "{name} stands here in a form that is not edited by us",
            name=NAME,
            path=path,
            hint="take it out by hand",
        )
    end = start + 1
    while end < len(lines) and (not _ANY_TABLE.match(lines[end]) or _TABLE.match(lines[end])):
        end += 1
    while end < len(lines) and end > start + 1 and lines[end - 1].lstrip().startswith("#"):
        end -= 1
    return start, end


_OURS = re.compile(r"alice[-_]exp\S*\s(?:.*\s)?hook\s")

CommandOf = Callable[[Event], str]


def hooked(text: str, path: str, hooks: Hooks, command_of: CommandOf) -> str:
    """The file with a hook for each of the host's events; as it is where they stand there already."""
    if hooks.form == "file":
        rows = {
            theirs: [{"type": "command", "bash": command_of(ours)}] for ours, theirs in hooks.events.items()
        }
        return json.dumps({"version": 1, "hooks": rows}, indent=2) + "\n"
    if hooks.form == "plugin":
        plugin = Path(__file__).with_name("data").joinpath("opencode.js").read_text("utf-8")
        return plugin.replace("COMMAND", json.dumps(command_of("start").rpartition(" ")[0]))
    held = read_object(text, path, "hooks")
    edits: list[Edit] = []
    if hooks.form == "flat" and not text.strip():
        edits.append(Set(("version",), 1))
    for ours, theirs in hooks.events.items():
        entries = held.get(theirs)
        known = entries if isinstance(entries, list) else []
        line: dict[str, Json] = {"command": command_of(ours)}
        wanted: Json = line if hooks.form == "flat" else {"hooks": [{"type": "command", **line}]}
        mine = [index for index, one in enumerate(known) if _is_ours(one)]
        if not mine:
            edits.append(Append(("hooks", theirs), (wanted,)))
        elif known[mine[0]] != wanted:
            edits.append(Set(("hooks", theirs, mine[0]), wanted))
        edits += [Remove(("hooks", theirs, index)) for index in mine[1:]]
    return _edited(text, path, edits)


def unhooked(text: str, path: str, hooks: Hooks, bare: Bare) -> str:
    """The file without our hooks; empty where it held nothing else."""
    if hooks.form in ("file", "plugin"):
        return ""
    ours: list[Pointer] = [
        ("hooks", theirs, index)
        for theirs, entries in read_object(text, path, "hooks").items()
        if isinstance(entries, list)
        for index, one in enumerate(entries)
        if _is_ours(one)
    ]
    return without(text, path, ours, bare)


def _is_ours(entry: object) -> bool:
    """Whether all that an event's entry runs is ours; a group that a person put something beside is the person's."""
    commands = _commands(entry)
    return bool(commands) and all(map(_OURS.search, commands))


def _commands(entry: object) -> list[str]:
    inner = entry.get("hooks", [entry]) if isinstance(entry, Mapping) else []
    rows = [one for one in inner if isinstance(one, Mapping)] if isinstance(inner, list) else []
    return [str(one.get("command", one.get("bash", ""))) for one in rows]


def our_commands(text: str, path: str, hooks: Hooks) -> list[str]:
    """The commands of ours that a host's file of hooks runs; none for a plugin, which is a program."""
    if hooks.form == "plugin":
        return []
    held = read_object(text, path, "hooks").values()
    entries = (entry for listed in held if isinstance(listed, list) for entry in listed)
    return [line for entry in entries for line in _commands(entry) if _OURS.search(line)]


def place(host: Host) -> Path:
    """The file with a host's servers, for the user."""
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


def named_by(host: Host, text: str, path: str) -> tuple[str, list[str]] | None:
    """The command by which a host's file starts a server of our name; None where it names none."""
    entry = (read_object(text, path, host.key) if host.key else _toml_servers(text, path)).get(NAME)
    if not isinstance(entry, dict):
        return None
    told, more = entry.get("command"), entry.get("args")
    words = [*(told if isinstance(told, list) else [told]), *(more if isinstance(more, list) else [])]
    return (str(words[0]), [str(word) for word in words[1:]]) if words else ("", [])


def is_here(host: Host) -> bool:
    """Whether a host is on this machine: its folder, or its program on the path."""
    return bool(host.folder and under(host, host.folder).is_dir()) or shutil.which(host.program) is not None


def has_plugin(host: Host) -> bool:
    """Whether a person installed our plugin in a host, which then brings hooks of its own."""
    path, _ = host.plugin
    try:
        return bool(path) and f'"{NAME}' in under(host, path).read_text("utf-8")
    except OSError:
        return False
