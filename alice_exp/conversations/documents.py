"""What conversations answer as JSON and as text: memories of every kind in one list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from alice_exp.conversations.usecases.recollect import Recollection
from alice_exp.finding import documents as finding_documents

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


def user_memory(found: Sequence[Recollection], *, similarity: bool = False) -> str:
    """The text for a model's prompt (R4.24, R4.23): blocks, then records, each with where it is from."""
    blocks = [one.block for one in found if one.block is not None]
    lines = finding_documents.user_memory(blocks, similarity=similarity).splitlines() or ["[User Memory]"]
    lines += [
        f"- {one.text} [{', '.join(filter(None, (f'{one.source} {one.id}', one.at[:10])))}]"
        for one in found
        if one.block is None
    ]
    return "\n".join(lines) if len(lines) > 1 else ""
