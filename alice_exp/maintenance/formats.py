"""The JSON Schemas of the home's files, for completion and validation in editors."""

from __future__ import annotations

import json
from collections.abc import Mapping

from alice_exp.kernel.jsonc.scan import Json
from alice_exp.model.formats.block_fields import SHAPES
from alice_exp.model.formats.field_readers import COUNT, MAP, MOMENT, SAID, SHARE, TEXT, TEXTS, said
from alice_exp.model.values.config import OPTIONS, Kind

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_KINDS: Mapping[Kind, Json] = {
    "count": COUNT,
    "share": SHARE,
    "days": {"type": "number", "exclusiveMinimum": 0},
    "flag": {"type": "boolean"},
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
    episode = _object(
        {
            "id": said({"type": "string", "pattern": "^ep-[a-z2-9]{8}$"}, "Filled in where it is left out."),
            "task": said(SAID, "What was to be done."),
            "context": said(MAP, "The surroundings, as key and value."),
            "action": said(TEXT, "What was done."),
            "result": said({}, "What came of it."),
            "success": said({"type": "boolean"}, "Whether it worked."),
            "reward": said(SHARE, "How well it went, from 0 to 1."),
            "at": said(MOMENT, "When: ISO-8601 in UTC."),
            "reflection": said(TEXT, "What was learned from it."),
            "type": said(TEXT, "What kind of task it was."),
            "result_truncated": said({"type": "boolean"}, "Whether the result was longer than what is kept."),
            "result_length": said(COUNT, "Characters of the whole result."),
            "access_count": said(COUNT, "How often it was found."),
            "note": said(TEXT, "What the report of its outcome remarked."),
            "told": said(TEXT, "The blocks that the decision told."),
            "unreported": said({"type": "boolean"}, "Whether nobody said how it ended."),
            "project": said(TEXT, "Where it happened; left out: in no project."),
        },
        ("task",),
    )
    return _object(
        {
            "$schema": _SCHEMA,
            "capacity": said(
                {"type": "integer", "minimum": 1}, "How many are kept here; git keeps the rest."
            ),
            "episodes": said({"type": "array", "items": episode}, "What happened, task by task."),
        }
    )


def _events() -> dict[str, Json]:
    event = _object(
        {
            "at": said(MOMENT, "When: ISO-8601 in UTC."),
            "thought": said(TEXT, "What was thought."),
            "context": said(TEXT, "In which situation."),
            "action": said(TEXT, "What was done."),
            "result": said({}, "What came of it."),
            "metadata": said(MAP, "Whatever else is to be kept."),
        }
    )
    segment = _object(
        {
            "id": said(COUNT, "Counts up; never given twice."),
            "start": said(MOMENT, "The first thought's time."),
            "end": said(MOMENT, "The last thought's time."),
            "segment_length": said(COUNT, "How many thoughts it stands for."),
            "compression_level": said(COUNT, "How often it was merged."),
            "summary": said(TEXT, "What happened, in short."),
            "key_events": said(TEXTS, "What must not be lost in a summary."),
            "events": said({"type": "array", "items": event}, "The thoughts that are here word for word."),
        }
    )
    return _object(
        {
            "$schema": _SCHEMA,
            "next_id": said(COUNT, "The id of the next segment."),
            "total_events": said(COUNT, "All thoughts ever."),
            "total_compressions": said(COUNT, "All merges ever."),
            "segments": said({"type": "array", "items": segment}, "The diary, oldest first."),
        }
    )
