"""Says what is wrong with a command line in our own words, with the line that would be right."""

from __future__ import annotations

import re
import shlex
from typing import Any

from alice_exp.kernel.errors import UsageError
from alice_exp.terminal.language import parted, say
from alice_exp.terminal.options import plain


def told(error: Any) -> UsageError:
    """Typer's complaint (its own class of errors) as an error with a hint that leads on."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "alice-exp"
    see = say("see '{path} --help'", path=path)
    parameter = getattr(error, "param", None)
    message = str(error.message or "")
    if (option := getattr(error, "option_name", None)) is not None:
        return _of_option(error, str(option), see)
    if context is not None and message.startswith("Got unexpected extra argument"):
        return _extra(context, message, see)
    if parameter is not None and type(error).__name__ == "MissingParameter":
        names = (
            "/".join(parameter.opts) if parameter.param_type_name == "option" else plain(parameter.metavar)
        )
        return UsageError(
            "{command} needs {what}",
            command=path.removeprefix("alice-exp "),
            what=names or parameter.name,
            hint=_example(context, see),
        )
    if parameter is not None and (name := getattr(parameter.type, "name", "")) in KINDS:
        option = parameter.opts[0] if parameter.opts else parameter.name
        low, high = getattr(parameter.type, "min", None), getattr(parameter.type, "max", None)
        if low is not None and high is not None:
            return UsageError(
                "{option} is a number from {low:g} to {high:g}", option=option, low=low, high=high
            )
        if low is not None and "int" in name:
            return UsageError("{option} is a whole number, {low} or more", option=option, low=low)
        return UsageError(KINDS[name], option=option, hint=see)
    return UsageError("{message}", message=error.format_message(), hint=see)


KINDS = {
    "int": "{option} is a whole number",
    "integer": "{option} is a whole number",
    "float": "{option} is a number",
    "int range": "{option} is a whole number",
    "integer range": "{option} is a whole number",
    "float range": "{option} is a number",
}
"""What a value has to be, by the name of its type."""


_SAME = {
    **dict.fromkeys(
        ("-n", "--limit", "--count", "--max", "-k", "--top-k", "--number"), ("--top", "-n", "--last")
    ),
    **dict.fromkeys(("-f", "--file", "--input"), ("--from", "--file", "--yes")),
    **dict.fromkeys(("-t", "--trigger"), ("--when", "--tag")),
    **dict.fromkeys(("--tags", "-l", "--label"), ("--tag",)),
    **dict.fromkeys(("-j", "--output", "-o"), ("--json", "--format")),
    **dict.fromkeys(("--force", "--confirm"), ("--yes",)),
    **dict.fromkeys(("--dry", "--simulate", "--what-if"), ("--dry-run",)),
    **dict.fromkeys(("--scope", "--repo"), ("--project",)),
    **dict.fromkeys(("--after", "--from-date"), ("--since",)),
    **dict.fromkeys(("--before", "--to-date"), ("--until",)),
}
"""What other programs call an option, and what it is here, the first that the command has."""


def _of_option(error: Any, option: str, see: str) -> UsageError:
    if not hasattr(error, "possibilities"):
        return UsageError("{option} needs a value", option=option, hint=see)
    from difflib import get_close_matches

    context = error.ctx
    known = (
        [one for each in context.command.get_params(context) for one in each.opts]
        if context is not None
        else []
    )
    near = get_close_matches(option, known, n=2, cutoff=0.7) or list(error.possibilities or ())[:2]
    if option == "-v":
        near = ["--version"]
    near = [one for one in _SAME.get(option, ()) if one in known] or near
    names = " · ".join(near)
    hint = say("did you mean {names}? {see}", names=names, see=see) if near else see
    if re.fullmatch(r"-[0-9.]+", option) and context is not None:
        line = f"{context.command_path} … -- {option}"
        hint = say("what begins with - and is no option stands behind --: {line}", line=line)
    return UsageError("there is no option {option}", option=option, hint=hint)


_IN_WORDS = re.compile("QUERY|TASK|PAYLOAD|TEXT|TOPIC|THOUGHT|UNTIL")
"""What stands for a text of several words; a remote, a file and a name are one word."""


def _extra(context: Any, message: str, see: str) -> UsageError:
    """Words too many: where the command takes one text, they are most likely that text without its quotes."""
    words = message.partition(" (")[2].removesuffix(")")
    if words.startswith("s) ("):
        words = words[4:]
    texts = [one for one in context.command.params if one.param_type_name == "argument"]
    dashed = _dashed(context, f"{' '.join(map(str, context.params.values()))} {words}")
    if dashed:
        hint = say("did you mean {names}? {see}", names=dashed, see=see)
        return UsageError("too many words: {words}", words=words, hint=hint)
    given = context.params.get(texts[0].name) if len(texts) == 1 else None
    if isinstance(given, str) and _IN_WORDS.search(str(texts[0].metavar)):
        line = f"{context.command_path} {shlex.quote(f'{given} {words}')}"
        hint = say("put a text of several words into quotes: {line}", line=line)
    else:
        hint = _example(context, see)
    return UsageError("too many words: {words}", words=words, hint=hint)


def _dashed(context: Any, text: str) -> str:
    """The option that was written with a dash of another kind, as an input method gives it; empty if there is none."""
    known = {one for each in context.command.get_params(context) for one in each.opts}
    found = re.findall(r"(?:^|\s)[-–—―−－]+([a-z][a-z-]*)", text)
    return next((f"--{name}" for name in found if f"--{name}" in known), "")


def _example(context: Any, see: str) -> str:
    examples = parted(context.command.help or "")[1] if context is not None else ()
    return say("for example: {line}", line=say(examples[0])) if examples else see
