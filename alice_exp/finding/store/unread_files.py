"""What the search index knows of the blocks of files that nobody read; see ``model.values.snapshot.Catalogue``."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any, TypeVar

from alice_exp.finding.store.index_query import AMONG, Indexed, load, ordered_rows
from alice_exp.model.values.block import Block, Placed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from alice_exp.finding.store.search_index import SearchIndex
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
        self._known: tuple[tuple[Any, ...], list[int], dict[int, int]] | None = None

    def starting_with(self, prefix: str) -> list[Placed] | None:
        """See ``Catalogue``."""
        # A range instead of LIKE: it uses the index and takes `_` and `%` literally.
        return self._placed("id >= ? AND id < ?", (prefix, prefix + "\uffff"))

    def marked(self, marks: Collection[int]) -> list[Placed] | None:
        """See ``Catalogue``."""
        chosen = f"row IN (SELECT row FROM marks WHERE mark IN {AMONG})"
        return self._placed(chosen, (json.dumps(sorted(marks)),))

    def with_ids(self, ids: Collection[str]) -> list[Placed] | None:
        """See ``Catalogue``."""
        return self._placed(f"id IN {AMONG}", (json.dumps(sorted(ids)),))

    def paths(self) -> Mapping[str, str] | None:
        """See ``Catalogue``."""

        def found(ask: Ask, numbers: Mapping[str, int]) -> dict[str, str]:
            path_of = {number: path for path, number in numbers.items()}
            rows = ask("SELECT id, file FROM blocks", ())
            return {block_id: path_of[file] for block_id, file in rows if file in path_of}

        return self._answered(found)

    def within(self, path: str) -> list[Block] | None:
        """See ``Catalogue``."""

        def found(ask: Ask, numbers: Mapping[str, int]) -> list[Block]:
            query = "SELECT row, body, entry FROM blocks WHERE file = ?"
            held = {row: (body, entry) for row, body, entry in ask(query, (numbers[path],))}
            return [self._index.placed(path, *held[row]).block for row in ordered_rows(ask, path)]

        return self._answered(found)

    def concerned(self, spans: Sequence[Span], most: int) -> list[Placed] | None:
        """See ``Catalogue``."""

        def found(ask: Ask, numbers: Mapping[str, int]) -> list[Placed]:
            query = f"""SELECT row, file FROM concerns JOIN blocks USING (row) WHERE kind = ? AND at > ? AND at < ?
                AND file IN {AMONG} ORDER BY at DESC, concerns.id DESC LIMIT ?"""
            held = json.dumps([*numbers.values()])
            chosen: defaultdict[int, set[int]] = defaultdict(set)
            for span in spans:
                for row, file in ask(query, (*span, held, most)):
                    chosen[file].add(row)
            ordered = (
                row
                for path, number in numbers.items()
                if number in chosen
                for row in ordered_rows(ask, path)
                if row in chosen[number]
            )
            return self._at(ask, numbers, [*ordered])

        return self._answered(found)

    def recalled(self, ids: Collection[str], question: str, at: str) -> list[Placed] | None:
        """See ``Catalogue``."""
        from alice_exp.finding.rules.nearness.shelf import recalled

        def found(ask: Ask, _: Mapping[str, int]) -> list[Placed]:
            return recalled(Indexed(ask, load(ask), self._index.placed).among(ids), question, at)

        return self._answered(found)

    def sharing(self, paths: Sequence[str], keys: Collection[str]) -> list[Placed] | None:
        """See ``Catalogue``."""
        from alice_exp.finding.rules.nearness.shelf import heaviest

        query = f"""SELECT token, row FROM near JOIN blocks USING (row)
            WHERE token IN {AMONG} AND file IN {AMONG}"""

        def found(ask: Ask, numbers: Mapping[str, int]) -> list[Placed]:
            rows, place_of_row = self._ordered(ask, paths)
            holders: defaultdict[str, list[int]] = defaultdict(list)
            held = json.dumps([numbers[path] for path in paths])
            for key, row in ask(query, (json.dumps([*keys]), held)):
                holders[key].append(place_of_row[row])
            ordered = {key: sorted(places) for key, places in holders.items()}
            return self._at(ask, numbers, [rows[at] for at in heaviest(ordered, len(rows))])

        return self._answered(found)

    def _ordered(self, ask: Ask, paths: Sequence[str]) -> tuple[list[int], dict[int, int]]:
        """The rows of some files in order, and the place of each."""
        [(generation,)] = ask("SELECT generation FROM about", ())
        if self._known is None or self._known[0] != (generation, *paths):
            rows = [row for path in paths for row in ordered_rows(ask, path)]
            self._known = ((generation, *paths), rows, {row: at for at, row in enumerate(rows)})
        return self._known[1:]

    def _at(self, ask: Ask, numbers: Mapping[str, int], places: Sequence[int]) -> list[Placed]:
        paths = {number: path for path, number in numbers.items()}
        query = f"SELECT row, file, body, entry FROM blocks WHERE row IN {AMONG}"
        found = {row: (file, *held) for row, file, *held in ask(query, (json.dumps([*places]),))}
        return [self._index.placed(paths[found[row][0]], *found[row][1:]) for row in places]

    def _placed(self, chosen: str, values: tuple[Any, ...]) -> list[Placed] | None:
        """The blocks of the files that a condition chooses, in the files' order; None if the rows are of others now."""

        def found(ask: Ask, numbers: Mapping[str, int]) -> list[Placed]:
            paths = {number: path for path, number in numbers.items()}
            query = f"SELECT file, body, entry FROM blocks WHERE {chosen} ORDER BY file, row"
            return [
                self._index.placed(paths[number], *held)
                for number, *held in ask(query, values)
                if number in paths
            ]

        return self._answered(found)

    def _answered(self, question: Callable[[Ask, Mapping[str, int]], R]) -> R | None:
        """The answer to a question about the files' rows, whose numbers it is told by path; None if these are of
        others now."""

        def found() -> R | None:
            ask = self._index.opened()
            query = "SELECT file, path, content FROM files"
            rows = {path: (number, content) for number, path, content in ask(query, ())}
            if any(rows.get(path, (0, ""))[1] != content for path, content in self._files.items()):
                return None
            return question(ask, {path: rows[path][0] for path in sorted(self._files)})

        return self._index.answered(found)
