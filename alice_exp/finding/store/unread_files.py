"""What the search index knows of the blocks of files that nobody read; see ``model.values.snapshot.Catalogue``."""

from __future__ import annotations

import json
from array import array
from collections import defaultdict
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeVar

from alice_exp.finding.store.index_query import block_from, load, posting_from
from alice_exp.model.values.block import Placed, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from alice_exp.finding.store.search_index import SearchIndex
    from alice_exp.model.values.block import Block
    from alice_exp.model.values.snapshot import Span

    Ask = Callable[[str, tuple[Any, ...]], Iterator[tuple[Any, ...]]]

R = TypeVar("R")


class Rows:
    """The rows of ``files`` (path to blob id), as long as they describe these; implements ``Catalogue``.

    Each question makes sure of that in the transaction that answers it.
    """

    def __init__(self, index: SearchIndex, files: Mapping[str, str]) -> None:
        self._index = index
        self._files = files
        self._slots: dict[str, array[int]] = {}
        self._places: dict[str, dict[int, int] | None] = {}
        self._generation = -1

    def starting_with(self, prefix: str) -> list[Placed] | None:
        """See ``Catalogue``."""
        # A range instead of LIKE: it uses the index and takes `_` and `%` literally.
        return self._placed("id >= ? AND id < ?", (prefix, prefix + "\uffff"))

    def marked(self, marks: Collection[int]) -> list[Placed] | None:
        """See ``Catalogue``."""
        chosen = (
            "(file, slot) IN (SELECT file, slot FROM marks WHERE mark IN (SELECT value FROM json_each(?)))"
        )
        return self._placed(chosen, (json.dumps(sorted(marks)),))

    def with_ids(self, ids: Collection[str]) -> list[Placed] | None:
        """See ``Catalogue``."""
        return self._placed("id IN (SELECT value FROM json_each(?))", (json.dumps(sorted(ids)),))

    def within(self, path: str) -> list[Block] | None:
        """See ``Catalogue``."""

        def found(ask: Ask, numbers: Mapping[str, int]) -> list[Block]:
            bodies: dict[int, str] = dict(
                ask("SELECT slot, body FROM blocks WHERE file = ?", (numbers[path],))
            )
            return [self._block(bodies[slot], path) for slot in self._ordered(ask, path)]

        return self._answered(found)

    def concerned(self, spans: Sequence[Span], most: int) -> list[Placed] | None:
        """See ``Catalogue``."""

        def found(ask: Ask, numbers: Mapping[str, int]) -> list[Placed]:
            held = json.dumps([*numbers.values()])
            query = """SELECT file, slot FROM concerns WHERE kind = ? AND at > ? AND at < ?
                AND file IN (SELECT value FROM json_each(?)) ORDER BY at DESC, id DESC LIMIT ?"""
            chosen = {tuple(row) for span in spans for row in ask(query, (*span, held, most))}
            placed = []
            for path, number in numbers.items():
                slots = {slot for file, slot in chosen if file == number}
                if slots:
                    places = [at for at, slot in enumerate(self._ordered(ask, path)) if slot in slots]
                    placed += self._at(ask, path, number, places)
            return placed

        return self._answered(found)

    def sharing(self, paths: Sequence[str], keys: Collection[str]) -> list[Placed] | None:
        """See ``Catalogue``."""
        from alice_exp.finding.rules.nearness.shelf import heaviest

        def found(ask: Ask, numbers: Mapping[str, int]) -> list[Placed]:
            spans = {numbers[path]: (path, start, stop) for path, start, stop in self._spans(ask, paths)}
            query = """SELECT file, token, data FROM near WHERE file IN (SELECT value FROM json_each(?))
                AND token IN (SELECT value FROM json_each(?))"""
            holders: defaultdict[str, list[int]] = defaultdict(list)
            for number, key, data in ask(query, (json.dumps([*spans]), json.dumps([*keys]))):
                path, start, _ = spans[number]
                slots = self._place_of_slot(ask, path)
                held = posting_from(data).indexes
                holders[key] += [start + (at if slots is None else slots[at]) for at in held]
            chosen = heaviest(holders, max((stop for *_, stop in spans.values()), default=0))
            placed: dict[int, Placed] = {}
            for number, (path, start, stop) in spans.items():
                own = [at for at in chosen if start <= at < stop]
                blocks = self._at(ask, path, number, [at - start for at in own])
                placed.update(zip(own, blocks, strict=True))
            return [placed[at] for at in chosen]

        return self._answered(found)

    def _place_of_slot(self, ask: Ask, path: str) -> dict[int, int] | None:
        """The place in its file of the block of each slot; ``None`` if it is the slot itself."""
        if path not in self._places:
            slots = self._ordered(ask, path)
            is_plain = slots == array("I", range(len(slots)))
            self._places[path] = None if is_plain else {slot: at for at, slot in enumerate(slots)}
        return self._places[path]

    def _spans(self, ask: Ask, paths: Sequence[str]) -> Iterator[tuple[str, int, int]]:
        """Each path with the places of its blocks: the first, and the one behind the last."""
        ends = [0, *accumulate(len(self._ordered(ask, path)) for path in paths)]
        return zip(paths, ends, ends[1:], strict=False)

    def _ordered(self, ask: Ask, path: str) -> array[int]:
        """A file's slots in the order of its blocks."""
        if not self._slots:
            # All files' rows at once: their checksums are over more than the slots.
            self._slots = {file.path: file.slots for file in load(ask)}
        return self._slots[path]

    def _at(self, ask: Ask, path: str, number: int, places: Sequence[int]) -> list[Placed]:
        slots = [self._ordered(ask, path)[at] for at in places]
        query = "SELECT slot, body FROM blocks WHERE file = ? AND slot IN (SELECT value FROM json_each(?))"
        bodies: dict[int, str] = dict(ask(query, (number, json.dumps(slots))))
        return [Placed(self._block(bodies[slot], path), path) for slot in slots]

    def _placed(self, chosen: str, values: tuple[Any, ...]) -> list[Placed] | None:
        """The blocks of the files that a condition chooses, in the files' order; None if the rows are of others now."""

        def found(ask: Ask, numbers: Mapping[str, int]) -> list[Placed]:
            paths = {number: path for path, number in numbers.items()}
            query = f"SELECT file, slot, body FROM blocks WHERE {chosen} ORDER BY file, slot"
            rows = [(paths[number], body) for number, _, body in ask(query, values) if number in paths]
            return [Placed(self._block(body, path), path) for path, body in rows]

        return self._answered(found)

    def _block(self, body: str, path: str) -> Block:
        return self._index.mark(block_from(body, place_of(path)))

    def _answered(self, question: Callable[[Ask, Mapping[str, int]], R]) -> R | None:
        """The answer to a question about the files' rows, whose numbers it is told by path; None if these are of
        others now."""

        def found() -> R | None:
            ask = self._index.opened()
            [(generation,)] = ask("SELECT generation FROM about", ())
            if generation != self._generation:
                self._generation, self._slots, self._places = generation, {}, {}
            rows = {
                path: (number, content)
                for number, path, content in ask("SELECT file, path, content FROM files", ())
            }
            if any(rows.get(path, (0, ""))[1] != content for path, content in self._files.items()):
                return None
            return question(ask, {path: rows[path][0] for path in sorted(self._files)})

        return self._index.answered(found)
