"""The command ``doctor``: the whole home looked over, and what the connected hosts start."""

from __future__ import annotations

from typing import Annotated

import typer

from alice_exp.agents import launcher
from alice_exp.agents.connected_hosts import connected, faults
from alice_exp.agents.store import spool
from alice_exp.home.session import Session
from alice_exp.kernel.errors import ProblemError
from alice_exp.maintenance.usecases.doctor import Check, examine
from alice_exp.model import documents
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import aside, rendered, say


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
    session = terminal.session
    checks = (*examine(session, fix=fix), _hosts(session, fix))
    document = {
        "checks": [
            {
                "name": check.name,
                "severity": check.severity,
                "mended": check.mended,
                "problems": [documents.problem(problem) for problem in check.problems],
            }
            for check in checks
        ]
    }
    terminal.answer(document, lambda: _checks(terminal, checks))
    if any(check.severity == "error" for check in checks):
        terminal.exit_code = ProblemError.exit_code


def _checks(terminal: Terminal, checks: tuple[Check, ...]) -> None:
    marks = {"ok": "✓", "warning": "!", "error": "✗"}
    for check in checks:
        mended = say("  ({count} mended)", count=check.mended) if check.mended else ""
        terminal.line(f"{marks[check.severity]} {say(check.name)}{mended}")
        for problem in check.problems:
            where = f"{problem.where}: " if problem.path else ""
            hint = aside(rendered(problem.hint))
            terminal.line(f"    {where}{say(problem.template, **problem.values)}{hint}")


def _hosts(session: Session, fix: bool) -> Check:
    """What the connected hosts start is tried, once the launcher is mended."""
    found = connected(spool(session))
    mended = bool(fix and found and launcher.write(session.root))
    told = (fault for one in found for fault in faults(one, spool(session), session.moment))
    return Check("hosts", tuple(told), int(mended))
