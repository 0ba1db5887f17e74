"""The fields of a block: each one's reader, which returns a value or raises ``Fault``, and its JSON Schema.

Source: the table of fields in DESIGN 3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from alice_exp.kernel.jsonc.scan import Json
from alice_exp.model.formats.field_readers import (
    MOMENT,
    SAID,
    TEXT,
    Fault,
    Field,
    Reader,
    Shape,
    between,
    field,
    filled,
    flag,
    listed,
    mapping,
    matching,
    readers,
    said,
    shaped,
    shapes,
    text,
    texts,
    time,
    whole,
    within,
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
DAY = re.compile(r"\d{4}-\d\d-\d\d")
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
ORIGIN = re.compile(rf"(?:local|heard|cues|shared_from_{NAME.pattern}|import:{NAME.pattern})")
_NAMESPACE = re.compile(rf"(?:personal|universal|low_value|low_value_pool)/{NAME.pattern}")

_block_id = matching(ID, 'an id is "exp-" and 8 characters of a-z and 2-9')
_origin = matching(ORIGIN, '"origin" is "local", "heard", "cues", "shared_from_NAME" or "import:KIND"')
_day = matching(DAY, '"{name}" is a day such as 2026-02-20')
_suggested = matching(_NAMESPACE, '"{name}" is SET/NAME, as universal/tool_usage')


def _one_of(*choices: str) -> Reader:
    @shaped({"enum": [*choices]})
    def read(value: Json) -> str:
        if not isinstance(value, str) or value not in choices:
            raise Fault('"{name}" is one of {choices}', choices=", ".join(choices))
        return value

    return read


@shaped({"type": "array", "items": {"type": "string", "pattern": f"^{ID.pattern}$"}})
def _ids(value: Json) -> tuple[str, ...]:
    found = texts(value)
    for index, item in enumerate(found):
        if not ID.fullmatch(item):
            raise Fault('an id is "exp-" and 8 characters of a-z and 2-9', (index,))
    return found


_whole_trigger = within(
    Trigger,
    (),
    '"{name}" is a text or an object',
    text=field(text, "The situation, in words."),
    keywords=field(texts, "Words that find it as well."),
    context=field(mapping, "The surroundings in which it holds, as key and value."),
)


@shaped({"oneOf": [TEXT, field(_whole_trigger).shape]})
def _trigger(value: Json) -> Trigger:
    return Trigger(value) if isinstance(value, str) else _whole_trigger(value)


_whole_payload = within(
    dict[str, Any],
    (),
    '"{name}" is a text or an object',
    kind=field(text, "What kind of text it is, as you call it."),
    content=field(text, "What to do or to believe."),
    steps=field(texts, "The same as steps, in order."),
)
_HOLDS: Shape = {
    "anyOf": [
        {"properties": {"content": SAID}, "required": ["content"]},
        {"properties": {"steps": {"minItems": 1}}, "required": ["steps"]},
    ]
}


@shaped({"oneOf": [SAID, field(_whole_payload).shape | _HOLDS]})
def _payload(value: Json) -> Payload:
    if isinstance(value, str):
        return Payload(filled(value))
    fields = _whole_payload(value)
    if not fields.get("content", "").strip() and not fields.get("steps"):
        raise Fault('"payload" needs a "content" or "steps"')
    return Payload(fields.get("content", ""), fields.get("kind", ""), fields.get("steps", ()))


_whole_piece = within(
    Evidence,
    ("kind",),
    kind=field(text, "What it is: note, outcome, episode, event, decision, act, shared."),
    ref=field(text, "Where it comes from: the id of an act, an episode, an event, or session#index."),
    at=field(time, "When: ISO-8601 in UTC, as 2026-02-20T09:00:00Z."),
    quote=field(text, "What was said or seen."),
    scenario=field(text, "Where an outcome happened; failures count once a scenario."),
    effect=field(text, "What an outcome was: ok, fail, debounced or still_true."),
)


@shaped({"oneOf": [TEXT, field(_whole_piece).shape]})
def _piece(value: Json) -> Evidence:
    return Evidence("note", quote=value) if isinstance(value, str) else _whole_piece(value)


_pieces = listed(_piece, '"evidence" is a list of {{"kind", "ref", "at", "quote"}}')


@shaped({"oneOf": [TEXT, field(_pieces).shape]})
def _evidence(value: Json) -> tuple[Evidence, ...]:
    return _pieces([value] if isinstance(value, str) else value)


@shaped({"type": "object", "additionalProperties": MOMENT})
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


_doubt = within(
    Doubt,
    ("value", "day"),
    value=field(between(0, 1e9), "From 1 on you are asked whether it still holds."),
    day=field(_day, "The day of the last outcome."),
    since=field(time, "In doubt since."),
    asked=field(time, "When a report asked about it last."),
    beside=field(_ids, "What was told with it when the doubt came."),
    rate=field(between(0, 1), "As a newcomer: how often what was told with it worked."),
    against=field(between(0, 1e9), "What its first outcomes say against it beside that."),
)
_reported = within(Reported, ("report", "at", "hash"), report=field(text), at=field(time), hash=field(text))
_approved = within(
    Approved, ("at", "by", "hash"), at=field(time), by=field(text), report=field(text), hash=field(text)
)
_archived = within(
    lambda **fields: Archived(fields["from"], fields["at"], fields["reason"]),
    ("from", "at", "reason"),
    **{"from": Field(_suggested, TEXT)},
    at=field(time),
    reason=field(_one_of("rejected", "obsolete")),
)

_ROWS: Mapping[str, Field] = {
    "id": field(_block_id, "exp- and 8 characters of a-z and 2-9; leave it out, it is filled in."),
    "key": field(text, "A name from outside, unique together with the type."),
    "type": field(_one_of(*BLOCK_TYPES), "What kind of knowledge it is; fact where it is left out."),
    "about": field(_one_of(*ABOUT), "About the work or about you; what is about you never leaves."),
    "trigger": field(_trigger, "When it applies; empty: found by the payload alone."),
    "payload": field(_payload, "What to do or to believe; the one field that must be there."),
    "state": field(_one_of(*STATES), "How far it is trusted; outcomes raise and lower it."),
    "verifications": field(whole(0), "Successful uses."),
    "verifications_local": field(whole(0), "Successful uses in this home."),
    "observations": field(whole(0), "How often the same was learned again."),
    "open_failures": field(_failures, "Scenarios in which it failed last, and when."),
    "record": field(
        within(Record, ok=field(whole(0)), failed=field(whole(0))),
        "All outcomes ever: successes and failures.",
    ),
    "doubt": field(_doubt, "How much recent outcomes speak against it."),
    "project": field(text, "The project that it belongs to; none: everywhere."),
    "importance": field(between(0, 1), "From 0 to 1; 0.5 where it is left out."),
    "emotional_weight": field(between(-1, 1), "From -1 to 1."),
    "tags": field(texts, "Words of your own to choose by."),
    "related": field(_ids, "Blocks that belong with it."),
    "replaces": field(_ids, "Blocks in whose place it came; once it is approved they wait."),
    "both": field(_ids, "Blocks that hold beside it, whatever they seem to say against it."),
    "shareable": field(flag, "Whether it may leave this machine; share allow sets it."),
    "origin": field(_origin, "local, heard, cues, shared_from_NAME or import:KIND."),
    "access_count": field(whole(0), "How often it was read."),
    "last_accessed_at": field(time, "When it was read last."),
    "consolidation_score": field(between(0, 1), "How settled it is, as of the last report."),
    "evidence": field(_evidence, "What it rests on: a text, or a list of texts and pieces, the newest 20."),
    "reported": field(_reported, "The report that showed it."),
    "approved": field(
        _approved, "Who approved it, and what it said then; written by hand it grants nothing."
    ),
    "suggested": field(_suggested, "The namespace to which an approval would take it."),
    "archived": field(_archived, "Where it was before it came into the archive, and why."),
    "created_at": field(time, "When it was learned; filled in."),
    "updated_at": field(time, "When it last changed; filled in."),
}
"""Every key that a block may have, in the order in which keys are written."""

FIELDS: Mapping[str, Reader] = readers(_ROWS)
"""The reader of every key, in that order."""

PAST: Mapping[str, Shape] = {
    "supersedes": {
        **field(_block_id, "Of version 0.2.0, where an approval left it open whether the other holds.").shape,
        "deprecated": True,
    },
    "trial": {
        **said({"type": "object"}, "Of version 0.2.0: outcomes of decisions that left it out by lot."),
        "deprecated": True,
    },
}
"""The JSON Schema of keys that earlier versions wrote: they stay where they are, and nothing reads them."""

SHAPES: Shape = {**shapes(_ROWS), **PAST}
"""The JSON Schema of every key, with its description."""
