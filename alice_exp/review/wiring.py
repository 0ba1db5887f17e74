"""Builds what the review needs from a session: the store of the open report, and everything in one ``Reviewing``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from alice_exp.blocks.wiring import access
from alice_exp.home.session import Session, once
from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.act import Commit
from alice_exp.model.values.block import Placed
from alice_exp.review.store import Past, Reports, Reviewing


@once
def reports(session: Session) -> Reports:
    """The open report of the home, in ``state/report.json``."""
    from alice_exp.home.store.recent_log import acts_after, newest_act

    repository = session.home.repository

    def said(error: ProblemError) -> None:
        hint = "the report is made from the files alone; see 'alice-exp doctor'"
        session.warn(ProblemError("the history is unavailable: {why}", why=str(error), hint=hint))

    def newest(op: str) -> Commit | None:
        try:
            return newest_act(repository, op)
        except ProblemError as error:
            said(error)
            return None

    def after(commit: str, at: str) -> Sequence[Commit]:
        try:
            return acts_after(repository, commit, at)
        except ProblemError as error:
            said(error)
            return ()

    def before(commit: str) -> Mapping[str, Placed]:
        versions = session.history.changed(commit).blocks
        return {one.block_id: one.before for one in versions if one.before is not None}

    past = Past(newest, after, before, lambda entries: session.history.decided(entries))
    return Reports(session.root / "state" / "report.json", past)


def reviewing(session: Session) -> Reviewing:
    """The home, open report, reads, caller, day and teams of this session."""
    came = session.team.came if session.team is not None else tuple
    return Reviewing(session.home, reports(session), access(session), session.caller, session.day_began, came)
