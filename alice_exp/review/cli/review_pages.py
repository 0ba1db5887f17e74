"""The further screens of a review: pages of ten candidates, decided with one key but for those marked by a digit."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from shutil import get_terminal_size
from typing import Literal

from alice_exp.blocks.cli.lifetime_commands import told_lost
from alice_exp.blocks.usecases import lifetime, provenance
from alice_exp.home.ports import Came
from alice_exp.kernel.text.display import cells, wrapped
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.block import content_hash
from alice_exp.review.cli.asked_decisions import answers_of, approved, ask, standing_together
from alice_exp.review.cli.candidate_card import goal, neighbours, told
from alice_exp.review.cli.report_parts import brought, doubted, why_it_waits
from alice_exp.review.rules.daily_report import Agenda, Item, as_decided
from alice_exp.review.rules.doubts import Answer, Question, Rival
from alice_exp.review.usecases import rival_answers
from alice_exp.terminal.console import Terminal
from alice_exp.terminal.editor import LATER, QUITTING, answered_key, key
from alice_exp.terminal.language import say

Mark = Literal["reject", "later"]
"""What an exception does, whatever key decides the page: it is rejected, or waits. No mark ever approves."""

Settled = Literal["approved", "rejected", "later", "elsewhere"]
"""How a candidate left this review; ``elsewhere``: another process decided on it meanwhile."""

DIGITS = "1234567890"
BACK = ("b", "\x1b[D")
ONWARDS = frozenset({"l", "n", " ", "\x1b[C", "u", *BACK})
"""The keys that decide nothing."""


@dataclass
class ReviewPage:
    """One page: the texts of at most ten candidates and the exceptions among these, by id; where all of them would go,
    empty if they differ; and the marks that a digit gives in turn."""

    texts: Mapping[str, str]
    marks: dict[str, Mark] = field(default_factory=dict)
    place: str = ""
    cycle: Sequence[Mark | None] = (None, "reject", "later")

    @classmethod
    def of(cls, items: Sequence[Item]) -> ReviewPage:
        """The page of some candidates, with what stands beside each; what is decided by itself waits."""
        places = {goal(item) for item in items}
        place = places.pop() if len(places) == 1 else ""
        texts = {}
        for item in items:
            text = told(item.placed) if place else f"{told(item.placed)} → {goal(item)}"
            beside = [f"{row.label} {row.text}" for row in neighbours(item) if row.note or row.label != "·"]
            texts[item.placed.block.id] = "\n".join([text, *beside])
        return cls(texts, {item.placed.block.id: "later" for item in items if item.stands_apart}, place)

    @property
    def digits(self) -> dict[str, str]:
        """The digit of each candidate on this page, by id."""
        return dict(zip(self.texts, DIGITS, strict=False))

    def toggle(self, digit: str) -> bool:
        """Give a candidate the next mark; whether there is such a one."""
        block_id = next((one for one, own in self.digits.items() if own == digit), "")
        mark = self.cycle[(self.cycle.index(self.marks.pop(block_id, None)) + 1) % len(self.cycle)]
        if block_id and mark:
            self.marks[block_id] = mark
        return bool(block_id)

    def split(self, pressed: str) -> tuple[list[str], list[str]]:
        """The ids of those that a key, ``a``, ``A`` or ``r``, approves, and of those that it rejects."""
        plain = [one for one in self.texts if one not in self.marks]
        bad = [one for one in self.texts if self.marks.get(one) == "reject"]
        return (plain, bad) if pressed != "r" else ([], [one for one in self.texts if one in (*plain, *bad)])

    def lines(self) -> list[str]:
        """Every candidate's whole text behind its digit and mark."""
        found = []
        for block_id, digit in self.digits.items():
            sign = {None: " ", "reject": "✗", "later": "·"}[self.marks.get(block_id)]
            rows = wrapped(self.texts[block_id], columns() - 6)
            found += [f"{f'{digit} {sign}' if not at else '':4}{row}" for at, row in enumerate(rows)]
        return found


def page_question(items: Sequence[Item]) -> str:
    """The keys of a page."""
    if any(item.placed.block.project for item in items):
        return say("[a]pprove [A] everywhere [r]eject [l]ater [b]ack [u]ndo [q]uit · digit: ✗ [?] ")
    return say("[a]pprove these [r]eject these [l]ater [b]ack [u]ndo [q]uit · digit: ✗ [?] ")


def columns() -> int:
    """The width of a review's lines, in columns: the terminal's, from 40 to 100."""
    return max(40, min(get_terminal_size().columns, 100))


def card_question(item: Item) -> str:
    """The keys of one candidate; of one that contradicts another the four answers."""
    if answers_of(item):
        return say("[n]ew [o]ld [b]oth [x] neither [l]ater [q]uit ")
    more = (
        say("[A]pprove everywhere ") if item.placed.block.project else "",
        say("[m]erge ") if item.repeated and not item.conflict else "",
        say("[x] reject and purge ") if item.delicate else "",
        say("[g]roup [s] group later ") if item.group else "",
    )
    # On a line of their own: all of them together are longer than a terminal is wide.
    offered = "".join(more)
    return (f"{offered.rstrip()}\n" if offered else "") + say(
        "[a]pprove [p]ersonal [r]eject [e]dit [l]ater [b]ack [u]ndo [q]uit [?] "
    )


def key_help() -> tuple[str, ...]:
    """What each key does to one candidate."""
    return (
        say("a  (or y) approve: it goes where the card says, and holds in its project"),
        say("   what contradicts it and is told now: n new · o old · b both · x neither"),
        say("A  approve it everywhere: it holds in every project"),
        say("p  approve into personal: about you, shared with nobody"),
        say("m  merge it into the trusted block beside it"),
        say("r  reject for good · R  with a reason · x  reject and keep no word of it"),
        say("g  approve its whole group · s  put the group off"),
        say("e  edit it first, then decide"),
        say("w  why: where it comes from"),
        say("l  later: it keeps waiting · b  back · u  undo the last decision"),
        say("q  quit: everything decided so far stands"),
    )


def rule(terminal: Terminal, title: str) -> None:
    """Draw a title over what follows."""
    terminal.line(f"── {title} " + "─" * max(0, columns() - 5 - cells(title)))


def standing_pages(terminal: Terminal) -> tuple[int, bool]:
    """Ask page by page; the number of blocks approved, and whether the person quit."""
    together, count = standing_together(terminal), 0
    for at in range(0, len(together), len(DIGITS)):
        rows = {placed.block.id: placed for placed in together[at : at + len(DIGITS)]}
        was = as_decided([*rows.values()], terminal.session.history.decided)
        texts = {one: f"{told(p)}\n{one} · {why_it_waits(p, was.get(one))}" for one, p in rows.items()}
        rule(terminal, say("in the trusted sets, but not as you approved it"))
        taken = _taken(terminal, ReviewPage(texts, cycle=(None, "later")))
        if taken is None:
            return count, True
        if taken:
            seen = {one: content_hash(rows[one].block) for one in taken}
            done = approved(terminal, taken, bulk=True, seen=seen)
            count += len(done.ids)
            terminal.line("  " + say("{count} approved", count=len(done.ids)))
    return count, False


def _taken(terminal: Terminal, page: ReviewPage) -> list[str] | None:
    """The ids of those on a page that the person approves; None if they quit."""
    ahead: Collection[str] | None = LATER
    is_drawn = False
    while True:
        for line in page.lines() if not is_drawn else ():
            terminal.line(line)
        pressed, ahead = key(say("[a]pprove these [l]ater [q]uit · digit: not this one "), ahead), None
        if pressed in QUITTING:
            return None
        if pressed in ("a", "y"):
            return page.split(pressed)[0]
        if pressed in LATER:
            return []
        is_drawn = not page.toggle(pressed)


def ask_team(terminal: Terminal, came: Came) -> bool:
    """Show what a repository brings that nobody trusts yet, and ask once; whether the person goes on."""
    rule(terminal, say("what {project} brings", project=came.project))
    for row in brought(came):
        text = "\n".join(filter(None, (row.text, row.label, row.note)))
        for at, line in enumerate(wrapped(text, columns() - 6)):
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


def lost_page(terminal: Terminal) -> bool:
    """Show the decisions that the files lack, and put all of them back or let them go; whether the person quit."""
    session = terminal.session
    if not (rows := provenance.lost(session.home, session.history)):
        return False
    rule(terminal, say("decisions of yours that the files lack"))
    for row in rows:
        terminal.line("  ".join(("", *filter(None, (row.entry.id, *told_lost(row))))))
    pressed = answered_key(say("[b]ack into the files [n]o longer [l]ater [q]uit "), "bn")
    if pressed in ("b", "n"):
        ids = [row.entry.id for row in rows]
        is_gone = pressed == "n"
        done, _ = provenance.restore_lost(session.home, session.caller, session.history, ids, lets_go=is_gone)
        gone = say("{count} decisions hold no more", count=len(done))
        back = say("{count} decisions are in the files again", count=len(done))
        terminal.line(f"  {gone if is_gone else back}")
    return pressed in QUITTING


def ask_standing(terminal: Terminal, report: Agenda) -> None:
    """Ask about what repositories bring, which of two trusted blocks that contradict each other holds, then of each
    block in doubt whether it does, until the person quits."""
    for came in report.team:
        if not ask_team(terminal, came):
            return
    gone: set[str] = set()
    for first, beside in report.settle:
        if not gone & {first.block.id, beside.placed.block.id}:
            if (answer := ask(terminal, first, beside.placed)) == "quit":
                return
            if answer != "later":
                gone |= _settled(terminal, Rival(first, beside.placed, beside.kind), answer)
    for question in report.review:
        ids = {placed.block.id for placed in (question.placed, *question.beside)}
        if not gone & ids and not _ask_doubt(terminal, question):
            return


def _ask_doubt(terminal: Terminal, question: Question) -> bool:
    """Ask which of the blocks that failed together no longer holds; whether the person goes on."""
    known = (question.placed, *question.beside)
    marks = DIGITS[: len(known)] if question.beside else "n"
    rule(terminal, say("which no longer holds?") if question.beside else say("does it still hold?"))
    for digit, placed in zip(marks, known, strict=False):
        terminal.line(f"{digit if question.beside else ''}  {placed.block.id}  {told(placed)}".strip())
    terminal.line(f"  {doubted(question).note}")
    asked = (
        say("[1] to [{last}]: no longer [k]eep all [l]ater [q]uit ", last=marks[-1])
        if question.beside
        else say("[k]eep: still true [n]o longer [l]ater [q]uit ")
    )
    if (pressed := answered_key(asked, f"{marks}ky")) in QUITTING:
        return False
    home, caller = terminal.session.home, terminal.session.caller
    if pressed in ("k", "y"):
        lifetime.keep(home, caller, question.placed.block.id)
        terminal.line("  " + say("kept: it still holds"))
    elif pressed not in LATER:
        lifetime.retire(home, caller, known[marks.index(pressed)].block.id, "no longer true")
        terminal.line("  " + say("retired: it no longer holds"))
    return True


def _settled(terminal: Terminal, rival: Rival, answer: Answer) -> set[str]:
    """Carry out which of two trusted blocks holds; the ids of those that are trusted no more or wait."""
    session, ids = terminal.session, (rival.new.block.id, rival.old.block.id)
    rival_answers.settle(session.home, session.caller, rival, answer, {"seen": {}})
    winner, loser = ids if answer == "new" else ids[::-1]
    gone = {"neither": {*ids}, "both": set[str]()}.get(answer, {loser})
    words = {"neither": say("retired: it no longer holds"), "both": say("both hold")}
    terminal.line("  " + (words.get(answer) or say("{id} waits while {other} holds", id=loser, other=winner)))
    return gone
