"""Values as the JSON documents of DESIGN 7."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from alice_exp.core.model import CONFIDENCE, TRUST
from alice_exp.text.display import one_line
from alice_exp.text.schema import block_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from alice_exp.core.act import Commit
    from alice_exp.core.model import Evidence, Placed
    from alice_exp.core.problem import Problem
    from alice_exp.rules.agenda import Agenda, Item
    from alice_exp.rules.lifecycle import Change
    from alice_exp.rules.metacognition import Assessment, Grade
    from alice_exp.rules.movements import Movement
    from alice_exp.rules.ranking import Match
    from alice_exp.usecases.recall import Shown

Say: TypeAlias = Callable[[str], str]
"""Turns an English sentence into the person's language."""


def trigger_text(placed: Placed) -> str:
    """A block's trigger as one text: its words, its keywords, its context."""
    trigger = placed.block.trigger
    context = ", ".join(f"{key}={value}" for key, value in trigger.context.items())
    return " · ".join(part for part in (trigger.text, ", ".join(trigger.keywords), context) if part)


def payload_text(placed: Placed) -> str:
    """A block's payload as one text: its content and numbered steps."""
    payload = placed.block.payload
    steps = " ".join(f"{number}. {step}" for number, step in enumerate(payload.steps, start=1))
    return " ".join(part for part in (payload.content, steps) if part)


def brief(placed: Placed) -> dict[str, Any]:
    """Where a block is and what state it has."""
    block = placed.block
    return {"id": block.id, "set": placed.place, "namespace": placed.namespace, "state": block.state}


def block(shown: Shown) -> dict[str, Any]:
    """A whole block with what follows from its place and from formulas."""
    placed = shown.placed
    written = block_json(placed.block, placed.place)
    return {
        **written,
        "set": placed.place,
        "namespace": placed.namespace,
        "type": placed.block.type,
        "about": placed.block.about,
        "state": placed.block.state,
        "level": shown.level,
        "verifications": placed.block.verifications,
        "observations": placed.block.observations,
        "trigger": trigger_text(placed),
        "trigger_detail": written.get("trigger", ""),
        "payload": payload_text(placed),
        "payload_detail": written["payload"],
        "evidence": written.get("evidence", []),
        "importance": placed.block.importance,
        "access_count": placed.block.access_count,
        "last_accessed_at": placed.block.last_accessed_at or None,
        "consolidation_score": placed.block.consolidation_score,
        "shareable": placed.block.shareable,
        "origin": placed.block.origin,
        "confidence": CONFIDENCE[placed.block.state],
        "trust": TRUST[placed.place],
        "decay": round(shown.decay, 6),
        "approved": shown.approved,
        "stale": placed.stale,
    }


def match(found: Match) -> dict[str, Any]:
    """One answer of recall."""
    placed = found.placed
    return {
        **brief(placed),
        "key": placed.block.key or None,
        "trigger": trigger_text(placed),
        "payload": payload_text(placed),
        "score": found.score,
        "match": found.match,
        "confidence": found.confidence,
        "trust": found.trust,
        "decay": round(found.decay, 6),
        "approved": found.approved,
        "stale": placed.stale,
    }


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


def evidence_line(placed: Placed) -> str:
    """The newest evidence that quotes something, else what kinds there are."""
    quoted = [piece for piece in placed.block.evidence if piece.quote]
    if quoted:
        return one_line(quoted[-1].quote, 60)
    return ", ".join(dict.fromkeys(piece.kind for piece in placed.block.evidence))


def evidence_whole(piece: Evidence) -> str:
    """One piece of evidence with all that it says: when, what kind, of what, its effect, where, the quote."""
    quote = f"“{piece.quote}”" if piece.quote else ""
    return "  ".join(filter(None, (piece.at, piece.kind, piece.ref, piece.effect, piece.scenario, quote)))


def problem(fault: Problem) -> dict[str, Any]:
    """One problem of a file."""
    return {
        "path": fault.path,
        "line": fault.line,
        "column": fault.column,
        "message": fault.message,
        "severity": fault.severity,
        "hint": fault.hint,
    }


def commit(act: Commit) -> dict[str, Any]:
    """One act of the log."""
    return {
        "commit": act.commit,
        "act": act.act_id,
        "at": act.at,
        "op": act.op,
        "actor": act.actor,
        "blocks": list(act.blocks),
        "subject": act.subject,
        "trailers": [{"name": name, "value": value} for name, value in act.trailers],
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
            for pair in report.kin
        ],
        "review": [brief(placed) | {"payload": payload_text(placed)} for placed in report.review],
        "fading": [brief(placed) | {"payload": payload_text(placed)} for placed in report.fading],
        "unapproved": [
            brief(placed) | {"payload": payload_text(placed), "rejected": report.again.get(placed.block.id)}
            for placed in report.unapproved
        ],
        "by_hand": list(report.by_hand),
        "returned": [
            _whereabouts(one.block_id, one.placed)
            | {"payload": payload_text(one.placed or one.rejected), "rejected": one.rejected.block.id}
            for one in report.returned
        ],
        "problems": [problem(fault) for fault in report.problems],
        "summary": summary,
    }


def movement(moved: Movement) -> dict[str, Any]:
    """What became of a block since the last report; set and namespace are null where it is in no file any more."""
    placed = moved.placed
    return _whereabouts(moved.block_id, placed) | {
        "payload": payload_text(placed) if placed is not None else None,
        "effect": moved.kind,
        "from": moved.before or None,
        "to": moved.after or None,
        "times": moved.times,
    }


def _whereabouts(block_id: str, placed: Placed | None) -> dict[str, Any]:
    """Where a block is; nulls where it is in no file any more."""
    return brief(placed) if placed else {"id": block_id, "set": None, "namespace": None, "state": None}


ASSESSED: Mapping[Grade, tuple[str, str]] = {
    "high": ("I am sure about “{topic}” (blocks about it: {count})", "use them to answer"),
    "medium": (
        "I know something about “{topic}” (blocks about it: {count})",
        "use them, and check what matters",
    ),
    "low": (
        "I know “{topic}” only vaguely (blocks about it: {count})",
        "learn it anew before you rely on it",
    ),
    "very_low": ("I hardly know “{topic}” (blocks about it: {count})", "do not rely on them"),
    "none": ("I know nothing about “{topic}”", "say so, and learn it"),
}
"""Each grade as a sentence, and what to do then (R3.22, R3.23)."""


def assessment(assessed: Assessment, say: Say = str, language: str = "en") -> dict[str, Any]:
    """The structure of R3.16-R3.18; ``say`` translates, ``language`` is ``en`` or ``zh``."""
    stats = assessed.stats
    return {
        "ok": True,
        "topic": assessed.topic,
        "confidence": assessed.grade,
        "score": assessed.score,
        "message": assessed_message(assessed, say, language),
        "suggestions": [assessed_advice(assessed.grade, say, language)],
        "evidence": [
            {
                "id": one.placed.block.id,
                "key": one.placed.block.key or None,
                "confidence_level": one.level,
                "access_count": one.placed.block.access_count,
                "consolidation_score": round(one.consolidation, 4),
                "updated_at": one.placed.block.updated_at,
                "snippet": one_line(payload_text(one.placed), 120),
            }
            for one in assessed.evidence
        ],
        "stats": {
            "total_memories": stats.total,
            "avg_confidence": round(stats.confidence, 4),
            "avg_recency": round(stats.recency, 4),
            "avg_consolidation": round(stats.consolidation, 4),
            "coverage": round(stats.coverage, 4),
        },
    }


_ADVICE: Mapping[Grade, str] = {
    "high": "可以直接使用这些记忆回答问题",
    "medium": "可以使用这些记忆，重要之处请交叉核对",
    "low": "记忆模糊，使用之前请重新学习",
    "very_low": "几乎没有可靠的记忆，请不要依赖",
    "none": "没有相关记忆，请如实说明，再去学习",
}


def assessed_advice(grade: Grade, say: Say = str, language: str = "en") -> str:
    """What to do with what is known, in Chinese as the source says it (R3.22, R3.23)."""
    return _ADVICE[grade] if language == "zh" else say(ASSESSED[grade][1])


def assessed_message(assessed: Assessment, say: Say = str, language: str = "en") -> str:
    """The assessment as a sentence, in Chinese as the source says it (R3.23)."""
    count = assessed.stats.total
    if language == "zh":
        words = {
            "high": "很有把握",
            "medium": "有一定了解",
            "low": "了解不多",
            "very_low": "几乎没有可靠记忆",
        }
        if assessed.grade == "none":
            return f"我对「{assessed.topic}」没有相关记忆"
        return f"我对「{assessed.topic}」{words[assessed.grade]}，有 {count} 条相关记忆"
    return say(ASSESSED[assessed.grade][0]).format(topic=assessed.topic, count=count)


def changed(placed: Placed, change: Change) -> dict[str, Any]:
    """What an outcome did to one block."""
    return {
        **brief(placed),
        "level": change.after,
        "verifications": placed.block.verifications,
        "effect": change.effect,
    }


UNREVIEWED = "⚠未审核"
"""Stands behind a memory that no person has reviewed (B4.11, D57)."""


def user_memory(found: Sequence[Match], *, similarity: bool = False) -> str:
    """Memories about the user as the text of R4.24, with ``similarity`` as that of R4.23 (B4.17); empty for none."""
    lines = [
        f"- {one_line(payload_text(one.placed), 500)}"
        + (f" (similarity: {one.match:.2f})" if similarity else "")
        + ("" if one.approved else f" {UNREVIEWED}")
        for one in found
    ]
    return "\n".join(["[User Memory]", *lines]) if lines else ""
