"""The hosts that are connected: what their files start, whether that starts, and whether each still calls."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from glob import glob
from pathlib import Path

from alice_exp.agents import host_config, store
from alice_exp.agents.host_config import our_commands
from alice_exp.agents.store import spool
from alice_exp.caller.hosts import HOSTS, Host
from alice_exp.home.session import Session
from alice_exp.kernel.errors import Hint, ProblemError
from alice_exp.kernel.jsonc import Problem
from alice_exp.kernel.value_class import dataclass
from alice_exp.terminal.editor import text_of

_SILENT = timedelta(days=7)
_LATER = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Connected:
    """A host with our server in its file: the command there, and when it last called (ISO-8601 UTC; empty: never)."""

    host: Host
    path: str
    command: tuple[str, ...]
    last_call: str


def connected(session: Session) -> tuple[Connected, ...]:
    """The hosts whose own configuration of this person names our server, but for those that start another home."""
    found = []
    for host in HOSTS.values():
        path = host_config.place(host)
        named = _named(host, path)
        if named is not None and not other_home(host, session):
            found.append(
                Connected(host, str(path), (named[0], *named[1]), spool(session).last_call(host.name))
            )
    return tuple(found)


def other_home(host: Host, session: Session) -> str:
    """The folder of the home that a host's file starts, where that is not this one; else empty."""
    named = _named(host, host_config.place(host))
    with suppress(OSError, ValueError):
        # Our own launcher is ours whatever it says: 'doctor --fix' writes it anew.
        words = store.launched(named[0]) if named and named[0] != str(store.place(session.root)) else []
        home = words[words.index("--home") + 1]
        return "" if Path(home).resolve() == session.root.resolve() else home
    return ""


def _named(host: Host, path: Path) -> tuple[str, list[str]] | None:
    # Whoever connects the host is told what is wrong with its file.
    with suppress(ProblemError):
        return host_config.named_by(host, text_of(path), str(path))
    return None


def faults(one: Connected, session: Session) -> Iterator[Problem]:
    """What keeps a host from us: its command and its hooks are tried, its sessions compared with its calls."""
    hint = Hint("mend it with: alice-exp connect {host}", host=one.host.name)
    said = store.try_server(one.command[0], [*one.command[1:]])
    if said != "ok":
        template = "{host} cannot start its server: {why}"
        yield Problem.fault(one.path, template, hint, host=one.host.name, why=said)
    path = host_config.under(one.host, one.host.hooks.file)
    programs: set[str] = set()
    with suppress(ProblemError, ValueError):
        programs = {shlex.split(line)[0] for line in our_commands(text_of(path), str(path), one.host.hooks)}
    for program in sorted(programs):
        if not os.access(program, os.X_OK):
            template = "the hooks of {host} start {program}, which is not there"
            yield Problem.fault(one.path, template, hint, host=one.host.name, program=program)
    since = one.last_call or str(spool(session).kept(one.host.name).get("at", ""))
    if since and session.moment - datetime.fromisoformat(since) > _SILENT and _worked_since(one.host, since):
        template = "{host} has not called for a week, though it held sessions"
        on = Hint("run: alice-exp connect {host}; then see there that its hooks are on", host=one.host.name)
        yield Problem.fault(one.path, template, on, host=one.host.name)


def foreign(folder: str) -> Iterator[Problem]:
    """Servers of our name that a project's own files bring: what they start is not ours."""
    for host in HOSTS.values():
        path = Path(folder, host.project)
        named = _named(host, path) if folder and host.project else None
        if named is not None and path != host_config.place(host) and named != ("alice-exp", ["mcp"]):
            template = "this project brings a server of its own under our name: {host} would start {program}"
            hint = "take it out, or rename it, if you did not put it there"
            yield Problem.warning(str(path), template, hint, host=host.name, program=named[0])


def _worked_since(host: Host, since: str) -> bool:
    """Whether a host wrote a session down a day or more after this moment."""
    least = (datetime.fromisoformat(since) + _LATER).timestamp()
    for path in glob(str(host_config.under(host, host.sessions))) if host.sessions else ():  # noqa: PTH207
        with suppress(OSError):
            if os.stat(path).st_mtime > least:  # noqa: PTH116
                return True
    return False
