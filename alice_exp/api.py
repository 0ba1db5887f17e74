"""What ``import alice_exp`` offers to programs: one home as an object, each method one use case.

    >>> from alice_exp import Alice
    >>> alice = Alice(home="/path/to/home", actor="agent:mine")  # doctest: +SKIP
    >>> alice.memorize("use rg; grep -r reads ignored files too", when="searching code")  # doctest: +SKIP
    >>> alice.recall("how do I search code")  # doctest: +SKIP

Answers are the frozen values of ``core`` and ``rules``; failures are ``AliceError`` with an exit code. The names of
the source documents' classes are in the glossary of ``core.model``. An agent that tries what only a person may do meets
``RefusedError`` (DESIGN 6).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from alice_exp.blocks_wiring import access
from alice_exp.core.caller import require_person
from alice_exp.core.conversation import Message
from alice_exp.core.errors import (
    AliceError,
    BusyError,
    NotFoundError,
    PeerError,
    ProblemError,
    ProviderError,
    RefusedError,
    UsageError,
)
from alice_exp.core.model import About, Block, BlockType, Evidence, Payload, Placed, Trigger
from alice_exp.core.problem import Json, Problem
from alice_exp.core.records import Episode, EpisodeBook, Event, Segment, Timeline
from alice_exp.finding_wiring import finding
from alice_exp.learning_wiring import decisions
from alice_exp.owner_wiring import open_session
from alice_exp.owner_wiring import owner as owner_key
from alice_exp.review_wiring import reports
from alice_exp.rules.agenda import Agenda
from alice_exp.rules.episodes import EpisodeStatistics
from alice_exp.rules.episodes import Filters as EpisodeFilters
from alice_exp.rules.episodes import Match as SimilarEpisode
from alice_exp.rules.metacognition import Assessment
from alice_exp.rules.ranking import Match
from alice_exp.rules.timeline import Summariser, TimelineStatistics, narrative, recent, statistics
from alice_exp.rules.window import Window
from alice_exp.talking import Conversations, before_model
from alice_exp.text.records import EPISODES_PATH, EVENTS_PATH
from alice_exp.usecases import (
    capture,
    decided,
    deciding,
    digesting,
    distilling,
    expanding,
    knowing,
    owner,
    recall,
    records,
    review,
    similar,
    timeline,
    upkeep,
)
from alice_exp.usecases.capture import Captured, Draft
from alice_exp.usecases.decided import DecisionOutcome
from alice_exp.usecases.deciding import Decision
from alice_exp.usecases.distilling import Distilled
from alice_exp.usecases.expanding import Expanded
from alice_exp.usecases.outcome import Outcome, report_outcome
from alice_exp.usecases.recall import Filters, Shown
from alice_exp.usecases.recorded import recorded
from alice_exp.usecases.records import Kept, Pruned, Reflected
from alice_exp.usecases.timeline import Told

__all__ = [
    "Agenda",
    "Alice",
    "AliceError",
    "Assessment",
    "Block",
    "BusyError",
    "Captured",
    "Decision",
    "DecisionOutcome",
    "Distilled",
    "Draft",
    "Episode",
    "EpisodeFilters",
    "EpisodeStatistics",
    "Event",
    "Evidence",
    "Expanded",
    "Filters",
    "Kept",
    "Match",
    "Message",
    "NotFoundError",
    "Outcome",
    "Payload",
    "PeerError",
    "Placed",
    "Problem",
    "ProblemError",
    "ProviderError",
    "Pruned",
    "Reflected",
    "RefusedError",
    "Segment",
    "Shown",
    "SimilarEpisode",
    "Timeline",
    "TimelineStatistics",
    "Told",
    "Trigger",
    "UsageError",
    "Window",
    "before_model",
]


class Alice(Conversations):
    """One home and who acts on it. Not for several threads at once; several processes may share a home."""

    def __init__(
        self,
        home: str | Path = "",
        actor: str = "",
        warn: Callable[[AliceError], None] = lambda _: None,
    ) -> None:
        """Open a home (empty: ``ALICE_HOME``, else ``~/.alice``) as ``user``, ``agent:NAME`` … (empty: as the CLI).

        ``warn`` hears of what was noticed and stops nothing. Nothing is read before the first call.
        """
        self._session = open_session(str(home), actor, warn)

    @property
    def path(self) -> Path:
        """The home's directory."""
        return self._session.root

    def init(self) -> None:
        """Make the home; one that is there already stays as it is (a person's act)."""
        require_person(self._session.caller, "make a home", "alice-exp init")
        self._session.home.create(self._session.actor, upkeep.default_files())

    def check(self) -> tuple[Problem, ...]:
        """Everything that is wrong with the home's files."""
        return upkeep.check(self._session.home, self._session.caller.now)

    # -- blocks -------------------------------------------------------------------------------------------------

    def memorize(
        self,
        payload: str | Payload,
        when: str | Trigger = "",
        *,
        type: BlockType = "fact",
        about: About = "work",
        tags: Sequence[str] = (),
        evidence: Sequence[Evidence] = (),
        key: str = "",
        importance: float = 0.5,
        lived: bool = False,
    ) -> Placed:
        """Keep something learned as a candidate; ``RefusedError`` where a person rejected the same before."""
        draft = Draft(
            capture.payload_of(payload),
            capture.trigger_of(when),
            key=key,
            type=type,
            about=about,
            tags=tuple(tags),
            evidence=tuple(evidence),
            importance=importance,
            lived=lived,
        )
        placed = self.memorize_all([draft]).placed[0]
        assert placed is not None
        return placed

    def memorize_all(self, drafts: Iterable[Draft]) -> Captured:
        """Many candidates in one commit; what was rejected before is left out and counted."""
        return capture.memorize(self._session.home, self._session.caller, list(drafts))

    def remember(
        self,
        payload: str | Payload,
        when: str | Trigger = "",
        *,
        type: BlockType = "fact",
        tags: Sequence[str] = (),
        namespace: str = "",
    ) -> Placed:
        """Keep a person's explicit word, trusted at once: a person's act, signed where there is an owner key."""
        draft = Draft(
            capture.payload_of(payload), capture.trigger_of(when), type=type, about="user", tags=tuple(tags)
        )
        session = self._session
        captured = owner.decide(
            session.home,
            owner_key(session),
            session.caller,
            "approve",
            lambda home, caller, stamp: capture.remember(home, caller, draft, namespace, stamp=stamp),
        )
        placed = captured.placed[0]
        assert placed is not None
        return placed

    def recall(
        self,
        query: str,
        context: Mapping[str, Json] | None = None,
        top: int = 10,
        filters: Filters | None = None,
    ) -> list[Match]:
        """What is known, best first; empty where nothing fits. Counts as a read."""
        session = self._session
        return recall.recall(finding(session), query, context or {}, top, filters or Filters())

    def decide(self, task: str, context: Mapping[str, Json] | None = None) -> Decision:
        """Choose by tier what to apply to a task, and remember the choice until its outcome."""
        session = self._session
        return deciding.decide(finding(session), decisions(session), task, context or {})

    def outcome(self, block: str, ok: bool, *, scenario: str = "", note: str = "") -> Outcome:
        """Report whether using one block (its id) worked."""
        return report_outcome(self._session.home, self._session.caller, block, ok, scenario, note)

    def outcome_of(
        self,
        decision: Decision | str,
        ok: bool,
        *,
        scenario: str = "",
        note: str = "",
        result: Json = None,
        reward: float | None = None,
        also: Sequence[str] = (),
    ) -> DecisionOutcome:
        """Report whether a decision worked: lifecycle, evidence, episode and event in one commit (D37)."""
        session = self._session
        return decided.report_decision(
            session.home,
            decisions(session),
            session.caller,
            decision if isinstance(decision, str) else decision.decision,
            ok,
            scenario=scenario,
            note=note,
            result=result,
            reward=reward,
            also=also,
            reads=records.reads_of(access(session)),
            summarise=digesting.summariser(session.provider, session.config),
        )

    def show(self, block: str) -> Shown:
        """One block by its id or a unique prefix of it. Counts as a read."""
        return recall.show(finding(self._session), block)

    def blocks(self, filters: Filters | None = None, *, archived: bool = False) -> list[Shown]:
        """The blocks that pass, in file order; the archive only where asked for."""
        session, wanted = self._session, filters or Filters()
        return recall.listing(finding(session), wanted, archived=archived)

    def assess(self, topic: str, context: Mapping[str, Json] | None = None) -> Assessment:
        """How well a topic is known (R3.16); counts as no read."""
        return knowing.assess(finding(self._session), topic, context or {})

    def heartbeat(self) -> Agenda:
        """Today's report as a peek: it starts no clock and gives no new numbers."""
        session = self._session
        report, _ = review.heartbeat(
            session.home, reports(session), access(session), session.caller, session.day_began, peek=True
        )
        return report

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
        worth = (1.0 if success else 0.0) if reward is None else reward
        at = self._session.caller.now
        told = Episode("", task, context or {}, action, result, success, worth, at, reflection, type)
        return self.add_episodes([told])

    def add_episodes(self, episodes: Iterable[Episode]) -> Kept:
        """Record many in one act; an id or a time that is empty is given."""
        session = self._session
        return records.add_episodes(
            session.home, session.caller, list(episodes), records.reads_of(access(session))
        )

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
        session = self._session
        asked = similar.Asked(task, context or {}, top, filters or EpisodeFilters(), by_words)
        seen = recorded(session.home, session.history, EPISODES_PATH)
        return similar.similar(seen, access(session), session.caller, asked)

    def episodes(self) -> tuple[Episode, ...]:
        """All episodes that the file holds, in its order."""
        seen = recorded(self._session.home, self._session.history, EPISODES_PATH)
        return (seen.episodes or EpisodeBook()).episodes

    def reflect(self, episode: str, text: str) -> Reflected:
        """Say afterwards what was learned (R0.16)."""
        return records.reflect(self._session.home, self._session.caller, episode, text)

    def episode_statistics(self) -> EpisodeStatistics:
        """How many, how well, since when (R0.45)."""
        return records.counted(recorded(self._session.home, self._session.history, EPISODES_PATH))

    def prune(self, *, dry: bool = True) -> Pruned:
        """What a cleaning takes away and why (R0.36-R0.43); it is done with ``dry=False``, by a person."""
        session = self._session
        return records.clean(session.home, session.caller, records.reads_of(access(session)), dry=dry)

    def distill(self, *episodes: str, limit: int = 20) -> Distilled:
        """Propose what repeats as candidates, or the lesson of the named episodes."""
        return distilling.distil(self._session.home, self._session.caller, episodes, limit)

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
        session = self._session
        event = Event(session.caller.now, thought, context, action, result, metadata or {})
        model = summarise or digesting.summariser(session.provider, session.config)
        way = timeline.strategy_of(session.config)
        return timeline.add_thought(session.home, session.caller, event, way, model)

    def add_events(self, events: Iterable[Event]) -> Told:
        """Add many thoughts in one act; each is committed word for word."""
        session = self._session
        way = timeline.strategy_of(session.config)
        return timeline.add_thoughts(session.home, session.caller, list(events), way)

    def finish_event(self, number: int, result: Json) -> Told:
        """Say later what came of thought ``number`` (B1.8): in the thought itself while it is here word for word."""
        session = self._session
        return timeline.finish_thought(session.home, session.caller, number, result)

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
        session = self._session
        return expanding.expand(
            recorded(session.home, session.history, EVENTS_PATH), session.history, segment
        )

    def _timeline(self) -> Timeline:
        return recorded(self._session.home, self._session.history, EVENTS_PATH).timeline or Timeline()
