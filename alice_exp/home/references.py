"""Resolves the names that callers use: block references, namespaces, and block types."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from alice_exp.kernel.errors import Hint, Names, NotFoundError, UsageError
from alice_exp.model.formats.block_schema import NAME
from alice_exp.model.values.block import BLOCK_TYPES, PLACES, BlockType, Place, Placed, path_of

if TYPE_CHECKING:
    from alice_exp.model.values.snapshot import Snapshot


ID_LENGTH = 8
"""Characters of an id behind ``exp-``."""

_REFERENCE = re.compile(r"(exp-)?([a-z2-9]{1,8})")
_SET_NAMES: dict[str, Place] = {
    "personal": "personal",
    "universal": "universal",
    "low_value": "low_value",
    "low_value_pool": "low_value",
}


def resolve(snapshot: Snapshot, reference: str) -> Placed:
    """The block with this id, unique prefix of one, or the most trusted one with ``TYPE/KEY`` (R3.31).

    Raises ``UsageError`` if the reference is malformed or ambiguous, ``NotFoundError`` if it matches nothing.
    """
    if is_keyed(reference):
        block_type, _, key = reference.partition("/")
        named = [placed for placed in snapshot if (placed.block.type, placed.block.key) == (block_type, key)]
        if not named:
            raise NotFoundError("no block has the key {reference}", reference=reference)
        # There may be two: an approved one, and a newer version of it that waits in the pool.
        return min(named, key=lambda placed: PLACES.index(placed.place))
    wanted = prefix(reference)
    if found := snapshot.starting_with(wanted):
        return one_of(reference, wanted, found)
    from difflib import get_close_matches

    near = get_close_matches(wanted, [placed.block.id for placed in snapshot], n=1, cutoff=0.85)
    hint = "see 'alice-exp list', or 'alice-exp log' for the past"
    if near:
        hint = Hint("did you mean {value}?", value=near[0])
    raise NotFoundError("no block has the id {reference}", reference=reference, hint=hint)


def is_keyed(reference: str) -> bool:
    """Whether a reference has the form ``TYPE/KEY``, e.g. ``feature/async_io``."""
    return reference.partition("/")[0] in BLOCK_TYPES and not reference.endswith("/") and "/" in reference


def one_of(reference: str, wanted: str, found: Sequence[Placed]) -> Placed:
    """The only block among the candidates ``found``, or the one whose id is ``wanted``; raises like ``resolve``."""
    exact = [placed for placed in found if placed.block.id == wanted] or found
    if len(exact) == 1:
        return exact[0]
    few = Names(placed.block.id for placed in found[:4])
    raise UsageError("{reference} fits several blocks: {few}", reference=reference, few=few)


def prefix(reference: str) -> str:
    """A reference as a prefix of an id (``exp-`` may be omitted, but not before digits alone, which may
    number an item of the report); ``UsageError`` if it cannot be one."""
    fits = _REFERENCE.fullmatch(reference)
    if not fits:
        of_team = reference.startswith("team-")
        hint = "see 'alice-exp project trust'" if of_team else "an id looks like exp-7k2m9q4x"
        raise UsageError("{reference} is not a block's id", reference=repr(reference), hint=hint)
    if reference.isdigit() and len(reference) < ID_LENGTH:
        # retire 3 after a report means its third item, not the block whose id happens to begin with 3.
        said = "{reference} may be a number in the report, or the beginning of an id"
        raise UsageError(said, reference=repr(reference), hint="write the id, as exp-7k2m9q4x")
    return f"exp-{fits[2]}"


def namespace_path(name: str, default_set: Place = "universal") -> str:
    """The path of the namespace ``SET/NAME`` or ``NAME``; ``UsageError`` if it is not a valid name."""
    head, slash, tail = name.partition("/")
    place = _SET_NAMES.get(head) if slash else default_set
    plain = tail if slash else head
    if place is not None and plain and not NAME.fullmatch(plain):
        hint = "names are lower-case letters, digits, - and _, at most 64"
        raise UsageError("{name} cannot name a namespace", name=repr(plain), hint=hint)
    if place is None or not plain or (plain in _SET_NAMES and not slash):
        hint = "write SET/NAME, as universal/tool_usage; sets are personal, universal and low_value"
        raise UsageError("{name} is not a namespace", name=repr(name), hint=hint)
    return path_of(place, plain)


def namespace_name(path: str) -> str:
    """The namespace name for a path: ``universal/tool_usage``."""
    return path.removesuffix(".jsonc").replace("low_value_pool/", "low_value/")


def type_named(name: str) -> BlockType:
    """The block type with this name; ``UsageError`` if there is none."""
    if name in BLOCK_TYPES:
        return name
    raise UsageError(
        "{name} is not a type", name=repr(name), hint=Hint("types are {names}", names=Names(BLOCK_TYPES))
    )
