"""The search index ``state/index.sqlite``: postings and blocks of every namespace file, refreshed file by file.

If only counts or states of blocks changed, the postings stay; in a changed file only the rows that differ are
written. Opening and discarding: ``finding.store.database``.
"""

from __future__ import annotations

import json
import time
from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from alice_exp.finding.ports import Statistics
from alice_exp.finding.store.database import (
    Database,
    IntegrityError,
    Unusable,
    generation_of,
    hash_of,
    is_certain,
    signature_text,
)
from alice_exp.finding.store.index_query import (
    Indexed,
    IndexedFile,
    block_rows,
    load,
    posting_data,
    standings_of,
)
from alice_exp.model.values.block import Placed, place_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from alice_exp.finding.ports import Posting
    from alice_exp.finding.store.database import Connection
    from alice_exp.finding.store.index_query import BlockRow
    from alice_exp.home.store.doors import FileHome
    from alice_exp.kernel.errors import AliceError
    from alice_exp.kernel.journal.atomic_files import Signature
    from alice_exp.model.values.block import Block

R = TypeVar("R")

_SCHEMA = """
CREATE TABLE files (
    file INTEGER PRIMARY KEY, path TEXT UNIQUE NOT NULL, signature TEXT NOT NULL, taken INTEGER NOT NULL,
    content BLOB NOT NULL,
    texts BLOB NOT NULL, living BLOB NOT NULL, weights BLOB NOT NULL, types BLOB NOT NULL, updated BLOB NOT NULL,
    stretches BLOB NOT NULL, lengths BLOB NOT NULL, learned TEXT NOT NULL
);
CREATE TABLE blocks (
    file INTEGER NOT NULL, place INTEGER NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, context TEXT,
    PRIMARY KEY (file, place)
) WITHOUT ROWID;
CREATE UNIQUE INDEX block_ids ON blocks (id);
CREATE INDEX block_contexts ON blocks (file, place) WHERE context IS NOT NULL;
CREATE TABLE postings (
    file INTEGER NOT NULL, token TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY (file, token)
) WITHOUT ROWID;
"""

Parse = Callable[[str, bytes], "tuple[Block, ...] | None"]
"""The blocks of a file's content; ``None`` if it holds a problem, so that the index cannot answer."""

Read = Callable[[str], "tuple[bytes, Signature]"]
"""A file's bytes and signature; raises ``OSError``."""


class HomeIndex:
    """The index of one home, kept in step with its files; see ``finding.ports.Index``."""

    def __init__(self, home: FileHome, warn: Callable[[AliceError], None]) -> None:
        self._home = home
        self._index = SearchIndex(
            home.root / "state" / "index.sqlite", home.bytes_of, home.sound_blocks, warn
        )

    def ask(self, question: Callable[[Indexed], R]) -> R | None:
        """See ``finding.ports.Index``."""
        return self._home.steady(lambda files: self._index.ask(files, question))

    def misled(self) -> tuple[str, ...]:
        """The files whose rows in the index do not agree with their content."""
        return self._home.steady(self._index.misled) or ()


class SearchIndex(Database):
    """Keeps ``state/index.sqlite`` in step with the files and answers from it, see ``finding.ports.Known``."""

    def __init__(self, path: Path, read: Read, parse: Parse, warn: Callable[[AliceError], None]) -> None:
        super().__init__(path, _SCHEMA, warn)
        self._read = read
        self._parse = parse
        self._known: tuple[int, Sequence[IndexedFile], Statistics] | None = None

    def ask(self, files: Mapping[str, Signature], question: Callable[[Indexed], R]) -> R | None:
        """Refresh the index from the namespace ``files`` (path and signature) and ask one snapshot of it.

        ``None`` if the index cannot answer (see ``Database.answered``), for example because a file holds a problem or
        an id occurs twice. The answer must not use the ``Indexed`` any more.
        """
        return self.answered(lambda: question(self._opened(files)))

    def misled(self, files: Mapping[str, Signature]) -> tuple[str, ...]:
        """The files that count as unchanged but whose rows differ from their content; a damaged index: its own name."""

        def wrong(connection: Connection) -> tuple[str, ...]:
            known = connection.execute("SELECT path FROM files").fetchall()
            return tuple(path for (path,) in known if self._is_misled(connection, files, path))

        return self.check_rows(wrong)

    def _is_misled(self, connection: Connection, files: Mapping[str, Signature], path: str) -> bool:
        query = "SELECT file, signature, taken, content FROM files WHERE path = ?"
        number, signature, taken, content = connection.execute(query, (path,)).fetchone()
        if path not in files or not is_certain(files[path], signature, taken):
            return False
        data, _ = self._read(path)
        blocks = self._parse(path, data)
        return content != hash_of(data) or _held(connection, number) != block_rows(
            blocks or (), place_of(path)
        )

    def close(self) -> None:
        """See ``Database``."""
        super().close()
        self._known = None

    def _opened(self, files: Mapping[str, Signature]) -> Indexed:
        connection = self.begin(
            lambda opened: self._changed(opened, files), lambda opened: self._refresh(opened, files)
        )
        generation = generation_of(connection)
        # Loading all files' statistics takes longer than most queries, so they are kept until the next refresh.
        if self._known is None or self._known[0] != generation:
            loaded = load(connection.execute)
            living = (file for file in loaded if file.living)
            statistics = Statistics.of((file.lengths, file.lending, file.noise) for file in living)
            self._known = (generation, loaded, statistics)
        return Indexed(connection.execute, *self._known[1:])

    # -- keeping in step ----------------------------------------------------------------------------------------

    def _changed(self, connection: Connection, files: Mapping[str, Signature]) -> bool:
        known = {
            path: (signature, taken)
            for path, signature, taken in connection.execute("SELECT path, signature, taken FROM files")
        }
        return known.keys() != files.keys() or any(
            not is_certain(files[path], *known[path]) for path in files
        )

    def _refresh(self, connection: Connection, files: Mapping[str, Signature]) -> None:
        known = {
            path: (number, signature, taken, content)
            for number, path, signature, taken, content in connection.execute(
                "SELECT file, path, signature, taken, content FROM files"
            )
        }
        for path in known.keys() - files.keys():
            _remove(connection, known[path][0])
            connection.execute("DELETE FROM files WHERE file = ?", (known[path][0],))
        changed: list[tuple[int, list[BlockRow]]] = []
        for path, signature in files.items():
            number, stored, taken, content = known.get(path, (0, "", 0, b""))
            if number and is_certain(signature, stored, taken):
                continue
            # Taken before reading, so that a change during the read makes the signature uncertain, not stale.
            at = time.time_ns()
            data, signature = self._read(path)
            if not number or content != hash_of(data):
                blocks = self._indexable(path, data)
                number = self._replace(connection, path, blocks, hash_of(data))
                changed.append((number, block_rows(blocks, place_of(path))))
            self._stamp(connection, number, signature, at)
        self._write_blocks(connection, changed)

    def _indexable(self, path: str, data: bytes) -> tuple[Block, ...]:
        blocks = self._parse(path, data)
        if blocks is None or any(not block.id for block in blocks):
            raise Unusable(path)
        return blocks

    def _stamp(self, connection: Connection, number: int, signature: Signature, at: int) -> None:
        connection.execute(
            "UPDATE files SET signature = ?, taken = ? WHERE file = ?",
            (signature_text(signature), at, number),
        )

    def _write_blocks(self, connection: Connection, changed: Sequence[tuple[int, list[BlockRow]]]) -> None:
        """Write the rows that differ; all deletions come first, because a block may move between files with its id."""
        coming: list[tuple[Any, ...]] = []
        for number, rows in changed:
            held = set(_held(connection, number))
            gone = ((number, place) for place, *_ in held.difference(rows))
            connection.executemany("DELETE FROM blocks WHERE file = ? AND place = ?", gone)
            coming += ((number, *row) for row in rows if row not in held)
        try:
            connection.executemany("INSERT INTO blocks VALUES (?, ?, ?, ?, ?)", coming)
        except IntegrityError:
            raise Unusable("an id stands twice") from None

    def _replace(self, connection: Connection, path: str, blocks: Sequence[Block], content: bytes) -> int:
        """Write a changed file's own row, and its postings if its texts changed; the row's number."""
        from alice_exp.finding.rules.corpus import block_text, is_living

        living = array("I", (at for at, block in enumerate(blocks) if is_living(Placed(block, path))))
        own = standings_of((blocks[place] for place in living), place_of(path))
        texts = [block_text(blocks[place]) for place in living]
        # Most changes are reads and verifications: with the texts' hash unchanged the postings stay as they are.
        mark = hash_of("\0".join(texts).encode("utf-8", "surrogatepass"))
        row = connection.execute("SELECT file, texts FROM files WHERE path = ?", (path,)).fetchone()
        if row is None or row[1] != mark:
            number = self._learn(connection, path, row[0] if row else None, texts, mark)
        else:
            number = int(row[0])
        connection.execute(
            "UPDATE files SET content = ?, living = ?, weights = ?, types = ?, updated = ?, stretches = ?"
            " WHERE file = ?",
            (content, living.tobytes(), *own, number),
        )
        return number

    def _learn(
        self, connection: Connection, path: str, number: int | None, texts: Sequence[str], mark: bytes
    ) -> int:
        """Write a file's postings and the statistics learned from them; the number of its row."""
        from alice_exp.finding.rules.bm25 import Segment

        segment = Segment.of(texts)
        learned = json.dumps([segment.lending, segment.noise.short, segment.noise.long])
        if number is None:
            values = (path, mark, segment.lengths.tobytes(), learned)
            cursor = connection.execute(
                "INSERT INTO files (path, signature, taken, content, texts, living, weights, types, updated, stretches,"
                " lengths, learned) VALUES (?, '', 0, x'', ?, x'', x'', x'', x'', x'', ?, ?)",
                values,
            )
            number = int(cursor.lastrowid or 0)
        else:
            connection.execute(
                "UPDATE files SET texts = ?, lengths = ?, learned = ? WHERE file = ?",
                (mark, segment.lengths.tobytes(), learned, number),
            )
        self._write_postings(connection, number, segment.postings)
        return number

    def _write_postings(self, connection: Connection, number: int, postings: Mapping[str, Posting]) -> None:
        held = dict(connection.execute("SELECT token, data FROM postings WHERE file = ?", (number,)))
        rows = {token: posting_data(posting) for token, posting in postings.items()}
        gone = ((number, token) for token in held.keys() - rows.keys())
        connection.executemany("DELETE FROM postings WHERE file = ? AND token = ?", gone)
        coming = ((number, token, data) for token, data in sorted(rows.items()) if held.get(token) != data)
        connection.executemany("INSERT OR REPLACE INTO postings VALUES (?, ?, ?)", coming)


def _held(connection: Connection, number: int) -> list[BlockRow]:
    query = "SELECT place, id, body, context FROM blocks WHERE file = ? ORDER BY place"
    return connection.execute(query, (number,)).fetchall()


def _remove(connection: Connection, number: int) -> None:
    connection.execute("DELETE FROM blocks WHERE file = ?", (number,))
    connection.execute("DELETE FROM postings WHERE file = ?", (number,))
