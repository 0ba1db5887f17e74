"""Embeddings without a model: hashed character n-grams plus the concepts of extraction (B4.10).

Concepts make the order right: for 用户的工作, 用户是程序员 ranks above 用户在北京工作, which shares more characters.
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
    """Embed a question (all zeros for empty text): its n-grams and the concepts its words name."""
    folded = fold(text)
    return _vector(
        folded, [concept for concept, words in TAGS.items() if any(word in folded for word in words)]
    )


def embed_block(block: Block) -> tuple[float, ...]:
    """Embed a memory: its payload's n-grams and the concepts its tags name."""
    tags = set(block.tags)
    return _vector(
        fold(block.payload.content), [name for name, words in TAGS.items() if words and tags >= set(words)]
    )


def cosine(first: Sequence[float], second: Sequence[float]) -> float:
    """Cosine similarity in [-1, 1]; 0 if either is all zeros. Raises ``ValueError`` if lengths differ."""
    norms = math.sqrt(math.fsum(x * x for x in first)) * math.sqrt(math.fsum(x * x for x in second))
    dot = math.fsum(x * y for x, y in zip(first, second, strict=True))
    return max(-1.0, min(1.0, dot / norms)) if norms else 0.0


def _vector(text: str, concepts: Iterable[str]) -> tuple[float, ...]:
    """Sum of two unit vectors, n-grams and concepts; the second is zero if there are no concepts."""
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
