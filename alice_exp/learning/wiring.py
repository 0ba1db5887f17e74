"""Builds what learning needs from a session: the store of open decisions, and everything in one ``Learning``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.blocks.wiring import access
from alice_exp.home.session import Session, once
from alice_exp.learning.store import Decisions, Learning
from alice_exp.timeline.wiring import summarise

if TYPE_CHECKING:
    from alice_exp.finding.ports import Finding
    from alice_exp.home.ports import Home


@once
def decisions(session: Session) -> Decisions:
    """The decisions that wait for their outcome, in ``state/decisions``."""

    def is_closed(decision: str) -> bool:
        from alice_exp.blocks.usecases.provenance import stands

        history = session.history
        return any(stands(history, act) for act in history.carrying("Decision", decision))

    return Decisions(session.root / "state" / "decisions", is_closed)


def learning(session: Session, home: Home | None = None) -> Learning:
    """The home (or another door to it, as of a dry run), reads, caller, decisions, search and model of this session."""

    # An outcome searches nothing: it does not pay for what a search loads.
    def find() -> Finding:
        from alice_exp.finding.wiring import finding

        return finding(session)

    return Learning(
        home or session.home,
        access(session),
        session.caller,
        decisions(session),
        find,
        session.enter,
        summarise(session),
        session.team,
    )
