"""The fields of a block: each one's reader, which returns a value or raises ``Fault``, and its JSON Schema.

Source: the table of fields in DESIGN 3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from alice_exp.kernel.jsonc.scan import Json
from alice_exp.model.formats.field_readers import (
    COUNT,
    MAP,
    MOMENT,
    SAID,
    SHARE,
    TEXT,
    TEXTS,
    Fault,
    Reader,
    between,
    filled,
    flag,
    mapping,
    matching,
    nested,
    read_object,
    said,
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
    Doubt,
    Evidence,
    Payload,
    Record,
    Reported,
    Trigger,
)

ID = re.compile(r"exp-[a-z2-9]{8}")
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
ORIGIN = re.compile(r"local|heard|cues|shared_from_[a-z0-9][a-z0-9_-]{0,63}|import:[a-z0-9][a-z0-9_-]{0,63}")


_block_id = matching(ID, 'an id is "exp-" and 8 characters of a-z and 2-9')
_origin = matching(ORIGIN, '"origin" is "local", "heard", "cues", "shared_from_NAME" or "import:KIND"')
_day = matching(re.compile(r"\d{4}-\d\d-\d\d"), '"{name}" is a day such as 2026-02-20')


def _suggested(value: Json) -> str:
    place, _, name = value.partition("/") if isinstance(value, str) else ("", "", "")
    if place not in ("personal", "universal", "low_value", "low_value_pool") or not NAME.fullmatch(name):
        raise Fault('"{name}" is SET/NAME, as universal/tool_usage')
    return str(value)


def _one_of(*choices: str) -> Reader:
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
    value: Json,
    readers: Mapping[str, Reader],
    required: tuple[str, ...] = (),
    or_text: bool = False,
) -> dict[str, Any]:
    """Read a nested object by a table of readers; unknown keys are allowed and stay in the file."""
    if not isinstance(value, dict):
        raise Fault('"{name}" is a text or an object' if or_text else '"{name}" is an object')
    fields, _ = read_object(value, readers)
    for key in required:
        if key not in fields:
            raise Fault('"{key}" is missing here', key=key)
    return fields


def _trigger(value: Json) -> Trigger:
    if isinstance(value, str):
        return Trigger(value)
    return Trigger(**_object(value, {"text": text, "keywords": texts, "context": mapping}, or_text=True))


def _payload(value: Json) -> Payload:
    if isinstance(value, str):
        return Payload(filled(value))
    fields = _object(value, {"kind": text, "content": text, "steps": texts}, or_text=True)
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
    return Record(**_object(value, {"ok": whole(0), "failed": whole(0)}))


def _doubt(value: Json) -> Doubt:
    readers = {
        "value": between(0, 1e9),
        "day": _day,
        "since": time,
        "asked": time,
        "beside": _ids,
        "rate": between(0, 1),
        "against": between(0, 1e9),
    }
    return Doubt(**_object(value, readers, ("value", "day")))


def _reported(value: Json) -> Reported:
    return Reported(**_object(value, {"report": text, "at": time, "hash": text}, ("report", "at", "hash")))


def _approved(value: Json) -> Approved:
    readers = {"at": time, "by": text, "report": text, "hash": text}
    return Approved(**_object(value, readers, ("at", "by", "hash")))


def _archived(value: Json) -> Archived:
    readers = {"from": _suggested, "at": time, "reason": _one_of("rejected", "obsolete")}
    fields = _object(value, readers, ("from", "at", "reason"))
    return Archived(fields["from"], fields["at"], fields["reason"])


_ID: dict[str, Json] = {"type": "string", "pattern": "^exp-[a-z2-9]{8}$"}
_IDS: dict[str, Json] = {"type": "array", "items": _ID}
_ORIGIN: dict[str, Json] = {"type": "string", "pattern": f"^(?:{ORIGIN.pattern})$"}
_NAMESPACE: dict[str, Json] = {
    "type": "string",
    "pattern": f"^(?:personal|universal|low_value|low_value_pool)/{NAME.pattern}$",
}
_TRIGGER = nested(
    text=said(TEXT, "The situation, in words."),
    keywords=said(TEXTS, "Words that find it as well."),
    context=said(MAP, "The surroundings in which it holds, as key and value."),
)
_PAYLOAD: dict[str, Json] = {
    **nested(
        kind=said(TEXT, "What kind of text it is, as you call it."),
        content=said(TEXT, "What to do or to believe."),
        steps=said(TEXTS, "The same as steps, in order."),
    ),
    "anyOf": [
        {"properties": {"content": SAID}, "required": ["content"]},
        {"properties": {"steps": {"minItems": 1}}, "required": ["steps"]},
    ],
}
_PIECE = nested(
    ("kind",),
    kind=said(TEXT, "What it is: note, outcome, episode, event, decision, act, shared."),
    ref=said(TEXT, "Where it comes from: the id of an act, an episode, an event, or session#index."),
    at=said(MOMENT, "When: ISO-8601 in UTC, as 2026-02-20T09:00:00Z."),
    quote=said(TEXT, "What was said or seen."),
    scenario=said(TEXT, "Where an outcome happened; failures count once a scenario."),
    effect=said(TEXT, "What an outcome was: ok, fail, debounced or still_true."),
)
_ROWS: Mapping[str, tuple[Reader, dict[str, Json]]] = {
    "id": (_block_id, said(_ID, "exp- and 8 characters of a-z and 2-9; leave it out, it is filled in.")),
    "key": (text, said(TEXT, "A name from outside, unique together with the type.")),
    "type": (
        _one_of(*BLOCK_TYPES),
        said({"enum": list(BLOCK_TYPES)}, "What kind of knowledge it is; fact where it is left out."),
    ),
    "about": (
        _one_of(*ABOUT),
        said({"enum": list(ABOUT)}, "About the work or about you; what is about you never leaves."),
    ),
    "trigger": (
        _trigger,
        said({"oneOf": [TEXT, _TRIGGER]}, "When it applies; empty: found by the payload alone."),
    ),
    "payload": (
        _payload,
        said({"oneOf": [SAID, _PAYLOAD]}, "What to do or to believe; the one field that must be there."),
    ),
    "state": (
        _one_of(*STATES),
        said({"enum": list(STATES)}, "How far it is trusted; outcomes raise and lower it."),
    ),
    "verifications": (whole(0), said(COUNT, "Successful uses.")),
    "verifications_local": (whole(0), said(COUNT, "Successful uses in this home.")),
    "observations": (whole(0), said(COUNT, "How often the same was learned again.")),
    "open_failures": (
        _failures,
        said(
            {"type": "object", "additionalProperties": MOMENT}, "Scenarios in which it failed last, and when."
        ),
    ),
    "record": (_record, said(nested(ok=COUNT, failed=COUNT), "All outcomes ever: successes and failures.")),
    "doubt": (
        _doubt,
        said(
            nested(
                ("value", "day"),
                value=said(
                    {"type": "number", "minimum": 0}, "From 1 on you are asked whether it still holds."
                ),
                day=said({"type": "string", "pattern": r"^\d{4}-\d\d-\d\d$"}, "The day of the last outcome."),
                since=said(MOMENT, "In doubt since."),
                asked=said(MOMENT, "When a report asked about it last."),
                beside=said({"type": "array", "items": _ID}, "What was told with it when the doubt came."),
                rate=said(SHARE, "As a newcomer: how often what was told with it worked."),
                against=said(
                    {"type": "number", "minimum": 0}, "What its first outcomes say against it beside that."
                ),
            ),
            "How much recent outcomes speak against it.",
        ),
    ),
    "project": (text, said(TEXT, "The project that it belongs to; none: everywhere.")),
    "importance": (between(0, 1), said(SHARE, "From 0 to 1; 0.5 where it is left out.")),
    "emotional_weight": (
        between(-1, 1),
        said({"type": "number", "minimum": -1, "maximum": 1}, "From -1 to 1."),
    ),
    "tags": (texts, said(TEXTS, "Words of your own to choose by.")),
    "related": (_ids, said(_IDS, "Blocks that belong with it.")),
    "replaces": (_ids, said(_IDS, "Blocks in whose place it came; once it is approved they wait.")),
    "both": (_ids, said(_IDS, "Blocks that hold beside it, whatever they seem to say against it.")),
    "shareable": (flag, said({"type": "boolean"}, "Whether it may leave this machine; share allow sets it.")),
    "origin": (_origin, said(_ORIGIN, "local, heard, cues, shared_from_NAME or import:KIND.")),
    "access_count": (whole(0), said(COUNT, "How often it was read.")),
    "last_accessed_at": (time, said(MOMENT, "When it was read last.")),
    "consolidation_score": (between(0, 1), said(SHARE, "How settled it is, as of the last report.")),
    "evidence": (
        _evidence,
        said(
            {"oneOf": [TEXT, {"type": "array", "items": {"oneOf": [TEXT, _PIECE]}}]},
            "What it rests on: a text, or a list of texts and pieces, the newest 20.",
        ),
    ),
    "reported": (
        _reported,
        said(
            nested(("report", "at", "hash"), report=TEXT, at=MOMENT, hash=TEXT), "The report that showed it."
        ),
    ),
    "approved": (
        _approved,
        said(
            nested(("at", "by", "hash"), at=MOMENT, by=TEXT, report=TEXT, hash=TEXT),
            "Who approved it, and what it said then; written by hand it grants nothing.",
        ),
    ),
    "suggested": (_suggested, said(_NAMESPACE, "The namespace to which an approval would take it.")),
    "archived": (
        _archived,
        said(
            nested(
                ("from", "at", "reason"),
                **{"from": TEXT},
                at=MOMENT,
                reason={"enum": ["rejected", "obsolete"]},
            ),
            "Where it was before it came into the archive, and why.",
        ),
    ),
    "created_at": (time, said(MOMENT, "When it was learned; filled in.")),
    "updated_at": (time, said(MOMENT, "When it last changed; filled in.")),
}
"""Every key that a block may have, in the order in which keys are written: its reader, and what editors are told."""

FIELDS: Mapping[str, Reader] = {key: read for key, (read, _) in _ROWS.items()}
"""The reader of every key, in that order."""

PAST: Mapping[str, dict[str, Json]] = {
    "supersedes": {
        **said(_ID, "Of version 0.2.0, where an approval left it open whether the other holds."),
        "deprecated": True,
    },
    "trial": {
        **said({"type": "object"}, "Of version 0.2.0: outcomes of decisions that left it out by lot."),
        "deprecated": True,
    },
}
"""The JSON Schema of keys that earlier versions wrote: they stay where they are, and nothing reads them."""

SHAPES: Mapping[str, dict[str, Json]] = {key: shape for key, (_, shape) in _ROWS.items()} | dict(PAST)
"""The JSON Schema of every key, with its description."""
