"""Do what hooks left to be done: take in what was said, and read it for candidates (R4.18-R4.22).

Each step may be done again: messages that are there are not added, what was read is not read twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from alice_exp.agents.usecases.session_actions import keep_actions, keep_causes, keep_commands
from alice_exp.conversations.rules.tool_uses import deeds_of
from alice_exp.conversations.rules.transcripts import Row, read, records, spoken
from alice_exp.conversations.usecases import sessions
from alice_exp.conversations.usecases.search_sessions import add, take_in
from alice_exp.conversations.usecases.sessions import Conversing
from alice_exp.conversations.wiring import conversing as conversation_home
from alice_exp.kernel.errors import AliceError, BusyError, ProblemError, UsageError

if TYPE_CHECKING:
    from alice_exp.agents.store import Left, Spool
    from alice_exp.home.session import Session

AsHost = Callable[["Left"], "tuple[Session, str]"]
"""The session in which the host's agent acts on what was left, and all names of the project of the folder where the
host worked."""


def finish(spool: Spool, as_host: AsHost, idle: float) -> Iterator[AliceError]:
    """Do all that is left, but for what rests (``Spool.left``); what fails is yielded and stays.

    Several processes may do so at once: none waits for another, and what two take in is there once.
    """
    for left in spool.left(idle):
        spool.begin(left)
        try:
            failure = _one(spool, *as_host(left), left)
        except AliceError as error:
            failure = error
        except Exception as error:
            # One that cannot be read for a fault of ours does not stand in the way of the others.
            failure = ProblemError("{why}", why=f"{type(error).__name__}: {error}")
        if failure is None:
            spool.done(left)
        elif not isinstance(failure, BusyError):
            spool.failed(left, str(failure))
            yield failure


def _one(spool: Spool, opened: Session, project: str, left: Left) -> AliceError | None:
    conversing = conversation_home(opened)
    if not conversing.config.flag("short_term.enabled"):
        return None
    session = left.text("session")
    if left.text("event") == "start":
        return _read_earlier(conversing, left.text("host"), session)
    messages = left.fields.get("messages")
    if not isinstance(messages, list):
        # Hosts write their transcript before they call; one that is gone cannot come back.
        messages = list(records(spool.transcript(left.text("transcript"))))
    entries = read(messages)
    rows = spoken(entries, session, project)
    if not rows:
        return None
    _take_in(conversing, rows, session)
    if left.text("event") == "compact":
        sessions.hear(conversing, session)
        return None
    waits = left.text("event") == "stop" and conversing.provider is not None
    is_read = not waits or sessions.is_due(conversing.chats.load_unextracted(session), conversing.config)
    failure = sessions.end(conversing, session).failure if is_read else None
    deeds = deeds_of(entries)
    key = project.partition(" ")[0]
    keep_actions(opened, key, session, deeds, [row.message for row in rows])
    keep_commands(spool, conversing, project, session, deeds)
    keep_causes(opened, key, session, deeds)
    return failure


def _read_earlier(conversing: Conversing, host: str, current: str) -> AliceError | None:
    """Read what a host's earlier conversations left unread: hosts without an event for the end never say so."""
    for one in conversing.chats.conversations():
        if one.session.startswith(f"{host}-") and one.session != current and one.unextracted:
            failure = sessions.end(conversing, one.session).failure
            if failure is not None:
                return failure
    return None


def _take_in(conversing: Conversing, rows: Sequence[Row], session: str) -> None:
    """Add what is new. A host that rewrites its transcript (after compaction) is followed by its messages' ids."""
    try:
        take_in(conversing, rows, session)
    except UsageError:
        while True:
            present = conversing.chats.load(session)
            known = {record.name for record in present}
            new = [row for row in rows if row.name and row.name not in known]
            if not new:
                return
            add(conversing, session, new, len(present))
