"""Queries of the search index: candidates, blocks and lists from one snapshot of the home."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from sys import intern
from typing import TYPE_CHECKING, Any, NamedTuple

from alice_exp.finding.rules.concerns import Noise, Standing
from alice_exp.finding.store.database import (
    AMONG,
    MEASURED,
    DatabaseError,
    Rows,
    checksum,
    ordered_rows,
    text_checksum,
)
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.block import Block, Place, Placed, place_of

if TYPE_CHECKING:
    from alice_exp.finding.rules.parsed_query import Query
    from alice_exp.finding.rules.scorer import Found, Statistics
    from alice_exp.kernel.jsonc import Json
    from alice_exp.model.values.snapshot import Span

_LISTED = 250
"""How many blocks a list reads at once: a short one does not read the home, a long one asks seldom."""

_KEPT = 2048
"""How many texts a process keeps as it read them (3 MB)."""

FIRST, BEHIND = 64, 0.3
"""So many candidates are scored in any case, further ones from this share of the best one's plain BM25 on: a text that
is told has at least ``TAIL`` of the best match (``rules.ranking``)."""


class Files(NamedTuple):
    """The paths of the indexed files by number, in their order; how many living texts there are, their mean length in
    thirds of a word, their noise."""

    paths: Mapping[int, str]
    total: int
    average: float
    noise: Noise


class Text(NamedTuple):
    """A living text as it is stored, how often it has each token, its length in thirds of a word, and how its block
    stands."""

    tokens: str
    counts: Counter[str]
    length: int
    standing: Standing


@dataclass(frozen=True)
class Indexed:
    """One snapshot of the index; implements ``finding.rules.scorer.Searchable``.

    ``placed`` makes a block of a row (``placed_from``); ``texts`` are those read before, by row and checksum: a process
    that answers many questions reads most of them again.
    """

    rows: Rows
    files: Files
    placed: Callable[[str, str, str], Placed]
    texts: dict[tuple[int, int], Text]
    only: Collection[int] | None = None
    in_files: Collection[str] | None = None

    def found(self, question: str, also: Iterable[int] = (), now: str = "") -> Iterator[Found]:
        """See ``Searchable``."""
        # Lists and single blocks need nothing of the ranking.
        from alice_exp.finding.rules.parsed_query import Query
        from alice_exp.finding.rules.scorer import AT_ONCE, Statistics, looked_up

        query = Query.of(question, now)
        words = f"SELECT token, n FROM words WHERE token IN {AMONG}"
        holders: dict[str, int] = dict(self.rows(words, (json.dumps(sorted(query.tokens)),)))
        known = Statistics(*self.files[1:], holders)
        if self.only is not None:
            yield self._scored(query, known, self.only)
            return
        terms = looked_up(query, known)
        asked = " OR ".join(f'"{term}"' for term in terms)
        values, where = [asked], ""
        if self.in_files is not None:
            where = f"AND +rowid IN (SELECT row FROM blocks WHERE file IN {AMONG})"
            values.append(
                json.dumps([file for file, path in self.files.paths.items() if path in self.in_files])
            )
        match = f"SELECT rowid, rank FROM texts WHERE texts MATCH ? {where} ORDER BY rank"
        likely = self.rows(match, tuple(values)) if asked else iter(())
        some = [*_likeliest(islice(likely, AT_ONCE))]
        if asked and not some and self.in_files is None:
            # These terms are counted, so some text holds one: the two tables disagree.
            raise DatabaseError("a text that is counted is not found")
        while some or also:
            yield self._scored(query, known, {*some, *also})
            also, some = (), [*_likeliest(islice(likely, AT_ONCE))]

    def among(self, numbers: Collection[int]) -> Indexed:
        """See ``Searchable``."""
        return replace(self, only=numbers)

    def of_files(self, paths: Collection[str]) -> Indexed:
        """See ``Searchable``."""
        return replace(self, in_files=paths)

    def _scored(self, query: Query, known: Statistics, numbers: Collection[int]) -> Found:
        from alice_exp.finding.rules.scorer import Found, score

        if len(self.texts) > _KEPT:
            self.texts.clear()
        chosen = f"FROM blocks WHERE row IN {AMONG}"
        keys = [*self.rows(f"SELECT row, checked {chosen}", (json.dumps([*numbers]),))]
        lacking = json.dumps([row for row, checked in keys if (row, checked) not in self.texts])
        for row, checked, *said in self.rows(
            f"SELECT row, checked, standing, length, tokens {chosen}", (lacking,)
        ):
            if checked != text_checksum(*said):
                raise ValueError("a row of it is damaged")
            standing, length, tokens = said
            text = Text(tokens, Counter(map(intern, tokens.split())), length, Standing(*json.loads(standing)))
            self.texts[row, checked] = text
        texts = {key[0]: self.texts[key] for key in keys}
        held = _held(query, frozenset(known.holders), texts)
        scored = score(query, known, held, {row: text.length for row, text in texts.items()}, {})
        return Found(scored, lambda number: texts[number].standing)

    def blocks(self, numbers: Sequence[int]) -> Sequence[Placed]:
        """See ``Searchable``."""
        query = f"SELECT row, file, body, entry FROM blocks WHERE row IN {AMONG}"
        found = {
            number: self.placed(self.files.paths[file], body, entry)
            for number, file, body, entry in self.rows(query, (json.dumps(list(numbers)),))
        }
        return [found[number] for number in numbers]

    def contexts(self) -> Mapping[int, Mapping[str, Json]]:
        """See ``Searchable``."""
        found = self.rows(
            "SELECT row, context FROM blocks WHERE context IS NOT NULL AND length IS NOT NULL ORDER BY row",
            (),
        )
        return {row: json.loads(context) for row, context in found}

    def within(self, places: Collection[Place]) -> Iterator[Placed]:
        """All blocks of the given sets or the archive, in the order of paths and within each file."""
        for path in self.files.paths.values():
            if place_of(path) in places:
                rows = ordered_rows(self.rows, path)
                for start in range(0, len(rows), _LISTED):
                    yield from self.blocks(rows[start : start + _LISTED])

    def starting_with(self, prefix: str, most: int = -1) -> list[Placed]:
        """At most ``most`` blocks whose id starts with ``prefix``, by id; -1: all."""
        # A range instead of LIKE: it uses the index and takes `_` and `%` literally.
        return self.chosen("id >= ? AND id < ? ORDER BY id LIMIT ?", prefix, prefix + "\uffff", most)

    def marked(self, marks: Collection[int]) -> list[Placed]:
        """The blocks that have one of these marks (``model.rules.identity``), and perhaps others, in file order."""
        condition = f"row IN (SELECT row FROM marks WHERE mark IN {AMONG}) ORDER BY file, row"
        return self.chosen(condition, json.dumps(sorted(marks)))

    def with_ids(self, ids: Collection[str]) -> list[Placed]:
        """The blocks with these ids, in no order."""
        return self.chosen(f"id IN {AMONG}", json.dumps(sorted(ids)))

    def paths(self, among: Collection[str]) -> dict[str, str]:
        """The file of every block of some files, by id."""
        query = f"SELECT id, path FROM blocks JOIN files USING (file) WHERE path IN {AMONG}"
        return dict(self.rows(query, (json.dumps([*among]),)))

    def of_file(self, path: str) -> list[Block]:
        """The blocks of one file."""
        return [one.block for one in self.blocks(ordered_rows(self.rows, path))]

    def concerned(self, among: Collection[str], spans: Iterable[Span], most: int = -1) -> Sequence[Placed]:
        """The blocks of some files with a concern (``rules.concerns``) in one of these spans, in file order; of each
        span the latest ``most``, of those of one time the last by id."""
        query = f"""SELECT row, path FROM concerns JOIN blocks USING (row) JOIN files USING (file)
            WHERE kind = ? AND at > ? AND at < ? AND path IN {AMONG} ORDER BY at DESC, concerns.id DESC LIMIT ?"""
        found = (self.rows(query, (*span, json.dumps([*among]), most)) for span in spans)
        chosen: dict[int, str] = dict(chain.from_iterable(found))
        ordered = (ordered_rows(self.rows, path) for path in sorted({*chosen.values()}))
        return self.blocks([row for row in chain.from_iterable(ordered) if row in chosen])

    def chosen(self, condition: str, *values: Any) -> list[Placed]:
        """The blocks that an SQL condition chooses, by their rows where it names no order."""
        query = f"SELECT path, body, entry FROM blocks JOIN files USING (file) WHERE {condition}"
        return [self.placed(*held) for held in self.rows(query, values)]


def _likeliest(ranked: Iterator[tuple[Any, ...]]) -> Iterator[int]:
    """The rows of the next ones that are scored, of rows with their plain BM25 (FTS5's is negative, the best first)."""
    least = 0.0
    for at, (row, rank) in enumerate(ranked):
        yield row
        least = least or BEHIND * rank
        if at + 1 >= FIRST and rank > least:
            return


def load(rows: Rows) -> Files:
    """What is known of all files of the index."""
    query = "SELECT file, count(length), total(length) FROM blocks GROUP BY file"
    sizes = {file: (texts, length) for file, texts, length in rows(query, ())}
    paths: dict[int, str] = {}
    noises = []
    query = f"SELECT file, path, {MEASURED}, checksum FROM files ORDER BY path"
    for number, path, *measured, check in rows(query, ()):
        if check != checksum((path, *measured)):
            raise ValueError("a row of it is damaged")
        paths[number] = path
        noises.append((sizes.get(number, (0, 0))[0], Noise(*measured[:2])))
    total = sum(texts for texts, _ in sizes.values())
    average = sum(length for _, length in sizes.values()) / max(1, total)
    return Files(paths, total, average, Noise.joined(noises))


def described(rows: Rows) -> dict[str, list[Any]]:
    """All that is said of the blocks of each file, in their order, but for the numbers of their rows."""
    said: defaultdict[int, list[Any]] = defaultdict(list)
    for query in (
        "SELECT row, id, standing, checked, situation, tokens, context, body, entry FROM blocks",
        "SELECT row, mark FROM marks ORDER BY mark",
        "SELECT row, kind, at FROM concerns ORDER BY kind, at",
    ):
        for row, *told in rows(query, ()):
            said[row].append(told)
    paths = [path for (path,) in rows("SELECT path FROM files", ())]
    return {path: [said[row] for row in ordered_rows(rows, path)] for path in paths}


def _held(query: Query, known: frozenset[str], texts: Mapping[int, Text]) -> dict[str, dict[int, int]]:
    """How often each text has each token and pair of the question, by token."""
    held: dict[str, dict[int, int]] = {token: {} for token in known}
    for row, text in texts.items():
        counts = text.counts
        for token in known & counts.keys():
            held[token][row] = counts[token]
    for pair in query.pairs:
        first, _, last = pair.partition(" ")
        both = held.get(first, {}).keys() & held.get(last, {}).keys()
        if found := {row: count for row in both if (count := texts[row].tokens.count(f" {first}  {last} "))}:
            held[pair] = found
    return held
