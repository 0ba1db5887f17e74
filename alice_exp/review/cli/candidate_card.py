"""A candidate as every format of the report and the review show it: its facts, its marks, what stands beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from alice_exp.finding.rules.neighbourhood import Relation
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.documents import evidence_line, payload_text, trigger_text
from alice_exp.model.values.block import HELD
from alice_exp.review.cli.where_it_holds import Row, scoped, shared_project, where_it_holds, which_holds
from alice_exp.review.rules.arrangement import is_perhaps, is_unlike, project_of, said_on
from alice_exp.review.rules.daily_report import Item
from alice_exp.terminal.language import days_told, listed, say


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
            _shared_by_all(items, _proposer),
            _shared_by_all(items, _day),
            _shared_by_all(items, _left),
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
        project = say("project {name}", name=self.project) if self.project else ""
        said = " · ".join(filter(None, (by, day, project, self.left)))
        return say("Each: {facts}", facts=said) if said else ""


@dataclass(frozen=True, slots=True)
class Card:
    """A candidate, the marks that it has among others, and what it shares with them."""

    item: Item
    marks: tuple[str, ...] = ()
    shared: Shared = Shared()

    @property
    def id(self) -> str:
        """The block's id."""
        return self.item.placed.block.id

    @property
    def number(self) -> str:
        """Its number in the open report; a dot where it has none."""
        return str(self.item.number or "·")

    @property
    def when(self) -> str:
        """When it applies."""
        return trigger_text(self.item.placed) or say("always")

    @property
    def what(self) -> str:
        """What was learned."""
        return payload_text(self.item.placed)

    @property
    def is_said(self) -> bool:
        """Whether it rests on a sentence of the person's, which then stands above what was learned."""
        return bool(said_on(self.item.placed.block))

    @property
    def quote(self) -> str:
        """What it rests on, in one line: how often and when it was said, if more than once, and the words."""
        days = said_on(self.item.placed.block)
        quote = evidence_line(self.item.placed, say)
        if len(days) < 2:
            return quote
        often = say("said {count} times: {days}", count=len(days), days=days_told(days))
        return f"{often} · {quote}"

    @property
    def facts(self) -> str:
        """What one needs to decide, in one line: state, who, when, how often, project, what approval does, time left;
        empty where all of it is shared."""
        item, shared = self.item, self.shared
        seen = item.placed.block.observations + 1
        who, day = _proposer(item), _day(item)
        parts = (
            # Nearly every candidate is possible: only what is more than that is worth a word.
            "" if item.placed.block.state == "possible" else _state(item),
            " ".join(filter(None, ("" if who == shared.by else who, "" if shared.day else day))),
            say("seen {count} times", count=seen) if seen > 1 else "",
            "" if project_of(item) == shared.project else where_it_holds(item),
            "" if shared.place else f"→ {item.destination}",
            "" if shared.left else _left(item),
        )
        return " · ".join(filter(None, parts)).replace(" · →", " →")

    @property
    def cells(self) -> tuple[str, ...]:
        """Its row of a table, below ``columns()``."""
        item = self.item
        goes = scoped(item.destination, project_of(item))
        head = (self.number, self.id, self.when, self.what, _state(item), goes, _left(item))
        return (*head, _proposer(item), " · ".join(self.marks), self.quote)


def columns() -> tuple[str, ...]:
    """The column names of the table of candidates."""
    head = ("#", "id", say("when"), say("what was learned"), say("state"), say("goes to"), say("left"))
    return (*head, say("proposed by"), say("marks"), say("evidence"))


def cards(items: Sequence[Item]) -> tuple[Card, ...]:
    """The cards of a report's candidates: changed, new or said explicitly by the user, and what all of them share."""
    # "new" beside every candidate would distinguish nothing.
    all_new, shared = all(item.is_new for item in items), Shared.of(items)
    found = []
    for item in items:
        news = say("changed since it was shown") if item.is_changed else say("new")
        texts = (
            news if item.is_changed or (item.is_new and not all_new) else "",
            say("said explicitly") if item.is_explicit else "",
            say("perhaps") if is_perhaps(item) else "",
            say("shares no word with what you said") if is_unlike(item.placed.block) else "",
            say("group {number}", number=item.group) if item.group else "",
        )
        found.append(Card(item, tuple(filter(None, texts)), shared))
    return tuple(found)


def _shared_by_all(items: Sequence[Item], of: Callable[[Item], str]) -> str:
    values = set(map(of, items))
    return values.pop() if len(values) == 1 and len(items) > 1 else ""


def _day(item: Item) -> str:
    return (item.proposed.at if item.proposed else item.placed.block.created_at)[:10]


def _state(item: Item) -> str:
    return f"{say(item.placed.block.state)} {item.confidence:.1f}"


def _proposer(item: Item) -> str:
    """Who proposed a candidate: an agent's name, you, or where it came from."""
    actor = item.proposed.by if item.proposed else ""
    kind, _, name = actor.partition(":")
    if kind == "user":
        return say("you")
    return name or (say(kind) if kind else "")


def _left(item: Item) -> str:
    """The time until a candidate expires; empty while no report has shown it."""
    if item.days_left > 1:
        return say("{count} days left", count=item.days_left)
    return say("last day") if item.days_left >= 0 else ""


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
