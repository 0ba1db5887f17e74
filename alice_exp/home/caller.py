"""The caller of a use case, and the check for acts that are reserved for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.kernel.errors import Hint, RefusedError
from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from alice_exp.kernel.journal.act import Actor


@dataclass(frozen=True, slots=True)
class Caller:
    """Who acts, when (``now``, ISO-8601 UTC; ``day``, YYYYMMDD in the person's time zone), and the source of ids.

    ``reply`` is the id of the reply that the act is a part of; empty: of none.
    """

    actor: Actor
    now: str
    day: str
    new_id: Callable[[str], str]
    reply: str = ""


def require_person(caller: Caller, verb: str, command: str) -> None:
    """Raise ``RefusedError`` (exit 6), with the command that a person would run, unless the actor is a person."""
    if not caller.actor.is_person:
        raise RefusedError(
            "only a person may {verb}; this is {actor}",
            verb=verb,
            actor=caller.actor,
            hint=Hint("ask the person to run: {command}", command=command),
        )
