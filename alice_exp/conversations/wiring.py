"""Wiring of conversations: the session's chat store, and everything in one ``Conversing``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.conversations.ports import Conversing
from alice_exp.finding.wiring import finding
from alice_exp.home.session import Session, once

if TYPE_CHECKING:
    from alice_exp.conversations.store import FileSessions
    from alice_exp.conversations.usecases.recollect import Remembering


@once
def chats(session: Session) -> FileSessions:
    """The chat histories of the session's home."""
    from alice_exp.conversations.store import FileSessions

    return FileSessions(
        session.root / "sessions",
        lambda token: session.history.carries("Extraction", token),
        lambda: session.moment.timestamp(),
    )


def conversing(session: Session) -> Conversing:
    """The home, chat histories, caller, configuration and model of this session."""
    return Conversing(
        session.home, chats(session), session.caller, session.config, session.heard, session.provider
    )


def remembering(session: Session) -> Remembering:
    """Blocks, records, history and conversations of this session's home."""
    from alice_exp.conversations.usecases.recollect import Remembering

    return Remembering(finding(session), session.history, chats(session))
