"""Builds what the timeline needs from a session: how thoughts are merged, and the model that tells of a merge."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from alice_exp.home.ports import Home
    from alice_exp.home.session import Session
    from alice_exp.timeline.rules.compaction import Summariser
    from alice_exp.timeline.usecases.events import Thinking


def summarise(session: Session) -> Summariser | None:
    """The configured chat model; None where there is none, or where ``events.model`` is off (R1.25, R1.46)."""
    if session.provider is None or not session.config.flag("events.model"):
        return None
    from alice_exp.timeline.usecases.events import ModelSummary

    return ModelSummary(session.provider)


def thinking(session: Session, home: Home | None = None) -> Thinking:
    """The home (or another door to it, as of a dry run), caller and model of this session."""
    from alice_exp.timeline.usecases.events import Thinking

    return Thinking(home or session.home, session.caller, summarise(session))
