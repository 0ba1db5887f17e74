"""Search by words in a few thousand short texts, without an index: BM25 over the texts at hand."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING

from alice_exp.kernel.text.tokens import tokens, tokens_many

if TYPE_CHECKING:
    from collections.abc import Sequence

K1, B = 1.2, 0.75
"""BM25's saturation and length normalisation (Robertson 1994)."""

MANY = 50
"""The fewest texts that a word's rarity is worked out by: among a handful, what they have would count for nothing."""

_ASKING = re.compile(
    "为什么|为何|什么时候|什么|怎么样?|怎样|如何|哪[个里些种家]?|多少|是否|有没有|何时|[吗呢吧]"
)
"""Words of a Chinese question that no answer has."""

LEAST = 0.4
"""The least share of the query's weight that a text has to have; below it nothing fits."""


def scores(query: str, texts: Sequence[str], least: float = LEAST, count: int = 0) -> list[float]:
    """Each text's score (>= 0), divided by the most that the query could score; 0.0 where the text does not fit.

    ``count`` is the number of all texts, where those that have no word of the query were left out before.
    """
    wanted = sorted(set(tokens(_ASKING.sub(" ", query))) or set(tokens(query)))
    bags = [Counter(found) for found in tokens_many(texts)]
    lengths = [sum(bag.values()) for bag in bags]
    mean = sum(lengths) / len(lengths) if any(lengths) else 1.0
    # A word that no text has tells no more than one that a single text has.
    spread = {word: max(1, sum(word in bag for bag in bags)) for word in wanted}
    count = max(count, len(bags), MANY)
    weight = {word: math.log(1 + (count - n + 0.5) / (n + 0.5)) for word, n in spread.items()}
    whole = sum(weight.values())
    found = []
    for bag, length in zip(bags, lengths, strict=True):
        shared = [word for word in wanted if word in bag]
        fits = bool(shared) and sum(weight[word] for word in shared) >= least * whole
        norm = K1 * (1 - B + B * length / mean)
        total = sum(weight[word] * bag[word] * (K1 + 1) / (bag[word] + norm) for word in shared)
        found.append(total / (whole * (K1 + 1)) if fits else 0.0)
    return found
