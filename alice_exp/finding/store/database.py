"""The derived databases in ``state/``: opened, kept in step and given up, whatever they hold.

Never truth: deleting one loses nothing. It is made again when it is missing, damaged, of another version or of another
machine's byte order, and where it cannot be used the files answer, with one warning. An unchanged file is known by
its signature, an untouched content by its hash.
One connection a process; write-ahead logging, so that readers see one moment and never wait for a writer.
The only module that imports ``sqlite3``.
"""

from __future__ import annotations

import re
import sqlite3
import sys
from array import array
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from sqlite3 import Connection, IntegrityError
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from alice_exp.kernel.errors import ProblemError
from alice_exp.kernel.journal.atomic_files import RACY_NS

if TYPE_CHECKING:
    from pathlib import Path

    from alice_exp.kernel.errors import AliceError
    from alice_exp.kernel.journal.atomic_files import Signature

__all__ = ["Connection", "Database", "IntegrityError", "Refresh", "Unusable", "generation_of", "hash_of"]
__all__ += ["is_certain", "stamped"]

R = TypeVar("R")

VERSION = 3
"""Raised with every change of the tables, of the tokens or of what is learned from texts."""

PATIENCE = 1.0
"""Seconds that a reader waits for another process that is writing, before the files answer."""

Refresh: TypeAlias = Callable[[Connection], None]
"""Brings a database in step, within a transaction that is open."""


class Unusable(Exception):
    """The files of the home are not such that the index may answer for them."""


class Database:
    """One derived database in ``state/``: opened when first asked, made anew where it is not ours or damaged.

    ``schema`` are the statements that make its tables, beside a table ``about`` of one row (version, generation).
    """

    def __init__(self, path: Path, schema: str, warn: Callable[[AliceError], None]) -> None:
        self._path = path
        self._schema = schema
        self._warn = warn
        self._connection: Connection | None = None
        self._failed = False

    def answered(self, question: Callable[[], R]) -> R | None:
        """What a question answers; ``None`` where the files have to.

        That is where they are not fit for the database, where another process writes for longer than ``PATIENCE``, or
        where it fails (one warning a process; a damaged one is removed, so that the next question makes it anew).
        """
        try:
            return question()
        except Unusable:
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

    def looked_through(self, wrong: Callable[[Connection], tuple[str, ...]]) -> tuple[str, ...]:
        """What is wrong with its rows; its own name where it is damaged.

        Nothing where there is none yet, or another process writes it.
        """
        if not self._path.exists():
            return ()
        try:
            connection = self._connection = self._connection or self._connect()
            [(said,)] = connection.execute("PRAGMA quick_check(1)").fetchall()
            return wrong(connection) if said == "ok" else (self._path.name,)
        except sqlite3.OperationalError:
            return ()
        except sqlite3.Error:
            return (self._path.name,)
        finally:
            self._end()

    def close(self) -> None:
        """Close the connection; the next question opens another."""
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None

    def forget(self) -> None:
        """Remove the database; the next question makes it anew."""
        self.close()
        for ending in ("", "-wal", "-shm", "-journal"):
            self._path.with_name(self._path.name + ending).unlink(missing_ok=True)

    def begun(self, is_behind: Callable[[Connection], bool], refresh: Refresh) -> Connection:
        """The connection within one moment, brought in step first where it ``is_behind``."""
        connection = self._connection = self._connection or self._connect()
        connection.execute("BEGIN")
        if is_behind(connection):
            connection.rollback()
            connection.execute("BEGIN IMMEDIATE")
            refresh(connection)
            connection.execute("UPDATE about SET generation = generation + 1")
            connection.commit()
            connection.execute("BEGIN")
        return connection

    def _fail(self, error: Exception) -> None:
        """Say once that the files answer, and remove the database, so that the next question starts afresh."""
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
        self._path.touch(mode=0o600)  # the files beside it are made with its mode
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
            self._path.touch(mode=0o600)
        connection = self._open()
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")
        if not _is_ours(connection):
            for statement in self._schema.split(";"):
                connection.execute(statement)
            connection.execute("CREATE TABLE about (version TEXT NOT NULL, generation INTEGER NOT NULL)")
            connection.execute("INSERT INTO about VALUES (?, 0)", (_version(),))
        connection.commit()
        return connection

    def _open(self) -> Connection:
        # A program may ask from one thread after another, as long as it is never from two at once.
        connection = sqlite3.connect(
            self._path, timeout=PATIENCE, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA synchronous = NORMAL")
        return connection


def generation_of(connection: Connection) -> int:
    """A number that changes with every refreshing."""
    [(generation,)] = connection.execute("SELECT generation FROM about").fetchall()
    return int(generation)


def _version() -> str:
    return f"{VERSION}-{sys.byteorder}-{array('I').itemsize}"


def _is_ours(connection: Connection) -> bool:
    found = connection.execute("SELECT name FROM sqlite_master WHERE name = 'about'").fetchone()
    if found is None:
        return False
    row = connection.execute("SELECT version FROM about").fetchone()
    return row is not None and row[0] == _version()


def hash_of(data: bytes) -> bytes:
    """By which a content is known again."""
    return blake2b(data, digest_size=16).digest()


def stamped(signature: Signature) -> str:
    """A signature as a row keeps it."""
    return f"{signature.mtime},{signature.ctime},{signature.size},{signature.inode}"


def is_certain(signature: Signature, stored: str, taken: int) -> bool:
    """Whether a file is certainly what it was when its signature was taken (ns): not changed within the same tick."""
    return stamped(signature) == stored and max(signature.mtime, signature.ctime) < taken - RACY_NS
