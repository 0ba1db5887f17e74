"""What every argument goes through: ``-`` reads a text from stdin, an empty one where an id belongs is a mistake."""

from __future__ import annotations

import re
import sys
from typing import Any

from alice_exp.kernel.errors import ProblemError, UsageError

TEXTS = frozenset(("PAYLOAD", "QUERY", "TASK", "TOPIC", "TEXT", "TEXT…", "JSON|TEXT"))
"""Metavars of arguments that are a person's or an agent's own text, which ``-`` takes from stdin."""

WORDS = frozenset(
    (
        *("when", "evidence", "note", "came", "result", "reason", "task", "action", "reflection"),
        *("comment", "context", "meta"),
    )
)
"""Options that are such a text, or say themselves what an empty one lacks. Any other chooses, and an empty one would
choose what nobody meant: all of them, another home, another actor."""


CLOSED = frozenset(("type", "state", "min_state", "set_", "about"))
"""Options whose few words a person reads translated, and so may write so."""


def guard(command: Any) -> None:
    """Put the checks on each argument and option of a command that needs one."""
    for one in command.params:
        is_argument = one.param_type_name == "argument"
        if is_argument and one.metavar in TEXTS:
            one.metavar = f"{one.metavar}|-"
            one.callback = _text
        elif one.metavar != "VALUE" if is_argument else one.name not in WORDS:
            one.callback = named


def plain(metavar: object) -> str:
    """An argument's name without the signs that say whether it may be left out or repeated."""
    name = re.sub(r"^\[[^]]*\] ", "", str(metavar).replace("...", ""))
    return name.strip("[]{}…").removesuffix("|-").strip("[]{}…")


def _text(_: Any, parameter: Any, value: Any) -> Any:
    if value == "-":
        return _stdin(parameter.metavar)
    return [_stdin(parameter.metavar)] if isinstance(value, list | tuple) and [*value] == ["-"] else value


def _stdin(metavar: str) -> str:
    if sys.stdin.isatty():
        from alice_exp.terminal.language import say

        sys.stderr.write(say("reading from the keyboard; Ctrl-D ends it") + "\n")
    try:
        text = sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise ProblemError("this is not UTF-8 text", path="-", line=1, column=error.start + 1) from None
    text = text.removesuffix("\n").removesuffix("\r")
    if not text.strip():
        what = metavar.partition("|")[0]
        raise UsageError("stdin is empty, where {what} was to come from it", what=what)
    return text


def named(context: Any, parameter: Any, value: Any) -> Any:
    """The value of an argument or option; ``UsageError`` where it was given and is empty."""
    given = [*value] if isinstance(value, list | tuple) else [value]
    if any(isinstance(one, str) and not one.strip() for one in given) and _is_typed(context, parameter):
        is_argument = parameter.param_type_name == "argument"
        what = plain(parameter.metavar) if is_argument else parameter.opts[0]
        hint = "say which" if parameter.required else "leave it out, or say which"
        raise UsageError("{what} is empty", what=what, hint=hint)
    if parameter.name not in CLOSED or all(one is None or one.isascii() for one in given):
        return value
    known = [_known(one) for one in given]
    return known if isinstance(value, list | tuple) else known[0]


def _known(word: str) -> str:
    """The word of a closed choice that tables show as this in the person's language: possible of 可能."""
    from alice_exp.model.rules.lifecycle import LEVELS
    from alice_exp.model.values.block import BLOCK_TYPES, SETS
    from alice_exp.terminal.language import say

    shown = {say(one): one for one in (*LEVELS, *BLOCK_TYPES, *SETS, "work")} | {say("the user"): "user"}
    return shown.get(word, word)


def _is_typed(context: Any, parameter: Any) -> bool:
    return str(getattr(context.get_parameter_source(parameter.name), "name", "")) == "COMMANDLINE"
