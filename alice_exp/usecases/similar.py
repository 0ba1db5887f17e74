"""What happened before, found again: episodes like a task (R0.28-R0.35, B0.3-B0.7, DESIGN 10)."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from alice_exp.core.records import EpisodeBook
from alice_exp.core.uncollected import uncollected
from alice_exp.rules.episode_index import EpisodeIndex
from alice_exp.rules.episodes import Filters, find_similar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from alice_exp.core.config import Json
    from alice_exp.core.model import Snapshot
    from alice_exp.core.ports import AccessLog
    from alice_exp.core.records import Episode
    from alice_exp.rules.episode_words import WordIndex
    from alice_exp.rules.episodes import Match
    from alice_exp.usecases.acts import Caller


class Searched:
    """The episodes of one moment and what searches of them need, each made at its first use."""

    def __init__(self, episodes: Sequence[Episode]) -> None:
        self._episodes = episodes

    # The same moment is the same object: a file that did not change is never parsed twice.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Searched) and self._episodes is other._episodes

    def __hash__(self) -> int:
        return id(self._episodes)

    @cached_property
    @uncollected()
    def index(self) -> EpisodeIndex:
        """Keywords and contexts, for the source's formula."""
        return EpisodeIndex(self._episodes)

    @cached_property
    def words(self) -> WordIndex:
        """Words, weighed as ``recall`` weighs them."""
        from alice_exp.rules.episode_words import WordIndex

        return WordIndex(self._episodes)


@lru_cache(maxsize=2)
def _kept(searched: Searched) -> Searched:
    return searched


def searched(snapshot: Snapshot) -> Searched:
    """The episodes of a snapshot, ready to be searched; a process makes the indexes of one moment once."""
    return _kept(Searched((snapshot.episodes or EpisodeBook()).episodes))


def similar(
    snapshot: Snapshot,
    access: AccessLog,
    caller: Caller,
    task: str,
    context: Mapping[str, Json],
    top: int = 5,
    filters: Filters | None = None,
    *,
    by_words: bool = False,
) -> tuple[Match, ...]:
    """Episodes like a task, best first (R0.28-R0.35); being found counts for their popularity (B0.8).

    With a context by the source's formula alone; without one see ``find_without_context``; ``by_words`` in any case.
    """
    known, wanted = searched(snapshot), filters or Filters()
    if context and not by_words:
        matches = find_similar(known.index, task, context, top, wanted)
    else:
        from alice_exp.rules.episode_words import find_by_words, find_without_context

        gate = snapshot.config.number("thresholds.match")
        if by_words:
            matches = find_by_words(known.words, task, top, wanted, gate)
        else:
            matches = find_without_context(known.index, known.words, task, top, wanted, gate)
    access.record([match.episode.id for match in matches], caller.now)
    return matches
