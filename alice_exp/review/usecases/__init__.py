"""Use cases of the review: the heartbeat, and the person's decisions; each is loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from alice_exp.review.usecases.decisions import (
        Decided,
        Seen,
        Why,
        approve,
        chosen,
        never_shown,
        no_report,
        personal_namespace,
        reject,
        shown_only,
        unseen,
    )
    from alice_exp.review.usecases.rival_answers import answer_rivals, answered, merge, neither
    from alice_exp.review.usecases.todays_report import Page, heartbeat, mark_shown, standing

__all__ = [
    "Decided",
    "Page",
    "Seen",
    "Why",
    "answer_rivals",
    "answered",
    "approve",
    "chosen",
    "heartbeat",
    "mark_shown",
    "merge",
]
__all__ += [
    "neither",
    "never_shown",
    "no_report",
    "personal_namespace",
    "reject",
    "shown_only",
    "standing",
    "unseen",
]

_ELSEWHERE = {
    "Page": "todays_report",
    "heartbeat": "todays_report",
    "mark_shown": "todays_report",
    "standing": "todays_report",
    "answer_rivals": "rival_answers",
    "answered": "rival_answers",
    "merge": "rival_answers",
    "neither": "rival_answers",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(name)
    module = import_module(f"{__name__}.{_ELSEWHERE.get(name, 'decisions')}")
    value = globals()[name] = getattr(module, name)
    return value
