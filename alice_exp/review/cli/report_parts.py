"""The report independent of its face: its sections, each row told to a person and as a program reads it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.kernel.text.display import visible
from alice_exp.kernel.value_class import dataclass
from alice_exp.model import documents
from alice_exp.model.documents import brief, payload_text, trigger_text
from alice_exp.model.rules.doubt import is_in_doubt
from alice_exp.model.values.block import HELD, Placed, place_of
from alice_exp.review.cli.candidate_card import Row, item_document, relation_document, which_holds
from alice_exp.terminal.language import aside, say

if TYPE_CHECKING:
    from alice_exp.blocks.rules.undo import Lost
    from alice_exp.finding.rules.nearness import Relation
    from alice_exp.home.ports import Came
    from alice_exp.model.rules.doubt import Verdict
    from alice_exp.model.rules.identity import Returned
    from alice_exp.review.rules.daily_report import Agenda
    from alice_exp.review.rules.doubts import Question
    from alice_exp.review.rules.state_changes import Movement

FEW = 5
"""The most rows of a section on a screen, and of fading blocks anywhere; further ones are counted."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report below the candidates; ``key`` is its HTML anchor and its name in JSON."""

    key: str
    title: str
    rows: Sequence[Row]

    def told(self, most: int) -> tuple[Sequence[Row], str]:
        """Its rows for a person, at most so many (0: all), and how many are left out, in words (empty: none)."""
        rows = [row for row in self.rows if row.is_told]
        limit = FEW if self.key == "fading" else most or len(rows)
        return rows[:limit], say("and {count} more", count=len(rows) - limit) if len(rows) > limit else ""


def sections(report: Agenda) -> list[Section]:
    """The sections that a person is shown, most urgent first."""
    return [section for section in _sections(report) if any(row.is_told for row in section.rows)]


def report_document(report: Agenda, summary: str) -> dict[str, Any]:
    """The whole report as programs read it (DESIGN 7)."""
    there = report.elsewhere
    rows = {section.key: [row.document for row in section.rows] for section in _sections(report)}
    return {
        "report": report.report,
        "at": report.at,
        "since": report.since or None,
        "new": report.new,
        "today": report.today,
        "items": [item_document(one) for one in report.items],
        **rows,
        "withdrawn": list(report.withdrawn),
        "elsewhere": {
            "approved": there.approved,
            "raised": there.raised,
            "config": there.configured,
            "asked": [one.id for one in there.asked],
        },
        "authors": list(report.authors),
        "team": [team_document(came) for came in report.team],
        "summary": summary,
    }


_TITLES = {
    "by_dialog": "Approved in a host's dialog",
    "settle": "Two that you trust oppose each other: which one holds?",
    "review": "In doubt: does it still hold?",
    "lost": "Decisions of yours that the files lack; all of them back: alice-exp restore --lost",
    "changed": "Changed since the last report",
    "returned": "Rejected before, and in the pool again: it does not stay",
    "unapproved": "In the trusted sets, but not as you approved it; all of them: alice-exp approve --universal",
    "projects": "Which project is it?",
    "by_hand": "Changed by hand",
    "proposed": "Proposed by the shared configuration: this machine decides",
    "fading": "Well-used blocks that have not been used lately",
    "week": "Approved last week",
    "problems": "Problems in files",
}
"""What stands above each section, most urgent first; those of repositories stand behind the projects."""


def _sections(report: Agenda) -> list[Section]:
    """All that a report has besides the candidates, what is empty included."""
    # What waits says in its own row what is different.
    waiting = {placed.block.id for placed in report.unapproved}
    rows: dict[str, list[Row]] = {
        "by_dialog": [
            _row(one, "", f"{_where(channel)} · {undo}", ids=[one.block.id], channel=channel, undo=undo)
            for one, channel, undo in report.by_dialog
        ],
        "settle": [settled(*pair) for pair in report.settle],
        "review": [doubted(one) for one in report.review],
        "lost": [_lost(one) for one in report.lost],
        "changed": [moved(one) for one in report.changed],
        "returned": [_back(one) for one in report.returned],
        "unapproved": [_unapproved(placed, report) for placed in report.unapproved],
        "projects": [asked_about(*one) for one in report.asked],
        "by_hand": [_by_hand(one, one not in waiting) for one in report.by_hand],
        "proposed": [_proposed(*one) for one in report.proposed.items()],
        "fading": [_row(one, "", one.where) for one in report.fading],
        "week": came_of(report.week),
        "problems": [
            Row(one.where, say(one.template, **one.values), say(one.severity), documents.problem(one))
            for one in report.problems
        ],
    }
    found = [Section(key, say(_TITLES[key]), rows[key]) for key in _TITLES]
    bring = "{project} brings these; trust them in {folder} with: alice-exp project trust"
    for came in reversed(report.team):
        title = say(bring, project=came.project, folder=came.root)
        found.insert([*rows].index("by_hand"), Section("team", title, brought(came)))
    return found


def _where(channel: str) -> str:
    return say("dialog of {host}", host=channel.removeprefix("dialog of "))


def _row(placed: Placed, more: str, note: str, **document: Any) -> Row:
    """A block with its id, its text and what stands below that, and a remark."""
    text = payload_text(placed)
    return Row(placed.block.id, text + more, note, brief(placed) | {"payload": text} | document)


def settled(placed: Placed, one: Relation) -> Row:
    """Two trusted blocks of which one holds: the newer one, and what the other is to it."""
    new, old, text = placed.block.id, one.placed.block.id, payload_text(placed)
    document = {"id": new, "payload": text, "with": relation_document(one)}
    opposed = f"{text}\n≠ {old}  {payload_text(one.placed)}"
    return Row(new, opposed, which_holds(new, old, alike=True), document)


def doubted(one: Question) -> Row:
    """A block in doubt with those that were told with it, how its last uses ended, and what answers."""
    block, counts = one.placed.block, {"failed": one.failed, "uses": one.uses}
    note = say(
        "since {day}: together {failed} of the last {uses} failed; the one that no longer holds: alice-exp retire ID "
        "--reason …; none: alice-exp keep {id}"
        if one.beside
        else "since {day}: {failed} of the last {uses} failed; yes: alice-exp keep {id} · no: alice-exp retire {id} "
        "--reason …",
        day=block.doubt.since[:10] if block.doubt is not None else "",
        id=block.id,
        **counts,
    )
    beside = [{"id": each.block.id, "payload": payload_text(each)} for each in one.beside]
    others = "".join(f"\n{each['id']}  {each['payload']}" for each in beside)
    return _row(one.placed, others, note, **counts, beside=beside)


def _lost(row: Lost) -> Row:
    # Few reports lack a decision, and what tells of it loads how acts are undone.
    from alice_exp.blocks.cli.lifetime_commands import told_lost

    text, entry = row.text, row.entry
    document = {
        "id": entry.id,
        "payload": payload_text(text) if text is not None else None,
        "standing": entry.standing,
        "at": entry.at,
        "place": entry.path.removesuffix(".jsonc") or None,
        "copy": row.is_copied,
    }
    return Row(entry.id, *told_lost(row), document)


def moved(movement: Movement) -> Row:
    """A block's change since the last report; mere successes are only counted, in the summary."""
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
        "revoked": say(
            "the peer that shared it takes it back; if it holds without: alice-exp keep {id}",
            id=movement.block_id,
        ),
    }
    failed = say("{count} of {uses} failed", count=movement.failed, uses=movement.times)
    note = sentences.get(movement.kind, "")
    note += aside(failed) if movement.failed and movement.times > 1 else ""
    text = payload_text(placed) if placed is not None else None
    document = _whereabouts(movement.block_id, movement.placed) | {
        "payload": text,
        "effect": movement.kind,
        "from": movement.before or None,
        "to": movement.after or None,
        "times": movement.times,
        "failed": movement.failed,
    }
    return Row(movement.block_id, text or "", note, document, movement.kind in sentences)


def _whereabouts(block_id: str, placed: Placed | None) -> dict[str, Any]:
    """A block's set, namespace and state; nulls if it is in no file any more."""
    return brief(placed) if placed else {"id": block_id, "set": None, "namespace": None, "state": None}


def _back(one: Returned) -> Row:
    was, text = one.rejected.block.id, payload_text(one.placed or one.rejected)
    note = say("rejected as {id}; to lift it: alice-exp revive {id} --from-rejected", id=was)
    document = _whereabouts(one.block_id, one.placed) | {"payload": text, "rejected": was}
    return Row(one.block_id, text, note, document)


def _unapproved(placed: Placed, report: Agenda) -> Row:
    was, again = report.was.get(placed.block.id), report.again.get(placed.block.id)
    old = payload_text(was) if was is not None else None
    return _row(placed, "", why_it_waits(placed, was, again or ""), was=old, rejected=again)


def asked_about(project: str, name: str, holder: str) -> Row:
    """The question whether a folder, or a repository, is the project of a name, with the commands that answer it."""
    known = "what was learned as {name} is told in {holder}: does it hold here, too?"
    text = say(known, name=name, holder=holder) if holder else say("is it {name}?", name=name)
    answers = "yes: alice-exp project is {name} {project} · no: alice-exp project not {name} {project}"
    document = {"project": project, "name": name, "held_by": holder or None}
    return Row(project, text, say(answers, name=name, project=project), document)


def brought(came: Came) -> list[Row]:
    """What a repository brings that nobody trusts yet: its words, those trusted before, and why it stands apart."""
    rows = []
    for one in came.blocks:
        text, (reason, of) = documents.said(one.placed), one.apart
        document = {
            "id": one.placed.block.id,
            "text": text,
            "was": one.was or None,
            "left_out": reason.format(id=of) or None,
        }
        note = say("left out: {why}", why=say(reason, id=of)) if reason else ""
        if not reason and is_in_doubt(one.placed.block):
            note = say("in doubt here: a yes says that it still holds")
        rows.append(Row(one.placed.block.id, f"{text}\n≠ {one.was}" if one.was else text, note, document))
    return rows


def team_document(came: Came) -> dict[str, Any]:
    """What waits to be trusted in one repository; ``was`` are the words that were trusted before."""
    return {"project": came.project, "folder": came.root, "blocks": [row.document for row in brought(came)]}


def _by_hand(name: str, is_told: bool) -> Row:
    if name.startswith("exp-"):
        return Row(name, say("an edit in a file added or raised it"), f"alice-exp log {name}", name, is_told)
    changed = say("the configuration was changed in its file")
    return Row(name, changed, "alice-exp log --by editor", name, is_told)


def _proposed(name: str, value: object) -> Row:
    text = value if isinstance(value, str) else json.dumps(value)
    note = say("it does not count here; to let it: alice-exp config accept {key}", key=name)
    return Row(name, text, note, {"key": name, "value": value})


def came_of(approvals: Sequence[tuple[Placed, Verdict]]) -> list[Row]:
    """What came of approvals: of each effect how many, the first one, and what to do about it or them."""
    rows: list[Row] = []
    for placed, effect in approvals:
        alike = [other for other, same in approvals if same == effect]
        block_id, count = placed.block.id, len(alike)
        word, label = {
            "in_doubt": ("in doubt", say("{count} in doubt", count=count)),
            "open": ("used", say("{count} not known yet", count=count)),
            "helped": ("helped", say("{count} helped", count=count)),
            "unused": ("never used", say("{count} not used yet", count=count)),
        }[effect]
        more = say("and {count} more: alice-exp impact", count=count - 1) if count > 1 else ""
        text = f"{block_id} {payload_text(placed)}"
        rows.append(Row(label, text, more, _row(placed, "", "", effect=word).document, alike[0] is placed))
    return rows


def why_it_waits(placed: Placed, was: Placed | None, again: str = "") -> str:
    """Where a block stands, and by what it differs from what was trusted (``was``: in its words)."""
    again = say("you rejected this before, as {id}", id=again) if again else ""
    return "; ".join(filter(None, [placed.where, again, *differences(placed, was)]))


def differences(placed: Placed, was: Placed | None) -> Iterator[str]:
    """By what a block differs from what was trusted, words first; that nobody ever decided on it."""
    block, entry = placed.block, placed.block.entry
    if entry is None or entry.standing != "trusted":
        if entry is not None and not entry.id:
            yield say("never decided on here")
        return
    if was is not None:
        for of in (payload_text, trigger_text):
            old, new = of(was), of(placed)
            if old != new:
                one, other = map(visible, _changed(old, new))
                yield f"“{one}” → “{other}”" if one and other else f"+ “{other}”" if other else f"− “{one}”"
                yield say("you approved: {text}", text=old)
    everywhere = say("everywhere")
    projects = (block.project or everywhere, entry.project or everywhere)
    for new, old in ((placed.place, place_of(entry.path)), projects):
        if new != old:
            yield say("it holds in {place} instead of {other}", place=new, other=old)
    if entry.importance != block.importance:
        yield say("importance {new} instead of {old}", new=block.importance, old=entry.importance)
    if entry.shareable != block.shareable:
        yield say("it may be shared now") if block.shareable else say("it may not be shared now")
    if (entry.replaces, entry.both) != (block.replaces, block.both):
        yield say("its answers about other blocks changed")


_PIECES = LazyPattern(r"[\u2e80-\uffff]|[^\s\u2e80-\uffff]+|\s+")


def _changed(old: str, new: str) -> tuple[str, str]:
    """Two texts without the words that they begin and end with in common."""
    one, other = _PIECES.findall(old), _PIECES.findall(new)
    for _ in range(2):
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
        one, other = one[same:][::-1], other[same:][::-1]
    return "".join(one).strip(), "".join(other).strip()
