"""Marks by which the few blocks that may equal a new one are found, without comparing it with all."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from alice_exp.kernel.text.tokens import bag, fingerprint_text
from alice_exp.model.rules.rejection import inference
from alice_exp.model.rules.similarity import plain_mark

if TYPE_CHECKING:
    from alice_exp.model.rules.identity import Saying


def marks(saying: Saying) -> frozenset[int]:
    """Numbers (64 bits, signed), of which two blocks share one at least if they are the same.

    The same by outside key or by trigger and payload (``identity.sameness``), or by what they claim, whatever the
    trigger (``rejection.Rejections``). The reverse does not hold: whoever finds a block by its marks compares.
    """
    payload = saying.payload
    text = inference(payload)
    mark = fingerprint_text(text)
    found = {mark or f"={text}", plain_mark(text) or f"={text}"}
    found.add(fingerprint_text(payload.content) if payload.steps else mark)
    in_any_order = bag(text)
    if in_any_order:
        found.add("\0bag\0" + " ".join(in_any_order))
    if saying.key:
        found.add(f"\0key\0{saying.type}\0{saying.key}")
    return frozenset(_number(one) for one in found)


def _number(text: str) -> int:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)
