"""The commands ``heartbeat``, ``approve``, ``reject`` and ``reply``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from alice_exp.home.caller import require_person
from alice_exp.kernel.errors import AliceError, BusyError, NotFoundError, RefusedError, UsageError
from alice_exp.kernel.journal.act import commit_id
from alice_exp.model import documents
from alice_exp.model.values.block import Placed
from alice_exp.owner.wiring import signing
from alice_exp.review import documents as review_documents
from alice_exp.review import usecases as review
from alice_exp.review.cli.report_summary import summary
from alice_exp.review.rules.daily_report import Agenda
from alice_exp.review.usecases import Decided
from alice_exp.review.wiring import reviewing
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import say
from alice_exp.terminal.options import DryRun
from alice_exp.terminal.rows import FORMATS


def heartbeat(
    ctx: typer.Context,
    peek: Annotated[
        bool, typer.Option("--peek", help="Look only: starts no clock, gives no new numbers.")
    ] = False,
    format: Annotated[
        str, typer.Option("--format", metavar="table|markdown|html|tsv|csv|json", help="How it is written.")
    ] = "table",
) -> None:
    """Show today's report: what is new and waits for you, what changed, what fails.

    Numbers hold until the next report.

    Examples: alice-exp heartbeat · alice-exp heartbeat --peek --format markdown
    """
    terminal: Terminal = ctx.obj
    if format in FORMATS:
        terminal.format = format
    elif format not in _FORMATS:
        raise UsageError(
            "{format} is no format", format=repr(format), hint="write --format table, markdown or html"
        )
    report, _ = review.heartbeat(reviewing(terminal.session), peek=peek)
    sentence = summary(report)
    terminal.answer(review_documents.heartbeat(report, sentence), lambda: _write(format, report, sentence))


_FORMATS = ("table", "markdown", "html")


def _write(format: str, report: Agenda, sentence: str) -> None:
    if format == "markdown":
        from alice_exp.review.cli.report_markdown import markdown

        sys.stdout.write(markdown(report, sentence))
    elif format == "html":
        from alice_exp.review.cli.report_html import page

        sys.stdout.write(page(report, sentence))
    else:
        from alice_exp.review.cli.report_text import show

        show(report, sentence, sys.stdout)


def approve(
    ctx: typer.Context,
    references: Annotated[
        list[str] | None, typer.Argument(metavar="[ID|NUMBER]…", help="What to approve.")
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Everything that the open report showed.")] = False,
    to: Annotated[
        str, typer.Option(metavar="SET/NAME", help="Where it goes, instead of where the report said.")
    ] = "",
    dry_run: DryRun = False,
) -> None:
    """Trust candidates: those about you go to personal, the others to universal.

    Examples: alice-exp approve 1 3 · alice-exp approve exp-7k2m9q4x --to universal/tool_usage
    """
    terminal: Terminal = ctx.obj
    named = " ".join([*(references or ["--all"]), *(["--to", to] if to else [])])
    require_person(terminal.session.caller, say("approve"), f"alice-exp approve {named}")
    ids = _chosen(terminal, references, all_)
    if all_ and not dry_run:
        terminal.confirm(say("Approve {count} candidates?", count=len(ids)))
    elif not dry_run:
        terminal.require_confirmation()
    decided = approved(terminal, ids, to, bulk=all_, dry_run=dry_run)
    _decided(terminal, decided, _approved_line)


def reject(
    ctx: typer.Context,
    references: Annotated[
        list[str] | None, typer.Argument(metavar="[ID|NUMBER]…", help="What to reject.")
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Everything that the open report showed.")] = False,
    reason: Annotated[str, typer.Option(help="Why; kept with the block.")] = "",
    dry_run: DryRun = False,
) -> None:
    """Turn candidates down for good: they are archived, and known again when they come back.

    Example: alice-exp reject 2 --reason "not what I said"
    """
    terminal: Terminal = ctx.obj
    named = " ".join(references or ["--all"])
    require_person(terminal.session.caller, say("reject"), f"alice-exp reject {named}")
    ids = _chosen(terminal, references, all_)
    if all_ and not dry_run:
        terminal.confirm(say("Reject {count} candidates?", count=len(ids)))
    decided = rejected(terminal, ids, reason, bulk=all_, dry_run=dry_run)
    _decided(terminal, decided, _rejected_line)


def reply(
    ctx: typer.Context,
    words: Annotated[
        list[str], typer.Argument(metavar="TEXT…", help="As 同意 1 3，拒绝 2; or approve 1-3, reject 4.")
    ],
    dry_run: DryRun = False,
) -> None:
    """Answer the report in your own words, in Chinese or English; what is unclear is refused and nothing is done.

    Examples: alice-exp reply 同意 1 3，拒绝 2 · alice-exp reply yes to all except 2 · alice-exp reply 都同意
    """
    from alice_exp.review.rules.reply import parse, settle

    terminal: Terminal = ctx.obj
    text = " ".join(words)
    require_person(terminal.session.caller, say("reply"), f"alice-exp reply {text}")
    opened = reviewing(terminal.session)
    if not opened.reports.open_report():
        raise NotFoundError("no report is open", hint="see 'alice-exp heartbeat' first")
    settled = [row for row in settle(parse(text), opened.reports.open_ids()) if row[0].verb != "later"]
    _confirm(terminal, settled, dry_run)
    done: list[tuple[str, Decided]] = []
    failed: list[AliceError] = []
    for decision, references in settled:
        wide = decision.everything or decision.rest
        ids = review.chosen(opened, references, everything=False)
        act = approved if decision.verb == "approve" else rejected
        try:
            if ids:
                row = act(terminal, ids, reason=decision.reason, bulk=wide, dry_run=dry_run)
                done.append((decision.verb, row))
        except (RefusedError, NotFoundError) as error:
            failed.append(error)
    # With some decisions carried out the others are warnings: an error would hide what was done.
    if failed and not done:
        raise failed[0]
    _replied(terminal, done)
    for failure in failed:
        terminal.warn(failure)
        terminal.exit_code = failure.exit_code


def _confirm(terminal: Terminal, settled: Sequence[tuple[Any, tuple[str, ...]]], dry_run: bool) -> None:
    """Ask before everything or the rest is decided at once; every approval needs a person or ``--yes`` (DESIGN 6)."""
    if dry_run:
        return
    for decision, ids in settled:
        if decision.everything or decision.rest:
            approves, rejects = "Approve {count} candidates?", "Reject {count} candidates?"
            terminal.confirm(say(approves if decision.verb == "approve" else rejects, count=len(ids)))
        elif decision.verb == "approve":
            terminal.require_confirmation()


def _replied(terminal: Terminal, done: Sequence[tuple[str, Decided]]) -> None:
    commits = [row.commit.commit for _, row in done if row.commit]
    document = {
        "ids": [block_id for _, row in done for block_id in row.ids],
        "commit": commits[-1] if commits else None,
        "commits": commits,
        "approved": [block_id for verb, row in done if verb == "approve" for block_id in row.ids],
        "rejected": [block_id for verb, row in done if verb == "reject" for block_id in row.ids],
        "blocks": [documents.brief(placed) for _, row in done for placed in row.placed],
        "skipped": [{"id": block_id, "why": why} for _, row in done for block_id, why in row.skipped],
    }

    def text() -> None:
        for verb, row in done:
            for placed in row.placed:
                line = _approved_line if verb == "approve" else _rejected_line
                terminal.line(line(placed, terminal.is_dry))
        if not done:
            terminal.line(say("nothing was decided"))

    terminal.answer(document, text)
    for _, row in done:
        _name_skipped(terminal, row)


def approved(
    terminal: Terminal,
    ids: Sequence[str],
    to: str = "",
    *,
    bulk: bool = False,
    reason: str = "",
    dry_run: bool = False,
) -> Decided:
    """Approve as the person at this terminal, signed if the home has an owner key."""
    from alice_exp.owner import usecases as owner

    return owner.decide(
        signing(terminal.session, terminal.doors(dry_run)),
        "approve",
        lambda home, caller, stamp: review.approve(
            home, caller, ids, to, bulk=bulk, reason=reason, stamp=stamp
        ),
    )


def rejected(
    terminal: Terminal, ids: Sequence[str], reason: str = "", *, bulk: bool = False, dry_run: bool = False
) -> Decided:
    """Reject as the person at this terminal."""
    return review.reject(terminal.doors(dry_run), terminal.session.caller, ids, reason, bulk=bulk)


def _approved_line(placed: Placed, is_dry: bool) -> str:
    template = "{id}  would be approved into {place}" if is_dry else "{id}  approved into {place}"
    return say(template, id=placed.block.id, place=f"{placed.place}/{placed.namespace}")


def _rejected_line(placed: Placed, is_dry: bool) -> str:
    return say("{id}  would be rejected" if is_dry else "{id}  rejected", id=placed.block.id)


def _chosen(terminal: Terminal, references: list[str] | None, everything: bool) -> tuple[str, ...]:
    if bool(references) == everything:
        raise UsageError("name what you decide on, or say --all", hint="see 'alice-exp heartbeat'")
    return review.chosen(reviewing(terminal.session), references or [], everything=everything)


def _decided(terminal: Terminal, decided: Decided, line: Callable[[Placed, bool], str]) -> None:
    document = {
        "ids": list(decided.ids),
        "commit": commit_id(decided.commit),
        "blocks": [documents.brief(placed) for placed in decided.placed],
        "skipped": [{"id": block_id, "why": why} for block_id, why in decided.skipped],
    }

    def text() -> None:
        for placed in decided.placed:
            terminal.line(line(placed, terminal.is_dry))

    terminal.answer(document, text)
    _name_skipped(terminal, decided)


def _name_skipped(terminal: Terminal, decided: Decided) -> None:
    again = "alice-exp: {id} has {why} since it was shown; see 'alice-exp heartbeat' again"
    for block_id, why in decided.skipped:
        if why == "stale":
            text = say("alice-exp: {id} stands in a file with a problem; see 'alice-exp check'", id=block_id)
        elif why == "moved":
            text = say("alice-exp: {id} was decided already; see 'alice-exp why {id}'", id=block_id)
        elif why == "gone":
            text = say("alice-exp: {id} is gone; see 'alice-exp log {id}'", id=block_id)
        else:
            text = say(again, id=block_id, why=say(why))
        terminal.note(text)
    if decided.skipped:
        terminal.exit_code = BusyError.exit_code
