"""Turns changed blocks into edits of a file's text that touch only what differs and keep comments with their block."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import cast

from alice_exp.kernel.jsonc import Append, Document, Edit, Insert, Raw, Remove, Set, cut, edit, parse
from alice_exp.kernel.jsonc.problem import Json, Pointer
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.block_schema import block_json, depends_on_place, read_blocks
from alice_exp.model.values.block import Block, Place, Placed, place_of
from alice_exp.model.values.changes import ChangeSet, Put

_ALONE = '{{\n  "blocks": [\n{}\n  ]\n}}\n'
NEW_FILE = '{\n  "$schema": "../.schema/namespace.json",\n  "blocks": []\n}\n'
"""The text of a namespace file without blocks."""


def block_indexes(document: Document) -> dict[str, int]:
    """The index of each block in its file's list, by id."""
    return {
        str(item["id"]): index
        for index, item in enumerate(_listed(document))
        if isinstance(item, dict) and "id" in item
    }


def difference(document: Document, index: int, old: Block, new: Block, place: Place) -> list[Edit]:
    """The edits that turn the text of block ``index`` from ``old`` into ``new`` for a file of set ``place``.

    Fields whose canonical JSON is equal stay as the person wrote them, including shorthand and explicit defaults.
    """
    here = place_of(document.path)
    item = cast("Mapping[str, Json]", _listed(document)[index])
    return member_edits(
        ("blocks", index), item, block_json(old, here), block_json(new, place), moved=here != place
    )


def moved(document: Document, index: int, old: Block, new: Block, place: Place) -> Raw:
    """The text of block ``index`` with its comments, edited to mean ``new`` in a file of set ``place``."""
    text = cut(document, ("blocks", index)).text
    alone = parse(_ALONE.format(text).encode("utf-8"), document.path)
    edits = difference(alone, 0, old, new, place)
    if edits:
        alone = parse(edit(alone, edits), document.path)
    return cut(alone, ("blocks", 0))


def raw_block(data: bytes, path: str, block_id: str) -> str:
    """A block's source text with its comments in a file's bytes (e.g. from history); empty if it is not there."""
    document = parse(data, path)
    index = block_indexes(document).get(block_id)
    return "" if index is None else cut(document, ("blocks", index)).text


def from_history(put: Put) -> Raw:
    """A block's text from history, edited where necessary to mean ``put.block`` in the file ``put.path``."""
    path = put.raw_path or put.path
    alone = parse(_ALONE.format(put.raw).encode("utf-8"), path)
    blocks, _ = read_blocks(alone)
    edits = difference(alone, 0, blocks[0], put.block, place_of(put.path))
    return cut(parse(edit(alone, edits), path) if edits else alone, ("blocks", 0))


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
    for key in dict.fromkeys([*old, *new, *(key for key in item if moved and depends_on_place(key))]):
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
        grown = _grown(pointer, item, new)
        if grown is not None:
            return grown
    return [Set(pointer, new)]


def _grown(pointer: Pointer, item: Sequence[Json], new: Sequence[Json]) -> list[Edit] | None:
    """The edits of a list that lost items at its beginning and gained some at its end; None for any other change."""
    for dropped in range(len(item)):
        kept = item[dropped:]
        if list(new[: len(kept)]) == list(kept):
            removes: list[Edit] = [Remove((*pointer, index)) for index in range(dropped)]
            added = tuple(new[len(kept) :])
            return removes + ([Append(pointer, added)] if added else [])
    return None


def _listed(document: Document) -> Sequence[Json]:
    value = document.value
    listed = value.get("blocks", []) if isinstance(value, dict) else []
    return listed if isinstance(listed, list) else []


Documents = Callable[[str], "Document | None"]


@dataclass
class _File:
    """A file to change: its document, the edits so far, and the blocks to append."""

    document: Document
    exists: bool
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
    changes: ChangeSet, find: Callable[[str], Placed | None], documents: Documents
) -> dict[str, bytes | None]:
    """The files that the change set touches, path to new bytes (None: removed).

    ``find`` gives each block's present place by its id, ``documents`` parses a present file (None: it does not exist).
    """
    open_files: dict[str, _File] = {}

    def file(path: str) -> _File:
        if path not in open_files:
            open_files[path] = _open(path, documents(path))
        return open_files[path]

    for put in changes.puts:
        _put(put, find(put.block.id), file)
    for block_id in changes.removes:
        present = find(block_id)
        if present is None:
            raise KeyError(block_id)
        _remove(file(present.path), block_id)
    for setting in changes.settings:
        change = Set(setting.pointer, setting.value) if setting.value is not None else Remove(setting.pointer)
        file(setting.path).edits.append(change)
    result = {path: opened.bytes() for path, opened in open_files.items()}
    result.update({path: None if text is None else text.encode() for path, text in changes.texts.items()})
    return result


def _open(path: str, document: Document | None) -> _File:
    fresh = document is None
    document = document or parse(NEW_FILE.encode(), path)
    return _File(document, not fresh, block_indexes(document))


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
    from dataclasses import replace

    def bare(block: Block) -> Block:
        return replace(block, access_count=0, last_accessed_at="", consolidation_score=0.0, reported=None)

    return bare(one) == bare(other)
