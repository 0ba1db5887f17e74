"""Builds the log of reads from a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.home.session import Session, once

if TYPE_CHECKING:
    from alice_exp.blocks.ports import AccessLog


@once
def access(session: Session) -> AccessLog:
    """The log of reads in ``state/``."""
    from alice_exp.blocks.store import FileAccess

    return FileAccess(session.root / "state", lambda segment: session.history.carries("Access", segment))
