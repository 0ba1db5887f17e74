"""Queries of the search index: candidates, blocks and lists from one snapshot of the home."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias
from zlib import crc32

from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.block_schema import block_json, read_block
from alice_exp.model.values.block import Placed, place_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from alice_exp.finding.rules.corpus import Found
    from alice_exp.finding.rules.parsed_query import Query
    from alice_exp.finding.rules.scorer import Statistics
    from alice_exp.kernel.jsonc.problem import Json
    from alice_exp.model.values.block import Block, Place

_LISTED = 250
"""How many blocks a list reads at once: a short one does not read the home, a long one asks seldom."""

AMONG = "(SELECT value FROM json_each(?))"
"""Many values as one, for SQLite limits how many a query may have."""

Rows = Callable[[str, tuple[Any, ...]], "Iterator[tuple[Any, ...]]"]
"""Executes an SQL query with its values and yields the rows."""

KEPT = "id, length, weight, type, updated, stretch, said, lead, tokens"
"""The columns of a living block's row that say how it stands, and its text; its checksum is over these."""

TOTALS = "texts, length, short, long, sample, ordered"
"""The columns of a file's row that its checksum is over, behind the path."""

BlockRow: TypeAlias = "tuple[str, str, str | None]"
"""A block's id, its JSON, and the JSON of its trigger context or None."""


@dataclass(frozen=True)
class IndexedFile:
    """One indexed file: its number, path, how many living texts it has and their length in thirds of a word, and the
    noise of short and of long questions."""

    number: int
    path: str
    texts: int
    length: int
    short: float
    long: float


class Indexed:
    """One snapshot of the index; implements ``finding.rules.corpus.Collection`` and ``finding.ports.Known``."""

    def __init__(self, rows: Rows, files: Sequence[IndexedFile]) -> None:
        self._rows = rows
        self._files = files
        self._paths = {file.number: file.path for file in files}

    def found(self, question: str, also: Callable[[], Iterable[int]]) -> Iterator[Found]:
        """See ``Collection``."""
        # Lists and single blocks need nothing of the ranking.
        from alice_exp.finding.rules.corpus import AT_ONCE
        from alice_exp.finding.rules.parsed_query import Query
        from alice_exp.finding.rules.scorer import looked_up

        query = Query.of(question)
        known = self._statistics(query)
        terms = looked_up(query, known)
        asked = " OR ".join(f'"{term}"' for term in terms)
        likely = (
            self._rows("SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank", (asked,))
            if asked
            else iter(())
        )
        more: Iterable[int] = also()
        while True:
            some = [number for (number,) in islice(likely, AT_ONCE)]
            if some or more:
                yield self._scored(query, known, {*some, *more})
            if len(some) < AT_ONCE:
                return
            more = ()

    def _statistics(self, query: Query) -> Statistics:
        from alice_exp.finding.rules.noise import Noise
        from alice_exp.finding.rules.scorer import Statistics

        words = f"SELECT token, n FROM words WHERE token IN {AMONG}"
        holders: dict[str, int] = dict(self._rows(words, (json.dumps(sorted(query.tokens)),)))
        total = sum(file.texts for file in self._files)
        average = sum(file.length for file in self._files) / max(1, total)
        noise = Noise.joined((file.texts, Noise(file.short, file.long)) for file in self._files)
        return Statistics(total, average, noise, holders)

    def _scored(self, query: Query, known: Statistics, numbers: Collection[int]) -> Found:
        from alice_exp.finding.rules.corpus import Found, Standing
        from alice_exp.finding.rules.scorer import score

        texts: dict[int, str] = {}
        lengths: dict[int, int] = {}
        standings: dict[int, Standing] = {}
        chosen = self._rows(
            f"SELECT row, checksum, {KEPT} FROM blocks WHERE row IN {AMONG} ORDER BY row",
            (json.dumps(sorted(numbers)),),
        )
        for row, check, *kept in chosen:
            if check != checksum((*kept,)):
                raise ValueError("a row of it is damaged")
            block_id, lengths[row], *standing, _, _, texts[row] = kept
            standings[row] = Standing(block_id, *standing)
        held: dict[str, dict[int, int]] = {}
        for token in query.tokens:
            if token in known.holders or " " in token:
                spelt = token_row(token.split(" "))
                counts = {row: n for row, text in texts.items() if (n := text.count(spelt))}
                if counts or " " not in token:
                    held[token] = counts
        return Found(score(query, known, held, lengths), standings)

    def blocks(self, numbers: Sequence[int]) -> Sequence[Placed]:
        """See ``Collection``."""
        query = f"SELECT row, file, body FROM blocks WHERE row IN {AMONG}"
        found = {
            row: _placed(body, self._paths[file])
            for row, file, body in self._rows(query, (json.dumps(list(numbers)),))
        }
        return [found[number] for number in numbers]

    def contexts(self) -> Mapping[int, Mapping[str, Json]]:
        """See ``Collection``."""
        query = (
            "SELECT row, context FROM blocks WHERE context IS NOT NULL AND tokens IS NOT NULL ORDER BY row"
        )
        return {row: json.loads(context) for row, context in self._rows(query, ())}

    def within(self, places: Collection[Place]) -> Iterator[Placed]:
        """See ``finding.ports.Known``."""
        for file in self._files:
            if place_of(file.path) in places:
                rows = ordered_rows(self._rows, file.path)
                for start in range(0, len(rows), _LISTED):
                    yield from self.blocks(rows[start : start + _LISTED])

    def starting_with(self, prefix: str, most: int = 10) -> list[Placed]:
        """See ``finding.ports.Known``."""
        # A range instead of LIKE: it uses the index and takes `_` and `%` literally.
        query = "SELECT path, body FROM blocks JOIN files USING (file) WHERE id >= ? AND id < ? ORDER BY id LIMIT ?"
        return [_placed(body, path) for path, body in self._rows(query, (prefix, prefix + "\uffff", most))]

    def concerned(self, concern: str) -> list[Placed]:
        """See ``finding.ports.Known``."""
        query = (
            "SELECT path, body FROM concerns JOIN blocks USING (row) JOIN files USING (file) WHERE kind = ?"
        )
        return [_placed(body, path) for path, body in self._rows(query, (concern,))]


def load(rows: Rows) -> list[IndexedFile]:
    """All files of the index, in the order of their paths."""
    query = f"SELECT file, path, {TOTALS}, checksum FROM files ORDER BY path"
    files = []
    for number, path, *totals, check in rows(query, ()):
        if check != checksum((path, *totals)):
            raise ValueError("a row of it is damaged")
        files.append(IndexedFile(number, path, *totals[:4]))
    return files


def ordered_rows(rows: Rows, path: str) -> array[int]:
    """The numbers of a file's blocks in the order of the file; ``ValueError`` if they are not what was written."""
    [(*totals, check)] = rows(f"SELECT {TOTALS}, checksum FROM files WHERE path = ?", (path,))
    if check != checksum((path, *totals)):
        raise ValueError("a row of it is damaged")
    return array("I", totals[-1])


def checksum(values: tuple[Any, ...]) -> int:
    """Of the values of a row: SQLite has none of its own, and a flipped bit may make a search silent."""
    return crc32(repr(values).encode())


def token_row(tokens: Iterable[str]) -> str:
    """Tokens as they are stored, each with a blank on both sides, so that one, or a pair, is counted as a text is."""
    return "".join(f" {token} " for token in tokens)


def block_row(block: Block, place: Place) -> BlockRow:
    """A block as it is stored: its JSON behind eight digits of checksum."""
    body = json.dumps(block_json(block, place), ensure_ascii=True, separators=(",", ":"))
    context = json.dumps(dict(block.trigger.context)) if block.trigger.context else None
    return block.id, f"{crc32(body.encode()):08x}{body}", context


def block_from(body: str, place: Place) -> Block:
    """The block of a row; ``ValueError`` if the row is not what was written, so that the index is made anew."""
    text = body[8:]
    if body[:8] != f"{crc32(text.encode()):08x}":
        raise ValueError("a row of it is damaged")
    return read_block(json.loads(text), place)


def _placed(body: str, path: str) -> Placed:
    return Placed(block_from(body, place_of(path)), path)
