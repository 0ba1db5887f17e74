"""What each field of a block may be, one reader a field; what it may not be is a ``Fault`` with its place below.

Source: the table of fields in DESIGN 3.
"""

from __future__ import annotations

import math
import re
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from alice_exp.core.model import (
    BLOCK_TYPES,
    STATES,
    Approved,
    Archived,
    Evidence,
    Payload,
    Reported,
    Trigger,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from alice_exp.core.changes import Pointer
    from alice_exp.core.config import Json

ID = re.compile(r"exp-[a-z2-9]{8}")
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
ORIGIN = re.compile(r"local|shared_from_[a-z0-9][a-z0-9_-]{0,63}|import:[a-z0-9][a-z0-9_-]{0,63}")


class Fault(Exception):
    """A value that the schema refuses: the sentence, its values, and where below the block it lies."""

    def __init__(self, template: str, below: Pointer = (), **values: object) -> None:
        super().__init__(template)
        self.template = template
        self.below = below
        self.values = values


def _text(value: Json) -> str:
    if not isinstance(value, str):
        raise Fault('"{name}" is a text')
    return value


def _filled(value: Json) -> str:
    if not isinstance(value, str) or not value.strip():
        raise Fault('"{name}" is a text that says something')
    return value


def _time(value: Json) -> str:
    if not isinstance(value, str) or not _is_real(value):
        raise Fault('"{name}" is a time such as 2026-02-20T09:00:00Z')
    return value


@lru_cache(maxsize=4096)
def _is_real(time: str) -> bool:
    if not TIME.fullmatch(time):
        return False
    try:
        datetime.fromisoformat(time)
    except ValueError:
        return False
    return True


def _block_id(value: Json) -> str:
    if not isinstance(value, str) or not ID.fullmatch(value):
        raise Fault('an id is "exp-" and 8 characters of a-z and 2-9')
    return value


def _origin(value: Json) -> str:
    if not isinstance(value, str) or not ORIGIN.fullmatch(value):
        raise Fault('"origin" is "local", "shared_from_NAME" or "import:KIND"')
    return value


def _suggested(value: Json) -> str:
    place, _, name = value.partition("/") if isinstance(value, str) else ("", "", "")
    if place not in ("personal", "universal", "low_value", "low_value_pool") or not NAME.fullmatch(name):
        raise Fault('"{name}" is SET/NAME, as universal/tool_usage')
    return str(value)


def _count(value: Json) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise Fault('"{name}" is a whole number, 0 or more')
    return value


def _between(low: float, high: float) -> Callable[[Json], float]:
    def read(value: Json) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Fault('"{name}" is a number from {low:g} to {high:g}', low=low, high=high)
        if not math.isfinite(value) or not low <= value <= high:
            raise Fault('"{name}" is a number from {low:g} to {high:g}', low=low, high=high)
        return float(value)

    return read


def _flag(value: Json) -> bool:
    if not isinstance(value, bool):
        raise Fault('"{name}" is true or false')
    return value


def _one_of(*choices: str) -> Callable[[Json], str]:
    allowed = frozenset(choices)

    def read(value: Json) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise Fault('"{name}" is one of {choices}', choices=", ".join(choices))
        return value

    return read


def _texts(value: Json) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise Fault('"{name}" is a list of texts')
    for index, item in enumerate(value):
        if not isinstance(item, str):
            raise Fault('"{name}" is a list of texts', (index,))
    return tuple(str(item) for item in value)


def _ids(value: Json) -> tuple[str, ...]:
    texts = _texts(value)
    for index, item in enumerate(texts):
        if not ID.fullmatch(item):
            raise Fault('an id is "exp-" and 8 characters of a-z and 2-9', (index,))
    return texts


def _object(
    value: Json, readers: Mapping[str, Callable[[Json], Any]], required: tuple[str, ...]
) -> dict[str, Any]:
    """A nested object by its own table; keys of the person's own are allowed and left in the file."""
    if not isinstance(value, dict):
        raise Fault('"{name}" is an object')
    fields: dict[str, Any] = {}
    for key, inner in value.items():
        reader = readers.get(key)
        if reader is None:
            continue
        try:
            fields[key] = reader(inner)
        except Fault as fault:
            raise Fault(fault.template, (key, *fault.below), **{"name": key, **fault.values}) from None
    for key in required:
        if key not in fields:
            raise Fault('"{key}" is missing here', key=key)
    return fields


def _context(value: Json) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise Fault('"{name}" is an object')
    return value


def _trigger(value: Json) -> Trigger:
    if isinstance(value, str):
        return Trigger(value)
    return Trigger(**_object(value, {"text": _text, "keywords": _texts, "context": _context}, ()))


def _payload(value: Json) -> Payload:
    if isinstance(value, str):
        return Payload(_filled(value))
    fields = _object(value, {"kind": _text, "content": _text, "steps": _texts}, ())
    if not fields.get("content", "").strip() and not fields.get("steps"):
        raise Fault('"payload" needs a "content" or "steps"')
    return Payload(fields.get("content", ""), fields.get("kind", ""), fields.get("steps", ()))


def _evidence(value: Json) -> tuple[Evidence, ...]:
    if not isinstance(value, list):
        raise Fault('"evidence" is a list of {{"kind", "ref", "at", "quote"}}')
    pieces = []
    for index, item in enumerate(value):
        try:
            pieces.append(Evidence("note", quote=item) if isinstance(item, str) else Evidence(**_piece(item)))
        except Fault as fault:
            raise Fault(fault.template, (index, *fault.below), **fault.values) from None
    return tuple(pieces)


def _piece(value: Json) -> dict[str, Any]:
    return _object(
        value,
        {"kind": _text, "ref": _text, "at": _time, "quote": _text, "scenario": _text, "effect": _text},
        ("kind",),
    )


def _failures(value: Json) -> dict[str, str]:
    if not isinstance(value, dict):
        raise Fault('"open_failures" maps a scenario to a time')
    for scenario, at in value.items():
        try:
            _time(at)
        except Fault:
            raise Fault(
                '"{name}" is a time such as 2026-02-20T09:00:00Z', (scenario,), name=scenario
            ) from None
    return {scenario: str(at) for scenario, at in value.items()}


def _reported(value: Json) -> Reported:
    return Reported(**_object(value, {"report": _text, "at": _time, "hash": _text}, ("report", "at", "hash")))


def _approved(value: Json) -> Approved:
    readers = {"at": _time, "by": _text, "report": _text, "hash": _text, "signature": _text}
    return Approved(**_object(value, readers, ("at", "by", "hash")))


def _archived(value: Json) -> Archived:
    readers = {"from": _suggested, "at": _time, "reason": _one_of("rejected", "obsolete")}
    fields = _object(value, readers, ("from", "at", "reason"))
    return Archived(fields["from"], fields["at"], fields["reason"])


FIELDS: Mapping[str, Callable[[Json], Any]] = {
    "id": _block_id,
    "key": _text,
    "type": _one_of(*BLOCK_TYPES),
    "about": _one_of("work", "user"),
    "trigger": _trigger,
    "payload": _payload,
    "state": _one_of(*STATES),
    "verifications": _count,
    "verifications_local": _count,
    "observations": _count,
    "open_failures": _failures,
    "importance": _between(0, 1),
    "emotional_weight": _between(-1, 1),
    "tags": _texts,
    "related": _ids,
    "supersedes": _block_id,
    "shareable": _flag,
    "origin": _origin,
    "access_count": _count,
    "last_accessed_at": _time,
    "consolidation_score": _between(0, 1),
    "evidence": _evidence,
    "reported": _reported,
    "approved": _approved,
    "suggested": _suggested,
    "archived": _archived,
    "created_at": _time,
    "updated_at": _time,
}
"""The reader of every key that a block may have, in the order in which keys are written."""
