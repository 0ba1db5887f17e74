"""The report's content independent of its format: sections as rows, and the facts and marks of each candidate."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

from alice_exp.blocks.cli.act_wording import told_lost
from alice_exp.finding.rules.nearness.neighbourhood import Relation
from alice_exp.home.ports import Came
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.documents import evidence_line, payload_text
from alice_exp.model.rules.rejection import Returned
from alice_exp.model.values.block import HELD, Placed
from alice_exp.review.cli.waiting_rows import why_it_waits
from alice_exp.review.cli.where_it_holds import (
    Row,
    answers,
    asked_about,
    brought_rows,
    came_of,
    doubted,
    shared_project,
    where_it_holds,
    which_holds,
)
from alice_exp.review.rules.arrangement import Part, is_perhaps, is_unlike, project_of, said_on
from alice_exp.review.rules.daily_report import Agenda, Item
from alice_exp.review.rules.state_changes import Movement
from alice_exp.terminal.language import aside, days_told, listed, say

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


def neighbours(item: Item) -> tuple[Row, ...]:
    """What stands beside a candidate: each known block with what it is to it, and the command that settles it."""
    rows = [_neighbour(item, one) for one in item.relations if one.where != "waiting"]
    disputed = [one for one in item.relations if one.where == "waiting" and one.kind in _DISPUTED]
    rows += [_beside_it(item, one) for one in disputed[:1]]
    if item.says_again:
        rows.append(Row("≈", say("says the same as {number}", number=item.says_again)))
    kinds = listed(dict.fromkeys(say(one.kind) for one in item.delicate))
    if kinds:
        # What was approved once, and taken back, stands in history.
        entry = item.placed.block.entry
        is_unkept = item.placed.path == HELD and not (entry is not None and entry.id)
        reject = f"alice-exp reject {_name(item)}{'' if is_unkept else ' --purge'}"
        note = say("no word of it stays: {reject}", reject=reject)
        rows.insert(0, Row("⚠", say("holds {kinds}", kinds=kinds), note))
    return tuple(rows)


_DISPUTED = ("opposes", "replaces")
"""What is said of another candidate: of what is alike both stand together, and nothing has to be said."""


def _beside_it(item: Item, one: Relation) -> Row:
    opposite, another = say("the opposite of another that waits"), say("another that waits has another value")
    sign, words = ("≠", opposite) if one.kind == "opposes" else ("→", another)
    note = which_holds(_name(item), one.placed.block.id, alike=True) if item.asks_of is one else ""
    return Row(sign, say("{title}: {text}", title=words, text=payload_text(one.placed)), note)


def _neighbour(item: Item, one: Relation) -> Row:
    ours, theirs = one.differs
    number, other, archived = _name(item), one.placed.block.id, one.placed.block.archived
    if one.where == "rejected":
        day = archived.at[:10] if archived is not None else ""
        words = (
            say("the opposite of what you rejected on {day}", day=day)
            if one.kind == "opposes"
            else say("you rejected something like it on {day}", day=day)
        )
        return Row("✗", say("{title}: {text}", title=words, text=payload_text(one.placed)))
    merge = say("merge them: alice-exp approve {number} --merge {other}", number=number, other=other)
    sign, words, note = {
        "opposes": ("≠", say("opposite of what you trust"), which_holds(number, other)),
        "replaces": ("→", say("a different value from what you trust"), which_holds(number, other)),
        "identical": ("=", say("the same as what you trust"), merge),
        "same": ("≈", say("says the same as what you trust"), merge),
        "extends": ("≈", say("the same as what you trust, with more or less detail"), merge),
        "near": ("·", say("close to it, you trust"), ""),
    }[one.kind]
    # The command below it names the block already.
    text = payload_text(one.placed) if note else f"{payload_text(one.placed)} [{other}]"
    if one.kind == "replaces" and ours and theirs:
        words = say("{title} ({old} → {new})", title=words, old=theirs, new=ours)
    return Row(sign, say("{title}: {text}", title=words, text=text), note)


def _name(item: Item) -> str:
    return str(item.number or item.placed.block.id)


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


@dataclass(frozen=True, slots=True)
class Shared:
    """What all candidates of a report share, and no row repeats: who proposed it, the day, time left,
    the project; and, of the candidates of one part, where they go."""

    by: str = ""
    day: str = ""
    left: str = ""
    project: str | None = None
    place: str = ""

    @classmethod
    def of(cls, items: Sequence[Item]) -> Shared:
        """What these candidates share; nothing if they are fewer than two."""
        return cls(
            _shared_by_all(items, proposer),
            _shared_by_all(items, _day),
            _shared_by_all(items, left),
            shared_project(items),
        )

    def within(self, items: Sequence[Item]) -> Shared:
        """What the candidates of one part share besides: where they go."""
        return replace(self, place=_shared_by_all(items, lambda item: item.destination))

    @property
    def line(self) -> str:
        """The one line above the candidates; empty if nothing is shared."""
        day = self.day if self.by or not self.day else say("proposed {day}", day=self.day)
        by = say("proposed by {who}", who=self.by) if self.by else ""
        parts = (
            by,
            day,
            say("project {name}", name=self.project) if self.project else "",
            self.left,
        )
        said = " · ".join(filter(None, parts))
        return say("Each: {facts}", facts=said) if said else ""


NOTHING_SHARED = Shared()


def _shared_by_all(items: Sequence[Item], of: Callable[[Item], str]) -> str:
    values = set(map(of, items))
    return values.pop() if len(values) == 1 and len(items) > 1 else ""


def _day(item: Item) -> str:
    return (item.proposed.at if item.proposed else item.placed.block.created_at)[:10]


def _state(item: Item) -> str:
    return f"{say(item.placed.block.state)} {item.confidence:.1f}"


def proposer(item: Item) -> str:
    """Who proposed a candidate: an agent's name, you, or where it came from."""
    actor = item.proposed.by if item.proposed else ""
    kind, _, name = actor.partition(":")
    if kind == "user":
        return say("you")
    return name or (say(kind) if kind else "")


def facts(item: Item, shared: Shared) -> str:
    """What one needs to decide, in one line: state, who, when, how often, project, what approval does, time left;
    empty where all of it is shared."""
    seen = item.placed.block.observations + 1
    who, day = proposer(item), _day(item)
    effect = "" if shared.place else f"→ {item.destination}"
    parts = (
        # Nearly every candidate is possible: only what is more than that is worth a word.
        "" if item.placed.block.state == "possible" else _state(item),
        " ".join(filter(None, ("" if who == shared.by else who, "" if shared.day else day))),
        say("seen {count} times", count=seen) if seen > 1 else "",
        "" if project_of(item) == shared.project else where_it_holds(item),
        effect,
        "" if shared.left else left(item),
    )
    return " · ".join(filter(None, parts)).replace(" · →", " →")


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
            say("perhaps") if is_perhaps(item) else "",
            say("shares no word with what you said") if is_unlike(item.placed.block) else "",
            say("group {number}", number=item.group) if item.group else "",
        )
        found[item.placed.block.id] = tuple(filter(None, texts))
    return found


def quoted(placed: Placed) -> str:
    """What a candidate rests on, in one line: how often and when it was said, if more than once, and the words."""
    days = said_on(placed.block)
    quote = evidence_line(placed, say)
    if len(days) < 2:
        return quote
    often = say("said {count} times: {days}", count=len(days), days=days_told(days))
    return f"{often} · {quote}"


def left(item: Item) -> str:
    """The time until a candidate expires; empty while no report has shown it."""
    if item.days_left > 1:
        return say("{count} days left", count=item.days_left)
    return say("last day") if item.days_left >= 0 else ""
