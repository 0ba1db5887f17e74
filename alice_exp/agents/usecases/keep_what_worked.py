"""Keep what worked in a host's session: a command that succeeds again and again, a cause that a success followed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.agents.rules.what_worked import SESSIONS, causes, working_commands
from alice_exp.blocks.usecases.capture import Draft, memorize
from alice_exp.episodes.usecases.episode_book import tell_actions
from alice_exp.model.rules.identity import derived_id
from alice_exp.model.values.block import PLACES, Evidence, Payload, Trigger
from alice_exp.model.values.records import Episode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alice_exp.agents.store import Spool
    from alice_exp.conversations.rules.tool_uses import Deed
    from alice_exp.conversations.usecases.sessions import Conversing
    from alice_exp.episodes.ports import Recording

_DOES = {"format": "format the code", "lint": "check the code", "test": "run the tests", "build": "build"}


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


def keep_causes(recording: Recording, project: str, session: str, deeds: Sequence[Deed]) -> None:
    """Keep each cause that a passing check followed as an episode that worked; doing it again changes nothing."""
    for one in causes(deeds):
        name = derived_id(f"{session} {one.cause}").replace("exp-", "ep-")
        at = one.at or recording.caller.now
        tell_actions(
            recording,
            {},
            Episode(name, one.task, {}, one.action, one.cause, True, 1.0, at, one.cause, project=project),
        )
