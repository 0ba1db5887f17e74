"""What every act shares: who calls, what only a person may do, how a block is named, the door that writes nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from alice_exp.core.errors import NotFoundError, RefusedError, UsageError
from alice_exp.core.model import BLOCK_TYPES, PLACES, SETS, path_of
from alice_exp.text.block_fields import NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from alice_exp.core.changes import Commit, Plan
    from alice_exp.core.collection import Known
    from alice_exp.core.config import Config
    from alice_exp.core.model import Actor, Place, Placed, Snapshot
    from alice_exp.core.ports import Home, Meanings

R = TypeVar("R")

_REFERENCE = re.compile(r"(exp-)?([a-z2-9]{1,8})")
_SET_NAMES: dict[str, Place] = {
    "personal": "personal",
    "universal": "universal",
    "low_value": "low_value",
    "low_value_pool": "low_value",
}


@dataclass(frozen=True, slots=True)
class Caller:
    """Who acts and when (ISO-8601 UTC), the ``day`` where the person lives (YYYYMMDD), where fresh ids come from,
    and the embedder that searches may ask (``None``: words alone)."""

    actor: Actor
    now: str
    day: str
    new_id: Callable[[str], str]
    meanings: Meanings | None = None


class DryHome:
    """The doors of a home that plans and writes nothing: what ``--dry-run`` uses."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def read(self, places: Collection[Place] = SETS, *, records: bool | str = False) -> Snapshot:
        """As the home itself reads."""
        return self._home.read(places, records=records)

    def apply(
        self, plan: Plan[R], places: Collection[Place] = SETS, *, records: bool | str = False
    ) -> tuple[Commit | None, R]:
        """Plan on what is there now; no commit."""
        _, answer = plan(self._home.read(places, records=records))
        return None, answer

    def ask(self, question: Callable[[Known], R]) -> R | None:
        """As the home itself answers."""
        return self._home.ask(question)

    def config(self) -> Config:
        """As the home itself reads."""
        return self._home.config()

    def text(self, path: str) -> str | None:
        """As the home itself reads."""
        return self._home.text(path)


def require_person(caller: Caller, verb: str, command: str) -> None:
    """Raise ``RefusedError`` (exit 6) with the command that a person would run, unless a person acts."""
    if not caller.actor.is_person:
        raise RefusedError(
            "only a person may {verb}; this is {actor}",
            verb=verb,
            actor=caller.actor,
            hint=f"ask the person to run: {command}",
        )


def resolve(snapshot: Snapshot, reference: str) -> Placed:
    """The block that an id, a unique prefix of one, or ``TYPE/KEY`` (R3.31) names.

    Raises ``UsageError`` where it cannot be an id or fits several, ``NotFoundError`` where it fits none.
    """
    if is_keyed(reference):
        return _keyed(snapshot, reference)
    wanted = prefix(reference)
    return one_of(reference, wanted, [placed for placed in snapshot if placed.block.id.startswith(wanted)])


def is_keyed(reference: str) -> bool:
    """Whether a reference names a block by its type and its outside key, as ``feature/async_io``."""
    return reference.partition("/")[0] in BLOCK_TYPES and not reference.endswith("/") and "/" in reference


def _keyed(snapshot: Snapshot, reference: str) -> Placed:
    """The most trusted block of that type and key: a newer word for an approved one waits in the pool beside it."""
    block_type, _, key = reference.partition("/")
    found = [placed for placed in snapshot if (placed.block.type, placed.block.key) == (block_type, key)]
    if not found:
        raise NotFoundError("no block has the key {reference}", reference=reference)
    return min(found, key=lambda placed: PLACES.index(placed.place))


def one_of(reference: str, wanted: str, found: Sequence[Placed]) -> Placed:
    """The one block among those whose id begins with ``wanted``; raises as ``resolve`` does."""
    exact = [placed for placed in found if placed.block.id == wanted]
    if exact:
        return exact[0]
    if len(found) == 1:
        return found[0]
    if found:
        few = ", ".join(placed.block.id for placed in found[:4])
        raise UsageError("{reference} fits several blocks: {few}", reference=reference, few=few)
    raise NotFoundError(
        "no block has the id {reference}",
        reference=reference,
        hint="see 'alice-exp list', or 'alice-exp log' for the past",
    )


def prefix(reference: str) -> str:
    """A reference as the beginning of an id; ``UsageError`` where it cannot be one."""
    fits = _REFERENCE.fullmatch(reference)
    if not fits:
        raise UsageError(
            "{reference} is not a block's id", reference=repr(reference), hint="an id looks like exp-7k2m9q4x"
        )
    return f"exp-{fits[2]}"


def namespace_path(name: str, default_set: Place = "universal") -> str:
    """The path of ``SET/NAME`` or ``NAME``; ``UsageError`` where it is no namespace."""
    head, slash, tail = name.partition("/")
    place = _SET_NAMES.get(head) if slash else default_set
    plain = tail if slash else head
    if place is None or not NAME.fullmatch(plain):
        raise UsageError(
            "{name} is not a namespace",
            name=repr(name),
            hint="write SET/NAME, as universal/tool_usage; sets are personal, universal and low_value",
        )
    return path_of(place, plain)


def namespace_name(path: str) -> str:
    """A path as a person writes it: ``universal/tool_usage``."""
    return path.removesuffix(".jsonc").replace("low_value_pool/", "low_value/")
