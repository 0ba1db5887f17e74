"""What happened before, found again: episodes like a task (R0.28-R0.35, B0.3-B0.7, DESIGN 10)."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from alice_exp.core.records import EpisodeBook
from alice_exp.core.uncollected import uncollected
from alice_exp.rules.episode_index import EpisodeIndex
from alice_exp.rules.episodes import Filters, find_similar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from alice_exp.core.config import Json
    from alice_exp.core.model import Snapshot
    from alice_exp.core.ports import AccessLog
    from alice_exp.core.records import Episode
    from alice_exp.rules.episode_words import WordIndex
    from alice_exp.rules.episodes import Match
    from alice_exp.usecases.acts import Caller


class Searched:
    """The episodes of one moment and what searches need: made at its first use, from that of a moment before."""

    def __init__(self, episodes: tuple[Episode, ...], before: Searched | None = None) -> None:
        self.episodes = episodes
        self._index: EpisodeIndex | None = before._index if before is not None else None
        self._words: WordIndex | None = before._words if before is not None else None

    @property
    @uncollected()
    def index(self) -> EpisodeIndex:
        """Keywords and contexts, for the source's formula."""
        if self._index is None or self._index.episodes is not self.episodes:
            self._index = EpisodeIndex(self.episodes, self._index)
        return self._index

    @property
    def words(self) -> WordIndex:
        """Words, weighed as ``recall`` weighs them."""
        from alice_exp.rules.episode_words import WordIndex

        if self._words is None or self._words.episodes is not self.episodes:
            self._words = WordIndex(self.episodes, self._words)
        return self._words


_moments: deque[Searched] = deque(maxlen=2)
"""The newest moments: of one home as a rule, of two where a process looks at two."""


def searched(snapshot: Snapshot) -> Searched:
    """The episodes of a snapshot, ready to be searched; a process reads what it has read before no second time."""
    episodes = (snapshot.episodes or EpisodeBook()).episodes
    before = None
    for one in _moments:
        # The same moment is the same object: a file that did not change is never parsed twice.
        if one.episodes is episodes:
            return one
        if one.episodes and episodes and one.episodes[0] is episodes[0]:
            before = one
    if before is not None:
        _moments.remove(before)
    _moments.append(Searched(episodes, before))
    return _moments[-1]


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
