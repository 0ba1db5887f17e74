"""The command ``status``: one screen of what waits, is in doubt, changed or is broken; hosts, last sync."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from alice_exp.agents.connected_hosts import Connected, connected, faults, foreign
from alice_exp.agents.store import spool
from alice_exp.kernel.jsonc.problem import Problem
from alice_exp.kernel.text.display import one_line, wrapped
from alice_exp.model import documents
from alice_exp.model.rules.doubt import is_in_doubt
from alice_exp.model.values.block import Placed
from alice_exp.review.cli.report_parts import asked_about, moved, settled, team_document
from alice_exp.review.rules.daily_report import Agenda
from alice_exp.review.rules.state_changes import Movement
from alice_exp.review.usecases.todays_report import heartbeat
from alice_exp.sync.remotes import Remote, remotes
from alice_exp.terminal.console import Terminal, cells
from alice_exp.terminal.language import aside, rendered, say

FEW = 3
"""How many of a kind a screen names; the command beside the count shows all."""


def status(terminal: Terminal) -> None:
    """Show on one screen what waits, is in doubt, changed or is broken; hosts, and the last sync.

    Nothing is numbered and no clock starts, as with 'heartbeat --peek'.

    Examples: alice-exp status · alice-exp status --json
    """
    session = terminal.session
    report, _ = heartbeat(session, peek=True)
    doubts = [placed for placed in session.home.read(("personal", "universal")) if is_in_doubt(placed.block)]
    hosts, known, asked = connected(spool(session)), remotes(session).all(), session.asked()
    failing = [(one, [*faults(one, spool(session), session.moment)]) for one in hosts]
    problems = (*report.problems, *session.exposed(), *foreign(session.spot.path))
    document = {
        "home": str(session.root),
        "waiting": len(report.items),
        "new": report.new,
        "today": report.today,
        "paused_until": report.paused_until or None,
        "doubts": [_doubtful(placed) for placed in doubts],
        "projects": [asked_about(*one).document for one in asked],
        "team": [team_document(came) for came in report.team],
        "contradictions": [settled(*pair).document for pair in report.settle],
        "problems": [documents.problem(fault) for fault in problems],
        "changed": [moved(one).document for one in report.changed],
        "by_hand": list(report.by_hand),
        "hosts": [_host(one, told) for one, told in failing],
        "sync": _sync(known),
    }

    def text() -> None:
        rows = [
            (say("waiting"), list(_waiting(terminal, report))),
            (say("in doubt"), list(_doubts(terminal, doubts))),
            *_opposed(report),
            *_asked(asked),
            *_teams(report),
            (say("changed"), list(_changed(report))),
            (say("problems"), list(_problems(problems))),
            (say("hosts"), list(_hosts(terminal, failing))),
            (say("sync"), list(_synced(terminal, known))),
        ]
        terminal.line(str(session.root))
        _screen(terminal, rows)

    terminal.answer(document, text)


def _host(one: Connected, failing: Sequence[Problem]) -> dict[str, Any]:
    return {
        "host": one.host.name,
        "path": one.path,
        "last_call": one.last_call or None,
        "problems": [documents.problem(fault) for fault in failing],
    }


def _sync(known: Sequence[Remote]) -> dict[str, Any]:
    listed = [{"name": one.name, "private": one.private, "last": one.synced or None} for one in known]
    return {"last": max((one.synced for one in known), default="") or None, "remotes": listed}


def _doubtful(placed: Placed) -> dict[str, Any]:
    doubt = placed.block.doubt
    return documents.brief(placed) | {
        "payload": documents.payload_text(placed),
        "since": doubt.since if doubt is not None else None,
    }


def _screen(terminal: Terminal, rows: Sequence[tuple[str, Sequence[str]]]) -> None:
    column = max(cells(name) for name, _ in rows) + 4
    for name, lines in rows:
        head = f"  {name}" + " " * (column - 2 - cells(name))
        for line in lines:
            for part in wrapped(line, max(20, terminal.width - column)):
                terminal.line(head + part)
                head = " " * column


def _waiting(terminal: Terminal, report: Agenda) -> Iterator[str]:
    count = len(report.items)
    if report.paused_until:
        yield say("paused until {day}: nothing expires", day=report.paused_until)
    if not count:
        yield say("nothing for your decision")
        return
    new = say("{new} of them new", new=report.new) if 0 < report.new < count else ""
    yield say("{count} for your decision: 'alice-exp review'", count=count) + aside(new)
    for item in report.items[:FEW]:
        yield _said(terminal, item.placed)
    yield from _more(count)


def _doubts(terminal: Terminal, doubts: Sequence[Placed]) -> Iterator[str]:
    if not doubts:
        yield say("nothing")
        return
    yield say("{count}: 'alice-exp keep ID' if it still holds, else 'alice-exp retire ID'", count=len(doubts))
    for placed in doubts[:FEW]:
        yield _said(terminal, placed)
    yield from _more(len(doubts))


def _opposed(report: Agenda) -> Iterator[tuple[str, Sequence[str]]]:
    """The row of trusted blocks that contradict each other; none where none do."""
    if report.settle:
        first, beside = report.settle[0]
        line = say(
            "{count}: 'alice-exp review' asks which one holds ({one}, {other})",
            count=len(report.settle),
            one=first.block.id,
            other=beside.placed.block.id,
        )
        yield say("opposed"), [line]


def _asked(names: Sequence[tuple[str, str, str]]) -> Iterator[tuple[str, Sequence[str]]]:
    """The row of the names of projects that a person has to confirm; none where there are none."""
    if names:
        rows = (asked_about(*one) for one in names[:FEW])
        yield say("projects"), [*(f"{r.label}: {r.text} {r.note}" for r in rows), *_more(len(names))]


def _teams(report: Agenda) -> Iterator[tuple[str, Sequence[str]]]:
    """The row of what repositories bring and nobody trusts yet; none where they bring nothing."""
    if report.team:
        yield (
            say("team"),
            [
                say(
                    "{count} wait in {folder}: 'alice-exp project trust' there",
                    count=len(came.blocks),
                    folder=came.root,
                )
                for came in report.team
            ],
        )


def _changed(report: Agenda) -> Iterator[str]:
    count = len(report.changed) + len(report.by_hand)
    if not count:
        yield say("nothing since the last report")
        return
    yield say("{count} since the last report: 'alice-exp log'", count=count)
    yield from list(_moves(report.changed, report.by_hand))[:FEW]
    yield from _more(count)


def _moves(changed: Iterable[Movement], by_hand: Iterable[str]) -> Iterator[str]:
    for one in changed:
        before, after = say(one.before or "possible"), say(one.after) if one.after else say(one.kind)
        yield f"{one.block_id}  {before} → {after}" if before != after else f"{one.block_id}  {after}"
    for name in by_hand:
        yield say("{name}  by hand", name=name)


def _problems(problems: Sequence[Problem]) -> Iterator[str]:
    if not problems:
        yield say("none")
        return
    yield say("{count}: 'alice-exp check'", count=len(problems))
    for fault in problems[:FEW]:
        yield f"{fault.where}: {say(fault.template, **fault.values)}"
    yield from _more(len(problems))


def _hosts(terminal: Terminal, hosts: Sequence[tuple[Connected, Sequence[Problem]]]) -> Iterator[str]:
    if not hosts:
        yield say("none yet: 'alice-exp connect HOST' lets an agent learn here")
    for one, failing in hosts:
        at = terminal.local(one.last_call) if one.last_call else say("never")
        yield say("{host}: last called {at}", host=one.host.name, at=at)
        for fault in failing:
            yield say(fault.template, **fault.values) + aside(rendered(fault.hint))


def _synced(terminal: Terminal, known: Sequence[Remote]) -> Iterator[str]:
    if not known:
        yield say("on this machine alone")
    for one in known:
        at = terminal.local(one.synced) if one.synced else say("never")
        yield say("{name}: {at}", name=one.name, at=at)


def _said(terminal: Terminal, placed: Placed) -> str:
    room = max(20, terminal.width - 2 * len(placed.block.id) - 4)
    return f"{placed.block.id}  {one_line(documents.payload_text(placed), room)}"


def _more(count: int) -> Iterator[str]:
    if count > FEW:
        yield say("and {count} more", count=count - FEW)
