"""The heartbeat's report as the JSON document of DESIGN 7."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from alice_exp.model.documents import brief, evidence_line, payload_text, problem, said, trigger_text
from alice_exp.review.rules.arrangement import project_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alice_exp.blocks.rules.lost_decisions import Lost
    from alice_exp.finding.rules.neighbourhood import Relation
    from alice_exp.home.ports import Came
    from alice_exp.model.values.block import Placed
    from alice_exp.review.rules.daily_report import Agenda, Item
    from alice_exp.review.rules.doubts import Question
    from alice_exp.review.rules.state_changes import Movement


def item(entry: Item) -> dict[str, Any]:
    """One candidate of the report."""
    placed = entry.placed
    return {
        "number": entry.number,
        "id": placed.block.id,
        "trigger": trigger_text(placed),
        "payload": payload_text(placed),
        "state": placed.block.state,
        "confidence": entry.confidence,
        "type": placed.block.type,
        "about": placed.block.about,
        "suggested": entry.destination,
        "evidence": evidence_line(placed),
        "expires_at": entry.expires_at or None,
        "days_left": entry.days_left if entry.days_left >= 0 else None,
        "new": entry.is_new,
        "changed": entry.is_changed,
        "explicit": entry.is_explicit,
        "proposed_by": entry.proposed.by if entry.proposed else None,
        "proposed_at": entry.proposed.at if entry.proposed else placed.block.created_at or None,
        "session": (entry.proposed.session if entry.proposed else "") or session_of(placed) or None,
        "seen": placed.block.observations + 1,
        "project": project_of(entry) or None,
        "group": entry.group or None,
        "relations": [relation(one) for one in entry.relations],
        "secrets": [{"kind": one.kind, "at": one.at} for one in entry.delicate],
    }


def relation(one: Relation) -> dict[str, Any]:
    """What a known block is to a candidate."""
    return {
        "id": one.placed.block.id,
        "where": one.where,
        "relation": one.kind,
        "strength": one.strength,
        "payload": payload_text(one.placed),
        "differs": list(one.differs),
    }


def session_of(placed: Placed) -> str:
    """The conversation that a candidate comes from, by its evidence (``session#index``); empty if from none."""
    found = (piece.ref.partition("#")[0] for piece in placed.block.evidence if piece.kind == "session")
    return next(found, "")


def _by_other_ways(report: Agenda) -> dict[str, Any]:
    asked = ({"ids": ids.split(", "), "channel": by, "undo": undo} for ids, by, undo in report.by_dialog)
    lacking = [lost(row) for row in report.lost]
    return {"lost": lacking, "by_hand": list(report.by_hand), "by_dialog": [*asked]}


def _unapproved(placed: Placed, report: Agenda) -> dict[str, Any]:
    was, rejected = report.was.get(placed.block.id), report.again.get(placed.block.id)
    old = payload_text(was) if was is not None else None
    return brief(placed) | {"payload": payload_text(placed), "was": old, "rejected": rejected}


def heartbeat(report: Agenda, summary: str) -> dict[str, Any]:
    """The whole report."""
    return {
        "report": report.report,
        "at": report.at,
        "since": report.since or None,
        "new": report.new,
        "today": report.today,
        "items": [item(entry) for entry in report.items],
        "changed": [movement(moved) for moved in report.changed],
        "settle": contradictions(report),
        "review": [question(one) for one in report.review],
        "fading": [brief(placed) | {"payload": payload_text(placed)} for placed in report.fading],
        "unapproved": [_unapproved(placed, report) for placed in report.unapproved],
        **_by_other_ways(report),
        "withdrawn": list(report.withdrawn),
        "elsewhere": {
            "approved": report.elsewhere.approved,
            "raised": report.elsewhere.raised,
            "config": report.elsewhere.configured,
            "asked": list(report.elsewhere.asked),
        },
        "authors": list(report.authors),
        "projects": asked_documents(report.asked),
        "team": [team(came) for came in report.team],
        "proposed": [{"key": name, "value": value} for name, value in report.proposed.items()],
        "returned": [
            _whereabouts(one.block_id, one.placed)
            | {"payload": payload_text(one.placed or one.rejected), "rejected": one.rejected.block.id}
            for one in report.returned
        ],
        "problems": [problem(fault) for fault in report.problems],
        "week": [
            brief(one.placed) | {"payload": payload_text(one.placed), "effect": one.effect}
            for one in report.week
        ],
        "summary": summary,
    }


def lost(row: Lost) -> dict[str, Any]:
    """A decision that the files lack: what it was about, what it was, when, and whether only a copy says so."""
    return {
        "id": row.entry.id,
        "payload": payload_text(row.text) if row.text is not None else None,
        "standing": row.entry.standing,
        "at": row.entry.at,
        "place": row.entry.path.removesuffix(".jsonc") or None,
        "copy": row.is_copied,
    }


def question(one: Question) -> dict[str, Any]:
    """A block in doubt, how its last uses ended, and what was told with it: which of them no longer holds?"""
    return brief(one.placed) | {
        "payload": payload_text(one.placed),
        "failed": one.failed,
        "uses": one.uses,
        "beside": [{"id": each.block.id, "payload": payload_text(each)} for each in one.beside],
    }


def team(came: Came) -> dict[str, Any]:
    """What waits to be trusted in one repository; ``was`` are the words that were trusted before."""
    blocks = [
        {
            "id": one.placed.block.id,
            "text": said(one.placed),
            "was": one.was or None,
            "left_out": one.apart[0].format(id=one.apart[1]) or None,
        }
        for one in came.blocks
    ]
    return {"project": came.project, "folder": came.root, "blocks": blocks}


def asked_documents(names: Sequence[tuple[str, str, str]]) -> list[dict[str, Any]]:
    """The names of projects that a person has to confirm, each with the project that it is of so far."""
    return [{"project": one, "name": name, "held_by": held or None} for one, name, held in names]


def contradictions(report: Agenda) -> list[dict[str, Any]]:
    """The pairs of trusted blocks of which a person says which one holds: the newer block, and what the other is to
    it."""
    return [
        {"id": placed.block.id, "payload": payload_text(placed), "with": relation(one)}
        for placed, one in report.settle
    ]


def movement(moved: Movement) -> dict[str, Any]:
    """A block's change since the last report; set and namespace are null if it is in no file any more."""
    placed = moved.placed
    return _whereabouts(moved.block_id, placed) | {
        "payload": payload_text(text) if (text := placed or moved.was) is not None else None,
        "effect": moved.kind,
        "from": moved.before or None,
        "to": moved.after or None,
        "times": moved.times,
        "failed": moved.failed,
    }


def _whereabouts(block_id: str, placed: Placed | None) -> dict[str, Any]:
    """A block's set, namespace and state; nulls if it is in no file any more."""
    return brief(placed) if placed else {"id": block_id, "set": None, "namespace": None, "state": None}
