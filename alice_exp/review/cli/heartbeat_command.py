"""The command ``heartbeat``: today's report in every format, all of it or what a person asks for; its summary in
sentences, a short paragraph to read each morning (R2.44)."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any

import typer

from alice_exp.model.rules.ledger import deciding_again
from alice_exp.model.values.block import Placed
from alice_exp.review.cli.asked_decisions import About, By, Match, Project, wanted
from alice_exp.review.cli.candidate_card import kinds_held
from alice_exp.review.cli.report_parts import report_document
from alice_exp.review.rules.daily_report import Agenda, Item
from alice_exp.review.rules.report_order import page_of
from alice_exp.review.usecases import todays_report
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import language, listed, say


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
    terminal.write_as(format, ("table", "markdown", "html"))
    asked = wanted(terminal, about, by, project, match, new=new)
    on_screen = format == "table" and not open_ and sys.stdout.isatty() and not terminal.json

    def given(report: Agenda) -> tuple[Item, ...]:
        items = tuple(filter(asked.holds, report.items))
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
    sentence, shown = summary(report), replace(report, items=given(report))
    document = report_document(report if asked.is_any else shown, sentence)
    if open_ or unseen:
        _page(terminal, shown, document, unseen=unseen)
        return
    terminal.answer(document, lambda: _write(format, report, sentence, shown, page))


def _page(terminal: Terminal, report: Agenda, document: dict[str, Any], *, unseen: bool) -> None:
    """The report as a page: in the browser for who asked for it, else a word to the desktop where something waits."""
    from alice_exp.review.cli.report_html import opened, page, told, written

    path = written(terminal.session.root, page(report, document["summary"]))
    terminal.is_seen = not unseen
    shown = not report.is_empty and told("alice-exp", line(report)) if unseen else opened(path)
    terminal.answer({**document, "page": str(path), "shown": shown}, lambda: terminal.line(str(path)))
    if not shown and not unseen:
        terminal.note(say("alice-exp: no browser could be opened; open the file yourself"))


def _write(format: str, report: Agenda, sentence: str, shown: Agenda, page: int) -> None:
    if format == "html":
        from alice_exp.review.cli import report_html

        sys.stdout.write(report_html.page(shown, sentence))
        return
    from alice_exp.review.cli.report_text import markdown, show

    if format == "markdown":
        sys.stdout.write(markdown(shown, sentence))
    else:
        show(report, (page > 1 and how(report)) or sentence, sys.stdout, shown.items, page)


def summary(report: Agenda) -> str:
    """The summary: waiting candidates, conflicts, changes, failing blocks, broken files, and how to answer."""
    return _joined((*_waiting(report), *_marked(report), since(report), *_trusted(report), how(report)))


def since(report: Agenda) -> str:
    """What of the summary only this report says: what happened since the one before."""
    return _joined((*_changed(report), *_elsewhere(report)))


def _joined(sentences: Sequence[str]) -> str:
    # Chinese sentences follow one another without a space.
    return ("" if language() == "zh" else " ").join(filter(None, sentences))


def line(report: Agenda) -> str:
    """The report in one line, for scripts and agents: how many candidates wait, and the command that shows them."""
    one = "one thing waits for your decision: alice-exp heartbeat"
    gone = "one candidate expired unanswered: alice-exp heartbeat"
    expired = sum(movement.kind == "expired" for movement in report.changed)
    return (
        _counted(len(report.items), one, "{count} things wait for your decision: alice-exp heartbeat")
        or _counted(expired, gone, "{count} candidates expired unanswered: alice-exp heartbeat")
        or _brought(report)
        or apart(report.questions)
        or say("nothing waits for your decision today")
    )


def apart(count: int) -> str:
    """How many questions about what is trusted wait for the person; nothing where none does."""
    one = "one decision about what is trusted waits for you: alice-exp heartbeat"
    return _counted(count, one, "{count} decisions about what is trusted wait for you: alice-exp heartbeat")


def _brought(report: Agenda) -> str:
    count = sum(len(came.blocks) for came in report.team)
    return say("{count} things wait to be trusted: alice-exp review", count=count) if count else ""


def _waiting(report: Agenda) -> Iterator[str]:
    count, new = len(report.items), report.new
    if not count:
        yield _brought(report) or ("" if report.questions else say("Nothing waits for your decision."))
        return
    if count == 1:
        fresh = say("One thing waits for your decision, a new one.")
        yield fresh if new else say("One thing waits for your decision.")
    elif new == count:
        yield say("{count} things wait for your decision, all of them new.", count=count)
    elif new:
        yield say("{count} things wait for your decision, {new} of them new.", count=count, new=new)
    else:
        yield say("{count} things still wait for your decision, nothing new among them.", count=count)
    personal = sum(item.destination.startswith("personal/") for item in report.items)
    one = "One is about you (it stays private)."
    yield _counted(personal * (personal < count), one, "{count} are about you (they stay private).")


def _marked(report: Agenda) -> Iterator[str]:
    """What has to be looked at of the candidates, each kind with its numbers."""
    items = report.items
    yield _named(
        "Changed since they were shown: {numbers}.", _numbers([one for one in items if one.is_changed])
    )
    yield _named("Last day for {numbers}.", _numbers([one for one in items if 0 <= one.days_left <= 1]))
    if items and report.paused_until:
        yield say("Paused until {day}: nothing expires.", day=report.paused_until)
    if secret := [item for item in items if item.delicate]:
        kinds, numbers = kinds_held([one for item in secret for one in item.delicate]), _numbers(secret)
        if not all(item.number for item in secret):
            yield say("Check what holds {kinds}.", kinds=kinds)
        elif len(secret) == 1:
            yield say("Check number {number}: it holds {kinds}.", number=numbers, kinds=kinds)
        else:
            yield say("Check numbers {numbers}: they hold {kinds}.", numbers=numbers, kinds=kinds)
    against = {
        kind: [one for one in items if one.conflict and one.conflict.kind == kind]
        for kind in ("opposes", "replaces")
    }
    yield _named("Opposite of what you trust: {numbers}.", _numbers(against["opposes"]))
    yield _named("A different value from what you trust: {numbers}.", _numbers(against["replaces"]))
    known = [one for one in items if one.repeated and not one.conflict]
    yield _named("Probably known already: {numbers}.", _numbers(known))
    yield _named("Like what you rejected: {numbers}.", _numbers([one for one in items if one.mark]))


def _changed(report: Agenda) -> list[str]:
    n = Counter(movement.kind for movement in report.changed)
    return [
        _counted(n["verified"], "One block proved itself again.", "{count} blocks proved themselves again."),
        _counted(n["promoted"], "One block was promoted.", "{count} blocks were promoted."),
        _counted(n["demoted"], "One block was demoted.", "{count} blocks were demoted."),
        _counted(n["retired"], "You retired one block.", "You retired {count} blocks."),
        _counted(n["revived"], "You revived one block.", "You revived {count} blocks."),
        _counted(n["expired"], "One candidate expired unanswered.", "{count} candidates expired unanswered."),
        _counted(
            n["revoked"], "A peer took back one trusted block.", "Peers took back {count} trusted blocks."
        ),
    ]


def _elsewhere(report: Agenda) -> Iterator[str]:
    """What came otherwise than by an act here: typed, edited, committed by others, brought by a sync."""
    there = report.elsewhere
    yield _named(
        "Typed by hand but rejected before, so it does not stay: {ids}.",
        _few([one.block_id for one in report.returned]),
    )
    if report.by_hand:
        yield say("Changed by hand: {names}.", names=listed(report.by_hand[:3]))
    yield _named(
        "A secret or a private fact was taken out, but history keeps it until 'alice-exp purge ID': {ids}.",
        _few(report.withdrawn),
    )
    if report.authors:
        yield say("Committed by others than alice-exp: {names}.", names=listed(report.authors[:3]))
    if there.approved:
        yield say("{count} approved on another machine.", count=there.approved)
    if there.raised:
        yield say("{count} raised by hand on another machine.", count=there.raised)
    yield _named(
        "Decided otherwise on two machines; what stands holds until you decide again: {ids}.",
        _few([deciding_again(one) for one in there.asked]),
    )
    if there.configured:
        yield say("Another machine changed the shared configuration.")
    if report.proposed:
        yield say("Another machine's settings wait for your word: {names}.", names=listed(report.proposed))


def _trusted(report: Agenda) -> list[str]:
    """What is wrong with what is trusted, and with its files."""
    faulty = {problem.path for problem in report.problems if problem.severity == "error"}
    return [
        _counted(
            len(report.lost),
            "The files lack one decision of yours: 'alice-exp restore --lost' puts it back.",
            "The files lack {count} decisions of yours: 'alice-exp restore --lost' puts them back.",
        ),
        _named("Trusted, but opposed by another: {ids}.", _ids([one for one, _ in report.settle])),
        _named("In doubt, does it still hold: {ids}?", _ids([one.placed for one in report.review])),
        _named("Waiting in personal or universal for your approval: {ids}.", _ids(report.unapproved)),
        _counted(
            len(report.fading),
            "One well-used block has not been used lately.",
            "{count} well-used blocks have not been used lately.",
        ),
        _counted(
            len(faulty),
            "One file has a problem: see 'alice-exp check'.",
            "{count} files have a problem: see 'alice-exp check'.",
        ),
    ]


def how(report: Agenda) -> str:
    """How to answer; alone it stands below a further screen of a report whose summary the first one had."""
    # What is decided by itself is no example of what a sentence decides along with others, nor what is on no screen.
    first = {item.number for item in page_of(report.items)}
    kinds = sorted(
        (item.number not in first, item.stands_apart, item.number) for item in report.items if item.number
    )
    numbers = [number for *_, number in kinds[:2]]
    if report.items and not numbers:
        return say("'alice-exp heartbeat' numbers them, and 'alice-exp review' goes through them one by one.")
    if len(numbers) == 1:
        (one,) = (item for item in report.items if item.number == numbers[0])
        rivals = [r for r in one.relations if r.where != "rejected" and r.kind in ("opposes", "replaces")]
        if one.delicate or len(rivals) == 1:
            return say(
                "Answer with 'alice-exp reply approve {one}' or 'reply reject {one}', or see 'alice-exp review'."
                if one.delicate
                else "Answer with 'alice-exp reply {one} new', or old, both, neither, or see 'alice-exp review'.",
                one=one.number,
            )
        if not rivals:
            return say(
                "Answer with 'alice-exp reply approve' or 'alice-exp reply reject', or see 'alice-exp review'."
            )
    if not numbers:
        return ""
    if kinds[0][1]:
        return say("Answer each as it says beside it, or go through them with 'alice-exp review'.")
    return say(
        "Answer with 'alice-exp reply approve {one}, reject {two}', or go through them with 'alice-exp review'.",
        one=numbers[0],
        two=numbers[1],
    )


def _counted(count: int, one: str, many: str) -> str:
    return "" if not count else say(one) if count == 1 else say(many, count=count)


def _named(template: str, named: str) -> str:
    return say(template, ids=named, numbers=named) if named else ""


def _numbers(items: Sequence[Item]) -> str:
    """The numbers of candidates; how many they are where some have none, because an id says nothing to a reader."""
    if len(items) > 1 and not all(item.number for item in items):
        return say("{count} of them", count=len(items))
    return _few([str(item.number or item.placed.block.id) for item in items])


def _ids(placed: Sequence[Placed]) -> str:
    return _few([one.block.id for one in placed])


def _few(ids: Sequence[str]) -> str:
    few, more = listed(ids[:_NAMED]), len(ids) - _NAMED
    return say("{few} and {count} more", few=few, count=more) if more > 0 else few


_NAMED = 5
"""How many numbers or ids a sentence names; the rest is counted."""
