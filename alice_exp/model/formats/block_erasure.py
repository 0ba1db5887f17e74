"""Erases one block from a version of a namespace file, for a purge (B2.29)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from alice_exp.kernel.jsonc import Remove, edit, parse

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from alice_exp.kernel.jsonc import Document
    from alice_exp.kernel.jsonc.problem import Json

UNREADABLE = (
    b'{\n  // A version that could not be read stood here; it held what was purged.\n  "blocks": []\n}\n'
)
"""The replacement for a past version that cannot be parsed and contains the block's text."""


def forget(data: bytes, path: str, block_id: str, said: Collection[str]) -> bytes | None:
    """The file without the block and the comments that belong to it; None if the file cannot be parsed.

    The block is recognised by its id or, in versions without an id, by a text of its payload in ``said``.
    """
    document = parse(data, path)
    if document.problem is not None:
        return None
    erased = [index for index, item in enumerate(_listed(document)) if _is_meant(item, block_id, said)]
    return edit(document, [Remove(("blocks", index)) for index in erased]) if erased else data


def said_by(data: bytes, path: str, block_id: str) -> frozenset[str]:
    """The texts of the block's payload (content and steps) in one version of a file."""
    listed = _listed(parse(data, path))
    return frozenset(text for item in listed if _id(item) == block_id for text in _words(item))


def quoted_by(data: bytes, path: str, block_id: str) -> frozenset[str]:
    """What the block's evidence quotes in one version of a file: the words that were said, where it says others."""
    listed = _listed(parse(data, path))
    return frozenset(text for item in listed if _id(item) == block_id for text in _quotes(item))


def is_empty(data: bytes | None) -> bool:
    """Whether a file exists (is not None) and contains no block."""
    return data is not None and not _listed(parse(data))


def needles(said: Iterable[str], shortest: int = 4) -> tuple[bytes, ...]:
    """The byte forms, plain or escaped, in which files may contain the texts; shorter ones match too much by chance."""
    forms: dict[bytes, None] = {}
    for text in said:
        if len(text) >= shortest:
            plain = text.encode("utf-8", "surrogatepass")
            forms |= dict.fromkeys(
                (plain, json.dumps(text, ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass"))
            )
            forms[json.dumps(text)[1:-1].encode()] = None
    return tuple(forms)


def _is_meant(item: Json, block_id: str, said: Collection[str]) -> bool:
    found = _id(item)
    return found == block_id or (not found and any(text in said for text in _words(item)))


def _id(item: Json) -> str:
    found = item.get("id") if isinstance(item, dict) else None
    return found if isinstance(found, str) else ""


def _words(item: Json) -> list[str]:
    payload = item.get("payload") if isinstance(item, dict) else None
    if isinstance(payload, str):
        return [payload]
    if not isinstance(payload, dict):
        return []
    steps = payload.get("steps")
    parts = [payload.get("content"), *(steps if isinstance(steps, list) else [])]
    return [part for part in parts if isinstance(part, str) and part.strip()]


def _quotes(item: Json) -> list[str]:
    pieces = item.get("evidence") if isinstance(item, dict) else None
    listed = pieces if isinstance(pieces, list) else []
    quotes = [piece.get("quote") for piece in listed if isinstance(piece, dict)]
    return [quote for quote in quotes if isinstance(quote, str) and quote.strip()]


def _listed(document: Document) -> list[Json]:
    value = document.value
    listed = value.get("blocks") if isinstance(value, dict) else None
    return listed if isinstance(listed, list) else []
