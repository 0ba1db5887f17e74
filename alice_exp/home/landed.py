"""What an act did to one namespace file, told to those who keep something in step with the files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from alice_exp.model.values.block import Block

NEW = -1
"""Stands for the place of a block that is new or changed."""


class Landed(NamedTuple):
    """One written file: its content before and after, and what became of its blocks.

    ``kept`` says for each block of the new content, in order, at which place the old one had it unchanged, or ``NEW``.
    ``fresh`` holds the new and changed blocks by their place in the new content; ``is_plain`` that none of them brought
    a warning.
    """

    path: str
    before: bytes
    after: bytes
    kept: Sequence[int]
    fresh: Mapping[int, Block]
    is_plain: bool

    @classmethod
    def of(
        cls,
        path: str,
        before: bytes,
        after: bytes,
        old: Sequence[Block],
        new: Sequence[Block],
        *,
        is_plain: bool,
    ) -> Landed:
        """From all blocks before and after: one that did not change is the same object on both sides."""
        places = {id(block): at for at, block in enumerate(old)}
        kept = [places.get(id(block), NEW) for block in new]
        fresh = {at: block for at, block in enumerate(new) if kept[at] == NEW}
        return cls(path, before, after, kept, fresh, is_plain)
