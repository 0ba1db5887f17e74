"""What a person is told who does not know the commands yet: the pages of help, and which command a slip means.

The page of all commands imports no command: ``command_tree`` says what each is for.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Annotated, Any

import typer

from alice_exp.kernel.errors import Names, UsageError
from alice_exp.kernel.text.display import cells, wrapped
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import in_language, language, parted, say
from alice_exp.terminal.options import plain

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


_MEANT: Mapping[str, str] = {
    "list": "ls dir blocks 列表 列出",
    "recall": "search find query ask grep 搜索 查找 回忆 查询",
    "show": "cat view get 查看",
    "why": "explain blame 为什么 解释",
    "log": "history 日志 历史",
    "memorize": "memorise",
    "heartbeat": "today report hb daily inbox pending 报告 今天 日报",
    "init": "setup 初始化",
    "help": "man usage commands 帮助",
    "config": "settings 配置 设置",
    "check": "fsck 检查",
    "--version": "version",
    "status": "状态",
    "review": "审阅",
}
"""By command its other names, which run it: nothing that takes trust or deletes has one."""

_NAMED: Mapping[str, str] = {
    "add new create save store note learn 记住 记下 添加": (
        "'alice-exp remember TEXT' keeps your own word, 'alice-exp memorize TEXT' a candidate"
    ),
    "rm remove delete forget 删除": (
        "'alice-exp reject' turns a candidate down, 'alice-exp retire' takes trust away, 'alice-exp purge' "
        "forgets for good"
    ),
    "set": "'alice-exp config set KEY VALUE' sets a key, 'alice-exp edit ID' opens a block",
    "update": "'alice-exp edit ID' opens a block in your editor; 'alice-exp config set' sets a key",
    "commit": "every act is a commit already; 'alice-exp log' shows them",
    "push": "'alice-exp sync' sends to your own machines; 'alice-exp share' is for other people",
    "pull": "'alice-exp sync' brings in what your other machines did",
    "clone": "'alice-exp init', then 'alice-exp sync add URL --private'",
    "backup": "'alice-exp sync add PATH --private' copies the home to another disk or machine",
    "start": "'alice-exp init' makes a home; 'alice-exp help' shows all commands",
    "login": "there is no account: 'alice-exp init' makes a home on this machine",
    "install": "'alice-exp connect HOST' puts this home into an agent's host",
    "accept": "'alice-exp approve 1 3' trusts what the report numbered; 'alice-exp config accept KEY' takes a setting",
    "ok": "'alice-exp approve 1 3' trusts what the report numbered; 'alice-exp outcome ID ok' reports a success",
    "yes 同意": (
        "'alice-exp approve 1 3' trusts what the report numbered, 'alice-exp reply' answers it in your own "
        "words"
    ),
    "no 拒绝": (
        "'alice-exp reject 2' turns down what the report numbered, 'alice-exp reply' answers it in your "
        "own words"
    ),
    "deny": "'alice-exp reject 2' turns down what the report numbered; 'alice-exp share deny ID' keeps a block here",
    "decline": "'alice-exp reject 2' turns down what the report numbered",
    "revert rollback 撤销": "'alice-exp undo' takes acts back, 'alice-exp restore ID' brings a block back",
    "serve server": "'alice-exp mcp' serves an agent, 'alice-exp peer serve' other people's Alices",
    "tag": "'alice-exp edit ID' opens a block in your editor; 'alice-exp list --tag NAME' lists by tag",
    "open": "'alice-exp heartbeat --open' shows the report in the browser, 'alice-exp edit ID' opens a block",
    "quit exit": "nothing runs on: each command ends by itself; 'alice-exp help' shows them all",
    "ui tui": "'alice-exp review' decides with keys; 'alice-exp heartbeat --format html' writes a page",
}
"""By words that could mean several things, which run nothing, what there is."""

MEANT = {name: command for command, names in _MEANT.items() for name in names.split()}
NAMED = {word: told for words, told in _NAMED.items() for word in words.split()}


def meant(context: Any, table: Mapping[str, object], words: list[str]) -> list[str]:
    """The command that the first word stands for; ``UsageError`` with what it may have meant where that is unsure."""
    word = words[0].lower()
    is_root = context.parent is None
    if word in table:
        return [word]
    if is_root and MEANT.get(word) in table:
        return [MEANT[word]]
    removed = REMOVED.get(
        f"{context.command_path.partition(' ')[2]} {word}", NAMED.get(word) if is_root else None
    )
    hint = say(removed) if removed else _likely(context, table, word)
    # A sentence rather than a word: several words, or more Chinese than a command's name has.
    is_question = len(words[0].split()) > 1 or sum(one >= "\u3400" for one in words[0]) > 3
    if is_root and word not in NAMED and is_question:
        asked = f"alice-exp recall {shlex.quote(words[0])}"
        hint = say("to ask what is known: {line}", line=asked)
    if context.command_path == "alice-exp import":
        hint = say("say what it is: {names}", names=Names(name for name in table if name))
    if MEANT.get(word) == "--version":
        hint = say("did you mean {names}?", names="'alice-exp --version'")
    raise UsageError("there is no command {name}", name=repr(words[0]), hint=hint)


def _likely(context: Any, table: Mapping[str, object], word: str) -> str:
    path = context.command_path
    inner = {name.rpartition(" ")[2]: name for name in _reachable(table) if " " in name}
    found = [inner[word]] if word in inner else []
    found += get_close_matches(word, [name for name in table if name], n=2, cutoff=0.7)
    if not found:
        found = [inner[name] for name in get_close_matches(word, inner, n=2, cutoff=0.75)]
    if not found:
        return say("see '{path} --help'", path=path)
    return say("did you mean {names}?", names=" · ".join(f"'{path} {name}'" for name in found))


def _reachable(table: Mapping[str, object], before: str = "") -> Iterator[str]:
    for name, target in table.items():
        if name:
            yield f"{before}{name}"
            if isinstance(target, Mapping):
                yield from _reachable(target, f"{before}{name} ")


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
        is_option, command = parameter.param_type_name == "option", path.removeprefix("alice-exp ")
        what = ("/".join(parameter.opts) if is_option else plain(parameter.metavar)) or parameter.name
        return UsageError("{command} needs {what}", command=command, what=what, hint=_example(context, see))
    if parameter is not None and (name := getattr(parameter.type, "name", "")) in KINDS:
        option = parameter.opts[0] if parameter.opts else parameter.name
        low, high = getattr(parameter.type, "min", None), getattr(parameter.type, "max", None)
        if low is not None and high is not None:
            between = "{option} is a number from {low:g} to {high:g}"
            return UsageError(between, option=option, low=low, high=high)
        if low is not None and "int" in name:
            return UsageError("{option} is a whole number, {low} or more", option=option, low=low)
        return UsageError(KINDS[name], option=option, hint=see)
    return UsageError("{message}", message=error.format_message(), hint=see)


KINDS = {
    **dict.fromkeys(("int", "integer", "int range", "integer range"), "{option} is a whole number"),
    **dict.fromkeys(("float", "float range"), "{option} is a number"),
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

REMOVED: Mapping[str, str] = {
    "approve --replace": "'--replaces ID' says that the other one waits; 'alice-exp retire ID' takes trust away",
    "outcome --also": "an outcome counts for all that was told; '--used ID' names what it was about",
    "recall --diary": "'alice-exp event search' finds in the diary, 'alice-exp context' answers from it, too",
    "owner verify": "every answer verifies; 'alice-exp owner show' counts how the blocks stand",
    "event add --strategy": "a configured model sums merged thoughts up, 'events.model' switches that",
    "session start --id": "the name stands behind the command: alice-exp session start NAME",
    "session say --role": "the role stands before the text: alice-exp session say ID assistant TEXT",
    "mcp install": "'alice-exp connect HOST' puts this home into an agent's host",
    "project untrust": "'alice-exp undo' takes trust in a team's texts back; 'alice-exp log --op trust' names each act",
    "session window --keep": "it is a setting: alice-exp config set short_term.keep_recent_turns NUMBER",
}
"""By command, or command and option, of 0.2.0 or never there, what stands in its place."""


def _of_option(error: Any, option: str, see: str) -> UsageError:
    if not hasattr(error, "possibilities"):
        return UsageError("{option} needs a value", option=option, hint=see)
    context = error.ctx
    path = context.command_path.partition(" ")[2] if context is not None else ""
    if removed := REMOVED.get(f"{path} {option}"):
        return UsageError("there is no option {option}", option=option, hint=removed)
    params = context.command.get_params(context) if context is not None else ()
    known = [one for each in params for one in each.opts]
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
    words = message.partition(" (")[2].removesuffix(")").removeprefix("s) (")
    texts = [one for one in context.command.params if one.param_type_name == "argument"]
    text = f"{' '.join(map(str, context.params.values()))} {words}"
    known = {one for each in context.command.get_params(context) for one in each.opts}
    found = re.findall(r"(?:^|\s)[-–—―−－]+([a-z][a-z-]*)", text)
    if dashed := next((f"--{name}" for name in found if f"--{name}" in known), ""):
        hint = say("did you mean {names}? {see}", names=dashed, see=see)
        return UsageError("too many words: {words}", words=words, hint=hint)
    removed = REMOVED.get(f"{context.command_path.partition(' ')[2]} {words.partition(' ')[0]}")
    given = context.params.get(texts[0].name) if len(texts) == 1 else None
    if isinstance(given, str) and _IN_WORDS.search(str(texts[0].metavar)):
        line = f"{context.command_path} {shlex.quote(f'{given} {words}')}"
        hint = say("put a text of several words into quotes: {line}", line=line)
    else:
        hint = say(removed) if removed else _example(context, see)
    return UsageError("too many words: {words}", words=words, hint=hint)


def _example(context: Any, see: str) -> str:
    examples = parted(context.command.help or "")[1] if context is not None else ()
    # An example of a reply may be a sentence in the other language.
    fits = [one for one in examples if max(one) < "\u3000" or language() == "zh"]
    return say("for example: {line}", line=say((fits or examples)[0])) if examples else see
