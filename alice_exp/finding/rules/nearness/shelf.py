"""Blocks in which a neighbourhood looks up whom to compare: those at hand, or those that only the index has read."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from alice_exp.finding.rules.nearness.rough_keys import FIRST, LAST, TRIGGER, RoughKeys, is_pair, looked_up
from alice_exp.kernel.text.tokens import fingerprint_text
from alice_exp.model.values.block import Placed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from alice_exp.model.values.snapshot import Catalogue, NamespaceFile, Snapshot


class Shelf(Protocol):
    """Blocks by their places, from 0 in the order of the files. Keys are those of ``RoughKeys.counted``."""

    def __len__(self) -> int: ...

    def holding(self, keys: Collection[str]) -> Mapping[str, Sequence[int]]:
        """The places of the blocks that hold a key, ascending, for each key that one of them holds."""
        ...

    def counts(self, keys: Collection[str]) -> Mapping[str, int]:
        """How often a key is held in all, likewise."""
        ...

    def blocks(self, places: Sequence[int]) -> Sequence[Placed]:
        """The blocks at some places, in the order asked."""
        ...


class Listed:
    """A shelf of blocks at hand."""

    def __init__(self, blocks: Iterable[Placed], rough: RoughKeys) -> None:
        self._blocks = list(blocks)
        self._rough = rough

    def __len__(self) -> int:
        return len(self._blocks)

    def holding(self, keys: Collection[str]) -> Mapping[str, Sequence[int]]:
        """See ``Shelf``."""
        return {key: self._holders[key] for key in keys if key in self._holders}

    def counts(self, keys: Collection[str]) -> Mapping[str, int]:
        """See ``Shelf``."""
        pairs = self._pairs if any(key[:1] in (FIRST, LAST) for key in keys) else {}
        held = ((key, pairs.get(key) or len(self._holders.get(key, ()))) for key in keys)
        return {key: count for key, count in held if count}

    def blocks(self, places: Sequence[int]) -> Sequence[Placed]:
        """See ``Shelf``."""
        return [self._blocks[at] for at in places]

    @cached_property
    def _holders(self) -> dict[str, list[int]]:
        found: defaultdict[str, list[int]] = defaultdict(list)
        for at, placed in enumerate(self._blocks):
            for key in self._rough.of(looked_up(placed.block)):
                found[key].append(at)
            mark = fingerprint_text(placed.block.trigger.text)
            if mark:
                found[TRIGGER + mark].append(at)
        return dict(found)

    @cached_property
    def _pairs(self) -> dict[str, int]:
        """How many pairs of the blocks a character begins, and how many it ends."""
        found: defaultdict[str, int] = defaultdict(int)
        for key, rows in self._holders.items():
            if is_pair(key):
                found[FIRST + key[0]] += len(rows)
                found[LAST + key[1]] += len(rows)
        return found


class Catalogued:
    """A shelf of files that nobody read, from a snapshot's catalogue; read after all where that does not answer."""

    def __init__(self, known: Catalogue, files: Sequence[NamespaceFile]) -> None:
        self._known: Catalogue | None = known
        self._files = files
        self._paths = [file.path for file in files]

    def __len__(self) -> int:
        found = self._known.size(self._paths) if self._known else None
        return len(self._read) if found is None else found

    def holding(self, keys: Collection[str]) -> Mapping[str, Sequence[int]]:
        """See ``Shelf``."""
        found = self._known.holding(self._paths, keys) if self._known else None
        return self._read.holding(keys) if found is None else found

    def counts(self, keys: Collection[str]) -> Mapping[str, int]:
        """See ``Shelf``."""
        found = self._known.counts(self._paths, keys) if self._known else None
        return self._read.counts(keys) if found is None else found

    def blocks(self, places: Sequence[int]) -> Sequence[Placed]:
        """See ``Shelf``."""
        found = self._known.at(self._paths, places) if self._known else None
        return self._read.blocks(places) if found is None else found

    @cached_property
    def _read(self) -> Listed:
        """The same blocks at the same places, read; the catalogue is not asked any more."""
        self._known = None
        placed = (Placed(block, file.path, file.stale) for file in self._files for block in file.blocks)
        return Listed(placed, RoughKeys())


def trusted(snapshot: Snapshot) -> Iterable[Placed] | Catalogued:
    """What a snapshot trusts; not read where its catalogue knows all of it."""
    files = [file for file in snapshot.files if file.place in ("personal", "universal")]
    if snapshot.catalogue is not None and all(file.is_unread for file in files):
        return Catalogued(snapshot.catalogue, files)
    return snapshot.within("personal", "universal")
