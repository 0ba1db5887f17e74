"""Builds the log of reads from a session, tells what a sync brought, opens another program's database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.home.session import Session, once

if TYPE_CHECKING:
    from pathlib import Path

    from alice_exp.blocks.store.access_log import FileAccess
    from alice_exp.kernel.jsonc.problem import Json


@once
def access(session: Session) -> FileAccess:
    """The log of reads in ``state/``."""
    from alice_exp.blocks.store.access_log import FileAccess

    return FileAccess(
        session.root / "state", lambda segment: any(True for _ in session.history.carrying("Access", segment))
    )


def brought(session: Session) -> frozenset[str]:
    """The commits that a sync brought from another machine."""
    from alice_exp.home.store.recent_log import acts_after

    acts = acts_after(session.home.repository, "", "")
    return frozenset(act.commit for act in acts if act.is_from_elsewhere)


def mem0_rows(source: Path) -> list[dict[str, Json]] | None:
    """The memories in mem0's own store, in the form of its export; None where the source is no such store."""
    from alice_exp.blocks.store.mem0_database import databases, memories

    found = databases(source)
    return memories(found) if found else None
