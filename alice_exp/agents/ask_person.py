"""The tool ``ask_person``: what waits is asked by the host's own dialog, where a yes given there is the person's.

A name is forged in one line, by ``exec -a`` or a copy of a program; who holds the other end of a pipe is not. What is
left to a program of the same user stands in docs/guarantees.md.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import struct
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from glob import glob
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from alice_exp.agents.store import spool
from alice_exp.caller.acting import Acting, Caller
from alice_exp.caller.hosts import HOSTS, KNOWN, Host, Process, host_of, parents
from alice_exp.home.session import Session
from alice_exp.kernel.errors import RefusedError
from alice_exp.model.values.block import Placed, content_hash
from alice_exp.terminal.language import say

if TYPE_CHECKING:
    from alice_exp.review.rules.daily_report import Agenda, Item

TOOL: dict[str, Any] = {
    "name": "ask_person",
    "title": "Let the person decide",
    "description": "Let the person decide, in a dialog of this program, on up to three things that wait. Use when they "
    "say 'review memory' (回顾记忆), or when a task is over; once a day. You see what they decide, and decide nothing.",
    "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False},
    "annotations": {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False},
}
"""What hosts are offered beside the operations where a yes in their dialog is the person's."""

MOST = 3
_LONGEST = 400
_READ = 0.7
"""Seconds within which nobody has read three lines: an answer that comes sooner is asked again."""

_FORM = {"type": "object", "properties": {}}


Ask: TypeAlias = Callable[[Mapping[str, Any]], str]
"""Shows the host's dialog and waits: ``accept``, ``decline`` or ``cancel``."""


def ask_person(
    session: Session, ask: Ask, streams: tuple[int, int], modes: Collection[str]
) -> dict[str, Any]:
    """Ask about what waits and was never shown; what was decided, by id, and how many more wait.

    ``RefusedError`` where the person cannot be asked here, or was asked today.
    """
    if why := refused_here(session, streams, modes):
        raise RefusedError("the person cannot be asked here: {why}", why=why, hint=_ELSEWHERE)
    from alice_exp.review.usecases.todays_report import heartbeat

    report = heartbeat(session, peek=True)[0]
    waiting = report.items
    fresh = [item.placed for item in waiting if _is_asked(item)]
    decided: dict[str, list[str]] = {"approved": [], "rejected": [], "later": []}
    if fresh and not spool(session).first(f"asked-{session.caller.day}"):
        raise RefusedError("the person was asked today already", hint=_ELSEWHERE)
    if fresh and session.signer() is not None:
        return {"page": _show_page(session, ask, report), "waiting": len(waiting)}
    # What a dialog showed once is no report, and yet was shown.
    new = (one for one in fresh if spool(session).first(f"shown-{one.block.id}"))
    fresh = [*islice(new, MOST)]
    for number, placed in enumerate(fresh, start=1):
        said = _answer(ask, _text(placed, number, len(fresh)))
        if not said:
            break
        decided[_decided(session, placed, said)].append(placed.block.id)
    left = len(waiting) + report.questions - sum(map(len, decided.values()))
    return {
        **{how: ids for how, ids in decided.items() if ids},
        "waiting": left,
        # Else who says 'review memory' hears that something waits, and not where.
        **({"hint": _ELSEWHERE} if left and not fresh else {}),
    }


def _show_page(session: Session, ask: Ask, report: Agenda) -> str:
    """Have the host open the report's page, which composes the reply that a terminal signs; the page's address."""
    from alice_exp.review.cli.heartbeat_command import summary
    from alice_exp.review.cli.report_html import page, written

    where = written(session.root, page(report, summary(report))).as_uri()
    text = say(
        "{count} things wait. Your key signs what you approve: the page composes your reply, a terminal takes it.",
        count=len(report.items),
    )
    ask({"mode": "url", "url": where, "elicitationId": session.caller.new_id("ask"), "message": text})
    return where


_ELSEWHERE = "they review in a terminal: alice-exp review"


def _is_asked(item: Item) -> bool:
    """Whether a dialog can show it: it waits, was never shown, fits three lines and is not decided by itself alone."""
    from alice_exp.model.documents import texts

    placed = item.placed
    return (
        placed.place == "low_value"
        and not placed.stale
        and placed.block.reported is None
        and not item.stands_apart
        and sum(map(len, texts(placed).values())) <= _LONGEST
    )


def _text(placed: Placed, number: int, count: int) -> str:
    from alice_exp.kernel.text.display import one_line, visible
    from alice_exp.review.cli import candidate_card

    block = placed.block
    where = block.project.partition(" ")[0]
    quoted = [one.quote for one in block.evidence if one.quote]
    template = (
        "{number} of {count}: may your agents follow this from now on, in {project}?"
        if where
        else "{number} of {count}: may your agents follow this from now on, everywhere?"
    )
    asked = say(template, number=number, count=count, project=where)
    evidence = one_line(quoted[-1], 160) if quoted else ""
    rests = say("It rests on: {evidence}", evidence=evidence) if quoted else say("It names no evidence.")
    told = candidate_card.told(placed)
    if block.about == "user":
        told = say("{title}: {text}", title=say("About you"), text=told)
    return "\n".join(visible(" ".join(line.split())) for line in (asked, told, rests))


def _answer(ask: Ask, text: str) -> str:
    """What a person said; empty where twice the answer came sooner than anybody reads."""
    for _ in range(2):
        began = time.monotonic()
        said = ask({"message": text, "requestedSchema": _FORM})
        if time.monotonic() - began >= _READ:
            return said if said in ("accept", "decline") else "cancel"
    return ""


def _decided(session: Session, placed: Placed, said: str) -> str:
    """Do what the dialog's answer says, as the person's act; what changed meanwhile waits on."""
    from alice_exp.review.usecases.decisions import approve, reject

    if said == "cancel":
        return "later"
    block, now = placed.block, session.caller
    channel = f"dialog of {session.acting.named.name}"
    person = Caller(Acting.in_dialog(), now.now, now.day, now.new_id, channel=channel)
    act, how = (approve, "approved") if said == "accept" else (reject, "rejected")
    done = act(session.home, person, [block.id], seen={block.id: content_hash(block)})
    return how if done.placed else "later"


_SETTINGS = (
    *("{home}/settings.json", "{home}/settings.local.json", "{home}/plugins/**/hooks.json"),
    *("{home}/hooks.json", "{home}/config.toml"),
    *("{cwd}/.claude/settings.json", "{cwd}/.claude/settings.local.json"),
    *("{cwd}/.codex/config.toml", "{cwd}/.codex/hooks.json"),
    *("/etc/claude-code/managed-settings.json", "/etc/codex/config.toml"),
)


def refused_here(session: Session, streams: tuple[int, int], modes: Collection[str]) -> str:
    """Why the person cannot be asked in this session's host, whose dialogs have ``modes``; empty where they can."""
    host = HOSTS.get(session.acting.named.name)
    if host is None or not session.config.flag("review.in_host"):
        return "they review elsewhere"
    # A dialog signs nothing: where a key does, it may show the page alone.
    is_signed = session.signer() is not None
    if "form" not in modes and not is_signed:
        return "this host shows no form"
    if "url" not in modes and is_signed:
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
    package, asking = _package(program), parent.executable
    is_connected = asking.startswith(package) if package.endswith("/") else asking == package
    if not is_connected or host_of(parent) is not host:
        return "the program that asks is not the one that was connected"
    script = [os.path.realpath(word) for word in more[0].arguments[1:2]] if more else []
    if script == [os.path.realpath(program)] and host_of(more[0]) is host:
        more = more[1:]  # the script by which npm starts the program
    if any(host_of(one) for one in more) or _started_by_an_agent(parent.pid):
        return "another agent's program stands above it"
    if not _has_a_terminal(parent, host):
        return "nobody sits before it"
    if not all(_ends_in(stream, parent.pid) for stream in streams):
        return "its streams end elsewhere"
    # By a hook, or as Codex does without approvals.
    if any(re.search(r"licitation|approval_policy\W+never", text) for text in _settings(parent.pid)):
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
