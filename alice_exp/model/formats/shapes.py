"""The shapes of which the JSON Schemas are made: a text, a count, a time, an object within a field."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from alice_exp.kernel.jsonc.problem import Json

TEXT: dict[str, Json] = {"type": "string"}
SAID: dict[str, Json] = {"type": "string", "pattern": r"\S"}
TEXTS: dict[str, Json] = {"type": "array", "items": {"type": "string"}}
COUNT: dict[str, Json] = {"type": "integer", "minimum": 0}
TIME: dict[str, Json] = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$"}
SHARE: dict[str, Json] = {"type": "number", "minimum": 0, "maximum": 1}
MAP: dict[str, Json] = {"type": "object"}


def said(shape: Mapping[str, Json], what: str) -> dict[str, Json]:
    """A field's shape with what an editor shows of it."""
    return {**shape, "description": what}


def nested(required: tuple[str, ...] = (), **fields: dict[str, Json]) -> dict[str, Json]:
    """An object within a field, whose other keys are nobody's business, as for ``check``."""
    return {"type": "object", "properties": {**fields}, "required": [*required]}
