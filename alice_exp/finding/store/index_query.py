"""Queries of the search index: postings, blocks and lists from one snapshot of the home."""

from __future__ import annotations

import json
from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable
from functools import cached_property
from math import isnan, nan
from typing import TYPE_CHECKING, Any, TypeAlias
from zlib import crc32

from alice_exp.finding.ports import Noise, Posting, Standing
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.block_schema import block_json, read_block
from alice_exp.model.values.block import BLOCK_TYPES, Placed, place_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Sized

    from alice_exp.finding.ports import Statistics
    from alice_exp.kernel.jsonc.problem import Json
    from alice_exp.model.values.block import Block, Place

_AT_ONCE = 250
"""How many blocks a list reads at once: a short one does not read the home, a long one asks seldom."""

Rows = Callable[[str, tuple[Any, ...]], "Iterator[tuple[Any, ...]]"]
"""Executes an SQL query with its values and yields the rows."""

BlockRow: TypeAlias = "tuple[str, str, str | None]"
"""A block's id, its JSON, and the JSON of its trigger context or None."""


@dataclass(frozen=True)
class IndexedFile:
    """One indexed file: its row number, its path, the slots of all its blocks and of the living ones in the file's
    order, the living ones' ``Standing`` by column (types by number, last changes in seconds, NaN for none), and its
    texts' statistics."""

    number: int
    path: str
    slots: array[int]
    living: array[int]
    weights: array[float]
    types: bytes
    updated: array[float]
    stretches: array[float]
    lengths: array[int]
    noise: Noise

    @cached_property
    def at(self) -> dict[int, int] | None:
        """The place among the living of each of their slots; ``None`` if it is the slot itself."""
        plain = self.living == array("I", range(len(self.living)))
        return None if plain else {slot: at for at, slot in enumerate(self.living)}

    def place_of_slot(self, slot: int) -> int | None:
        """The place of a slot among the living, ``None`` if its block is not one of them."""
        if self.at is None:
            return slot if slot < len(self.living) else None
        return self.at.get(slot)

    def placed(self, posting: Posting) -> Posting:
        """A posting by slots as one by places among the living."""
        if self.at is None:
            return posting
        pairs = sorted(zip(map(self.at.__getitem__, posting.indexes), posting.counts, strict=True))
        return Posting([at for at, _ in pairs], bytes(count for _, count in pairs))


class Indexed:
    """One snapshot of the index; implements ``finding.ports.Known``. ``numbered`` are ids looked up in it before,
    ``mark`` gives a block what the ledger says of it."""

    def __init__(
        self,
        rows: Rows,
        files: Sequence[IndexedFile],
        statistics: Statistics,
        numbered: dict[str, int | None],
        mark: Callable[[Block], Block],
    ) -> None:
        self._rows = rows
        self._mark = mark
        self._numbered = numbered
        self._files = files
        self._searched = [file for file in files if file.living]
        self._starts = statistics.starts
        self.statistics = statistics

    def postings(self, tokens: frozenset[str]) -> Mapping[str, Posting]:
        """See ``finding.ports.Collection``."""
        from alice_exp.finding.rules.corpus import joined_postings

        asked = sorted(tokens)
        # One query a file: its rows are keyed by (file, token), and its indexes count from the file's start.
        query = f"SELECT token, data FROM postings WHERE file = ? AND token IN ({_marks(asked)})"
        return joined_postings(
            (
                start,
                {
                    token: file.placed(posting_from(data))
                    for token, data in self._rows(query, (file.number, *asked))
                },
            )
            for file, start in zip(self._searched, self._starts, strict=True)
        )

    def blocks(self, indexes: Sequence[int]) -> Sequence[Placed]:
        """See ``finding.ports.Collection``."""
        starts = self._starts
        asked: defaultdict[int, dict[int, int]] = defaultdict(dict)
        for index in indexes:
            at = bisect_right(starts, index) - 1
            asked[at][self._searched[at].living[index - starts[at]]] = index
        found: dict[int, Placed] = {}
        for at, places in asked.items():
            file = self._searched[at]
            query = f"SELECT slot, body FROM blocks WHERE file = ? AND slot IN ({_marks(places)})"
            for place, body in self._rows(query, (file.number, *places)):
                found[places[place]] = self._placed(body, file.path)
        return [found[index] for index in indexes]

    def standings(self, indexes: Sequence[int]) -> Sequence[Standing]:
        """See ``finding.ports.Collection``."""
        found = []
        for index in indexes:
            at = bisect_right(self._starts, index) - 1
            file, place = self._searched[at], index - self._starts[at]
            updated = file.updated[place]
            found.append(
                Standing(
                    file.weights[place],
                    BLOCK_TYPES[file.types[place]],
                    None if isnan(updated) else updated,
                    file.stretches[place],
                )
            )
        return found

    def numbers(self, ids: Collection[str]) -> Sequence[int]:
        """See ``finding.ports.Collection``."""
        # What was read waits for a day to be folded, thousands of ids: a process looks each of them up once.
        new = [one for one in ids if one not in self._numbered]
        if new:
            starts = {file.number: at for at, file in enumerate(self._searched)}
            self._numbered.update(dict.fromkeys(new))
            query = "SELECT id, file, slot FROM blocks WHERE id IN (SELECT value FROM json_each(?))"
            for one, number, slot in self._rows(query, (json.dumps(new),)):
                if number in starts:
                    at = self._searched[starts[number]].place_of_slot(slot)
                    self._numbered[one] = None if at is None else self._starts[starts[number]] + at
        return [at for at in map(self._numbered.__getitem__, ids) if at is not None]

    def contexts(self) -> Mapping[int, Mapping[str, Json]]:
        """See ``finding.ports.Collection``."""
        found: dict[int, Mapping[str, Json]] = {}
        for file, start in zip(self._searched, self._starts, strict=True):
            numbers = {place: start + at for at, place in enumerate(file.living)}
            query = "SELECT slot, context FROM blocks WHERE file = ? AND context IS NOT NULL"
            for place, context in self._rows(query, (file.number,)):
                if place in numbers:
                    found[numbers[place]] = json.loads(context)
        return found

    def within(self, places: Collection[Place]) -> Iterator[Placed]:
        """See ``finding.ports.Known``."""
        for file in self._files:
            if place_of(file.path) in places:
                for start in range(0, len(file.slots), _AT_ONCE):
                    slots = file.slots[start : start + _AT_ONCE]
                    query = f"SELECT slot, body FROM blocks WHERE file = ? AND slot IN ({_marks(slots)})"
                    bodies: dict[int, str] = dict(self._rows(query, (file.number, *slots)))
                    yield from (self._placed(bodies[slot], file.path) for slot in slots)

    def starting_with(self, prefix: str, most: int = 10) -> list[Placed]:
        """See ``finding.ports.Known``."""
        # A range instead of LIKE: it uses the index and takes `_` and `%` literally.
        query = "SELECT path, body FROM blocks JOIN files USING (file) WHERE id >= ? AND id < ? ORDER BY id LIMIT ?"
        return [
            self._placed(body, path) for path, body in self._rows(query, (prefix, prefix + "\uffff", most))
        ]

    def concerned(self, concern: str) -> list[Placed]:
        """See ``finding.ports.Known``."""
        query = """SELECT path, body FROM concerns JOIN blocks USING (file, slot) JOIN files USING (file)
            WHERE kind = ?"""
        return [self._placed(body, path) for path, body in self._rows(query, (concern,))]

    def _placed(self, body: str, path: str) -> Placed:
        return Placed(self._mark(block_from(body, place_of(path))), path)


StandingRow: TypeAlias = "tuple[float, int, float, float]"
"""A ``Standing`` as it is stored: weight, type by number, last change in seconds (NaN: none), stretch."""


def standing_row(block: Block, place: Place) -> StandingRow:
    """How a living block stands."""
    from alice_exp.finding.rules.corpus import standing

    own = standing(block, place)
    return (own.weight, BLOCK_TYPES.index(own.type), nan if own.updated is None else own.updated, own.stretch)


def columns_of(rows: Iterable[StandingRow]) -> tuple[array[float], bytes, array[float], array[float]]:
    """The columns of ``IndexedFile``: weights, types, last changes, stretches."""
    weights, types, updated, stretches = tuple(zip(*rows, strict=True)) or ((), (), (), ())
    return array("d", weights), bytes(types), array("d", updated), array("d", stretches)


def block_row(block: Block, place: Place) -> BlockRow:
    """A block as it is stored: its JSON behind eight digits of checksum."""
    body = json.dumps(block_json(block, place), ensure_ascii=True, separators=(",", ":"))
    context = json.dumps(dict(block.trigger.context)) if block.trigger.context else None
    return block.id, f"{crc32(body.encode()):08x}{body}", context


def load(rows: Rows) -> list[IndexedFile]:
    """All files of the index, in the order of their paths."""
    files = []
    names = "file, path, checksum, slots, living, weights, types, updated, stretches, lengths, learned"
    for number, path, checksum, *stored in rows(f"SELECT {names} FROM files ORDER BY path", ()):
        if checksum != checksum_of(path, stored):
            raise ValueError("a row of it is damaged")
        slots, living, weights, types, updated, stretches, lengths, learned = stored
        short, long = json.loads(learned)
        files.append(
            IndexedFile(
                number,
                path,
                array("I", slots),
                array("I", living),
                array("d", weights),
                types,
                array("d", updated),
                array("d", stretches),
                array("I", lengths),
                Noise(short, long),
            )
        )
    return files


def checksum_of(path: str, stored: Iterable[bytes | str]) -> int:
    """Of a file's row: its path and its columns from ``slots`` to ``learned``, with their lengths."""
    check = crc32(path.encode())
    for column in stored:
        data = column.encode() if isinstance(column, str) else column
        check = crc32(data, crc32(len(data).to_bytes(8, "little"), check))
    return check


def posting_data(posting: Posting) -> bytes:
    """A posting as stored: the indexes, four bytes each, the counts, one byte each, the checksum."""
    data = array("I", posting.indexes).tobytes() + bytes(posting.counts)
    if not data:
        return data
    return data + crc32(data).to_bytes(4, "little")


def _marks(values: Sized) -> str:
    return ",".join("?" * len(values))


def block_from(body: str, place: Place) -> Block:
    """The block of a row; ``ValueError`` if the row is not what was written, so that the index is made anew."""
    text = body[8:]
    if body[:8] != f"{crc32(text.encode()):08x}":
        raise ValueError("a row of it is damaged")
    return read_block(json.loads(text), place)


def posting_from(blob: bytes) -> Posting:
    """The inverse of ``posting_data``; ``ValueError`` if the checksum differs."""
    blob, check = blob[:-4], blob[-4:]
    if (blob or check) and crc32(blob).to_bytes(4, "little") != check:
        raise ValueError("a row of it is damaged")
    count = len(blob) // 5
    indexes = array("I")
    indexes.frombytes(blob[: 4 * count])
    return Posting(indexes, blob[4 * count :])
