"""Use cases of the review: the heartbeat, and the person's decisions."""

from alice_exp.review.usecases.decisions import (
    Decided,
    Seen,
    Why,
    approve,
    chosen,
    merge,
    never_shown,
    no_report,
    personal_namespace,
    reject,
    shown_only,
    unseen,
)
from alice_exp.review.usecases.heartbeat import Page, heartbeat, mark_shown
from alice_exp.review.usecases.standing_blocks import standing

__all__ = ["Decided", "Page", "Seen", "Why", "approve", "chosen", "heartbeat", "mark_shown", "merge"]
__all__ += ["never_shown", "no_report", "personal_namespace", "reject", "shown_only", "standing", "unseen"]
