"""What happened before, found again: episodes like a task (R0.28-R0.35, B0.3-B0.7, DESIGN 10)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from alice_exp.core.records import EpisodeBook
from alice_exp.core.uncollected import uncollected
from alice_exp.rules.episode_index import EpisodeIndex, KnownIndex
from alice_exp.rules.episodes import Filters, find_similar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from alice_exp.core.block_ports import AccessLog
    from alice_exp.core.caller import Caller
    from alice_exp.core.collection import KnownEpisodes
    from alice_exp.core.ports import Home
    from alice_exp.core.problem import Json
    from alice_exp.core.records import Episode
    from alice_exp.core.snapshot import Snapshot
    from alice_exp.rules.episode_index import FormulaIndex
    from alice_exp.rules.episode_words import WordIndex, WordSearch
    from alice_exp.rules.episodes import Match


R = TypeVar("R")


class Searchable(Protocol):
    """What searches of the episodes of one moment need, made when it is first asked for."""

    @property
    def index(self) -> FormulaIndex:
        """Keywords and contexts, for the source's formula."""
        ...

    @property
    def words(self) -> WordSearch:
        """Words, weighed as ``recall`` weighs them."""
        ...


class Searched:
    """The episodes of one moment in memory; each index is made from that of a moment before."""

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


class ByIndex:
    """The same of episodes that an index keeps."""

    def __init__(self, known: KnownEpisodes) -> None:
        from alice_exp.rules.episode_words import KnownWords

        self.known = known
        self.index = KnownIndex(known)
        self.words = KnownWords(known)


_newest: list[ByIndex] = []
"""What the last question made, so that the next of the same moment need not."""


def _by_index(known: KnownEpisodes) -> ByIndex:
    if not _newest or _newest[0].known is not known:
        _newest[:] = [ByIndex(known)]
    return _newest[0]


def ask(home: Home, read: Callable[[], Snapshot], look: Callable[[Searchable], R]) -> R:
    """Look for episodes: by the index where it can answer, else among those that ``read`` reads."""
    found = home.ask_episodes(lambda known: look(_by_index(known)))
    return look(searched(read())) if found is None else found


@dataclass(frozen=True, slots=True)
class Asked:
    """What is looked for: a task, its context, at most how many, which may pass; and whether words alone decide."""

    task: str
    context: Mapping[str, Json] = field(default_factory=dict)
    top: int = 5
    filters: Filters = field(default_factory=Filters)
    by_words: bool = False


def similar(
    home: Home, read: Callable[[], Snapshot], access: AccessLog, caller: Caller, asked: Asked
) -> tuple[Match, ...]:
    """Episodes like a task, best first (R0.28-R0.35); being found counts for their popularity (B0.8).

    With a context by the source's formula alone; without one see ``find_without_context``; by words where that is asked
    for. ``read`` reads the episodes where the index cannot answer.
    """

    def look(known: Searchable) -> tuple[Match, ...]:
        if asked.context and not asked.by_words:
            return find_similar(known.index, asked.task, asked.context, asked.top, asked.filters)
        from alice_exp.rules.episode_words import find_by_words, find_without_context

        gate = home.config().number("thresholds.match")
        if asked.by_words:
            return find_by_words(known.words, asked.task, asked.top, asked.filters, gate)
        return find_without_context(known.index, known.words, asked.task, asked.top, asked.filters, gate)

    matches = ask(home, read, look)
    access.record([match.episode.id for match in matches], caller.now)
    return matches
