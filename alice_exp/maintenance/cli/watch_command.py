"""The command ``watch``, which adopts saved files as they change and shows what happens."""

from __future__ import annotations

import os
import select
import signal
import stat
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from alice_exp.blocks.cli.lifetime_commands import in_words
from alice_exp.kernel.jsonc import Problem
from alice_exp.kernel.text.display import visible
from alice_exp.kernel.value_class import attributes
from alice_exp.maintenance.store.watch import Noticed, Watching, watcher
from alice_exp.model import documents
from alice_exp.terminal.console import Terminal, faulty
from alice_exp.terminal.language import aside, say
from alice_exp.terminal.options import window
from alice_exp.terminal.streams import json_text

if TYPE_CHECKING:
    from rich.console import RenderableType

Show = Callable[[Sequence[Noticed]], None]


def watch(
    terminal: Terminal,
    for_: Annotated[
        str, typer.Option("--for", metavar="TIME", help="End after this time, as 10s, 5m or 1h.")
    ] = "",
) -> None:
    """Take in what you save in an editor, as it happens: checked, committed, at once there for recall.

    A file with a problem keeps its last good version; the problem is shown until it is mended. With --json each
    event is one line. Ctrl-C ends it.

    Examples: alice-exp watch · alice-exp watch --for 1h --json
    """
    session = terminal.session
    limit = window(for_) if for_ else None
    watching = Watching(session)
    with Waiting(limit) as waiting, watcher(session, waiting.wake) as watched:
        noticed = watching.begin()
        with _face(terminal, watching) as show:
            show(noticed)
            while waiting.changed():
                show(watching.look())
                watched.debounce = watching.snapshot.config.count("watch.debounce_ms") / 1000
                if session.home.waiting:
                    watched.again()
    if waiting.interrupted:
        terminal.exit_code = 128 + signal.SIGINT


class Waiting:
    """Waits for changes, and for every way in which a watch ends: a signal, the end of stdin or stdout, a time limit.

    SIGINT is an interruption; SIGTERM, a closed stdin (its writer ended, or Ctrl-D) and a closed stdout are an ordinary
    end. A stdin such as ``/dev/null`` is ignored. ``limit`` is in seconds.
    """

    def __init__(self, limit: float | None = None) -> None:
        self.interrupted = False
        self._ended = False
        self._deadline = None if limit is None else time.monotonic() + limit
        # A self-pipe: other threads and signal calls wake the same poll that watches stdin and stdout.
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        self._before: dict[int, Any] = {}
        self._poll = select.poll()
        self._poll.register(self._reader, select.POLLIN)
        self._stdin = _handle(sys.stdin)
        self._stdout = _handle(sys.stdout)

    def __enter__(self) -> Waiting:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._on_signal)
        if self._stdin >= 0 and (
            _is_pipe(self._stdin) or (os.isatty(self._stdin) and _is_foreground(self._stdin))
        ):
            self._poll.register(self._stdin, select.POLLIN)
        if self._stdout >= 0 and _is_pipe(self._stdout):
            self._poll.register(self._stdout, 0)
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)
        writer, self._writer = self._writer, -1
        os.close(writer)
        os.close(self._reader)

    def wake(self) -> None:
        """Wake ``changed``; may be called from any thread."""
        if self._writer >= 0:
            try:
                os.write(self._writer, b".")
            # A full pipe will wake the reader anyway.
            except BlockingIOError:
                return

    def changed(self) -> bool:
        """Wait for changes; False once the watch is over."""
        while not self._ended:
            left = None if self._deadline is None else self._deadline - time.monotonic()
            if left is not None and left <= 0:
                return False
            ready = self._poll.poll(None if left is None else left * 1000)
            news = [handle for handle, _ in ready if handle == self._reader]
            if self._is_over(dict(ready)):
                return False
            if news and os.read(self._reader, 4096).strip(b"!"):
                return not self._ended
        return False

    def _is_over(self, ready: dict[int, int]) -> bool:
        if ready.get(self._stdout, 0) & (select.POLLERR | select.POLLHUP):
            return True
        return self._stdin in ready and _is_foreground(self._stdin) and not os.read(self._stdin, 4096)

    def _on_signal(self, number: int, frame: object) -> None:  # noqa: ARG002
        self._ended = True
        self.interrupted = number == signal.SIGINT
        if self._writer >= 0:
            os.write(self._writer, b"!")


def _handle(stream: Any) -> int:
    try:
        return int(stream.fileno())
    except (OSError, ValueError, AttributeError):
        return -1


def _is_pipe(handle: int) -> bool:
    mode = os.fstat(handle).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _is_foreground(handle: int) -> bool:
    """Whether reading is allowed: the system stops a background process that reads its terminal."""
    try:
        return not os.isatty(handle) or os.tcgetpgrp(handle) == os.getpgrp()
    except OSError:
        return False


@contextmanager
def _face(terminal: Terminal, watching: Watching) -> Iterator[Show]:
    """What shows what a look found: nothing with ``-q``, one object an event with ``--json``, one plain line in a pipe,
    at a terminal a table of the present problems and the newest acts, updated in place."""
    title = say("watching {home}; Ctrl-C ends it", home=terminal.session.root)

    def write(body: dict[str, object]) -> None:
        sys.stdout.write(json_text(body, None))
        sys.stdout.flush()

    def as_json(noticed: Sequence[Noticed]) -> None:
        for one in noticed:
            write({"event": one.kind, "at": one.at, **_body(one)})

    def as_lines(noticed: Sequence[Noticed]) -> None:
        for one in noticed:
            terminal.line(f"{_clock(terminal, one.at)}  {_said(one)}")
        sys.stdout.flush()

    if terminal.quiet:
        yield lambda _: None
    elif terminal.json:
        snapshot, root = watching.snapshot, str(terminal.session.root)
        write({"event": "watching", "home": root, "head": snapshot.head, "blocks": sum(1 for _ in snapshot)})
        yield as_json
    elif terminal.is_rich:
        from rich.console import Console
        from rich.live import Live

        rows: list[Noticed] = []
        console = Console(highlight=False)

        def update(noticed: Sequence[Noticed]) -> None:
            rows[:] = [*rows, *noticed][-200:]
            live.update(_drawn(terminal, title, rows, watching.problems, console.size.height), refresh=True)

        with Live(
            _drawn(terminal, title, (), watching.problems, 0), console=console, auto_refresh=False
        ) as live:
            yield update
    else:
        terminal.note(title)
        yield as_lines


def _body(one: Noticed) -> dict[str, object]:
    if one.commit is not None:
        return attributes(one.commit, "commit op actor blocks subject") | {"acted_at": one.commit.at}
    return documents.problem(one.problem) if one.problem is not None else {"path": one.path}


def _drawn(
    terminal: Terminal, title: str, rows: Sequence[Noticed], problems: Sequence[Problem], height: int
) -> RenderableType:
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    parts: list[RenderableType] = [Text(visible(title), style="dim")]
    if rows:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        table.add_column(say("time"), no_wrap=True)
        table.add_column(say("by"), no_wrap=True)
        table.add_column(say("what"), overflow="fold")
        for one in rows[-max(3, height - 6 - 2 * len(problems)) :]:
            by = one.commit.actor if one.commit is not None else ""
            style = {"act": "", "problem": "red", "mended": "green"}[one.kind]
            told = Text(visible(_said(one, by=False)), style=style)
            table.add_row(_clock(terminal, one.at), visible(by), told)
        parts.append(table)
    for problem in problems:
        sign, style = ("✗", "red") if problem.severity == "error" else ("!", "yellow")
        parts.append(Text(visible(f"{sign} {_fault(problem)}"), style=style))
    return Group(*parts)


def _clock(terminal: Terminal, at: str) -> str:
    return datetime.fromisoformat(at).astimezone(terminal.session.zone).strftime("%H:%M:%S")


def _said(one: Noticed, *, by: bool = True) -> str:
    if one.commit is not None:
        return f"{in_words(one.commit)}  ({one.commit.actor})" if by else in_words(one.commit)
    if one.problem is not None:
        return _fault(one.problem)
    return say("{path} is in order again", path=one.path or say("the home"))


def _fault(problem: Problem) -> str:
    where = f"{problem.where}: " if problem.where else ""
    is_kept = problem.severity == "error" and problem.path
    return where + faulty(problem) + aside(say("the last good version keeps answering") if is_kept else "")
