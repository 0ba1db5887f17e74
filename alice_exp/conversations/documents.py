"""What conversations answer as JSON and as text: memories of every kind in one list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from alice_exp.conversations.usecases.recollect import Recollection
from alice_exp.finding import documents as finding_documents
from alice_exp.kernel.text.display import one_line
from alice_exp.model.documents import payload_text

_PLACES = {"episode": "episodes", "diary": "diary", "conversation": "conversations"}


def recollection(one: Recollection) -> dict[str, Any]:
    """One memory: a block's document with its source; a record's under the same keys, as far as it has them."""
    if one.block is not None:
        return {**finding_documents.match(one.block), "source": one.source, "at": one.at}
    return {
        "id": one.id,
        "set": _PLACES[one.source],
        "namespace": "",
        "state": "",
        "key": None,
        "trigger": "",
        "payload": one.text,
        "score": round(one.score, 6),
        "match": round(one.score, 6),
        "confidence": 0.0,
        "trust": 0.0,
        "decay": 0.0,
        "approved": False,
        "stale": False,
        "source": one.source,
        "at": one.at,
    }


UNREVIEWED = "⚠未审核"
"""The mark after a memory that no person has reviewed (B4.11, D57)."""


def user_memory(found: Sequence[Recollection], *, similarity: bool = False) -> str:
    """The text for a model's prompt (R4.24; with ``similarity`` R4.23, B4.17): blocks, then records, each with where it
    is from. Empty when there are none."""
    lines = [
        f"- {one_line(payload_text(one.placed), 500)}"
        + (f" (similarity: {one.match:.2f})" if similarity else "")
        + (f" [{one.placed.block.project}]" if one.placed.block.project else "")
        + ("" if one.approved else f" {UNREVIEWED}")
        for one in (each.block for each in found)
        if one is not None
    ]
    lines += [
        f"- {one.text} [{', '.join(filter(None, (f'{one.source} {one.id}', one.at[:10])))}]"
        for one in found
        if one.block is None
    ]
    return "\n".join(["[User Memory]", *lines]) if lines else ""
