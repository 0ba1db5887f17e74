"""What the search index knows of the blocks of files that nobody read; see ``model.values.snapshot.Catalogue``."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, TypeVar

from alice_exp.finding.store.index_query import AMONG, Indexed, ordered_rows
from alice_exp.model.values.block import Block, Placed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from alice_exp.finding.store.search_index import HomeIndex
    from alice_exp.model.values.snapshot import Span

R = TypeVar("R")


class Rows:
    """The rows of ``files`` (path to blob id), as long as they describe these; implements ``Catalogue``.

    Each question makes sure of that in the transaction that answers it.
    """

    def __init__(self, index: HomeIndex, files: Mapping[str, str]) -> None:
        self._index = index
        self._files = files

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

    def nearest(
        self, paths: Collection[str], text: str, words: str, at: str
    ) -> tuple[Sequence[Placed], str] | None:
        """See ``Catalogue``."""
        from alice_exp.finding.rules.nearness.neighbourhood import nearest

        return self._answered(lambda known: nearest(known.of_files(paths), text, words, at))

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
