"""What a program does with episodes and with the diary of thoughts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from alice_exp.episodes.rules.search_episodes import EpisodeStatistics
from alice_exp.episodes.rules.search_episodes import Filters as EpisodeFilters
from alice_exp.episodes.rules.search_episodes import Match as SimilarEpisode
from alice_exp.episodes.usecases import episode_book, similar_episodes
from alice_exp.episodes.usecases.episode_book import Kept, Pruned, Reflected
from alice_exp.episodes.wiring import recording
from alice_exp.home.record_access import recorded
from alice_exp.home.session import Session
from alice_exp.kernel.jsonc.problem import Json
from alice_exp.learning.usecases import propose_from_episodes
from alice_exp.learning.usecases.propose_from_episodes import Distilled
from alice_exp.learning.wiring import learning
from alice_exp.model.formats.record_schema import EPISODES_PATH, EVENTS_PATH
from alice_exp.model.values.records import Episode, EpisodeBook, Event, Segment, Timeline
from alice_exp.model.values.snapshot import Snapshot
from alice_exp.timeline.rules.compaction import Summariser, TimelineStatistics, narrative, recent, statistics
from alice_exp.timeline.usecases import events as timeline
from alice_exp.timeline.usecases import original_events
from alice_exp.timeline.usecases.events import Told
from alice_exp.timeline.usecases.original_events import Expanded
from alice_exp.timeline.wiring import thinking


class Records:
    """What ``Alice`` does with episodes and thoughts."""

    _session: Session

    # -- episodes -----------------------------------------------------------------------------------------------

    def add_episode(
        self,
        task: str,
        context: Mapping[str, Json] | None = None,
        action: str = "",
        result: Json = None,
        success: bool = False,
        reward: float | None = None,
        reflection: str = "",
        *,
        type: str = "",
    ) -> Kept:
        """Record what happened (R0.14); ``reward`` in [0, 1], else 1 for a success and 0 for a failure."""
        return episode_book.add_episode(
            recording(self._session),
            task,
            success,
            context=context,
            action=action,
            result=result,
            reward=reward,
            reflection=reflection,
            type=type,
        )

    def add_episodes(self, episodes: Iterable[Episode]) -> Kept:
        """Record many in one act; an id or a time that is empty is given."""
        return episode_book.add_episodes(recording(self._session), list(episodes))

    def similar(
        self,
        task: str,
        context: Mapping[str, Json] | None = None,
        top: int = 5,
        filters: EpisodeFilters | None = None,
        *,
        by_words: bool = False,
    ) -> tuple[SimilarEpisode, ...]:
        """Episodes like a task, best first, by the source's formula (R0.28-R0.35), or ``by_words`` as recall does.

        Where the task has no context, words find what the formula does not, and rank long tasks.
        """
        asked = similar_episodes.Asked(task, context or {}, top, filters or EpisodeFilters(), by_words)
        return similar_episodes.similar(recording(self._session), self._recorded(EPISODES_PATH), asked)

    def episodes(self) -> tuple[Episode, ...]:
        """All episodes that the file holds, in its order."""
        return (self._recorded(EPISODES_PATH).episodes or EpisodeBook()).episodes

    def reflect(self, episode: str, text: str) -> Reflected:
        """Say afterwards what was learned (R0.16)."""
        return episode_book.reflect(recording(self._session), episode, text)

    def episode_statistics(self) -> EpisodeStatistics:
        """How many, how well, since when (R0.45)."""
        return episode_book.counted(self._recorded(EPISODES_PATH))

    def prune(self, *, dry: bool = True) -> Pruned:
        """What a cleaning takes away and why (R0.36-R0.43); it is done with ``dry=False``, by a person."""
        return episode_book.clean(recording(self._session), dry=dry)

    def distill(self, *episodes: str, limit: int = 20) -> Distilled:
        """Propose what repeats as candidates, or the lesson of the named episodes."""
        return propose_from_episodes.distil(learning(self._session), episodes, limit)

    # -- the timeline -------------------------------------------------------------------------------------------

    def add_event(
        self,
        thought: str,
        context: str = "",
        action: str = "",
        result: Json = None,
        metadata: Mapping[str, Json] | None = None,
        *,
        summarise: Summariser | None = None,
    ) -> Told:
        """Add a thought and compact (R1.29); ``summarise`` tells a merge, else the configured chat model, if any."""
        opened = thinking(self._session)
        event = Event("", thought, context, action, result, metadata or {})
        return timeline.add_thought(replace(opened, summarise=summarise or opened.summarise), event)

    def add_events(self, events: Iterable[Event]) -> Told:
        """Add many thoughts in one act; each is committed word for word."""
        return timeline.add_thoughts(thinking(self._session), list(events))

    def finish_event(self, number: int, result: Json) -> Told:
        """Say later what came of thought ``number`` (B1.8): in the thought itself while it is here word for word."""
        return timeline.finish_thought(thinking(self._session), number, result)

    def segments(self) -> tuple[Segment, ...]:
        """All segments, oldest first (R1.31)."""
        return self._timeline().segments

    def recent_segments(self, count: int) -> tuple[Segment, ...]:
        """The newest segments in time order (R1.30)."""
        return recent(self._timeline(), count)

    def narrative(self, segment_count: int = 5) -> str:
        """The newest segments as text, one line each, oldest first (R1.32)."""
        return narrative(self._timeline(), segment_count)

    def event_statistics(self) -> TimelineStatistics:
        """How many segments, thoughts and merges (R1.33)."""
        return statistics(self._timeline())

    def expand(self, segment: int) -> Expanded:
        """The original thoughts of a segment, present or merged long ago, from history."""
        return original_events.expand(self._recorded(EVENTS_PATH), self._session.history, segment)

    def _timeline(self) -> Timeline:
        return self._recorded(EVENTS_PATH).timeline or Timeline()

    def _recorded(self, path: str) -> Snapshot:
        return recorded(self._session.home, self._session.history, path)
