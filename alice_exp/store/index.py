"""The derived index in ``state/index.sqlite``: postings and blocks of every namespace file, kept fresh file by file.

Never truth: deleting it loses nothing. It is made again when it is missing, damaged, of another version or of another
machine's byte order, and where it cannot be used the files answer, with one warning. An unchanged file is known by
its signature, an untouched content by its hash; where only counts or states of blocks changed, the postings stay, and
of a changed file only those rows are written that differ.
One connection a process; write-ahead logging, so that readers see one moment and never wait for a writer.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
import time
from array import array
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, TypeVar

from alice_exp.core.collection import Statistics
from alice_exp.core.errors import ProblemError
from alice_exp.core.model import Placed, place_of
from alice_exp.rules.matching import Segment
from alice_exp.rules.ranking import block_text, is_living
from alice_exp.store.files import RACY_NS
from alice_exp.store.indexed import Indexed, IndexedFile, block_rows, load, posting_data, standings_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from alice_exp.core.collection import Posting
    from alice_exp.core.errors import AliceError
    from alice_exp.core.model import Block
    from alice_exp.store.files import Signature
    from alice_exp.store.indexed import BlockRow

R = TypeVar("R")

VERSION = 3
"""Raised with every change of the tables, of the tokens or of what is learned from texts."""

PATIENCE = 1.0
"""Seconds that a reader waits for another process that is writing, before the files answer."""

_SCHEMA = """
CREATE TABLE files (
    file INTEGER PRIMARY KEY, path TEXT UNIQUE NOT NULL, signature TEXT NOT NULL, taken INTEGER NOT NULL,
    content BLOB NOT NULL,
    texts BLOB NOT NULL, living BLOB NOT NULL, states BLOB NOT NULL, types BLOB NOT NULL, updated BLOB NOT NULL,
    settled BLOB NOT NULL, lengths BLOB NOT NULL, learned TEXT NOT NULL
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
"""The blocks of a file's content, or ``None`` where it holds a problem: then the index does not answer."""

Read = Callable[[str], "tuple[bytes, Signature]"]
"""A file's bytes and signature; ``OSError`` as the system gave it."""


class _Unusable(Exception):
    """The files of the home are not such that the index may answer for them."""


class SearchIndex:
    """Keeps ``state/index.sqlite`` in step with the files and answers from it, see ``core.collection.Known``."""

    def __init__(self, path: Path, read: Read, parse: Parse, warn: Callable[[AliceError], None]) -> None:
        self._path = path
        self._read = read
        self._parse = parse
        self._warn = warn
        self._connection: sqlite3.Connection | None = None
        self._failed = False
        self._known: tuple[int, Sequence[IndexedFile], Statistics] | None = None

    def ask(self, files: Mapping[str, Signature], question: Callable[[Indexed], R]) -> R | None:
        """Ask the home as it is at one moment, brought in step with the namespace ``files`` (path and signature) first.

        ``None`` where the index cannot answer: a file holds a problem, an id stands twice, another process writes
        for longer than ``PATIENCE``, or the database fails (one warning a process; a damaged one is removed, so
        that the next question makes it anew). The answer must not read from what it was given any more.
        """
        try:
            return question(self._opened(files))
        except _Unusable:
            return None
        except sqlite3.Error as error:
            if isinstance(error, sqlite3.OperationalError) and re.search("locked|busy", str(error)):
                return None
            self._fail(error)
        except (OSError, ValueError, TypeError, IndexError, EOFError) as error:
            self._fail(error)
        finally:
            self._end()
        return None

    def misled(self, files: Mapping[str, Signature]) -> tuple[str, ...]:
        """The files that count as in step and whose rows are not those of their content; a damaged index: its own."""
        try:
            connection = self._connection = self._connection or self._connect()
            [(said,)] = connection.execute("PRAGMA quick_check(1)").fetchall()
            known = connection.execute("SELECT path FROM files").fetchall() if said == "ok" else []
            wrong = tuple(path for (path,) in known if self._is_misled(connection, files, path))
        except sqlite3.OperationalError:
            return ()  # another process is writing it
        except sqlite3.Error:
            said, wrong = "damaged", ()
        finally:
            self._end()
        return wrong if said == "ok" else (self._path.name,)

    def _is_misled(self, connection: sqlite3.Connection, files: Mapping[str, Signature], path: str) -> bool:
        query = "SELECT file, signature, taken, content FROM files WHERE path = ?"
        number, signature, taken, content = connection.execute(query, (path,)).fetchone()
        if path not in files or not _is_certain(files[path], signature, taken):
            return False
        data, _ = self._read(path)
        blocks = self._parse(path, data)
        return content != _hash(data) or _held(connection, number) != block_rows(blocks or (), place_of(path))

    def close(self) -> None:
        """Close the connection; the next reading opens another."""
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None
        self._known = None

    def forget(self) -> None:
        """Remove the index; the next reading makes it anew."""
        self.close()
        for ending in ("", "-wal", "-shm", "-journal"):
            self._path.with_name(self._path.name + ending).unlink(missing_ok=True)

    def _fail(self, error: Exception) -> None:
        """Say once that the files answer, and remove the index, so that the next question starts afresh."""
        with suppress(OSError):
            self.forget()
        if not self._failed:
            self._warn(
                ProblemError(
                    "the search index cannot be used, so the files are read instead: {why}",
                    why=str(error),
                    path=str(self._path),
                    hint="it is derived and is made again; delete it if this stays",
                )
            )
        self._failed = True

    def _end(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.rollback()

    # -- opening ------------------------------------------------------------------------------------------------

    def _opened(self, files: Mapping[str, Signature]) -> Indexed:
        connection = self._connection = self._connection or self._connect()
        connection.execute("BEGIN")
        if self._changed(connection, files):
            connection.rollback()
            connection.execute("BEGIN IMMEDIATE")
            self._refresh(connection, files)
            connection.commit()
            connection.execute("BEGIN")
        [(generation,)] = connection.execute("SELECT generation FROM about").fetchall()
        if self._known is None or self._known[0] != generation:
            loaded = load(connection.execute)
            living = (file for file in loaded if file.living)
            statistics = Statistics.of((file.lengths, file.near, file.noise) for file in living)
            self._known = (generation, loaded, statistics)
        return Indexed(connection.execute, *self._known[1:])

    def _connect(self) -> sqlite3.Connection:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = not self._path.exists()
        connection = self._open()
        try:
            usable = not fresh and _is_ours(connection)
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                connection.close()
                raise
            usable = False
        if usable:
            return connection
        connection.close()
        if not fresh:
            self.forget()
        connection = self._open()
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")
        if not _is_ours(connection):
            for statement in _SCHEMA.split(";"):
                connection.execute(statement)
            connection.execute("CREATE TABLE about (version TEXT NOT NULL, generation INTEGER NOT NULL)")
            connection.execute("INSERT INTO about VALUES (?, 0)", (_version(),))
        connection.commit()
        self._path.chmod(0o600)
        return connection

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=PATIENCE, isolation_level=None)
        connection.execute("PRAGMA synchronous = NORMAL")
        return connection

    # -- keeping in step ----------------------------------------------------------------------------------------

    def _changed(self, connection: sqlite3.Connection, files: Mapping[str, Signature]) -> bool:
        known = {
            path: (signature, taken)
            for path, signature, taken in connection.execute("SELECT path, signature, taken FROM files")
        }
        return known.keys() != files.keys() or any(
            not _is_certain(files[path], *known[path]) for path in files
        )

    def _refresh(self, connection: sqlite3.Connection, files: Mapping[str, Signature]) -> None:
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
            if number and _is_certain(signature, stored, taken):
                continue
            at = time.time_ns()
            data, signature = self._read(path)
            if not number or content != _hash(data):
                blocks = self._indexable(path, data)
                number = self._replace(connection, path, blocks, _hash(data))
                changed.append((number, block_rows(blocks, place_of(path))))
            self._stamp(connection, number, signature, at)
        self._write_blocks(connection, changed)
        connection.execute("UPDATE about SET generation = generation + 1")

    def _indexable(self, path: str, data: bytes) -> tuple[Block, ...]:
        blocks = self._parse(path, data)
        if blocks is None or any(not block.id for block in blocks):
            raise _Unusable(path)
        return blocks

    def _stamp(self, connection: sqlite3.Connection, number: int, signature: Signature, at: int) -> None:
        connection.execute(
            "UPDATE files SET signature = ?, taken = ? WHERE file = ?", (_stamped(signature), at, number)
        )

    def _write_blocks(
        self, connection: sqlite3.Connection, changed: Sequence[tuple[int, list[BlockRow]]]
    ) -> None:
        """Write the rows that differ; all that go before all that come, for a block may move between files."""
        coming: list[tuple[Any, ...]] = []
        for number, rows in changed:
            held = set(_held(connection, number))
            gone = ((number, place) for place, *_ in held.difference(rows))
            connection.executemany("DELETE FROM blocks WHERE file = ? AND place = ?", gone)
            coming += ((number, *row) for row in rows if row not in held)
        try:
            connection.executemany("INSERT INTO blocks VALUES (?, ?, ?, ?, ?)", coming)
        except sqlite3.IntegrityError:
            raise _Unusable("an id stands twice") from None

    def _replace(
        self, connection: sqlite3.Connection, path: str, blocks: Sequence[Block], content: bytes
    ) -> int:
        """Write what a changed file's own row holds, and its postings where its texts changed; the row's number."""
        living = array("I", (at for at, block in enumerate(blocks) if is_living(Placed(block, path))))
        own = standings_of((blocks[place] for place in living), place_of(path))
        texts = [block_text(blocks[place]) for place in living]
        mark = _hash("\0".join(texts).encode("utf-8", "surrogatepass"))
        row = connection.execute("SELECT file, texts FROM files WHERE path = ?", (path,)).fetchone()
        if row is None or row[1] != mark:
            number = self._learn(connection, path, row[0] if row else None, texts, mark)
        else:
            number = int(row[0])
        connection.execute(
            "UPDATE files SET content = ?, living = ?, states = ?, types = ?, updated = ?, settled = ? WHERE file = ?",
            (content, living.tobytes(), *own, number),
        )
        return number

    def _learn(
        self, connection: sqlite3.Connection, path: str, number: int | None, texts: Sequence[str], mark: bytes
    ) -> int:
        """Write a file's postings and what they teach; the number of its row."""
        segment = Segment.of(texts)
        learned = json.dumps([segment.near, segment.noise.short, segment.noise.long])
        if number is None:
            values = (path, mark, segment.lengths.tobytes(), learned)
            cursor = connection.execute(
                "INSERT INTO files (path, signature, taken, content, texts, living, states, types, updated, settled,"
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

    def _write_postings(
        self, connection: sqlite3.Connection, number: int, postings: Mapping[str, Posting]
    ) -> None:
        held = dict(connection.execute("SELECT token, data FROM postings WHERE file = ?", (number,)))
        rows = {token: posting_data(posting) for token, posting in postings.items()}
        gone = ((number, token) for token in held.keys() - rows.keys())
        connection.executemany("DELETE FROM postings WHERE file = ? AND token = ?", gone)
        coming = ((number, token, data) for token, data in sorted(rows.items()) if held.get(token) != data)
        connection.executemany("INSERT OR REPLACE INTO postings VALUES (?, ?, ?)", coming)


def _held(connection: sqlite3.Connection, number: int) -> list[BlockRow]:
    query = "SELECT place, id, body, context FROM blocks WHERE file = ? ORDER BY place"
    return connection.execute(query, (number,)).fetchall()


def _remove(connection: sqlite3.Connection, number: int) -> None:
    connection.execute("DELETE FROM blocks WHERE file = ?", (number,))
    connection.execute("DELETE FROM postings WHERE file = ?", (number,))


def _version() -> str:
    return f"{VERSION}-{sys.byteorder}-{array('I').itemsize}"


def _is_ours(connection: sqlite3.Connection) -> bool:
    found = connection.execute("SELECT name FROM sqlite_master WHERE name = 'about'").fetchone()
    if found is None:
        return False
    row = connection.execute("SELECT version FROM about").fetchone()
    return row is not None and row[0] == _version()


def _hash(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).digest()


def _stamped(signature: Signature) -> str:
    return f"{signature.mtime},{signature.ctime},{signature.size},{signature.inode}"


def _is_certain(signature: Signature, stored: str, taken: int) -> bool:
    """Whether a file is certainly what it was when its signature was taken (ns): not changed within the same tick."""
    return _stamped(signature) == stored and max(signature.mtime, signature.ctime) < taken - RACY_NS
