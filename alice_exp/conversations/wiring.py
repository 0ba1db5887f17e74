"""Wiring of conversations: the session's chat store, and everything in one ``Conversing``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.conversations.ports import Conversing
from alice_exp.finding.wiring import finding
from alice_exp.home.session import Session, once

if TYPE_CHECKING:
    from alice_exp.conversations.store.file_sessions import FileSessions
    from alice_exp.conversations.store.turn_index import TurnIndex
    from alice_exp.conversations.usecases.recollect import Remembering


@once
def chats(session: Session) -> FileSessions:
    """The chat histories of the session's home."""
    from alice_exp.conversations.store.file_sessions import FileSessions

    return FileSessions(
        session.root / "sessions",
        lambda token: session.history.carries("Extraction", token),
        lambda: session.moment.timestamp(),
        lambda: _unindexed(session),
    )


@once
def turn_index(session: Session) -> TurnIndex:
    """The index of what was said in this home."""
    from alice_exp.conversations.store.turn_index import TurnIndex

    return TurnIndex(session.root / "state" / "sessions.sqlite", chats(session), session.warn)


def _unindexed(session: Session) -> None:
    """Remove the index, so that no word of a deleted conversation stays; the next question makes it again."""
    for path in (session.root / "state").glob("sessions.sqlite*"):
        path.unlink(missing_ok=True)


def conversing(session: Session) -> Conversing:
    """The home, chat histories, caller, configuration and model of this session."""
    return Conversing(
        session.home, chats(session), session.caller, session.config, session.heard, session.provider
    )


def remembering(session: Session) -> Remembering:
    """Blocks, records, history and conversations of this session's home."""
    from alice_exp.conversations.usecases.recollect import Remembering

    return Remembering(finding(session), session.history, chats(session))
