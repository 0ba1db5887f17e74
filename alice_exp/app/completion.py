"""What TAB offers: commands, options, ids with their triggers. Nothing of this is loaded by a normal start.

A shell's script runs the command with ``_ALICE_EXP_COMPLETE`` in the environment and the words so far; the answer is a
candidate a line, with a tab and a hint where there is one. The scripts never evaluate what they read: it is data.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from alice_exp.app.command_tree import COMMANDS, Table, command_of
from alice_exp.app.opening import open_session
from alice_exp.home.session import Session
from alice_exp.kernel.errors import AliceError, UsageError
from alice_exp.kernel.text.display import one_line, visible
from alice_exp.model import documents
from alice_exp.model.formats.block_schema import ID
from alice_exp.model.formats.record_schema import EPISODES_PATH, EVENTS_PATH
from alice_exp.model.values.block import PLACES, SETS, Place
from alice_exp.model.values.config import OPTIONS
from alice_exp.model.values.records import EpisodeBook, Timeline
from alice_exp.model.values.snapshot import namespace_name
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import in_language, value_of

Candidate = tuple[str, str]
"""A word and a hint (may be empty)."""

_WITH_VALUE = ("--home", "--actor", "--lang")
_PLACES: Mapping[str, tuple[Place, ...]] = {
    "approve": ("low_value", "universal"),
    "reject": ("low_value",),
    "revive": ("archive",),
    "retire": SETS,
    "move": ("personal", "universal"),
}
"""Where a command's blocks are; everywhere else where it is not here."""

_HINT_CELLS = 60

_SHELLS = ("bash", "zsh", "fish")


def completion(
    terminal: Terminal, shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")]
) -> None:
    """Print the script that teaches a shell to complete commands and ids.

    Example: eval "$(alice-exp completion bash)"
    """
    if shell not in _SHELLS:
        raise UsageError("unknown shell {shell}", shell=repr(shell), hint="write bash, zsh or fish")
    script = Path(__file__).with_name("data").joinpath(f"complete.{shell}").read_text("utf-8")
    terminal.answer({"shell": shell, "script": script}, lambda: print(script, end=""))


def complete(words: Sequence[str]) -> int:
    """Print what may stand in the place of the last word; silent where nothing is known. Returns the exit code."""
    try:
        found = list(_offers(list(words[:-1]), words[-1] if words else ""))
    except AliceError:
        return 1
    for value, hint in found:
        shown = one_line(hint, _HINT_CELLS)
        sys.stdout.write(f"{visible(value)}\t{shown}\n" if shown else f"{visible(value)}\n")
    return 0


def _offers(before: list[str], begun: str) -> Iterator[Candidate]:
    table, group, name, rest = _walked(before)
    if name is None:
        for key in table:
            if key and key.startswith(begun):
                told = ""
                if isinstance(target := table[key], str):
                    module, _, function = target.partition(":")
                    told = inspect.getdoc(getattr(import_module(module), function)) or ""
                yield key, in_language(told).partition("\n")[0]
        return
    target = table[name]
    assert isinstance(target, str)
    command = command_of(name, target)
    if begun.startswith("-"):
        yield from _options(command, begun)
        return
    parameter, position = _awaited(command, rest)
    if parameter is None:
        return
    session = open_session(value_of(before, "--home"))
    offered = _values(f"{group} {name}".strip(), parameter, position, session)
    yield from (one for one in offered if one[0].startswith(begun) and one[0] not in rest)


def _walked(before: list[str]) -> tuple[Table, str, str | None, list[str]]:
    """The table that the words lead to, its group's name, the command (None: not yet), and what follows it."""
    words, group = iter(before), ""
    table: Table = COMMANDS
    for word in words:
        if word in _WITH_VALUE:
            next(words, None)
        elif not word.startswith("-"):
            if (target := table.get(word)) is None:
                return {}, group, None, []
            if isinstance(target, str):
                return table, group, word, list(words)
            table, group = target, word
    return table, group, None, []


def _options(command: Any, begun: str) -> Iterator[Candidate]:
    for parameter in command.params:
        for option in parameter.opts:
            if parameter.param_type_name == "option" and option.startswith(begun) and option.startswith("--"):
                yield option, in_language(parameter.help or "")


def _awaited(command: Any, rest: list[str]) -> tuple[Any, int]:
    """The parameter that the next word fills, and how many arguments stand before it."""
    takes_value = {o: p for p in command.params for o in p.opts if not getattr(p, "is_flag", True)}
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    given = 0
    waiting = None
    for word in rest:
        if waiting is not None:
            waiting = None
        elif word in takes_value:
            waiting = takes_value[word]
        elif not word.startswith("-"):
            given += 1
    if waiting is not None:
        return waiting, given
    fitting = (one for number, one in enumerate(arguments) if number == given or one.nargs == -1)
    return next(fitting, None), given


def _values(name: str, parameter: Any, position: int, session: Session) -> Iterator[Candidate]:
    metavar = parameter.metavar or ""
    match next((part for part in _KINDS if part in metavar), parameter.name):
        case "ID" | "EPISODE" as kind:
            yield from _ids("episode" if kind == "EPISODE" else name, session)
        case "SET/NAME":
            files = session.home.read(("personal", "universal")).files
            yield from ((namespace_name(file.path), "") for file in files)
        case "KEY" if name == "sync confirm":
            from alice_exp.sync.remotes import remotes
            from alice_exp.sync.rules.merge_homes import told_key

            yield from ((told_key(one.offered), one.name) for one in remotes(session).all() if one.offered)
        case "KEY":
            yield from ((option.name, option.doc) for option in OPTIONS)
        case "COMMIT":
            yield from ((act.commit[:8], act.subject) for act in session.history.log(limit=30))
        case "SHELL":
            yield from ((shell, "") for shell in _SHELLS)
        case "set_":
            yield from ((place, "") for place in SETS)
        case _ if name == "outcome" and position == 1:
            yield from (("ok", ""), ("fail", ""))


def _ids(name: str, session: Session) -> Iterator[Candidate]:
    """The ids that a command means: those of its group's things, else of blocks."""
    match name.partition(" ")[0]:
        case "episode":
            book = session.home.read((), records=EPISODES_PATH).episodes or EpisodeBook()
            yield from ((one.id, one.task) for one in reversed(book.episodes))
        case "event":
            timeline = session.home.read((), records=EVENTS_PATH).timeline or Timeline()
            yield from ((str(one.id), one.start) for one in reversed(timeline.segments))
        case "project":
            from alice_exp.team.repositories import teaming
            from alice_exp.team.usecases import WAITING, held

            found = held(teaming(session))[0]
            yield from ((one.id, documents.said(one.placed)) for one in found if one.standing in WAITING)
        case "restore":
            here = {placed.block.id for placed in session.home.read(PLACES)}
            named = {one: act.subject for act in session.history.log(limit=300) for one in act.blocks}
            yield from (row for row in named.items() if row[0] not in here and ID.fullmatch(row[0]))
        case "session":
            from alice_exp.conversations.store import chats

            yield from ((one.session, one.last_at) for one in reversed(chats(session).talks()))
        case _:
            for placed in session.home.read(_PLACES.get(name, PLACES)):
                yield placed.block.id, documents.trigger_text(placed) or documents.payload_text(placed)


_KINDS = ("SET/NAME", "ID", "EPISODE", "KEY", "COMMIT", "SHELL")
"""What a metavar's part stands for."""
