"""Look a thought up in the diary by content and time, however long ago it was (R1.39, R1.41)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.kernel.text.named_dates import named_spans
from alice_exp.kernel.text.times import mentions_time
from alice_exp.model.values.records import Timeline
from alice_exp.timeline.rules.compaction import verbatim
from alice_exp.timeline.rules.search_thoughts import search_thoughts
from alice_exp.timeline.usecases.original_events import everything

if TYPE_CHECKING:
    from alice_exp.home.ports import History
    from alice_exp.model.values.snapshot import Snapshot
    from alice_exp.timeline.rules.search_thoughts import Hit


def find_thoughts(
    snapshot: Snapshot,
    history: History,
    query: str,
    now: str,
    top: int = 10,
    since: str = "",
    until: str = "",
) -> list[Hit]:
    """The thoughts that fit, best first: word for word from file and git, else what a segment tells of them.

    Days that the query names ("last March", 去年三月) are seen from ``now``.
    """
    timeline = snapshot.timeline or Timeline()
    if not timeline.total_events:
        return []
    thoughts = {**everything(history), **verbatim(timeline)}
    days = named_spans(query, now) if mentions_time(query) else []
    return search_thoughts(query, thoughts, timeline.segments, top, since, until, days)
