"""The terminal of one command: answers go to stdout, everything else to stderr, tables are drawn for persons."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import field
from datetime import datetime
from functools import cached_property
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import typer

from alice_exp.kernel.errors import AliceError, Hint, Names, NotFoundError, RefusedError, UsageError
from alice_exp.kernel.jsonc import Problem, first_error
from alice_exp.kernel.text.display import cells, one_line, visible, wrapped
from alice_exp.kernel.value_class import attributes, dataclass
from alice_exp.terminal import options
from alice_exp.terminal.language import AS_TYPED, aside, rendered, say
from alice_exp.terminal.streams import json_text, paged, stop_ticking

if TYPE_CHECKING:
    from alice_exp.home.file_home import Home
    from alice_exp.home.session import Session
    from alice_exp.model.values.block import Place, Placed
    from alice_exp.model.values.snapshot import Snapshot

_YES = frozenset(("y", "yes", "是", "是的", "好", "好的", "对", "行", "确定", "同意"))
_NO = frozenset(("", "n", "no", "否", "不", "不是", "不行", "不要", "别", "取消"))

FORMATS = ("tsv", "csv", "json")
"""What any answer can be written as, besides the text that a person reads."""


@dataclass
class Terminal:
    """The options that all commands share, and a command's output; ``open_session`` opens the home that they name."""

    open_session: Callable[[str, str, Callable[[AliceError], None]], Session]
    home: str = ""
    actor: str = ""
    json: bool = False
    quiet: bool = False
    yes: bool = False
    debug: bool = False
    format: str = ""
    fields: str = ""
    command: str = ""
    is_seen: bool = True
    exit_code: int = 0
    warned: set[str] = field(default_factory=set)
    is_dry: bool = False

    @cached_property
    def session(self) -> Session:
        """The session on the home that the options name."""
        return self.open_session(self.home, self.actor, self.warn)

    def rehearsing(self, dry_run: bool) -> Session:
        """The session; in a dry run its acts are planned and not written."""
        self.is_dry = self.session.is_dry = dry_run
        return self.session

    def home_for(self, dry_run: bool) -> Home:
        """The home's two doors; those of a dry run write nothing."""
        return self.rehearsing(dry_run).target

    def records(self, path: str, places: Collection[Place] = ()) -> Snapshot:
        """A snapshot with the record file at ``path``; if that has a problem, its last good version, and a warning."""
        snapshot = self.session.recorded(path, places)
        if (fault := first_error(snapshot.problems, path)) is not None:
            self.warn(fault.as_error("{message}; the last good version answers"))
        return snapshot

    @property
    def is_rich(self) -> bool:
        """Whether tables and colours are drawn: see ``draws``."""
        return draws(sys.stdout)

    @property
    def wants_document(self) -> bool:
        """Whether the answer is a document rather than a text for a person."""
        return bool(self.json or self.format or self.fields)

    @property
    def width(self) -> int:
        """The columns of a line: those of the terminal, or of ``COLUMNS``; 80 where neither is known."""
        return get_terminal_size().columns

    def local(self, at: str) -> str:
        """A moment (ISO-8601 UTC) in the home's time zone, as 2026-02-20 17:00; empty stays empty."""
        return f"{datetime.fromisoformat(at).astimezone(self.session.zone):%Y-%m-%d %H:%M}" if at else ""

    def moment(self, text: str) -> str:
        """A day or time that a person typed, in the home's time zone, as ISO-8601 UTC; empty stays empty."""
        return options.moment(text, self.session.zone, self.session.moment) if text else ""

    def answer(
        self, document: object, text: Callable[[], None], *, is_paged: bool = True, is_found: bool = True
    ) -> None:
        """Print the answer: one JSON document with ``--json``, otherwise by calling ``text``; nothing with ``-q``.

        ``--format`` and ``--fields`` go through ``terminal.tables``; a text longer than the screen through a pager,
        unless it is not to be ``is_paged``. Exit 4 where nothing ``is_found``.
        """
        stop_ticking()
        if not is_found:
            self.exit_code = NotFoundError.exit_code
        if self.format or self.fields:
            from alice_exp.terminal.tables import written

            format = "json" if self.json else self.format
            sys.stdout.write(written(document, self.command, format, self.fields))
        elif self.json:
            sys.stdout.write(json_text(document))
        elif not self.quiet:
            if not (is_paged and sys.stdout.isatty()):
                text()
                return
            paged(text)

    def write_as(self, format: str, own: Sequence[str] = ()) -> None:
        """Let the answer be written in a format; one of the command's ``own`` is up to that. ``UsageError`` if it
        is none, or another than ``--json`` asks for."""
        if format in FORMATS and self.json and format != "json":
            raise UsageError("--json and --format {format} contradict each other", format=format)
        if format in FORMATS:
            self.format = format
        elif format not in own:
            hint = Hint("write --format {names}", names=Names((*own, *FORMATS)))
            raise UsageError("unknown format {format}", format=repr(format), hint=hint)

    def line(self, text: str = "") -> None:
        """Print one line of the answer, escaped; what goes on below it is marked, so that no text can fake a row."""
        sys.stdout.write(folded(text, sys.stdout))

    def pair(self, name: str, text: str, width: int = 0) -> None:
        """Print a name, filled to ``width`` cells, and what it says; what is too long for a terminal goes on below."""
        # A full-width colon brings its own room.
        head = f"  {name}{' ' * (width - cells(name))}{'' if name.endswith('：') else ' '}"
        sys.stdout.write(folded(head + text, sys.stdout, indent=len(head)))

    def act(self, text: str) -> None:
        """Print a line about what an act did; in a dry run, what it would do."""
        self.line(say("would be: {line}", line=text) if self.is_dry else text)

    def note(self, text: str) -> None:
        """Print one line to stderr that is not part of the answer."""
        stop_ticking()
        if not self.quiet:
            sys.stderr.write(folded(text, sys.stderr, ""))

    def warn(self, error: AliceError) -> None:
        """Print a warning to stderr, each only once."""
        stop_ticking()
        if (text := sentence(error)) not in self.warned:
            self.warned.add(text)
            sys.stderr.write(folded(f"alice-exp: {text}", sys.stderr))

    def confirm(self, question: str, *, is_new: bool = False) -> None:
        """Ask a person to confirm, unless ``--yes``; ``RefusedError`` (exit 6) if refused or without a terminal.

        ``is_new``: what is asked about came to the screen just now, so that what was typed before is no answer.
        """
        stop_ticking()
        self.require_confirmation()
        if is_new and not self.yes:
            import termios

            termios.tcflush(sys.stdin, termios.TCIFLUSH)
        # err: the question must not become part of the answer on stdout.
        if not self.yes and not self._agreed(visible(question)):
            raise RefusedError("not confirmed; nothing was changed")

    def _agreed(self, question: str) -> bool:
        """Whether a person says yes, in either language; asked again where the answer is neither yes nor no."""
        while True:
            said = typer.prompt(f"{question} [y/N]", default="", show_default=False, err=True)
            word = said.strip().strip("。.!！").casefold()
            if word in _YES or word in _NO:
                return word in _YES
            self.note(say("answer y or n"))

    def require_confirmation(self) -> None:
        """Raise ``RefusedError`` without ``--yes`` and without a terminal, where no person can confirm."""
        if not self.yes and not sys.stdin.isatty():
            raise RefusedError("this needs a confirmation", hint=say("run it in a terminal, or add --yes"))

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[str]], none: str = "") -> None:
        """Print a table: drawn by rich for a person, aligned plain text for a pipe; ``none`` is noted of no rows."""
        listed = [[visible(cell).replace("\n", " ") for cell in row] for row in rows]
        if not listed:
            self.note(none or say("nothing to show"))
            return
        if self.is_rich:
            from alice_exp.terminal.tables import draw

            draw(columns, listed)
            return
        sys.stdout.writelines(f"{line}\n" for line in aligned([[*columns], *listed]))

    def error(self, error: AliceError) -> int:
        """Report an error on stderr, as JSON with ``--json``; returns the exit code."""
        stop_ticking()
        if self.json:
            body = {
                "code": error.code,
                "message": _translated(error),
                "hint": rendered(error.hint),
                **attributes(error, "path line column"),
            }
            sys.stderr.write(json_text({"error": body}, None, sys.stderr))
        else:
            sys.stderr.write(folded(f"alice-exp: {sentence(error)}", sys.stderr))
        return error.exit_code


def folded(text: str, stream: Any, mark: str = "    │ ", indent: int = 0) -> str:
    """Escaped lines, all but the first behind the mark; what is too long for a terminal goes on below, further in."""
    rows, room = visible(text).split("\n"), get_terminal_size().columns
    for at, row in enumerate(rows):
        cut = indent or len(row) - len(row.lstrip()) + 2
        head, rest = (mark, row) if at and mark else (row[:cut], row[cut:])
        below = head if at and mark else " " * cells(head)
        is_long = stream.isatty() and cells(head + rest) > room
        rows[at] = head + (f"\n{below}".join(wrapped(rest, max(20, room - cells(head)))) if is_long else rest)
    return "\n".join(rows) + "\n"


def draws(stream: Any) -> bool:
    """Whether tables and colours are drawn on a stream.

    ``NO_COLOR`` says no; ``FORCE_COLOR`` and ``CLICOLOR_FORCE`` say yes, in a pipe, too; ``CLICOLOR=0``, ``TERM=dumb``
    and a pipe say no.
    """
    environment = os.environ
    if environment.get("NO_COLOR"):
        return False
    if any(environment.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    if environment.get("CLICOLOR") == "0" or environment.get("TERM") == "dumb":
        return False
    return bool(stream.isatty())


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows as lines, each column as wide as its widest cell."""
    sizes = [[cells(cell) for cell in row] for row in rows]
    widths = [max(column) for column in zip(*sizes, strict=True)]
    for row, filled in zip(rows, sizes, strict=True):
        padded = (cell + " " * (w - n) for cell, w, n in zip(row, widths, filled, strict=True))
        yield "  ".join(padded).rstrip()


def short(text: str, width: int) -> str:
    """A text on one line, for a person's screen of at most ``width`` cells; whole where another program reads it."""
    return one_line(text, width if sys.stdout.isatty() else 1 << 30)


def team_of(placed: Placed) -> str:
    """Whose team's a block is: its project, and who wrote it where that is known."""
    project, _, author = placed.block.origin.partition(" by ")
    if author:
        return say("team of {project} by {author}", project=project, author=author)
    return say("team of {origin}", origin=project)


def scoped(place: str, project: str) -> str:
    """A set and namespace, with the project in which a block there holds."""
    return say("{place}, project {name}", place=place, name=project) if project else place


def stale_mark(placed: Placed) -> str:
    """The suffix of an answer from a file with a problem, since it is the last good version (DESIGN 3)."""
    return say(" ⚠ stale: its file has a problem") if placed.stale else ""


def sentence(error: AliceError) -> str:
    """An error as one line: position, sentence, hint."""
    where = f"{error.path}: " if error.path else ""
    if error.line:
        where = f"{error.path}:{error.line}:{error.column}: "
    return visible(f"{where}{_translated(error)}{aside(rendered(error.hint))}").replace("\n", " ")


def faulty(problem: Problem) -> str:
    """What a problem says and what helps, without its place."""
    return say(problem.template, **problem.values) + aside(rendered(problem.hint))


def _translated(error: AliceError) -> str:
    values: dict[str, Any] = {
        name: rendered(value)
        if isinstance(value, str) and not isinstance(value, Names) and name not in AS_TYPED
        else value
        for name, value in error.filling.items()
    }
    return say(error.template, **values)
