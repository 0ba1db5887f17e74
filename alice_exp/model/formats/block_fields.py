"""The readers that validate the fields of a block, one per field; each returns a value or raises ``Fault``.

Source: the table of fields in DESIGN 3.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from alice_exp.model.formats.field_readers import (
    Fault,
    between,
    filled,
    flag,
    mapping,
    text,
    texts,
    time,
    whole,
)
from alice_exp.model.values.block import (
    ABOUT,
    BLOCK_TYPES,
    STATES,
    Approved,
    Archived,
    Arms,
    Doubt,
    Evidence,
    Payload,
    Record,
    Reported,
    Trigger,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from alice_exp.kernel.jsonc.problem import Json

ID = re.compile(r"exp-[a-z2-9]{8}")
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
ORIGIN = re.compile(r"local|shared_from_[a-z0-9][a-z0-9_-]{0,63}|import:[a-z0-9][a-z0-9_-]{0,63}")


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


def _one_of(*choices: str) -> Callable[[Json], str]:
    allowed = frozenset(choices)

    def read(value: Json) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise Fault('"{name}" is one of {choices}', choices=", ".join(choices))
        return value

    return read


def _ids(value: Json) -> tuple[str, ...]:
    listed = texts(value)
    for index, item in enumerate(listed):
        if not ID.fullmatch(item):
            raise Fault('an id is "exp-" and 8 characters of a-z and 2-9', (index,))
    return listed


def _object(
    value: Json, readers: Mapping[str, Callable[[Json], Any]], required: tuple[str, ...]
) -> dict[str, Any]:
    """Read a nested object by a table of readers; unknown keys are allowed and stay in the file."""
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


def _trigger(value: Json) -> Trigger:
    if isinstance(value, str):
        return Trigger(value)
    return Trigger(**_object(value, {"text": text, "keywords": texts, "context": mapping}, ()))


def _payload(value: Json) -> Payload:
    if isinstance(value, str):
        return Payload(filled(value))
    fields = _object(value, {"kind": text, "content": text, "steps": texts}, ())
    if not fields.get("content", "").strip() and not fields.get("steps"):
        raise Fault('"payload" needs a "content" or "steps"')
    return Payload(fields.get("content", ""), fields.get("kind", ""), fields.get("steps", ()))


def _evidence(value: Json) -> tuple[Evidence, ...]:
    if isinstance(value, str):
        value = [value]
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
        {"kind": text, "ref": text, "at": time, "quote": text, "scenario": text, "effect": text},
        ("kind",),
    )


def _failures(value: Json) -> dict[str, str]:
    if not isinstance(value, dict):
        raise Fault('"open_failures" maps a scenario to a time')
    for scenario, at in value.items():
        try:
            time(at)
        except Fault:
            raise Fault(
                '"{name}" is a time such as 2026-02-20T09:00:00Z', (scenario,), name=scenario
            ) from None
    return {scenario: str(at) for scenario, at in value.items()}


def _record(value: Json) -> Record:
    return Record(**_object(value, {"ok": whole(0), "failed": whole(0)}, ()))


_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def _day(value: Json) -> str:
    if not isinstance(value, str) or not _DAY.fullmatch(value):
        raise Fault('"{name}" is a day such as 2026-02-20')
    return value


def _doubt(value: Json) -> Doubt:
    fields = _object(value, {"value": between(0, 1e9), "day": _day, "since": time}, ("value", "day"))
    return Doubt(**fields)


def _trial(value: Json) -> dict[str, Arms]:
    rows = mapping(value)
    for share, row in rows.items():
        counts = row if isinstance(row, list) else []
        if len(counts) != 4 or any(type(n) is not int or n < 0 for n in counts):
            raise Fault(
                '"{name}" is four whole numbers: ok, failed, and both without it',
                (share,),
                name=share,
            )
    return {share: tuple(row) for share, row in rows.items()}  # type: ignore[misc, arg-type]


def _reported(value: Json) -> Reported:
    return Reported(**_object(value, {"report": text, "at": time, "hash": text}, ("report", "at", "hash")))


def _approved(value: Json) -> Approved:
    readers = {"at": time, "by": text, "report": text, "hash": text, "signature": text}
    return Approved(**_object(value, readers, ("at", "by", "hash")))


def _archived(value: Json) -> Archived:
    readers = {"from": _suggested, "at": time, "reason": _one_of("rejected", "obsolete")}
    fields = _object(value, readers, ("from", "at", "reason"))
    return Archived(fields["from"], fields["at"], fields["reason"])


FIELDS: Mapping[str, Callable[[Json], Any]] = {
    "id": _block_id,
    "key": text,
    "type": _one_of(*BLOCK_TYPES),
    "about": _one_of(*ABOUT),
    "trigger": _trigger,
    "payload": _payload,
    "state": _one_of(*STATES),
    "verifications": whole(0),
    "verifications_local": whole(0),
    "observations": whole(0),
    "open_failures": _failures,
    "record": _record,
    "doubt": _doubt,
    "trial": _trial,
    "project": text,
    "importance": between(0, 1),
    "emotional_weight": between(-1, 1),
    "tags": texts,
    "related": _ids,
    "supersedes": _block_id,
    "shareable": flag,
    "origin": _origin,
    "access_count": whole(0),
    "last_accessed_at": time,
    "consolidation_score": between(0, 1),
    "evidence": _evidence,
    "reported": _reported,
    "approved": _approved,
    "suggested": _suggested,
    "archived": _archived,
    "created_at": time,
    "updated_at": time,
}
"""The reader of every key that a block may have, in the order in which keys are written."""
