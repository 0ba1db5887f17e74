"""The state of a home at the time of one read."""

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
    """One namespace file at the time of one read.

    ``stale`` is True if the file on disk has a problem, so that ``blocks`` come from its last good version.
    """

    path: str
    blocks: tuple[Block, ...]
    problems: tuple[Problem, ...] = ()
    stale: bool = False

    @property
    def place(self) -> Place:
        """The set (or the archive) that the path belongs to."""
        return place_of(self.path)

    @property
    def namespace(self) -> str:
        """The file's name without its suffix."""
        return namespace_of(self.path)


@dataclass(frozen=True)
class Snapshot:
    """Everything that one read found: files in path order, each block once, and all problems."""

    files: tuple[NamespaceFile, ...]
    problems: tuple[Problem, ...] = ()
    head: str = ""
    config: Config = field(default_factory=Config)
    episodes: EpisodeBook | None = None
    """The episodes if they were requested; None also if their file has a problem."""
    timeline: Timeline | None = None
    """The timeline, likewise."""

    def __iter__(self) -> Iterator[Placed]:
        for file in self.files:
            for block in file.blocks:
                yield Placed(block, file.path, file.stale)

    def within(self, *places: Place) -> Iterator[Placed]:
        """The blocks of the given sets, in file order."""
        return (
            Placed(block, file.path, file.stale)
            for file in self.files
            if file.place in places
            for block in file.blocks
        )

    def find(self, block_id: str) -> Placed | None:
        """The block with exactly this id, or None."""
        for file in self.files:
            for block in file.blocks:
                if block.id == block_id:
                    return Placed(block, file.path, file.stale)
        return None
