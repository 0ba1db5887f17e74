"""Decides whether two blocks are the same: by an equal outside key, or by equal trigger and payload in one project
(DESIGN 3)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

from alice_exp.kernel.content_digest import sha256
from alice_exp.kernel.text.tokens import bag, fingerprint_text
from alice_exp.model.rules.rejection import inference
from alice_exp.model.rules.similarity import plain_mark
from alice_exp.model.values.block import Block, content_hash

if TYPE_CHECKING:
    from alice_exp.kernel.jsonc import Edit

Sameness = tuple[str, ...]
"""A value that is equal for blocks that are the same; opaque otherwise."""


def sameness(block: Block) -> Sameness:
    """Type and outside key, or else the project with the fingerprints of trigger and payload (NFKC, case folded, no
    punctuation)."""
    if block.key:
        return ("key", block.type, block.key)
    parts = (block.trigger.text, block.payload.content, *block.payload.steps)
    return ("text", block.project.partition(" ")[0], *(fingerprint_text(part) for part in parts))


def marks(block: Block) -> frozenset[int]:
    """Numbers (64 bits, signed), of which two blocks share one at least if they are the same.

    The same by outside key or by trigger and payload (``identity.sameness``), or by what they claim, whatever the
    trigger (``rejection.Rejections``). The reverse does not hold: whoever finds a block by its marks compares.
    """
    payload = block.payload
    text = inference(payload)
    mark = fingerprint_text(text)
    found = {mark or f"={text}", plain_mark(text) or f"={text}"}
    found.add(fingerprint_text(payload.content) if payload.steps else mark)
    in_any_order = bag(text)
    if in_any_order:
        found.add("\0bag\0" + " ".join(in_any_order))
    if block.key:
        found.add(f"\0key\0{block.type}\0{block.key}")
    return frozenset(_number(one) for one in found)


def _number(text: str) -> int:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


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
    """The edits that give each block of a file without an id its own, which is then ``taken``."""
    from alice_exp.kernel.jsonc import Set

    for index, block in enumerate(blocks):
        if not block.id:
            own = id_of_nameless(block, path, taken)
            taken.add(own)
            yield Set(("blocks", index, "id"), own)
