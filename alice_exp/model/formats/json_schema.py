"""The JSON Schemas of the home's files, for completion and validation in editors."""

from __future__ import annotations

import json
from collections.abc import Mapping

from alice_exp.kernel.jsonc.problem import Json
from alice_exp.model.formats.block_fields import SHAPES
from alice_exp.model.formats.field_readers import COUNT, FLAG, SHARE, TEXT, said
from alice_exp.model.formats.record_schema import shapes
from alice_exp.model.values.config import OPTIONS, Kind

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_KINDS: Mapping[Kind, Json] = {
    "count": COUNT,
    "share": SHARE,
    "days": {"type": "number", "exclusiveMinimum": 0},
    "flag": FLAG,
    "text": TEXT,
}


_SCHEMA = said(TEXT, "Where editors find this description.")


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
    blocks = said(
        {"type": "array", "items": _object({**SHAPES}, ("payload",))}, "What is known, block by block."
    )
    return _object({"$schema": _SCHEMA, "blocks": blocks})


def _config() -> dict[str, Json]:
    root: dict[str, Json] = {"$schema": _SCHEMA}
    groups: dict[str, dict[str, Json]] = {}
    for option in OPTIONS:
        head, _, key = option.name.rpartition(".")
        kind = _KINDS[option.kind]
        shape = {**(kind if isinstance(kind, dict) else {}), "default": option.default}
        (groups.setdefault(head, {}) if head else root)[key] = said(shape, f"{option.doc}.")
    nested: dict[str, Json] = {head: _object(keys) for head, keys in groups.items()}
    return _object(root | nested)


def _episodes() -> dict[str, Json]:
    listed = said(
        {"type": "array", "items": _object(shapes("episode"), ("task",))}, "What happened, task by task."
    )
    kept = said({"type": "integer", "minimum": 1}, "How many are kept here; git keeps the rest.")
    return _object({"$schema": _SCHEMA, "capacity": kept, "episodes": listed})


def _events() -> dict[str, Json]:
    told: dict[str, Json] = {"type": "array", "items": _object(shapes("event"))}
    segment = shapes("segment") | {"events": said(told, "The thoughts that are here word for word.")}
    return _object(
        {
            "$schema": _SCHEMA,
            "next_id": said(COUNT, "The id of the next segment."),
            "total_events": said(COUNT, "All thoughts ever."),
            "total_compressions": said(COUNT, "All merges ever."),
            "segments": said({"type": "array", "items": _object(segment)}, "The diary, oldest first."),
        }
    )
