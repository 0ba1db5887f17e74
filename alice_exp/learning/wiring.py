"""Builds the store of open decisions from a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.home.session import Session, once

if TYPE_CHECKING:
    from alice_exp.learning.ports import Decisions


@once
def decisions(session: Session) -> Decisions:
    """The decisions that wait for their outcome, in ``state/decisions``."""
    from alice_exp.learning.store import FileDecisions

    return FileDecisions(
        session.root / "state" / "decisions", lambda decision: session.history.carries("Decision", decision)
    )
