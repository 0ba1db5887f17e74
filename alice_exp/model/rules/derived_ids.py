"""Derives ids that every machine derives alike, for blocks that no machine alone has named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alice_exp.kernel.jsonc import Remove, Set
from alice_exp.kernel.sha256 import sha256
from alice_exp.model.values.block import content_hash

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from alice_exp.kernel.jsonc import Edit
    from alice_exp.model.values.block import Block

_ALPHABET = "abcdefghijklmnopqrstuvwxyz23456789"


def derived_id(said: str) -> str:
    """An id (``exp-`` and eight characters) for a text: a hash of it, so equal on all machines."""
    number = int.from_bytes(sha256(said.encode()).digest(), "big")
    characters = []
    for _ in range(8):
        number, rest = divmod(number, len(_ALPHABET))
        characters.append(_ALPHABET[rest])
    return "exp-" + "".join(characters)


def id_of_nameless(block: Block, path: str, taken: Collection[str]) -> str:
    """The id of a block that git brought without one: of its file and its content, the next one if that is taken."""
    said = f"{path} {content_hash(block)}"
    while (found := derived_id(said)) in taken:
        said += " again"
    return found


def naming(blocks: Sequence[Block], path: str, taken: set[str]) -> Iterator[Edit]:
    """The edits that give each block of a file without an id its own, which is then ``taken``.

    No act approves what has no id: an approval that stands there was typed, and goes.
    """
    for index, block in enumerate(blocks):
        if not block.id:
            own = id_of_nameless(block, path, taken)
            taken.add(own)
            yield Set(("blocks", index, "id"), own)
            if block.approved is not None:
                yield Remove(("blocks", index, "approved"))
