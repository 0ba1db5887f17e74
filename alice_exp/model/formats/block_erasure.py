"""Erases one block from a version of a file, for a purge (B2.29): from a namespace, and from records of its uses."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from alice_exp.kernel.jsonc import Document, Remove, Set, edit, parse
from alice_exp.kernel.jsonc.problem import Json, Pointer
from alice_exp.kernel.text.written_forms import WrittenForms
from alice_exp.kernel.value_class import dataclass

UNREADABLE = (
    b'{\n  // A version that could not be read stood here; it held what was purged.\n  "blocks": []\n}\n'
)
"""The replacement for a past version that cannot be parsed and contains the block's text."""

PURGED = "(purged)"
"""What stands where words were taken out of something that stays."""

_SENTENCE = 6
"""The least length in characters of a quotation that a conversation is searched for."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a block said in some versions: the texts of its payload (content and steps), of its trigger, and what its
    evidence quotes."""

    payload: frozenset[str] = frozenset()
    trigger: frozenset[str] = frozenset()
    quoted: frozenset[str] = frozenset()

    def __or__(self, other: Said) -> Said:
        return Said(self.payload | other.payload, self.trigger | other.trigger, self.quoted | other.quoted)

    @property
    def words(self) -> WrittenForms:
        """Finds the payload."""
        return WrittenForms(self.payload)

    @property
    def occasions(self) -> WrittenForms:
        """Finds the trigger."""
        return WrittenForms(self.trigger)

    @property
    def spoken(self) -> WrittenForms:
        """Finds the payload, or what the evidence quotes, in a conversation."""
        return WrittenForms(self.payload | self.quoted, _SENTENCE)


def said_by(data: bytes, path: str, block_id: str) -> Said:
    """What the block says in one version of a namespace file."""
    found = Said()
    for item in _listed(parse(data, path)):
        if isinstance(item, dict) and _id(item) == block_id:
            trigger = item.get("trigger")
            occasion = trigger.get("text") if isinstance(trigger, dict) else trigger
            found |= Said(frozenset(_words(item)), frozenset(_texts(occasion)), frozenset(_quotes(item)))
    return found


def forget(data: bytes, path: str, block_id: str, said: Collection[str]) -> bytes | None:
    """The file without the block, the comments that belong to it, and its id in what other blocks say of it; None if
    the file cannot be parsed.

    The block is recognised by its id or, in versions without an id, by a text of its payload in ``said``.
    """
    document = parse(data, path)
    if document.problem is not None:
        return None
    edits = [
        Remove(("blocks", index, *below))
        for index, item in enumerate(_listed(document))
        for below in ([()] if _is_meant(item, block_id, said) else _named(item, block_id))
    ]
    return edit(document, edits) if edits else data


def forget_uses(data: bytes, path: str, block_id: str, said: Said) -> bytes | None:
    """A record file without the block's words in what outcomes of decisions on it recorded; None if it cannot be read.

    These entries, known by their action, stay with all that they count; any other record stays as it is. Of merged
    thoughts, which name no block, all that followed lessons and holds the words is meant.
    """
    document = parse(data, path)
    if document.problem is not None:
        return None
    words = WrittenForms(said.payload | said.trigger)
    ids = r"(?:, exp-\w+)*"
    told = rf"\w+: (?:exp-\w+, )*{re.escape(block_id)}{ids}(?: → |$)"
    acted = re.compile(rf"(?:^| → ){told}| → followed \d+ lesson")
    edits = [
        Set(pointer, PURGED)
        for entry in _entries(document.value)
        if any(acted.search(text) for _, text in entry)
        for pointer, text in entry
        if words.stand_in(text.encode("utf-8", "replace"))
    ]
    return edit(document, edits) if edits else data


def is_empty(data: bytes | None) -> bool:
    """Whether a file exists (is not None) and contains no block."""
    return data is not None and not _listed(parse(data))


def _entries(value: Json) -> Iterator[list[tuple[Pointer, str]]]:
    """The entries of a record file, each as its texts with their places: episodes, thoughts, and segments without
    these."""
    for kind in ("episodes", "segments"):
        listed = value.get(kind) if isinstance(value, dict) else None
        for index, item in enumerate(listed if isinstance(listed, list) else []):
            fields = dict(item) if isinstance(item, dict) else {}
            events = fields.pop("events", None)
            yield list(_leaves(fields, (kind, index)))
            for number, event in enumerate(events if isinstance(events, list) else []):
                yield list(_leaves(event, (kind, index, "events", number)))


def _leaves(value: Json, at: Pointer) -> Iterator[tuple[Pointer, str]]:
    if isinstance(value, str):
        yield at, value
    elif isinstance(value, dict | list):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(one, (*at, key))


def _is_meant(item: Json, block_id: str, said: Collection[str]) -> bool:
    found = _id(item)
    return found == block_id or (not found and any(text in said for text in _words(item)))


def _named(item: Json, block_id: str) -> Iterator[Pointer]:
    """Where a block names another one."""
    doubt = item.get("doubt") if isinstance(item, dict) else None
    for above, named in (((), item), (("doubt",), doubt)):
        for key in ("beside",) if above else ("replaces", "both", "related", "supersedes"):
            ids = named.get(key) if isinstance(named, dict) else None
            if ids in (block_id, [block_id]):
                yield (*above, key)
            elif isinstance(ids, list):
                yield from ((*above, key, index) for index, one in enumerate(ids) if one == block_id)


def _id(item: Json) -> str:
    found = item.get("id") if isinstance(item, dict) else None
    return found if isinstance(found, str) else ""


def _words(item: Json) -> list[str]:
    payload = item.get("payload") if isinstance(item, dict) else None
    if not isinstance(payload, dict):
        return _texts(payload)
    steps = payload.get("steps")
    return _texts(payload.get("content"), *(steps if isinstance(steps, list) else []))


def _quotes(item: Json) -> list[str]:
    pieces = item.get("evidence") if isinstance(item, dict) else None
    listed = pieces if isinstance(pieces, list) else []
    return _texts(*(piece.get("quote") for piece in listed if isinstance(piece, dict)))


def _texts(*values: Json) -> list[str]:
    return [value for value in values if isinstance(value, str) and value.strip()]


def _listed(document: Document) -> list[Json]:
    value = document.value
    listed = value.get("blocks") if isinstance(value, dict) else None
    return listed if isinstance(listed, list) else []
