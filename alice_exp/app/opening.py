"""Opens the session that a command or a program works on, and does what goes with a command besides.

What hooks left is done, and at the first command of a day the person sees what waits: the summary and a few lines at a
terminal, else a line. That notice looks only: it gives no numbers and starts no clock (DESIGN 7). Never on stdout, and
once a day (B2.23, D30): a file name in ``state/`` records what was shown together with the bounds of the day, so that
later commands of that day need no more than a directory listing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from alice_exp.home.ports import Signer, Team, WrittenFile
from alice_exp.home.session import Session
from alice_exp.kernel.errors import AliceError, ProblemError
from alice_exp.model.values.block import Placed
from alice_exp.model.values.snapshot import Catalogue
from alice_exp.terminal import language

if TYPE_CHECKING:
    from alice_exp.terminal.console import Terminal


def open_session(
    home: str = "", actor: str = "", warn: Callable[[AliceError], None] = lambda _: None
) -> Session:
    """A session on a home, with what higher rooms have for it."""
    return _Opened(home, actor, warn)


class _Opened(Session):
    """A session whose home is signed for, indexed, joined by what repositories carry; what it lacks is not imported."""

    def signer(self) -> Signer | None:
        pin = self.root / "identity" / "owner.pub"
        if not self.home.config().text("owner.key") and not pin.exists():
            return None
        from alice_exp.owner.store import owner

        return owner(self)

    def follow(self, written: Sequence[WrittenFile]) -> None:
        # Whoever searches first makes the index.
        if written and self._is_indexed:
            from alice_exp.finding.store.search_index import index

            index(self).follow(written)

    def catalogued(self, contents: Mapping[str, str], /) -> tuple[Collection[str], Catalogue] | None:
        if not self._is_indexed:
            return None
        from alice_exp.finding.store.search_index import index

        return index(self).catalogue(contents)

    @property
    def _is_indexed(self) -> bool:
        return (self.root / "state" / "index.sqlite").exists()

    def look_up(self, reference: str) -> Placed:
        from alice_exp.finding.usecases import look_up

        return look_up(self, reference)

    @property
    def team(self) -> Team:
        from alice_exp.team.repositories import team

        return team(self)


_NOT_FINISHING = frozenset(
    ("hook", "mcp", "init", "completion", "help", "merge-driver", "connect", "disconnect")
)
"""Commands that do not wait for what a hook left: a host waits for them, or they have no home yet."""


def after_the_report(invoke: Callable[[Any], Any], context: Any) -> Any:
    """Run a command, once the first one of a day has shown or named what waits for a decision (B2.23)."""
    from alice_exp.terminal.streams import ticking

    terminal: Terminal = context.obj
    terminal.command = context.command_path.partition(" ")[2]
    _do_what_hooks_left(terminal)
    _name_what_hosts_miss(terminal)
    if terminal.command not in _SHOWING:
        greet(terminal, terminal.command)
        with ticking(terminal.command):
            return invoke(context)
    answer = invoke(context)
    if terminal.is_seen:
        mark_shown(terminal)
    _name_open_decisions(terminal)
    if not context.params.get("peek"):
        _forget_old_conversations(terminal)
    return answer


def _name_open_decisions(terminal: Terminal) -> None:
    """Behind the report: what agents decided half a day ago or earlier, and told nobody how it went."""
    if terminal.command != "heartbeat" or terminal.quiet or terminal.json:
        return
    from alice_exp.learning.store import decisions

    session = terminal.session
    last, first = (session.moment - timedelta(hours=hours) for hours in (12, 24 * 14))
    stamp = "%Y-%m-%dT%H:%M:%SZ"
    waiting = decisions(session).waiting(first.strftime(stamp))
    found = [one for one in waiting if one.at < last.strftime(stamp)]
    for one in found[:_OPEN_NAMED]:
        line = "no outcome yet: {task} (alice-exp outcome {decision} ok|fail)"
        seemed = (
            language.say("{kind} seemed ok" if ok else "{kind} seemed failed", kind=language.say(kind))
            for kind, ok in one.seemed.items()
        )
        said = language.say(line, task=one.task, decision=one.decision)
        terminal.note(said + language.aside(", ".join(seemed)))
    if len(found) > _OPEN_NAMED:
        terminal.note(language.say("and {count} more", count=len(found) - _OPEN_NAMED))


def _forget_old_conversations(terminal: Terminal) -> None:
    """A person's report is what old conversations go with: agents open most of them, and delete none (B4.6)."""
    session = terminal.session
    if not session.actor.is_person or not terminal.is_seen or terminal.quiet:
        return
    try:
        oldest = min(entry.stat().st_mtime for entry in os.scandir(session.root / "sessions"))
        # Hardly a report has anything to do here, and none should load what it takes: days are counted there.
        if session.moment.timestamp() - oldest > _YOUNG:
            from alice_exp.conversations.usecases import forget_old

            forget_old(session)
    except (OSError, ValueError, AliceError):
        return


_YOUNG = 28 * 86_400.0
"""Seconds for which a conversation surely stays."""

_OPEN_NAMED = 3
"""So many of the decisions without an outcome are named behind a report; the others are counted."""


def _do_what_hooks_left(terminal: Terminal) -> None:
    """See to what a host's hook wrote down and nobody did: the process that it started was killed, or still works."""
    name = terminal.command
    if name.partition(" ")[0] not in _NOT_FINISHING and _is_noted(terminal, "hooks"):
        from alice_exp.agents.cli.hook_command import settle_left

        settle_left(terminal, patience=5.0 if name in ("heartbeat", "review", "status") else 0.0)


def _is_noted(terminal: Terminal, folder: str) -> bool:
    try:
        return any(one.endswith(".json") for one in os.listdir(terminal.session.root / "state" / folder))  # noqa: PTH208
    except OSError:
        return False


def _name_what_hosts_miss(terminal: Terminal) -> None:
    """Tell a person where the connected hosts cannot start us any more: their hooks and servers fail in silence."""
    if terminal.quiet or terminal.command in ("doctor", "status") or not _is_noted(terminal, "hosts"):
        return
    try:
        if not terminal.session.acting.named.is_person:
            return
    except AliceError:
        return
    from alice_exp.agents import store

    if gone := store.missing(terminal.session.root):
        said = "agents' hosts cannot start alice-exp: {program} is gone"
        terminal.warn(ProblemError(said, program=gone, hint="mend it with: alice-exp doctor --fix"))


Shown = Literal["report", "line", "agent"]

_SHOWING = frozenset(("heartbeat", "review", "init"))
"""The commands, by their full names, that show the report themselves, or cannot have one yet."""
# Doctor has to see a damaged index before a report, which needs one, drops it.
_SILENT = frozenset(
    ("approve", "reject", "reply", "mcp", "serve", "watch", "completion", "help", "status", "doctor")
)


def greet(terminal: Terminal, command: str) -> None:
    """Show the notice if this is the first command of the day."""
    if terminal.quiet or command.partition(" ")[0] in _SILENT:
        return
    state = terminal.session.root / "state"
    # What an agent's command shows is no notice to the person, whose agents are up first every day.
    acting = terminal.session.acting
    for_person: Shown = "report" if sys.stderr.isatty() and not terminal.json else "line"
    wants: Shown = for_person if acting.named.is_person else "agent"
    try:
        now = terminal.session.moment.timestamp()
        # A mark of a line covers only a line, an agent's only an agent's, the report's all.
        covering = (
            began <= now < ends for kind, began, ends, _ in _marks(state) if kind in ("report", wants)
        )
        if not state.is_dir() or any(covering):
            return
        # A shell that an agent drives may have a terminal, too.
        if wants != "agent" and not acting.actor.is_person:
            return
        if not terminal.session.config.flag("heartbeat.auto") or not _mark(state, wants, terminal):
            return
    except (OSError, AliceError):
        return
    _show(terminal, wants)


def mark_shown(terminal: Terminal) -> None:
    """Record that the person has seen today's report, so that no later command of today repeats it."""
    try:
        if terminal.session.actor.is_person:
            _mark(terminal.session.root / "state", "report", terminal)
    except (OSError, AliceError):
        return


def _marks(state: Path) -> Iterator[tuple[str, int, int, str]]:
    for name in os.listdir(state):  # noqa: PTH208
        if name.startswith("shown-"):
            kind, began, ends = (*name.split("-"), "", "", "")[1:4]
            if began.isdigit() and ends.isdigit():
                yield kind, int(began), int(ends), name


def _mark(state: Path, shown: Shown, terminal: Terminal) -> bool:
    """Create today's mark; false if another process was first. Marks of earlier days are removed."""
    began = datetime.fromisoformat(terminal.session.day_began)
    # Wall-clock arithmetic, because a day on which the clocks change has 23 or 25 hours.
    ends = began.astimezone(terminal.session.zone) + timedelta(days=1)
    name = f"shown-{shown}-{int(began.timestamp())}-{int(ends.timestamp())}"
    for kind, _, until, old in list(_marks(state)):
        # An agent's clock may stand anywhere: it takes away no mark that says what a person saw.
        if until <= began.timestamp() and (terminal.session.actor.is_person or kind == shown):
            (state / old).unlink(missing_ok=True)
    # O_EXCL: of several commands that start at once only one shows the notice.
    try:
        os.close(os.open(state / name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    return True


def _show(terminal: Terminal, wants: Shown) -> None:
    from alice_exp.review.cli.heartbeat_command import line, summary
    from alice_exp.review.usecases.todays_report import heartbeat

    try:
        report, _ = heartbeat(terminal.session, peek=True)
    except AliceError:
        return  # the command itself meets the same error and reports it
    if wants != "report" or report.is_empty:
        terminal.note(language.say("alice-exp: {line}", line=line(report)))
        return
    from alice_exp.review.cli.report_text import notice

    # No number is on the screen here, and none is told.
    bare = replace(report, items=tuple(replace(item, number=0) for item in report.items))
    notice(bare, summary(bare), sys.stderr)
