"""Rows of the search index by which a report finds blocks without reading all: rough keys, and what concerns it.

The postings of rough keys are kept of trusted files alone: the others are small, or read anyway.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from alice_exp.finding.ports import Posting
from alice_exp.finding.rules.concerns import TRUSTED_PLACES, concerns
from alice_exp.finding.store.index_query import posting_data, posting_from
from alice_exp.model.values.block import Placed, place_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from alice_exp.finding.store.database import Connection
    from alice_exp.model.values.block import Block

ASKED = 500
"""The most values in one query: SQLite allows 999 at least."""


class NearRows:
    """These rows of one file, whose own number and path are given."""

    def __init__(self, connection: Connection, number: int, path: str) -> None:
        self._connection = connection
        self._number = number
        self._path = path
        self._is_trusted = place_of(path) in TRUSTED_PLACES

    def agree_with(self, blocks: Mapping[int, Block]) -> bool:
        """Whether what concerns a report is that of a file's blocks, by slot."""
        query = "SELECT kind, at, id, file, slot FROM concerns WHERE file = ?"
        return {*self._connection.execute(query, (self._number,))} == {*self._concerns(blocks)}

    def rewrite(self, blocks: Mapping[int, Block]) -> None:
        """Replace all rows by those of a file's blocks, by slot."""
        for table in ("concerns", "near"):
            self._connection.execute(f"DELETE FROM {table} WHERE file = ?", (self._number,))
        self._add_concerns(blocks)
        if self._is_trusted:
            self._move({}, blocks)

    def change(self, were: Mapping[int, Block], coming: Mapping[int, Block]) -> None:
        """Replace the rows of some slots."""
        query = "DELETE FROM concerns WHERE file = ? AND slot = ?"
        self._connection.executemany(query, [(self._number, slot) for slot in {*were, *coming}])
        self._add_concerns(coming)
        if self._is_trusted:
            # An outcome changes no text.
            same = {
                slot for slot, one in coming.items() if slot in were and _texts(one) == _texts(were[slot])
            }
            self._move(_without(were, same), _without(coming, same))

    def judge_anew(self, blocks: Mapping[int, Block]) -> None:
        """Replace what concerns a report by that of a file's blocks, by slot, after the ledger moved."""
        self._connection.execute("DELETE FROM concerns WHERE file = ?", (self._number,))
        self._add_concerns(blocks)

    def _add_concerns(self, blocks: Mapping[int, Block]) -> None:
        query = "INSERT OR REPLACE INTO concerns VALUES (?, ?, ?, ?, ?)"
        self._connection.executemany(query, self._concerns(blocks))

    def _concerns(self, blocks: Mapping[int, Block]) -> list[tuple[Any, ...]]:
        return [
            (kind, at, block.id, self._number, slot)
            for slot, block in blocks.items()
            for kind, at in concerns(Placed(block, self._path))
        ]

    def _move(self, were: Mapping[int, Block], coming: Mapping[int, Block]) -> None:
        if not (were or coming):
            return
        from alice_exp.finding.rules.nearness.shelf import shelf_keys

        moves: defaultdict[str, dict[int, int]] = defaultdict(dict)
        for blocks, count in ((were, 0), (coming, 1)):
            for slot, keys in zip(blocks, shelf_keys([*blocks.values()]), strict=True):
                for key in keys:
                    moves[key][slot] = count
        change_postings(self._connection, "near", self._number, moves)


def change_postings(
    connection: Connection, table: str, number: int, moves: Mapping[str, Mapping[int, int]]
) -> None:
    """Set the counts of some slots in the postings of some tokens of one file; 0 removes a slot."""
    query = f"SELECT token, data FROM {table} WHERE file = ? AND token IN"
    held = dict(asked(connection, query, number, sorted(moves)))
    rows = [(number, token, _changed(held.get(token, b""), moved)) for token, moved in sorted(moves.items())]
    connection.executemany(f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?)", rows)
    empty = [(number, token) for number, token, data in rows if not data]
    connection.executemany(f"DELETE FROM {table} WHERE file = ? AND token = ?", empty)


def asked(connection: Connection, query: str, number: int, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """The rows of a query for each of many values, ``ASKED`` at a time."""
    found: list[tuple[Any, ...]] = []
    for start in range(0, len(values), ASKED):
        some = values[start : start + ASKED]
        found += connection.execute(f"{query} ({','.join('?' * len(some))})", (number, *some))
    return found


def _changed(data: bytes, moved: Mapping[int, int]) -> bytes:
    """A posting's bytes after setting the counts of some slots; 0 removes one, and none left is no bytes."""
    held = posting_from(data)
    # In place: one block of thousands changes, and most often a new one comes last.
    slots, counts = array("I", held.indexes), bytearray(held.counts)
    for slot, count in sorted(moved.items()):
        at = bisect_left(slots, slot)
        is_held = at < len(slots) and slots[at] == slot
        if count and is_held:
            counts[at] = min(count, 255)
        elif count:
            slots.insert(at, slot)
            counts.insert(at, min(count, 255))
        elif is_held:
            del slots[at], counts[at]
    return posting_data(Posting(slots, bytes(counts)))


def _texts(block: Block) -> tuple[Any, ...]:
    return block.trigger.text, block.payload.content, block.payload.steps


def _without(blocks: Mapping[int, Block], slots: set[int]) -> dict[int, Block]:
    return {slot: block for slot, block in blocks.items() if slot not in slots}
