"""The man page, made from the command line itself, the list of tools, from the operations, and what hosts install:
``python -m tests.manual --write``, ``--check``.

Where a command, an option, an example or an exit code changes, the page is old until it is written anew.
"""

import json
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from alice_exp.agents import operations
from alice_exp.agents.tool_schema import offered
from alice_exp.app.main import command
from alice_exp.kernel import VERSION, errors
from alice_exp.terminal.language import LANGUAGES, parted
from tests import plugins

PAGE = Path(__file__).parents[1] / "alice_exp" / "man" / "alice-exp.1"
TOOLS = Path(operations.__file__).parent / "data" / "tools.json"
DATE = "2026-02-20"

_INTRODUCTION = (
    "alice-exp keeps what an agent learned as experience blocks in plain JSONC files that a person can read and edit, "
    "lets evidence raise or lower each block, asks the person once a day what may be trusted, and commits every change "
    "to git. Agents use it over MCP, people and shell scripts through this command.",
    "The answer goes to stdout, all else to stderr. Ids may be cut to a unique beginning; where a file is read, a hyphen "
    "means stdin.",
)
_FIRST_DAY = (
    "alice-exp init",
    'alice-exp remember "I like tables" --when "comparing options"',
    'alice-exp memorize "use rg" --when "searching code"',
    "alice-exp heartbeat",
    "alice-exp approve 1 --yes",
    'alice-exp recall "how do I search code"',
    "alice-exp log",
)
_ENVIRONMENT = {
    "ALICE_HOME": "The home's directory, where --home names none.",
    "ALICE_ACTOR": "Who acts, where --actor names nobody: user, agent or agent:NAME.",
    "ALICE_LANG": f"Language of messages, one of {', '.join(LANGUAGES)}.",
    "ALICE_NOW": "The moment that counts as now, as 2026-02-20T09:00:00Z, for tests.",
    "ALICE_API_KEY": "The provider's key, else OPENAI_API_KEY.",
    "VISUAL, EDITOR": "What edit and config edit open.",
    "NO_COLOR, CLICOLOR=0, TERM=dumb": "Plain text on a terminal, too.",
    "FORCE_COLOR, CLICOLOR_FORCE": "Tables and colours in a pipe, too.",
    "ALICE_PAGER, PAGER": "What shows an answer that is longer than the screen; cat: nothing does.",
}
_FILES = {
    "~/.alice/experiences/": "The git repository: truth, yours to edit.",
    "~/.alice/experiences/config.jsonc": "The configuration; each key says what it does.",
    "~/.alice/sessions/": "Conversations: never in git.",
    "~/.alice/identity/": "This Alice's certificate and the peers that it was paired with.",
    "~/.alice/state/": "Derived or momentary: may be deleted.",
}


def every(group: Any = None, before: str = "") -> Iterator[tuple[str, Any]]:
    """Every command with its whole name; a group that does something itself comes before its commands."""
    group = group if group is not None else command()
    for name in group.list_commands(None):
        one = group.get_command(None, name)
        whole = f"{before}{name}"
        if hasattr(one, "list_commands"):
            if one.table.get(""):
                yield whole, one
            yield from every(one, f"{whole} ")
        else:
            yield whole, one


def page() -> str:
    """The whole page as roff (man macros)."""
    lines = [f'.TH ALICE\\-EXP 1 "{DATE}" "alice-exp {VERSION}" "alice-exp"']
    lines += [".SH NAME", "alice-exp \\- " + _text(_first(command())).rstrip(".").lower()]
    lines += [".SH SYNOPSIS", ".B alice-exp", "[\\fIOPTIONS\\fR] \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]"]
    lines += [".SH DESCRIPTION", _filled(_INTRODUCTION[0])]
    lines += [line for text in _INTRODUCTION[1:] for line in (".PP", _filled(text))]
    lines += [".SH OPTIONS", "Every command takes these.", *_options(_shared())]
    lines += [".SH COMMANDS", *(line for name, one in every() for line in _command(name, one))]
    lines += [".SH EXIT STATUS", *_pairs(_exits())]
    lines += [".SH ENVIRONMENT", *_pairs(_ENVIRONMENT), ".SH FILES", *_pairs(_FILES)]
    lines += [".SH EXAMPLES", "A first day:", *_shown(_FIRST_DAY)]
    lines += [".SH SEE ALSO", ".BR git (1)"]
    return "\n".join(lines) + "\n"


def _first(one: Any) -> str:
    return parted(one.help or "")[0].split("\n\n")[0]


def _shared() -> list[Any]:
    return [option for option in command().params if option.name != "version"]


def _command(name: str, one: Any) -> Iterator[str]:
    text, examples = parted(one.help or "")
    own = [option for option in one.params if option.name not in {shared.name for shared in _shared()}]
    arguments = " ".join(_argument(each) for each in own if each.param_type_name == "argument")
    yield f".SS {_text(name)}{' ' + arguments if arguments else ''}"
    for position, paragraph in enumerate(part for part in text.split("\n\n") if part):
        if position:
            yield ".PP"
        yield _filled(paragraph)
    yield from _options(own)
    if examples:
        yield from (".PP", *_shown(examples))


def _argument(one: Any) -> str:
    shown = (one.metavar or one.name or "").strip("[]").upper()
    many = "..." if one.nargs == -1 and not shown.endswith("...") else ""
    return f"\\fI{_text(shown)}\\fR{many}" if one.required else f"[\\fI{_text(shown)}\\fR{many}]"


def _options(options: list[Any]) -> Iterator[str]:
    for one in options:
        if one.param_type_name == "argument":
            if one.help:
                yield from (".TP", _argument(one).strip("[]"), _filled(one.help))
            continue
        names = [*one.opts, *one.secondary_opts]
        value = "" if one.is_flag else f" \\fI{_text((one.metavar or one.type.name).upper())}\\fR"
        yield from (".TP", ", ".join(f"\\fB{_text(each)}\\fR" for each in names) + value)
        yield _filled(one.help or "")


def _exits() -> dict[str, str]:
    found = {"0": "Done."}
    kinds = [errors.AliceError, *errors.AliceError.__subclasses__()]
    for kind in sorted(kinds, key=lambda one: one.exit_code):
        said = (kind.__doc__ or "").split("\n")[0]
        found[str(kind.exit_code)] = said.partition(" (exit")[0].rstrip(".") + "."
    found["1"] = "A bug of alice-exp; --debug shows where."
    return found | {"130": "Interrupted."}


def _pairs(rows: dict[str, str]) -> Iterator[str]:
    for name, what in rows.items():
        yield from (".TP", f"\\fB{_text(name)}\\fR", _filled(what))


def _shown(lines: tuple[str, ...]) -> Iterator[str]:
    yield from (".nf", ".RS 4", *(_text(line) for line in lines), ".RE", ".fi")


def _filled(text: str) -> str:
    """Running text in lines of a moderate length; the reader's program fills them."""
    return "\n".join(
        _text(line) for line in textwrap.wrap(" ".join(text.split()), 68, break_on_hyphens=False)
    )


def _text(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    escaped = escaped.replace("~", "\\(ti").replace("^", "\\(ha").replace('"', "\\(dq")
    return f"\\&{escaped}" if escaped.startswith(".") else escaped


def tools() -> str:
    """The list of tools as the server tells it, a tool a line, made from the table of operations."""
    rows = (json.dumps(tool, ensure_ascii=False, separators=(",", ":")) for tool in offered())
    return "[\n{}\n]\n".format(",\n".join(rows))


def main(arguments: list[str]) -> int:
    """Write the page and the list of tools, or check them."""
    fresh = {PAGE: page(), TOOLS: tools(), **plugins.files()}
    if "--write" in arguments:
        for path, text in fresh.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        return 0
    old = [path for path, text in fresh.items() if not path.exists() or path.read_text("utf-8") != text]
    for path in old:
        print(f"{path} is old: run python -m tests.manual --write")
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
