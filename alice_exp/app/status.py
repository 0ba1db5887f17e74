"""The commands ``status``, one screen of what waits, is in doubt, changed or is broken, hosts and the last sync, and
``doctor``, the whole home looked over, and what the connected hosts start."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, TypeVar

import typer

from alice_exp.agents import store
from alice_exp.agents.connected_hosts import Connected, connected, faults, foreign
from alice_exp.finding.rules.concerns import TRUSTED_PLACES, came_up
from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.jsonc import Problem
from alice_exp.kernel.text.display import cells, one_line, wrapped
from alice_exp.kernel.value_class import attributes
from alice_exp.model import documents
from alice_exp.model.rules.doubt import DOUBTED, is_in_doubt
from alice_exp.model.values.block import Placed
from alice_exp.review.cli.candidate_card import Row
from alice_exp.review.cli.heartbeat_command import apart
from alice_exp.review.cli.report_parts import asked_about, moved, settled, team_document
from alice_exp.review.rules.daily_report import Agenda
from alice_exp.review.rules.state_changes import Movement
from alice_exp.review.usecases.todays_report import heartbeat
from alice_exp.sync.remotes import Remote, remotes
from alice_exp.terminal.console import Terminal, faulty
from alice_exp.terminal.language import aside, say

T = TypeVar("T")
FEW = 3
"""How many of a kind a screen names; the command beside the count shows all."""


def status(terminal: Terminal) -> None:
    """Show on one screen what waits, is in doubt, changed or is broken; hosts, and the last sync.

    Nothing is numbered and no clock starts, as with 'heartbeat --peek'.

    Examples: alice-exp status · alice-exp status --json
    """
    report, home = heartbeat(session := terminal.session, peek=True)[0], session.home.read(TRUSTED_PLACES)
    doubts = [placed for placed in home.concerned(came_up(DOUBTED)) if is_in_doubt(placed.block)]
    known, asked = remotes(session).all(), [asked_about(*one) for one in session.asked()]
    hosts = [(one, [*faults(one, session)]) for one in connected(session)]
    problems = (*report.problems, *session.exposed(), *foreign(session.spot.path))
    document = {
        "home": str(session.root),
        "waiting": len(report.items),
        **attributes(report, "new today by_hand"),
        "paused_until": report.paused_until or None,
        "doubts": [_doubtful(placed) for placed in doubts],
        "projects": [row.document for row in asked],
        "team": [team_document(came) for came in report.team],
        "contradictions": [settled(*pair).document for pair in report.settle],
        "problems": [documents.problem(fault) for fault in problems],
        "changed": [moved(one).document for one in report.changed],
        "unapproved": [placed.block.id for placed in report.unapproved],
        "lost": [one.entry.id for one in report.lost],
        "hosts": [
            {
                "host": one.host.name,
                "path": one.path,
                "last_call": one.last_call or None,
                "problems": [*map(documents.problem, failing)],
            }
            for one, failing in hosts
        ],
        "sync": {
            "last": max((one.synced for one in known), default="") or None,
            "remotes": [attributes(one, "name private") | {"last": one.synced or None} for one in known],
        },
    }

    def text() -> None:
        rows = _rows(terminal, report, doubts, asked, problems)
        rows |= {say("hosts"): [*_hosts(terminal, hosts)], say("sync"): [*_synced(terminal, known)]}
        terminal.line(str(session.root))
        _screen(terminal, [row for row in rows.items() if row[1]])

    terminal.answer(document, text)


def _doubtful(placed: Placed) -> dict[str, Any]:
    doubt = placed.block.doubt
    since = {"since": doubt.since if doubt is not None else None}
    return documents.brief(placed) | {"payload": documents.payload_text(placed)} | since


def _rows(
    terminal: Terminal,
    report: Agenda,
    doubts: Sequence[Placed],
    asked: Sequence[Row],
    problems: Sequence[Problem],
) -> dict[str, list[str]]:
    """What is said of each kind of thing in the home, by its name."""
    keep = "{count}: 'alice-exp keep ID' if it still holds, else 'alice-exp retire ID'"
    which = "{count}: 'alice-exp review' asks which one holds ({one}, {other})"
    trust = "{count} wait in {folder}: 'alice-exp project trust' there"
    pairs = [(first.block.id, one.placed.block.id) for first, one in report.settle]
    changes = [*map(_moved, report.changed), *(say("{name}  by hand", name=name) for name in report.by_hand)]
    changed = say("{count} since the last report: 'alice-exp log'", count=len(changes))
    faulty = say("{count}: 'alice-exp check'", count=len(problems))
    return {
        say("waiting"): list(_waiting(terminal, report)),
        say("in doubt"): _few(
            doubts, say("nothing"), say(keep, count=len(doubts)), lambda one: _said(terminal, one)
        ),
        say("opposed"): [say(which, count=len(pairs), one=one, other=other) for one, other in pairs[:1]],
        say("projects"): _few(asked, "", "", lambda row: f"{row.label}: {row.text} {row.note}")[1:],
        say("team"): [say(trust, count=len(came.blocks), folder=came.root) for came in report.team],
        say("changed"): _few(changes, say("nothing since the last report"), changed, str),
        say("problems"): _few(
            problems, say("none"), faulty, lambda one: f"{one.where}: {say(one.template, **one.values)}"
        ),
    }


def _screen(terminal: Terminal, rows: Sequence[tuple[str, Sequence[str]]]) -> None:
    column = max(cells(name) for name, _ in rows) + 4
    for name, lines in rows:
        head = f"  {name}" + " " * (column - 2 - cells(name))
        for line in lines:
            for part in wrapped(line, max(20, terminal.width - column)):
                terminal.line(head + part)
                head = " " * column


def _few(found: Sequence[T], nothing: str, head: str, line: Callable[[T], str]) -> list[str]:
    """The sentence over a kind of thing and the first of them, or that there are none."""
    more = [say("and {count} more", count=len(found) - FEW)] if len(found) > FEW else []
    return [head, *map(line, found[:FEW]), *more] if found else [nothing]


def _waiting(terminal: Terminal, report: Agenda) -> Iterator[str]:
    if report.paused_until:
        yield say("paused until {day}: nothing expires", day=report.paused_until)
    count = len(report.items)
    new = say("{new} of them new", new=report.new) if 0 < report.new < count else ""
    head = say("{count} for your decision: 'alice-exp review'", count=count) + aside(new)
    nothing = (said := apart(len(report.lost) + len(report.unapproved))) or say("nothing for your decision")
    yield from _few(report.items, nothing, head, lambda item: _said(terminal, item.placed))
    yield from (said,) if count and said else ()


def _moved(moved: Movement) -> str:
    before, after = say(moved.before or "possible"), say(moved.after) if moved.after else say(moved.kind)
    return f"{moved.block_id}  {before} → {after}" if before != after else f"{moved.block_id}  {after}"


def _hosts(terminal: Terminal, hosts: Sequence[tuple[Connected, Sequence[Problem]]]) -> Iterator[str]:
    if not hosts:
        yield say("none yet: 'alice-exp connect HOST' lets an agent learn here")
    for one, failing in hosts:
        said = "{host}: last called {at}" if one.last_call else "{host}: not called yet"
        yield say(said, host=one.host.name, at=terminal.local(one.last_call))
        yield from map(faulty, failing)


def _synced(terminal: Terminal, known: Sequence[Remote]) -> Iterator[str]:
    if not known:
        yield say("on this machine alone")
    for one in known:
        at = terminal.local(one.synced) if one.synced else say("never")
        yield say("{name}: {at}", name=one.name, at=at)


def _said(terminal: Terminal, placed: Placed) -> str:
    room = max(20, terminal.width - 2 * len(placed.block.id) - 4)
    return f"{placed.block.id}  {one_line(documents.payload_text(placed), room)}"


def doctor(
    terminal: Terminal,
    fix: Annotated[
        bool,
        typer.Option("--fix", help="Mend what needs no decision: leftovers, permissions, schemas, hook."),
    ] = False,
) -> None:
    """Look the whole home over: files, history, remotes, leftovers, permissions, clock, disk; exit 3 for a problem.

    Examples: alice-exp doctor · alice-exp doctor --fix
    """
    from alice_exp.maintenance.usecases.doctor import Check, examine

    session = terminal.session
    own = examine(session, fix=fix)
    # Once that has refused whoever may not mend: what the connected hosts start is tried, with a mended launcher.
    found = connected(session)
    mended = bool(fix and found and store.write(session.root))
    told = (fault for one in found for fault in faults(one, session))
    checks = (*own, Check("hosts", tuple(told), int(mended)))
    document = {
        "checks": [
            {
                **attributes(check, "name severity mended"),
                "problems": [documents.problem(problem) for problem in check.problems],
            }
            for check in checks
        ]
    }

    def text() -> None:
        for check in checks:
            mended = say("  ({count} mended)", count=check.mended) if check.mended else ""
            sign = {"ok": "✓", "warning": "!", "error": "✗"}[check.severity]
            terminal.line(f"{sign} {say(check.name)}{mended}")
            for one in check.problems:
                where = f"{one.where}: " if one.path else ""
                terminal.line(f"    {where}{faulty(one)}")

    terminal.answer(document, text)
    if any(check.severity == "error" for check in checks):
        terminal.exit_code = ProblemError.exit_code
