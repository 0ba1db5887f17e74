"""One agent's place at a home: the use cases that an agent may use, its caps, one call at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from alice_exp.agents import schemas
from alice_exp.blocks.usecases import capture
from alice_exp.blocks.wiring import access
from alice_exp.conversations.usecases.agent_context import MOST, user_memories
from alice_exp.episodes.usecases.episode_book import add_episodes, reads_of
from alice_exp.finding import documents as finding_documents
from alice_exp.finding import usecases as recall
from alice_exp.finding.rules.ranking import Match
from alice_exp.finding.wiring import finding
from alice_exp.home import references
from alice_exp.home.session import Session
from alice_exp.kernel.errors import RefusedError, UsageError
from alice_exp.kernel.journal.act import commit_id
from alice_exp.kernel.jsonc.problem import Json
from alice_exp.learning import documents as learning_documents
from alice_exp.learning.usecases import decide as deciding
from alice_exp.learning.usecases import decision_outcome, statistics
from alice_exp.learning.usecases.outcome import report_outcome
from alice_exp.learning.wiring import decisions
from alice_exp.model.values.block import ABOUT, Evidence, Payload, Place, Trigger
from alice_exp.model.values.records import Episode, Event
from alice_exp.review import usecases as review
from alice_exp.review.wiring import reports
from alice_exp.timeline.usecases.events import add_thought, strategy_of
from alice_exp.timeline.usecases.summarise import summariser

R = TypeVar("R")

ITEM_BYTES = 64 * 1024
"""The largest argument of any call."""

SESSION_CANDIDATES = 20
"""Candidates that one connection may add."""

PENDING = 256
"""Candidates that may wait for the person at all."""


@dataclass
class Desk:
    """The tools' bodies. Everything is done as ``agent``; nothing here can approve, share, pair or purge."""

    session: Session
    added: int = 0
    _thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "desk"))

    def alone(self, body: Callable[[], R]) -> R:
        """Do something on the desk's one thread: calls come from many, and what an edge opened stays on its thread."""
        return self._thread.submit(body).result()

    @contextmanager
    def turn(self, *arguments: object) -> Iterator[Session]:
        """The session of one call, with every argument within bounds."""
        for argument in arguments:
            size = _bytes(argument)
            if size > ITEM_BYTES:
                raise UsageError("an argument of {size} bytes is over the limit of 64 KiB", size=size)
        yield self.session

    def recall(self, query: str, top: int, context: Mapping[str, Json]) -> schemas.Recalled:
        """What is known."""
        if not query.strip():
            raise UsageError("a query says what you want to know")
        with self.turn(query, context) as session:
            found = recall.recall(
                finding(session),
                query,
                context,
                max(1, min(top, 100)),
                recall.Filters(),
            )
        return {"query": query, "matches": [_known(one) for one in found]}

    def decide(self, task: str, context: Mapping[str, Json]) -> schemas.Decided:
        """What to apply."""
        if not task.strip():
            raise UsageError("a task says what is to be done")
        with self.turn(task, context) as session:
            made = deciding.decide(finding(session), decisions(session), task, context)
        failures = [
            f"a similar task failed before: {one.episode.task} ({one.episode.id})" for one in made.failures
        ]
        return {
            "decision": made.decision,
            "tier": made.tier,
            "applied": [_known(one) for one in made.applied],
            "observing": [_known(one) for one in made.observing],
            "warnings": [*made.warnings, *failures],
            "disclaim": made.disclaim,
        }

    def report_outcome(
        self,
        reference: str,
        ok: bool,
        scenario: str,
        note: str,
        result: Any,
        reward: float | None,
        also: list[str],
    ) -> schemas.Reported:
        """What came of a decision or of using a block."""
        with self.turn(reference, scenario, note, result, also) as session:
            if not reference.startswith("dec-"):
                done = report_outcome(session.home, session.caller, reference, ok, scenario, note)
                commit = commit_id(done.commit)
                changed = learning_documents.changed(done.placed, done.change)
                return {"id": done.placed.block.id, "blocks": [changed], "episode": None, "commit": commit}
            told = decision_outcome.report_decision(
                session.home,
                decisions(session),
                session.caller,
                reference,
                ok,
                scenario=scenario,
                note=note,
                result=result,
                reward=reward,
                also=also,
                reads=reads_of(access(session)),
                summarise=summariser(session.provider, session.config),
            )
        return {
            "id": reference,
            "blocks": [learning_documents.changed(placed, change) for placed, change in told.changes],
            "episode": told.episode.id,
            "commit": commit_id(told.commit),
        }

    def memorize(
        self,
        payload: str,
        trigger: str,
        type: str,
        about: str,
        tags: list[str],
        context: Mapping[str, Json],
        evidence: str,
        importance: float,
    ) -> schemas.Kept:
        """A candidate into the pool."""
        if not payload.strip():
            raise UsageError("a block needs a payload: what to do or to believe")
        if about not in ABOUT:
            raise UsageError("a block is about work or about the user, not about {about}", about=repr(about))
        if not 0 <= importance <= 1:
            raise UsageError("importance is a number from 0 to 1")
        with self.turn(payload, trigger, tags, context, evidence) as session:
            self._require_room()
            draft = capture.Draft(
                Payload(payload),
                Trigger(trigger, (), context),
                type=references.type_named(type),
                about="user" if about == "user" else "work",
                tags=tuple(tags),
                evidence=(Evidence("note", quote=evidence),) if evidence else (),
                importance=importance,
            )
            captured = capture.memorize(session.home, session.caller, [draft])
        placed = captured.placed[0]
        assert placed is not None
        self.added += 0 if captured.merged else 1
        return {
            "id": placed.block.id,
            "set": placed.place,
            "namespace": placed.namespace,
            "state": placed.block.state,
            "merged": captured.merged > 0,
            "commit": commit_id(captured.commit),
        }

    def _require_room(self) -> None:
        if self.added >= SESSION_CANDIDATES:
            raise RefusedError(
                "this connection has added {count} candidates, which is the most it may",
                count=SESSION_CANDIDATES,
                hint="ask the person to review them: alice-exp heartbeat",
            )
        places: tuple[Place, ...] = ("low_value",)
        waiting = len(list(self.session.home.read(places)))
        if waiting >= PENDING:
            raise RefusedError(
                "{count} candidates wait for the person already, which is the most there may be",
                count=waiting,
                hint="ask the person to review them: alice-exp heartbeat",
            )

    def memories(self, query: str) -> schemas.Remembered:
        """What is known about the user, as the text block of R4.23 and as items."""
        if not query.strip():
            raise UsageError("a query says what you want to know")
        with self.turn(query) as session:
            found = user_memories(finding(session), query, MOST, recall.Filters())
        text = finding_documents.user_memory(found, similarity=True)
        return {"text": text, "memories": [_known(one) for one in found]}

    def record_episode(
        self,
        task: str,
        success: bool,
        action: str,
        result: Any,
        reward: float | None,
        context: Mapping[str, Json],
        reflection: str,
        type: str,
    ) -> schemas.Recorded:
        """What happened in one task."""
        with self.turn(task, action, result, context, reflection, type) as session:
            caller = session.caller
            episode = Episode(
                "",
                task,
                context,
                action,
                result,
                success,
                (1.0 if success else 0.0) if reward is None else reward,
                caller.now,
                reflection,
                type,
            )
            kept = add_episodes(session.home, caller, [episode])
        return {
            "id": kept.ids[0],
            "pruned": list(kept.pruned),
            "commit": commit_id(kept.commit),
        }

    def add_event(
        self, thought: str, context: str, action: str, result: Any, metadata: Mapping[str, Json]
    ) -> schemas.Told:
        """One more thought on the timeline."""
        with self.turn(thought, context, action, result, metadata) as session:
            caller = session.caller
            event = Event(caller.now, thought, context, action, result, metadata)
            model = summariser(session.provider, session.config)
            told = add_thought(session.home, caller, event, strategy_of(session.config), model)
        return {
            "segments": len(told.timeline.segments),
            "total_events": told.timeline.total_events,
            "total_compressions": told.timeline.total_compressions,
            "commit": commit_id(told.commit),
        }

    def assess(self, topic: str) -> schemas.Assessed:
        """How well a topic is known."""
        if not topic.strip():
            raise UsageError("name a topic")
        with self.turn(topic) as session:
            assessed = statistics.assess(finding(session), topic, {})
        return learning_documents.assessment(assessed)  # type: ignore[return-value]

    def heartbeat(self) -> schemas.Summary:
        """What waits for the person; a peek."""
        with self.turn() as session:
            report, _ = review.heartbeat(
                session.home, reports(session), access(session), session.caller, session.day_began, peek=True
            )
        waiting = len(report.items)
        return {
            "report": report.report,
            "waiting": waiting,
            "new": report.new,
            "today": report.today,
            "problems": len(report.problems),
            "summary": f"{waiting} {'candidate waits' if waiting == 1 else 'candidates wait'} "
            "for the person's decision; "
            "only a person decides, with: alice-exp heartbeat",
        }


def _known(one: Match) -> schemas.Known:
    return finding_documents.match(one)  # type: ignore[return-value]


def _bytes(argument: object) -> int:
    """How large an argument is as UTF-8 JSON; ``UsageError`` for what could be neither written down nor read again."""
    try:
        return len(json.dumps(argument, ensure_ascii=False, allow_nan=False).encode())
    except (ValueError, RecursionError):
        raise UsageError("an argument holds what is no UTF-8 text, or no finite number") from None
