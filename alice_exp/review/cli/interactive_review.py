"""The command ``review``: decides on one candidate at a time by single keys, each decision an act of its own.

Plain lines instead of a full-screen interface, so that it works over ssh; the terminal is in raw mode only while it
waits for a key.
"""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NoReturn

import typer

from alice_exp.home.caller import require_person
from alice_exp.kernel.errors import AliceError, RefusedError
from alice_exp.review import usecases as deciding
from alice_exp.review.cli.report_model import marks
from alice_exp.review.cli.report_text import card
from alice_exp.review.cli.review_commands import approved, rejected
from alice_exp.review.rules.daily_report import Agenda, Item
from alice_exp.review.wiring import reports, reviewing
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import say

_END = "\x04"
_BREAK = "\x03"


def review(ctx: typer.Context) -> None:
    """Decide on what waits, one thing at a time: a approve, p to personal, r reject, e edit, l later, q quit.

    Each decision stands at once; quit or killed, the next review goes on where this one stopped.

    Example: alice-exp review
    """
    terminal: Terminal = ctx.obj
    require_person(terminal.session.caller, say("review"), "alice-exp review")
    if terminal.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise RefusedError(
            "a review needs a terminal, so that a person presses the keys",
            hint="see 'alice-exp heartbeat', then 'alice-exp reply …'",
        )
    report, _ = deciding.heartbeat(reviewing(terminal.session), peek=False)
    tally = _Session(ctx, report).run()
    terminal.line(
        say(
            "{approved} approved, {rejected} rejected, {left} left.",
            approved=tally.approved,
            rejected=tally.rejected,
            left=tally.left,
        )
    )


@dataclass
class Tally:
    """The counts of a review."""

    approved: int = 0
    rejected: int = 0
    left: int = 0


@dataclass
class _Session:
    """One interactive review: the ids still to be shown, and the counts of decisions."""

    context: typer.Context
    report: Agenda
    tally: Tally = field(default_factory=Tally)
    ahead: list[str] = field(default_factory=list)

    @property
    def terminal(self) -> Terminal:
        """The terminal of the command."""
        terminal: Terminal = self.context.obj
        return terminal

    def run(self) -> Tally:
        """Go through the candidates from where the last review stopped, until all were seen or the person quits."""
        items = self._in_order()
        self.ahead = [item.placed.block.id for item in items]
        self.tally.left = len(items)
        if not items:
            self.terminal.line(say("Nothing waits for your decision."))
        for position, item in enumerate(items):
            # Stored before the decision, so that a review that is killed resumes at this candidate.
            reports(self.terminal.session).keep_bookmark(item.placed.block.id)
            if not self._decide(item, position + 1, len(items)):
                return self.tally
            self.ahead = self.ahead[1:]
            if not self.ahead:
                break
        reports(self.terminal.session).keep_bookmark("")
        return self.tally

    def _in_order(self) -> list[Item]:
        items = list(self.report.items)
        at = reports(self.terminal.session).bookmark()
        start = next((i for i, item in enumerate(items) if item.placed.block.id == at), 0)
        return items[start:] + items[:start]

    def _decide(self, item: Item, position: int, count: int) -> bool:
        """Show one candidate and carry out the person's decision; false if they quit."""
        item = self._current(item)
        self._show(item, position, count)
        while True:
            key = _key(say("[a]pprove [p]ersonal [r]eject [e]dit [l]ater [q]uit [?] "))
            if key in ("q", _END, _BREAK):
                return False
            try:
                if self._carried_out(key, item):
                    return True
            except AliceError as error:
                # A warning is printed once per command; here each key press needs its answer.
                self.terminal.warned.clear()
                self.terminal.warn(error)

    def _carried_out(self, key: str, item: Item) -> bool:
        """Whether the key settled the candidate."""
        block_id = item.placed.block.id
        if key in ("l", "n", " ", "\x1b[C"):
            return True
        if key == "A":
            return self._approved_all()
        if key in ("a", "y", "p"):
            to = f"personal/{deciding.personal_namespace(item.placed.block)}" if key == "p" else ""
            done = approved(self.terminal, (block_id,), to)
            self.tally.approved += len(done.ids)
            return self._report_result(item, done, say("approved into {place}", place=_place(done)))
        if key in ("r", "x"):
            reason = self._reason()
            if reason is None:
                return False
            done = rejected(self.terminal, (block_id,), reason)
            self.tally.rejected += len(done.ids)
            return self._report_result(item, done, say("rejected"))
        if key == "e":
            return self._edited(item)
        self._help()
        return False

    def _approved_all(self) -> bool:
        """Approve this one and all that were not shown yet, as one act; false if the person does not confirm."""
        if _key(say("Approve these {count}? [y/n] ", count=len(self.ahead))) not in ("y", "a"):
            return False
        done = approved(self.terminal, self.ahead, bulk=True)
        self.tally.approved += len(done.ids)
        self.tally.left -= len(done.ids)
        self.terminal.line(say("  {count} approved", count=len(done.ids)))
        self.ahead = []
        return True

    def _report_result(self, item: Item, done: deciding.Decided, words: str) -> bool:
        self.tally.left -= len(done.ids)
        for block_id, why in done.skipped:
            self.terminal.line(
                say("{id} has {why} since it was shown; it is left as it is", id=block_id, why=say(why))
            )
        if done.ids:
            self.terminal.line(f"  {self._current(item).number}  {words}")
        return True

    def _current(self, item: Item) -> Item:
        """The candidate in the open report, since an edit makes a new report with new numbers."""
        block_id = item.placed.block.id
        return next((one for one in self.report.items if one.placed.block.id == block_id), item)

    def _edited(self, item: Item) -> bool:
        """Let the person edit the block, then show it again, because a decision is on what was shown (B2.20)."""
        from alice_exp.blocks.cli.lifetime_commands import edit

        block_id = item.placed.block.id
        edit(self.context, block_id)
        self.report, _ = deciding.heartbeat(reviewing(self.terminal.session), peek=False)
        fresh = self._current(item)
        # The edit may have moved the block out of the pool.
        if fresh not in self.report.items:
            return True
        self._show(fresh, 0, 0)
        return False

    def _reason(self) -> str | None:
        """The person's reason, possibly empty; ``None`` if they cancel (end of input, Ctrl-C)."""
        try:
            return input(say("  why (Enter: no reason) ")).strip()
        except (EOFError, KeyboardInterrupt):
            self.terminal.line("")
            return None

    def _show(self, item: Item, position: int, count: int) -> None:
        width = _columns()
        if count:
            self.terminal.line("")
            self.terminal.line(
                f"── {position}/{count} " + "─" * max(0, width - 8 - len(f"{position}{count}"))
            )
        colour = self.terminal.is_rich
        marked = marks([item])[item.placed.block.id]
        sys.stdout.writelines(f"{line}\n" for line in card(item, width, marked, colour=colour))

    def _help(self) -> None:
        for line in (
            say("a  approve: it goes where the card says"),
            say("A  approve this one and all that follow"),
            say("p  approve into personal: about you, never leaves this machine"),
            say("r  reject for good, with a reason if you like"),
            say("e  edit it first, then decide"),
            say("l  later: it keeps waiting"),
            say("q  quit: everything decided so far stands"),
        ):
            self.terminal.line(f"  {line}")


def _place(done: deciding.Decided) -> str:
    return ", ".join(f"{placed.place}/{placed.namespace}" for placed in done.placed)


def _columns() -> int:
    from shutil import get_terminal_size

    return max(40, min(get_terminal_size().columns, 100))


def _key(prompt: str) -> str:
    """One key in lower case (except ``A``); an arrow key as its whole escape sequence; the end of input as Ctrl-D."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    with _raw(sys.stdin.fileno()) as handle:
        raw = os.read(handle, 1)
        # The bytes of an arrow key follow its escape at once; 20 ms tell them from a lone Escape key.
        while raw and (_is_partial(raw) or (raw[0] == 0x1B and select.select([handle], [], [], 0.02)[0])):
            raw += os.read(handle, 1)
    key = raw.decode("utf-8", "replace") if raw else _END
    sys.stdout.write((key if key.isprintable() else "") + "\n")
    return key if key.startswith("\x1b") or key == "A" else key.lower()


def _is_partial(raw: bytes) -> bool:
    """Whether these bytes are an incomplete UTF-8 character."""
    wanted = 1 if raw[0] < 0x80 else 2 if raw[0] < 0xE0 else 3 if raw[0] < 0xF0 else 4
    return len(raw) < wanted


@contextmanager
def _raw(handle: int) -> Iterator[int]:
    """Turn off the terminal's line buffering and echo for one key; always restores them."""
    import signal
    import termios
    import tty

    before = termios.tcgetattr(handle)
    ending = {number: signal.signal(number, _ended) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        tty.setcbreak(handle, termios.TCSADRAIN)
        yield handle
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)
        for number, handler in ending.items():
            signal.signal(number, handler)


def _ended(number: int, frame: object) -> NoReturn:  # noqa: ARG001
    """Exit with the status of a signal, but through every ``finally``, so that the terminal gets its echo back."""
    raise SystemExit(128 + number)
