"""Who acts and when, and what only a person may do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from alice_exp.kernel.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from alice_exp.kernel.journal.act import Actor


@dataclass(frozen=True, slots=True)
class Caller:
    """Who acts and when (ISO-8601 UTC), the ``day`` where the person lives (YYYYMMDD), and where fresh ids come
    from."""

    actor: Actor
    now: str
    day: str
    new_id: Callable[[str], str]


def require_person(caller: Caller, verb: str, command: str) -> None:
    """Raise ``RefusedError`` (exit 6) with the command that a person would run, unless a person acts."""
    if not caller.actor.is_person:
        raise RefusedError(
            "only a person may {verb}; this is {actor}",
            verb=verb,
            actor=caller.actor,
            hint=f"ask the person to run: {command}",
        )
