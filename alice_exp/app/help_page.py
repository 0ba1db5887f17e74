"""The page of all commands, grouped by what a person wants, and the pages of groups; the command ``help``.

The page of all commands imports no command: what it says of each stands here, so that it comes at once and in Chinese.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import typer

from alice_exp.terminal.console import Terminal, cells
from alice_exp.terminal.language import in_language, parted, say

ROOM = 80
"""The width that every line of a page keeps to."""

_WIDEST = 26

GROUPS: Mapping[str, Mapping[str, str]] = {
    "Every day": {
        "status": "One screen: what waits, is in doubt, changed or is broken.",
        "heartbeat": "Today's report: what is new and waits for your decision.",
        "review": "The same, one thing at a time, with keys.",
        "approve": "Trust candidates; those about you go to personal.",
        "reject": "Turn candidates down for good.",
        "reply": "Answer the report in your own words.",
        "pause": "While you are away, nothing that waits expires.",
        "keep": "It still holds: end the doubt in a block.",
    },
    "Say and find": {
        "remember": "Keep your own word: trusted at once.",
        "recall": "Say what is known, best first.",
        "list": "List blocks: where they are, what state they have.",
        "show": "Show one block with all that it says.",
        "why": "Explain a block: evidence, every act, how it is scored.",
        "import": "Take in what another memory or file holds already.",
        "export": "Export blocks: JSONL, JSON or Markdown.",
    },
    "Set right": {
        "edit": "Open a block in your editor; what you save is committed.",
        "move": "Move a trusted block into another namespace.",
        "retire": "Take trust from a block because the world has changed.",
        "revive": "Give an archived block a second chance.",
        "restore": "Bring back from history what expired or was deleted.",
        "purge": "Forget a block for good, in all of history.",
        "log": "Show the acts, newest first.",
        "diff": "Show what one act changed, field by field.",
        "undo": "Take acts back in one commit.",
    },
    "For agents": {
        "connect": "Make an agent's host use this home.",
        "disconnect": "Take this home out of an agent's host.",
        "hook": "What a host calls when a session begins, speaks or ends.",
        "mcp": "Serve an agent over the Model Context Protocol.",
        "memorize": "Keep something learned as a candidate.",
        "decide": "What applies to a task: what you approved, else the pool.",
        "outcome": "Report whether it worked.",
        "prime": "What an agent should know when a session begins.",
        "context": "What is known about the user, for a model's prompt.",
        "assess": "Say how well a topic is known, and why.",
        "session": "Conversations: kept, searched, read for candidates.",
        "episode": "What happened, task by task.",
        "event": "The running diary of thoughts.",
        "distill": "Find what repeats in episodes and propose it.",
        "heard": "Your own sentences that wait for an agent to read them.",
        "project": "This folder's project: names, learning, what its team knows.",
    },
    "Upkeep": {
        "init": "Make the home; again: changes nothing.",
        "check": "Name every problem in the home's files.",
        "doctor": "Look the whole home over: files, history, permissions.",
        "watch": "Take in what you save in an editor, as it happens.",
        "schedule": "Let the day's report come by itself.",
        "config": "Read, set and edit the configuration.",
        "namespace": "Files of blocks: list them, make a new one.",
        "stats": "Count the home: by set, state, type, age and reads.",
        "impact": "How tasks went with what you approved, and without.",
        "consolidation": "How stable a block is.",
        "owner": "The SSH key whose signature approves.",
        "completion": "Print what teaches a shell to complete commands.",
        "help": "Show this page, or that of one command.",
    },
    "Other machines": {
        "sync": "Your own machines share one memory.",
        "share": "What may leave this machine, and what others shared.",
        "peer": "Other people's Alices: pair, find, exchange.",
    },
}
"""What every command does in one line of the page, by what a person wants."""

LEAD = "An agent's experience in plain files that a person reads, reviews and trusts."
BEGIN = (
    "alice-exp init",
    'alice-exp remember "I like tables" --when "comparing options"',
    'alice-exp recall "comparing options"',
    "alice-exp heartbeat",
)
OTHER = "Other"


def root_page(root: Any) -> str:
    """The page of all commands."""
    names = list(root.list_commands(None))
    usage = "alice-exp COMMAND [ARGUMENTS] [OPTIONS]"
    lines = [say("Usage: {usage}", usage=usage), ""]
    lines += [f"  {say(LEAD)}", "", say("Begin:"), *(f"  {say(one)}" for one in BEGIN)]
    widest = max(map(len, names))
    for heading, rows in _grouped(names):
        lines += ["", say(heading), *_rows(rows, widest)]
    shared = [one for one in root.params if one.name != "version"]
    lines += [
        "",
        say("Every command takes:"),
        *_rows(
            [
                (", ".join(one.opts) + ("" if one.is_flag else f" {one.metavar}"), say(one.help))
                for one in shared
            ]
        ),
    ]
    lines += ["", say("More of one: 'alice-exp help COMMAND' or 'alice-exp COMMAND -h'.")]
    lines += [say("The version: 'alice-exp -V'.")]
    return "\n".join(lines)


def _grouped(names: Sequence[str]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    placed = {name for group in GROUPS.values() for name in group}
    for heading, group in GROUPS.items():
        if rows := [(name, say(what)) for name, what in group.items() if name in names]:
            yield heading, rows
    if rest := [(name, "") for name in names if name not in placed]:
        yield OTHER, rest


def summaries(root: Any) -> list[dict[str, str]]:
    """The page of all commands as rows ``{group, name, summary}``."""
    grouped = _grouped(list(root.list_commands(None)))
    return [
        {"group": say(heading), "name": name, "summary": what}
        for heading, rows in grouped
        for name, what in rows
    ]


def _rows(rows: Sequence[tuple[str, str]], widest: int = 0) -> list[str]:
    """Two columns; what is too long for its line goes on below itself, and below a name that is too long."""
    from alice_exp.kernel.text.display import wrapped

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
    options = _options(context, group) if group.params else []
    return "\n".join((*lines, *options, "", say(SHARED)))


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
        lines += ["", *_filled(paragraph)]
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
    found = parameter.get_help_record(context)
    if found is None:
        return None
    name, documented = found
    extra = _EXTRA.search(documented)
    what = in_language(documented[: extra.start()] if extra else documented)
    if extra is None:
        return name, what
    bounds = extra[1].replace("default: ", say("default: ")).replace("required", say("required"))
    return name, f"{what}  [{bounds}]" if what else f"[{bounds}]"


def _filled(paragraph: str) -> list[str]:
    from alice_exp.kernel.text.display import wrapped

    return [f"  {line}" for line in wrapped(" ".join(paragraph.split()), ROOM - 2)]


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
        document: dict[str, Any] = {"commands": summaries(context.command)}
    else:
        document = {"command": context.command_path, "help": page}

    def text() -> None:
        sys.stdout.write(page + "\n")

    # The first page that somebody meets stays on the screen.
    terminal.answer(document, text, is_paged=context.parent is not None)
