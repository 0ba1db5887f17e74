"""Vectors of texts, in ``state/vectors-MODEL.bin``: kept by content hash, so that only what changed is embedded.

Never truth: deleting the file loses nothing but the time to embed again. A header of 16 bytes (mark, byte order,
length of a vector), then records of a 16-byte BLAKE2b of the text and the unit vector as float32. Appended under a
lock on the file itself; a torn record at its end is cut off by the next one who appends.
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
from alice_exp.finding.rules.hybrid_score import cosine, learned_weight, unit
from alice_exp.finding.rules.ranking import block_text
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
"""Seconds that a recall may wait for the embedder; what is not embedded by then has no cosine yet."""

REST = 30.0
"""Seconds for which a process leaves an embedder alone that failed."""

TEXT_LIMIT = 2000
"""Characters of a text that are embedded; small models read no more and some refuse more."""

SHORT_TEXT = 400
"""Characters that are embedded of a text that the server refuses whole."""

BATCH = 64
"""So many texts at most are sent at once; the first batch is small, to learn how long one takes."""

SPARE = 1000
"""So many vectors of texts that are gone may stay, and as many as are alive, before the file is written anew."""

_FIRST = 4
_READ_AT_ONCE = 500
_MARK = b"alicev1" + sys.byteorder[:1].encode()
_HEADER = struct.Struct("=8sQ")
_KEY = 16


class VectorFile:
    """The vectors of one model, all of one length. What it cannot read it takes for empty."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> dict[bytes, array[float]]:
        """Each text's vector by its key; none where there is no file."""
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
        """Append vectors of one length; a file of another length or form is started anew."""
        size = len(next(iter(vectors.values())))
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if _vector_size(file.read(_HEADER.size)) != size:
                file.truncate(0)
                file.seek(0)
                file.write(_HEADER.pack(_MARK, size))
            end = file.seek(0, os.SEEK_END)
            file.seek(end - (end - _HEADER.size) % (_KEY + 4 * size))
            file.truncate()
            file.write(_records(vectors))

    def replace(self, vectors: Mapping[bytes, array[float]]) -> None:
        """Write the file anew with these vectors alone; what another process appends just then is embedded again."""
        size = len(next(iter(vectors.values())))
        atomic_files.replace(self._path, _HEADER.pack(_MARK, size) + _records(vectors), durable=True)

    def forget(self) -> None:
        """Remove the file."""
        self._path.unlink(missing_ok=True)


def _vector_size(data: bytes) -> int:
    if len(data) < _HEADER.size:
        return 0
    mark, size = _HEADER.unpack_from(data)
    return int(size) if mark == _MARK and size < 1 << 20 else 0


def _records(vectors: Mapping[bytes, array[float]]) -> bytes:
    return b"".join(key + vector.tobytes() for key, vector in vectors.items())


class KeptVectors:
    """Asks an embedder for what it has not embedded yet; see ``core.nearness.Meanings``.

    An embedder that fails, is slow, or has vectors of another length than before costs one warning, and words answer.
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
        """See ``core.nearness.Meanings``; takes at most ``LIMIT`` seconds a query for the embedder's part."""
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
            self._fail(error)
        vectors = {index: kept[key] for index, key in enumerate(keys) if key in kept}
        weight = self._learned(collection, texts, keys, vectors)
        # One by one: the cosines of many queries with many texts would fill the memory.
        return (
            Nearness({index: cosine(query, vector) for index, vector in vectors.items()}, weight)
            for query in asked
        )

    def _asked(self, queries: Sequence[str], deadline: float) -> list[array[float]]:
        """The queries' vectors; the last ones are remembered, for a search may begin again on a changed home."""
        if self._last is None or self._last[0] != queries:
            found: list[array[float]] = []
            for start in range(0, len(queries), BATCH):
                found += self._embedded(queries[start : start + BATCH], deadline)
            if len({len(vector) for vector in found}) > 1:
                raise _unlike()
            self._last = (queries, found)
        return self._last[1]

    def _embedded(self, texts: Sequence[str], deadline: float) -> list[array[float]]:
        left = max(0.01, min(LIMIT, deadline - time.monotonic()))
        return [array("f", unit(vector)) for vector in self._embedder.embed(texts, left)]

    def _patiently(self, texts: Sequence[str], deadline: float) -> list[array[float]]:
        """As ``_embedded``; where the server refuses, its halves, and of a single text the beginning.

        llama.cpp answers 500 to all texts of a request of which one is longer than its batch (512 tokens).
        """
        try:
            return self._embedded(texts, deadline)
        except ProviderError as error:
            if "code" not in error.values or (len(texts) == 1 and len(texts[0]) <= SHORT_TEXT):
                raise
        if len(texts) == 1:
            return self._embedded([texts[0][:SHORT_TEXT]], deadline)
        half = len(texts) // 2
        return self._patiently(texts[:half], deadline) + self._patiently(texts[half:], deadline)

    def _known(self, size: int) -> dict[bytes, array[float]]:
        """The kept vectors; where they have another length they go, and are made anew at the next question."""
        if self._kept is None:
            with _keeping():
                self._kept = self._file.read()
        before = len(next(iter(self._kept.values()), ()))
        if before in (0, size):
            return self._kept
        self._kept = None
        with _keeping():
            self._file.forget()
        raise ProviderError(
            "the embedder's vectors have {now} numbers, those kept had {before}: they are made anew",
            now=size,
            before=before,
            hint="until then words alone answer",
        )

    def _texts(self, collection: Blocks) -> tuple[list[str], list[bytes]]:
        """The collection's texts and their keys; read again only where the collection is another."""
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
        """Embed what is missing, batch by batch while there is time for another, and keep each batch."""
        missing = [key for key, text in texts.items() if key not in kept and text.strip()]
        count = _FIRST
        while missing and count:
            some, missing = missing[:count], missing[count:]
            began = time.monotonic()
            found = dict(zip(some, self._patiently([texts[key] for key in some], deadline), strict=True))
            if any(len(vector) != size for vector in found.values()):
                raise _unlike()
            kept.update(found)
            with _keeping():
                self._file.add(found)
            each = (time.monotonic() - began) / len(some)
            count = min(BATCH, int((deadline - time.monotonic()) / 2 / max(each, 1e-6)))
        if len(kept) > 2 * len(texts) + SPARE and not missing:
            self._kept = {key: kept[key] for key in texts if key in kept}
            with _keeping():
                self._file.replace(self._kept)

    def _learned(
        self,
        collection: Blocks,
        texts: list[str],
        keys: list[bytes],
        vectors: Mapping[int, array[float]],
    ) -> float:
        """What cosines count here; learned again only where texts or vectors are others."""
        if self._weight is None or self._weight[0] is not keys or self._weight[1] != len(vectors):
            learned = learned_weight(collection, dict(enumerate(texts)), vectors)
            self._weight = (keys, len(vectors), learned)
        return self._weight[2]


@contextmanager
def _keeping() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        raise ProviderError("what the embedder says cannot be kept: {why}", why=why) from None


def _unlike() -> ProviderError:
    return ProviderError("the embedder's vectors have one length now and another then, so words alone answer")


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_KEY).digest()
