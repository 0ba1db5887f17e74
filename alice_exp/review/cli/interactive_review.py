"""``review``: decides on candidates by single keys, each an act of its own, in plain lines that work over ssh."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain
from typing import Any, Literal

from alice_exp.blocks.cli import provenance_commands
from alice_exp.blocks.cli.lifetime_commands import edit_sentence
from alice_exp.blocks.usecases.provenance import undo
from alice_exp.caller.acting import require_person
from alice_exp.kernel.errors import AliceError, Names, RefusedError
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.block import REVIEWED
from alice_exp.model.values.snapshot import namespace_name
from alice_exp.review.cli import asked_decisions as asked
from alice_exp.review.cli import review_pages as pages
from alice_exp.review.cli.candidate_card import Card, cards, shared, shared_line
from alice_exp.review.cli.heartbeat_command import since
from alice_exp.review.cli.report_text import drawn, happened, plain
from alice_exp.review.rules.daily_report import Agenda, Item
from alice_exp.review.rules.report_order import review_screens
from alice_exp.review.store import reports
from alice_exp.review.usecases import decisions, rival_answers, todays_report
from alice_exp.terminal.console import Terminal, scoped
from alice_exp.terminal.editor import QUITTING, key, mark_pastes, typed
from alice_exp.terminal.language import say

_How = Literal["approved", "rejected"]


def review(terminal: Terminal) -> None:
    """Decide on what waits by single keys: a approve, r reject, l later, u undo, ? all keys. Many come by pages.

    Each decision stands at once; quit or killed, the next review goes on where this one stopped.

    Example: alice-exp review
    """
    session = terminal.session
    require_person(session.caller, say("review"), "alice-exp review")
    if terminal.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise RefusedError(
            "a review needs a terminal, so that a person presses the keys",
            hint="see 'alice-exp heartbeat', then 'alice-exp reply …'",
        )
    report, _ = todays_report.heartbeat(session, peek=False, page=lambda _: ())
    session.heard.age(session.caller.now)
    # No later report tells what happened before this one.
    news = plain(happened(report, since(report), pages.columns()), terminal.is_rich)
    sys.stdout.writelines(f"{line}\n" for line in news)
    opened = _Session(terminal, report)
    try:
        opened.run()
    finally:
        mark_pastes(False)
    hows = Counter(opened.settled.values())
    terminal.line(
        say(
            "{approved} approved, {rejected} rejected, {left} left.",
            approved=hows["approved"] + opened.standing,
            rejected=hows["rejected"],
            left=len(report.items) - hows.total() + hows["later"],
        )
    )


@dataclass
class _Session:
    """One interactive review: the report, what is settled and how, what was on the screen, and where it stands."""

    terminal: Terminal
    report: Agenda
    settled: dict[str, pages.Settled] = field(default_factory=dict)
    displayed: set[str] = field(default_factory=set)
    outdated: set[str] = field(default_factory=set)
    commits: list[list[tuple[str, tuple[str, ...]]]] = field(default_factory=list)
    step: int = 1
    back_to: str = ""
    digits: dict[str, str] = field(default_factory=dict)
    place: tuple[int, int] = (0, 0)
    is_new: bool = False
    is_over: bool = False
    shared: Mapping[str, str] = field(default_factory=dict)
    standing: int = 0
    """How many blocks of the trusted sets were approved."""

    def run(self) -> None:
        """Go through the candidates from where the last review stopped, then the doubts, until the person quits."""
        steps, at = review_screens(self.report.items, reports(self.terminal.session).bookmark()), 0
        count = sum(map(len, steps))
        told = (self.report.settle, self.report.review, self.report.unapproved, self.report.lost)
        if not (count or any(told)):
            self.terminal.line(say("Nothing waits for your decision."))
        if any(len(step) == 1 for step in steps):
            self.shared = shared(self.report.items)
            if each := shared_line(self.shared):
                self.terminal.line(each)
        while 0 <= at < len(steps):
            if page := [item for item in steps[at] if item.placed.block.id not in self.settled]:
                # Stored before the decision, so that a review that is killed resumes here.
                reports(self.terminal.session).keep_bookmark(page[0].placed.block.id)
                self.step = 1
                show = self._card if len(steps[at]) == 1 else self._page
                if not show(page, sum(map(len, steps[:at])), count):
                    return
            ids = [[item.placed.block.id for item in step] for step in steps]
            undone = (n for n, each in enumerate(ids) if self.back_to in each)
            at, self.back_to = next(undone, at + self.step), ""
            at, self.step = (at, self.step) if at >= 0 else (0, 1)
        reports(self.terminal.session).keep_bookmark("")
        self.standing, is_over = pages.standing_pages(self.terminal)
        if not is_over and not pages.lost_page(self.terminal):
            pages.ask_standing(self.terminal, self.report)

    def _card(self, items: Sequence[Item], at: int, count: int) -> bool:
        """Show one candidate and carry out the person's decision; false if they quit."""
        item, self.place, self.digits = self._current(items[0]), (at + 1, count), {}
        self._show(item, *self.place)
        while True:
            item = self._current(item)
            if (pressed := self._key(pages.card_question(item), asked.answers_of(item))) in QUITTING:
                return False
            try:
                if self._carried_out(pressed, item) and not self._is_shown_again(item):
                    return not self.is_over
            except AliceError as error:
                self.terminal.warned.clear()  # Told once a command; here each key press needs its answer.
                self.terminal.warn(error)
                placed = self.terminal.session.home.read(REVIEWED).find(item.placed.block.id)
                if placed is None or placed.place != "low_value":
                    self.settled[item.placed.block.id] = "elsewhere"
                    return True

    def _onwards(self, pressed: str) -> bool:
        """A key that decides nothing: the next one, the one before, or the last decision taken back."""
        if pressed == "u":
            return self._undone()
        if pressed in pages.BACK:
            self.step = -1
        return True

    def _carried_out(self, pressed: str, item: Item) -> bool:
        """Whether the key settled the candidate, or leads to another one."""
        match pressed:
            case _ if pressed in asked.answers_of(item):
                done = asked.answered(self.terminal, item, pressed)
                self.is_over = done.is_quit
                return self._trusted(done)
            case _ if pressed in pages.ONWARDS:
                return self._onwards(pressed)
            case "g" | "s" if item.group:
                return self._grouped(item, pressed)
            case "e":
                return self._edited(item)
            case "w":
                provenance_commands.why(self.terminal, item.placed.block.id)
                return False
        return self._decided(pressed, item)

    def _decided(self, pressed: str, item: Item) -> bool:
        """Whether the key is a decision on this candidate, and carried out."""
        block_id = item.placed.block.id
        match pressed:
            case "a" | "y" | "A":
                return self._approved((block_id,), everywhere=pressed == "A")
            case "p":
                own = f"personal/{decisions.personal_namespace(item.placed.block)}"
                return self._approved((block_id,), to=own)
            case "m" if item.repeated and not item.conflict:
                return self._merged(block_id, item.repeated.placed.block.id)
            case "r":
                return self._rejected((block_id,))
            case "R":
                reason = typed(say("  why (Enter: no reason) "))
                return reason is not None and self._rejected((block_id,), reason)
            case "x" if item.delicate:
                return self._purged(block_id)
        for line in pages.key_help():
            self.terminal.line(f"  {line}")
        return False

    def _grouped(self, item: Item, pressed: str) -> bool:
        """Approve or put off the whole group, if all of its texts were on the screen."""
        members = [one for one in self.report.items if one.group == item.group]
        if pressed == "g":
            # What contradicts something is never approved along with others, least of all with its opposite.
            members = [one for one in members if not one.stands_apart]
        if not members:
            self.terminal.line(say("  these contradict each other: decide one by one"))
            return False
        ids = [one.placed.block.id for one in members if one.placed.block.id not in self.settled]
        if pressed == "s":
            self.settled.update(dict.fromkeys(ids, "later"))
            return True
        unseen = [one for one in members if one.placed.block.id not in self.displayed]
        for one in unseen:
            self._show(one, 0, 0)
        if unseen:
            self.terminal.line(say("  these belong together; press g again to approve them all"))
            return False
        return self._approved(ids)

    def _approved(self, ids: Sequence[str], **how: Any) -> bool:
        """Whether it was approved, or the person, asked which holds, said otherwise or put it off."""
        done = asked.approved(self.terminal, ids, asks=len(ids) == 1, **how)
        self.is_over = done.is_quit
        return (not done.placed and bool(done.rivals) and len(ids) == 1) or self._trusted(done)

    def _trusted(self, done: decisions.Decided) -> bool:
        # What was retired with it was never one of these.
        waited = {item.placed.block.id for item in self.report.items}
        ended = [p.block.id for p in done.placed if p.place == "archive" and p.block.id in waited]
        kept = {p.block.id: p for p in done.placed if p.place != "archive"}
        places = Names(dict.fromkeys(scoped(namespace_name(p.path), p.block.project) for p in kept.values()))
        words = {"approved": say("approved into {place}", place=places), "rejected": say("rejected")}
        return self._report_result({"approved": [*kept], "rejected": ended}, done, words)

    def _rejected(self, ids: Sequence[str], reason: str = "") -> bool:
        session = self.terminal.session
        done = decisions.reject(session.home, session.caller, ids, reason)
        return self._report_result({"rejected": done.ids}, done, {"rejected": say("rejected")})

    def _purged(self, block_id: str) -> bool:
        if key(say("  keep no word of it? Nothing takes this back [y/N] "), ()) != "y":
            self.terminal.line(say("  it is left as it is"))
            return False
        done = self._rejected((block_id,))
        if self.settled.get(block_id) == "rejected":
            is_gone = asked.purged(self.terminal, (block_id,))
            self.commits.pop()  # Nothing takes it back.
            if is_gone:
                self.terminal.line(say("  no word of it is left"))
        return done

    def _merged(self, block_id: str, into: str) -> bool:
        session = self.terminal.session
        done = rival_answers.merge(session.home, session.caller, block_id, into)
        # The act names the block that it was merged into; what is settled is the candidate.
        merged = (block_id,) if done.ids else ()
        return self._report_result({"approved": merged}, done, {"approved": say("merged into {id}", id=into)})

    def _report_result(
        self, decided: Mapping[_How, Sequence[str]], done: decisions.Decided, words: Mapping[str, str]
    ) -> bool:
        for how, ids in decided.items():
            self.settled.update(dict.fromkeys(ids, how))
        if done.commit is not None:
            # A purge writes commits anew.
            self.commits.append([(done.commit.act_id, tuple(chain(*decided.values())))])
        self.outdated = {block_id for block_id, why in done.skipped if why == "changed"}
        for block_id, why in done.skipped:
            if why in ("moved", "gone"):
                self.settled[block_id] = "elsewhere"
        for line in asked.left_lines(self.terminal, done, in_review=True):
            self.terminal.line(line)
        for how, ids in decided.items():
            names = (self.digits.get(one) or asked.numbered(self.terminal, one) for one in ids)
            if told := " ".join(name for name in names if name not in ids):
                self.terminal.line(f"  {told}  {words[how]}")
        return True

    def _undone(self) -> bool:
        if not self.commits:
            self.terminal.line(say("  there is nothing to undo in this review"))
            return False
        session = self.terminal.session
        for commit, ids in reversed(self.commits.pop()):
            undo(session.home, session.history, session.caller, commit)
            for block_id in ids:
                self.settled.pop(block_id)
            self.back_to = ids[0]
        self.terminal.line(say("  undone"))
        return True

    def _page(self, items: Sequence[Item], at: int, count: int) -> bool:
        """Show ten candidates and carry out one decision on all but the marked ones; false if the person quits."""
        page = pages.ReviewPage.of(items := self._mark_shown(items))
        self.digits = page.digits
        self._draw(page, at, count)
        while True:
            if (pressed := self._key(pages.page_question(items))) in QUITTING:
                return False
            if pressed and pressed in pages.DIGITS:
                if page.toggle(pressed):
                    self._draw(page, at, count)
                continue
            try:
                if self._page_carried_out(pressed, page):
                    return True
            except AliceError as error:
                self.terminal.warned.clear()
                self.terminal.warn(error)

    def _page_carried_out(self, pressed: str, page: pages.ReviewPage) -> bool:
        if pressed in ("a", "y", "A", "r"):
            at = len(self.commits)
            good, bad = page.split(pressed)
            done = not good or self._approved(good, everywhere=pressed == "A")
            done = done and (not bad or self._rejected(bad))
            # One key, and u takes all of it back.
            joined = [row for rows in self.commits[at:] for row in rows]
            self.commits[at:] = [joined] if joined else []
            return done
        if pressed in pages.ONWARDS:
            return self._onwards(pressed)
        digits = (
            "  a digit marks one: ✗ is rejected whatever key follows, · waits; then one key decides the rest"
        )
        self.terminal.line(say(digits))
        return False

    def _draw(self, page: pages.ReviewPage, at: int, count: int) -> None:
        goes = f" → {page.place}" if page.place else ""
        pages.rule(self.terminal, f"{at + 1}–{at + len(page.texts)}/{count}{goes}")
        for line in page.lines():
            self.terminal.line(line)

    def _current(self, item: Item) -> Item:
        """The candidate as it was read last: an edit may have changed what stands beside it."""
        return next((one for one in self.report.items if one.placed.block.id == item.placed.block.id), item)

    def _edited(self, item: Item) -> bool:
        """Let the person edit the block, then show it again, because a decision is on what was shown (B2.20)."""
        mark_pastes(False)
        edit_sentence(self.terminal, item.placed.block.id)
        # The edit may have moved the block out of the pool.
        self.outdated.add(item.placed.block.id)
        return not self._is_shown_again(item)

    def _is_shown_again(self, item: Item) -> bool:
        """Whether what changed is on the screen as it is now, with what stands beside it, and waits for its key."""
        if item.placed.block.id not in self.outdated:
            return False
        self.outdated.clear()
        # Read, not reported anew: the numbers that the person has seen stay, and nothing else gets a clock.
        self.report, _ = todays_report.heartbeat(self.terminal.session, peek=True)
        if (fresh := self._current(item)) not in self.report.items:
            return False
        self._show(fresh, *self.place, is_again=True)
        return True

    def _key(self, question: str, deciding: Collection[str] = ()) -> str:
        """The next key; one that was pressed before the text came to the screen decides nothing about it."""
        ahead, self.is_new = pages.ONWARDS.difference(deciding) if self.is_new else None, False
        return key(question, ahead)

    def _mark_shown(self, items: Sequence[Item]) -> list[Item]:
        """What goes to the screen now has a clock, and may be decided; as it is now, not as the report found it."""
        self.is_new = True
        ids = [item.placed.block.id for item in items]
        self.displayed.update(ids)
        beside = [item.asks_of.placed.block.id for item in items if item.asks_of is not None]
        now = todays_report.mark_shown(self.terminal.session, ids + beside)
        return [replace(item, placed=now.get(item.placed.block.id, item.placed)) for item in items]

    def _show(self, item: Item, position: int, count: int, *, is_again: bool = False) -> None:
        (item,) = self._mark_shown([item])
        if count:
            self.terminal.line("")
            pages.rule(self.terminal, f"{position}/{count}")
        (card,) = cards([item])
        # What is shown apart from its turn, after an edit above all, says everything.
        card = card if is_again or not count else Card(item, card.marks, self.shared)
        lines = plain(drawn(card, pages.columns(), has_keys=True), self.terminal.is_rich)
        sys.stdout.writelines(f"{line}\n" for line in lines)
        if item.asks_of is not None and asked.answers_of(item):
            asked.show_sides(self.terminal, item.placed, item.asks_of.placed)
