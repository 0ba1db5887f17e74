"""A derived SQLite database in ``state/``: opening, refreshing, discarding and rebuilding it; how blocks are its rows.

It is a cache: deleting it loses nothing. It is rebuilt when it is missing, damaged, or of another version or byte
order; when it cannot be used, the files are read instead, with one warning. A file is known to be unchanged by its
signature, its content by a hash. One connection per process, in WAL mode, so that readers have a consistent snapshot
and never wait for a writer. The only module that imports ``sqlite3``.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
import weakref
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar
from zlib import crc32

from alice_exp.kernel.errors import AliceError, ProblemError
from alice_exp.kernel.journal.atomic_files import Signature
from alice_exp.model.formats.block_schema import block_json, read_block
from alice_exp.model.rules import ledger
from alice_exp.model.values.block import NONE, Block, Entry, Place, Placed, place_of

Connection = sqlite3.Connection
DatabaseError = sqlite3.DatabaseError
IntegrityError = sqlite3.IntegrityError
R = TypeVar("R")

VERSION = 23
"""Incremented with every change of the tables, the tokenisation or the statistics learned from texts."""

PATIENCE = 1.0
"""Seconds to wait for another process that is writing, before the files are read instead."""


class Unusable(Exception):
    """The files of the home do not permit an index, for example because one of them holds a problem."""


class Database:
    """One derived database in ``state/``: opened at first use, recreated if it is damaged or of another version.

    ``schema`` holds the statements that create its tables; a table ``about`` of one row (version, generation) is added.
    """

    def __init__(self, path: Path, schema: str, warn: Callable[[AliceError], None]) -> None:
        self._path = path
        self._schema = schema
        self._warn = warn
        self._connection: Connection | None = None
        self._failed = False

    def answered(self, question: Callable[[], R]) -> R | None:
        """The result of ``question``; ``None`` if the files have to be read instead.

        That is if they cannot be indexed, if another process writes for longer than ``PATIENCE``, or if the database
        fails (one warning per process; it is removed, so that the next question recreates it).
        """
        try:
            return question()
        except Unusable:
            return None
        # Damage that SQLite does not notice shows when a row is decoded (JSON, arrays, indexes out of range).
        except (
            sqlite3.Error,
            OSError,
            ValueError,
            TypeError,
            LookupError,
            OverflowError,
            EOFError,
            RecursionError,
        ) as error:
            if not (isinstance(error, sqlite3.OperationalError) and re.search("locked|busy", str(error))):
                self._fail(error)
        finally:
            self._end()
        return None

    def check_rows(self, wrong: Callable[[Connection], tuple[str, ...]]) -> tuple[str, ...]:
        """The result of ``wrong``, which lists what is wrong with the rows; the file's own name if it is damaged.

        Empty while another process writes it.
        """
        try:
            connection = self._connection = self._connection or self._connect()
            [(verdict,)] = connection.execute("PRAGMA quick_check(1)").fetchall()
            return wrong(connection) if verdict == "ok" else (self._path.name,)
        except sqlite3.OperationalError:
            return ()
        except sqlite3.Error:
            return (self._path.name,)
        finally:
            self._end()

    def exists(self) -> bool:
        """Whether there is a database to keep in step."""
        return self._path.exists()

    def close(self) -> None:
        """Close the connection; the next question opens a new one."""
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None

    def forget(self) -> None:
        """Remove the database; the next question recreates it."""
        self.close()
        for ending in ("", "-wal", "-shm", "-journal"):
            self._path.with_name(self._path.name + ending).unlink(missing_ok=True)

    def begin(
        self,
        is_behind: Callable[[Connection], bool] = lambda _: False,
        refresh: Callable[[Connection], None] = lambda _: None,
    ) -> Connection:
        """The connection in a read transaction; if it ``is_behind``, ``refresh`` updates it from the files before, in
        one of its own."""
        connection = self._connection = self._connection or self._connect()
        connection.execute("BEGIN")
        if is_behind(connection):
            # A read transaction cannot wait for the write lock: SQLite refuses at once if another process wrote
            # meanwhile. So it ends, and `refresh` compares again under the lock.
            connection.rollback()
            connection.execute("BEGIN IMMEDIATE")
            refresh(connection)
            connection.execute("UPDATE about SET generation = generation + 1")
            connection.commit()
            connection.execute("BEGIN")
        return connection

    def _fail(self, error: Exception) -> None:
        """Warn once, and remove the database, so that the next question recreates it."""
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

    def _connect(self) -> Connection:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = not self._path.exists()
        self._path.touch(mode=0o600)  # SQLite gives the -wal and -shm files the mode of the database
        connection = self._open()
        try:
            if _is_ours(connection):
                return connection
        except sqlite3.OperationalError:
            # Locked or unreadable now, which says nothing about its content.
            connection.close()
            raise
        except sqlite3.DatabaseError:
            fresh = False
        if not fresh:
            connection.close()
            self.forget()
            self._path.touch(mode=0o600)
            connection = self._open()
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")
        # Another process may have created the tables before this one got the lock.
        if not _is_ours(connection):
            for statement in self._schema.split(";"):
                connection.execute(statement)
            connection.execute("CREATE TABLE about (version TEXT NOT NULL, generation INTEGER NOT NULL)")
            connection.execute("INSERT INTO about VALUES (?, 0)", (_version(),))
        connection.commit()
        return connection

    def _open(self) -> Connection:
        # Several threads may use it, as long as never two at once: SQLite's check would forbid that.
        connection = sqlite3.connect(
            self._path, timeout=PATIENCE, isolation_level=None, check_same_thread=False
        )
        # A power cut may lose the last commits, but not damage the file; lost rows are indexed again.
        connection.execute("PRAGMA synchronous = NORMAL")
        # The last one to close it takes the log of writes into the file; a process may leave without freeing values.
        weakref.finalize(self, connection.close)
        return connection


def in_memory(schema: str) -> Connection:
    """A database of these tables that lives as long as its connection."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.executescript(schema)
    return connection


def _version() -> str:
    # Arrays are stored as raw memory, so byte order and item size are part of the format.
    return f"{VERSION}-{sys.byteorder}-{array('I').itemsize}"


def _is_ours(connection: Connection) -> bool:
    found = connection.execute("SELECT name FROM sqlite_master WHERE name = 'about'").fetchone()
    if found is None:
        return False
    return bool(connection.execute("SELECT version FROM about").fetchone() == (_version(),))


def signature_text(signature: Signature) -> str:
    """A file signature as text, as stored in a row."""
    return f"{signature.mtime},{signature.ctime},{signature.size},{signature.inode}"


def is_certain(signature: Signature, stored: str, taken: int) -> bool:
    """Whether a file is certainly unchanged since its signature was taken (``taken`` in ns)."""
    return signature_text(signature) == stored and signature.is_older(taken)


AMONG = "(SELECT value FROM json_each(?))"
"""Many values as one, for SQLite limits how many a query may have."""

Rows = Callable[[str, tuple[Any, ...]], Iterator[tuple[Any, ...]]]
"""Executes an SQL query with its values and yields the rows."""

CHANGED = -1
"""Stands for the row of a block that is new or changed."""

MEASURED = "short, long, sample, ordered"
"""The columns of a file's row that its checksum is over, behind the path."""


def text_checksum(standing: str, length: int, tokens: str) -> int:
    """Of a living block's columns: hundreds of rows are read of them."""
    return crc32((standing + tokens).encode(), length)


def ordered_rows(rows: Rows, path: str) -> array[int]:
    """The numbers of a file's blocks in the order of the file; ``ValueError`` if they are not what was written."""
    [(*measured, check)] = rows(f"SELECT {MEASURED}, checksum FROM files WHERE path = ?", (path,))
    if check != checksum((path, *measured)):
        raise ValueError("a row of it is damaged")
    return array("I", measured[-1])


def checksum(values: tuple[Any, ...]) -> int:
    """Of the values of a row: SQLite has none of its own, and a flipped bit may make a search silent."""
    return crc32(repr(values).encode())


def token_row(tokens: Iterable[str]) -> str:
    """Tokens as they are stored, each with a blank on both sides, so that one, or a pair, is counted as a text is."""
    return "".join(f" {token} " for token in tokens)


def block_row(block: Block, place: Place) -> tuple[str, str, str | None]:
    """A block as it is stored: its id, its JSON behind eight digits of checksum, its context as JSON or None."""
    body = json.dumps(block_json(block, place), ensure_ascii=True, separators=(",", ":"))
    context = json.dumps(dict(block.trigger.context)) if block.trigger.context else None
    return block.id, _seal(body) + body, context


def entry_row(entry: Entry | None) -> str:
    """An entry of the ledger as it is stored beside its block; empty where nobody decided."""
    text = ledger.row(entry) if entry is not None and entry.id else ""
    return text and _seal(text) + text


@lru_cache(maxsize=1024)
def placed_from(path: str, body: str, entry: str) -> Placed:
    """The block of a row at its path, with its entry of the ledger; ``ValueError`` if the row is not what was written,
    so that the index is made anew."""
    # Read together: a list has thousands of rows.
    item, said = json.loads(f"[{_whole(body)},{_whole(entry) if entry else 'null'}]")
    block = read_block(item, place_of(path))
    held = ledger.entry_from(said) if said is not None else NONE
    if held.id not in ("", block.id):
        raise ValueError("a row of it is damaged")
    return Placed(ledger.with_entry(block, held), path)


def _whole(said: str) -> str:
    if said[:8] != _seal(said[8:]):
        raise ValueError("a row of it is damaged")
    return said[8:]


def _seal(text: str) -> str:
    return f"{crc32(text.encode('utf-8', 'surrogatepass')):08x}"
