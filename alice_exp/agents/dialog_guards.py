"""Whether a host's dialog reaches the person: what has to hold before a yes given there counts.

A name is forged in one line, by ``exec -a`` or a copy of a program; who holds the other end of a pipe is not. What is
left to a program of the same user stands in docs/guarantees.md.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import socket
import struct
import sys
from collections.abc import Collection, Iterator
from glob import glob
from pathlib import Path

from alice_exp.agents.store import spool
from alice_exp.caller.hosts import HOSTS, KNOWN, Host, Process, host_of, parents
from alice_exp.home.session import Session

_SETTINGS = (
    "{home}/settings.json",
    "{home}/settings.local.json",
    "{home}/plugins/**/hooks.json",
    "{home}/hooks.json",
    "{home}/config.toml",
    "{cwd}/.claude/settings.json",
    "{cwd}/.claude/settings.local.json",
    "{cwd}/.codex/config.toml",
    "{cwd}/.codex/hooks.json",
    "/etc/claude-code/managed-settings.json",
    "/etc/codex/config.toml",
)


def program_of(host: Host) -> str:
    """The program of a host on this person's path, as ``connect`` registers it; empty where there is none."""
    return shutil.which(host.program) or ""


def has_owner_key(session: Session) -> bool:
    """Whether a key signs what the person approves: a dialog signs nothing, so that it may show the page alone."""
    return bool(session.config.text("owner.key")) or (session.root / "identity" / "owner.pub").exists()


def refused_here(session: Session, streams: tuple[int, int], modes: Collection[str]) -> str:
    """Why the person cannot be asked in this session's host, whose dialogs have ``modes``; empty where they can."""
    host = HOSTS.get(session.acting.named.name)
    if host is None or not session.config.flag("review.in_host"):
        return "they review elsewhere"
    if "form" not in modes and not has_owner_key(session):
        return "this host shows no form"
    if "url" not in modes and has_owner_key(session):
        return "their key signs what is approved, and a dialog signs nothing"
    return refusal(host, str(spool(session).kept(host.name).get("program", "")), streams)


def refusal(host: Host, program: str, streams: tuple[int, int]) -> str:
    """Why the person cannot be asked by this host, whose registered program this is; empty where they can.

    ``streams`` are the file descriptors on which the host is spoken to.
    """
    if sys.platform != "linux":
        return "only Linux tells who holds a pipe"
    _, *above = parents()
    if not program or not above or above[0].pid != os.getppid():
        return "no program of this host is registered: run 'alice-exp connect' again"
    parent, *more = above
    if not _is_program(parent.executable, program) or host_of(parent) is not host:
        return "the program that asks is not the one that was connected"
    if more and host_of(more[0]) is host and _wraps(more[0], program):
        more = more[1:]
    if any(host_of(one) for one in more) or _started_by_an_agent(parent.pid):
        return "another agent's program stands above it"
    if not _has_a_terminal(parent, host):
        return "nobody sits before it"
    if not all(_ends_in(stream, parent.pid) for stream in streams):
        return "its streams end elsewhere"
    if _answers_itself(parent):
        return "its settings may answer dialogs"
    return ""


def _package(program: str) -> str:
    """What a path has to begin with to belong to a program: its npm scope, its folder of versions, or itself."""
    real = os.path.realpath(program)
    head, package, rest = real.rpartition("/node_modules/")
    if package:
        return f"{head}{package}{rest.partition('/')[0]}/"
    head, versions, _ = real.rpartition("/versions/")
    return f"{head}{versions}" if versions else real


def _is_program(executable: str, program: str) -> bool:
    package = _package(program)
    return executable.startswith(package) if package.endswith("/") else executable == package


def _wraps(process: Process, program: str) -> bool:
    """Whether this is the script by which npm starts the program."""
    return os.path.realpath(program) in (os.path.realpath(word) for word in process.arguments[1:2])


def _started_by_an_agent(pid: int) -> bool:
    """Whether a host began within what another one runs: its first environment has a variable of one."""
    try:
        held = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return True
    names = {os.fsdecode(one.partition(b"=")[0]) for one in held}
    return any(names.intersection(host.variables) for host in KNOWN)


def _has_a_terminal(parent: Process, host: Host) -> bool:
    """Whether a person can see it: input and output are a terminal, and it was started for a conversation."""
    try:
        ends = [os.readlink(f"/proc/{parent.pid}/fd/{number}") for number in (0, 1)]  # noqa: PTH115
    except OSError:
        return False
    words = {word.partition("=")[0] for word in parent.arguments[1:]}
    # A short option may hold its value: -anever.
    words |= {word[:2] for word in words if word.startswith("-") and word[1:2] != "-"}
    return all(end.startswith(("/dev/pts/", "/dev/tty")) for end in ends) and host.unseen.isdisjoint(words)


def _links(pid: int) -> set[str]:
    found = set()
    with contextlib.suppress(OSError):
        for number in os.listdir(f"/proc/{pid}/fd"):  # noqa: PTH208
            with contextlib.suppress(OSError):
                found.add(os.readlink(f"/proc/{pid}/fd/{number}"))  # noqa: PTH115
    return found


def _ends_in(stream: int, parent: int) -> bool:
    """Whether the other end of a pipe or socket is held by the parent, and by nobody else."""
    try:
        mine = os.readlink(f"/proc/self/fd/{stream}")  # noqa: PTH115
        theirs = mine if mine.startswith("pipe:") else f"socket:[{_peer(stream, parent)}]"
    except (OSError, ValueError, struct.error):
        return False
    others = (int(name) for name in os.listdir("/proc") if name.isdigit())  # noqa: PTH208
    return theirs in _links(parent) and not any(
        theirs in _links(pid) for pid in others if pid not in (parent, os.getpid())
    )


def _peer(stream: int, parent: int) -> int:
    """The inode of a socket's other end (unix(7), sock_diag(7)); ``ValueError`` where the parent did not make it."""
    with socket.socket(fileno=os.dup(stream)) as one:
        made = struct.unpack("3i", one.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
    if made != parent:
        raise ValueError(made)
    inode = os.fstat(stream).st_ino
    asked = struct.pack("=BBHIIIII", socket.AF_UNIX, 0, 0, 0xFFFFFFFF, inode, 4, 0xFFFFFFFF, 0xFFFFFFFF)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4) as kernel:
        kernel.settimeout(1)
        kernel.send(struct.pack("=IHHII", 16 + len(asked), 20, 1, 1, 0) + asked)
        answer = kernel.recv(8192)
    at = 16 + 16
    while at + 8 <= len(answer):
        size, kind = struct.unpack_from("=HH", answer, at)
        if kind == 2:
            return int(struct.unpack_from("=I", answer, at + 4)[0])
        at += max(4, (size + 3) & ~3)
    raise ValueError(inode)


def _answers_itself(parent: Process) -> bool:
    """Whether the host may answer a dialog itself: by a hook, or as Codex does without approvals."""
    texts = [*_settings(parent.pid)]
    return any("licitation" in text or re.search(r"approval_policy\W+never", text) for text in texts)


def _settings(pid: int) -> Iterator[str]:
    try:
        cwd = os.readlink(f"/proc/{pid}/cwd")  # noqa: PTH115
        held = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        yield "elicitation"
        return
    variables = dict(os.fsdecode(one).partition("=")[::2] for one in held)
    home = variables.get("HOME") or str(Path.home())
    homes = [
        variables.get("CLAUDE_CONFIG_DIR") or f"{home}/.claude",
        variables.get("CODEX_HOME") or f"{home}/.codex",
    ]
    for pattern in _SETTINGS:
        for base in homes if "{home}" in pattern else homes[:1]:
            for path in glob(pattern.format(home=base, cwd=cwd), recursive=True):  # noqa: PTH207
                with contextlib.suppress(OSError, ValueError, RecursionError):
                    text = Path(path).read_text("utf-8", errors="replace")
                    yield text
                    # A name may be written with escapes.
                    yield json.dumps(json.loads(text))
