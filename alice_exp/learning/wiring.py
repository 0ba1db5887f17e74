"""Builds the store of open decisions from a session."""

from __future__ import annotations

from alice_exp.home.session import Session, once
from alice_exp.learning.store import Decisions


@once
def decisions(session: Session) -> Decisions:
    """The decisions that wait for their outcome, in ``state/decisions``."""

    def is_closed(decision: str) -> bool:
        from alice_exp.blocks.usecases.provenance import stands

        history = session.history
        return any(stands(history, act) for act in history.carrying("Decision", decision))

    return Decisions(session.root / "state" / "decisions", is_closed)
