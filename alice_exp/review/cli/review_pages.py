"""The further screens of a review: pages of ten candidates, decided with one key but for those marked by their
digits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Literal

from alice_exp.kernel.text.display import wrapped
from alice_exp.kernel.value_class import dataclass
from alice_exp.review.cli.candidate_card import goal, neighbours, told
from alice_exp.review.rules.daily_report import Item
from alice_exp.review.rules.report_order import project_of
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
class Tally:
    """The counts of a review."""

    approved: int = 0
    rejected: int = 0
    left: int = 0

    def count(self, how: Settled, number: int) -> None:
        """Count decisions, or with a negative number those taken back."""
        self.approved += number * (how == "approved")
        self.rejected += number * (how == "rejected")
        self.left -= number


@dataclass
class ReviewPage:
    """One page: its candidates and the exceptions among them, by id."""

    items: Sequence[Item]
    marks: dict[str, Mark] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.marks.update({item.placed.block.id: "later" for item in self.items if item.stands_apart})

    @property
    def place(self) -> str:
        """Where all of them would go, and in which project they would hold; empty if they differ."""
        places = {goal(item) for item in self.items}
        return places.pop() if len(places) == 1 else ""

    @property
    def digits(self) -> dict[str, str]:
        """The digit of each candidate on this page, by id."""
        return {item.placed.block.id: digit for digit, item in zip(DIGITS, self.items, strict=False)}

    def toggle(self, digit: str) -> bool:
        """Mark a candidate as rejected, once more as left out, once more as neither; whether there is such a one."""
        at = DIGITS.index(digit)
        if at >= len(self.items):
            return False
        block_id = self.items[at].placed.block.id
        match self.marks.get(block_id):
            case None:
                self.marks[block_id] = "reject"
            case "reject":
                self.marks[block_id] = "later"
            case _:
                del self.marks[block_id]
        return True

    def split(self, pressed: str) -> tuple[list[str], list[str]]:
        """The ids of those that a key, ``a``, ``A`` or ``r``, approves, and of those that it rejects."""
        ids = [item.placed.block.id for item in self.items]
        plain = [one for one in ids if one not in self.marks]
        bad = [one for one in ids if self.marks.get(one) == "reject"]
        return (plain, bad) if pressed != "r" else ([], [one for one in ids if one in (*plain, *bad)])

    def lines(self, width: int) -> list[str]:
        """Every candidate's whole text behind its digit and mark, with what stands beside it."""
        found = []
        for digit, item in zip(DIGITS, self.items, strict=False):
            sign = {None: " ", "reject": "✗", "later": "·"}[self.marks.get(item.placed.block.id)]
            text = told(item.placed) if self.place else f"{told(item.placed)} → {goal(item)}"
            beside = [f"{row.label} {row.text}" for row in neighbours(item) if row.note or row.label != "·"]
            rows = wrapped("\n".join([text, *beside]), width - 6)
            found += [f"{f'{digit} {sign}' if not at else '':4}{row}" for at, row in enumerate(rows)]
        return found

    def question(self) -> str:
        """The keys of a page."""
        if any(map(project_of, self.items)):
            return say(
                "[a]pprove these here [A] everywhere [r]eject these [l]ater [b]ack [u]ndo [q]uit · digit: ✗ reject [?] "
            )
        return say("[a]pprove these [r]eject these [l]ater [b]ack [u]ndo [q]uit · digit: ✗ reject [?] ")


def decided_lines(names: Sequence[str], words: str) -> list[str]:
    """What a key did to the candidates with these digits or numbers, in lines that fit the terminal."""
    rows = wrapped(f"{' '.join(names)}  {words}", columns() - 2) if names else []
    return [f"  {row}" for row in rows]


def columns() -> int:
    """The width of a review's lines, in columns: the terminal's, from 40 to 100."""
    from shutil import get_terminal_size

    return max(40, min(get_terminal_size().columns, 100))


def card_question(item: Item) -> str:
    """The keys of one candidate."""
    more = (
        say("[A]pprove everywhere ") if project_of(item) else "",
        say("[m]erge ") if item.repeated and not item.conflict else "",
        say("[x] reject and purge ") if item.delicate else "",
        say("[g]roup ") if item.group else "",
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
