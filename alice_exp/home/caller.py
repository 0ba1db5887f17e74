"""The caller of a use case, and the check for acts that are reserved for a person."""

from __future__ import annotations

from collections.abc import Callable

from alice_exp.home.acting import Acting
from alice_exp.kernel.errors import Hint, RefusedError
from alice_exp.kernel.journal.act import Actor
from alice_exp.kernel.value_class import dataclass


@dataclass(frozen=True, slots=True)
class Caller:
    """Who acts, when (``now``, ISO-8601 UTC; ``day``, YYYYMMDD in the person's time zone), and the source of ids.

    ``reply`` is the id of the reply that the act is a part of; empty: of none. ``channel`` is by what the person spoke,
    where that was no command of theirs.
    """

    acting: Acting
    now: str
    day: str
    new_id: Callable[[str], str]
    reply: str = ""
    channel: str = ""

    @property
    def actor(self) -> Actor:
        """Who is recorded as the author; ``RefusedError`` where a person was named inside of an agent's process."""
        return self.acting.actor

    @property
    def is_person(self) -> bool:
        """Whether a person acts, no agent's process above; ``RefusedError`` as above."""
        return self.acting.person.is_person


def require_person(caller: Caller, verb: str, command: str) -> None:
    """Raise ``RefusedError`` (exit 6), with the command that a person would run, unless the actor is a person."""
    if caller.is_person:
        return
    sign = caller.acting.sign
    raise RefusedError(
        "only a person may {verb}; this is {actor} ({sign})"
        if sign
        else "only a person may {verb}; this is {actor}",
        verb=verb,
        actor=caller.actor,
        sign=sign,
        hint=Hint("ask the person to run: {command}", command=command),
    )
