"""The JSON Schemas of the home's files, for completion and validation in editors."""

from __future__ import annotations

import json
from collections.abc import Mapping

from alice_exp.model.formats.block_schema import SHAPES
from alice_exp.model.formats.field_readers import TEXT, Shape, between, field, flag, own_object, said, whole
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


def schemas() -> dict[str, str]:
    """The text of each schema, by its path under ``experiences/``."""
    block = own_object({**SHAPES}, ("payload",))
    named: dict[str, Shape] = {
        "namespace": {"blocks": _many(block, "What is known, block by block.")},
        "config": _config(),
        "episodes": {
            "capacity": field(whole(1), "How many are kept here; git keeps the rest.").shape,
            "episodes": _many(EPISODE_SHAPE, "What happened, task by task."),
        },
        "events": {
            "next_id": field(whole(1), "The id of the next segment.").shape,
            "total_events": field(whole(0), "All thoughts ever.").shape,
            "total_compressions": field(whole(0), "All merges ever.").shape,
            "segments": _many(SEGMENT_SHAPE, "The diary, oldest first."),
        },
    }
    schema = said(TEXT, "Where editors find this description.")
    bodies = ((name, own_object({"$schema": schema, **keys})) for name, keys in named.items())
    return {
        f".schema/{name}.json": json.dumps({"$schema": _DRAFT, **body}, ensure_ascii=False, indent=2) + "\n"
        for name, body in bodies
    }


def _many(shape: Shape, meaning: str) -> Shape:
    return said({"type": "array", "items": shape}, meaning)


def _config() -> Shape:
    root: Shape = {}
    groups: dict[str, Shape] = {}
    for option in OPTIONS:
        head, _, key = option.name.rpartition(".")
        shape = {**_KINDS[option.kind], "default": option.default}
        (groups.setdefault(head, {}) if head else root)[key] = said(shape, f"{option.doc}.")
    return root | {head: own_object(keys) for head, keys in groups.items()}
