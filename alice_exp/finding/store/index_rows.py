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
from typing import Any, NamedTuple

from alice_exp.finding.rules.concerns import (
    NO_NOISE,
    Noise,
    block_text,
    concerns,
    is_living,
    learn_noise,
    sample_size,
    standing,
)
from alice_exp.finding.store.database import (
    AMONG,
    CHANGED,
    MEASURED,
    Connection,
    block_row,
    checksum,
    entry_row,
    ordered_rows,
    placed_from,
    text_checksum,
    token_row,
)
from alice_exp.kernel.errors import followed
from alice_exp.kernel.text.tokens import thirds, tokens_many
from alice_exp.model.rules.identity import marks
from alice_exp.model.rules.ledger import with_entry
from alice_exp.model.values.block import Block, Entry, Placed, place_of


class Text(NamedTuple):
    """The tokens of a living block's text, and those of its situation, as they are stored; its length in thirds of a
    word."""

    situation: str
    tokens: str
    length: int


class FileRows:
    """The rows of one file, brought up to date by ``write``; ``number`` is that of the file's own row, ``entry`` gives
    an id's entry of the ledger."""

    def __init__(self, connection: Connection, path: str, entry: Callable[[str], Entry]) -> None:
        self._connection, self._path, self._place, self._entry = connection, path, place_of(path), entry
        self._sample, self._noise, self.rows = array("I"), NO_NOISE, array("I")
        query = "SELECT file, short, long, sample FROM files WHERE path = ?"
        row = connection.execute(query, (path,)).fetchone()
        if row is None:
            self.number = connection.execute("INSERT INTO files (path) VALUES (?)", (path,)).lastrowid
        else:
            self.number, self._noise, self._sample = row[0], Noise(*row[1:3]), array("I", row[3])
            self.rows = ordered_rows(connection.execute, path)

    def known(self, blocks: Iterable[Block]) -> list[int]:
        """The rows of the file's blocks as they stand, ``CHANGED`` for those whose row would differ."""
        query = "SELECT row, id, body, context FROM blocks WHERE file = ?"
        held = {tuple(said): row for row, *said in self._connection.execute(query, (self.number,))}
        return [held.get(block_row(block, self._place), CHANGED) for block in blocks]

    def write(
        self, known: Sequence[int], fresh: Mapping[int, Block], content: str, *, is_plain: bool
    ) -> list[tuple[Any, ...]]:
        """Delete and update rows for the file's blocks, and return those to insert.

        They are inserted after all files' deletions, because a block may move between files with its id. ``known`` are
        the rows of the blocks, ``CHANGED`` for each that is new or changed: these are ``fresh``, by their place.
        """
        rows = self._numbered(known, fresh)
        changed = {
            rows[at]: Placed(with_entry(block, self._entry(block.id)), self._path)
            for at, block in fresh.items()
        }
        gone = _listed({*self.rows}.difference(rows).union(changed.keys() & {*self.rows}))
        query = (
            f"SELECT row, situation, tokens, length FROM blocks WHERE length IS NOT NULL AND row IN {AMONG}"
        )
        before = {row: Text(*text) for row, *text in self._connection.execute(query, (gone,))}
        after = _texts(changed)
        self._reindex(before, after)
        for table in ("marks", "concerns", "blocks"):
            self._connection.execute(f"DELETE FROM {table} WHERE row IN {AMONG}", (gone,))
        many = self._connection.executemany
        marked = [(mark, row) for row, placed in changed.items() for mark in marks(placed.block)]
        many("INSERT OR IGNORE INTO marks VALUES (?, ?)", marked)
        for row, placed in changed.items():
            many("INSERT OR IGNORE INTO concerns VALUES (?, ?, ?, ?)", _concerns(row, placed))
        moved = {row for row in {*before, *after} if before.get(row) != after.get(row)}
        self._update(content, is_plain, rows, moved, after)
        return [self._row(row, placed, after.get(row)) for row, placed in changed.items()]

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

    def _row(self, row: int, placed: Placed, text: Text | None) -> tuple[Any, ...]:
        """A block's row, in the order of the columns."""
        block_id, body, context = block_row(placed.block, self._place)
        said: tuple[Any, ...] = (None,) * 5
        if text is not None:
            own = json.dumps(standing(placed.block, self._place))
            said = (own, text.length, text_checksum(own, text.length, text.tokens), *text[:2])
        return (row, self.number, block_id, *said, context, body, entry_row(placed.block.entry))

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
                situations[text.situation] += sign
                for word in {*text.tokens.split()}.difference(text.situation.split()):
                    words[word] += sign
        query = f"SELECT tokens, n FROM situations WHERE tokens IN {AMONG}"
        held = dict(self._connection.execute(query, (json.dumps([*situations]),)))
        for situation, more in situations.items():
            had = held.get(situation, 0)
            for word in {*situation.split()}:
                words[word] += (had + more > 0) - (had > 0)
        for table, key, counts in (("situations", "tokens", situations), ("words", "token", words)):
            moved = [(one, count) for one, count in sorted(counts.items()) if count]
            more_of = f"ON CONFLICT ({key}) DO UPDATE SET n = n + excluded.n"
            execute(f"INSERT INTO {table} VALUES (?, ?) {more_of}", moved)
            fewer = [(one,) for one, count in moved if count < 0]
            execute(f"DELETE FROM {table} WHERE {key} = ? AND n <= 0", fewer)

    def _update(
        self,
        content: str,
        is_plain: bool,
        rows: array[int],
        moved: Collection[int],
        after: Mapping[int, Text],
    ) -> None:
        """Bring the file's own row up to date, beside the texts that came or went."""
        execute = self._connection.execute
        [(count,)] = execute("SELECT count(length) FROM blocks WHERE file = ?", (self.number,))
        sample = self._first(rows, sample_size(count + len(after)), after)
        if sample != self._sample or not {*sample}.isdisjoint(moved):
            query = f"SELECT row, tokens FROM blocks WHERE row IN {AMONG}"
            held = dict(execute(query, (_listed(sample),)))
            held.update((row, after[row].tokens) for row in sample if row in after)
            self._noise = learn_noise([held[row].split() for row in sample])
        measured = (self._noise.short, self._noise.long, sample.tobytes(), rows.tobytes())
        execute(
            f"UPDATE files SET (content, plain, {MEASURED}, checksum) = (?, ?, ?, ?, ?, ?, ?) WHERE file = ?",
            (content, is_plain, *measured, checksum((self._path, *measured)), self.number),
        )

    def _first(self, rows: array[int], size: int, after: Mapping[int, Text]) -> array[int]:
        """The first ``size`` living rows in the order of the file."""
        found = array("I")
        query = f"SELECT row FROM blocks WHERE length IS NOT NULL AND row IN {AMONG}"
        for start in range(0, len(rows) if size else 0, size or 1):
            some = rows[start : start + size]
            living = {row for (row,) in self._connection.execute(query, (_listed(some),))}
            found.extend(row for row in some if row in living or row in after)
            if len(found) >= size:
                break
        return found[:size]


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
            placed = Placed(with_entry(placed_from(path, body, "").block, now), path)
            connection.executemany("INSERT INTO concerns VALUES (?, ?, ?, ?)", _concerns(row, placed))


def _texts(blocks: Mapping[int, Placed]) -> dict[int, Text]:
    """The texts of the living among some blocks, by row."""
    living = {row: placed.block for row, placed in blocks.items() if is_living(placed)}
    texts = tokens_many([block_text(block) for block in living.values()])
    situations = tokens_many([block.trigger.text for block in living.values()])
    return {
        row: Text(token_row(situation), token_row(text), sum(map(thirds, text)))
        for row, situation, text in zip(living, situations, texts, strict=True)
    }


def _concerns(row: int, placed: Placed) -> list[tuple[Any, ...]]:
    return [(kind, at, placed.block.id, row) for kind, at in concerns(placed)]


def _listed(rows: Iterable[int]) -> str:
    return json.dumps(sorted(rows))
