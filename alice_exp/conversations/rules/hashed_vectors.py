"""Embeddings without a model: hashed character n-grams and the concepts of extraction (B4.10).

The order is what counts: asked for 用户的工作, 用户是程序员 comes before 用户在北京工作, which shares more characters.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from zlib import crc32

from alice_exp.conversations.rules.extraction import TAGS
from alice_exp.kernel.text.tokens import fold
from alice_exp.model.values.block import Block

SIZE = 1024
"""Dimensions of an embedding."""

_GRAMS = (1, 2, 3)


def embed(text: str) -> tuple[float, ...]:
    """A question as a unit vector (all zeros for an empty text): its n-grams, and the concepts that its words name."""
    folded = fold(text)
    return _vector(
        folded, [concept for concept, words in TAGS.items() if any(word in folded for word in words)]
    )


def embed_block(block: Block) -> tuple[float, ...]:
    """A memory likewise: its payload's n-grams, and the concepts that its tags name."""
    tags = set(block.tags)
    return _vector(
        fold(block.payload.content), [name for name, words in TAGS.items() if words and tags >= set(words)]
    )


def cosine(first: Sequence[float], second: Sequence[float]) -> float:
    """Cosine similarity in [-1, 1]; 0 where one is all zeros. ValueError where they differ in length."""
    norms = math.sqrt(math.fsum(x * x for x in first)) * math.sqrt(math.fsum(x * x for x in second))
    dot = math.fsum(x * y for x, y in zip(first, second, strict=True))
    return max(-1.0, min(1.0, dot / norms)) if norms else 0.0


def _vector(text: str, concepts: Iterable[str]) -> tuple[float, ...]:
    """Half of the weight is the n-grams', half the concepts' where there are any."""
    grams = [text[start : start + size] for size in _GRAMS for start in range(len(text) - size + 1)]
    by_grams = _unit(grams)
    by_concepts = _unit([f"concept {name}" for name in concepts])
    return tuple(one + other for one, other in zip(by_grams, by_concepts, strict=True))


def _unit(features: Iterable[str]) -> list[float]:
    counts = [0.0] * SIZE
    for feature in features:
        counts[crc32(feature.encode("utf-8", "surrogatepass")) % SIZE] += 1.0
    norm = math.sqrt(math.fsum(value * value for value in counts))
    return [value / norm for value in counts] if norm else counts
