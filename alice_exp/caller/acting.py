"""Who acts: what was named, what the environment says, and, where that is no agent, whose program stands above.

A variable is gone after ``env -i``; the process that started the agent is not.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import cached_property
from typing import TypeVar

from alice_exp.caller.hosts import KNOWN, host_of, parents
from alice_exp.kernel.errors import Hint, RefusedError, UsageError
from alice_exp.kernel.journal.act import Actor
from alice_exp.kernel.value_class import dataclass

_ACTOR = r"(user|agent|editor|peer|system)(?::([a-z0-9][a-z0-9_-]{0,63}))?"

T = TypeVar("T")

Inside = tuple[Actor, str]
"""The agent that this process belongs to, and by which sign: ``CLAUDECODE=1``, ``PID 7: codex``."""


class Acting:
    """Who acts in one session; ``option`` is what the command line or a program named, or empty."""

    def __init__(self, option: str = "") -> None:
        self._claim = option or os.environ.get("ALICE_ACTOR", "")

    @classmethod
    def of(cls, actor: Actor) -> Acting:
        """Whoever the program itself knows to act, such as a peer that was met."""
        made = cls(str(actor))
        made.named = made.actor = actor
        return made

    @classmethod
    def in_dialog(cls) -> Acting:
        """The person, whom a host's own dialog asked: the one exception to the look at the parents, made by
        ``agents.ask_person`` once its guards hold (docs/guarantees.md)."""
        return cls.of(Actor("user"))

    @cached_property
    def named(self) -> Actor:
        """``--actor``, else ``ALICE_ACTOR``, else an agent if its host's variable is set, else the user (DESIGN 6).

        ``UsageError`` if what was named is no actor. The claim is not looked into here.
        """
        if not self._claim:
            return self._by_variable[0] if self._by_variable else Actor("user")
        fits = re.fullmatch(_ACTOR, self._claim)
        if not fits:
            raise UsageError(
                "{name} is not an actor",
                name=repr(self._claim),
                hint="actors are user, agent[:name], editor, peer:name, system; a name is of lower-case letters, "
                "digits, - and _",
            )
        return Actor(fits[1], fits[2] or "")  # type: ignore[arg-type]

    @cached_property
    def actor(self) -> Actor:
        """Who is recorded as the author of an act: an agent, too, whose host's program stands among the parents.

        Only an agent may be named inside of an agent's process; ``RefusedError`` (exit 6) for any other.
        """
        if self.named.kind == "agent" or not self.inside:
            return self.named
        if self._claim:
            raise RefusedError(
                "{name} may not be named as the actor here: this is {actor} ({sign})",
                name=self.named,
                actor=self.inside[0],
                sign=self.inside[1],
                hint="the person acts in their terminal, in ask_person's dialog, or from: alice-exp heartbeat --open",
            )
        return self.inside[0]

    @property
    def sign(self) -> str:
        """What tells that an agent acts; empty where it was named, or a person acts."""
        return "" if self._claim or not self.inside else self.inside[1]

    @cached_property
    def inside(self) -> Inside | None:
        """The agent's process that this one belongs to, by a variable, else by its parents; None: a person's."""
        return self._by_variable or _by_parents()

    @cached_property
    def _by_variable(self) -> Inside | None:
        for host in KNOWN:
            for name in host.variables:
                if os.environ.get(name):
                    return Actor("agent", host.name), f"{name}={os.environ[name][:40]}"
        return None


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
        """Who is recorded as the author; ``RefusedError`` where no agent was named inside of an agent's process."""
        return self.acting.actor

    @property
    def is_person(self) -> bool:
        """Whether a person acts, no agent's process above; ``RefusedError`` as above."""
        return self.actor.is_person

    def as_kept(self, value: T, *, is_name: bool = False) -> T:
        """What is said of work done: a text, its name, JSON or a record of these. An agent's is without secrets, for
        nobody is asked about a record before history has it."""
        from alice_exp.model.rules.private_facts import masked_record

        return value if self.is_person else masked_record(value, is_name=is_name)


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


def _by_parents() -> Inside | None:
    for above, process in enumerate(parents()):
        host = host_of(process)
        # This process is our own program for a person, too.
        if host and (above or host.name):
            return Actor("agent", host.name), f"PID {process.pid}: {process.shown}"
    return None
