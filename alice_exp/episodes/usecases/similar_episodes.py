"""What happened before, found again: episodes like a task (R0.28-R0.35, B0.3-B0.7, DESIGN 10)."""

from __future__ import annotations

from collections.abc import Mapping

from alice_exp.blocks.store.access_log import access
from alice_exp.episodes.rules.search_episodes import (
    Filters,
    Match,
    find_by_words,
    find_similar,
    find_without_context,
)
from alice_exp.home.session import Session
from alice_exp.kernel.gc_pause import gc_paused
from alice_exp.kernel.jsonc.problem import Json
from alice_exp.model.values.records import EpisodeBook
from alice_exp.model.values.snapshot import Snapshot


@gc_paused()
def similar(
    session: Session,
    snapshot: Snapshot,
    task: str,
    context: Mapping[str, Json],
    top: int,
    filters: Filters,
    by_words: bool,
) -> tuple[Match, ...]:
    """Episodes like a task, best first (R0.28-R0.35); being found counts for their popularity (B0.8).

    With a context by the source's formula alone; without one see ``find_without_context``; by words where that is asked
    for.
    """
    episodes = (snapshot.episodes or EpisodeBook()).episodes
    if context and not by_words:
        matches = find_similar(episodes, task, context, top, filters)
    else:
        find = find_by_words if by_words else find_without_context
        matches = find(episodes, task, top, filters, snapshot.config.number("thresholds.fits"))
    access(session).record([match.episode.id for match in matches], session.caller.now)
    return matches
