"""The JSON Schemas of the home's files, for completion and validation in editors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from alice_exp.model.formats.block_fields import NAME, ORIGIN
from alice_exp.model.values.block import ABOUT, BLOCK_TYPES, STATES
from alice_exp.model.values.config import OPTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from alice_exp.kernel.jsonc.problem import Json
    from alice_exp.model.values.config import Kind

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_TEXT: dict[str, Json] = {"type": "string"}
_SAID: dict[str, Json] = {"type": "string", "pattern": r"\S"}
_TEXTS: dict[str, Json] = {"type": "array", "items": {"type": "string"}}
_COUNT: dict[str, Json] = {"type": "integer", "minimum": 0}
_TIME: dict[str, Json] = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$"}
_ID: dict[str, Json] = {"type": "string", "pattern": "^exp-[a-z2-9]{8}$"}
_ORIGIN: dict[str, Json] = {"type": "string", "pattern": f"^(?:{ORIGIN.pattern})$"}
_NAMESPACE: dict[str, Json] = {
    "type": "string",
    "pattern": f"^(?:personal|universal|low_value|low_value_pool)/{NAME.pattern}$",
}
_SHARE: dict[str, Json] = {"type": "number", "minimum": 0, "maximum": 1}
_MAP: dict[str, Json] = {"type": "object"}
_KINDS: Mapping[Kind, Json] = {
    "count": _COUNT,
    "share": _SHARE,
    "days": {"type": "number", "exclusiveMinimum": 0},
    "flag": {"type": "boolean"},
    "text": _TEXT,
}


def _said(shape: Mapping[str, Json], what: str) -> dict[str, Json]:
    """A field's shape with what an editor shows of it."""
    return {**shape, "description": what}


def _inner(required: tuple[str, ...] = (), **fields: dict[str, Json]) -> dict[str, Json]:
    """An object within a field, whose other keys are nobody's business, as for ``check``."""
    return {"type": "object", "properties": {**fields}, "required": [*required]}


_TRIGGER = _inner(
    text=_said(_TEXT, "The situation, in words."),
    keywords=_said(_TEXTS, "Words that find it as well."),
    context=_said(_MAP, "The surroundings in which it holds, as key and value."),
)
_PAYLOAD: dict[str, Json] = {
    **_inner(
        kind=_said(_TEXT, "What kind of text it is, as you call it."),
        content=_said(_TEXT, "What to do or to believe."),
        steps=_said(_TEXTS, "The same as steps, in order."),
    ),
    "anyOf": [
        {"properties": {"content": _SAID}, "required": ["content"]},
        {"properties": {"steps": {"minItems": 1}}, "required": ["steps"]},
    ],
}
_PIECE = _inner(
    ("kind",),
    kind=_said(_TEXT, "What it is: note, outcome, episode, event, decision, act, shared."),
    ref=_said(_TEXT, "Where it comes from: the id of an act, an episode, an event, or session#index."),
    at=_said(_TIME, "When: ISO-8601 in UTC, as 2026-02-20T09:00:00Z."),
    quote=_said(_TEXT, "What was said or seen."),
    scenario=_said(_TEXT, "Where an outcome happened; failures count once a scenario."),
    effect=_said(_TEXT, "What an outcome was: ok, fail, debounced, doubted or still_true."),
)
_BLOCK: dict[str, Json] = {
    "id": _said(_ID, "exp- and 8 characters of a-z and 2-9; leave it out, it is filled in."),
    "key": _said(_TEXT, "A name from outside, unique together with the type."),
    "type": _said({"enum": list(BLOCK_TYPES)}, "What kind of knowledge it is; fact where it is left out."),
    "about": _said({"enum": list(ABOUT)}, "About the work or about you; what is about you never leaves."),
    "trigger": _said({"oneOf": [_TEXT, _TRIGGER]}, "When it applies; empty: found by the payload alone."),
    "payload": _said(
        {"oneOf": [_SAID, _PAYLOAD]}, "What to do or to believe; the one field that must be there."
    ),
    "state": _said({"enum": list(STATES)}, "How far it is trusted; outcomes raise and lower it."),
    "verifications": _said(_COUNT, "Successful uses."),
    "verifications_local": _said(_COUNT, "Successful uses in this home."),
    "observations": _said(_COUNT, "How often the same was learned again."),
    "open_failures": _said(
        {"type": "object", "additionalProperties": _TIME}, "Scenarios in which it failed last, and when."
    ),
    "record": _said(_inner(ok=_COUNT, failed=_COUNT), "All outcomes ever: successes and failures."),
    "doubt": _said(
        _inner(
            ("value", "day"),
            value=_said({"type": "number", "minimum": 0}, "From 1 on you are asked whether it still holds."),
            day=_said({"type": "string", "pattern": r"^\d{4}-\d\d-\d\d$"}, "The day of the last outcome."),
            since=_said(_TIME, "In doubt since."),
        ),
        "How much recent outcomes speak against it.",
    ),
    "trial": _said(
        {
            "type": "object",
            "additionalProperties": {"type": "array", "items": _COUNT, "minItems": 4, "maxItems": 4},
        },
        "By share of decisions by lot: ok and failed with it, ok and failed without it.",
    ),
    "importance": _said(_SHARE, "From 0 to 1; 0.5 where it is left out."),
    "project": _said(_TEXT, "The project that it belongs to; none: everywhere."),
    "emotional_weight": _said({"type": "number", "minimum": -1, "maximum": 1}, "From -1 to 1."),
    "tags": _said(_TEXTS, "Words of your own to choose by."),
    "related": _said({"type": "array", "items": _ID}, "Blocks that belong with it."),
    "supersedes": _said(_ID, "The block in whose place it came."),
    "shareable": _said({"type": "boolean"}, "Whether it may leave this machine; share allow sets it."),
    "origin": _said(_ORIGIN, "local, shared_from_NAME or import:KIND."),
    "access_count": _said(_COUNT, "How often it was read."),
    "last_accessed_at": _said(_TIME, "When it was read last."),
    "consolidation_score": _said(_SHARE, "How settled it is, as of the last report."),
    "evidence": _said(
        {"oneOf": [_TEXT, {"type": "array", "items": {"oneOf": [_TEXT, _PIECE]}}]},
        "What it rests on: a text, or a list of texts and pieces, the newest 20.",
    ),
    "reported": _said(
        _inner(("report", "at", "hash"), report=_TEXT, at=_TIME, hash=_TEXT), "The report that showed it."
    ),
    "approved": _said(
        _inner(("at", "by", "hash"), at=_TIME, by=_TEXT, report=_TEXT, hash=_TEXT, signature=_TEXT),
        "Who approved it, and what it said then; written by hand it grants nothing.",
    ),
    "suggested": _said(_NAMESPACE, "The namespace to which an approval would take it."),
    "archived": _said(
        _inner(
            ("from", "at", "reason"), **{"from": _TEXT}, at=_TIME, reason={"enum": ["rejected", "obsolete"]}
        ),
        "Where it was before it came into the archive, and why.",
    ),
    "created_at": _said(_TIME, "When it was learned; filled in."),
    "updated_at": _said(_TIME, "When it last changed; filled in."),
}
_SCHEMA = _said(_TEXT, "Where editors find this description.")


def schemas() -> dict[str, str]:
    """The text of each schema, by its path under ``experiences/``."""
    named = {"namespace": _namespace(), "config": _config(), "episodes": _episodes(), "events": _events()}
    return {
        f".schema/{name}.json": json.dumps({"$schema": _DRAFT, **body}, ensure_ascii=False, indent=2) + "\n"
        for name, body in named.items()
    }


def _object(properties: dict[str, Json], required: tuple[str, ...] = ()) -> dict[str, Json]:
    """An object with these keys, and those that begin with x-, which are the person's own."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "patternProperties": {"^x-": {}},
        "additionalProperties": False,
    }


def _namespace() -> dict[str, Json]:
    blocks = _said(
        {"type": "array", "items": _object(_BLOCK, ("payload",))}, "What is known, block by block."
    )
    return _object({"$schema": _SCHEMA, "blocks": blocks})


def _config() -> dict[str, Json]:
    root: dict[str, Json] = {"$schema": _SCHEMA}
    groups: dict[str, dict[str, Json]] = {}
    for option in OPTIONS:
        head, _, key = option.name.rpartition(".")
        kind = _KINDS[option.kind]
        shape = {**(kind if isinstance(kind, dict) else {}), "default": option.default}
        (groups.setdefault(head, {}) if head else root)[key] = _said(shape, f"{option.doc}.")
    nested: dict[str, Json] = {head: _object(keys) for head, keys in groups.items()}
    return _object(root | nested)


def _episodes() -> dict[str, Json]:
    episode = _object(
        {
            "id": _said({"type": "string", "pattern": "^ep-[a-z2-9]{8}$"}, "Filled in where it is left out."),
            "task": _said(_SAID, "What was to be done."),
            "context": _said(_MAP, "The surroundings, as key and value."),
            "action": _said(_TEXT, "What was done."),
            "result": _said({}, "What came of it."),
            "success": _said({"type": "boolean"}, "Whether it worked."),
            "reward": _said(_SHARE, "How well it went, from 0 to 1."),
            "at": _said(_TIME, "When: ISO-8601 in UTC."),
            "reflection": _said(_TEXT, "What was learned from it."),
            "type": _said(_TEXT, "What kind of task it was."),
            "result_truncated": _said(
                {"type": "boolean"}, "Whether the result was longer than what is kept."
            ),
            "result_length": _said(_COUNT, "Characters of the whole result."),
            "access_count": _said(_COUNT, "How often it was found."),
        },
        ("task",),
    )
    return _object(
        {
            "$schema": _SCHEMA,
            "capacity": _said(
                {"type": "integer", "minimum": 1}, "How many are kept here; git keeps the rest."
            ),
            "episodes": _said({"type": "array", "items": episode}, "What happened, task by task."),
        }
    )


def _events() -> dict[str, Json]:
    event = _object(
        {
            "at": _said(_TIME, "When: ISO-8601 in UTC."),
            "thought": _said(_TEXT, "What was thought."),
            "context": _said(_TEXT, "In which situation."),
            "action": _said(_TEXT, "What was done."),
            "result": _said({}, "What came of it."),
            "metadata": _said(_MAP, "Whatever else is to be kept."),
        }
    )
    segment = _object(
        {
            "id": _said(_COUNT, "Counts up; never given twice."),
            "start": _said(_TIME, "The first thought's time."),
            "end": _said(_TIME, "The last thought's time."),
            "segment_length": _said(_COUNT, "How many thoughts it stands for."),
            "compression_level": _said(_COUNT, "How often it was merged."),
            "summary": _said(_TEXT, "What happened, in short."),
            "key_events": _said(_TEXTS, "What must not be lost in a summary."),
            "events": _said({"type": "array", "items": event}, "The thoughts that are here word for word."),
        }
    )
    return _object(
        {
            "$schema": _SCHEMA,
            "next_id": _said(_COUNT, "The id of the next segment."),
            "total_events": _said(_COUNT, "All thoughts ever."),
            "total_compressions": _said(_COUNT, "All merges ever."),
            "segments": _said({"type": "array", "items": segment}, "The diary, oldest first."),
        }
    )
