"""Keep what was done in a host's session, what it shows of its decisions, and what worked, without an agent's
goodwill (R0.18)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.agents.rules.session_signals import actions_of, traces
from alice_exp.agents.rules.what_worked import SESSIONS, causes, working_commands
from alice_exp.blocks.usecases.capture import Draft, memorize
from alice_exp.conversations.rules.own_sentences import but_unrecorded
from alice_exp.episodes.usecases.episode_book import tell_actions
from alice_exp.learning.wiring import decisions
from alice_exp.model.rules.identity import derived_id
from alice_exp.model.rules.private_facts import masked_line
from alice_exp.model.values.block import PLACES, Evidence, Payload, Trigger
from alice_exp.model.values.records import Episode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alice_exp.agents.store import Spool
    from alice_exp.conversations.rules.tool_uses import Deed
    from alice_exp.conversations.usecases.sessions import Conversing
    from alice_exp.conversations.values import Message
    from alice_exp.home.session import Session

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


def keep_commands(
    spool: Spool, conversing: Conversing, project: str, session: str, deeds: Sequence[Deed]
) -> None:
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
        known = {placed.block.key for placed in conversing.home.read(PLACES)}
        fresh = [draft for draft in drafts if draft.key not in known]
        if fresh:
            memorize(conversing.home, conversing.caller, fresh, bulk=True)


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
