"""Namespace files as values and back: what a block may say, what may stay unwritten, what is a problem.

Reading turns JSON values into ``Block`` and every fault into a ``Problem`` with its place; writing yields the JSON of a
block without its defaults. Sources: DESIGN 3 (table of fields), B2.39, R3.3.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from alice_exp.core.changes import Pointer
from alice_exp.core.config import Json
from alice_exp.core.model import (
    BLOCK_TYPES,
    STATES,
    Approved,
    Archived,
    Block,
    Evidence,
    Payload,
    Place,
    Problem,
    Reported,
    Severity,
    Trigger,
    place_of,
)
from alice_exp.text.jsonc import Document, locate, locate_key

T = TypeVar("T")

ID = re.compile(r"exp-[a-z2-9]{8}")
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
ORIGIN = re.compile(r"local|shared_from_[a-z0-9][a-z0-9_-]{0,63}|import:[a-z0-9][a-z0-9_-]{0,63}")


class _Fault(Exception):
    """A value that the schema refuses: the sentence, its values, and where below the block it lies."""

    def __init__(self, template: str, below: Pointer = (), **values: object) -> None:
        super().__init__(template)
        self.template = template
        self.below = below
        self.values = values


def read_blocks(document: Document) -> tuple[tuple[Block, ...], tuple[Problem, ...]]:
    """The blocks of a parsed namespace file and everything that is wrong with it.

    One error empties the answer of nothing: the caller decides by severity. Blocks that a person typed without an id
    have ``id == ""`` until they are adopted.
    """
    if document.problem is not None:
        return (), (document.problem,)
    value = document.value
    problems: list[Problem] = []

    def report(fault: _Fault, pointer: Pointer, severity: Severity = "error", hint: str = "") -> None:
        problems.append(_problem(document, pointer, fault.template, fault.values, severity, hint))

    if not isinstance(value, dict):
        report(_Fault('a namespace file is an object with a list named "blocks"'), ())
        return (), tuple(problems)
    for key in value:
        if key not in ("$schema", "blocks") and not key.startswith("x-"):
            problems.append(_unknown(document, (key,), key, ("blocks",)))
    listed = value.get("blocks", [])
    if not isinstance(listed, list):
        report(_Fault('"blocks" is a list of blocks'), ("blocks",))
        return (), tuple(problems)
    blocks: list[Block] = []
    seen: set[str] = set()
    place = place_of(document.path)
    for index, item in enumerate(listed):
        try:
            block = read_block(item, place)
            if block.id and block.id in seen:
                raise _Fault("the id {id} stands twice in this file", ("id",), id=block.id)
        except _Fault as fault:
            report(fault, ("blocks", index, *fault.below))
            continue
        seen.add(block.id)
        blocks.append(block)
        for key in block.extra:
            if not key.startswith("x-"):
                problems.append(_unknown(document, ("blocks", index, key), key, tuple(_FIELDS)))
    return tuple(blocks), tuple(problems)


def read_block(item: Json, place: Place) -> Block:
    """One block from its JSON value; shorthand forms are filled in, defaults follow the set.

    Raises an internal fault that ``read_blocks`` turns into a problem; ``block_of`` is the public form.
    """
    if not isinstance(item, dict):
        raise _Fault('a block is an object with at least a "payload"')
    fields: dict[str, Any] = {}
    extra: dict[str, Json] = {}
    for key, value in item.items():
        reader = _FIELDS.get(key)
        if reader is None:
            extra[key] = value
            continue
        try:
            fields[key] = reader(value)
        except _Fault as fault:
            raise _Fault(fault.template, (key, *fault.below), **{"name": key, **fault.values}) from None
    if "payload" not in fields:
        raise _Fault('a block needs a "payload": what to do or to believe')
    if place == "personal":
        fields.setdefault("state", "past")
        fields.setdefault("about", "user")
    if "verifications" not in fields and fields.get("state") == "past":
        fields["verifications"] = 1
    if extra:
        fields["extra"] = extra
    fields.setdefault("id", "")
    return Block(**fields)


def block_of(item: Json, place: Place) -> Block | str:
    """One block from a JSON value that stands in no file (a line of JSONL): the block, or why it is none."""
    try:
        return read_block(item, place)
    except _Fault as fault:
        return fault.template.format(**fault.values) if fault.values else fault.template


def block_json(block: Block, place: Place) -> dict[str, Json]:
    """The JSON of a block as it stands in a file of that set: keys in their order, defaults left out."""
    written: dict[str, Json] = {"id": block.id}
    for key, write in _WRITERS.items():
        value = getattr(block, key)
        default = _default(key, block, place)
        if value != default:
            written[key] = write(value)
    written.update(block.extra)
    return written


def depends_on_place(key: str) -> bool:
    """Whether a field's default differs between sets, so that a move may have to write or drop it."""
    return key in ("about", "state", "verifications")


def known_keys() -> tuple[str, ...]:
    """Every key that a block may have, in the order in which they are written."""
    return tuple(_FIELDS)


def _default(key: str, block: Block, place: Place) -> object:
    if key == "state":
        return "past" if place == "personal" else "possible"
    if key == "about":
        return "user" if place == "personal" else "work"
    if key == "verifications":
        return 1 if block.state == "past" else 0
    return _DEFAULTS[key]


def _problem(
    document: Document,
    pointer: Pointer,
    template: str,
    values: Mapping[str, object],
    severity: Severity = "error",
    hint: str = "",
) -> Problem:
    """A problem at the nearest place above ``pointer`` that exists in the text."""
    for length in range(len(pointer), -1, -1):
        span = locate(document, pointer[:length])
        if span is not None:
            line, column = document.position(span[0])
            return Problem(document.path, line, column, template, values, severity, hint)
    return Problem(document.path, 1, 1, template, values, severity, hint)


def _unknown(document: Document, pointer: Pointer, key: str, known: tuple[str, ...]) -> Problem:
    from difflib import get_close_matches

    span = locate_key(document, pointer)
    line, column = document.position(span[0]) if span else (1, 1)
    close = get_close_matches(key, known, 1)
    hint = f'did you mean "{close[0]}"?' if close else 'a key of your own starts with "x-"'
    return Problem(
        document.path,
        line,
        column,
        'the key "{key}" is not known; it is kept as it is',
        {"key": key},
        "warning",
        hint,
    )


def _text(value: Json) -> str:
    if not isinstance(value, str):
        raise _Fault('"{name}" is a text')
    return value


def _filled(value: Json) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _Fault('"{name}" is a text that says something')
    return value


def _time(value: Json) -> str:
    if not isinstance(value, str) or not TIME.fullmatch(value) or not _is_real(value):
        raise _Fault('"{name}" is a time such as 2026-02-20T09:00:00Z')
    return value


def _is_real(time: str) -> bool:
    from datetime import datetime

    try:
        datetime.fromisoformat(time)
    except ValueError:
        return False
    return True


def _block_id(value: Json) -> str:
    if not isinstance(value, str) or not ID.fullmatch(value):
        raise _Fault('an id is "exp-" and 8 characters of a-z and 2-9')
    return value


def _origin(value: Json) -> str:
    if not isinstance(value, str) or not ORIGIN.fullmatch(value):
        raise _Fault('"origin" is "local", "shared_from_NAME" or "import:KIND"')
    return value


def _suggested(value: Json) -> str:
    place, _, name = value.partition("/") if isinstance(value, str) else ("", "", "")
    if place not in ("personal", "universal", "low_value", "low_value_pool") or not NAME.fullmatch(name):
        raise _Fault('"{name}" is SET/NAME, as universal/tool_usage')
    return str(value)


def _count(value: Json) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise _Fault('"{name}" is a whole number, 0 or more')
    return value


def _between(low: float, high: float) -> Callable[[Json], float]:
    def read(value: Json) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _Fault('"{name}" is a number from {low:g} to {high:g}', low=low, high=high)
        if not math.isfinite(value) or not low <= value <= high:
            raise _Fault('"{name}" is a number from {low:g} to {high:g}', low=low, high=high)
        return float(value)

    return read


def _flag(value: Json) -> bool:
    if not isinstance(value, bool):
        raise _Fault('"{name}" is true or false')
    return value


def _one_of(*choices: str) -> Callable[[Json], str]:
    allowed = frozenset(choices)

    def read(value: Json) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise _Fault('"{name}" is one of {choices}', choices=", ".join(choices))
        return value

    return read


def _texts(value: Json) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise _Fault('"{name}" is a list of texts')
    for index, item in enumerate(value):
        if not isinstance(item, str):
            raise _Fault('"{name}" is a list of texts', (index,))
    return tuple(str(item) for item in value)


def _ids(value: Json) -> tuple[str, ...]:
    texts = _texts(value)
    for index, item in enumerate(texts):
        if not ID.fullmatch(item):
            raise _Fault('an id is "exp-" and 8 characters of a-z and 2-9', (index,))
    return texts


def _object(
    value: Json, readers: Mapping[str, Callable[[Json], Any]], required: tuple[str, ...]
) -> dict[str, Any]:
    """A nested object by its own table; keys of the person's own are allowed and left in the file."""
    if not isinstance(value, dict):
        raise _Fault('"{name}" is an object')
    fields: dict[str, Any] = {}
    for key, inner in value.items():
        reader = readers.get(key)
        if reader is None:
            continue
        try:
            fields[key] = reader(inner)
        except _Fault as fault:
            raise _Fault(fault.template, (key, *fault.below), **{"name": key, **fault.values}) from None
    for key in required:
        if key not in fields:
            raise _Fault('"{key}" is missing here', key=key)
    return fields


def _context(value: Json) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise _Fault('"{name}" is an object')
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
        raise _Fault('"payload" needs a "content" or "steps"')
    return Payload(fields.get("content", ""), fields.get("kind", ""), fields.get("steps", ()))


def _evidence(value: Json) -> tuple[Evidence, ...]:
    if not isinstance(value, list):
        raise _Fault('"evidence" is a list of {{"kind", "ref", "at", "quote"}}')
    pieces = []
    for index, item in enumerate(value):
        try:
            pieces.append(Evidence("note", quote=item) if isinstance(item, str) else Evidence(**_piece(item)))
        except _Fault as fault:
            raise _Fault(fault.template, (index, *fault.below), **fault.values) from None
    return tuple(pieces)


def _piece(value: Json) -> dict[str, Any]:
    return _object(
        value,
        {"kind": _text, "ref": _text, "at": _time, "quote": _text, "scenario": _text, "effect": _text},
        ("kind",),
    )


def _failures(value: Json) -> dict[str, str]:
    if not isinstance(value, dict):
        raise _Fault('"open_failures" maps a scenario to a time')
    for scenario, at in value.items():
        try:
            _time(at)
        except _Fault:
            raise _Fault(
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


_FIELDS: Mapping[str, Callable[[Json], Any]] = {
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


def _write_trigger(trigger: Trigger) -> Json:
    if not trigger.keywords and not trigger.context:
        return trigger.text
    written: dict[str, Json] = {"text": trigger.text} if trigger.text else {}
    if trigger.keywords:
        written["keywords"] = list(trigger.keywords)
    if trigger.context:
        written["context"] = dict(trigger.context)
    return written


def _write_payload(payload: Payload) -> Json:
    if not payload.kind and not payload.steps:
        return payload.content
    written: dict[str, Json] = {"kind": payload.kind} if payload.kind else {}
    if payload.content:
        written["content"] = payload.content
    if payload.steps:
        written["steps"] = list(payload.steps)
    return written


def _write_evidence(evidence: tuple[Evidence, ...]) -> Json:
    return [_present(("kind", "ref", "at", "quote", "scenario", "effect"), piece) for piece in evidence]


def _present(names: tuple[str, ...], value: object) -> dict[str, Json]:
    return {name: getattr(value, name) for name in names if getattr(value, name)}


def _write_archived(archived: Archived) -> Json:
    return {"from": archived.origin, "at": archived.at, "reason": archived.reason}


def _plain(value: Any) -> Json:
    result: Json = (
        list(value) if isinstance(value, tuple) else dict(value) if isinstance(value, Mapping) else value
    )
    return result


_SPECIAL: Mapping[str, Callable[[Any], Json]] = {
    "trigger": _write_trigger,
    "payload": _write_payload,
    "evidence": _write_evidence,
    "reported": lambda value: _present(("report", "at", "hash"), value),
    "approved": lambda value: _present(("at", "by", "report", "hash", "signature"), value),
    "archived": _write_archived,
}
_WRITERS: Mapping[str, Callable[[Any], Json]] = {
    key: _SPECIAL.get(key, _plain) for key in _FIELDS if key != "id"
}
_BARE = Block(id="", payload=Payload(""))
_DEFAULTS: Mapping[str, object] = {key: getattr(_BARE, key) for key in _WRITERS if key != "payload"} | {
    "payload": None
}
