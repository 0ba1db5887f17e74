"""The report's content independent of its format: sections as rows, and the facts and marks of each candidate."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from alice_exp.kernel.jsonc.problem import Problem
from alice_exp.model.documents import payload_text
from alice_exp.model.rules.doubt import kept_record
from alice_exp.model.rules.rejection import Returned
from alice_exp.model.values.block import Placed, Record
from alice_exp.review.rules.conflicts import Overlap
from alice_exp.review.rules.daily_report import Agenda, Item
from alice_exp.review.rules.state_changes import Movement
from alice_exp.terminal.language import say

_FEW = 5
"""The most fading blocks that are named; further ones are counted."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a section: its subject (an id, a number, a file), its text, and a remark."""

    label: str
    text: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report below the candidates; ``key`` is its HTML anchor, ``more`` the number of rows left out."""

    key: str
    title: str
    rows: tuple[Row, ...]
    more: int = 0


def sections(report: Agenda) -> tuple[Section, ...]:
    """The sections below the candidates that are not empty, most urgent first."""
    numbers = {item.placed.block.id: item.number for item in report.items}
    found = (
        _section(
            "together", say("Look at these together"), [_overlap(pair, numbers) for pair in report.overlaps]
        ),
        _section(
            "review", say("In doubt: does it still hold?"), [_doubted(placed) for placed in report.review]
        ),
        _section(
            "revivable",
            say("Refuted, though it mostly worked: a second chance?"),
            [_revivable(placed) for placed in report.revivable],
        ),
        _section(
            "changed",
            say("Changed since the last report"),
            [_moved(m) for m in report.changed if has_own_row(m)],
        ),
        _section(
            "returned",
            say("Typed into the pool, but rejected before"),
            [_back(one) for one in report.returned],
        ),
        _section(
            "unapproved",
            say("In universal, and not approved as it stands"),
            [_unapproved(p, report.again.get(p.block.id, "")) for p in report.unapproved],
        ),
        *_from_elsewhere(report),
        _section(
            "fading", say("Fading: settled, and long not used"), [_plain(placed) for placed in report.fading]
        ),
        _section(
            "problems",
            say("Problems in files"),
            [_fault(fault) for fault in report.problems],
        ),
    )
    return tuple(section for section in found if section.rows)


def _from_elsewhere(report: Agenda) -> tuple[Section, ...]:
    """What came by other ways than the acts of this home."""
    return (
        _section("by_hand", say("Changed by hand"), [_by_hand(name) for name in report.by_hand]),
        _section(
            "proposed",
            say("Proposed by the shared configuration: this machine decides"),
            [_proposed(name, value) for name, value in report.proposed.items()],
        ),
    )


def _section(key: str, title: str, rows: Sequence[Row]) -> Section:
    limit = _FEW if key == "fading" else len(rows)
    return Section(key, title, tuple(rows[:limit]), len(rows) - min(limit, len(rows)))


def _fault(fault: Problem) -> Row:
    return Row(fault.where, say(fault.template, **fault.values), say(fault.severity))


def has_own_row(movement: Movement) -> bool:
    """Whether a change is listed on its own; mere successes are only counted in the summary."""
    return movement.kind != "verified"


def _overlap(pair: Overlap, numbers: dict[str, int]) -> Row:
    first = numbers.get(pair.first.block.id, 0)
    second = numbers.get(pair.second.block.id, 0)
    other = str(second) if second else pair.second.block.id
    where = "" if second else f" ({pair.second.place}/{pair.second.namespace})"
    sign = "≠" if pair.is_conflict else "≈"
    sentences = {
        "same": say("they say nearly the same; one of them is enough"),
        "polarity": say("they contradict each other: one says do, the other do not"),
        "numbers": say("they contradict each other: the numbers differ"),
        "value": say("they contradict each other: the values differ"),
        "supersedes": say("the newer one would take the place of the older one"),
    }
    note = sentences[pair.reason]
    if pair.second.place == "archive":
        note = say("you rejected something much like it before")
    text = f"{payload_text(pair.first)}\n{sign} {other}  {payload_text(pair.second)}{where}"
    return Row(str(first or pair.first.block.id), text, note)


def _revivable(placed: Placed) -> Row:
    record = kept_record(placed.block.evidence)
    note = say(
        "{ok} of {uses} worked; yes: alice-exp revive {id}",
        ok=record.ok,
        uses=record.ok + record.failed,
        id=placed.block.id,
    )
    return Row(placed.block.id, payload_text(placed), note)


def _doubted(placed: Placed) -> Row:
    doubt, record = placed.block.doubt, placed.block.record or Record()
    note = say(
        "since {day}: {ok} of {uses} worked; yes: alice-exp keep {id} · no: alice-exp retire {id} --reason …",
        day=doubt.since[:10] if doubt is not None else "",
        ok=record.ok,
        uses=record.ok + record.failed,
        id=placed.block.id,
    )
    return Row(placed.block.id, payload_text(placed), note)


def _back(one: Returned) -> Row:
    lift = say(
        "rejected as {id}; to lift it: alice-exp revive {id} --from-rejected", id=one.rejected.block.id
    )
    return Row(one.block_id, payload_text(one.placed or one.rejected), lift)


def _moved(movement: Movement) -> Row:
    before, after = (say(name) if name else "" for name in (movement.before, movement.after))
    arrow = f"{before} → {after}" if before != after else after
    sentences = {
        "promoted": say("promoted: {arrow}", arrow=arrow),
        "demoted": say("demoted: {arrow}", arrow=arrow),
        "needs_review": say("failed, still {state}", state=after),
        "doubted": say("failed for an agent; what you said stays as it is"),
        "withheld": say("failed before you looked at it: it is not applied until you decide"),
        "obsolete": say("refuted: {arrow}, in the archive", arrow=arrow),
        "debounced": say("failed again where it had failed: counted once"),
        "expired": say("expired unanswered; back with: alice-exp restore {id}", id=movement.block_id),
        "verified": say("verified"),
    }
    text = payload_text(movement.placed) if movement.placed is not None else ""
    return Row(movement.block_id, text, sentences[movement.kind])


def _plain(placed: Placed) -> Row:
    return Row(placed.block.id, payload_text(placed), f"{placed.place}/{placed.namespace}")


def _unapproved(placed: Placed, again: str) -> Row:
    row = _plain(placed)
    note = say("{place}; you rejected this before, as {id}", place=row.note, id=again) if again else row.note
    return Row(row.label, row.text, note)


def _by_hand(name: str) -> Row:
    if name.startswith("exp-"):
        return Row(name, say("an edit in a file raised its trust"), f"alice-exp log {name}")
    return Row(name, say("the configuration was changed in its file"), "alice-exp log --by editor")


def _proposed(name: str, value: object) -> Row:
    text = value if isinstance(value, str) else json.dumps(value)
    return Row(name, text, say("it does not count here; to let it: alice-exp config accept {key}", key=name))


def facts(item: Item) -> str:
    """A candidate's state, confidence, destination and time left, in one line."""
    block = item.placed.block
    parts = [f"{say(block.state)} {item.confidence:.1f} → {item.destination}", left(item)]
    return " · ".join(part for part in parts if part)


def marks(items: Sequence[Item]) -> dict[str, tuple[str, ...]]:
    """The marks of candidates, by id: changed, new, or said explicitly by the user."""
    # "new" beside every candidate would distinguish nothing.
    all_new = all(item.is_new for item in items)
    found = {}
    for item in items:
        news = say("changed since it was shown") if item.is_changed else say("new")
        texts = (
            news if item.is_changed or (item.is_new and not all_new) else "",
            say("said explicitly") if item.is_explicit else "",
        )
        found[item.placed.block.id] = tuple(filter(None, texts))
    return found


def left(item: Item) -> str:
    """The time until a candidate expires; empty while no report has shown it."""
    if item.days_left < 0:
        return ""
    if item.days_left <= 1:
        return say("last day")
    return say("{count} days left", count=item.days_left)


def columns() -> list[str]:
    """The column names of the table of candidates."""
    return ["#", say("when"), say("what was learned"), say("state"), say("goes to"), say("left")]
