"""Rows of the search index: what changes in them when blocks of one file change.

A block has a *slot*, a number in its file that stays with it; postings and marks name slots, and the file's row lists
them in the file's order. So a changed block touches its own row, the postings of its words, its marks, and the file's
row; what the row holds of the others is taken over from it.
"""

from __future__ import annotations

import json
from array import array
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from alice_exp.finding.ports import Posting
from alice_exp.finding.store.index_query import (
    block_from,
    block_row,
    checksum_of,
    columns_of,
    posting_data,
    standing_row,
)
from alice_exp.finding.store.near_rows import ASKED, NearRows, asked, change_postings
from alice_exp.kernel.progress import followed
from alice_exp.kernel.text.tokens import thirds
from alice_exp.model.values.block import Placed, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from alice_exp.finding.store.database import Connection
    from alice_exp.model.values.block import Block

CHANGED = -1
"""Stands for the slot of a block that is new or changed."""

FEW = 4
"""If more than one block in so many changed, all postings of the file are written anew: that is faster."""


class FileRows:
    """The rows of one file, brought up to date by ``write``; ``number`` is that of the file's own row."""

    def __init__(self, connection: Connection, path: str, mark: Callable[[Block], Block]) -> None:
        self._connection = connection
        self._path = path
        self._mark = mark
        names = "file, slots, living, lengths, weights, updated, stretches, types, learned"
        row = connection.execute(f"SELECT {names} FROM files WHERE path = ?", (path,)).fetchone()
        if row is None:
            made = connection.execute(
                "INSERT INTO files VALUES (NULL, ?, '', 0, x'', 0, x'', x'', x'', x'', x'', x'', x'', '', 0)",
                (path,),
            )
            row = (made.lastrowid, b"", b"", b"", b"", b"", b"", b"", "")
        self.number = int(row[0])
        self.slots, self._living, self._lengths = (array("I", data) for data in row[1:4])
        weights, updated, stretches = (array("d", data) for data in row[4:7])
        self._standings = dict(
            zip(self._living, zip(weights, row[7], updated, stretches, strict=True), strict=True)
        )
        self._learned = row[8]

    def held(self) -> dict[int, tuple[Any, ...]]:
        """The rows of the file's blocks (id, body, context) by slot."""
        query = "SELECT slot, id, body, context FROM blocks WHERE file = ?"
        return {slot: tuple(row) for slot, *row in self._connection.execute(query, (self.number,))}

    def agree_with(self, blocks: Mapping[int, Block]) -> bool:
        """Whether the marks and concerns are those of the file's blocks, by slot: plain numbers, which no checksum
        covers."""
        marked = self._connection.execute("SELECT mark, file, slot FROM marks WHERE file = ?", (self.number,))
        return {*marked} == {*self._marked(blocks)} and NearRows(
            self._connection, self.number, self._path
        ).agree_with(blocks)

    def judge_anew(self) -> None:
        """Bring what concerns a report up to the ledger, which moved."""
        NearRows(self._connection, self.number, self._path).judge_anew(self._blocks(self.slots))

    def write(
        self, known: Sequence[int], fresh: Mapping[int, Block], content: str, *, is_plain: bool
    ) -> list[tuple[Any, ...]]:
        """Delete and update rows for the file's blocks, and return those to insert.

        They are inserted after all files' deletions, because a block may move between files with its id. ``known`` are
        the slots of the blocks, ``CHANGED`` for each that is new or changed: these are ``fresh``, by their place.
        """
        slots = self._numbered(known, fresh)
        changed = {slots[at]: block for at, block in fresh.items()}
        gone = {*self.slots}.difference(slots).union(changed)
        were = self._blocks(slot for slot in self.slots if slot in gone)
        # An outcome, or a fold of reads over many blocks, changes no text: postings and what was learned stay.
        same = {slot for slot, one in changed.items() if slot in were and _text(were[slot]) == _text(one)}
        changed = {slot: self._mark(block) for slot, block in changed.items()}
        is_whole = _is_much(len(changed) - len(same), slots)
        if is_whole:
            kept = self._blocks(slot for slot in slots if slot not in changed)
            changed = {at: changed.get(slot) or kept[slot] for at, slot in enumerate(slots)}
            slots = array("I", range(len(slots)))
            gone = {*self.slots, *slots}
        lived = frozenset(self._living)
        born = {slot for slot, one in changed.items() if _is_living(one, self._path)}
        living = array("I", (at for at in slots if (at in born if at in changed else at in lived)))
        alive = {slot: changed[slot] for slot in living if slot in changed}
        told: set[int] = set()
        near = NearRows(self._connection, self.number, self._path)
        if is_whole:
            lengths = self._rewrite_postings(living, [*alive.values()])
            self._connection.execute("DELETE FROM marks WHERE file = ?", (self.number,))
            near.rewrite(changed)
        else:
            told = {slot for slot in alive if slot in lived and slot in same}
            lengths = self._change_postings(living, _without(were, told), _without(alive, told))
            self._connection.executemany(
                "DELETE FROM marks WHERE mark = ? AND file = ? AND slot = ?", self._marked(were)
            )
            near.change(were, changed)
        self._connection.executemany("INSERT OR IGNORE INTO marks VALUES (?, ?, ?)", self._marked(changed))
        self._learn(living, gone - told, alive)
        self._delete(gone, is_whole)
        self._update(content, is_plain, slots, living, lengths, alive)
        place = place_of(self._path)
        return [(self.number, slot, *block_row(block, place)) for slot, block in changed.items()]

    def _learn(self, living: array[int], gone: set[int], alive: Mapping[int, Block]) -> None:
        """Measure the noise of the texts again if one of the first changed."""
        first = sample_size(len(living))
        sample = living[:first]
        is_same = first == sample_size(len(self._living)) and sample == self._living[:first]
        if self._learned and is_same and gone.isdisjoint(sample):
            return
        kept = self._blocks(slot for slot in sample if slot not in alive)
        self._learned = _learned([alive.get(slot) or kept[slot] for slot in sample])

    def _update(
        self,
        content: str,
        is_plain: bool,
        slots: array[int],
        living: array[int],
        lengths: array[int],
        alive: Mapping[int, Block],
    ) -> None:
        states = columns_of(
            (standing_row(alive[slot], place_of(self._path)) if slot in alive else self._standings[slot])
            for slot in living
        )
        columns = (slots, living, *states, lengths)
        stored = (*(bytes(memoryview(column).cast("B")) for column in columns), self._learned)
        self._connection.execute(
            "UPDATE files SET content = ?, plain = ?, slots = ?, living = ?, weights = ?, types = ?, updated = ?,"
            " stretches = ?, lengths = ?, learned = ?, checksum = ? WHERE file = ?",
            (content, is_plain, *stored, checksum_of(self._path, stored), self.number),
        )

    def _blocks(self, slots: Iterable[int]) -> dict[int, Block]:
        """The blocks of some slots as the rows hold them."""
        query = "SELECT slot, body FROM blocks WHERE file = ? AND slot IN"
        place = place_of(self._path)
        rows = asked(self._connection, query, self.number, sorted(slots))
        return {slot: self._mark(block_from(body, place)) for slot, body in rows}

    def _marked(self, blocks: Mapping[int, Block]) -> list[tuple[int, int, int]]:
        """The rows of ``marks`` for some blocks by slot."""
        from alice_exp.model.rules.identity import marks

        return [(mark, self.number, slot) for slot, block in blocks.items() for mark in marks(block)]

    def _numbered(self, known: Sequence[int], fresh: Mapping[int, Block]) -> array[int]:
        """Each block's slot: a changed block keeps that of its id, so that slots mostly ascend; a new one gets the
        next."""
        query = "SELECT id, slot FROM blocks WHERE file = ? AND id IN"
        of_id = dict(asked(self._connection, query, self.number, [block.id for block in fresh.values()]))
        last = max(self.slots, default=-1)
        slots = array("I")
        for at, slot in enumerate(known):
            slot = of_id.get(fresh[at].id, CHANGED) if slot == CHANGED else slot
            if slot == CHANGED:
                slot = last = last + 1
            slots.append(slot)
        return slots

    def _rewrite_postings(self, living: Sequence[int], blocks: Sequence[Block]) -> array[int]:
        from alice_exp.finding.rules.corpus import block_text, index_texts

        self._connection.execute("DELETE FROM postings WHERE file = ?", (self.number,))
        lengths, postings = index_texts([block_text(block) for block in blocks])
        rows = (
            (self.number, token, posting_data(Posting([living[at] for at in one.indexes], one.counts)))
            for token, one in followed(sorted(postings.items()))
        )
        self._connection.executemany("INSERT INTO postings VALUES (?, ?, ?)", rows)
        return lengths

    def _change_postings(
        self, living: Sequence[int], were: Mapping[int, Block], coming: Mapping[int, Block]
    ) -> array[int]:
        """Replace the postings of some slots, and return the lengths of the living texts."""
        lengths = dict(zip(self._living, self._lengths, strict=True))
        before = _counts(were, self._path)
        after = _counts(coming, self._path)
        moves: defaultdict[str, dict[int, int]] = defaultdict(dict)
        for slot in {*before, *after}:
            old, new = before.get(slot, Counter()), after.get(slot, Counter())
            lengths[slot] = sum(thirds(token) * count for token, count in new.items() if " " not in token)
            for token in {*old, *new}:
                if old[token] != new[token]:
                    moves[token][slot] = new[token]
        change_postings(self._connection, "postings", self.number, moves)
        return array("I", (lengths[slot] for slot in living))

    def _delete(self, gone: Iterable[int], is_whole: bool) -> None:
        if is_whole:
            self._connection.execute("DELETE FROM blocks WHERE file = ?", (self.number,))
            return
        rows = ((self.number, slot) for slot in gone)
        self._connection.executemany("DELETE FROM blocks WHERE file = ? AND slot = ?", rows)


def _is_much(count: int, slots: Sequence[int]) -> bool:
    """Whether so many changed texts, or so many numbers that no block has, make it faster to write all rows anew."""
    return FEW * count > len(slots) or max(slots, default=0) > 2 * len(slots) + ASKED


def sample_size(count: int) -> int:
    """How many texts a file's noise is measured on (``rules.noise.sample_size``)."""
    from alice_exp.finding.rules.noise import sample_size as size

    return size(count)


def _learned(blocks: Sequence[Block]) -> str:
    from alice_exp.finding.rules.noise import learn_noise
    from alice_exp.kernel.text.tokens import tokens_many

    noise = learn_noise(tokens_many([_text(block) for block in blocks]))
    return json.dumps([noise.short, noise.long])


def _counts(blocks: Mapping[int, Block], path: str) -> dict[int, Counter[str]]:
    """How often each token and pair occurs in the text of each living block."""
    living = {slot: block for slot, block in blocks.items() if _is_living(block, path)}
    if not living:
        return {}
    from alice_exp.finding.rules.parsed_query import pairs_of
    from alice_exp.kernel.text.tokens import tokens_many

    rows = tokens_many([_text(block) for block in living.values()])
    return {slot: Counter([*row, *pairs_of(row)]) for slot, row in zip(living, rows, strict=True)}


def _text(block: Block) -> str:
    from alice_exp.finding.rules.corpus import block_text

    return block_text(block)


def _without(blocks: Mapping[int, Block], slots: set[int]) -> dict[int, Block]:
    return {slot: block for slot, block in blocks.items() if slot not in slots}


def _is_living(block: Block, path: str) -> bool:
    from alice_exp.finding.rules.corpus import is_living

    return is_living(Placed(block, path))
