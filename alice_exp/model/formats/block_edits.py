"""Turns changed blocks into edits of a file's text that touch only what differs and keep comments with their block."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from alice_exp.kernel.jsonc import Append, Remove, Set, cut, edit, parse
from alice_exp.model.formats.block_schema import block_json, depends_on_place, read_blocks
from alice_exp.model.values.block import place_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from alice_exp.kernel.jsonc import Document, Edit, Raw
    from alice_exp.kernel.jsonc.problem import Json, Pointer
    from alice_exp.model.values.block import Block, Place
    from alice_exp.model.values.changes import Put

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
    return _changes(
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


def _changes(
    at: Pointer, item: Mapping[str, Json], old: Mapping[str, Json], new: Mapping[str, Json], *, moved: bool
) -> list[Edit]:
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
        return _changes(pointer, item, old, new, moved=False)
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
