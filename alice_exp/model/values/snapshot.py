"""All that one read of a home saw."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from alice_exp.kernel.jsonc.problem import Problem
from alice_exp.model.values.block import Block, Place, Placed, namespace_of, place_of
from alice_exp.model.values.config import Config

if TYPE_CHECKING:
    from collections.abc import Iterator

    from alice_exp.model.values.records import EpisodeBook, Timeline


@dataclass(frozen=True, slots=True)
class NamespaceFile:
    """One namespace as one read saw it.

    ``stale`` is true where the file on disk holds a problem, so that ``blocks`` are those of the last good version.
    """

    path: str
    blocks: tuple[Block, ...]
    problems: tuple[Problem, ...] = ()
    stale: bool = False

    @property
    def place(self) -> Place:
        """The set (or the archive) that the path lies in."""
        return place_of(self.path)

    @property
    def namespace(self) -> str:
        """The file's name without its ending."""
        return namespace_of(self.path)


@dataclass(frozen=True)
class Snapshot:
    """All that one read saw: files in path order, each block once, and what was wrong."""

    files: tuple[NamespaceFile, ...]
    problems: tuple[Problem, ...] = ()
    head: str = ""
    config: Config = field(default_factory=Config)
    episodes: EpisodeBook | None = None
    """The episodes, where they were asked for; ``None`` also where their file holds a problem."""
    timeline: Timeline | None = None
    """The segments of thoughts, likewise."""

    def __iter__(self) -> Iterator[Placed]:
        for file in self.files:
            for block in file.blocks:
                yield Placed(block, file.path, file.stale)

    def within(self, *places: Place) -> Iterator[Placed]:
        """The blocks of some sets alone, in file order."""
        return (
            Placed(block, file.path, file.stale)
            for file in self.files
            if file.place in places
            for block in file.blocks
        )

    def find(self, block_id: str) -> Placed | None:
        """The block with exactly this id, or ``None``."""
        for file in self.files:
            for block in file.blocks:
                if block.id == block_id:
                    return Placed(block, file.path, file.stale)
        return None
