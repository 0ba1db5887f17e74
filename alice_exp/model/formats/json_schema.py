"""The JSON Schemas of the home's files, for completion and validation in editors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from alice_exp.model.values.block import ABOUT, BLOCK_TYPES, STATES
from alice_exp.model.values.config import OPTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from alice_exp.kernel.jsonc.problem import Json
    from alice_exp.model.values.config import Kind

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_TEXT: Json = {"type": "string"}
_TEXTS: Json = {"type": "array", "items": {"type": "string"}}
_COUNT: Json = {"type": "integer", "minimum": 0}
_TIME: Json = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$"}
_ID: Json = {"type": "string", "pattern": "^exp-[a-z2-9]{8}$"}
_SHARE: Json = {"type": "number", "minimum": 0, "maximum": 1}
_KINDS: Mapping[Kind, Json] = {
    "count": _COUNT,
    "share": _SHARE,
    "days": {"type": "number", "exclusiveMinimum": 0},
    "flag": {"type": "boolean"},
    "text": _TEXT,
}

_TRIGGER: Json = {
    "type": "object",
    "properties": {"text": _TEXT, "keywords": _TEXTS, "context": {"type": "object"}},
}
_PAYLOAD: Json = {"type": "object", "properties": {"kind": _TEXT, "content": _TEXT, "steps": _TEXTS}}
_PIECE: Json = {
    "type": "object",
    "properties": {
        "kind": _TEXT,
        "ref": _TEXT,
        "at": _TIME,
        "quote": _TEXT,
        "scenario": _TEXT,
        "effect": _TEXT,
    },
    "required": ["kind"],
}
_REPORTED: Json = {
    "type": "object",
    "properties": {"report": _TEXT, "at": _TIME, "hash": _TEXT},
    "required": ["report", "at", "hash"],
}
_APPROVED: Json = {
    "type": "object",
    "properties": {"at": _TIME, "by": _TEXT, "report": _TEXT, "hash": _TEXT, "signature": _TEXT},
    "required": ["at", "by", "hash"],
}
_ARCHIVED: Json = {
    "type": "object",
    "properties": {"from": _TEXT, "at": _TIME, "reason": {"enum": ["rejected", "obsolete"]}},
}
_BLOCK: dict[str, Json] = {
    "id": _ID,
    "key": _TEXT,
    "type": {"enum": list(BLOCK_TYPES)},
    "about": {"enum": list(ABOUT)},
    "trigger": {"oneOf": [_TEXT, _TRIGGER]},
    "payload": {"oneOf": [_TEXT, _PAYLOAD], "description": "what to do or to believe"},
    "state": {"enum": list(STATES)},
    "verifications": _COUNT,
    "verifications_local": _COUNT,
    "observations": _COUNT,
    "open_failures": {"type": "object", "additionalProperties": _TIME},
    "record": {"type": "object", "properties": {"ok": _COUNT, "failed": _COUNT}},
    "doubt": {
        "type": "object",
        "properties": {"value": {"type": "number", "minimum": 0}, "day": _TEXT, "since": _TIME},
        "required": ["value", "day"],
    },
    "trial": {"type": "object", "additionalProperties": {"type": "array", "items": _COUNT}},
    "importance": _SHARE,
    "emotional_weight": {"type": "number", "minimum": -1, "maximum": 1},
    "tags": _TEXTS,
    "related": {"type": "array", "items": _ID},
    "supersedes": _ID,
    "shareable": {"type": "boolean"},
    "origin": _TEXT,
    "access_count": _COUNT,
    "last_accessed_at": _TIME,
    "consolidation_score": _SHARE,
    "evidence": {"oneOf": [_TEXT, {"type": "array", "items": {"oneOf": [_TEXT, _PIECE]}}]},
    "reported": _REPORTED,
    "approved": _APPROVED,
    "suggested": _TEXT,
    "archived": _ARCHIVED,
    "created_at": _TIME,
    "updated_at": _TIME,
}


def schemas() -> dict[str, str]:
    """The text of each schema, by its path under ``experiences/``."""
    named = {"namespace": _namespace(), "config": _config(), "episodes": _episodes(), "events": _events()}
    return {
        f".schema/{name}.json": json.dumps({"$schema": _DRAFT, **body}, ensure_ascii=False, indent=2) + "\n"
        for name, body in named.items()
    }


def _object(properties: dict[str, Json], required: tuple[str, ...] = ()) -> dict[str, Json]:
    return {"type": "object", "properties": properties, "required": list(required)}


def _namespace() -> dict[str, Json]:
    return _object({"$schema": _TEXT, "blocks": {"type": "array", "items": _block()}}, ("blocks",))


def _block() -> Json:
    return _object(_BLOCK, ("payload",))


def _config() -> dict[str, Json]:
    root: dict[str, Json] = {"$schema": _TEXT}
    groups: dict[str, dict[str, Json]] = {}
    for option in OPTIONS:
        head, _, key = option.name.rpartition(".")
        kind = _KINDS[option.kind]
        described: Json = {
            **(kind if isinstance(kind, dict) else {}),
            "description": option.doc,
            "default": option.default,
        }
        (groups.setdefault(head, {}) if head else root)[key] = described
    nested: dict[str, Json] = {head: _object(keys) for head, keys in groups.items()}
    return _object(root | nested)


def _episodes() -> dict[str, Json]:
    episode = _object(
        {
            "id": _TEXT,
            "task": _TEXT,
            "context": {"type": "object"},
            "action": _TEXT,
            "result": {},
            "success": {"type": "boolean"},
            "reward": _SHARE,
            "at": _TIME,
            "reflection": _TEXT,
            "type": _TEXT,
            "result_truncated": {"type": "boolean"},
            "result_length": _COUNT,
            "access_count": _COUNT,
        },
        ("task",),
    )
    return _object({"$schema": _TEXT, "capacity": _COUNT, "episodes": {"type": "array", "items": episode}})


def _events() -> dict[str, Json]:
    event = _object(
        {
            "at": _TIME,
            "thought": _TEXT,
            "context": _TEXT,
            "action": _TEXT,
            "result": {},
            "metadata": {"type": "object"},
        }
    )
    segment = _object(
        {
            "id": _COUNT,
            "start": _TIME,
            "end": _TIME,
            "segment_length": _COUNT,
            "compression_level": _COUNT,
            "summary": _TEXT,
            "key_events": _TEXTS,
            "events": {"type": "array", "items": event},
        }
    )
    return _object(
        {
            "$schema": _TEXT,
            "next_id": _COUNT,
            "total_events": _COUNT,
            "total_compressions": _COUNT,
            "segments": {"type": "array", "items": segment},
        }
    )
