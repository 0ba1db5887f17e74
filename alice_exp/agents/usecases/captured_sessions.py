"""Do what hooks left to be done: take in what was said, and read it for candidates (R4.18-R4.22).

Each step may be done again: messages that are there are not added, what was read is not read twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from alice_exp.agents.rules import host_transcripts
from alice_exp.conversations.usecases import sessions
from alice_exp.conversations.usecases.search_sessions import take_in
from alice_exp.kernel.errors import AliceError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from alice_exp.agents.ports import Left, Spool
    from alice_exp.conversations.ports import Conversing
    from alice_exp.conversations.rules.transcripts import Row

RETRY = 600.0
"""Seconds after which what failed (a model that does not answer, a broken file) is tried again."""

ConversingAs = Callable[[str], "Conversing"]
"""What conversations need, by a host's name: its acts are those of the host's agent."""


def finish(
    spool: Spool, conversing_as: ConversingAs, idle: float = RETRY, wait: float = 10.0
) -> Iterator[AliceError]:
    """Do all that is left, oldest first; what fails is yielded and stays. Nothing where another process works on it."""
    with spool.claim(wait) as held:
        for left in spool.left(idle) if held else ():
            try:
                failure = _one(spool, conversing_as(left.text("host")), left)
            except AliceError as error:
                failure = error
            if failure is None:
                spool.done(left)
            else:
                spool.failed(left, str(failure))
                yield failure


def _one(spool: Spool, conversing: Conversing, left: Left) -> AliceError | None:
    if not conversing.config.flag("short_term.enabled"):
        return None
    session = left.text("session")
    if left.text("event") == "start":
        return _read_earlier(conversing, left.text("host"), session)
    messages = left.fields.get("messages")
    if isinstance(messages, list):
        rows = host_transcripts.rows_of_messages(messages, session)
    else:
        # Hosts write their transcript before they call; one that is gone cannot come back.
        rows = host_transcripts.rows(spool.transcript(left.text("transcript")) or "", session)
    if not rows:
        return None
    _take_in(conversing, rows, session)
    if left.text("event") == "stop" and conversing.provider is not None:
        unread = conversing.chats.load_unextracted(session)
        if not sessions.is_due(unread, conversing.config):
            return None
    return sessions.end(conversing, session).failure


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
        chats = conversing.chats
        known = {record.name for record in chats.load(session)}
        new = [row for row in rows if row.name and row.name not in known]
        if new:
            chats.start(session, conversing.caller.now)
            chats.save_all(session, [row.message for row in new], [row.name for row in new])
