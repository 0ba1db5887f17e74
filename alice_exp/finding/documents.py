"""Blocks and matches as the JSON documents of DESIGN 7."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from alice_exp.kernel.value_class import attributes
from alice_exp.model.documents import brief, payload_text, texts, trigger_text
from alice_exp.model.formats.block_schema import block_json
from alice_exp.model.rules.doubt import is_in_doubt
from alice_exp.model.values.block import CONFIDENCE, TRUST

if TYPE_CHECKING:
    from alice_exp.finding.rules.ranking import Match
    from alice_exp.finding.usecases import Shown
    from alice_exp.model.values.records import Episode


def lived(score: float, one: Episode) -> dict[str, Any]:
    """An episode beside the blocks of an answer."""
    told = attributes(one, "task action success reward reflection at")
    return {"id": one.id, "score": round(score, 6), **told, "source": "episode"}


def known(found: Match) -> dict[str, Any]:
    """One answer of recall as an agent uses it: no scores, nothing that is empty; ``why`` it is to be weighed."""
    block = found.placed.block
    return {
        "id": block.id,
        **{name: text for name, text in texts(found.placed).items() if text},
        "approved": found.approved,
        **({"project": block.project} if block.project else {}),
        **({"why": "in doubt: the person is asked"} if is_in_doubt(block) else {}),
    }


def block(shown: Shown) -> dict[str, Any]:
    """A whole block, with the values derived from its place and from formulas."""
    placed, block = shown.placed, shown.placed.block
    written = block_json(block, placed.place)
    return {
        **written,
        **brief(placed),
        **attributes(block, "type about"),
        "level": shown.level,
        **attributes(block, "verifications observations"),
        "trigger": trigger_text(placed),
        "trigger_detail": written.get("trigger", ""),
        "payload": payload_text(placed),
        "payload_detail": written["payload"],
        "evidence": written.get("evidence", []),
        **attributes(block, "importance access_count"),
        "last_accessed_at": block.last_accessed_at or None,
        **attributes(block, "consolidation_score shareable origin"),
        "confidence": CONFIDENCE[block.state],
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
        **texts(placed),
        **attributes(found, "score match confidence trust"),
        "decay": round(found.decay, 6),
        "approved": found.approved,
        "stale": placed.stale,
        **({"project": placed.block.project} if placed.block.project else {}),
    }
