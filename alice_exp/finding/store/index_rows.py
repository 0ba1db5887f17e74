"""Rows of the search index: what changes in them when blocks of one file change.

A block has a row with its text's tokens and how it stands; its number stays as long as its id stays in its file. An
FTS5 table knows which rows have a token; ``words`` counts the situations that have it, ``situations`` their blocks.
SQLite 3.40 deletes from a contentless FTS5 table by the old tokens alone, so the row keeps them.
"""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from alice_exp.finding.rules.concerns import TRUSTED_PLACES, concerns
from alice_exp.finding.rules.noise import NO_NOISE, Noise, learn_noise
from alice_exp.finding.store.database import Connection
from alice_exp.finding.store.index_query import (
    AMONG,
    CHANGED,
    KEPT,
    TOTALS,
    block_from,
    block_row,
    checksum,
    entry_row,
    ordered_rows,
    text_checksum,
    token_row,
)
from alice_exp.kernel.progress import followed
from alice_exp.kernel.text.tokens import thirds, tokens_many
from alice_exp.model.rules.ledger import with_entry
from alice_exp.model.values.block import Block, Placed, place_of
from alice_exp.model.values.ledger_entry import Entry

BESIDE = {"marks": 2, "concerns": 4}
"""The tables by which blocks are found otherwise than by words, and how many columns each has; the last but one, or the
last, is the row."""


class Text(NamedTuple):
    """A living block's text: a digest of it, how many characters of its tokens are its situation's, and the tokens as
    they are stored."""

    said: int
    lead: int
    tokens: str

    @property
    def words(self) -> tuple[str, frozenset[str]]:
        """Its situation, and the tokens that are none of it."""
        situation = self.tokens[: self.lead]
        return situation, frozenset(self.tokens[self.lead :].split()).difference(situation.split())

    @property
    def length(self) -> int:
        """In thirds of a word."""
        return sum(map(thirds, self.tokens.split()))


class FileRows:
    """The rows of one file, brought up to date by ``write``; ``number`` is that of the file's own row, ``entry`` gives
    an id's entry of the ledger."""

    def __init__(self, connection: Connection, path: str, entry: Callable[[str], Entry]) -> None:
        self._connection = connection
        self._path = path
        self._entry = entry
        query = "SELECT file, texts, length, sample FROM files WHERE path = ?"
        row = connection.execute(query, (path,)).fetchone()
        if row is None:
            short, long = NO_NOISE.short, NO_NOISE.long
            made = connection.execute(
                "INSERT INTO files VALUES (NULL, ?, '', 0, '', 0, 0, 0, ?, ?, x'', x'', ?)",
                (path, short, long, checksum((path, 0, 0, short, long, b"", b""))),
            )
            row = (made.lastrowid, 0, 0, b"")
        self.number, self._count, self._length = map(int, row[:3])
        self._sample = array("I", row[3])
        self.rows = ordered_rows(connection.execute, path)

    def held(self) -> dict[int, tuple[Any, ...]]:
        """The rows of the file's blocks (id, body, context) by number."""
        query = "SELECT row, id, body, context FROM blocks WHERE file = ?"
        return {row: tuple(rest) for row, *rest in self._connection.execute(query, (self.number,))}

    def agree_with(self, blocks: Mapping[int, Block]) -> bool:
        """Whether tokens, standings and all by which blocks are found are those of the file's blocks, by row."""
        blocks = self._marked(blocks)
        query = f"SELECT row, {KEPT}, entry FROM blocks WHERE file = ?"
        kept = {row: tuple(rest) for row, *rest in self._connection.execute(query, (self.number,))}
        texts = self._texts(blocks, {})
        if kept != {
            row: (*self._kept(block, texts.get(row)), entry_row(block.entry)) for row, block in blocks.items()
        }:
            return False
        found = self._beside(blocks)
        return all({*self._rows_of(table, blocks)} == {*found[table]} for table in BESIDE)

    def write(
        self, known: Sequence[int], fresh: Mapping[int, Block], content: str, *, is_plain: bool
    ) -> list[tuple[Any, ...]]:
        """Delete and update rows for the file's blocks, and return those to insert.

        They are inserted after all files' deletions, because a block may move between files with its id. ``known`` are
        the rows of the blocks, ``CHANGED`` for each that is new or changed: these are ``fresh``, by their place.
        """
        rows = self._numbered(known, fresh)
        changed = self._marked({rows[at]: block for at, block in fresh.items()})
        gone = {*self.rows}.difference(rows).union(changed.keys() & {*self.rows})
        query = f"SELECT row, said, lead, tokens FROM blocks WHERE tokens IS NOT NULL AND row IN {AMONG}"
        before = {row: Text(*text) for row, *text in self._connection.execute(query, (_listed(gone),))}
        after = self._texts(changed, before)
        self._reindex(before, after)
        beside = self._beside(changed)
        for table, count in BESIDE.items():
            self._connection.execute(f"DELETE FROM {table} WHERE row IN {AMONG}", (_listed(gone),))
            columns = ",".join("?" * count)
            self._connection.executemany(f"INSERT OR IGNORE INTO {table} VALUES ({columns})", beside[table])
        self._connection.execute(f"DELETE FROM blocks WHERE row IN {AMONG}", (_listed(gone),))
        self._update(content, is_plain, rows, before, after)
        place = place_of(self._path)
        coming = []
        for row, block in changed.items():
            _, body, context = block_row(block, place)
            kept = self._kept(block, after.get(row))
            coming.append((row, self.number, *kept, context, body, entry_row(block.entry)))
        return coming

    def _marked(self, blocks: Mapping[int, Block]) -> dict[int, Block]:
        return {row: with_entry(block, self._entry(block.id)) for row, block in blocks.items()}

    def _numbered(self, known: Sequence[int], fresh: Mapping[int, Block]) -> array[int]:
        """Each block's row: a changed block keeps that of its id, a new one gets the next."""
        query = f"SELECT id, row FROM blocks WHERE file = ? AND id IN {AMONG}"
        ids = json.dumps([block.id for block in fresh.values()])
        of_id = dict(self._connection.execute(query, (self.number, ids)))
        [(last,)] = self._connection.execute("SELECT last FROM numbers")
        rows = array("I")
        for at, row in enumerate(known):
            row = of_id.get(fresh[at].id, CHANGED) if row == CHANGED else row
            if row == CHANGED:
                row = last = last + 1
            rows.append(row)
        self._connection.execute("UPDATE numbers SET last = ?", (last,))
        return rows

    def _texts(self, blocks: Mapping[int, Block], before: Mapping[int, Text]) -> dict[int, Text]:
        """The texts of the living among some blocks, by row; one that was there ``before`` is not taken apart again."""
        living = {row: block for row, block in blocks.items() if _is_living(block, self._path)}
        if not living:
            return {}
        # An act that adds no text loads nothing of the ranking.
        from alice_exp.finding.rules.corpus import block_text

        spelt = {row: block_text(block) for row, block in living.items()}
        said = {row: _digest(f"{len(living[row].trigger.text)}\n{text}") for row, text in spelt.items()}
        found = {row: before[row] for row in living if row in before and before[row].said == said[row]}
        new = [row for row in living if row not in found]
        leads = tokens_many([living[row].trigger.text for row in new])
        for row, lead, tokens in zip(new, leads, tokens_many([spelt[row] for row in new]), strict=True):
            found[row] = Text(said[row], len(token_row(lead)), token_row(tokens))
        return found

    def _kept(self, block: Block, text: Text | None) -> tuple[Any, ...]:
        """The columns ``KEPT`` of a block's row."""
        if text is None:
            return (block.id, *[None] * 6)
        from alice_exp.finding.rules.corpus import standing

        own, length = json.dumps(standing(block, place_of(self._path))), text.length
        return (block.id, own, length, text_checksum(own, length, text.tokens), *text)

    def _reindex(self, before: Mapping[int, Text], after: Mapping[int, Text]) -> None:
        """Take texts out of the tables of words, and others in."""
        out = [(row, text) for row, text in before.items() if after.get(row) != text]
        coming = [(row, text) for row, text in after.items() if before.get(row) != text]
        execute = self._connection.executemany
        execute(
            "INSERT INTO texts (texts, rowid, tokens) VALUES ('delete', ?, ?)",
            [(row, text.tokens) for row, text in out],
        )
        execute(
            "INSERT INTO texts (rowid, tokens) VALUES (?, ?)",
            followed([(row, text.tokens) for row, text in coming]),
        )
        words: Counter[str] = Counter()
        situations: Counter[str] = Counter()
        for sign, texts in ((-1, out), (1, coming)):
            for _, text in texts:
                situation, others = text.words
                situations[situation] += sign
                for word in others:
                    words[word] += sign
        query = f"SELECT tokens, n FROM situations WHERE tokens IN {AMONG}"
        held = dict(self._connection.execute(query, (json.dumps([*situations]),)))
        for situation, more in situations.items():
            had = held.get(situation, 0)
            for word in {*situation.split()}:
                words[word] += (had + more > 0) - (had > 0)
        self._count_up("situations", "tokens", situations)
        self._count_up("words", "token", words)

    def _count_up(self, table: str, key: str, counts: Mapping[str, int]) -> None:
        moved = [(one, count) for one, count in sorted(counts.items()) if count]
        self._connection.executemany(
            f"INSERT INTO {table} VALUES (?, ?) ON CONFLICT ({key}) DO UPDATE SET n = n + excluded.n", moved
        )
        fewer = [(one,) for one, count in moved if count < 0]
        self._connection.executemany(f"DELETE FROM {table} WHERE {key} = ? AND n <= 0", fewer)

    def _beside(self, blocks: Mapping[int, Block]) -> dict[str, list[tuple[Any, ...]]]:
        """The rows of ``BESIDE`` for some blocks by row; concerns of trusted files alone."""
        from alice_exp.model.rules.identity import marks

        found: dict[str, list[tuple[Any, ...]]] = {table: [] for table in BESIDE}
        found["marks"] = [(mark, row) for row, block in blocks.items() for mark in marks(block)]
        if blocks and place_of(self._path) in TRUSTED_PLACES:
            found["concerns"] = [
                one for row, block in blocks.items() for one in _concerns(row, Placed(block, self._path))
            ]
        return found

    def _rows_of(self, table: str, rows: Iterable[int]) -> list[tuple[Any, ...]]:
        query = f"SELECT * FROM {table} WHERE row IN {AMONG}"
        return [tuple(row) for row in self._connection.execute(query, (_listed(rows),))]

    def _update(
        self,
        content: str,
        is_plain: bool,
        rows: array[int],
        before: Mapping[int, Text],
        after: Mapping[int, Text],
    ) -> None:
        """Bring the file's own row up to date."""
        self._count += len(after) - len(before)
        self._length += sum(text.length for text in after.values())
        self._length -= sum(text.length for text in before.values())
        size = sample_size(self._count)
        sample = self._first(rows, size, after) if size else array("I")
        moved = {row for row in {*before, *after} if before.get(row) != after.get(row)}
        if sample != self._sample or not moved.isdisjoint(sample):
            noise = self._measured(sample, after) if sample else NO_NOISE
            self._connection.execute(
                "UPDATE files SET short = ?, long = ?, sample = ? WHERE file = ?",
                (noise.short, noise.long, sample.tobytes(), self.number),
            )
        self._connection.execute(
            "UPDATE files SET content = ?, plain = ?, texts = ?, length = ?, ordered = ? WHERE file = ?",
            (content, is_plain, self._count, self._length, rows.tobytes(), self.number),
        )
        query = f"SELECT {TOTALS} FROM files WHERE file = ?"
        [totals] = self._connection.execute(query, (self.number,))
        self._connection.execute(
            "UPDATE files SET checksum = ? WHERE file = ?", (checksum((self._path, *totals)), self.number)
        )

    def _first(self, rows: array[int], size: int, after: Mapping[int, Text]) -> array[int]:
        """The first ``size`` living rows in the order of the file."""
        found = array("I")
        query = f"SELECT row FROM blocks WHERE length IS NOT NULL AND row IN {AMONG}"
        for start in range(0, len(rows), size):
            some = rows[start : start + size]
            living = {row for (row,) in self._connection.execute(query, (_listed(some),))}
            found.extend(row for row in some if row in living or row in after)
            if len(found) >= size:
                break
        return found[:size]

    def _measured(self, sample: array[int], after: Mapping[int, Text]) -> Noise:
        query = f"SELECT row, tokens FROM blocks WHERE row IN {AMONG}"
        held = dict(self._connection.execute(query, (_listed(sample),)))
        return learn_noise([(after[row].tokens if row in after else held[row]).split() for row in sample])


def judge_anew(
    connection: Connection, entry: Callable[[str], Entry], ids: Collection[str] | None = None
) -> None:
    """Bring rows up to the ledger, which moved: those of some ids, or all."""
    chosen, values = ("", ()) if ids is None else (f"WHERE id IN {AMONG}", (json.dumps([*ids]),))
    query = f"SELECT row, id, entry, path, body FROM blocks JOIN files USING (file) {chosen}"
    for row, block_id, was, path, body in connection.execute(query, values).fetchall():
        now = entry(block_id)
        if (said := entry_row(now)) != was:
            connection.execute("UPDATE blocks SET entry = ? WHERE row = ?", (said, row))
            connection.execute("DELETE FROM concerns WHERE row = ?", (row,))
            placed = Placed(with_entry(block_from(body, place_of(path)), now), path)
            connection.executemany("INSERT INTO concerns VALUES (?, ?, ?, ?)", _concerns(row, placed))


def _concerns(row: int, placed: Placed) -> list[tuple[Any, ...]]:
    return [(kind, at, placed.block.id, row) for kind, at in concerns(placed)]


def sample_size(count: int) -> int:
    """How many texts a file's noise is measured on (``rules.noise.sample_size``)."""
    from alice_exp.finding.rules.noise import sample_size as size

    return size(count)


def _listed(rows: Iterable[int]) -> str:
    return json.dumps(sorted(rows))


def _digest(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


def _is_living(block: Block, path: str) -> bool:
    from alice_exp.finding.rules.corpus import is_living

    return is_living(Placed(block, path))
