"""The command ``heartbeat``: today's report in every format, all of it or what a person asks for."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

import typer

from alice_exp.kernel.errors import UsageError
from alice_exp.review.cli.named_candidates import About, By, Match, Project, meant, subject
from alice_exp.review.cli.report_parts import report_document
from alice_exp.review.cli.report_summary import how, line, summary
from alice_exp.review.rules.daily_report import Agenda, Item
from alice_exp.review.rules.report_order import Wanted, page_of
from alice_exp.review.usecases import todays_report
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import say
from alice_exp.terminal.tables import FORMATS


def heartbeat(
    terminal: Terminal,
    peek: Annotated[
        bool, typer.Option("--peek", help="Look only: starts no clock, gives no new numbers.")
    ] = False,
    unseen: Annotated[
        bool,
        typer.Option(
            "--unseen", help="As --peek, for a run that nobody reads: a page, a word to the desktop."
        ),
    ] = False,
    open_: Annotated[
        bool, typer.Option("--open", help="Show it in the browser: one page, whose boxes compose your reply.")
    ] = False,
    format: Annotated[
        str, typer.Option("--format", metavar="table|markdown|html|tsv|csv|json", help="How it is written.")
    ] = "table",
    new: Annotated[bool, typer.Option("--new", help="Only what no earlier report showed.")] = False,
    about: About = "",
    by: By = "",
    project: Project = "",
    match: Match = "",
    page: Annotated[int, typer.Option("--page", min=1, help="Which screen of ten, on a terminal.")] = 1,
) -> None:
    """Show today's report: what is new and waits for you, what changed, what fails.

    Numbers hold for the day. On a terminal ten candidates are shown and the rest counted: what is only
    counted has no seven-day clock, and no decision in bulk reaches it.

    Examples: alice-exp heartbeat · alice-exp heartbeat --open · alice-exp heartbeat --peek --format markdown
    """
    session = terminal.session
    if format in FORMATS:
        terminal.format = format
    elif format not in _FORMATS:
        raise UsageError(
            "unknown format {format}", format=repr(format), hint="write --format table, markdown or html"
        )
    wanted = Wanted(new, subject(about), by, meant(terminal, project), match)
    on_screen = format == "table" and not open_ and sys.stdout.isatty() and not terminal.json

    def given(report: Agenda) -> tuple[Item, ...]:
        items = tuple(filter(wanted.holds, report.items))
        return page_of(items, page) if on_screen else items

    # Whoever takes some fields, and the texts are not among them, was shown no candidate.
    has_texts = not terminal.fields or "payload" in map(str.strip, terminal.fields.split(","))
    report, _ = todays_report.heartbeat(
        session,
        peek=peek or unseen or terminal.quiet,
        page=lambda whole: [item.placed.block.id for item in given(whole)] if has_texts else [],
    )
    if not (peek or unseen or terminal.quiet) and session.caller.is_person:
        session.heard.age(session.caller.now)
    sentence, shown = summary(report), given(report)
    document = report_document(report if wanted.is_any else replace(report, items=shown), sentence)
    if open_ or unseen:
        _page(terminal, replace(report, items=shown), document, unseen=unseen)
        return
    terminal.answer(document, lambda: _write(format, report, sentence, shown, page))


_FORMATS = ("table", "markdown", "html")


def _page(terminal: Terminal, report: Agenda, document: dict[str, Any], *, unseen: bool) -> None:
    """The report as a page: in the browser for who asked for it, else a word to the desktop where something waits."""
    from alice_exp.review.cli.report_html import opened, page, told, written

    path = written(terminal.session.root, page(report, document["summary"]))
    terminal.is_seen = not unseen
    shown = not report.is_empty and told("alice-exp", line(report)) if unseen else opened(path)
    answer = {**document, "page": str(path), "shown": shown}
    terminal.answer(answer, lambda: terminal.line(str(path)))
    if not shown and not unseen:
        terminal.note(say("alice-exp: no browser could be opened; open the file yourself"))


def _write(format: str, report: Agenda, sentence: str, shown: Sequence[Item], page: int) -> None:
    if format == "markdown":
        from alice_exp.review.cli.report_text import markdown

        sys.stdout.write(markdown(replace(report, items=tuple(shown)), sentence))
    elif format == "html":
        from alice_exp.review.cli import report_html

        sys.stdout.write(report_html.page(replace(report, items=tuple(shown)), sentence))
    else:
        from alice_exp.review.cli.report_text import show

        show(report, (page > 1 and how(report)) or sentence, sys.stdout, shown, page)
