"""Three-way merge of the texts of files: unchanged parts stay as they are, comments of both sides are kept.

The contents of namespace files are merged in ``merge_blocks`` and given as blocks; configuration and records are
merged here, value by value. The resulting bytes do not depend on which side asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, cast

from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.jsonc import Json, Pointer, first_error
from alice_exp.kernel.jsonc.document import Document
from alice_exp.kernel.jsonc.edits import Append, Edit, Insert, Remove, Set, cut, edit
from alice_exp.kernel.jsonc.formatting import Raw
from alice_exp.kernel.jsonc.reader import parse
from alice_exp.kernel.jsonc.scan import COMMENT, STRING
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.block_edits import NEW_FILE, block_indexes, difference, moved
from alice_exp.model.formats.block_schema import block_json, read_blocks
from alice_exp.model.rules.identity import naming
from alice_exp.model.values.block import Block, Placed, holds_blocks, place_of
from alice_exp.sync.rules.merge_fields import MISSING, is_records, merge, same, unordered

Files = Mapping[str, bytes]
"""The files of one side, path to bytes."""

_TOKENS = re.compile(f"{STRING}|({COMMENT})")


@dataclass
class Side:
    """The files of one side, parsed on demand. ``name`` is its name in messages (``here``, ``there``, ``before``)."""

    name: str
    files: Files
    _documents: dict[str, Document] = field(default_factory=dict)
    _placed: dict[str, Placed] | None = None
    _raws: dict[str, dict[str, str]] = field(default_factory=dict)

    def document(self, path: str, spans_of: str = "blocks") -> Document | None:
        """A file as a document; None if the side does not have it, ``ProblemError`` if it has a fault."""
        if path not in self.files:
            return None
        if path not in self._documents:
            document = parse(self.files[path], path, spans_of)
            fault = document.problem
            if fault is not None:
                raise self._broken(fault.message, path, fault.line, fault.column)
            self._documents[path] = document
        return self._documents[path]

    def blocks(self) -> dict[str, Placed]:
        """Every block by id; ``ProblemError`` if a file has an error or an id occurs twice.

        Blocks that a hand typed and git brought before any home adopted them have no id: each is given its own here.
        """
        if self._placed is None:
            self._placed = {}
            nameless: dict[str, Sequence[Block]] = {}
            for path in sorted(filter(holds_blocks, self.files)):
                found = self._read(path)
                for block in found:
                    if block.id in self._placed:
                        raise self._broken(f"the id {block.id} stands twice", path, 1, 1)
                    if block.id:
                        self._placed[block.id] = Placed(block, path)
                    else:
                        nameless[path] = found
            taken = set(self._placed)
            for path, found in nameless.items():
                named = edit(self._documents[path], list(naming(found, path, taken)))
                self._documents[path] = parse(named, path)
                self._placed |= {block.id: Placed(block, path) for block in self._read(path)}
        return self._placed

    def _read(self, path: str) -> Sequence[Block]:
        document = self.document(path)
        found, problems = read_blocks(document) if document is not None else ((), ())
        if (fault := first_error(problems)) is not None:
            raise self._broken(fault.message, path, fault.line, fault.column)
        return found

    def raw(self, block_id: str) -> str:
        """A block's source text with its comments; empty if the side does not have it."""
        placed = self.blocks().get(block_id)
        if placed is None:
            return ""
        if placed.path not in self._raws:
            document = self._documents[placed.path]
            rows = block_indexes(document).items()
            self._raws[placed.path] = {one: cut(document, ("blocks", index)).text for one, index in rows}
        return self._raws[placed.path][block_id]

    def _broken(self, why: str, path: str, line: int, column: int) -> ProblemError:
        said = "this file, as it is {side}, cannot be merged: {why}"
        return ProblemError(said, side=self.name, why=why, path=path, line=line, column=column)


@dataclass(frozen=True, slots=True)
class Sides:
    """The common ancestor and the two sides."""

    was: Side
    one: Side
    other: Side

    def is_commented(self, block_id: str) -> bool:
        """Whether the block has a comment on either side."""
        return any(_comments(side.raw(block_id)) for side in (self.one, self.other))

    def frame(self, path: str) -> tuple[Side, Side]:
        """The side whose text is edited into the result, and the other.

        The side that changed the file; if both did, the longer text, as a choice that both machines make alike.
        """
        before, x, y = (side.files.get(path) for side in (self.was, self.one, self.other))
        if x == before or x is None:
            return self.other, self.one
        if y == before or y is None:
            return self.one, self.other
        return (self.one, self.other) if (len(x), x) >= (len(y), y) else (self.other, self.one)


def merge_namespace(path: str, sides: Sides, wanted: Sequence[Block]) -> bytes | None:
    """The text of a namespace file with exactly the wanted blocks and the comments of both sides; None: no file.

    The result is parsed and compared: a wrong merge is an AssertionError, never a file.
    """
    frame, other = sides.frame(path)
    document = frame.document(path) or other.document(path)
    # Without blocks a pool file goes, and one that a side removed.
    has = [side for side in (sides.one, sides.other) if path in side.files]
    is_left = len(has) == 2 or (len(has) == 1 and path not in sides.was.files)
    if not wanted and (path.startswith("low_value_pool/") or not is_left):
        return None
    if document is None:
        document = parse(NEW_FILE.encode(), path)
    wanted_by_id = {block.id: block for block in wanted}
    indexes = block_indexes(document)
    edits: list[Edit] = [
        Remove(("blocks", index)) for one, index in indexes.items() if one not in wanted_by_id
    ]
    present = {block.id: block for block in read_blocks(document)[0]}
    for block_id, index in indexes.items():
        if block_id in wanted_by_id:
            edits += _in_place(document, index, sides, present[block_id], wanted_by_id[block_id])
    fresh = sorted((b for b in wanted if b.id not in indexes), key=lambda b: (b.created_at, b.id))
    if fresh:
        edits.append(Append(("blocks",), tuple(_appended(path, sides, block) for block in fresh)))
    data = _with_lost(path, edit(document, edits), sides, other)
    blocks, problems = read_blocks(parse(data, path))
    if (fault := first_error(problems)) is not None:
        raise AssertionError(f"merged {path} does not read back: {fault.where} {fault.message}")
    if {block.id: block for block in blocks} != wanted_by_id or len(blocks) != len(wanted_by_id):
        raise AssertionError(f"merged {path} differs from what was meant")
    return data


def _in_place(document: Document, index: int, sides: Sides, here: Block, block: Block) -> list[Edit]:
    """The edits that turn the block at ``index`` into ``block``, using the text of the side that changed it."""
    at: Pointer = ("blocks", index)
    was, x, y = (side.raw(block.id) for side in (sides.was, sides.one, sides.other))
    if here == block and (x == y or not x or not y):
        return []
    own = cut(document, at).text
    # Only this side changed the text (its comments or layout, say), so it is right already.
    if here == block and own != was and was in (x, y):
        return []
    text = _chosen(sides, block, document.path)
    if own == text.text:
        return []
    plain = difference(document, index, here, block, place_of(document.path))
    # With equal comments, editing the values in place disturbs the person's layout least.
    if plain and _comments(text.text) == _comments(own):
        return plain
    return [Remove(at), Insert(("blocks",), index, text)]


def _appended(path: str, sides: Sides, block: Block) -> Json | Raw:
    if block.id not in sides.one.blocks() and block.id not in sides.other.blocks():
        return cast("Json", block_json(block, place_of(path)))
    return _chosen(sides, block, path)


def _chosen(sides: Sides, block: Block, path: str) -> Raw:
    """The text of the side that changed the block, edited to mean ``block``, with the other side's new comments."""
    was, x, y = (side.raw(block.id) for side in (sides.was, sides.one, sides.other))
    if not x or not y:
        side, other = (sides.one, "") if x else (sides.other, "")
    elif x == y or y == was:
        side, other = sides.one, ""
    elif x == was:
        side, other = sides.other, ""
    else:
        side, other = (sides.one, y) if (len(x), x) >= (len(y), y) else (sides.other, x)
    placed = side.blocks()[block.id]
    document = side.document(placed.path)
    assert document is not None
    text = moved(document, block_indexes(document)[block.id], placed.block, block, place_of(path)).text
    lost = _missing(_comments(other), _comments(was), _comments(text))
    return Raw("".join(f"{comment}\n" for comment in lost) + text)


def _comments(text: str) -> list[str]:
    return [found[1] for found in _TOKENS.finditer(text) if found[1]]


def _missing(new: Sequence[str], before: Sequence[str], present: Sequence[str]) -> list[str]:
    """The comments that one side added (not in ``before``) and that are not ``present`` either."""
    return [comment for comment in dict.fromkeys(new) if comment not in before and comment not in present]


def _with_lost(path: str, data: bytes, sides: Sides, other: Side) -> bytes:
    """The text with the other side's new comments outside of blocks at the top."""
    lost = _missing(_outside(other, path), _outside(sides.was, path), _comments(data.decode("utf-8-sig")))
    if not lost:
        return data
    mark = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    return mark + "".join(f"{comment}\n" for comment in lost).encode() + data[len(mark) :]


def _outside(side: Side, path: str) -> list[str]:
    """The comments of a file outside of its blocks."""
    if path not in side.files:
        return []
    comments = _comments(side.files[path].decode("utf-8-sig"))
    if holds_blocks(path):
        for block_id, placed in side.blocks().items():
            if placed.path == path:
                own = _comments(side.raw(block_id))
                comments = [comment for comment in comments if comment not in own]
    return comments


def merge_document(path: str, sides: Sides, spans_of: str = "blocks") -> bytes | None:
    """Merge a file without blocks (configuration, episodes, a schema) value by value; None: no file."""
    was, x, y = (side.document(path, spans_of) for side in (sides.was, sides.one, sides.other))
    if x is None or y is None:
        kept = x or y
        removed = kept is not None and was is not None and kept.text == was.text
        return None if kept is None or removed else edit(kept, ())
    frame, other = sides.frame(path)
    document = frame.document(path, spans_of)
    assert document is not None
    value = merge(was.value if was is not None else MISSING, x.value, y.value)
    data = _with_lost(path, edit(document, list(_edits((), document.value, value))), sides, other)
    if unordered(parse(data, path).value) != unordered(value):
        raise AssertionError(f"merged {path} differs from what was meant")
    return data


def _edits(at: Pointer, old: Any, new: Any) -> Iterator[Edit]:
    """The edits that turn one value into another, inside objects and lists of records where possible."""
    if same(old, new):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        yield from (Remove((*at, key)) for key in old if key not in new)
        for key, value in new.items():
            yield from _edits((*at, key), old[key], value) if key in old else [Set((*at, key), value)]
    elif old and is_records(old) and is_records(new):
        wanted_by_id = {item["id"]: item for item in new}
        for index, item in enumerate(old):
            if item["id"] in wanted_by_id:
                yield from _edits((*at, index), item, wanted_by_id[item["id"]])
            else:
                yield Remove((*at, index))
        present = {item["id"] for item in old}
        fresh = tuple(item for item in new if item["id"] not in present)
        if fresh:
            yield Append(at, fresh)
    else:
        yield Set(at, new)
