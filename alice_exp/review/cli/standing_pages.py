"""The pages of a review for what is trusted: what nobody approved here, ten texts a screen, what contradicts another,
and what is in doubt."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from alice_exp.home.ports import Came
from alice_exp.kernel.text.display import wrapped
from alice_exp.model.values.block import Placed, content_hash
from alice_exp.review.cli.asked_decisions import answered_key, approved, ask, trusted_texts
from alice_exp.review.cli.candidate_card import told
from alice_exp.review.cli.named_candidates import name_apart
from alice_exp.review.cli.report_parts import brought, doubted, why_it_waits
from alice_exp.review.cli.review_pages import DIGITS, columns
from alice_exp.review.cli.single_keys import LATER, QUITTING, key
from alice_exp.review.rules.daily_report import Agenda
from alice_exp.review.rules.doubts import Question
from alice_exp.review.usecases import rival_answers, todays_report
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.language import say


def standing_pages(terminal: Terminal, rule: Callable[[str], None], width: int) -> tuple[int, bool]:
    """Ask page by page; the number of blocks approved, and whether the person quit. ``rule`` draws a title."""
    together, apart = todays_report.standing(terminal.session.home)
    name_apart(terminal, [placed.block.id for placed in apart])
    count = 0
    for at in range(0, len(together), len(DIGITS)):
        page = together[at : at + len(DIGITS)]
        rule(say("in the trusted sets, but not as you approved it"))
        taken = _decided(terminal, page, width)
        if taken is None:
            return count, True
        if taken:
            seen = {placed.block.id: content_hash(placed.block) for placed in taken}
            done = approved(terminal, [placed.block.id for placed in taken], bulk=True, seen=seen)
            count += len(done.ids)
            terminal.line("  " + say("{count} approved", count=len(done.ids)))
    return count, False


def _decided(terminal: Terminal, page: Sequence[Placed], width: int) -> list[Placed] | None:
    """What of a page the person approves; None if they quit."""
    later: set[str] = set()
    was = trusted_texts(terminal, page)
    ahead: Collection[str] | None = LATER
    while True:
        for line in _lines(page, was, later, width):
            terminal.line(line)
        while True:
            pressed = key(say("[a]pprove these [l]ater [q]uit · digit: not this one "), ahead)
            ahead = None
            if pressed in QUITTING:
                return None
            if pressed in ("a", "y"):
                return [placed for placed in page if placed.block.id not in later]
            if pressed in LATER:
                return []
            if pressed and pressed in DIGITS[: len(page)]:
                later ^= {page[DIGITS.index(pressed)].block.id}
                break


def _lines(page: Sequence[Placed], was: Mapping[str, Placed], later: set[str], width: int) -> list[str]:
    found = []
    for digit, placed in zip(DIGITS, page, strict=False):
        sign = "·" if placed.block.id in later else " "
        why = why_it_waits(placed, was.get(placed.block.id))
        rows = wrapped(f"{told(placed)}\n{placed.block.id} · {why}", width - 6)
        found += [f"{f'{digit} {sign}' if not at else '':4}{row}" for at, row in enumerate(rows)]
    return found


def ask_team(terminal: Terminal, came: Came, rule: Callable[[str], None], width: int) -> bool:
    """Show what a repository brings that nobody trusts yet, and ask once; whether the person goes on."""
    rule(say("what {project} brings", project=came.project))
    for row in brought(came):
        for at, line in enumerate(
            wrapped("\n".join(filter(None, (row.text, row.label, row.note))), width - 6)
        ):
            terminal.line(f"{'' if at else '+':4}{line}")
    pressed = answered_key(say("[t]rust these, as they stand [l]ater [q]uit "), "ty")
    if pressed in QUITTING:
        return False
    if pressed in ("t", "y") and terminal.session.team is not None:
        count = len(terminal.session.team.trust(came))
        terminal.line(
            "  " + say("{project}: {count} trusted, as they stand", project=came.project, count=count)
        )
    return True


def lost_page(terminal: Terminal, rule: Callable[[str], None], width: int) -> bool:
    """Show the decisions that the files lack, and put all of them back or let them go; whether the person quit."""
    from alice_exp.blocks.cli.lifetime_commands import told_lost
    from alice_exp.blocks.usecases import provenance

    session = terminal.session
    rows = provenance.lost(session.home, session.history)
    if not rows:
        return False
    rule(say("decisions of yours that the files lack"))
    for row in rows:
        for line in wrapped("  ".join(filter(None, (row.entry.id, *told_lost(row)))), width - 2):
            terminal.line(f"  {line}")
    pressed = answered_key(say("[b]ack into the files [n]o longer [l]ater [q]uit "), "bn")
    if pressed in ("b", "n"):
        ids = [row.entry.id for row in rows]
        done = provenance.restore_lost(
            session.home, session.caller, session.history, ids, lets_go=pressed == "n"
        )
        gone, back = (
            say("{count} decisions hold no more", count=len(done.ids)),
            say("{count} decisions are in the files again", count=len(done.ids)),
        )
        terminal.line(f"  {gone if pressed == 'n' else back}")
    return pressed in QUITTING


def ask_standing(terminal: Terminal, report: Agenda, rule: Callable[[str], None]) -> None:
    """Ask about what repositories bring, which of two trusted blocks that contradict each other holds, then of each
    block in doubt whether it does, until the person quits."""
    for came in report.team:
        if not ask_team(terminal, came, rule, columns()):
            return
    gone: set[str] = set()
    for first, beside in report.settle:
        second = beside.placed
        if not gone & {first.block.id, second.block.id}:
            answer = ask(terminal, first, second)
            if answer == "quit":
                return
            gone |= _settled(terminal, first, second, answer)
    for question in report.review:
        if not gone & {*question.ids} and not _ask_doubt(terminal, question, rule):
            return


def _ask_doubt(terminal: Terminal, question: Question, rule: Callable[[str], None]) -> bool:
    """Ask which of the blocks that failed together no longer holds; whether the person goes on."""
    known = (question.placed, *question.beside)
    marks = DIGITS[: len(known)] if question.beside else "n"
    rule(say("which no longer holds?") if question.beside else say("does it still hold?"))
    for digit, placed in zip(marks, known, strict=False):
        terminal.line(f"{digit if question.beside else ''}  {placed.block.id}  {told(placed)}".strip())
    terminal.line(f"  {doubted(question).note}")
    asked = (
        say("[1] to [{last}]: no longer [k]eep all [l]ater [q]uit ", last=marks[-1])
        if question.beside
        else say("[k]eep: still true [n]o longer [l]ater [q]uit ")
    )
    pressed = answered_key(asked, f"{marks}ky")
    if pressed in QUITTING:
        return False
    if pressed in ("k", "y"):
        _kept(terminal, question.placed)
    elif pressed not in LATER:
        _retired(terminal, known[marks.index(pressed)])
    return True


def _settled(terminal: Terminal, new: Placed, old: Placed, answer: str) -> set[str]:
    """Carry out what holds of two trusted blocks; the ids of those that are trusted no more or wait."""
    session, ids = terminal.session, (new.block.id, old.block.id)
    winner, loser = ids if answer != "old" else ids[::-1]
    if answer == "neither":
        rival_answers.neither(session.home, session.caller, *ids)
        terminal.line("  " + say("retired: it no longer holds"))
        return {*ids}
    if answer == "both":
        rival_answers.answered(session.home, session.caller, winner, both=[loser])
        terminal.line("  " + say("both hold"))
    elif answer != "later":
        rival_answers.answered(session.home, session.caller, winner, [loser])
        terminal.line("  " + say("{id} waits while {other} holds", id=loser, other=winner))
        return {loser}
    return set()


def _kept(terminal: Terminal, placed: Placed) -> None:
    from alice_exp.blocks.usecases.lifetime import keep

    keep(terminal.session.home, terminal.session.caller, placed.block.id)
    terminal.line("  " + say("kept: it still holds"))


def _retired(terminal: Terminal, placed: Placed) -> None:
    from alice_exp.blocks.usecases.lifetime import retire

    retire(terminal.session.home, terminal.session.caller, placed.block.id, "no longer true")
    terminal.line("  " + say("retired: it no longer holds"))
