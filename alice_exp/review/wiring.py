"""Builds the store of the open report from a session."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from alice_exp.home.session import Session, once

if TYPE_CHECKING:
    from alice_exp.review.ports import Reports


@once
def reports(session: Session) -> Reports:
    """The open report of the home, in ``state/report.json``."""
    from alice_exp.home.store.recent_log import acts_after, newest_act
    from alice_exp.review.store import FileReports, Past

    repository = session.home.repository
    past = Past(partial(newest_act, repository), partial(acts_after, repository))
    return FileReports(session.root / "state" / "report.json", past)
