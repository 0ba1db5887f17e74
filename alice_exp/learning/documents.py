"""Assessments and outcomes as the JSON documents of DESIGN 7."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from alice_exp.kernel.text.display import one_line
from alice_exp.kernel.value_class import attributes
from alice_exp.model.documents import brief, payload_text, texts
from alice_exp.model.rules.doubt import Rate, is_in_doubt
from alice_exp.model.values.block import CONFIDENCE, Placed, Record, is_of_team

if TYPE_CHECKING:
    from alice_exp.finding.rules.ranking import Match
    from alice_exp.learning.rules.impact import Assessment, Grade, Impact, Quality
    from alice_exp.learning.usecases.decision_outcome import Decision
    from alice_exp.model.rules.lifecycle import Change
    from alice_exp.model.values.records import Episode

FAILED = (
    "a similar task failed before: {task} ({episode})",
    "a similar task failed before with {action}: {task} ({episode})",
)
UNTESTED = "Approved by the user, not yet tested in work: follow it, then report how it went"

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
"""Each grade's sentence, and its advice (R3.22, R3.23); the catalog's Chinese is the specification's own wording."""


def assessment(assessed: Assessment, say: Callable[[str], str] = str) -> dict[str, Any]:
    """An assessment in the structure of R3.16-R3.18; ``say`` turns an English template into the person's language."""
    stats = assessed.stats
    message, advice = map(say, ASSESSED[assessed.grade])
    return {
        "ok": True,
        "topic": assessed.topic,
        "confidence": assessed.grade,
        "score": assessed.score,
        "message": message.format(topic=assessed.topic, count=stats.total),
        "suggestions": [advice],
        "evidence": [
            {
                "id": placed.block.id,
                "key": placed.block.key or None,
                "confidence_level": confidence_level(CONFIDENCE[placed.block.state]),
                "access_count": placed.block.access_count,
                "consolidation_score": round(consolidation, 4),
                "updated_at": placed.block.updated_at,
                "snippet": one_line(payload_text(placed), 120),
            }
            for placed, consolidation in assessed.evidence
        ],
        "stats": {
            "total_memories": stats.total,
            "avg_confidence": round(stats.confidence, 4),
            "avg_recency": round(stats.recency, 4),
            "avg_consolidation": round(stats.consolidation, 4),
            "coverage": round(stats.coverage, 4),
        },
    }


def confidence_level(confidence: float) -> str:
    """A block's confidence as a word (B3.10)."""
    return "high" if confidence >= 0.8 else "medium" if confidence >= 0.5 else "low"


def changed(placed: Placed, change: Change) -> dict[str, Any]:
    """A block after an outcome, with the effect that the outcome had."""
    return {
        **brief(placed),
        "level": change.after,
        "verifications": placed.block.verifications,
        "effect": change.effect,
    }


def procedure(made: Decision) -> dict[str, Any]:
    """What a decision tells, as a procedure: constraints, steps, alternatives (one of), and a note where none of it was
    ever tried."""
    return {
        "constraints": [*map(told, made.constraints)],
        "steps": [*map(told, made.steps)],
        "alternatives": [*map(told, made.alternatives)],
        **({"note": UNTESTED} if is_untested(made) else {}),
    }


def failed(episode: Episode) -> tuple[str, dict[str, str]]:
    """A similar task that failed before, as a template and its values."""
    return FAILED[bool(episode.action.strip())], {
        "action": one_line(episode.action.removeprefix("reasoning: "), 80),
        "task": episode.task,
        "episode": episode.id,
    }


def is_untested(made: Decision) -> bool:
    """Whether a decision tells advice that the person approved, and of none of it an outcome was reported yet; what is
    about the person is no advice that work could test."""
    found = [one.placed.block for one in made.applied if one.approved and one.placed.block.about == "work"]
    return bool(found) and all((block.record or Record()) == Record() for block in found)


def told(found: Match) -> dict[str, Any]:
    """A block that is told, whole: what an agent needs to do it, to weigh it, and to report on it; no empty keys."""
    placed = found.placed
    block = placed.block
    day = block.approved.at[:10] if block.approved is not None else ""
    parts = (
        f"team of {block.origin}" if is_of_team(placed) else placed.where,
        f"approved {day}".strip() if found.approved else "reviewed by nobody",
        f"project {block.project}" if block.project and not is_of_team(placed) else "",
        "in doubt: the person is asked" if is_in_doubt(block) else "",
    )
    return {
        "id": block.id,
        **{name: text for name, text in texts(placed).items() if text},
        "approved": found.approved,
        "from": ", ".join(filter(None, parts)),
    }


def matched(found: Match) -> dict[str, Any]:
    """The same for scripts, with the block's set and state, and with its doubt where there is one."""
    standing = doubt(found.placed)
    where = {name: value for name, value in brief(found.placed).items() if name != "namespace"}
    return {**told(found), **where, **({"doubt": standing} if standing else {})}


def doubt(placed: Placed) -> dict[str, Any] | None:
    """Since when a block is in doubt, and what its record says; None where it is not."""
    block = placed.block
    if block.doubt is None or not block.doubt.since:
        return None
    return attributes(block.doubt, "since value") | attributes(block.record or Record(), "ok failed")


def impact(found: Impact) -> dict[str, Any]:
    """How tasks went with what is approved and without it, then each block (DESIGN 12.6)."""
    return {
        "with": _rate(found.told),
        "without": _rate(found.without),
        "difference": [round(one, 4) for one in found.difference],
        "blocks": [
            {
                "id": one.placed.block.id,
                "ok": one.rate.successes,
                "uses": one.rate.total,
                "verdict": one.verdict,
                "payload": payload_text(one.placed),
            }
            for one in found.blocks
        ],
    }


def signal(one: Quality) -> dict[str, Any]:
    """A kind of signal beside the reports: the shares in [0, 1], null where nothing was reported so."""
    return {
        **attributes(one, "kind seen both"),
        "ok_when_ok": round(one.ok.value, 4) if one.ok.total else None,
        "failed_when_failed": round(one.failed.value, 4) if one.failed.total else None,
    }


def _rate(rate: Rate) -> dict[str, Any]:
    return {
        "ok": rate.successes,
        "uses": rate.total,
        "rate": round(rate.value, 4) if rate.total else None,
        "low": round(rate.low, 4),
        "high": round(rate.high, 4),
    }
