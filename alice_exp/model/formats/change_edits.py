"""Applies a change set to the texts of files; pure, so that a dry run shows exactly what a commit writes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING

from alice_exp.kernel.jsonc import Append, Insert, Raw, Remove, Set, edit, parse
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.block_edits import NEW_FILE, block_indexes, difference, from_history, moved
from alice_exp.model.formats.block_schema import block_json
from alice_exp.model.values.block import place_of

if TYPE_CHECKING:
    from alice_exp.kernel.jsonc import Document, Edit
    from alice_exp.kernel.jsonc.problem import Json
    from alice_exp.model.values.block import Block, Placed
    from alice_exp.model.values.changes import ChangeSet, Put

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
