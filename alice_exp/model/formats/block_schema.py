"""Converts namespace files to blocks and back, with validation and defaults.

Reading turns JSON values into ``Block`` and every fault into a ``Problem`` with its position; writing yields the JSON
of a block without defaults. Sources: DESIGN 3 (table of fields), B2.39, R3.3.
"""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias

from alice_exp.kernel.jsonc.scan import Json, Problem
from alice_exp.model.formats.block_fields import FIELDS, PAST
from alice_exp.model.formats.field_readers import Fault, Reading, read_object
from alice_exp.model.values.block import Block, Payload, Place, State, Trigger, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from alice_exp.kernel.jsonc import Document, Unchanged


def read_blocks(
    document: Document, before: Unchanged[Block] | None = None
) -> tuple[tuple[Block, ...], tuple[Problem, ...]]:
    """The blocks of a parsed namespace file, and its problems.

    Sound blocks are returned beside errors; the caller decides by severity. Blocks that a person typed without an id
    have ``id == ""`` until they are adopted. ``before`` is an earlier reading of the same file, whose unchanged blocks
    are reused.
    """
    reading = Reading(document, "blocks", ())
    place = place_of(document.path)
    found = reading.items(
        lambda item: read_block(item, place), before.of(document) if before is not None else ()
    )
    twins = reading.refuse_twins([(block.id, index) for index, block in found if block.id])
    for index, block in found:
        if block.extra:
            own = {key: value for key, value in block.extra.items() if key not in PAST}
            reading.warn(own, ("blocks", index), FIELDS)
    return tuple(block for index, block in found if index not in twins), reading.found.all()


def read_block(item: Json, place: Place) -> Block:
    """Read one block from its JSON value; shorthand forms are expanded, defaults depend on the set.

    Raises ``Fault``, which ``read_blocks`` turns into a problem and ``block_of`` into a sentence.
    """
    if not isinstance(item, dict):
        raise Fault('a block is an object with at least a "payload"')
    fields, extra = read_object(item, FIELDS)
    if "payload" not in fields:
        raise Fault('a block needs a "payload": what to do or to believe')
    if place == "personal":
        fields.setdefault("state", "past")
        fields.setdefault("about", "user")
    # A past block happened at least once.
    if "verifications" not in fields and fields.get("state") == "past":
        fields["verifications"] = 1
    if extra:
        fields["extra"] = extra
    fields.setdefault("id", "")
    return Block(**fields)


def state_in(document: Document, block_id: str) -> str:
    """The state of one block of a parsed file, no other being read; empty if it is not in it or is unsound."""
    listed = document.value.get("blocks") if isinstance(document.value, dict) else None
    for item in listed if isinstance(listed, list) else ():
        if isinstance(item, dict) and item.get("id") == block_id:
            try:
                return read_block(item, place_of(document.path)).state
            except Fault:
                return ""
    return ""


def block_of(item: Json, place: Place) -> Block | str:
    """Read one block from a JSON value outside a file (a line of JSONL): the block, or why it is not one."""
    try:
        return read_block(item, place)
    except Fault as fault:
        return fault.template.format(**fault.values) if fault.values else fault.template


def block_json(block: Block, place: Place) -> dict[str, Json]:
    """The JSON of a block in a file of that set: keys in canonical order, defaults left out."""
    written: dict[str, Json] = {"id": block.id}
    rows = _rows(place, block.state == "past")
    for (key, write, default), value in zip(rows, _VALUES(block), strict=True):
        if value != default:
            written[key] = value if write is None else write(value)
    written.update(block.extra)
    return written


BY_PLACE = ("about", "state", "verifications")
"""The fields whose defaults differ between sets, so that moving a block may have to write or drop them."""


def _write_trigger(trigger: Trigger) -> Json:
    if not trigger.keywords and not trigger.context:
        return trigger.text
    return _present(("text", "keywords", "context"), trigger)


def _write_payload(payload: Payload) -> Json:
    if not payload.kind and not payload.steps:
        return payload.content
    return _present(("kind", "content", "steps"), payload)


_PIECE = ("kind", "ref", "at", "quote", "scenario", "effect")


def _present(names: tuple[str, ...], value: object) -> dict[str, Json]:
    """The fields of a value that are not empty."""
    found = ((name, getattr(value, name)) for name in names)
    return {name: list(one) if isinstance(one, tuple) else one for name, one in found if one}


_SPECIAL: Mapping[str, Callable[[Any], Json]] = {
    "trigger": _write_trigger,
    "payload": _write_payload,
    "evidence": lambda value: [_present(_PIECE, piece) for piece in value],
    "reported": lambda value: _present(("report", "at", "hash"), value),
    "approved": lambda value: _present(("at", "by", "report", "hash"), value),
    "archived": lambda value: {"from": value.origin, "at": value.at, "reason": value.reason},
    "tags": list,
    "related": list,
    "replaces": list,
    "both": list,
    "open_failures": dict,
    "record": lambda value: {"ok": value.ok, "failed": value.failed},
    "doubt": lambda value: {
        "value": value.value,
        "day": value.day,
        **_present(("since", "asked", "rate", "against", "beside"), value),
    },
}
_BARE = Block(id="", payload=Payload(""))
_Row: TypeAlias = "tuple[str, Callable[[Any], Json] | None, object]"
_ROWS: tuple[_Row, ...] = tuple(
    (key, _SPECIAL.get(key), None if key == "payload" else getattr(_BARE, key))
    for key in FIELDS
    if key != "id"
)
"""Every key but the id in canonical order: how to write it (None: unchanged), and its default in universal."""

_VALUES = attrgetter(*(key for key, _, _ in _ROWS))


@lru_cache(maxsize=16)
def _rows(place: Place, is_past: bool) -> tuple[_Row, ...]:
    """``_ROWS`` with the defaults of a set, for a block that is past or not."""
    state: State = "past" if place == "personal" else "possible"
    by_place = {
        "state": state,
        "about": "user" if place == "personal" else "work",
        "verifications": int(is_past),
    }
    return tuple((key, write, by_place.get(key, default)) for key, write, default in _ROWS)
