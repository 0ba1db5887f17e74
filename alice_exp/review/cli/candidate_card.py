"""A candidate as every face of the report and the review shows it: its facts, its marks, what stands beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from alice_exp.kernel.value_class import dataclass
from alice_exp.model.documents import evidence_line, payload_text, texts, trigger_text
from alice_exp.model.values.block import CONFIDENCE, HELD, Placed
from alice_exp.review.rules.report_order import arranged, is_perhaps, is_unlike, said_on
from alice_exp.terminal.console import scoped
from alice_exp.terminal.language import days_told, listed, rendered, say

if TYPE_CHECKING:
    from alice_exp.finding.rules.nearness import Relation
    from alice_exp.review.rules.daily_report import Item


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the report: its subject (an id, a number, a file), its text, a remark; what a program reads, of some
    rows no other than a program (``is_told``)."""

    label: str
    text: str
    note: str = ""
    document: Any = None
    is_told: bool = True


def told(placed: Placed) -> str:
    """When a block applies, and what it says, in one line."""
    when, what = trigger_text(placed), payload_text(placed)
    return say("{title}: {text}", title=when, text=what) if when else what


def goal(item: Item) -> str:
    """Where an approval takes a candidate, and the project in which it holds there."""
    return scoped(item.destination, item.placed.block.project)


def answers(new: str, old: str, *, alike: bool = False) -> dict[str, str]:
    """The commands that say which of two rivals holds: a new one, by its number or id, and an ``old`` one, by its id;
    ``alike``: both wait, or both are trusted."""
    return {
        "new": f"approve {new} --replaces {old}",
        "old": f"approve {old} --replaces {new}" if alike else f"reject {new}",
        "both": f"approve {new} --both {old}",
        "neither": f"reject {new} --neither {old}",
    }


def which_holds(new: str, old: str, *, alike: bool = False, is_one: bool = False) -> str:
    """The same in a line: of a candidate's only rival (``is_one``) as a reply, where the report gave it a number."""
    if is_one and new.isdigit():
        return say("which holds? alice-exp reply '{number} new', or old, both, neither", number=new)
    said = "new: alice-exp {new} · old: {old} · both: {both} · neither: {neither}"
    return say(said, **answers(new, old, alike=alike))


def kinds_held(delicate: Sequence[Any]) -> str:
    """Which secrets and private facts a block holds, each kind once."""
    return listed(dict.fromkeys(say(one.kind) for one in delicate))


@dataclass(frozen=True, slots=True)
class Card:
    """A candidate, the marks that it has among others, and the facts that it shares with all of them."""

    item: Item
    marks: tuple[str, ...]
    shared: Mapping[str, str]

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
        days, quote = said_on(self.item.placed.block), evidence_line(self.item.placed, rendered)
        often = say("said {count} times: {days}", count=len(days), days=days_told(days))
        return f"{often} · {quote}" if len(days) > 1 else quote

    @property
    def facts(self) -> str:
        """In a line what a decision needs and not all share: state, who, when, how often, project, goal, time left."""
        item, seen = self.item, self.item.placed.block.observations + 1
        own = {name: "" if name in self.shared else fact for name, fact in _facts(item).items()}
        project = own["project"] and say("project {name}", name=own["project"])
        parts = (
            # Nearly every candidate is possible: only what is more than that is worth a word.
            "" if item.placed.block.state == "possible" else _state(item),
            " ".join(filter(None, (own["by"], own["day"]))),
            say("seen {count} times", count=seen) if seen > 1 else "",
            "" if "project" in self.shared else project or say("everywhere"),
            own["place"] and f"→ {own['place']}",
            own["left"],
        )
        return " · ".join(filter(None, parts)).replace(" · →", " →")

    @property
    def cells(self) -> tuple[str, ...]:
        """Its row of a table, below ``columns()``."""
        item, facts = self.item, _facts(self.item)
        head = (self.number, self.id, self.when, self.what, _state(item), goal(item), facts["left"])
        return (*head, facts["by"], " · ".join(self.marks), self.quote)


def columns() -> tuple[str, ...]:
    """The column names of the table of candidates."""
    head = ("#", "id", say("when"), say("what was learned"), say("state"), say("goes to"), say("left"))
    return (*head, say("proposed by"), say("marks"), say("evidence"))


def item_document(item: Item) -> dict[str, Any]:
    """A candidate as programs read it."""
    placed, block, proposed = item.placed, item.placed.block, item.proposed
    session = next((one.ref.partition("#")[0] for one in block.evidence if one.kind == "session"), "")
    return {
        "number": item.number,
        "id": block.id,
        **texts(placed),
        "state": block.state,
        "confidence": CONFIDENCE[block.state],
        "type": block.type,
        "about": block.about,
        "suggested": item.destination,
        "evidence": evidence_line(placed),
        "expires_at": item.expires_at or None,
        "days_left": item.days_left if item.days_left >= 0 else None,
        "new": item.is_new,
        "changed": item.is_changed,
        "explicit": item.is_explicit,
        "proposed_by": proposed.actor if proposed else None,
        "proposed_at": proposed.at if proposed else block.created_at or None,
        "session": (dict(proposed.trailers).get("Session") if proposed else None) or session or None,
        "seen": block.observations + 1,
        "project": block.project or None,
        "group": item.group or None,
        "relations": [relation_document(one) for one in item.relations],
        "secrets": [{"kind": one.kind, "at": one.at} for one in item.delicate],
    }


def relation_document(one: Relation) -> dict[str, Any]:
    """What a known block is to another."""
    return {
        "id": one.placed.block.id,
        "where": one.where,
        "relation": one.kind,
        "strength": one.strength,
        "payload": payload_text(one.placed),
        "differs": list(one.differs),
    }


def cards(items: Sequence[Item]) -> tuple[Card, ...]:
    """The cards of a report's candidates: changed, new or said explicitly by the user, and what all of them share."""
    # "new" beside every candidate would distinguish nothing.
    all_new, common = all(item.is_new for item in items), shared(items)
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
        found.append(Card(item, tuple(filter(None, texts)), common))
    return tuple(found)


FOLDED = ("repeats", "turned_down")
"""The parts of which a screen shows no more than the text and what it repeats: there is little to decide."""


def parts(items: Sequence[Item]) -> Iterator[tuple[str, str, list[Card]]]:
    """The candidates part by part, with the title of each; in a title stands where all of the part go."""
    card_of = {card.id: card for card in cards(items)}
    for key, row in arranged(items):
        own = [card_of[item.placed.block.id] for item in row]
        common = {**own[0].shared, **({} if key in FOLDED else shared(row, ("place",)))}
        title = " → ".join(filter(None, (part_title(key), common.get("place", ""))))
        yield key, title, [Card(card.item, card.marks, common) for card in own]


def part_title(key: str) -> str:
    """What stands above a part of the candidates."""
    return {
        "today": say("Needs you today"),
        "user": say("About you"),
        "work": say("About work"),
        "repeats": say("Probably known already"),
        "perhaps": say("Perhaps: found in what you said by its words alone"),
        "turned_down": say("Like what you rejected"),
    }[key]


def shared(items: Sequence[Item], names: Sequence[str] = ("by", "day", "left", "project")) -> dict[str, str]:
    """What all of some candidates share, and no card repeats; of one alone that it belongs to no project."""
    every = {name: {_facts(item)[name] for item in items} for name in names}
    return {
        name: values.pop()
        for name, values in every.items()
        if len(values) == 1 and (len(items) > 1 or (name == "project" and "" in values))
    }


def shared_line(common: Mapping[str, str]) -> str:
    """The one line above candidates that says what they share; empty if nothing."""
    by, day, project = (common.get(name, "") for name in ("by", "day", "project"))
    said = (
        by and say("proposed by {who}", who=by),
        day if by or not day else say("proposed {day}", day=day),
        project and say("project {name}", name=project),
        common.get("left", ""),
    )
    return say("Each: {facts}", facts=" · ".join(filter(None, said))) if any(said) else ""


def _facts(item: Item) -> dict[str, str]:
    """Who proposed a candidate (an agent's name, you, or where it came from), the day, the time left (empty while no
    report has shown it), the project, and where it goes."""
    kind, _, name = (item.proposed.actor if item.proposed else "").partition(":")
    left = say("last day") if 0 <= item.days_left <= 1 else ""
    by = say("a file that names {name}", name=name) if kind == "file" else name
    return {
        "by": say("you") if kind == "user" else by or (say(kind) if kind else ""),
        "day": (item.proposed.at if item.proposed else item.placed.block.created_at)[:10],
        "left": say("{count} days left", count=item.days_left) if item.days_left > 1 else left,
        "project": item.placed.block.project,
        "place": item.destination,
    }


def _state(item: Item) -> str:
    state = item.placed.block.state
    return f"{say(state)} {CONFIDENCE[state]:.1f}"


def neighbours(item: Item) -> list[Row]:
    """What stands beside a candidate: each known block with what it is to it, and the command that settles it."""
    rows, name = [], str(item.number or item.placed.block.id)
    if item.delicate:
        # What was approved once, and taken back, stands in history.
        entry = item.placed.block.entry
        is_unkept = item.placed.path == HELD and not (entry is not None and entry.id)
        reject = f"alice-exp reject {name}{'' if is_unkept else ' --purge'}"
        note = say("no word of it stays: {reject}", reject=reject)
        rows.append(Row("⚠", say("holds {kinds}", kinds=kinds_held(item.delicate)), note))
    rows += [_neighbour(name, item, one) for one in item.relations if one.where != "waiting"]
    # Of what waits and is alike both stand together, and nothing has to be said.
    for one in [r for r in item.relations if r.where == "waiting" and r.kind in ("opposes", "replaces")][:1]:
        opposes = one.kind == "opposes"
        words = say(
            "the opposite of another that waits" if opposes else "another that waits has another value"
        )
        note = which_holds(name, one.placed.block.id, alike=True, is_one=True) if item.asks_of is one else ""
        rows.append(Row("≠" if opposes else "→", _titled(words, one), note))
    if item.says_again:
        rows.append(Row("≈", say("says the same as {number}", number=item.says_again)))
    return rows


def _neighbour(name: str, item: Item, one: Relation) -> Row:
    ours, theirs = map(_as_written, one.differs, (item.placed, one.placed))
    other, archived = one.placed.block.id, one.placed.block.archived
    if one.where == "rejected":
        day = archived.at[:10] if archived is not None else ""
        words = say("you rejected something like it on {day}", day=day)
        if one.kind == "opposes":
            words = say("the opposite of what you rejected on {day}", day=day)
        return Row("✗", _titled(words, one))
    rivals = [1 for r in item.relations if r.where == "trusted" and r.kind in ("opposes", "replaces")]
    asked = which_holds(name, other, is_one=len(rivals) == 1)
    merge = say("merge them: alice-exp approve {number} --merge {other}", number=name, other=other)
    sign, words, note = {
        "opposes": ("≠", say("opposite of what you trust"), asked),
        "replaces": ("→", say("a different value from what you trust"), asked),
        "identical": ("=", say("the same as what you trust"), merge),
        "same": ("≈", say("says the same as what you trust"), merge),
        "extends": ("≈", say("the same as what you trust, with more or less detail"), merge),
        "near": ("·", say("close to it, you trust"), ""),
    }[one.kind]
    # After a sync nobody said so: of two texts one stands in the place of the other.
    is_said = all(piece.kind != "conflict" for piece in item.placed.block.evidence)
    if one.kind == "replaces" and is_said and other in item.placed.block.replaces:
        words = say("by its proposer's word this no longer holds")
    elif one.kind == "replaces" and ours and theirs:
        words = say("{title} ({old} → {new})", title=words, old=theirs, new=ours)
    # The command below it names the block already.
    return Row(sign, _titled(words, one, "" if note else f" [{other}]"), note)


def _as_written(values: str, placed: Placed) -> str:
    """Values compared by stems in small letters, in whole words of the text; "" where it has them not in one piece."""
    text, whole = payload_text(placed), []
    for value in values.split(", "):
        at = text.casefold().find(value)
        # One character of Chinese is no word: 两位, 万元.
        end = at + max(len(value), 2 - value.isascii())
        while value.isascii() and (more := text[end : end + 1]).isalpha() and more.isascii():
            end += 1
        whole.append(text[at:end] if value and at >= 0 else "")
    return ", ".join(whole) if all(whole) else ""


def _titled(words: str, one: Relation, more: str = "") -> str:
    return say("{title}: {text}", title=words, text=payload_text(one.placed) + more)
