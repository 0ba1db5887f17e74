"""The operations open to an agent, each a function: the MCP tools, ``Alice.call`` and their documents follow from them.

A parameter is what an agent sends, as JSON, with its description beside its type (``tool_schema``); a docstring is what
the agent reads. Nothing here can approve, share, pair or purge: what only a
person may do does not exist for an agent (DESIGN 6). To add one, write its function under ``@operation``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from alice_exp.agents.tool_schema import TOOLS, checked, operation
from alice_exp.agents.usecases import hook_answers
from alice_exp.agents.usecases.agent_context import MOST, recollect, user_memory
from alice_exp.blocks.usecases import capture
from alice_exp.blocks.usecases.capture import readable
from alice_exp.episodes.usecases import add_episode
from alice_exp.finding import documents as finding_documents
from alice_exp.finding import usecases as finding_usecases
from alice_exp.finding.rules.concerns import TRUSTED_PLACES
from alice_exp.finding.rules.nearness import Neighbourhood
from alice_exp.finding.rules.ranking import is_foreign
from alice_exp.home.session import Session
from alice_exp.kernel.errors import Hint, RefusedError, UsageError
from alice_exp.kernel.journal.act import commit_id
from alice_exp.kernel.value_class import attributes, dataclass
from alice_exp.learning import documents as learning_documents
from alice_exp.learning.usecases import decision_outcome, statistics
from alice_exp.learning.usecases.decision_outcome import report_outcome as report_block
from alice_exp.model.documents import brief, payload_text, texts
from alice_exp.model.rules.private_facts import delicate, masked_block
from alice_exp.model.values.block import About, BlockType, Evidence, Payload, Placed, Trigger
from alice_exp.model.values.records import Event
from alice_exp.review.usecases import todays_report
from alice_exp.timeline.usecases import add_thought


@dataclass
class Connection:
    """One agent's use of a home, and how many candidates it has added."""

    session: Session
    added: int = 0


Context = Annotated[
    dict[str, Any] | None,
    "Where this happens, as pairs: repository, language, environment; equal pairs raise the match",
]


@operation("Recall what is known", reads=True)
def recall(
    connection: Connection,
    query: str,
    top: Annotated[int, "How many at most, 1 to 100"] = 10,
    context: Context = None,
) -> dict[str, Any]:
    """What is known that fits, best first, with episodes; approved=false: reviewed by nobody. Use in the middle
    of a task; before it use decide."""
    if not 1 <= top <= 100:
        raise UsageError("top is a number from 1 to 100")
    session = connection.session
    filters = finding_usecases.Filters(project=session.here.names)
    found = finding_usecases.recall(session, query, context or {}, top, filters)
    lived = [finding_documents.lived(*one) for one in finding_usecases.episodes_beside(session.home, query)]
    brief = ("id", "task", "action", "success", "reflection")
    episodes = [{name: one[name] for name in brief if one[name] not in ("", None)} for one in lived]
    matches = [finding_documents.known(one) for one in found]
    return {"query": query, "matches": matches, **({"episodes": episodes} if episodes else {})}


@operation("Decide what to apply to a task", reads=True)
def decide(connection: Connection, task: str, context: Context = None) -> dict[str, Any]:
    """What holds for a task: constraints to keep to, steps to do, both approved by the person; else alternatives that
    nobody has reviewed (try one); else nothing: use your own reasoning. Use when a task begins; keep the decision id
    for report_outcome."""
    made = decision_outcome.decide(connection.session, task, context or {}, connection.session.here.names)
    failures = (learning_documents.failed(one.episode) for one in made.failures)
    warnings = [*made.warnings, *(template.format(**values) for template, values in failures)]
    more = {**learning_documents.procedure(made), "warnings": warnings, "disclaim": made.disclaim}
    filled = {name: one for name, one in more.items() if one}
    return {"decision": made.decision, "tier": made.tier, **filled}


@operation("Search memories about the user", reads=True)
def search_memory_tool(
    connection: Connection, query: Annotated[str, "What you want to know about the user"]
) -> dict[str, Any]:
    """Search and recall relevant memories about the user. Use this tool when you need to personalize your response
    based on user preferences, recall something the user mentioned before, or reference past interactions."""
    # The docstring is the source's own description, word for word (R4.25).
    session = connection.session
    found = recollect(session, query, MOST, finding_usecases.Filters(project=session.here.names))
    return {"text": user_memory(found, similarity=True), "memories": [one.document for one in found]}


@operation("Assess how well a topic is known", reads=True)
def memory_assess_knowledge(connection: Connection, topic: str) -> dict[str, Any]:
    """How well a topic is known: none, very_low, low, medium or high, with the evidence. Use before you claim
    knowledge, or to choose between acting and asking."""
    return learning_documents.assessment(statistics.assess(connection.session, topic, {}))


@operation("See how much waits for the person", reads=True)
def heartbeat_summary(connection: Connection) -> dict[str, Any]:
    """How much waits for the person's decision. Use when the person asks what waits, or at the end of long work, to
    remind them; deciding is the person's."""
    report, _ = todays_report.heartbeat(connection.session, peek=True)
    waiting, asked = len(report.items), report.questions
    more = f" and {asked} question{'s' * (asked > 1)} about what is trusted" if asked else ""
    return {
        "report": report.report,
        "waiting": waiting,
        **attributes(report, "new today"),
        "problems": len(report.problems),
        "summary": f"{waiting} candidate{'s' * (waiting != 1)}{more} wait{'s' * (waiting + asked == 1)} "
        "for the person's decision; "
        "only a person decides, with: alice-exp heartbeat; free words of theirs you may put as the plain sentence that "
        "they then run themselves: alice-exp reply approve 1, reject 2",
    }


@operation("Keep something learned", idempotent=True)
def memorize(
    connection: Connection,
    payload: str,
    trigger: str = "",
    type: Annotated[BlockType, "What kind of knowledge it is"] = "fact",
    about: About | None = None,
    tags: list[str] | None = None,
    context: dict[str, Any] | None = None,
    evidence: str = "",
    quote: list[str] | None = None,
    everywhere: bool = False,
    importance: float = 0.5,
    replaces: list[str] | None = None,
) -> dict[str, Any]:
    """Keep something learned as a candidate: it waits until the person approves it. Use when something surprised you,
    failed, was corrected by the person, or will help again; the same thing again counts as one more observation. If it
    names secrets, tell the person. If what is trusted and near it can no longer hold, send it again with replaces."""
    session = connection.session
    hook_answers.require_room(session, connection.added)
    draft = capture.Draft(
        Payload(payload),
        Trigger(trigger, (), context or {}),
        type=type,
        tags=tuple(tags or ()),
        evidence=(Evidence("note", quote=evidence),) if evidence else (),
        importance=importance,
    )
    whole = capture.completed(
        session, draft, about, quote or (), everywhere=everywhere, replaces=replaces or ()
    )
    captured = capture.memorize(session.home, session.caller, [whole])
    placed = captured.placed[0]
    assert placed is not None
    connection.added += 0 if captured.merged else 1
    return {
        **brief(placed),
        "merged": captured.merged > 0,
        "commit": commit_id(captured.commit),
        "secrets": [{"kind": one.kind, "at": one.at} for one in delicate(placed.block)],
        **({"near": near} if (near := _beside(session, placed)) else {}),
    }


def _beside(session: Session, placed: Placed) -> list[dict[str, Any]]:
    """What is trusted here and stands near a candidate in the report, but for what says the same or is known to go."""
    return [
        {"id": one.placed.block.id, "payload": payload_text(masked_block(one.placed))}
        for one in Neighbourhood(session.home.read(TRUSTED_PLACES)).relations(placed)
        if placed.place == "low_value"
        and one.kind not in ("identical", "same")
        and one.placed.block.id not in placed.block.replaces
        and not is_foreign(one.placed, session.here.names)
    ]


@operation("Read what the person said in earlier sessions", reads=True)
def heard(connection: Connection) -> dict[str, Any]:
    """Sentences of the person from earlier sessions that nobody read, and what to do with them. Use when the task is
    over; they are data."""
    return hook_answers.told(readable(connection.session))


@operation("Say which sentences you read", idempotent=True)
def listened(
    connection: Connection, ids: Annotated[list[str], "All ids that heard told you"]
) -> dict[str, Any]:
    """Take the sentences that you read out of the queue. Use after memorize."""
    session = connection.session
    mine = {one.id for one in readable(session)}
    read = session.heard.remove(mine.intersection(ids))
    return {"listened": read, "left": len(mine) - read}


@operation("Report what came of it", command="learning.outcome")
def report_outcome(
    connection: Connection,
    id: Annotated[str, "The decision's id (dec-…), or one block's (exp-…)"],
    ok: Annotated[bool, "Whether the task succeeded"],
    scenario: str = "",
    note: str = "",
    action: str = "",
    result: Any = None,
    reward: float | None = None,
    used: list[str] | None = None,
    skipped: list[str] | None = None,
) -> dict[str, Any]:
    """What came of a decision or of using one block: success raises it, failure lowers it and raises doubt in it. Use
    when a task is over, for every decide and for what a prompt was told, with action: only so does a lesson prove
    itself, and the next one is learned."""
    opened = connection.session
    if not id.startswith("dec-"):
        if used or skipped or action:
            raise UsageError("action, used and skipped belong to the outcome of a decision")
        done = report_block(opened, id, ok, scenario, note)
        changed = learning_documents.changed(done.placed, done.change)
        commit = commit_id(done.commit)
        return {"id": done.placed.block.id, "blocks": [changed], "episode": None, "commit": commit}
    told = decision_outcome.report_decision(
        opened, id, ok, scenario, note, result, reward, action, used or [], skipped or []
    )
    return {
        "id": id,
        "blocks": [learning_documents.changed(placed, change) for placed, change in told.changes],
        "episode": told.episode.id,
        "commit": commit_id(told.commit),
    }


@operation("Record a finished task", command="episodes.add")
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
) -> dict[str, Any]:
    """Record what happened in one task: what was done, and what came of it. Use when a task is over that no decide
    stood for; report_outcome records the others by itself."""
    session = connection.session
    kept = add_episode(session, task, context, action, result, success, reward, reflection, type)
    return {"id": kept.ids[0], "pruned": list(kept.pruned), "commit": commit_id(kept.commit)}


@operation("Add a thought to the timeline", command="timeline.add")
def add_event(
    connection: Connection,
    thought: str,
    context: str = "",
    action: str = "",
    result: Any = None,
    metadata: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Add one thought to the timeline, which keeps the newest word for word and summarises the rest. Use when a turn of
    long work is worth telling later: a choice, a finding, a change of plan."""
    told = add_thought(connection.session, Event("", thought, context, action, result, metadata or {}))
    return {
        "segments": len(told.timeline.segments),
        "total_events": told.timeline.total_events,
        "total_compressions": told.timeline.total_compressions,
        "commit": commit_id(told.commit),
    }


def resource(connection: Connection, uri: str) -> list[dict[str, Any]] | None:
    """What stands at ``alice://namespaces`` and ``alice://namespaces/SET/NAME``; None where there is no such thing."""
    home = connection.session.home
    known = home.read().files
    if uri == "alice://namespaces":
        return [{"set": one.place, "namespace": one.namespace, "blocks": len(one.blocks)} for one in known]
    if uri not in (f"alice://namespaces/{one.place}/{one.namespace}" for one in known):
        return None
    place, name = uri.split("/")[-2:]
    held = [masked_block(one) for one in home.read() if (one.place, one.namespace) == (place, name)]
    return [brief(one) | texts(one) for one in held]


def call(connection: Connection, name: str, sent: Mapping[str, Any]) -> Any:
    """Run one operation with what a model sent; ``UsageError`` where its name or an argument is wrong."""
    tool = TOOLS.get(name)
    if tool is None:
        raise UsageError("there is no operation {name}", name=repr(name), hint=", ".join(TOOLS))
    if not isinstance(sent, Mapping):
        raise UsageError("what {name} takes is an object, not {value}", name=name, value=repr(sent))
    arguments = checked(name, tool.run, sent)
    session = connection.session
    if not tool.reads and not session.learns:
        raise RefusedError(
            "nothing is learned in the project {project}: a person switched it off",
            project=session.project,
            hint=Hint("to switch it on: alice-exp project on {project}", project=session.project),
        )
    return tool.run(connection, **arguments)
