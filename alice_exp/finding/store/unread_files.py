"""What the search index knows of the blocks of files that nobody read; see ``model.values.snapshot.Catalogue``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from alice_exp.finding.store.index_query import block_from
from alice_exp.model.values.block import Placed, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from alice_exp.finding.store.search_index import SearchIndex

    Ask = Callable[[str, tuple[Any, ...]], Iterator[tuple[Any, ...]]]


class Rows:
    """The rows of ``files`` (path to blob id), as long as they describe these; implements ``Catalogue``.

    Each question makes sure of that in the transaction that answers it.
    """

    def __init__(self, index: SearchIndex, files: Mapping[str, str]) -> None:
        self._index = index
        self._files = files

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

    def holds_any(self, ids: Collection[str]) -> bool | None:
        """See ``Catalogue``."""
        found = self._placed("id IN (SELECT value FROM json_each(?))", (json.dumps(sorted(ids)),))
        return None if found is None else bool(found)

    def _placed(self, chosen: str, values: tuple[Any, ...]) -> list[Placed] | None:
        """The blocks of the files that a condition chooses, in the files' order; None if the rows are of others now."""

        def found() -> list[Placed] | None:
            ask = self._index.opened()
            files = {
                number: (path, content)
                for number, path, content in ask("SELECT file, path, content FROM files", ())
            }
            if not self._files.items() <= dict(files.values()).items():
                return None
            query = f"SELECT file, slot, body FROM blocks WHERE {chosen} ORDER BY file, slot"
            rows = [(files[number][0], body) for number, _, body in ask(query, values)]
            return [
                Placed(block_from(body, place_of(path)), path) for path, body in rows if path in self._files
            ]

        return self._index.answered(found)
