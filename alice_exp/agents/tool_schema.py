"""The table of operations; their JSON Schemas from their signatures, and the check of what a model sent against them.

A parameter is ``name: TYPE``, which ``terminal.language`` says for people and agents, or ``name: Annotated[TYPE, "what
it is"]``. TYPE is str, bool, int, float, ``dict[str, Any]``, ``list[str]``, a ``Literal`` of closed values, or ``Any``;
``| None``: may be left out. MCP and ``Alice.tools`` show it.
"""

from __future__ import annotations

import functools
import inspect
import json
import types
import typing
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from alice_exp.kernel.errors import Names, UsageError
from alice_exp.kernel.value_class import dataclass
from alice_exp.terminal.language import BOUNDS, require_fitting, sentence_of

Operation = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """What hosts show and ask of an operation: its title; whether it commits nothing; whether again changes nothing;
    the command that does the same, where its fields are said apart (``terminal.language``)."""

    run: Operation
    title: str
    reads: bool
    idempotent: bool
    command: str


TOOLS: dict[str, Tool] = {}
"""Every operation by its name, in the order in which agents see them. None of them destroys anything."""


def operation(
    title: str, *, reads: bool = False, idempotent: bool = False, command: str = ""
) -> Callable[[Operation], Operation]:
    """Decorator: open an operation to agents under its function's name."""

    def opened(function: Operation) -> Operation:
        TOOLS[function.__name__] = Tool(function, title, reads, idempotent or reads, command)
        return function

    return opened


_KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "string": ((str,), "a text"),
    "boolean": ((bool,), "true or false"),
    "integer": ((int, float), "a whole number"),
    "number": ((float, int), "a number"),
    "object": ((dict,), "an object"),
    "array": ((list,), "a list of texts"),
}
"""What JSON Schema calls a type: Python's type first, whatever else may stand for it, and how a person says it."""

_JSON_NAMES = {types[0]: kind for kind, (types, _) in _KINDS.items()}


@functools.cache
def signature(operation: Operation) -> inspect.Signature:
    """What an agent sends: the parameters behind the connection, with their types."""
    whole = inspect.signature(operation, eval_str=True)
    return whole.replace(parameters=list(whole.parameters.values())[1:])


def description(operation: Operation) -> str:
    """What an agent reads of an operation, on one line."""
    return " ".join((operation.__doc__ or "").split())


@functools.cache
def json_schema(operation: Operation) -> dict[str, Any]:
    """The parameters of an operation as a JSON Schema object, as model APIs take it for a function to call."""
    parameters = signature(operation).parameters.values()
    command = TOOLS[operation.__name__].command
    return {
        "type": "object",
        "properties": {one.name: _property(command, one) for one in parameters},
        "required": [one.name for one in parameters if one.default is inspect.Parameter.empty],
        "additionalProperties": False,
    }


def offered() -> list[dict[str, Any]]:
    """The operations as the tools of the Model Context Protocol."""
    return [
        {
            "name": name,
            "title": tool.title,
            "description": description(tool.run),
            "inputSchema": json_schema(tool.run),
            "annotations": {
                "readOnlyHint": tool.reads,
                "destructiveHint": False,
                "idempotentHint": tool.idempotent,
            },
        }
        for name, tool in TOOLS.items()
    ]


def _property(command: str, parameter: inspect.Parameter) -> dict[str, Any]:
    schema = schema_of(parameter.annotation)
    said = schema.pop("description", "") or sentence_of(command, parameter.name).removesuffix(".")
    low, high = BOUNDS.get(parameter.name, (None, None))
    return {**schema, **({} if low is None else {"minimum": low, "maximum": high}), "description": said}


def schema_of(annotation: Any) -> dict[str, Any]:
    """The JSON Schema of one type; a parameter's ``None`` is "left out"."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation is Any:
        return {}
    if origin is typing.Annotated:
        return {**schema_of(inner[0]), "description": inner[1]}
    if origin in (types.UnionType, typing.Union):
        return schema_of(*(one for one in inner if one is not types.NoneType))
    if origin is typing.Literal:
        return {"type": "string", "enum": list(inner)}
    if origin is list:
        return {"type": "array", "items": schema_of(inner[0])}
    return {"type": _JSON_NAMES[origin or annotation]}


def checked(name: str, operation: Operation, sent: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that a model sent, as the operation takes them; ``UsageError`` names what is right.

    A null stands for "left out"; a list, object, number or flag may come as JSON within a text, as some hosts send it.
    """
    schema = json_schema(operation)
    known: Mapping[str, Any] = schema["properties"]
    unknown = [argument for argument in sent if argument not in known]
    if unknown:
        raise UsageError(
            "{name} takes no {argument}; it takes {known}",
            name=name,
            argument=repr(unknown[0])[:80],
            known=", ".join(known) or "nothing",
        )
    taken = {
        argument: _value(argument, known[argument], value)
        for argument, value in sent.items()
        if value is not None or not known[argument].get("type")
    }
    for argument in schema["required"]:
        if argument not in taken or not str(taken[argument]).strip():
            raise UsageError(
                "{name} needs {argument}: {what}",
                name=name,
                argument=argument,
                what=known[argument]["description"],
            )
    return taken


def _value(argument: str, schema: Mapping[str, Any], value: Any) -> Any:
    """One argument, checked; the size of all that is written down is bounded."""
    require_fitting(_bytes(value))
    kind = schema.get("type")
    if kind not in (None, "string") and isinstance(value, str):
        with suppress(ValueError, RecursionError):
            value = json.loads(value)
    if "enum" in schema and value not in schema["enum"]:
        raise UsageError(
            "{argument} is one of {values}, not {value}",
            argument=argument,
            values=Names(schema["enum"]),
            value=_short(value),
        )
    if kind is not None and not _fits(kind, value):
        raise UsageError(
            "{argument} is {kind}, not {value}", argument=argument, kind=_KINDS[kind][1], value=_short(value)
        )
    if "minimum" in schema and not schema["minimum"] <= value <= schema["maximum"]:
        low, high = schema["minimum"], schema["maximum"]
        raise UsageError("{option} is a number from {low:g} to {high:g}", option=argument, low=low, high=high)
    return int(value) if kind == "integer" else value


def _fits(kind: str, value: Any) -> bool:
    """Whether a value is of a kind; true is no number, and 2.0 is a whole one."""
    is_one = isinstance(value, _KINDS[kind][0]) and isinstance(value, bool) == (kind == "boolean")
    if kind == "array":
        return is_one and all(isinstance(one, str) for one in value)
    return is_one and (kind != "integer" or value == int(value))


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _bytes(argument: object) -> int:
    """How large an argument is as UTF-8 JSON; ``UsageError`` for what could be neither written down nor read again."""
    try:
        return len(json.dumps(argument, ensure_ascii=False, allow_nan=False).encode())
    except (ValueError, RecursionError):
        raise UsageError("an argument is not UTF-8 text, or not a finite number") from None
