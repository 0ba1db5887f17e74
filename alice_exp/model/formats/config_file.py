"""Writes the commented defaults of ``config.jsonc`` and ``local.jsonc``, and validates existing ones."""

from __future__ import annotations

from itertools import groupby

from alice_exp.kernel.jsonc import Document, Set, dump, edit, parse
from alice_exp.kernel.jsonc.scan import Json, Problem
from alice_exp.model.formats.field_readers import Found, problem_at, unknown_key
from alice_exp.model.values.config import BY_NAME, OPTIONS, PAST, TAKEN, Config, Kind, Option, is_local

PATH = "config.jsonc"

_HEAD = "// How this home behaves. Every key stands here with its default; change what you like."
_LOCAL_HEAD = "// What only this machine decides. This file is in no history and goes nowhere."

_SENTENCES: dict[Kind, str] = {
    "count": '"{name}" is a whole number, {low} or more',
    "share": '"{name}" is a number from 0 to 1',
    "days": '"{name}" is a number of days, more than 0',
    "flag": '"{name}" is true or false',
    "text": '"{name}" is a text',
}


def default_text(*, local: bool = False) -> str:
    """The text of a new ``config.jsonc``, or of ``local.jsonc``: every key of it under a comment that explains it."""
    schema = f"{'experiences/' if local else ''}.schema/config.json"
    groups = [f'  "$schema": "{schema}"']
    options = (option for option in OPTIONS if is_local(option.name) == local)
    for head, group in groupby(options, lambda option: option.name.rpartition(".")[0]):
        start = "\n    " if head else "\n  "
        rows = (
            f'{start}// {one.doc}.{start}"{one.name.rpartition(".")[2]}": {dump(one.default)}'
            for one in group
        )
        keys = ",".join(rows)
        groups.append(f'  "{head}": {{{keys}\n  }}' if head else keys.removeprefix("\n"))
    return "\n".join([_LOCAL_HEAD if local else _HEAD, "{", ",\n".join(groups), "}", ""])


def with_value(text: str | None, name: str, value: Json) -> str:
    """The text of ``config.jsonc`` with one key set, its comments kept; None: there is no file, so a new one is made.
    ``ProblemError`` if it is broken."""
    document = parse((default_text() if text is None else text).encode(), PATH)
    if document.problem is not None:
        raise document.problem.as_error("{message}; the file is left as it is")
    return edit(document, [Set(tuple(name.split(".")), value)]).decode()


def read_config(document: Document) -> tuple[Config, tuple[Problem, ...]]:
    """The valid values of a parsed file, and its problems."""
    if document.problem is not None:
        return Config(), (document.problem,)
    if not isinstance(document.value, dict):
        return Config(), (Problem(PATH, 1, 1, "the configuration is an object"),)
    values: dict[str, Json] = {}
    problems = Found(document.path)
    groups = {option.name.partition(".")[0] for option in OPTIONS if "." in option.name}
    for key, value in document.value.items():
        if key == "$schema" or key.startswith("x-"):
            continue
        if key in groups and isinstance(value, dict):
            for inner, setting in value.items():
                _take(document, (key, inner), setting, values, problems)
        else:
            _take(document, (key,), value, values, problems)
    return Config(values), problems.all()


def fits(option: Option, value: Json) -> bool:
    """Whether a value has the option's kind."""
    if option.kind == "flag":
        return isinstance(value, bool)
    if option.kind == "text":
        return isinstance(value, str)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if option.kind == "count":
        return isinstance(value, int) and value >= 0
    return 0 <= value <= 1 if option.kind == "share" else value > 0


def sentence(option: Option) -> str:
    """The sentence that describes the option's valid values."""
    return _SENTENCES[option.kind].format(name=option.name, low=0)


def _take(
    document: Document, pointer: tuple[str, ...], value: Json, values: dict[str, Json], problems: Found
) -> None:
    name = ".".join(pointer)
    option = BY_NAME.get(name)
    if option is None:
        if not (pointer[-1].startswith("x-") or name in PAST):
            near = [TAKEN[name]] if name in TAKEN else BY_NAME
            other = "see 'alice-exp config list'"
            problems.add("warning", lambda: unknown_key(document, pointer, name, near, other=other))
        return
    if fits(option, value):
        values[name] = value
        return
    values_of = {"name": name, "low": 0}
    problems.add("error", lambda: problem_at(document, pointer, _SENTENCES[option.kind], values_of))
