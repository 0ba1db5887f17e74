"""The report's content independent of its format: parts of candidates, what stands beside them, sections as rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from alice_exp.blocks.cli.act_wording import told_lost
from alice_exp.finding.rules.neighbourhood import Relation
from alice_exp.home.ports import Came
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.documents import payload_text
from alice_exp.model.rules.rejection import Returned
from alice_exp.model.values.block import HELD, Placed
from alice_exp.review.cli.candidate_card import Card, cards, neighbours
from alice_exp.review.cli.waiting_rows import why_it_waits
from alice_exp.review.cli.where_it_holds import (
    Row,
    answers,
    asked_about,
    brought_rows,
    came_of,
    doubted,
    which_holds,
)
from alice_exp.review.rules.arrangement import Key, Part, arranged
from alice_exp.review.rules.daily_report import Agenda, Item
from alice_exp.review.rules.state_changes import Movement
from alice_exp.terminal.language import aside, say

_FEW = 5
"""The most rows of a section on a screen, and of fading blocks anywhere; further ones are counted."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report below the candidates; ``key`` is its HTML anchor, ``more`` the number of rows left out."""

    key: str
    title: str
    rows: tuple[Row, ...]
    more: int = 0


def sections(report: Agenda) -> tuple[Section, ...]:
    """The sections below the candidates that are not empty, most urgent first."""
    moved = filter(has_own_row, report.changed)
    found = (
        *_asked(report),
        _section("changed", say("Changed since the last report"), [_moved(one) for one in moved]),
        _section(
            "returned",
            say("Rejected before, and in the pool again: it does not stay"),
            [_back(one) for one in report.returned],
        ),
        _section(
            "unapproved",
            say(
                "In the trusted sets, but not as you approved it; all of them: alice-exp approve --universal"
            ),
            [_unapproved(placed, report) for placed in report.unapproved],
        ),
        *_from_elsewhere(report),
        _section(
            "fading",
            say("Well-used blocks that have not been used lately"),
            [_plain(placed) for placed in report.fading],
        ),
        _section("week", say("Approved last week"), came_of(report.week)),
        _section(
            "problems",
            say("Problems in files"),
            [Row(one.where, say(one.template, **one.values), say(one.severity)) for one in report.problems],
        ),
    )
    return tuple(section for section in found if section.rows)


def _asked(report: Agenda) -> tuple[Section, ...]:
    """What is asked of the person besides the candidates, or was decided for them."""
    return (
        _section("by_dialog", say("Approved in a host's dialog"), [Row(*one) for one in report.by_dialog]),
        _section(
            "settle",
            say("Two that you trust oppose each other: which one holds?"),
            [_settle(placed, one) for placed, one in report.settle],
        ),
        _section(
            "review",
            say("In doubt: which no longer holds?"),
            [doubted(one) for one in report.review],
        ),
        _section(
            "lost",
            say("Decisions of yours that the files lack; all of them back: alice-exp restore --lost"),
            [Row(row.entry.id, *told_lost(row)) for row in report.lost],
        ),
    )


def _from_elsewhere(report: Agenda) -> tuple[Section, ...]:
    """What came by other ways than the acts of this home."""
    asked = [Row(one, asked_about(its, held), answers(one, its)) for one, its, held in report.asked]
    # These say in their own rows what is different.
    waiting = {placed.block.id for placed in report.unapproved}
    return (
        _section("projects", say("Which project is it?"), asked),
        *(_of_team(came) for came in report.team),
        _section(
            "by_hand",
            say("Changed by hand"),
            [_by_hand(name) for name in report.by_hand if name not in waiting],
        ),
        _section(
            "proposed",
            say("Proposed by the shared configuration: this machine decides"),
            [_proposed(name, value) for name, value in report.proposed.items()],
        ),
    )


def _of_team(came: Came) -> Section:
    """What a repository brings that nobody trusts yet, a change beside the words that were trusted."""
    title = say(
        "{project} brings these; trust them in {folder} with: alice-exp project trust",
        project=came.project,
        folder=came.root,
    )
    return _section("team", title, [Row(*brought_rows(one)) for one in came.blocks])


def _section(key: str, title: str, rows: Sequence[Row]) -> Section:
    limit = _FEW if key == "fading" else len(rows)
    return Section(key, title, tuple(rows[:limit]), len(rows) - min(limit, len(rows)))


def shortened(section: Section) -> Section:
    """The section with its first rows, the others counted: what a screen has room for."""
    more = max(0, len(section.rows) - _FEW)
    return replace(section, rows=section.rows[:_FEW], more=section.more + more)


def has_own_row(movement: Movement) -> bool:
    """Whether a change is listed on its own; mere successes are only counted in the summary."""
    return movement.kind not in ("verified", "noted")


def _settle(placed: Placed, one: Relation) -> Row:
    text = f"{payload_text(placed)}\n≠ {one.placed.block.id}  {payload_text(one.placed)}"
    new, old = placed.block.id, one.placed.block.id
    return Row(new, text, which_holds(new, old, alike=True))


FOLDED = ("repeats", "turned_down")
"""The parts of which a screen shows no more than the text and what it repeats: there is little to decide."""


def parts(items: Sequence[Item]) -> Iterator[tuple[Key, str, list[Card]]]:
    """The candidates part by part, with the title of each; in a title stands where all of the part go."""
    found = {card.id: card for card in cards(items)}
    for part in arranged(items):
        own = [found[item.placed.block.id] for item in part.items]
        shared = own[0].shared if part.key in FOLDED else own[0].shared.within(part.items)
        yield part.key, part_title(part, shared.place), [replace(card, shared=shared) for card in own]


def beside(items: Sequence[Item]) -> list[tuple[str, Row]]:
    """What stands beside the candidates, each row with the candidate's number or id."""
    return [(str(item.number or item.placed.block.id), row) for item in items for row in neighbours(item)]


def part_title(part: Part, place: str = "") -> str:
    """What stands above a part of the candidates; ``place`` is where all of them go, if it is one."""
    titles = {
        "today": say("Needs you today"),
        "user": say("About you"),
        "work": say("About work"),
        "repeats": say("Probably known already"),
        "perhaps": say("Perhaps: found in what you said by its words alone"),
        "turned_down": say("Like what you rejected"),
    }
    return f"{titles[part.key]} → {place}" if place else titles[part.key]


def _back(one: Returned) -> Row:
    lift = say(
        "rejected as {id}; to lift it: alice-exp revive {id} --from-rejected", id=one.rejected.block.id
    )
    return Row(one.block_id, payload_text(one.placed or one.rejected), lift)


def _moved(movement: Movement) -> Row:
    placed = movement.placed or movement.was
    before, after = (say(name) if name else "" for name in (movement.before, movement.after))
    arrow = f"{before} → {after}" if before != after else after
    sentences = {
        "promoted": say("promoted: {arrow}", arrow=arrow),
        "demoted": say("demoted: {arrow}", arrow=arrow),
        "needs_review": say("failed, still {state}", state=after),
        "withheld": say("failed before you looked at it: it is not applied until you decide"),
        "retired": say("retired: {arrow}", arrow=arrow),
        "revived": say("revived: {arrow}", arrow=arrow),
        "debounced": say("failed again where it had failed: counted once"),
        "expired": say("expired unanswered; no word of it is left")
        if placed is not None and placed.path == HELD
        else say("expired unanswered; back with: alice-exp restore {id}", id=movement.block_id),
        "revoked": say("the peer that shared it takes it back: does it hold without?"),
        "verified": say("verified"),
        "noted": "",
    }
    failed = say("{count} of {uses} failed", count=movement.failed, uses=movement.times)
    said = sentences[movement.kind] + (aside(failed) if movement.failed and movement.times > 1 else "")
    text = payload_text(placed) if placed is not None else ""
    return Row(movement.block_id, text, said)


def _plain(placed: Placed) -> Row:
    return Row(placed.block.id, payload_text(placed), f"{placed.place}/{placed.namespace}")


def _unapproved(placed: Placed, report: Agenda) -> Row:
    block_id = placed.block.id
    note = why_it_waits(placed, report.was.get(block_id), report.again.get(block_id, ""))
    return Row(block_id, payload_text(placed), note)


def _by_hand(name: str) -> Row:
    if name.startswith("exp-"):
        return Row(name, say("an edit in a file raised its trust"), f"alice-exp log {name}")
    return Row(name, say("the configuration was changed in its file"), "alice-exp log --by editor")


def _proposed(name: str, value: object) -> Row:
    text = value if isinstance(value, str) else json.dumps(value)
    return Row(name, text, say("it does not count here; to let it: alice-exp config accept {key}", key=name))
