"""``heartbeat``, ``approve`` and ``reject``: the person decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from alice_exp.cli import documents
from alice_exp.cli.language import say
from alice_exp.cli.summary import summary
from alice_exp.cli.terminal import Terminal
from alice_exp.core.errors import UsageError
from alice_exp.rules.agenda import Agenda
from alice_exp.text.words import one_line
from alice_exp.usecases import review
from alice_exp.usecases.acts import require_person
from alice_exp.usecases.review import Decided

_CHANGED = 5


def heartbeat(
    ctx: typer.Context,
    peek: Annotated[
        bool, typer.Option("--peek", help="Look only: starts no clock, gives no new numbers.")
    ] = False,
) -> None:
    """Show today's report: what is new and waits for you, what changed, what fails.

    Numbers hold until the next report. Example: alice-exp heartbeat, then alice-exp approve 1 3
    """
    terminal: Terminal = ctx.obj
    wiring = terminal.wiring
    report, _ = review.heartbeat(wiring.home, wiring.reports, wiring.caller, wiring.day_began, peek=peek)
    sentence = summary(report)
    terminal.answer(documents.heartbeat(report, sentence), lambda: _report(terminal, report, sentence))


def _report(terminal: Terminal, report: Agenda, sentence: str) -> None:
    if report.items:
        rows = [
            [
                str(item.number or "·"),
                item.placed.block.id,
                one_line(documents.trigger_text(item.placed), 28),
                documents.payload_text(item.placed) + (say(" (changed)") if item.is_changed else ""),
                item.placed.block.state,
                item.destination,
                item.expires_at[:10],
            ]
            for item in report.items
        ]
        names = [
            say("no"),
            say("id"),
            say("when"),
            say("what was learned"),
            say("state"),
            say("goes to"),
            say("until"),
        ]
        terminal.table(names, rows, say("Waiting for your decision"))
    terminal.line(sentence)


def approve(
    ctx: typer.Context,
    references: Annotated[
        list[str] | None, typer.Argument(metavar="[ID|NUMBER]…", help="What to approve.")
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Everything that the open report showed.")] = False,
    to: Annotated[
        str, typer.Option(metavar="SET/NAME", help="Where it goes, instead of where the report said.")
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would happen; change nothing.")
    ] = False,
) -> None:
    """Trust candidates: those about you go to personal, the others to universal.

    Examples: alice-exp approve 1 3 · alice-exp approve exp-7k2m9q4x --to universal/tool_usage
    """
    from alice_exp.usecases import owner

    terminal: Terminal = ctx.obj
    named = " ".join(references or ["--all"])
    require_person(terminal.wiring.caller, say("approve"), f"alice-exp approve {named}")
    ids = _chosen(terminal, references, all_)
    if all_ and not dry_run:
        terminal.confirm(say("Approve {count} candidates?", count=len(ids)))
    elif not dry_run:
        terminal.require_confirmation()
    decided = owner.decide(
        _home(terminal, dry_run),
        terminal.wiring.owner,
        terminal.wiring.caller,
        "approve",
        lambda home, caller, stamp: review.approve(home, caller, ids, to, bulk=all_, stamp=stamp),
    )
    _decided(
        terminal,
        decided,
        lambda placed: say(
            "{id}  approved into {place}", id=placed.block.id, place=f"{placed.place}/{placed.namespace}"
        ),
    )


def reject(
    ctx: typer.Context,
    references: Annotated[
        list[str] | None, typer.Argument(metavar="[ID|NUMBER]…", help="What to reject.")
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Everything that the open report showed.")] = False,
    reason: Annotated[str, typer.Option(help="Why; kept with the block.")] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would happen; change nothing.")
    ] = False,
) -> None:
    """Turn candidates down for good: they are archived, and known again when they come back.

    Example: alice-exp reject 2 --reason "not what I said"
    """
    terminal: Terminal = ctx.obj
    named = " ".join(references or ["--all"])
    require_person(terminal.wiring.caller, say("reject"), f"alice-exp reject {named}")
    ids = _chosen(terminal, references, all_)
    if all_ and not dry_run:
        terminal.confirm(say("Reject {count} candidates?", count=len(ids)))
    decided = review.reject(_home(terminal, dry_run), terminal.wiring.caller, ids, reason, bulk=all_)
    _decided(terminal, decided, lambda placed: say("{id}  rejected", id=placed.block.id))


def _home(terminal: Terminal, dry_run: bool):  # type: ignore[no-untyped-def]
    from alice_exp.usecases.acts import DryHome

    return DryHome(terminal.wiring.home) if dry_run else terminal.wiring.home


def _chosen(terminal: Terminal, references: list[str] | None, everything: bool) -> tuple[str, ...]:
    if bool(references) == everything:
        raise UsageError("name what you decide on, or say --all", hint="see 'alice-exp heartbeat'")
    return review.chosen(
        terminal.wiring.home, terminal.wiring.reports, references or [], everything=everything
    )


def _decided(terminal: Terminal, decided: Decided, line: Callable) -> None:  # type: ignore[type-arg]
    document = {
        "ids": list(decided.ids),
        "commit": decided.commit.commit if decided.commit else None,
        "blocks": [documents.brief(placed) for placed in decided.placed],
        "skipped": [{"id": block_id, "why": why} for block_id, why in decided.skipped],
    }

    def text() -> None:
        for placed in decided.placed:
            terminal.line(line(placed))

    terminal.answer(document, text)
    for block_id, why in decided.skipped:
        terminal.note(
            say(
                "alice-exp: {id} has {why} since it was shown; see 'alice-exp heartbeat' again",
                id=block_id,
                why=say(why),
            )
        )
    if decided.skipped:
        terminal.exit_code = _CHANGED
