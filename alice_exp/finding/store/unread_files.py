"""What the search index knows of the blocks of files that nobody read; see ``model.values.snapshot.Catalogue``."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any, TypeVar

from alice_exp.finding.store.index_query import AMONG, Indexed, ordered_rows
from alice_exp.model.values.block import Block, Placed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from alice_exp.finding.store.search_index import SearchIndex
    from alice_exp.model.values.snapshot import Span

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
        return self._those(lambda known: known.starting_with(prefix))

    def marked(self, marks: Collection[int]) -> list[Placed] | None:
        """See ``Catalogue``."""
        condition = f"row IN (SELECT row FROM marks WHERE mark IN {AMONG}) ORDER BY file, row"
        return self._those(lambda known: known.chosen(condition, json.dumps(sorted(marks))))

    def with_ids(self, ids: Collection[str]) -> list[Placed] | None:
        """See ``Catalogue``."""
        return self._those(lambda known: known.chosen(f"id IN {AMONG}", json.dumps(sorted(ids))))

    def paths(self) -> Mapping[str, str] | None:
        """See ``Catalogue``."""
        query = "SELECT id, path FROM blocks JOIN files USING (file)"
        return self._answered(
            lambda known: {block_id: path for block_id, path in known.rows(query, ()) if path in self._files}
        )

    def within(self, path: str) -> list[Block] | None:
        """See ``Catalogue``."""
        return self._answered(
            lambda known: [one.block for one in known.blocks(ordered_rows(known.rows, path))]
        )

    def concerned(self, spans: Sequence[Span], most: int) -> list[Placed] | None:
        """See ``Catalogue``."""
        query = f"""SELECT row, path FROM concerns JOIN blocks USING (row) JOIN files USING (file)
            WHERE kind = ? AND at > ? AND at < ? AND path IN {AMONG} ORDER BY at DESC, concerns.id DESC LIMIT ?"""

        def found(known: Indexed) -> Sequence[Placed]:
            held = json.dumps([*self._files])
            chosen: defaultdict[str, set[int]] = defaultdict(set)
            for span in spans:
                for row, path in known.rows(query, (*span, held, most)):
                    chosen[path].add(row)
            ordered = ((path, row) for path in sorted(chosen) for row in ordered_rows(known.rows, path))
            return known.blocks([row for path, row in ordered if row in chosen[path]])

        return self._listed(found)

    def recalled(self, ids: Collection[str], question: str, at: str) -> list[Placed] | None:
        """See ``Catalogue``."""
        from alice_exp.finding.rules.nearness.shelf import recalled

        return self._listed(lambda known: recalled(known.among(ids), question, at))

    def sharing(self, paths: Sequence[str], keys: Collection[str]) -> list[Placed] | None:
        """See ``Catalogue``."""
        from alice_exp.finding.rules.nearness.shelf import heaviest

        query = f"""SELECT token, row FROM near JOIN blocks USING (row) JOIN files USING (file)
            WHERE token IN {AMONG} AND path IN {AMONG}"""

        def found(known: Indexed) -> Sequence[Placed]:
            rows, place_of_row = self._ordered(known, paths)
            holders: defaultdict[str, list[int]] = defaultdict(list)
            for key, row in known.rows(query, (json.dumps([*keys]), json.dumps([*paths]))):
                holders[key].append(place_of_row[row])
            ordered = {key: sorted(places) for key, places in holders.items()}
            return known.blocks([rows[at] for at in heaviest(ordered, len(rows))])

        return self._listed(found)

    def _ordered(self, known: Indexed, paths: Sequence[str]) -> tuple[list[int], dict[int, int]]:
        """The rows of some files in order, and the place of each."""
        [(generation,)] = known.rows("SELECT generation FROM about", ())
        if self._known is None or self._known[0] != (generation, *paths):
            rows = [row for path in paths for row in ordered_rows(known.rows, path)]
            self._known = ((generation, *paths), rows, {row: at for at, row in enumerate(rows)})
        return self._known[1:]

    def _those(self, question: Callable[[Indexed], Sequence[Placed]]) -> list[Placed] | None:
        """The blocks of the files among those that a question finds; None if the rows are of others now."""
        return self._listed(lambda known: [one for one in question(known) if one.path in self._files])

    def _listed(self, question: Callable[[Indexed], Sequence[Placed]]) -> list[Placed] | None:
        return self._answered(lambda known: [*question(known)])

    def _answered(self, question: Callable[[Indexed], R]) -> R | None:
        """The answer to a question about the rows; None if those of the files are of others now."""

        def found() -> R | None:
            known = self._index.indexed()
            held: dict[str, str] = dict(known.rows("SELECT path, content FROM files", ()))
            return question(known) if self._files.items() <= held.items() else None

        return self._index.answered(found)
