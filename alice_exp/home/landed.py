"""What an act did to one namespace file, told to those who keep something in step with the files."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from alice_exp.model.values.block import Block


class Landed(NamedTuple):
    """One written file: its content, and its blocks in order, before and after.

    A block that did not change is the same object on both sides.
    """

    path: str
    before: bytes
    after: bytes
    old: tuple[Block, ...]
    new: tuple[Block, ...]
