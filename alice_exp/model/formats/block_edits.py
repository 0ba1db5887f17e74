"""Turns changed blocks into edits of a file's text that touch only what differs and keep comments with their block."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import field, replace
from typing import cast

from alice_exp.kernel.jsonc import Json, Pointer
from alice_exp.kernel.jsonc.document import Document
from alice_exp.kernel.jsonc.edits import Append, Edit, Insert, Remove, Set, cut, edit
from alice_exp.kernel.jsonc.formatting import Raw
from alice_exp.kernel.jsonc.reader import parse
from alice_exp.kernel.text.display import WrittenForms
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.block_schema import BY_PLACE, block_json, read_blocks
from alice_exp.model.values.block import Block, Place, Placed, place_of
from alice_exp.model.values.snapshot import ChangeSet, Put

_ALONE = '{{\n  "blocks": [\n{}\n  ]\n}}\n'
NEW_FILE = '{\n  "$schema": "../.schema/namespace.json",\n  "blocks": []\n}\n'
"""The text of a namespace file without blocks."""


def block_indexes(document: Document) -> dict[str, int]:
    """The index of each block in its file's list, by id."""
    return {
        str(item["id"]): index
        for index, item in enumerate(document.items)
        if isinstance(item, dict) and "id" in item
    }


def difference(document: Document, index: int, old: Block, new: Block, place: Place) -> list[Edit]:
    """The edits that turn the text of block ``index`` from ``old`` into ``new`` for a file of set ``place``.

    Fields whose canonical JSON is equal stay as the person wrote them, including shorthand and explicit defaults.
    """
    here = place_of(document.path)
    item = cast("Mapping[str, Json]", document.items[index])
    return member_edits(
        ("blocks", index), item, block_json(old, here), block_json(new, place), moved=here != place
    )


def moved(document: Document, index: int, old: Block, new: Block, place: Place) -> Raw:
    """The text of block ``index`` with its comments, edited to mean ``new`` in a file of set ``place``."""
    alone = parse(_ALONE.format(cut(document, ("blocks", index)).text).encode("utf-8"), document.path)
    if edits := difference(alone, 0, old, new, place):
        alone = parse(edit(alone, edits), document.path)
    return cut(alone, ("blocks", 0))


def raw_block(data: bytes, path: str, block_id: str) -> str:
    """A block's source text with its comments in a file's bytes (e.g. from history); empty if it is not there."""
    document = parse(data, path)
    index = block_indexes(document).get(block_id)
    return "" if index is None else cut(document, ("blocks", index)).text


def from_history(put: Put) -> Raw:
    """A block's text from history, edited where necessary to mean ``put.block`` in the file ``put.path``."""
    alone = parse(_ALONE.format(put.raw).encode("utf-8"), put.path)
    blocks, _ = read_blocks(alone)
    edits = difference(alone, 0, blocks[0], put.block, place_of(put.path))
    return cut(parse(edit(alone, edits), put.path) if edits else alone, ("blocks", 0))


def member_edits(
    at: Pointer,
    item: Mapping[str, Json],
    old: Mapping[str, Json],
    new: Mapping[str, Json],
    *,
    moved: bool = False,
) -> list[Edit]:
    """The edits of an object's members that differ between ``old`` and ``new``, both without defaults.

    What a person wrote differently from us (an explicit default, say) stays as it is, unless the block ``moved`` to
    another set.
    """
    edits: list[Edit] = []
    # A key that both sides omit may be written in the text, as an explicit default of the old set.
    for key in dict.fromkeys([*old, *new, *(key for key in item if moved and key in BY_PLACE)]):
        pointer = (*at, key)
        if key not in new:
            if key in item:
                edits.append(Remove(pointer))
        elif key not in item or old.get(key) != new[key]:
            edits += _value_changes(pointer, item.get(key), old.get(key), new[key])
    return edits


def _value_changes(pointer: Pointer, item: Json, old: Json, new: Json) -> list[Edit]:
    """The edits of one field; nested objects and lists that grew are edited inside, to keep the comments in them."""
    if isinstance(item, dict) and isinstance(old, dict) and isinstance(new, dict):
        return member_edits(pointer, item, old, new)
    if isinstance(item, list) and item == old and isinstance(new, list):
        # Items were dropped at its beginning and added at its end.
        for dropped in range(len(item)):
            kept = item[dropped:]
            if new[: len(kept)] == kept:
                removes: list[Edit] = [Remove((*pointer, index)) for index in range(dropped)]
                added = tuple(new[len(kept) :])
                return removes + ([Append(pointer, added)] if added else [])
    return [Set(pointer, new)]


@dataclass
class _File:
    document: Document
    indexes: dict[str, int]
    edits: list[Edit] = field(default_factory=list)
    appended: list[Json | Raw] = field(default_factory=list)
    removed: int = 0

    def bytes(self) -> bytes | None:
        """The new content; None if a pool file lost its last block (B2.41)."""
        is_pool = self.document.path.startswith("low_value_pool/")
        if is_pool and not self.appended and self.removed == len(self.indexes):
            return None
        last = [Append(("blocks",), tuple(self.appended))] if self.appended else []
        return edit(self.document, [*self.edits, *last])


def rewrite(
    changes: ChangeSet, find: Callable[[str], Placed | None], documents: Callable[[str], Document | None]
) -> dict[str, bytes | None]:
    """The files that the change set touches, path to new bytes (None: removed).

    ``find`` gives each block's present place by its id, ``documents`` parses a present file (None: it does not exist).
    """
    open_files: dict[str, _File] = {}

    def file(path: str) -> _File:
        if path not in open_files:
            document = documents(path) or parse(NEW_FILE.encode(), path)
            open_files[path] = _File(document, block_indexes(document))
        return open_files[path]

    for put in changes.puts:
        _put(put, find(put.block.id), file)
    for block_id in changes.removes:
        present = find(block_id)
        if present is None:
            raise KeyError(block_id)
        _remove(file(present.path), block_id)
    result = {path: opened.bytes() for path, opened in open_files.items()}
    result.update({path: None if text is None else text.encode() for path, text in changes.texts.items()})
    return result


def _put(put: Put, present: Placed | None, file: Callable[[str], _File]) -> None:
    place = place_of(put.path)
    target = file(put.path)
    if present is None:
        fresh: Json | Raw = from_history(put) if put.raw else block_json(put.block, place)
        target.appended.append(fresh)
        return
    source = file(present.path)
    index = source.indexes[put.block.id]
    if present.path == put.path and put.whole:
        target.edits += [Remove(("blocks", index)), Insert(("blocks",), index, Raw(put.raw))]
        return
    if present.path == put.path:
        target.edits += difference(source.document, index, present.block, put.block, place)
        return
    if put.block.id in target.indexes:
        # A copy that stands there already gives way.
        _remove(target, put.block.id)
    target.appended.append(moved(source.document, index, present.block, put.block, place))
    _remove(source, put.block.id)


def _remove(file: _File, block_id: str) -> None:
    file.edits.append(Remove(("blocks", file.indexes[block_id])))
    file.removed += 1


def same_block(one: Block, other: Block) -> bool:
    """Whether two versions of a block are equal apart from access counts and reports."""
    names = ("access_count", "last_accessed_at", "consolidation_score", "reported")
    return replace(one, **{name: getattr(other, name) for name in names}) == other


UNREADABLE = (
    b'{\n  // A version that could not be read stood here; it held what was purged.\n  "blocks": []\n}\n'
)
"""The replacement for a past version that cannot be parsed and contains the block's text."""

PURGED = "(purged)"
"""What stands where words were taken out of something that stays."""


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


def said_by(data: bytes, path: str, block_id: str) -> Said:
    """What the block says in one version of a namespace file."""
    found = Said()
    for item in parse(data, path).items:
        if isinstance(item, dict) and item.get("id") == block_id:
            trigger, pieces = item.get("trigger"), item.get("evidence")
            occasion = trigger.get("text") if isinstance(trigger, dict) else trigger
            listed = pieces if isinstance(pieces, list) else []
            quotes = _texts(*(piece.get("quote") for piece in listed if isinstance(piece, dict)))
            found |= Said(frozenset(_words(item)), frozenset(_texts(occasion)), frozenset(quotes))
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
        for index, item in enumerate(document.items)
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
    return data is not None and not parse(data).items


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
    known = item.get("id") if isinstance(item, dict) else None
    found = known if isinstance(known, str) else ""
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


def _words(item: Json) -> list[str]:
    payload = item.get("payload") if isinstance(item, dict) else None
    if not isinstance(payload, dict):
        return _texts(payload)
    steps = payload.get("steps")
    return _texts(payload.get("content"), *(steps if isinstance(steps, list) else []))


def _texts(*values: Json) -> list[str]:
    return [value for value in values if isinstance(value, str) and value.strip()]
