"""How like two contexts are, and whether they contradict each other."""

from __future__ import annotations

from collections.abc import Mapping

from alice_exp.kernel.jsonc.scan import Json

TASK_WEIGHT, CONTEXT_WEIGHT = 0.4, 0.6
"""The weights of task and context in a similarity (R0.18)."""


def context_similarity(context_a: Mapping[str, Json], context_b: Mapping[str, Json]) -> float:
    """Equal values over the union of keys, in [0, 1]; both empty 1.0, exactly one 0.0 (R0.21, R0.22)."""
    if not context_a and not context_b:
        return 1.0
    equal = sum(key in context_b and _equal(value, context_b[key]) for key, value in context_a.items())
    return equal / len(context_a.keys() | context_b.keys())


def contradicts(context: Mapping[str, Json], own: Mapping[str, Json]) -> bool:
    """Whether two contexts name one thing and say different values of it; a list names several values."""
    return any(_worded(context[key]).isdisjoint(_worded(own[key])) for key in own.keys() & context.keys())


def _worded(value: Json) -> set[str]:
    values = value if isinstance(value, list) else (value,)
    return {f"{type(one).__name__} {one}".casefold() for one in values}


def _equal(first: Json, second: Json) -> bool:
    # In Python 1 == True, but in a file they are different values.
    return first == second and isinstance(first, bool) == isinstance(second, bool)
