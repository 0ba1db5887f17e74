"""What blocks stand on: the log of reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.session import Session, once

if TYPE_CHECKING:
    from alice_exp.core.block_ports import AccessLog


@once
def access(session: Session) -> AccessLog:
    """Which blocks were read."""
    from alice_exp.store.access import FileAccess

    return FileAccess(session.root / "state", lambda segment: session.history.carries("Access", segment))
