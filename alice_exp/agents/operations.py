"""The operations open to an agent, each a function: the MCP tools, ``Alice.call`` and their documents follow from them.

A parameter is what an agent sends, as JSON; a docstring is what the agent reads; the answer is a document of
``schemas``. Nothing here can approve, share, pair or purge: what only a person may do does not exist for an agent
(DESIGN 6). To add one, write its function and name it in ``OPERATIONS``.
"""

from __future__ import annotations

import inspect
import json
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from alice_exp.agents import schemas
from alice_exp.blocks.usecases import capture
from alice_exp.conversations.usecases.agent_context import MOST, user_memories
from alice_exp.episodes.usecases.episode_book import add_episodes
from alice_exp.finding import documents as finding_documents
from alice_exp.finding import usecases as finding_usecases
from alice_exp.finding.rules.ranking import Match
from alice_exp.finding.wiring import finding
from alice_exp.home import references
from alice_exp.home.session import Session
from alice_exp.kernel.errors import RefusedError, UsageError
from alice_exp.kernel.journal.act import commit_id
from alice_exp.learning import documents as learning_documents
from alice_exp.learning.rules.decision_tiers import Applied
from alice_exp.learning.usecases import decide as deciding
from alice_exp.learning.usecases import decision_outcome, statistics
from alice_exp.learning.usecases.outcome import report_outcome as report_block
from alice_exp.learning.wiring import learning
from alice_exp.model.values.block import ABOUT, Evidence, Payload, Place, Trigger
from alice_exp.model.values.records import Episode, Event
from alice_exp.review import usecases as review
from alice_exp.review.wiring import reviewing
from alice_exp.timeline.usecases.events import add_thought
from alice_exp.timeline.wiring import thinking

ITEM_BYTES = 64 * 1024
"""The largest argument of any call."""

CONNECTION_CANDIDATES = 20
"""Candidates that one connection may add."""

PENDING = 256
"""Candidates that may wait for the person at all."""


@dataclass
class Connection:
    """One agent's use of a home, and how many candidates it has added."""

    session: Session
    added: int = 0


def recall(
    connection: Connection, query: str, top: int = 10, context: dict[str, Any] | None = None
) -> schemas.Recalled:
    """What is known that fits a query, best first; unreviewed blocks have approved=false."""
    if not query.strip():
        raise UsageError("a query says what you want to know")
    found = finding_usecases.recall(
        finding(connection.session),
        query,
        context or {},
        max(1, min(top, 100)),
        finding_usecases.Filters(),
    )
    return {"query": query, "matches": [_known(one) for one in found]}


def decide(connection: Connection, task: str, context: dict[str, Any] | None = None) -> schemas.Decided:
    """What to apply to a task, best first: what is proven; else one approved lesson on trial (try it, and report what
    came of it); else what nobody has reviewed, with a disclaimer; else nothing: use your own reasoning."""
    if not task.strip():
        raise UsageError("a task says what is to be done")
    made = deciding.decide(learning(connection.session), task, context or {})
    failures = [
        f"a similar task failed before: {one.episode.task} ({one.episode.id})" for one in made.failures
    ]
    return {
        "decision": made.decision,
        "tier": made.tier,
        "applied": [_applied(one) for one in made.applied],
        "observing": [_observed(one) for one in made.observing],
        "warnings": [*made.warnings, *failures],
        "disclaim": made.disclaim,
        "held_out": list(made.held_out),
    }


def search_memory_tool(connection: Connection, query: str) -> schemas.Remembered:
    """Search and recall relevant memories about the user. Use this tool when you need to personalize your response
    based on user preferences, recall something the user mentioned before, or reference past interactions."""
    # The docstring is the source's own description, word for word (R4.25).
    if not query.strip():
        raise UsageError("a query says what you want to know")
    found = user_memories(finding(connection.session), query, MOST, finding_usecases.Filters())
    text = finding_documents.user_memory(found, similarity=True)
    return {"text": text, "memories": [_known(one) for one in found]}


def memory_assess_knowledge(connection: Connection, topic: str) -> schemas.Assessed:
    """How well a topic is known: none, very_low, low, medium or high, with the evidence."""
    if not topic.strip():
        raise UsageError("name a topic")
    assessed = statistics.assess(finding(connection.session), topic, {})
    return learning_documents.assessment(assessed)  # type: ignore[return-value]


def heartbeat_summary(connection: Connection) -> schemas.Summary:
    """How much waits for the person's decision. Read only: deciding is the person's."""
    report, _ = review.heartbeat(reviewing(connection.session), peek=True)
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


def memorize(
    connection: Connection,
    payload: str,
    trigger: str = "",
    type: str = "fact",
    about: str = "work",
    tags: list[str] | None = None,
    context: dict[str, Any] | None = None,
    evidence: str = "",
    importance: float = 0.5,
) -> schemas.Kept:
    """Keep something learned as a candidate: it waits until the person approves it."""
    if not payload.strip():
        raise UsageError("a block needs a payload: what to do or to believe")
    if about not in ABOUT:
        raise UsageError("a block is about work or about the user, not about {about}", about=repr(about))
    if not 0 <= importance <= 1:
        raise UsageError("importance is a number from 0 to 1")
    _require_room(connection)
    draft = capture.Draft(
        Payload(payload),
        Trigger(trigger, (), context or {}),
        type=references.type_named(type),
        about="user" if about == "user" else "work",
        tags=tuple(tags or ()),
        evidence=(Evidence("note", quote=evidence),) if evidence else (),
        importance=importance,
    )
    captured = capture.memorize(connection.session.home, connection.session.caller, [draft])
    placed = captured.placed[0]
    assert placed is not None
    connection.added += 0 if captured.merged else 1
    return {
        "id": placed.block.id,
        "set": placed.place,
        "namespace": placed.namespace,
        "state": placed.block.state,
        "merged": captured.merged > 0,
        "commit": commit_id(captured.commit),
    }


def report_outcome(
    connection: Connection,
    id: str,
    ok: bool,
    scenario: str = "",
    note: str = "",
    result: Any = None,
    reward: float | None = None,
    used: list[str] | None = None,
    also: list[str] | None = None,
) -> schemas.Reported:
    """What came of a decision (its id; `used` names the block ids that you followed, else the first applied counts)
    or of using one block: success raises it, failure lowers it or raises doubt in it."""
    opened = learning(connection.session)
    if not id.startswith("dec-"):
        if used or also:
            raise UsageError("used and also belong to the outcome of a decision")
        done = report_block(opened, id, ok, scenario, note)
        changed = learning_documents.changed(done.placed, done.change)
        commit = commit_id(done.commit)
        return {"id": done.placed.block.id, "blocks": [changed], "episode": None, "commit": commit}
    told = decision_outcome.report_decision(
        opened,
        id,
        ok,
        scenario=scenario,
        note=note,
        result=result,
        reward=reward,
        used=used or [],
        also=also or [],
    )
    return {
        "id": id,
        "blocks": [learning_documents.changed(placed, change) for placed, change in told.changes],
        "episode": told.episode.id,
        "commit": commit_id(told.commit),
    }


def record_episode(
    connection: Connection,
    task: str,
    success: bool,
    action: str = "",
    result: Any = None,
    reward: float | None = None,
    context: dict[str, Any] | None = None,
    reflection: str = "",
    type: str = "",
) -> schemas.Recorded:
    """Record what happened in one task that no decision stands for: what was done, and what came of it."""
    session = connection.session
    worth = (1.0 if success else 0.0) if reward is None else reward
    at = session.caller.now
    episode = Episode("", task, context or {}, action, result, success, worth, at, reflection, type)
    kept = add_episodes(session.home, session.caller, [episode])
    return {"id": kept.ids[0], "pruned": list(kept.pruned), "commit": commit_id(kept.commit)}


def add_event(
    connection: Connection,
    thought: str,
    context: str = "",
    action: str = "",
    result: Any = None,
    metadata: dict[str, Any] | None = None,
) -> schemas.Told:
    """Add one thought to the timeline, which keeps the newest word for word and summarises the rest."""
    event = Event("", thought, context, action, result, metadata or {})
    told = add_thought(thinking(connection.session), event)
    return {
        "segments": len(told.timeline.segments),
        "total_events": told.timeline.total_events,
        "total_compressions": told.timeline.total_compressions,
        "commit": commit_id(told.commit),
    }


Operation = Callable[..., Any]

OPERATIONS: Mapping[str, Operation] = {
    operation.__name__: operation
    for operation in (
        recall,
        decide,
        search_memory_tool,
        memory_assess_knowledge,
        heartbeat_summary,
        memorize,
        report_outcome,
        record_episode,
        add_event,
    )
}
"""Every operation by its name, in the order in which agents see them."""


def signature(operation: Operation) -> inspect.Signature:
    """What an agent sends and gets: the parameters behind the connection, with their types, and the answer's."""
    whole = inspect.signature(operation, eval_str=True)
    return whole.replace(parameters=list(whole.parameters.values())[1:])


def description(operation: Operation) -> str:
    """What an agent reads of an operation, on one line."""
    return " ".join((operation.__doc__ or "").split())


def json_schema(operation: Operation) -> dict[str, Any]:
    """The parameters of an operation as a JSON Schema object, as model APIs take it for a function to call."""
    parameters = signature(operation).parameters.values()
    return {
        "type": "object",
        "properties": {one.name: _schema_of(one.annotation) for one in parameters},
        "required": [one.name for one in parameters if one.default is inspect.Parameter.empty],
        "additionalProperties": False,
    }


_JSON_NAMES = {str: "string", bool: "boolean", int: "integer", float: "number", dict: "object"}


def _schema_of(annotation: Any) -> dict[str, Any]:
    if annotation is Any:
        return {}
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (types.UnionType, typing.Union):
        return _schema_of(next(one for one in inner if one is not types.NoneType))
    if origin is list:
        return {"type": "array", "items": _schema_of(inner[0])}
    return {"type": _JSON_NAMES[origin or annotation]}


def call(connection: Connection, name: str, arguments: Mapping[str, Any]) -> Any:
    """Run one operation; ``UsageError`` where there is none of that name, or an argument is missing or unknown."""
    operation = OPERATIONS.get(name)
    if operation is None:
        raise UsageError("there is no operation {name}", name=repr(name), hint=", ".join(OPERATIONS))
    try:
        signature(operation).bind(**arguments)
    except TypeError as error:
        raise UsageError("{name}: {why}", name=name, why=str(error)) from None
    return run(operation, connection, arguments)


def run(operation: Operation, connection: Connection, arguments: Mapping[str, Any]) -> Any:
    """Run one operation with arguments that fit its signature, each within bounds."""
    for argument in arguments.values():
        size = _bytes(argument)
        if size > ITEM_BYTES:
            raise UsageError("an argument of {size} bytes is over the limit of 64 KiB", size=size)
    return operation(connection, **arguments)


def _require_room(connection: Connection) -> None:
    if connection.added >= CONNECTION_CANDIDATES:
        raise RefusedError(
            "this connection has added {count} candidates, which is the most it may",
            count=CONNECTION_CANDIDATES,
            hint="ask the person to review them: alice-exp heartbeat",
        )
    places: tuple[Place, ...] = ("low_value",)
    waiting = len(list(connection.session.home.read(places)))
    if waiting >= PENDING:
        raise RefusedError(
            "{count} candidates wait for the person already, which is the most there may be",
            count=waiting,
            hint="ask the person to review them: alice-exp heartbeat",
        )


def _known(one: Match) -> schemas.Known:
    return finding_documents.match(one)  # type: ignore[return-value]


def _applied(one: Applied) -> schemas.Applied:
    return learning_documents.applied(one)  # type: ignore[return-value]


def _observed(one: Match) -> schemas.Observed:
    return learning_documents.observed(one)  # type: ignore[return-value]


def _bytes(argument: object) -> int:
    """How large an argument is as UTF-8 JSON; ``UsageError`` for what could be neither written down nor read again."""
    try:
        return len(json.dumps(argument, ensure_ascii=False, allow_nan=False).encode())
    except (ValueError, RecursionError):
        raise UsageError("an argument holds what is no UTF-8 text, or no finite number") from None
