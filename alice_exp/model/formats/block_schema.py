"""The fields of a block, each one's reader and JSON Schema; converts namespace files to blocks and back.

Reading turns JSON values into ``Block`` and every fault into a ``Problem`` with its position; writing yields the JSON
of a block without defaults. Sources: DESIGN 3 (table of fields), B2.39, R3.3.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias

from alice_exp.kernel.jsonc import Json, Problem
from alice_exp.model.formats.field_readers import (
    MOMENT,
    SAID,
    TEXT,
    Fault,
    Field,
    Reader,
    Reading,
    Shape,
    between,
    field,
    filled,
    flag,
    listed,
    mapping,
    matching,
    read_object,
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
    NAME,
    STATES,
    Approved,
    Archived,
    Block,
    Doubt,
    Evidence,
    Payload,
    Place,
    Record,
    Reported,
    State,
    Trigger,
    place_of,
)

if TYPE_CHECKING:
    from alice_exp.kernel.jsonc.document import Document, Unchanged

ID = re.compile(r"exp-[a-z2-9]{8}")
DAY = re.compile(r"\d{4}-\d\d-\d\d")
ORIGIN = re.compile(rf"(?:local|heard|cues|shared_from_{NAME.pattern}|import:{NAME.pattern})")
_NAMESPACE = re.compile(rf"(?:personal|universal|low_value|low_value_pool)/{NAME.pattern}")

_block_id = matching(ID, 'an id is "exp-" and 8 characters of a-z and 2-9')
_ids = listed(_block_id, '"{name}" is a list of texts')
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


def _or_text(make: Callable[[str], object], reader: Reader) -> Reader:
    """The reader, which takes a text, too, for what it makes."""

    @shaped({"oneOf": [TEXT, field(reader).shape]})
    def read(value: Json) -> Any:
        return make(value) if isinstance(value, str) else reader(value)

    return read


_trigger = _or_text(
    Trigger,
    within(
        Trigger,
        (),
        '"{name}" is a text or an object',
        text=field(text, "The situation, in words."),
        keywords=field(texts, "Words that find it as well."),
        context=field(mapping, "The surroundings in which it holds, as key and value."),
    ),
)
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


_piece = _or_text(
    lambda said: Evidence("note", quote=said),
    within(
        Evidence,
        ("kind",),
        kind=field(text, "What it is: note, outcome, episode, event, decision, act, shared."),
        ref=field(text, "Where it comes from: the id of an act, an episode, an event, or session#index."),
        at=field(time, "When: ISO-8601 in UTC, as 2026-02-20T09:00:00Z."),
        quote=field(text, "What was said or seen."),
        scenario=field(text, "Where an outcome happened; failures count once a scenario."),
        effect=field(text, "What an outcome was: ok, fail, debounced or still_true."),
    ),
)
_evidence = _or_text(
    lambda said: (_piece(said),), listed(_piece, '"evidence" is a list of {{"kind", "ref", "at", "quote"}}')
)


@shaped({"type": "object", "additionalProperties": MOMENT})
def _failures(value: Json) -> dict[str, str]:
    if not isinstance(value, dict):
        raise Fault('"open_failures" maps a scenario to a time')
    return read_object(value, dict.fromkeys(value, time))[0]


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

_KEYS: Mapping[str, Field] = {
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

FIELDS: Mapping[str, Reader] = readers(_KEYS)

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

SHAPES: Shape = {**shapes(_KEYS), **PAST}


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

_TRIGGER = ("text", "keywords", "context")
_PAYLOAD = ("kind", "content", "steps")
_PIECE = ("kind", "ref", "at", "quote", "scenario", "effect")


def _present(names: tuple[str, ...], value: object) -> dict[str, Json]:
    """The fields of a value that are not empty."""
    found = ((name, getattr(value, name)) for name in names)
    return {name: list(one) if isinstance(one, tuple) else one for name, one in found if one}


_SPECIAL: Mapping[str, Callable[[Any], Json]] = {
    "trigger": lambda value: _present(_TRIGGER, value) if value.keywords or value.context else value.text,
    "payload": lambda value: _present(_PAYLOAD, value) if value.kind or value.steps else value.content,
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
