"""The episodes' index in ``state/episodes.sqlite``: what a search needs of them, so that their file need not be read.

Derived; how it is opened and given up: ``store.index``. An addition writes what it added; whatever else changed makes
the rows anew. The words of what was said are counted when a search first asks for them.
"""

from __future__ import annotations

import json
import time
from array import array
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast, overload

from alice_exp.core.collection import Noise, Statistics
from alice_exp.store.episode_rows import (
    ID,
    KINDS,
    SCHEMA,
    Rows,
    count,
    is_counted,
    is_in_step,
    part,
    put,
    rows_of,
    write,
)
from alice_exp.store.index import Database, Unusable, generation_of, hash_of, stamped
from alice_exp.store.indexed import posting_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from alice_exp.core.collection import Outline, Posting
    from alice_exp.core.errors import AliceError
    from alice_exp.core.problem import Json
    from alice_exp.core.records import Episode
    from alice_exp.store.files import Signature
    from alice_exp.store.index import Connection

R = TypeVar("R")


class _Uncounted(Exception):
    """A search asks for words that were not counted yet."""


class EpisodeSearch(Database):
    """Keeps ``state/episodes.sqlite`` in step with the episodes' file and answers from it.

    ``read`` gives the file's bytes and signature, ``parse`` its episodes, None where a problem freezes it.
    """

    def __init__(
        self,
        path: Path,
        read: Callable[[], tuple[bytes, Signature]],
        parse: Callable[[bytes], Rows | None],
        warn: Callable[[AliceError], None],
    ) -> None:
        super().__init__(path, SCHEMA, warn)
        self._read = read
        self._parse = parse
        self._known: tuple[int, KeptEpisodes] | None = None

    def ask(self, signature: Signature, question: Callable[[KeptEpisodes], R]) -> R | None:
        """Ask the episodes as they are at one moment, brought in step with their file first.

        ``None`` where the index cannot answer (see ``Database.answered``): the file holds a problem, or an episode has
        no id yet. The answer must not read from what it was given any more.
        """

        def asked() -> R:
            try:
                return question(self._opened(signature, words=False))
            except _Uncounted:
                self._end()
                return question(self._opened(signature, words=True))

        return self.answered(asked)

    def misled(self, signature: Signature) -> tuple[str, ...]:
        """Its own name where it counts as in step and says something else than the file, or is damaged."""

        def wrong(connection: Connection) -> tuple[str, ...]:
            if not is_in_step(connection, signature):
                return ()
            rows = self._parse(self._read()[0])
            held = connection.execute("SELECT body FROM episodes ORDER BY place").fetchall()
            return () if [(text,) for text, _ in rows or ()] == held else (self._path.name,)

        return self.looked_through(wrong)

    def close(self) -> None:
        """See ``Database``."""
        super().close()
        self._known = None

    def _opened(self, signature: Signature, *, words: bool) -> KeptEpisodes:
        connection = self.begun(
            lambda opened: not is_in_step(opened, signature) or (words and not is_counted(opened)),
            lambda opened: self._refresh(opened, signature, words=words),
        )
        generation = generation_of(connection)
        if self._known is None or self._known[0] != generation:
            self._known = generation, KeptEpisodes(connection)
        return self._known[1]

    def _refresh(self, connection: Connection, signature: Signature, *, words: bool) -> None:
        if not is_in_step(connection, signature):
            at = time.time_ns()
            data, signature = self._read()
            if part(connection, "content") != hash_of(data):
                rows = self._parse(data)
                if rows is None or any(not episode.id for _, episode in rows):
                    raise Unusable(self._path.name)
                write(connection, rows)
                put(connection, {"content": hash_of(data)})
            put(connection, {"signature": f"{stamped(signature)} {at}".encode()})
        if words and not is_counted(connection):
            count(connection)


class _Sight(NamedTuple):
    """See ``core.collection.Outline``."""

    id: str
    timestamp: int
    success: bool
    reward: float
    task_type: str


class _Sights(Sequence["Outline"]):
    """The outlines, each made of its columns when it is looked at."""

    def __init__(self, kept: KeptEpisodes) -> None:
        self._kept = kept

    def __len__(self) -> int:
        return len(self._kept.sizes)

    @overload
    def __getitem__(self, index: int) -> Outline: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Outline]: ...
    def __getitem__(self, index: int | slice) -> Outline | Sequence[Outline]:
        if isinstance(index, slice):
            return [self[at] for at in range(len(self))[index]]
        kept = self._kept
        if not 0 <= index < len(self):
            raise IndexError(index)
        return _Sight(
            kept.ids[ID * index : ID * index + ID],
            kept.column("times")[index],
            bool(kept.column("successes")[index]),
            kept.column("rewards")[index],
            kept.types[kept.column("types")[index]],
        )


class KeptEpisodes:
    """The episodes as the index knows them at one moment; see ``core.collection.KnownEpisodes``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._columns: dict[str, array[int] | array[float]] = {}
        self.outlines: Sequence[Outline] = _Sights(self)

    def column(self, name: str) -> Sequence[int]:
        """One number of every episode."""
        if name not in self._columns:
            self._columns[name] = array(KINDS[name], part(self._connection, name))
        return cast("Sequence[int]", self._columns[name])

    @property
    def sizes(self) -> Sequence[int]:
        """See ``core.collection.KnownEpisodes``."""
        return self.column("sizes")

    @property
    def group_of(self) -> Sequence[int]:
        """See ``core.collection.KnownEpisodes``."""
        return self.column("groups")

    @cached_property
    def ids(self) -> str:
        """All ids, one behind the other."""
        return part(self._connection, "ids").decode()

    @cached_property
    def types(self) -> Sequence[str]:
        """The types that there are."""
        return cast("list[str]", json.loads(part(self._connection, "names")))

    def contexts(self) -> Sequence[Mapping[str, Json]]:
        """See ``core.collection.KnownEpisodes``."""
        return cast("list[Mapping[str, Json]]", json.loads(part(self._connection, "contexts")))

    def places(self, words: frozenset[str]) -> Iterable[Sequence[int]]:
        """See ``core.collection.KnownEpisodes``."""
        return [array("I", data) for data in rows_of(self._connection, "keywords", words).values()]

    def whole(self, at: int) -> Episode:
        """See ``core.collection.KnownEpisodes``."""
        # Where nothing is found, as for most decisions, nothing is read and none of this is loaded.
        from alice_exp.text.jsonc.read import check_text
        from alice_exp.text.records import read_episode

        [(body,)] = self._connection.execute("SELECT body FROM episodes WHERE place = ?", (at,)).fetchall()
        return read_episode(check_text(body))

    @cached_property
    def statistics(self) -> Statistics:
        """See ``core.collection.KnownEpisodes``."""
        if not is_counted(self._connection):
            raise _Uncounted
        near, short, long = json.loads(part(self._connection, "learned"))
        return Statistics.of([(cast("array[int]", self.column("lengths")), tuple(near), Noise(short, long))])

    def postings(self, tokens: frozenset[str]) -> Mapping[str, Posting]:
        """See ``core.collection.KnownEpisodes``."""
        found = rows_of(self._connection, "tokens", tokens)
        return {token: posting_from(data) for token, data in found.items()}
