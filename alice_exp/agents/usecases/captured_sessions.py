"""Do what hooks left to be done: take in what was said, read it for candidates (R4.18-R4.22), keep what was done and
what worked, and what it shows of decisions, without an agent's goodwill (R0.18).

Each step may be done again: messages that are there are not added, what was read is not read twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from alice_exp.agents.rules.session_signals import SESSIONS, actions_of, causes, traces, working_commands
from alice_exp.blocks.usecases.capture import Draft, memorize
from alice_exp.conversations.rules.own_sentences import but_unrecorded
from alice_exp.conversations.rules.tool_uses import deeds_of
from alice_exp.conversations.rules.transcripts import read, records, spoken
from alice_exp.conversations.usecases import sessions
from alice_exp.conversations.usecases.sessions import add, chats, take_in
from alice_exp.episodes.usecases.episode_book import tell_actions
from alice_exp.kernel.errors import AliceError, BusyError, ProblemError, UsageError
from alice_exp.learning.store import decisions
from alice_exp.model.rules.identity import derived_id
from alice_exp.model.rules.private_facts import masked_line
from alice_exp.model.values.block import PLACES, Evidence, Payload, Trigger
from alice_exp.model.values.records import Episode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alice_exp.agents.store import Left, Spool
    from alice_exp.conversations.rules.tool_uses import Deed
    from alice_exp.conversations.values import ChatRecord, Message
    from alice_exp.home.session import Session


AsHost = Callable[["Left"], "tuple[Session, str]"]
"""The session in which the host's agent acts on what was left, and all names of the project of the folder where the
host worked."""


def finish(spool: Spool, as_host: AsHost, idle: float) -> Iterator[AliceError]:
    """Do all that is left, but for what rests (``Spool.left``); what fails is yielded and stays.

    Several processes may do so at once: none waits for another, and what two take in is there once.
    """
    for left in spool.left(idle):
        spool.begin(left)
        try:
            failure = _one(spool, *as_host(left), left)
        except AliceError as error:
            failure = error
        except Exception as error:
            # One that cannot be read for a fault of ours does not stand in the way of the others.
            failure = ProblemError("{why}", why=f"{type(error).__name__}: {error}")
        if failure is None:
            spool.done(left)
        elif not isinstance(failure, BusyError):
            spool.failed(left, str(failure))
            yield failure


def _one(spool: Spool, opened: Session, project: str, left: Left) -> AliceError | None:
    if not opened.config.flag("short_term.enabled"):
        return None
    session = left.text("session")
    if left.text("event") == "start":
        return _read_earlier(opened, left.text("host"), session)
    messages = left.fields.get("messages")
    if not isinstance(messages, list):
        # Hosts write their transcript before they call; one that is gone cannot come back.
        messages = list(records(spool.transcript(left.text("transcript"))))
    entries = read(messages)
    rows = spoken(entries, session, project)
    if not rows:
        return None
    _take_in(opened, rows, session)
    if left.text("event") == "compact":
        sessions.hear(opened, session)
        return None
    waits = left.text("event") == "stop" and opened.provider is not None
    is_read = not waits or sessions.is_due(chats(opened).load_unextracted(session), opened.config)
    failure = sessions.end(opened, session).failure if is_read else None
    deeds = deeds_of(entries)
    key = project.partition(" ")[0]
    keep_actions(opened, key, session, deeds, [row.message for row in rows])
    keep_commands(spool, opened, project, session, deeds)
    keep_causes(opened, key, session, deeds)
    return failure


def _read_earlier(opened: Session, host: str, current: str) -> AliceError | None:
    """Read what a host's earlier conversations left unread: hosts without an event for the end never say so."""
    for one in chats(opened).conversations():
        if one.session.startswith(f"{host}-") and one.session != current and one.unextracted:
            failure = sessions.end(opened, one.session).failure
            if failure is not None:
                return failure
    return None


def _take_in(opened: Session, rows: Sequence[ChatRecord], session: str) -> None:
    """Add what is new. A host that rewrites its transcript (after compaction) is followed by its messages' ids."""
    try:
        take_in(opened, rows, session)
    except UsageError:
        while True:
            present = chats(opened).load(session)
            known = {record.name for record in present}
            new = [row for row in rows if row.name and row.name not in known]
            if not new:
                return
            add(opened, session, new, len(present))


_JOIN = "\n"
_DOES = {"format": "format the code", "lint": "check the code", "test": "run the tests", "build": "build"}


def keep_actions(
    opened: Session, project: str, session: str, deeds: Sequence[Deed], said: Sequence[Message]
) -> None:
    """Note each decision's signals, and what was done: in the episodes of the decisions that were reported without an
    action; in one of the session where none was reported, as an episode that nobody said the end of.

    Doing it again changes nothing. ``said`` is the conversation; what is off the record is nobody's task.
    """
    shown = [(one.decision, one.task) for one in decisions(opened).shown(session)]
    told: dict[str, str] = {}
    for trace in traces(deeds, shown):
        decision = decisions(opened).seem(trace.decision, trace.seemed)
        if decision is not None and decision.episode:
            told[decision.episode] = _JOIN.join(trace.actions)
    actions = actions_of(deeds)
    tasks = (masked_line(one.content) for one in but_unrecorded(said) if one.role == "user")
    task = next(filter(None, tasks), "")
    whole = None
    if actions and task and not told:
        at = next((one.at for one in reversed(deeds) if one.at), "") or opened.caller.now
        name = derived_id(session).replace("exp-", "ep-")
        whole = Episode(
            name, task, {}, _JOIN.join(actions), at=at, reward=0.5, unreported=True, project=project
        )
    told = {episode: done for episode, done in told.items() if done}
    if told or whole:
        tell_actions(opened, told, whole)


def keep_commands(spool: Spool, opened: Session, project: str, session: str, deeds: Sequence[Deed]) -> None:
    """Count the commands that succeeded in this session; propose, once, what did so in ``SESSIONS`` of its project.

    Doing it again changes nothing: a session counts once.
    """
    kinds = working_commands(deeds)
    if not kinds or not project:
        return
    often = spool.ran(project.split(), session, list(kinds))
    drafts = []
    for command, kind in kinds.items():
        if often[command] >= SESSIONS:
            told = f"in {often[command]} sessions an agent ran it, and it succeeded"
            drafts.append(
                Draft(
                    Payload(f"To {_DOES[kind]}, run `{command}`."),
                    Trigger(f"{_DOES[kind]} in this project"),
                    key=derived_id(f"{project.partition(' ')[0]} {command}"),
                    type="fact",
                    evidence=(Evidence("note", quote=told),),
                    project=project,
                )
            )
    if drafts:
        known = {placed.block.key for placed in opened.home.read(PLACES)}
        fresh = [draft for draft in drafts if draft.key not in known]
        if fresh:
            memorize(opened.home, opened.caller, fresh, bulk=True)


def keep_causes(opened: Session, project: str, session: str, deeds: Sequence[Deed]) -> None:
    """Keep each cause that a passing check followed as an episode that worked; doing it again changes nothing."""
    for one in causes(deeds):
        name = derived_id(f"{session} {one.cause}").replace("exp-", "ep-")
        at = one.at or opened.caller.now
        tell_actions(
            opened,
            {},
            Episode(name, one.task, {}, one.action, one.cause, True, 1.0, at, one.cause, project=project),
        )
