"""Wiring of conversations: the session's chat store, and everything in one ``Conversing``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.home.session import Session, once

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alice_exp.conversations.store.file_sessions import FileSessions
    from alice_exp.conversations.store.turn_index import TurnIndex
    from alice_exp.conversations.usecases.recollect import Remembering
    from alice_exp.conversations.usecases.search_sessions import Search
    from alice_exp.conversations.usecases.sessions import Conversing


@once
def chats(session: Session) -> FileSessions:
    """The chat histories of the session's home."""
    from alice_exp.conversations.store.file_sessions import FileSessions

    return FileSessions(
        session.root / "sessions",
        lambda token: any(True for _ in session.history.carrying("Extraction", token)),
        lambda: session.moment.timestamp(),
        lambda name: turn_index(session).drop(name),
    )


@once
def turn_index(session: Session) -> TurnIndex:
    """The index of what was said in this home."""
    from alice_exp.conversations.store.turn_index import TurnIndex

    return TurnIndex(session.root / "state" / "sessions.sqlite", chats(session), session.warn)


def conversing(session: Session) -> Conversing:
    """The home, chat histories, caller, configuration and model of this session."""
    from alice_exp.conversations.usecases.sessions import Conversing

    return Conversing(
        session.home, chats(session), session.caller, session.config, session.heard, session.provider
    )


def searching(session: Session, sessions: Sequence[str] = (), prefix: str = "") -> Search:
    """The search of what was said in this home, or in some conversations of it."""
    from alice_exp.conversations.usecases.search_sessions import named, search

    gate, index = session.config.number("thresholds.fits"), turn_index(session)
    among = named(chats(session), sessions, prefix)
    return lambda query, now, top: index.ask(lambda turns: search(turns, query, now, top, gate), among)


def remembering(session: Session) -> Remembering:
    """Blocks, records, history and conversations of this session's home."""
    from alice_exp.conversations.usecases.recollect import Remembering

    return Remembering(session, searching(session))
