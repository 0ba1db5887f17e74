"""The heartbeat's report as the JSON document of DESIGN 7."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from alice_exp.model.documents import brief, evidence_line, payload_text, problem, trigger_text

if TYPE_CHECKING:
    from alice_exp.model.values.block import Placed
    from alice_exp.review.rules.daily_report import Agenda, Item
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
    }


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
        "together": [
            {
                "reason": pair.reason,
                "ids": [pair.first.block.id, pair.second.block.id],
                "with": payload_text(pair.second),
            }
            for pair in report.overlaps
        ],
        "review": [brief(placed) | {"payload": payload_text(placed)} for placed in report.review],
        "revivable": [brief(placed) | {"payload": payload_text(placed)} for placed in report.revivable],
        "fading": [brief(placed) | {"payload": payload_text(placed)} for placed in report.fading],
        "unapproved": [
            brief(placed) | {"payload": payload_text(placed), "rejected": report.again.get(placed.block.id)}
            for placed in report.unapproved
        ],
        "by_hand": list(report.by_hand),
        "elsewhere": {
            "approved": report.elsewhere.approved,
            "raised": report.elsewhere.raised,
            "config": report.elsewhere.configured,
        },
        "authors": list(report.authors),
        "proposed": [{"key": name, "value": value} for name, value in report.proposed.items()],
        "returned": [
            _whereabouts(one.block_id, one.placed)
            | {"payload": payload_text(one.placed or one.rejected), "rejected": one.rejected.block.id}
            for one in report.returned
        ],
        "problems": [problem(fault) for fault in report.problems],
        "summary": summary,
    }


def movement(moved: Movement) -> dict[str, Any]:
    """A block's change since the last report; set and namespace are null if it is in no file any more."""
    placed = moved.placed
    return _whereabouts(moved.block_id, placed) | {
        "payload": payload_text(placed) if placed is not None else None,
        "effect": moved.kind,
        "from": moved.before or None,
        "to": moved.after or None,
        "times": moved.times,
    }


def _whereabouts(block_id: str, placed: Placed | None) -> dict[str, Any]:
    """A block's set, namespace and state; nulls if it is in no file any more."""
    return brief(placed) if placed else {"id": block_id, "set": None, "namespace": None, "state": None}
