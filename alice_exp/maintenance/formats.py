"""The JSON Schemas of the home's files, for completion and validation in editors."""

from __future__ import annotations

import json
from collections.abc import Mapping

from alice_exp.model.formats.block_schema import SHAPES
from alice_exp.model.formats.field_readers import (
    TEXT,
    Shape,
    between,
    field,
    flag,
    own_object,
    said,
    whole,
)
from alice_exp.model.formats.record_schema import EPISODE_SHAPE, SEGMENT_SHAPE
from alice_exp.model.values.config import OPTIONS, Kind

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_KINDS: Mapping[Kind, Shape] = {
    "count": field(whole(0)).shape,
    "share": field(between(0, 1)).shape,
    "days": {"type": "number", "exclusiveMinimum": 0},
    "flag": field(flag).shape,
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


def _namespace() -> Shape:
    blocks = said(
        {"type": "array", "items": own_object({**SHAPES}, ("payload",))}, "What is known, block by block."
    )
    return own_object({"$schema": _SCHEMA, "blocks": blocks})


def _config() -> Shape:
    root: Shape = {"$schema": _SCHEMA}
    groups: dict[str, Shape] = {}
    for option in OPTIONS:
        head, _, key = option.name.rpartition(".")
        shape = {**_KINDS[option.kind], "default": option.default}
        (groups.setdefault(head, {}) if head else root)[key] = said(shape, f"{option.doc}.")
    nested: Shape = {head: own_object(keys) for head, keys in groups.items()}
    return own_object(root | nested)


def _episodes() -> Shape:
    many: Shape = {"type": "array", "items": EPISODE_SHAPE}
    return own_object(
        {
            "$schema": _SCHEMA,
            "capacity": field(whole(1), "How many are kept here; git keeps the rest.").shape,
            "episodes": said(many, "What happened, task by task."),
        }
    )


def _events() -> Shape:
    many: Shape = {"type": "array", "items": SEGMENT_SHAPE}
    return own_object(
        {
            "$schema": _SCHEMA,
            "next_id": field(whole(1), "The id of the next segment.").shape,
            "total_events": field(whole(0), "All thoughts ever.").shape,
            "total_compressions": field(whole(0), "All merges ever.").shape,
            "segments": said(many, "The diary, oldest first."),
        }
    )
