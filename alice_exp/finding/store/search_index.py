"""The search index ``state/index.sqlite``: postings and blocks of every namespace file, in step with the files.

An act updates the rows that it touched (``follow``); a reader those of files that changed otherwise. The rows of one
file: ``index_rows``; opening and discarding: ``database``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from alice_exp.finding.store.database import (
    CHANGED,
    Connection,
    Database,
    IntegrityError,
    Unusable,
    is_certain,
    placed_from,
    signature_text,
)
from alice_exp.finding.store.index_query import Files, Indexed, Text, described, load
from alice_exp.home.file_home import Home
from alice_exp.home.ports import NEW, WrittenFile
from alice_exp.home.session import Session, once
from alice_exp.kernel.errors import AliceError, ProblemError
from alice_exp.kernel.journal.atomic_files import Signature
from alice_exp.kernel.value_class import blob_id
from alice_exp.model.values.block import Block, Entry, Placed
from alice_exp.model.values.snapshot import Catalogue

R = TypeVar("R")

_SCHEMA = """
CREATE TABLE files (
    file INTEGER PRIMARY KEY, path TEXT UNIQUE NOT NULL, signature TEXT, taken INTEGER, content TEXT, plain INTEGER,
    short REAL, long REAL, sample BLOB, ordered BLOB, checksum INTEGER
);
CREATE TABLE numbers (last INTEGER NOT NULL);
INSERT INTO numbers VALUES (0);
CREATE TABLE blocks (
    row INTEGER PRIMARY KEY, file INTEGER NOT NULL, id TEXT NOT NULL, standing TEXT, length INTEGER,
    checked INTEGER, situation TEXT, tokens TEXT, context TEXT, body TEXT NOT NULL, entry TEXT NOT NULL
);
CREATE UNIQUE INDEX block_ids ON blocks (id);
CREATE INDEX block_files ON blocks (file, length);
CREATE INDEX block_contexts ON blocks (row) WHERE context IS NOT NULL;
CREATE VIRTUAL TABLE texts USING fts5 (
    tokens, content='', tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'"
);
CREATE TABLE words (token TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE situations (tokens TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE marks (mark INTEGER NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (mark, row)) WITHOUT ROWID;
CREATE INDEX mark_rows ON marks (row);
CREATE TABLE concerns (
    kind TEXT NOT NULL, at NOT NULL, id TEXT NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (kind, at, id, row)
) WITHOUT ROWID;
CREATE INDEX concern_rows ON concerns (row);
CREATE TABLE ledger (oid TEXT NOT NULL);
INSERT INTO ledger VALUES ('');
"""


class HomeIndex(Database):
    """The index of one home, kept in step with its files, and deletable at any time; ``Indexed`` answers."""

    def __init__(self, home: Home, warn: Callable[[AliceError], None], path: Path | None = None) -> None:
        super().__init__(path or home.root / "state" / "index.sqlite", _SCHEMA, warn)
        self._home = home
        self._standings = home.standings
        self._known: tuple[tuple[Connection, int], Files] | None = None
        self._texts: dict[tuple[int, int], Text] = {}

    def ask(self, question: Callable[[Indexed], R]) -> R | None:
        """Refresh the index from the files and ask one snapshot of it; what it is given is valid during the call alone.

        ``None`` if the index cannot answer (see ``Database.answered``), for example because a file holds a problem or
        an id occurs twice: the files have to be read instead.
        """
        return self._home.steady(lambda files: self.answered(lambda: question(self._opened(files))))

    def misled(self) -> tuple[str, ...]:
        """The files that count as unchanged but whose rows are not those that would be made of them now; a damaged
        index: its own name."""
        return (self._home.steady(self._wrong) if self.exists() else None) or ()

    def _wrong(self, files: Mapping[str, Signature]) -> tuple[str, ...]:
        from tempfile import TemporaryDirectory

        with TemporaryDirectory() as place:
            fresh = HomeIndex(self._home, self._warn, Path(place, "index.sqlite"))
            made = fresh.answered(lambda: described(fresh._opened(files).rows)) or {}
            fresh.close()

        def differing(connection: Connection) -> tuple[str, ...]:
            if not self._is_judged(connection.execute):  # A ledger moved, by a sync say: a reader follows it.
                return ()
            held = described(connection.execute)
            stamps = connection.execute("SELECT path, signature, taken FROM files").fetchall()
            certain = (path for path, *of in stamps if path in made and is_certain(files[path], *of))
            return tuple(path for path in certain if held[path] != made[path])

        return self.check_rows(differing)

    def catalogue(self, contents: Mapping[str, str]) -> tuple[Collection[str], Catalogue] | None:
        """Those of some files (path to blob id) that the rows describe as they are and that hold no problem, and what
        answers for them as long as that is so; None for none."""

        def plain() -> dict[str, str]:
            ask = self._snapshot(self.begin()).rows
            rows = ask("SELECT path, content FROM files WHERE plain", ()) if self._is_judged(ask) else ()
            return {path: content for path, content in rows if contents.get(path) == content}

        files = self.answered(plain) or {}

        def asked(question: Callable[[Indexed], R]) -> R | None:
            def found() -> R | None:
                known = self._snapshot(self.begin())
                held: dict[str, str] = dict(known.rows("SELECT path, content FROM files", ()))
                return question(known) if files.items() <= held.items() else None

            return self.answered(found)

        return (files, asked) if files else None

    def _opened(self, files: Mapping[str, Signature]) -> Indexed:
        return self._snapshot(
            self.begin(lambda held: self._changed(held, files), lambda held: self._refresh(held, files))
        )

    def _snapshot(self, connection: Connection) -> Indexed:
        [(generation,)] = connection.execute("SELECT generation FROM about")
        state = connection, generation
        if self._known is None or self._known[0] != state:
            self._known = state, load(connection.execute)
        return Indexed(connection.execute, self._known[1], self.placed, self._texts)

    def _is_judged(self, ask: Callable[..., Iterator[tuple[Any, ...]]]) -> bool:
        """Whether the rows say what the ledger says, which a move by anybody else changes."""
        return [*ask("SELECT oid FROM ledger", ())] == [(self._standings.state,)]

    def placed(self, path: str, body: str, entry: str) -> Placed:
        """See ``placed_from``; with an owner key the ledger alone says what holds: anybody may write this database."""
        found = placed_from(path, body, entry)
        return Placed(self._standings.mark(found.block), path) if self._standings.is_signed else found

    def _entry(self, block_id: str) -> Entry:
        try:
            return self._standings.entry(block_id)
        except ProblemError:
            raise Unusable("the ledger cannot be read") from None

    # -- keeping in step ----------------------------------------------------------------------------------------

    def _changed(self, connection: Connection, files: Mapping[str, Signature]) -> bool:
        rows = connection.execute("SELECT path, signature, taken FROM files")
        known = {path: stamp for path, *stamp in rows}
        is_other = known.keys() != files.keys() or not self._is_judged(connection.execute)
        return is_other or any(not is_certain(files[path], *known[path]) for path in files)

    def _refresh(self, connection: Connection, files: Mapping[str, Signature]) -> None:
        # Loaded where a file changed: most searches only read.
        from alice_exp.finding.store.index_rows import FileRows, judge_anew

        held = connection.execute("SELECT path, file, signature, taken, content FROM files")
        known = {path: rest for path, *rest in held}
        for path in known.keys() - files.keys():
            FileRows(connection, path, self._entry).write([], {}, "", is_plain=False)
            connection.execute("DELETE FROM files WHERE file = ?", (known[path][0],))
        coming: list[tuple[Any, ...]] = []
        for path, signature in files.items():
            number, stored, taken, content = known.get(path, [0, "", 0, ""])
            if number and is_certain(signature, stored, taken):
                continue
            # Taken before reading, so that a change during the read makes the signature uncertain, not stale.
            at = time.time_ns()
            data, signature = self._home.reading.signed(path)
            if not number or content != blob_id(data):
                rows = FileRows(connection, path, self._entry)
                blocks, is_plain = self._indexable(path, data)
                known_rows = rows.known(blocks)
                fresh = {at: block for at, block in enumerate(blocks) if known_rows[at] == CHANGED}
                coming += rows.write(known_rows, fresh, blob_id(data), is_plain=is_plain)
            stamp = "UPDATE files SET signature = ?, taken = ? WHERE path = ?"
            connection.execute(stamp, (signature_text(signature), at, path))
        _insert(connection, coming)
        if not self._is_judged(connection.execute):
            judge_anew(connection, self._entry)
            connection.execute("UPDATE ledger SET oid = ?", (self._standings.state,))

    def _indexable(self, path: str, data: bytes) -> tuple[tuple[Block, ...], bool]:
        parsed = self._home.reading.sound(path, data)
        if parsed is None or any(not block.id for block in parsed[0]):
            raise Unusable(path)
        return parsed

    # -- following an act ---------------------------------------------------------------------------------------

    def follow(self, written: Iterable[WrittenFile]) -> None:
        """Update the rows that an act of this process touched; a file that was not in step before is left to a reader.

        Nothing is done without an index, and nothing is reported: whoever reads next puts right what is missing.
        """
        if self.exists():
            self.answered(lambda: self.begin(lambda _: True, lambda held: self._follow(held, written)))

    def _follow(self, connection: Connection, written: Iterable[WrittenFile]) -> None:
        from alice_exp.finding.store.index_rows import FileRows, judge_anew

        coming: list[tuple[Any, ...]] = []
        for one in written:
            query = "SELECT content, plain FROM files WHERE path = ?"
            row = connection.execute(query, (one.path,)).fetchone()
            if row is None or row[0] != blob_id(one.before):
                continue
            rows = FileRows(connection, one.path, self._entry)
            known = [rows.rows[at] if at != NEW else CHANGED for at in one.kept]
            plain = bool(row[1]) and one.is_plain
            coming += rows.write(known, one.fresh, blob_id(one.after), is_plain=plain)
            # A person may have saved the file since: the first reader compares its content.
            connection.execute("UPDATE files SET taken = 0 WHERE path = ?", (one.path,))
        _insert(connection, coming)
        judge_anew(connection, self._entry, self._standings.decided)
        # A ledger that moved before is left to a reader.
        moved = self._standings.moved
        connection.execute("UPDATE ledger SET oid = ? WHERE oid = ?", (moved[1], moved[0]))


def _insert(connection: Connection, coming: Sequence[tuple[Any, ...]]) -> None:
    """Write the rows of changed blocks, after all deletions, because a block may move between files with its id."""
    try:
        connection.executemany(f"INSERT INTO blocks VALUES ({','.join('?' * 11)})", coming)
    except IntegrityError:
        raise Unusable("an id stands twice") from None


@once
def index(session: Session) -> HomeIndex:
    """The search index of the home."""
    return HomeIndex(session.home, session.warn)
