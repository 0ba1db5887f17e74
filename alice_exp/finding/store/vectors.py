"""A cache of text embeddings, ``state/vectors-MODEL.bin``, keyed by content hash, so that only changes are embedded.

Deleting the file loses nothing but the time to embed again. Format: a header of 16 bytes (magic, byte order,
dimension), then records of a 16-byte BLAKE2b of the text and the unit vector as float32. Appended under a lock on the
file itself; a torn record at the end is cut off by the next append.
"""

from __future__ import annotations

import fcntl
import os
import struct
import sys
import time
from array import array
from contextlib import contextmanager
from hashlib import blake2b
from itertools import repeat
from typing import TYPE_CHECKING

from alice_exp.finding.ports import Nearness
from alice_exp.finding.rules.corpus import block_text
from alice_exp.finding.rules.hybrid_score import cosine, learned_weight, unit
from alice_exp.kernel.errors import ProviderError
from alice_exp.kernel.journal import atomic_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from alice_exp.finding.ports import Collection as Blocks
    from alice_exp.finding.ports import Statistics
    from alice_exp.kernel.errors import AliceError
    from alice_exp.kernel.providers.ports import Embedder

LIMIT = 2.0
"""Seconds that a recall may wait for the embedder; texts not embedded by then have no cosine yet."""

REST = 30.0
"""Seconds for which a process does not call an embedder again after a failure."""

TEXT_LIMIT = 2000
"""The characters of a text that are embedded; small models read no more, and some refuse more."""

SHORT_TEXT = 400
"""The characters that are embedded of a text that the server refuses in full."""

BATCH = 64
"""The most texts per request."""

SPARE = 1000
"""The file is rewritten when it has more than twice as many vectors as there are texts, plus this many."""

# The first batch is small, to measure how long one text takes.
_FIRST = 4
_READ_AT_ONCE = 500
_MARK = b"alicev1" + sys.byteorder[:1].encode()
_HEADER = struct.Struct("=8sQ")
_KEY = 16


class VectorFile:
    """The vectors of one model, all of one dimension. An unreadable format counts as empty."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> dict[bytes, array[float]]:
        """Each text's vector by its key; empty if there is no file."""
        try:
            data, _ = atomic_files.read_bytes(self._path)
        except FileNotFoundError:
            return {}
        size = _vector_size(data)
        record = _KEY + 4 * size
        whole = (len(data) - _HEADER.size) // record if size else 0
        found: dict[bytes, array[float]] = {}
        for at in range(_HEADER.size, _HEADER.size + whole * record, record):
            found[data[at : at + _KEY]] = vector = array("f")
            vector.frombytes(data[at + _KEY : at + record])
        return found

    def add(self, vectors: Mapping[bytes, array[float]]) -> None:
        """Append vectors of one dimension; a file of another dimension or format is started anew."""
        size = len(next(iter(vectors.values())))
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if _vector_size(file.read(_HEADER.size)) != size:
                file.truncate(0)
                file.seek(0)
                file.write(_HEADER.pack(_MARK, size))
            # Cut off the part of a record that an interrupted append left behind.
            end = file.seek(0, os.SEEK_END)
            file.seek(end - (end - _HEADER.size) % (_KEY + 4 * size))
            file.truncate()
            file.write(_records(vectors))

    def replace(self, vectors: Mapping[bytes, array[float]]) -> None:
        """Rewrite the file with these vectors only; what another process appends meanwhile is embedded again."""
        size = len(next(iter(vectors.values())))
        atomic_files.replace(self._path, _HEADER.pack(_MARK, size) + _records(vectors), durable=True)

    def forget(self) -> None:
        """Remove the file."""
        self._path.unlink(missing_ok=True)


def _vector_size(data: bytes) -> int:
    if len(data) < _HEADER.size:
        return 0
    mark, size = _HEADER.unpack_from(data)
    # The upper limit rejects a damaged header, whose dimension would be absurd.
    return int(size) if mark == _MARK and size < 1 << 20 else 0


def _records(vectors: Mapping[bytes, array[float]]) -> bytes:
    return b"".join(key + vector.tobytes() for key, vector in vectors.items())


class KeptVectors:
    """Cosines from cached vectors, asking the embedder only for new texts; see ``finding.ports.Meanings``.

    If the embedder fails, is slow, or changes its dimension, there is one warning and the search uses words alone.
    """

    def __init__(
        self, state: Path, model: str, embedder: Embedder, warn: Callable[[AliceError], None]
    ) -> None:
        self._file = VectorFile(state / f"vectors-{_key(model).hex()[:12]}.bin")
        self._embedder = embedder
        self._warn = warn
        self._rests_until = 0.0
        self._kept: dict[bytes, array[float]] | None = None
        self._seen: tuple[Statistics, list[str], list[bytes]] | None = None
        self._last: tuple[Sequence[str], list[array[float]]] | None = None
        self._weight: tuple[list[bytes], int, float] | None = None

    def near(self, queries: Sequence[str], collection: Blocks) -> Iterator[Nearness | None]:
        """See ``finding.ports.Meanings``; waits for the embedder at most ``LIMIT`` seconds per query."""
        nothing = repeat(None, len(queries))
        asked = [query[:TEXT_LIMIT] for query in queries if query.strip()]
        if not asked or not collection.statistics.total or time.monotonic() < self._rests_until:
            return nothing
        try:
            found = self._near(asked, collection)
        except ProviderError as error:
            self._fail(error)
            return nothing
        return (next(found) if query.strip() else None for query in queries)

    def _fail(self, error: AliceError) -> None:
        self._rests_until = time.monotonic() + REST
        self._warn(error)

    def _near(self, queries: Sequence[str], collection: Blocks) -> Iterator[Nearness]:
        deadline = time.monotonic() + LIMIT * len(queries)
        asked = self._asked(queries, deadline)
        kept = self._known(len(asked[0]))
        texts, keys = self._texts(collection)
        try:
            self._fill(kept, dict(zip(keys, texts, strict=True)), len(asked[0]), deadline)
        except ProviderError as error:
            # The queries have vectors, so the texts embedded so far still count.
            self._fail(error)
        vectors = {index: kept[key] for index, key in enumerate(keys) if key in kept}
        weight = self._learned(collection, texts, keys, vectors)
        # A generator: the cosines of many queries with many texts would fill the memory.
        return (
            Nearness({index: cosine(query, vector) for index, vector in vectors.items()}, weight)
            for query in asked
        )

    def _asked(self, queries: Sequence[str], deadline: float) -> list[array[float]]:
        """The queries' vectors; the last ones are kept, because a search starts again if the home changed under it."""
        if self._last is None or self._last[0] != queries:
            found: list[array[float]] = []
            for start in range(0, len(queries), BATCH):
                found += self._embedded(queries[start : start + BATCH], deadline)
            if len({len(vector) for vector in found}) > 1:
                raise _length_changed()
            self._last = (queries, found)
        return self._last[1]

    def _embedded(self, texts: Sequence[str], deadline: float) -> list[array[float]]:
        left = max(0.01, min(LIMIT, deadline - time.monotonic()))
        return [array("f", unit(vector)) for vector in self._embedder.embed(texts, left)]

    def _embedded_in_parts(self, texts: Sequence[str], deadline: float) -> list[array[float]]:
        """As ``_embedded``; a request that the server refuses is split in halves, and a single text shortened.

        llama.cpp answers 500 to a whole request if one of its texts is longer than its batch (512 tokens).
        """
        try:
            return self._embedded(texts, deadline)
        except ProviderError as error:
            # Without an HTTP status there was no answer at all, and smaller requests would fail as well.
            if "code" not in error.values or (len(texts) == 1 and len(texts[0]) <= SHORT_TEXT):
                raise
        if len(texts) == 1:
            return self._embedded([texts[0][:SHORT_TEXT]], deadline)
        half = len(texts) // 2
        return self._embedded_in_parts(texts[:half], deadline) + self._embedded_in_parts(
            texts[half:], deadline
        )

    def _known(self, size: int) -> dict[bytes, array[float]]:
        """The kept vectors; those of another dimension are removed, and rebuilt at the next search."""
        if self._kept is None:
            with _storage_errors():
                self._kept = self._file.read()
        before = len(next(iter(self._kept.values()), ()))
        if before in (0, size):
            return self._kept
        self._kept = None
        with _storage_errors():
            self._file.forget()
        raise ProviderError(
            "the embedder's vectors have {now} numbers, those kept had {before}: they are made anew",
            now=size,
            before=before,
            hint="until then words alone answer",
        )

    def _texts(self, collection: Blocks) -> tuple[list[str], list[bytes]]:
        """The collection's texts and their keys, read again only for another collection."""
        # The index gives the same `Statistics` object until its next refresh, so identity is enough.
        if self._seen is None or self._seen[0] is not collection.statistics:
            every = range(collection.statistics.total)
            texts = [
                block_text(placed.block)[:TEXT_LIMIT]
                for start in every[::_READ_AT_ONCE]
                for placed in collection.blocks(every[start : start + _READ_AT_ONCE])
            ]
            self._seen = (collection.statistics, texts, [_key(text) for text in texts])
        return self._seen[1], self._seen[2]

    def _fill(
        self, kept: dict[bytes, array[float]], texts: Mapping[bytes, str], size: int, deadline: float
    ) -> None:
        """Embed the missing texts, batch by batch while there is time for another, and keep each batch."""
        missing = [key for key, text in texts.items() if key not in kept and text.strip()]
        count = _FIRST
        while missing and count:
            some, missing = missing[:count], missing[count:]
            began = time.monotonic()
            found = dict(
                zip(some, self._embedded_in_parts([texts[key] for key in some], deadline), strict=True)
            )
            if any(len(vector) != size for vector in found.values()):
                raise _length_changed()
            kept.update(found)
            with _storage_errors():
                self._file.add(found)
            each = (time.monotonic() - began) / len(some)
            # Only half of the remaining time is planned, so that a batch twice as slow still meets the deadline.
            count = min(BATCH, int((deadline - time.monotonic()) / 2 / max(each, 1e-6)))
        if len(kept) > 2 * len(texts) + SPARE and not missing:
            self._kept = {key: kept[key] for key in texts if key in kept}
            with _storage_errors():
                self._file.replace(self._kept)

    def _learned(
        self,
        collection: Blocks,
        texts: list[str],
        keys: list[bytes],
        vectors: Mapping[int, array[float]],
    ) -> float:
        """The weight of cosines in this collection; learned again only if texts or vectors changed."""
        if self._weight is None or self._weight[0] is not keys or self._weight[1] != len(vectors):
            learned = learned_weight(collection, dict(enumerate(texts)), vectors)
            self._weight = (keys, len(vectors), learned)
        return self._weight[2]


@contextmanager
def _storage_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        raise ProviderError("what the embedder says cannot be kept: {why}", why=why) from None


def _length_changed() -> ProviderError:
    return ProviderError("the embedder's vectors have one length now and another then, so words alone answer")


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_KEY).digest()
