"""Parses the arguments that commands share: contexts, JSONL lines, sets, times; mistakes are errors with a position."""

from __future__ import annotations

import codecs
import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Annotated, Any

import typer

from alice_exp.kernel.errors import Hint, NotFoundError, ProblemError, RefusedError, UsageError, reason
from alice_exp.kernel.jsonc import Json, Problem, strict
from alice_exp.model.values.block import BLOCK_TYPES, SETS, Place
from alice_exp.terminal.language import BOUNDS, require_fitting, say

DEEPEST = 60
"""The deepest nesting of one JSONL line: files are read to 64 levels, and a block is three levels deep in its file."""

LINE_LIMIT = 1 << 20
"""The most bytes of one JSONL line; a longer one is a mistake rather than a block."""

DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would happen; change nothing.")]
Surroundings = Annotated[list[str], typer.Option(metavar="K=V", help="The environment now; may be repeated.")]
Pairs = Annotated[list[str], typer.Option(metavar="K=V")]
Ids = Annotated[list[str], typer.Option(metavar="ID")]
Came = Annotated[str, typer.Option("--result", metavar="JSON|TEXT")]
Sets = Annotated[list[str], typer.Option("--set", help="personal, universal or low_value; may be repeated.")]
Types = Annotated[list[str], typer.Option(help="Block types; may be repeated.")]
Tags = Annotated[list[str], typer.Option(help="Tags that a block must have; may be repeated.")]
ChangedSince = Annotated[str, typer.Option(help="Changed since this day or time, as 2026-02-20.")]
Since = Annotated[str, typer.Option(help="From this day or time on.")]
Until = Annotated[str, typer.Option(help="Until this day or time.")]
Project = Annotated[
    str, typer.Option(metavar="NAME|.|none", help="The project ('.': this folder's); else this folder's.")
]
Top = Annotated[int, typer.Option(min=1, max=1000, help="How many at most.")]
"""Options of several commands, defined once so that they read the same everywhere."""

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}


def context_of(pairs: Sequence[str], option: str = "--context") -> dict[str, Json]:
    """Parse ``k=v`` options into a context; JSON booleans, null and numbers are converted, other values stay texts."""
    context: dict[str, Json] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise UsageError(
                "not a key and its value: {pair}",
                pair=repr(pair),
                hint=Hint("write {option} key=value", option=option),
            )
        read = json_or_text(value)
        context[key.strip()] = read if isinstance(read, bool | int | float) or read is None else value
    return context


def json_or_text(text: str) -> Json:
    """Parse a text as JSON if it is JSON that a file may contain; otherwise return it as a text."""
    try:
        return strict(text)
    except (ValueError, RecursionError):
        return text


def window(text: str, *, passing: bool = False) -> float:
    """A length of time such as ``30d``, ``12h``, ``1.5m`` or ``10s`` (without a unit: s) in seconds, 0 if empty.

    ``UsageError`` for others, and for 0 where some time has to be ``passing``.
    """
    fits = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]{1,3})?)([smhdw]?)", text.strip() or "0")
    if not fits or (passing and not float(fits[1])):
        raise UsageError("not a length of time: {text}", text=repr(text), hint="write 30d, 12h, 90m or 2w")
    return float(fits[1]) * _UNITS[fits[2] or "s"]


def places_of(names: Sequence[str]) -> tuple[Place, ...]:
    """The sets with these names; all of them if none is named."""
    known: dict[str, Place] = {name: name for name in SETS} | {"low_value_pool": "low_value"}
    for name in names:
        if name not in known:
            raise UsageError(
                "{name} is not a set", name=repr(name), hint="sets are personal, universal, low_value"
            )
    return tuple(dict.fromkeys(known[name] for name in names)) or SETS


def json_lines(source: str, longest: int = LINE_LIMIT) -> Iterator[tuple[int, dict[str, Json]]]:
    """The objects of a JSONL file (``-``: stdin) with their line numbers; empty lines are skipped.

    A file that begins with a brace on a line of its own is one object. ``longest``: bytes of a line.

    Raises ``ProblemError`` with ``source:line:column`` for anything but an object, and for what files may not contain:
    NaN, infinities, duplicate keys, lone surrogates.
    """
    data = source_bytes(source)
    is_one = data.partition(b"\n")[0].removeprefix(codecs.BOM_UTF8).strip() == b"{"
    for number, raw in enumerate([data] if is_one else data.split(b"\n"), start=1):
        if not raw.strip():
            continue
        if len(raw) > longest:
            raise ProblemError(
                "this line is longer than {size} MiB", size=longest >> 20, path=source, line=number, column=1
            )
        yield number, _object(raw, source, number)


MOST_BYTES = 64 << 20
"""The largest file that is imported."""


def source_bytes(source: str, *, bounded: bool = False) -> bytes:
    """A file's bytes (``-``: stdin); ``NotFoundError`` if missing, ``ProblemError`` if it is not a regular file, or
    ``bounded`` and larger than ``MOST_BYTES``."""
    path = Path(source)
    if source != "-" and path.exists() and not path.is_file():
        raise ProblemError("this is not a plain file", path=source)
    try:
        with nullcontext(sys.stdin.buffer) if source == "-" else path.open("rb") as file:
            # One byte more than allowed, to notice that there is more.
            data = file.read(MOST_BYTES + 1 if bounded else -1)
    except FileNotFoundError:
        raise NotFoundError("there is no file {source}", source=source) from None
    except OSError as error:
        raise ProblemError("this file cannot be read: {why}", why=reason(error), path=source) from error
    if bounded and len(data) > MOST_BYTES:
        raise ProblemError("this file is larger than 64 MiB", path=source)
    return data


def _object(raw: bytes, source: str, number: int) -> dict[str, Json]:
    try:
        # A byte order mark can only be at the start of the file.
        value = strict(raw.decode("utf-8-sig" if number == 1 else "utf-8"))
    except (ValueError, RecursionError) as error:
        # Said as of a file: our reader knows what a person meant; json names what its grammar wants.
        from alice_exp.kernel.jsonc.reader import parse

        if (meant := parse(raw, spans_of="").problem) is None:
            assert isinstance(error, json.JSONDecodeError)
            meant = Problem(source, error.lineno, error.colno, error.msg.lower())
        meant = replace(meant, path=source, line=number - 1 + meant.line)
        raise meant.as_error("this line is not JSON: {message}") from None
    if not isinstance(value, dict):
        raise ProblemError("this line is not a JSON object", path=source, line=number, column=1)
    if raw.count(b"[") + raw.count(b"{") > DEEPEST:
        from alice_exp.kernel.jsonc.reader import is_deeper

        if is_deeper(value, DEEPEST):
            raise ProblemError("this line is nested too deeply", path=source, line=number, column=1)
    return value


def write_apart(root: Path, target: str, text: str) -> None:
    """Write a document to stdout (``-``), or into a new file that only its owner can read (0600), whole or not at all;
    the home at ``root`` notes the file, so that a purge can name it.

    ``RefusedError`` if the file exists, since nothing is overwritten.
    """
    if target == "-":
        sys.stdout.write(text)
        return
    from alice_exp.home.store.list_files import note_written
    from alice_exp.kernel.journal.atomic_files import create

    try:
        create(Path(target), text.encode())
        note_written(root, Path(target))
    except FileExistsError:
        raise RefusedError("{target} already exists", target=target, hint="name a new file") from None
    except OSError as error:
        raise ProblemError("this file cannot be written: {why}", why=reason(error), path=target) from error


def moment(text: str, zone: tzinfo | None, now: datetime | None = None) -> str:
    """A day or time as ISO-8601 UTC; ``UsageError`` if malformed.

    What names no zone is in ``zone``; None: in that of the system. With ``now`` also a day or a span of days in words
    (yesterday, last week, 昨天): its beginning.
    """
    from alice_exp.kernel.text.times import parsed

    try:
        return parsed(text, zone).strftime("%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        if now is not None and (began := _named(text, zone, now)):
            return began
        raise UsageError(
            "not a time: {text}", text=repr(text), hint="write 2026-02-20, 2026-02-20T09:00:00Z or yesterday"
        ) from None


def _named(text: str, zone: tzinfo | None, now: datetime) -> str:
    """Where the one span of days begins that a text names; empty if it names none, or several."""
    from alice_exp.kernel.text.named_dates import named_days
    from alice_exp.kernel.text.times import parsed

    spans = named_days(text, now.astimezone(zone).replace(tzinfo=None))
    return (
        parsed(spans[0][1].start.isoformat(), zone).strftime("%Y-%m-%dT%H:%M:%SZ") if len(spans) == 1 else ""
    )


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
        elif one.name in BOUNDS:
            one.callback = _bounded
        elif one.metavar != "VALUE" if is_argument else one.name not in WORDS:
            one.callback = named


def plain(metavar: object) -> str:
    """An argument's name without the signs that say whether it may be left out or repeated."""
    name = re.sub(r"^\[[^]]*\] ", "", str(metavar).replace("...", ""))
    return name.strip("[]{}…").removesuffix("|-").strip("[]{}…")


def _bounded(_: Any, parameter: Any, value: float | None) -> float | None:
    low, high = BOUNDS[parameter.name]
    # NaN is not within them either.
    if value is not None and not low <= value <= high:
        option = parameter.opts[0]
        raise UsageError("{option} is a number from {low:g} to {high:g}", option=option, low=low, high=high)
    return value


def _text(_: Any, parameter: Any, value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_text(_, parameter, one) for one in value] if len(value) == 1 else value
    text = _stdin(parameter.metavar) if value == "-" else value
    require_fitting(len((text or "").encode(errors="surrogatepass")))
    return text


def _stdin(metavar: str) -> str:
    if sys.stdin.isatty():
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
    if any(isinstance(one, str) and not one.strip() for one in given) and (
        str(getattr(context.get_parameter_source(parameter.name), "name", "")) == "COMMANDLINE"
    ):
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

    shown = {say(one): one for one in (*LEVELS, *BLOCK_TYPES, *SETS, "work")} | {say("the user"): "user"}
    return shown.get(word, word)
