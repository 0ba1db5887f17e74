"""Which of the person's sentences that wait a caller may read: those of this folder's project, said in its host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.caller.hosts import HOSTS
from alice_exp.kernel.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Collection

    from alice_exp.caller.heard_queue import Heard
    from alice_exp.home.session import Session


def readable(session: Session, but: str = "") -> tuple[Heard, ...]:
    """The sentences of the working folder's project that wait and that this caller's host may read, oldest first:
    those said in this host, in no host, or in any after ``heard.across_hosts`` and for a person; ``but`` a session's
    own."""
    host = session.actor.name if session.actor.name in HOSTS else ""
    across = session.actor.is_person or session.config.flag("heard.across_hosts")
    return tuple(
        one
        for one in session.heard.waiting()
        if one.is_of(session.here.names) and (across or one.host in ("", host)) and one.session != but
    )


def quoted(session: Session, ids: Collection[str]) -> tuple[Heard, ...]:
    """The sentences of these ids; ``NotFoundError`` where one does not wait, or not for this caller. A person names
    those of any project."""
    here = {
        one.id: one for one in (session.heard.waiting() if session.actor.is_person else readable(session))
    }
    for one in ids:
        if one not in here:
            raise NotFoundError(
                "{id} is no sentence that waits here", id=repr(one), hint="see those that do: alice-exp heard"
            )
    return tuple(here[one] for one in dict.fromkeys(ids))
