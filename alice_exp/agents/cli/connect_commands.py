"""``connect`` and ``disconnect``: server, hooks and instructions in an agent's host, put in and taken out."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from alice_exp.agents import host_config
from alice_exp.agents.host_config import installed, removed
from alice_exp.agents.host_hooks import hooked, unhooked
from alice_exp.agents.ports import Spool
from alice_exp.agents.server import INSTRUCTIONS
from alice_exp.home.caller import require_person
from alice_exp.home.hosts import HOSTS, Host, host_named
from alice_exp.kernel.errors import Hint, Names, NotFoundError, ProblemError
from alice_exp.kernel.text.marked_block import with_block, without_block
from alice_exp.kernel.value_class import dataclass
from alice_exp.maintenance.usecases import settings
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.editor import text_of, write_text
from alice_exp.terminal.language import say

Hosts = Annotated[
    list[str],
    typer.Argument(
        metavar="[HOST]...",
        help="claude-code, codex, cursor, gemini, opencode, qwen or vscode (copilot); else those that are found.",
    ),
]
Show = Annotated[bool, typer.Option("--print", help="Print what each file would be; change nothing.")]


@dataclass(frozen=True, slots=True)
class Connected:
    """A host with our server in its file, and when it last called (ISO-8601 UTC; empty: never)."""

    host: str
    path: str
    last_call: str


@dataclass(frozen=True, slots=True)
class Planned:
    """One file of a host: its text now and its text then (empty: no file)."""

    path: Path
    before: str
    after: str


def connect(ctx: typer.Context, hosts: Hosts = [], show: Show = False) -> None:  # noqa: B006
    """Set up all that an agent's host can hold: MCP server, hooks at start and end, instructions. Again: no change.

    The server is started once before anything is written; a home that is not there is made.

    Examples: alice-exp connect claude-code --print · alice-exp connect gemini codex · alice-exp connect
    """
    terminal: Terminal = ctx.obj
    chosen = _chosen(hosts)
    plans = [(host, _planned(host, _home(terminal))) for host in chosen]
    if show:
        _answer(terminal, [_document(host, plan, (), "") for host, plan in plans], plans, hosts)
        return
    require_person(
        terminal.session.caller, say("connect a host"), f"alice-exp connect {' '.join(hosts)}".strip()
    )
    session = terminal.session
    session.home.create(session.actor, settings.default_files())
    done = []
    for host, plan in plans:
        program, arguments = _served(host, _home(terminal))
        server = host_config.try_server(program, arguments)
        if server != "ok":
            raise ProblemError(
                "the server cannot start: {why}; nothing was written for {host}",
                why=server,
                host=host.name,
                hint=f"{program} {' '.join(arguments)}",
            )
        done.append(_document(host, plan, _write(plan), server))
    _answer(terminal, done, [], hosts)


def disconnect(ctx: typer.Context, hosts: Hosts = [], show: Show = False) -> None:  # noqa: B006
    """Take our server, hooks and instructions out of an agent's host; all else in its files stays as it is.

    Example: alice-exp disconnect claude-code
    """
    terminal: Terminal = ctx.obj
    chosen = _chosen(hosts)
    plans = [(host, _planned(host, _home(terminal), out=True)) for host in chosen]
    if not show:
        require_person(
            terminal.session.caller,
            say("disconnect a host"),
            f"alice-exp disconnect {' '.join(hosts)}".strip(),
        )
    done = [_document(host, plan, () if show else _write(plan), "") for host, plan in plans]
    _answer(terminal, done, plans if show else [], hosts, out=True)


def connected(calls: Spool) -> tuple[Connected, ...]:
    """The hosts whose own configuration of this person names our server."""
    found = []
    for host in HOSTS.values():
        path = host_config.place(host, project=False)
        try:
            text = text_of(path)
            if text.strip() and removed(text, str(path), host) != text:
                found.append(Connected(host.name, str(path), calls.last_call(host.name)))
        except ProblemError:
            continue  # whoever connects the host is told what is wrong with its file
    return tuple(found)


def _home(terminal: Terminal) -> str:
    """The home as it was named; a host does not have the environment of this shell."""
    return terminal.home or os.environ.get("ALICE_HOME", "")


def _chosen(names: Sequence[str]) -> list[Host]:
    chosen = [host_named(name) for name in names] or [
        one for one in HOSTS.values() if host_config.is_here(one)
    ]
    if not chosen:
        raise NotFoundError(
            "no agent's host was found here", hint=Hint("hosts are {names}", names=Names(HOSTS))
        )
    return list({host.name: host for host in chosen}.values())


def _served(host: Host, home: str) -> tuple[str, list[str]]:
    """The server's command line; the actor in it tells whose agent acts, and which host called."""
    program, arguments = host_config.command(home)
    return program, [*arguments, "--actor", f"agent:{host.name}", "mcp"]


def _planned(host: Host, home: str, out: bool = False) -> list[Planned]:
    """Every file that changes, read and worked out before any is written; edits of one file follow one another."""
    program, arguments = _served(host, home)
    server = host_config.place(host, project=False)
    edits: list[tuple[Path, Callable[[str], str]]] = [
        (server, partial(removed, path=str(server), host=host))
        if out
        else (server, lambda text: installed(text, str(server), host, program, arguments))
    ]
    if host.hooks.file:
        place = host_config.under(host, host.hooks.file)
        command_of = partial(host_config.hook_line, home, host)
        edits.append(
            (place, partial(unhooked, path=str(place), hooks=host.hooks))
            if out
            else (place, partial(hooked, path=str(place), hooks=host.hooks, command_of=command_of))
        )
    if host.instructions:
        notes = host_config.under(host, host.instructions)
        body = f"## alice-exp\n\n{INSTRUCTIONS}"
        edits.append((notes, without_block if out else partial(with_block, body=body)))
    texts: dict[Path, tuple[str, str]] = {}
    for path, change in edits:
        before, now = texts.get(path) or (text_of(path),) * 2
        texts[path] = (before, change(now) if now or not out else "")
    return [Planned(path, before, after) for path, (before, after) in texts.items()]


def _write(plan: Sequence[Planned]) -> tuple[str, ...]:
    changed = [one for one in plan if one.after != one.before]
    for one in changed:
        write_text(one.path, one.after)
    return tuple(str(one.path) for one in changed)


def _document(host: Host, plan: Sequence[Planned], written: Sequence[str], server: str) -> dict[str, Any]:
    named = {"server": server} if server else {}
    document = {
        "host": host.name,
        "written": list(written),
        "files": [str(one.path) for one in plan],
        **named,
    }
    if host.hooks.asks_trust and written and server:
        document["next"] = say(
            "{host} runs no hook before you trust it: start it once and answer its question, or type /hooks there",
            host=host.name,
        )
    return document


def _answer(
    terminal: Terminal,
    done: Sequence[dict[str, Any]],
    shown: Sequence[tuple[Host, list[Planned]]],
    asked: Sequence[str],
    *,
    out: bool = False,
) -> None:
    """One document for one named host, else a list of them."""
    document: Any = done[0] if len(asked) == 1 else {"hosts": list(done)}
    if shown:
        for one, (_, plan) in zip(done, shown, strict=True):
            one["texts"] = {str(file.path): file.after for file in plan}

    def text() -> None:
        for _, plan in shown:
            for file in plan:
                terminal.note(f"{file.path}:")
                for line in file.after.splitlines():
                    terminal.line(line)
        for one in () if shown else done:
            for path in one["written"]:
                there = Path(path).exists()
                said = (
                    "{path} is written; start {host} anew"
                    if there
                    else "{path} is removed; start {host} anew"
                )
                terminal.line(say(said, path=path, host=one["host"]))
            if not one["written"]:
                said = "{host} is not connected" if out else "{host} is set up already"
                terminal.line(say(said, host=one["host"]))
            if "next" in one:
                terminal.line(one["next"])

    terminal.answer(document, text)
