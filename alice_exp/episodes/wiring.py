"""Builds what episodes need from a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.blocks.wiring import access
from alice_exp.episodes.ports import Recording

if TYPE_CHECKING:
    from alice_exp.home.ports import Home
    from alice_exp.home.session import Session


def recording(session: Session, home: Home | None = None) -> Recording:
    """The home (or another door to it, as of a dry run), reads, caller and project of this session."""

    def project() -> str:
        # A dry run learns nothing, of this machine's names neither.
        return session.enter() if home in (None, session.home) else session.here.names

    return Recording(home or session.home, access(session), session.caller, project)
