"""What was done in a host's session, and what it shows of its decisions: kept without an agent's goodwill (R0.18)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.agents.rules.session_signals import actions_of, traces
from alice_exp.conversations.rules.own_sentences import but_unrecorded
from alice_exp.episodes.usecases.episode_book import tell_actions
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.rules.identity import derived_id
from alice_exp.model.rules.private_facts import masked_line
from alice_exp.model.values.records import Episode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alice_exp.conversations.rules.tool_uses import Deed
    from alice_exp.conversations.values import Message
    from alice_exp.episodes.ports import Recording
    from alice_exp.learning.store import Decisions

_JOIN = "\n"


@dataclass(frozen=True, slots=True)
class Lived:
    """What a session is kept in: the episodes, and the decisions with their signals."""

    recording: Recording
    decisions: Decisions


def keep_actions(
    lived: Lived, project: str, session: str, deeds: Sequence[Deed], said: Sequence[Message]
) -> None:
    """Note each decision's signals, and what was done: in the episodes of the decisions that were reported without an
    action; in one of the session where none was reported, as an episode that nobody said the end of.

    Doing it again changes nothing. ``said`` is the conversation; what is off the record is nobody's task.
    """
    shown = [(one.decision, one.task) for one in lived.decisions.shown(session)]
    told: dict[str, str] = {}
    for trace in traces(deeds, shown):
        decision = lived.decisions.seem(trace.decision, trace.seemed)
        if decision is not None and decision.episode:
            told[decision.episode] = _JOIN.join(trace.actions)
    actions = actions_of(deeds)
    tasks = (masked_line(one.content) for one in but_unrecorded(said) if one.role == "user")
    task = next(filter(None, tasks), "")
    whole = None
    if actions and task and not told:
        at = next((one.at for one in reversed(deeds) if one.at), "") or lived.recording.caller.now
        name = derived_id(session).replace("exp-", "ep-")
        whole = Episode(
            name, task, {}, _JOIN.join(actions), at=at, reward=0.5, unreported=True, project=project
        )
    told = {episode: done for episode, done in told.items() if done}
    if told or whole:
        tell_actions(lived.recording, told, whole)
