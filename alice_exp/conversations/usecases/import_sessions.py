"""Take in conversations from elsewhere: what is there already does not come twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from alice_exp.conversations.rules.transcripts import Row
from alice_exp.conversations.store.file_sessions import chats
from alice_exp.conversations.usecases.sessions import require_fitting
from alice_exp.conversations.values import ChatRecord, Message
from alice_exp.home.session import Session
from alice_exp.kernel.errors import NotFoundError, UsageError
from alice_exp.kernel.progress import followed
from alice_exp.kernel.value_class import dataclass


@dataclass(frozen=True, slots=True)
class Taken:
    """Result of importing one conversation: messages added, and messages that were there already."""

    session: str
    added: int
    known: int


def take_in(
    context: Session, rows: Sequence[Row], default: str, *, dry_run: bool = False
) -> tuple[Taken, ...]:
    """Import conversations; rows without a session go to ``default``. Importing again adds only new messages.

    Raises ``UsageError``, before anything is written, if a session of that name holds a different conversation.
    """
    context.home.read(())
    talks, plans = chats(context), []
    for session, group in _by_session(rows, default):
        for row in group:
            require_fitting(row.message)
        try:
            present = talks.load(session)
        except NotFoundError:
            present = ()
        plans.append((session, group, _overlap(session, present, group)))
    for session, group, known in () if dry_run else followed(plans):
        there = known
        while there < len(group):
            add(context, session, group[there:], there)
            there = _overlap(session, talks.load(session), group)
    return tuple(Taken(session, len(group) - known, known) for session, group, known in plans)


def add(context: Session, session: str, rows: Sequence[Row], after: int) -> None:
    """Append messages to a conversation of ``after`` messages; where another process adds meanwhile, none comes twice,
    and some may not come."""
    for project, group in groupby(rows, lambda row: row.project):
        said = list(group)
        chats(context).start(session, said[0].message.at or context.caller.now, project)
        chats(context).save_all(session, [row.message for row in said], [row.name for row in said], after)
        after += len(said)


def _by_session(rows: Iterable[Row], default: str) -> list[tuple[str, list[Row]]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.session or default, []).append(row)
    return list(found.items())


def _overlap(session: str, present: Sequence[ChatRecord], rows: Sequence[Row]) -> int:
    """How many of the rows, from the first, the session already holds."""
    shared = min(len(present), len(rows))
    same = all(
        _said(record.message) == _said(row.message)
        for record, row in zip(present[:shared], rows[:shared], strict=True)
    )
    if not same:
        raise UsageError(
            "the session {session} holds another conversation",
            session=session,
            hint="give it a name with --id",
        )
    return shared


def _said(message: Message) -> tuple[str, str, str]:
    return (message.role, message.content, message.speaker)
