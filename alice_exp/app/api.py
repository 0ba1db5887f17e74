"""What ``import alice_exp`` offers to programs: one home as an object, each method one use case.

    >>> from alice_exp import Alice
    >>> alice = Alice(home="/path/to/home", actor="agent:mine")  # doctest: +SKIP
    >>> alice.memorize("use rg; grep -r reads ignored files too", when="searching code")  # doctest: +SKIP
    >>> alice.recall("how do I search code")  # doctest: +SKIP

Answers are frozen values; failures are ``AliceError`` with an exit code. ``docs/sources.md`` has the names of the
source documents' classes. An agent that tries what only a person may do meets ``RefusedError`` (DESIGN 6).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from inspect import isfunction
from pathlib import Path
from threading import RLock
from typing import Any

from alice_exp.agents.operations import Connection, call
from alice_exp.agents.tool_schema import offered
from alice_exp.app.api_records import Conversations, Records, Reviews, before_model
from alice_exp.app.opening import open_session
from alice_exp.blocks.usecases import capture
from alice_exp.blocks.usecases.capture import Captured, Draft, quoted, readable
from alice_exp.caller.acting import require_person
from alice_exp.caller.heard_queue import Heard
from alice_exp.caller.project import NONE
from alice_exp.conversations.rules.context_window import Window
from alice_exp.episodes.rules.search_episodes import EpisodeStatistics
from alice_exp.episodes.rules.search_episodes import Filters as EpisodeFilters
from alice_exp.episodes.rules.search_episodes import Match as SimilarEpisode
from alice_exp.episodes.usecases import Kept, Pruned, Reflected
from alice_exp.finding import usecases as recall
from alice_exp.finding.rules.ranking import Match
from alice_exp.finding.usecases import Filters, Shown
from alice_exp.kernel.errors import (
    AliceError,
    BusyError,
    NotFoundError,
    PeerError,
    ProblemError,
    ProviderError,
    RefusedError,
    UsageError,
)
from alice_exp.kernel.jsonc import Json, Problem
from alice_exp.learning.rules.impact import Assessment
from alice_exp.learning.usecases import decision_outcome, statistics
from alice_exp.learning.usecases.decision_outcome import Decision, DecisionOutcome, Outcome, report_outcome
from alice_exp.learning.usecases.propose_from_episodes import Distilled
from alice_exp.maintenance.usecases import settings
from alice_exp.model.values.block import About, Block, BlockType, Evidence, Payload, Placed, Trigger
from alice_exp.model.values.records import Episode, Event, Message, Segment, Timeline
from alice_exp.review.rules.daily_report import Agenda
from alice_exp.timeline.rules.compaction import TimelineStatistics
from alice_exp.timeline.usecases import Expanded, Told

__all__ = ["Alice", "Message", "Window", "before_model"]
__all__ += ["AliceError", "BusyError", "NotFoundError", "PeerError", "ProblemError"]
__all__ += ["ProviderError", "RefusedError", "UsageError"]
__all__ += ["Block", "Evidence", "Payload", "Placed", "Problem", "Trigger"]
__all__ += ["Agenda", "Captured", "Draft", "Filters", "Match", "Shown"]
__all__ += ["Assessment", "Decision", "DecisionOutcome", "Distilled", "Outcome"]
__all__ += ["Episode", "EpisodeFilters", "EpisodeStatistics", "Kept", "Pruned", "Reflected", "SimilarEpisode"]
__all__ += ["Event", "Expanded", "Segment", "Timeline", "TimelineStatistics", "Told"]


def _one_at_a_time(cls: type[Alice]) -> type[Alice]:
    """Let the calls of one object wait for one another: its lock of the home, its index and git's answers are one's."""
    for name in dir(cls):
        method = getattr(cls, name)
        if not name.startswith("_") and isfunction(method):
            setattr(cls, name, _waiting(method))
    return cls


def _waiting(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def waiting(self: Alice, *arguments: Any, **named: Any) -> Any:
        try:
            with self._turn:
                return method(self, *arguments, **named)
        except UnicodeEncodeError:
            raise UsageError("this argument is not UTF-8 text") from None

    return waiting


@_one_at_a_time
class Alice(Conversations, Records, Reviews):
    """One home and who acts on it. Several threads may call it, one after the other; several processes share a home."""

    def __init__(
        self, home: str | Path = "", actor: str = "", warn: Callable[[AliceError], None] = lambda _: None
    ) -> None:
        """Open a home (empty: ``ALICE_HOME``, else ``~/.alice``) as ``user``, ``agent:NAME`` … (empty: as the CLI).

        ``warn`` hears of what was noticed and stops nothing. Nothing is read before the first call.
        """
        self._session = open_session(str(home), actor, warn)
        self._connection: Connection | None = None
        self._turn = RLock()

    @property
    def path(self) -> Path:
        """The home's directory."""
        return self._session.root

    @property
    def project(self) -> str:
        """The project of the working folder: host and path of the git remote, else the name that this machine gives a
        repository, else the folder; empty for none. The methods here use it where no other is named (``none``: none),
        but for ``remember``: a person's word holds everywhere."""
        return self._session.project

    def init(self) -> None:
        """Make the home; one that is there already stays as it is (a person's act)."""
        require_person(self._session.caller, "make a home", "alice-exp init")
        self._session.home.create(self._session.actor, settings.default_files())

    def check(self) -> tuple[Problem, ...]:
        """Everything that is wrong with the home's files."""
        return settings.check(self._session.home, self._session.caller.now)

    def tools(self) -> list[dict[str, Json]]:
        """The operations open to an agent as ``{name, description, parameters}`` (JSON Schema): what a model is told
        of the functions that it may call. The MCP server offers the same."""
        keys = {"name": "name", "description": "description", "parameters": "inputSchema"}
        return [{ours: one[theirs] for ours, theirs in keys.items()} for one in offered()]

    def call(self, name: str, arguments: Mapping[str, Json]) -> dict[str, Json]:
        """Run one of ``tools`` with what a model sent; the JSON document that goes back to it.

        ``UsageError`` where the name or an argument is wrong; the limits of one MCP connection hold for this object.
        """
        if self._connection is None:
            self._connection = Connection(self._session)
        answer: dict[str, Json] = call(self._connection, name, arguments)
        return answer

    def memorize(
        self,
        payload: str | Payload,
        when: str | Trigger = "",
        *,
        type: BlockType = "fact",
        about: About | None = None,
        tags: Sequence[str] = (),
        evidence: Sequence[Evidence] = (),
        key: str = "",
        importance: float = 0.5,
        lived: bool = False,
        project: str = "",
        quote: Sequence[str] = (),
        everywhere: bool = False,
        replaces: Sequence[str] = (),
    ) -> Placed:
        """Keep something learned as a candidate, for one project, about whom its words tell where ``about`` does not;
        ``quote`` names the sentences of ``heard`` on which it rests, ``replaces`` what no longer holds where it does;
        ``RefusedError`` where a person rejected the same before."""
        draft = Draft(
            _payload(payload),
            _trigger(when),
            key=key,
            type=type,
            tags=tuple(tags),
            evidence=tuple(evidence),
            importance=importance,
            lived=lived,
        )
        whole = capture.completed(self._session, draft, about, quote, project, everywhere, replaces)
        placed = self.memorize_all([whole]).placed[0]
        assert placed is not None
        return placed

    def heard(self) -> tuple[Heard, ...]:
        """The person's sentences of earlier sessions that wait in this folder's project, for this caller's host."""
        return readable(self._session)

    def listened(self, ids: Collection[str]) -> int:
        """Take sentences out that were read, or that a person drops; ``NotFoundError`` where one does not wait."""
        return self._session.heard.remove({one.id for one in quoted(self._session, ids)})

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
        project: str = "",
    ) -> Placed:
        """Keep a person's explicit word, trusted at once: a person's act, signed where there is an owner key."""
        draft = Draft(
            _payload(payload),
            _trigger(when),
            type=type,
            about="user",
            tags=tuple(tags),
            project=self._session.names_of(project or NONE, learning=True),
        )
        placed = capture.remember(self._session.home, self._session.caller, draft, namespace).placed[0]
        assert placed is not None
        return placed

    def recall(
        self,
        query: str,
        context: Mapping[str, Json] | None = None,
        top: int = 10,
        filters: Filters | None = None,
        project: str = "",
    ) -> list[Match]:
        """What is known, best first, that of ``project`` preferred; empty where nothing fits. Counts as a read."""
        wanted = filters or Filters()
        if project or not wanted.project:
            wanted = replace(wanted, project=self._session.names_of(project))
        return recall.recall(self._session, query, context or {}, top, wanted)

    def decide(self, task: str, context: Mapping[str, Json] | None = None, project: str = "") -> Decision:
        """Choose what to apply to a task in a project, and remember the choice until its outcome: what belongs
        to another project is observed, never applied (DESIGN 7)."""
        return decision_outcome.decide(self._session, task, context or {}, self._session.names_of(project))

    def outcome(self, block: str, ok: bool, *, scenario: str = "", note: str = "") -> Outcome:
        """Report whether using one block (its id) worked."""
        return report_outcome(self._session, block, ok, scenario, note)

    def outcome_of(
        self,
        decision: Decision | str,
        ok: bool,
        *,
        scenario: str = "",
        note: str = "",
        result: Json = None,
        reward: float | None = None,
        action: str = "",
        used: Sequence[str] = (),
        skipped: Sequence[str] = (),
    ) -> DecisionOutcome:
        """Report whether a decision worked, and what was done (``action``): lifecycle, evidence, episode and event in
        one commit (D37). It counts for what was told but ``skipped``, or for what was ``used`` alone."""
        named = decision if isinstance(decision, str) else decision.decision
        return decision_outcome.report_decision(
            self._session, named, ok, scenario, note, result, reward, action, used, skipped
        )

    def show(self, block: str) -> Shown:
        """One block by its id or a unique prefix of it. Counts as a read."""
        return recall.show(self._session, block)

    def blocks(self, filters: Filters | None = None, *, archived: bool = False) -> list[Shown]:
        """The blocks that pass, in file order; the archive only where asked for."""
        return recall.listing(self._session, filters or Filters(), archived=archived)

    def assess(self, topic: str, context: Mapping[str, Json] | None = None) -> Assessment:
        """How well a topic is known (R3.16); counts as no read."""
        return statistics.assess(self._session, topic, context or {})


def _payload(given: str | Payload) -> Payload:
    payload = Payload(given) if isinstance(given, str) else given
    if not payload.content.strip():
        raise UsageError("a block needs a payload: what to do or to believe")
    return payload


def _trigger(given: str | Trigger) -> Trigger:
    return Trigger(given) if isinstance(given, str) else given
