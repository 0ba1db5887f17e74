"""One merge of values for everything that two machines share: what both grew from, and what each made of it.

No result depends on which side asks. ``MISSING`` stands for what a side does not have.
"""

from __future__ import annotations

import json
from typing import Any


class _Missing:
    """Stands for a value that is not there."""


MISSING: Any = _Missing()


def merge(was: Any, one: Any, other: Any) -> Any:
    """Merge two JSON values: objects key by key, lists of records by id, others by which side changed them.

    If both sides changed a value, the larger one in canonical order stays.
    """
    if same(one, other) or same(other, was):
        return one
    if same(one, was):
        return other
    if isinstance(one, dict) and isinstance(other, dict):
        return _keyed(was if isinstance(was, dict) else {}, one, other)
    if is_records(one) and is_records(other):
        return _records(was if is_records(was) else [], one, other)
    if one is MISSING or other is MISSING:
        return other if one is MISSING else one
    return max(one, other, key=canonical)


def _keyed(was: dict[str, Any], one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    keys = dict.fromkeys((*was, *sorted({*one, *other})))
    rows = ((k, merge(was.get(k, MISSING), one.get(k, MISSING), other.get(k, MISSING))) for k in keys)
    return {key: value for key, value in rows if value is not MISSING}


def _records(was: list[Any], one: list[Any], other: list[Any]) -> list[Any]:
    """Merge records by id: the old ones in their order, then the new ones by time."""
    b, x, y = ({item["id"]: item for item in listed} for listed in (was, one, other))
    merged = {
        key: merge(b.get(key, MISSING), x.get(key, MISSING), y.get(key, MISSING)) for key in {**b, **x, **y}
    }
    new = sorted((k for k in merged if k not in b), key=lambda k: (str(merged[k].get("at", "")), str(k)))
    return [merged[key] for key in (*b, *new) if merged[key] is not MISSING]


def is_records(value: Any) -> bool:
    """Whether a value is a list of objects that each have an id."""
    return isinstance(value, list) and all(isinstance(item, dict) and "id" in item for item in value)


def added(was: int | None, one: int, other: int) -> int:
    """What was there and what each side added; the higher where nothing is known of before (None)."""
    return max(one, other) if was is None else max(0, one + other - was)


def words(was: tuple[str, ...], one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """A list merged as a set: without what either side removed, with what either added."""
    stay = [word for word in was if word in one and word in other]
    new = sorted({word for word in (*one, *other) if word not in was})
    return one if one == other else tuple(dict.fromkeys((*stay, *new)))


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values, or absences, are equal but for the order of keys."""
    if one is MISSING or other is MISSING:
        return one is other
    return canonical(one) == canonical(other)


def canonical(value: Any) -> str:
    """A value as text that does not depend on the order of keys: what breaks ties alike on both machines."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)


def unordered(value: Any) -> str:
    """A value in canonical form with records by id, since their order follows from the text that was edited."""
    if isinstance(value, dict):
        return canonical({key: unordered(inner) for key, inner in value.items()})
    if value and is_records(value):
        return canonical({str(item["id"]): item for item in value})
    return canonical(value)
