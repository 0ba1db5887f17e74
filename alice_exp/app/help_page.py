"""The page of all commands, grouped by what a person wants, and the pages of groups; the command ``help``.

The page of all commands imports no command: ``command_tree`` says what each is for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from alice_exp.kernel.text.display import cells, wrapped
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import in_language, parted, say

ROOM = 80
"""The width that every line of a page keeps to."""

_WIDEST = 26

LEAD = "An agent's experience in plain files that a person reads, reviews and trusts."
BEGIN = (
    "alice-exp init",
    'alice-exp remember "I like tables" --when "comparing options"',
    'alice-exp recall "comparing options"',
    "alice-exp heartbeat",
)


def root_page(root: Any) -> str:
    """The page of all commands."""
    usage = "alice-exp COMMAND [ARGUMENTS] [OPTIONS]"
    lines = [say("Usage: {usage}", usage=usage), ""]
    lines += [f"  {say(LEAD)}", "", say("Begin:"), *(f"  {say(one)}" for one in BEGIN)]
    widest = max(map(len, root.table))
    for heading, rows in root.headings.items():
        lines += ["", say(heading), *_rows([(name, say(what)) for name, what in rows.items()], widest)]
    shared = [one for one in root.params if one.name != "version"]
    names = (", ".join(one.opts) + ("" if one.is_flag else f" {one.metavar}") for one in shared)
    told = [(name, say(one.help)) for name, one in zip(names, shared, strict=True)]
    lines += ["", say("Every command takes:"), *_rows(told)]
    lines += ["", say("More of one: 'alice-exp help COMMAND' or 'alice-exp COMMAND -h'.")]
    lines += [say("The version: 'alice-exp -V'.")]
    return "\n".join(lines)


def _rows(rows: Sequence[tuple[str, str]], widest: int = 0) -> list[str]:
    """Two columns; what is too long for its line goes on below itself, and below a name that is too long."""
    short_names = [len(name) for name, _ in rows if len(name) <= _WIDEST] or [0]
    name_width = (widest or max(short_names)) + 4
    lines = []
    for name, what in rows:
        told = wrapped(what, ROOM - name_width) if what else [""]
        head, below = (told[0], told[1:]) if len(name) + 4 <= name_width else ("", told)
        lines += [f"  {name}".ljust(name_width) + head, *(" " * name_width + line for line in below)]
    return [line.rstrip() for line in lines]


def group_page(context: Any, group: Any) -> str:
    """The page of one group: what it is for, examples, each command on a line."""
    inner = [(name, group.get_command(context, name).help or "") for name in group.list_commands(context)]
    lines = _head(context, group, [one for _, each in inner for one in parted(each)[1][:1]])
    widest = max(len(name) for name, _ in inner) + 4
    lines += ["", say("Commands:"), *_rows([(name, short(each, ROOM - widest)) for name, each in inner])]
    return "\n".join((*lines, *(_options(context, group) if group.params else []), "", say(SHARED)))


def command_page(context: Any, command: Any) -> str:
    """The page of one command: what it does, examples, its arguments, its own options."""
    lines = _head(context, command)
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    if rows := [row for one in arguments if (row := _own_record(one, context)) is not None]:
        lines += ["", say("Arguments:"), *_rows(rows)]
    return "\n".join((*lines, *_options(context, command), "", say(SHARED)))


def _head(context: Any, command: Any, examples: Sequence[str] = ()) -> list[str]:
    """Usage, description and examples; ``examples`` where the command itself has none."""
    usage = " ".join((context.command_path, *command.collect_usage_pieces(context)))
    lines = [say("Usage: {usage}", usage=usage)]
    for paragraph in in_language(command.help or "").split("\n\n"):
        lines += ["", *(f"  {line}" for line in wrapped(" ".join(paragraph.split()), ROOM - 2))]
    own = parted(command.help or "")[1] or examples
    return [*lines, "", say("Examples:"), *(f"  {say(one)}" for one in own)] if own else lines


def _options(context: Any, command: Any) -> list[str]:
    """The options of its own, ``--help`` last."""
    options = [one for one in command.get_params(context) if one.param_type_name == "option"]
    rows = [row for one in options if (row := _own_record(one, context)) is not None]
    return ["", say("Options:"), *_rows(rows)] if rows else []


SHARED = "Also: --home --actor --lang --json --fields --format -q -y --debug\nWhat these do: alice-exp help"

_EXTRA = re.compile(r"\s*\[((?:default: |required|env var: )[^\[\]]*|[^\[\]]*<=[^\[\]]*)\]$")


def _own_record(parameter: Any, context: Any) -> tuple[str, str] | None:
    """A parameter's name and what is said of it, with its default and its bounds behind that."""
    if (found := parameter.get_help_record(context)) is None:
        return None
    name, documented = found
    extra = _EXTRA.search(documented)
    what = in_language(documented[: extra.start()] if extra else documented)
    if extra is None:
        return name, what
    bounds = extra[1].replace("default: ", say("default: ")).replace("required", say("required"))
    return name, f"{what}  [{bounds}]" if what else f"[{bounds}]"


_CJK = re.compile(r"[\u4e00-\u9fff]")
_BREAK = re.compile(r"[:;,(.](?= |$)| \(|[：；，。（]")


def short(documented: str, room: int) -> str:
    """As many whole clauses of a docstring's first sentence as fit into ``room`` columns; else the whole sentence."""
    sentence = in_language(documented).split("\n\n")[0]
    sentence = re.split(r"(?<=[a-z)])\. |。", sentence, maxsplit=1)[0].rstrip(".")
    ends = [len(sentence), *(found.start() for found in _BREAK.finditer(sentence))]
    # A clause that ends within brackets would leave them open.
    whole = (
        end
        for end in ends
        if len(re.findall(r"[(（]", sentence[:end])) == len(re.findall(r"[)）]", sentence[:end]))
    )
    fitting = [end for end in whole if cells(sentence[:end]) + 2 <= room]
    stop = "。" if _CJK.search(sentence) else "."
    return sentence[: max(fitting)].rstrip() + stop if fitting else f"{sentence}{stop}"


def help_(
    ctx: typer.Context,
    command: Annotated[
        list[str], typer.Argument(metavar="[COMMAND]...", help="As recall, or episode add.")
    ] = [],  # noqa: B006
) -> None:
    """Show the page of all commands, or that of one command or group.

    Examples: alice-exp help · alice-exp help recall · alice-exp help episode add
    """
    terminal: Terminal = ctx.obj
    context: Any = ctx.find_root()
    words = list(command)
    while words:
        name, one, words = context.command.resolve_command(context, words)
        context = one.make_context(name, [], parent=context, resilient_parsing=True)
        if not hasattr(one, "list_commands"):
            break
    show(terminal, context)


def show(terminal: Terminal, context: Any) -> None:
    """Print a command's page; with ``--json`` as a document, that of all commands as rows."""
    page = context.command.get_help(context)
    if context.parent is None:
        rows = [
            {"group": say(heading), "name": name, "summary": say(what)}
            for heading, group in context.command.headings.items()
            for name, what in group.items()
        ]
        document: dict[str, Any] = {"commands": rows}
    else:
        document = {"command": context.command_path, "help": page}

    # The first page that somebody meets stays on the screen.
    terminal.answer(document, lambda: print(page), is_paged=context.parent is not None)
