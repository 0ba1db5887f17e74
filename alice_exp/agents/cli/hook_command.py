"""``hook``: what an agent's host runs at the start of a session, at each prompt, and at the end."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated

import typer

from alice_exp.agents.store import Left, spool
from alice_exp.agents.usecases import hook_answers
from alice_exp.caller.hosts import HOSTS, Event, Host, host_named
from alice_exp.home.session import Session
from alice_exp.kernel.errors import AliceError, Hint, Names, ProblemError, UsageError
from alice_exp.kernel.models import INSIDE
from alice_exp.kernel.text.display import one_line, visible
from alice_exp.kernel.value_class import sha256
from alice_exp.model.values.block import PLACES, Placed
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import say

_LONGEST = 64 << 20
_LATELY = timedelta(hours=12)
_ASKED, _WIDTH = 5, 300
"""Decisions that one stop asks about, and characters of each one's task."""
_LITTLE = 1 << 20
_PAUSE = 0.05
_LONG = 3600.0
_LONGEST_RUN = 3600
_OPENING = 300
"""Tokens of the text at a session's start; the rest comes at a prompt that it fits."""
RETRY = 600.0
"""Seconds after which what failed (a model that does not answer, a broken file) is tried again."""


def hook(
    terminal: Terminal,
    host: Annotated[str, typer.Argument(metavar="[HOST]", help="Whose hook it is, as in 'connect'.")] = "",
    event: Annotated[
        str,
        typer.Argument(
            metavar="[EVENT]", help="start, prompt, stop, end, compact, or the host's own name of it."
        ),
    ] = "",
    finish: Annotated[
        bool, typer.Option("--finish", help="Do what earlier hooks left; the next command does it, too.")
    ] = False,
) -> None:
    """Answer a host's hook: its JSON comes on stdin, the answer in its format goes to stdout; the rest runs detached.

    'alice-exp connect HOST' puts it into the host. A failure is told on stderr and never stops the host.

    Example: alice-exp hook claude-code start <event.json
    """
    if INSIDE in os.environ:
        return
    if finish:
        # What hangs ends, and the next process goes on.
        signal.alarm(_LONGEST_RUN)
        try:
            finish_left(terminal, 0.0 if terminal.session.caller.actor.is_person else RETRY)
        finally:
            signal.alarm(0)
        return
    if not host:
        raise UsageError("say whose hook it is", hint=Hint("hosts are {names}", names=Names(HOSTS)))
    known = host_named(host)
    named = hook_answers.event_named(event)
    data = sys.stdin.buffer.read(_LONGEST)
    try:
        told = hook_answers.read(data.decode(errors="replace"), known)
        session = terminal.session.apart(terminal.actor or f"agent:{known.name}", told.folder)
        said = _said(session, known, named, told)
        answer = hook_answers.answer(known, named, said, _for_person(session, known, named))
    except (AliceError, OSError) as error:
        # Some hosts take exit code 2, and Gemini any text on stdout, for an order to stop.
        failure = error if isinstance(error, AliceError) else UsageError("{why}", why=str(error))
        terminal.warn(failure)
        answer = hook_answers.answer(known, named, "")
    if answer:
        # ASCII: the host reads JSON, whatever encoding it gave us.
        sys.stdout.write(json.dumps(answer) + "\n")


def _said(session: Session, host: Host, event: Event, told: hook_answers.Told) -> str:
    spool(session).called(host.name)
    _leave(session, host, event, told)
    is_begun = host.hooks.each_turn and not spool(session).first(f"begun-{told.session}")
    # What nothing is learned from is nobody's decision.
    talk = told.session if told.is_named and session.learns else ""
    if event == "start":
        waits = "" if hook_answers.tells_person(host) else _brought(session)
        return "\n".join(filter(None, (_opening(session, talk), waits)))
    if event == "compact":
        hook_answers.show(session, talk, "start", "", ())
    if event == "prompt":
        # A host that runs one prompt may not have told of the start.
        opening = "" if is_begun or not host.hooks.each_turn else _opening(session, talk)
        fits = hook_answers.fitting(session, told.prompt, session.here.names)
        return "\n\n".join(text for text in (opening, _fits(session, talk, told.prompt, fits)) if text)
    if event == "stop" and not told.again:
        heard = _heard(session, told.session)
        heard = heard if heard and spool(session).first(f"heard-{told.session}") else ""
        return "\n".join(filter(None, (_asked(session), heard)))
    return ""


def _for_person(session: Session, host: Host, event: Event) -> str:
    """What the host shows the person as a session begins: that something waits, once a day; a server of our name that
    the project brings, and a team's file that cannot be read."""
    if event != "start" or not hook_answers.tells_person(host):
        return ""
    from alice_exp.agents.connected_hosts import foreign
    from alice_exp.model.rules.doubt import is_in_doubt

    faults = session.team_faults()
    lines = [
        f"{one.where}: {say(one.template, **one.values)}" for one in (*foreign(session.spot.path), *faults)
    ]
    lines += filter(None, [_brought(session)])
    day = f"told-{session.caller.day}"
    # The report is made where there is something to tell and nobody was told today.
    every = () if spool(session).known(day) else session.home.read(PLACES[:-1])
    if any(one.place == "low_value" or is_in_doubt(one.block) for one in every):
        from alice_exp.review.usecases.todays_report import heartbeat

        report = heartbeat(session, peek=True)[0]
        count = len(report.items) + report.questions
        if count and spool(session).first(day):
            lines.append(say("{count} things wait: say 'review memory', or alice-exp review", count=count))
    return "\n".join(lines)


def _opening(session: Session, talk: str) -> str:
    from alice_exp.agents.usecases.agent_context import prime

    made = prime(session, _OPENING, session.here.names)
    hook_answers.show(session, talk, "start", "", made.blocks)
    return "\n".join(filter(None, (made.text, _heard(session, talk))))


def _brought(session: Session) -> str:
    """That the repository brings what nobody trusts yet, in one line, once a day; no word of it."""
    once = f"team-{session.caller.day}-{sha256(session.here.key.encode()).hexdigest()[:8]}"
    if session.team is None or spool(session).known(once) or not (count := session.team.waits()):
        return ""
    spool(session).first(once)
    return say("{count} things wait to be trusted in this repository: alice-exp project trust", count=count)


def _heard(session: Session, talk: str) -> str:
    """That sentences of earlier sessions wait here, in one line; empty where none does, or nothing is learned."""
    from alice_exp.blocks.usecases.capture import readable

    count = len(readable(session, talk)) if session.learns else 0
    told = say("{count} sentences of earlier sessions wait: call `heard` when the task is over", count=count)
    return told if count else ""


def _fits(session: Session, talk: str, prompt: str, blocks: Sequence[Placed]) -> str:
    """What is told to a prompt; empty where nothing fits it."""
    shown = hook_answers.show(session, talk, "prompt", prompt, blocks)
    head = say("Known to fit this (approved by the person; knowledge, not an order):")
    lines = [head, *map(hook_answers.row, shown.told)] if shown.told else []
    if shown.known:
        lines.append(say("Told before, and fits this, too: {ids}", ids=Names(shown.known)))
    if shown.left_out:
        lines.append(say("{count} more that did not fit: ask recall or decide", count=shown.left_out))
    if shown.decision and lines:
        lines.append(say("This is decision {decision} for report_outcome.", decision=shown.decision))
    return "\n".join(lines)


def _asked(session: Session) -> str:
    from alice_exp.learning.store import decisions

    since = (session.moment - _LATELY).strftime("%Y-%m-%dT%H:%M:%SZ")
    head = say(
        "These decisions of alice-exp have no outcome yet. If the task is over, call report_outcome (id, ok, used, "
        "scenario), or run: alice-exp outcome ID ok|fail. If it goes on, go on."
    )
    new = [one for one in decisions(session).waiting(since) if spool(session).first(one.decision)]
    lines = [visible(one_line(f"- {one.decision}: {one.task}", _WIDTH)) for one in new[:_ASKED]]
    return "\n".join([head, *lines]) if new else ""


def _leave(session: Session, host: Host, event: Event, told: hook_answers.Told) -> None:
    """Write down what is to be done, then start it; nothing where the event brings nothing to do."""
    is_told_of_the_end = "end" in host.hooks.events and not host.hooks.each_turn
    if event == "prompt" or (is_told_of_the_end and event in ("start", "stop")):
        return
    if not session.learns or (event != "start" and not (told.transcript or told.messages)):
        return
    spool(session).leave(
        {
            "host": host.name,
            "event": event,
            "session": told.session,
            "transcript": told.transcript,
            "cwd": told.folder,
            # A folder may be gone when it is seen to.
            **({} if session.is_unnamed else {"project": session.here.names}),
            **({"messages": list(told.messages)} if told.messages else {}),
        }
    )
    detach(session)


def detach(session: Session) -> None:
    """Start what is left in a process of its own, which outlives the host; if it dies, the next command does it."""
    with contextlib.suppress(OSError):
        subprocess.Popen(
            [sys.executable, "-m", "alice_exp", "--home", str(session.root), "hook", "--finish"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd=session.root,
            env={**os.environ, "ALICE_ACTOR": "agent"},
        )


def settle_left(terminal: Terminal, patience: float = 0.0) -> None:
    """See to what hooks left before a person's command: a little of it at once, the rest by a process of its own.

    A model or a long conversation would make the person wait. With ``patience``, a report waits so many seconds for
    it, and names what could not be read.
    """
    left, session = spool(terminal.session), terminal.session
    pending = left.left(RETRY)
    is_little = session.provider is None and sum(map(left.size, pending)) <= _LITTLE
    if pending and is_little and not any(one.tries for one in pending):
        finish_left(terminal)
    elif pending:
        detach(session)
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline and any(
        one.age < _LONG and not one.text("failed") for one in left.left()
    ):
        time.sleep(_PAUSE)
    waits = left.left() if patience else ()
    failed = ((one.text("host"), one.text("failed")) for one in waits)
    for host, why in dict.fromkeys(row for row in failed if row[1]):
        said = "a conversation in {host} is not read yet: {why}"
        hint = "it is tried again after ten minutes; now: alice-exp hook --finish"
        terminal.warn(ProblemError(said, host=host, why=why, hint=hint))
    oldest = max(waits, key=lambda one: one.age, default=None)
    if oldest and oldest.age >= _LONG:
        said = "what was said in {host} has waited for more than an hour to be read"
        hint = "see what stops it: alice-exp hook --finish"
        terminal.warn(ProblemError(said, host=oldest.text("host"), hint=hint))


def finish_left(terminal: Terminal, idle: float = RETRY) -> None:
    """Do what hooks left, each conversation as its host's agent; what fails is a warning, and stays."""
    from alice_exp.agents.usecases.captured_sessions import finish

    session = terminal.session

    def as_host(left: Left) -> tuple[Session, str]:
        host, folder = left.text("host"), left.text("cwd")
        apart = session.apart(f"agent:{host}" if host in HOSTS else "agent", folder)
        entered = apart.enter() if folder and os.path.isdir(folder) else ""  # noqa: PTH112
        return apart, left.text("project") or entered

    for failure in finish(spool(session), as_host, idle):
        terminal.warn(failure)
