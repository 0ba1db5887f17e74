"""Builds the spool of hooks of a session's home."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.home.session import Session, once

if TYPE_CHECKING:
    from alice_exp.agents.store import Spool


@once
def spool(session: Session) -> Spool:
    """What hooks left to be done, and when hosts called."""
    from alice_exp.agents.store import Spool

    return Spool(session.root / "state", lambda: session.caller.now)
