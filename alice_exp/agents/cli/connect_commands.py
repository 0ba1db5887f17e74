"""``connect``, ``disconnect`` and ``mcp``: server, hooks and instructions in an agent's host, put in, taken out and
served."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from alice_exp.agents import host_config, server, store
from alice_exp.agents.connected_hosts import foreign, other_home
from alice_exp.agents.host_config import (
    NAME,
    Bare,
    allowed,
    bare_parts,
    disallowed,
    hooked,
    installed,
    removed,
    unhooked,
)
from alice_exp.agents.store import Spool, spool
from alice_exp.caller.acting import require_person
from alice_exp.caller.hosts import HOSTS, Event, Host, host_named
from alice_exp.home.session import Session
from alice_exp.kernel.errors import Hint, Names, NotFoundError, ProblemError, RefusedError
from alice_exp.kernel.text.display import visible, with_block, without_block
from alice_exp.kernel.value_class import dataclass
from alice_exp.maintenance.usecases import settings
from alice_exp.terminal.console import Terminal, faulty
from alice_exp.terminal.editor import text_of, write_text
from alice_exp.terminal.language import say

Hosts = Annotated[
    list[str],
    typer.Argument(
        metavar="[HOST]...",
        help="claude-code, codex, cursor, gemini, opencode, qwen or vscode (copilot); else those found (asked first).",
    ),
]
Show = Annotated[bool, typer.Option("--print", help="Print what each file would be; change nothing.")]


@dataclass(frozen=True, slots=True)
class Planned:
    """One file of a host: its text now and its text then; without one there is no file, unless it ``stays``."""

    path: Path
    before: str
    after: str
    stays: bool = False


def connect(
    terminal: Terminal,
    hosts: Hosts = [],  # noqa: B006
    show: Show = False,
    ask: Annotated[
        bool, typer.Option("--ask", help="Let the host ask you before each of our tools runs.")
    ] = False,
) -> None:
    """Set up all that an agent's host can hold: MCP server, hooks at start and end, instructions. Again: no change.

    The host runs our tools unasked: they can neither approve nor destroy. The server is started once before anything is
    written; a home that is not there is made. All hosts start bin/alice-exp in the home, which names this installation.

    Examples: alice-exp connect claude-code --print · alice-exp connect gemini codex · alice-exp connect --ask
    """
    session, chosen = terminal.session, _chosen(hosts)
    brought = [*foreign(session.spot.path)]
    for fault in brought:
        terminal.note(f"{fault.path}: {faulty(fault)}")
    theirs = {fault.values["host"] for fault in brought}
    for host in chosen:
        if home := other_home(host, session):
            terminal.note(say("{host} started another home until now: {home}", host=host.name, home=home))
    plans = [(host, _planned(host, session, ask=ask or host.name in theirs)) for host in chosen]
    if show:
        _answer(terminal, [_document(host, plan, (), "") for host, plan in plans], plans, hosts)
        return
    require_person(session.caller, say("connect a host"), f"alice-exp connect {' '.join(hosts)}".strip())
    if not hosts and any(plan for _, plan in plans) and sys.stdin.isatty():
        terminal.confirm(say("Write into the files of {few}?", few=Names(host.name for host in chosen)))
    session.home.create(session.actor, settings.default_files())
    store.write(session.root)
    done = []
    for host, plan in plans:
        program, arguments = str(store.place(session.root)), _arguments(host)
        said = store.try_server(program, arguments)
        if said != "ok":
            raise ProblemError(
                "the server cannot start: {why}; nothing was written for {host}",
                why=said,
                host=host.name,
                hint=f"{program} {' '.join(arguments)}",
            )
        spool(session).keep(host.name, _facts(host, plan, spool(session), session.caller.now))
        done.append(_document(host, plan, _write(plan), said))
    _answer(terminal, done, [], hosts)


def disconnect(terminal: Terminal, hosts: Hosts = [], show: Show = False) -> None:  # noqa: B006
    """Take our server, hooks and instructions out of an agent's host; all else in its files stays as it is.

    Example: alice-exp disconnect claude-code
    """
    session, chosen = terminal.session, _chosen(hosts)
    for host in chosen:
        if home := other_home(host, session):
            raise RefusedError(
                "{host} starts another home: {home}",
                host=host.name,
                home=home,
                hint=shlex.join(["alice-exp", "--home", home, "disconnect", host.name]),
            )
    plans = [(host, _planned(host, session, out=True)) for host in chosen]
    done = []
    if not show:
        command = f"alice-exp disconnect {' '.join(hosts)}".strip()
        require_person(session.caller, say("disconnect a host"), command)
    for host, plan in plans:
        done.append(_document(host, plan, () if show else _write(plan), ""))
        if not show and spool(session).kept(host.name):
            spool(session).keep(host.name, {})
    _answer(terminal, done, plans if show else [], hosts, out=True)


def _chosen(names: Sequence[str]) -> list[Host]:
    chosen = [host_named(name) for name in names] or [
        one for one in HOSTS.values() if host_config.is_here(one)
    ]
    if not chosen:
        raise NotFoundError(
            "no agent's host was found here", hint=Hint("hosts are {names}", names=Names(HOSTS))
        )
    return list({host.name: host for host in chosen}.values())


def _planned(host: Host, session: Session, *, out: bool = False, ask: bool = False) -> list[Planned]:
    """Every file that changes, read and worked out before any is written; edits of one file follow one another."""
    kept = spool(session).kept(host.name)
    bare: Mapping[str, Bare] = kept.get("bare", {})
    texts: dict[Path, tuple[str, str]] = {}
    for path, change in _edits(host, str(store.place(session.root)), out, ask, bool(kept.get("own"))):
        before, now = texts.get(path) or (text_of(path),) * 2
        texts[path] = (before, change(now, str(path), bare.get(str(path), {})) if now or not out else "")
    stood: dict[Path, str | None] = {path: bare.get(str(path), {}).get("") if out else None for path in texts}
    return [
        Planned(path, before, after or stood[path] or "", stood[path] is not None)
        for path, (before, after) in texts.items()
    ]


def _edits(
    host: Host, program: str, out: bool, ask: bool, own: bool
) -> Iterator[tuple[Path, Callable[[str, str, Bare], str]]]:
    """What is done to the text of each file, in order: ``own``, where a permission was the person's before."""

    def permission(rule: str, takes: bool) -> Callable[[str, str, Bare], str]:
        if takes:
            return lambda text, path, was: disallowed(text, path, rule, was)
        return lambda text, path, _: text if out else allowed(text, path, rule)

    def command_of(event: Event) -> str:
        return shlex.join([program, "hook", host.name, event])

    # The plugin's hooks and server would otherwise stand beside ours, and do everything twice.
    plugged, rule = not out and host_config.has_plugin(host), host.plugin[1]
    place = host_config.place(host)
    if out or (plugged and rule):
        yield place, lambda text, path, was: removed(text, path, host, was)
    else:
        yield place, lambda text, path, _: installed(text, path, host, program, _arguments(host), ask)
    place = host_config.under(host, host.hooks.file)
    if out or plugged:
        yield place, lambda text, path, was: unhooked(text, path, host.hooks, was)
    else:
        yield place, lambda text, path, _: hooked(text, path, host.hooks, command_of)
    if host.permission:
        yield place, permission(host.permission, (out or ask) and not own)
    if rule:
        yield place, permission(rule, out or ask or not plugged)
    if host.instructions:
        body = f"## alice-exp\n\n{server.INSTRUCTIONS}"
        notes = host_config.under(host, host.instructions)
        block = without_block if out else partial(with_block, body=body)
        yield notes, lambda text, path, _: block(text, path=path)


def _arguments(host: Host) -> list[str]:
    """The actor tells whose agent acts, and which host called."""
    return ["--actor", f"agent:{host.name}", "mcp"]


def _facts(host: Host, plan: Sequence[Planned], calls: Spool, now: str) -> dict[str, Any]:
    """What is to be known of a host's files before we came: they are looked at when it is connected first."""
    program = shutil.which(host.program) or ""
    if known := calls.kept(host.name):
        return {**known, "program": program}
    bare = {str(one.path): bare_parts(one.before, str(one.path)) for one in plan if one.path.exists()}
    is_new = not any(NAME in one.before for one in plan if one.path == host_config.place(host))
    own = is_new and any(f'"{host.permission}"' in one.before for one in plan) if host.permission else False
    return {
        "at": now,
        "program": program,
        "bare": {path: parts for path, parts in bare.items() if parts},
        "own": own,
    }


def _write(plan: Sequence[Planned]) -> tuple[str, ...]:
    changed = [one for one in plan if one.after != one.before]
    for one in changed:
        if one.after or not one.stays:
            write_text(one.path, one.after)
        else:
            one.path.write_bytes(b"")
    return tuple(str(one.path) for one in changed)


def _document(host: Host, plan: Sequence[Planned], written: Sequence[str], said: str) -> dict[str, Any]:
    document = {
        "host": host.name,
        "written": list(written),
        "files": [str(one.path) for one in plan],
        **({"server": said} if said else {}),
    }
    if host.hooks.asks_trust and written and said:
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
                _show(terminal, file.path, file.after)
        for one in () if shown else done:
            for path in one["written"]:
                said = "{path} is written; start {host} anew"
                if not Path(path).exists():
                    said = "{path} is removed; start {host} anew"
                terminal.line(say(said, path=path, host=one["host"]))
            if not one["written"]:
                said = "{host} is not connected" if out else "{host} is set up already"
                terminal.line(say(said, host=one["host"]))
            if "next" in one:
                terminal.line(one["next"])

    terminal.answer(document, text)


def _show(terminal: Terminal, path: Path, text: str) -> None:
    # A pager shows what goes to stdout alone; a pipe takes the file as it is.
    (terminal.line if sys.stdout.isatty() else terminal.note)(f"{path}:")
    sys.stdout.write("".join(f"{visible(line)}\n" for line in text.splitlines()))


def serve(terminal: Terminal) -> None:
    """Serve an agent over stdio until it hangs up.

    In an agent's configuration: {"command": "alice-exp", "args": ["mcp"]}

    Example: alice-exp mcp
    """
    session = terminal.session
    session.home.read(())
    session.acting.named  # noqa: B018  a wrong name is said at the start, too
    server.serve(lambda: session)
