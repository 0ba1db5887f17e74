"""Wiring of conversations: the session's chat store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.home.session import Session, once

if TYPE_CHECKING:
    from alice_exp.conversations.store import FileSessions


@once
def chats(session: Session) -> FileSessions:
    """The chat histories of the session's home."""
    from alice_exp.conversations.store import FileSessions

    return FileSessions(
        session.root / "sessions",
        lambda token: session.history.carries("Extraction", token),
        lambda: session.moment.timestamp(),
    )
