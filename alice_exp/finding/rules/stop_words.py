"""Weights of light words in a query: words that ask, point or join count less than words of the subject.

The words are in ``finding/rules/data/light_words.txt``. English words that are never search tokens are
``kernel.text.tokens.STOP_WORDS``.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from alice_exp.kernel.text.data_files import word_lists
from alice_exp.kernel.text.tokens import is_cjk, stems

_WORDS = "finding/rules/data/light_words.txt"

LIGHT = 0.6
"""The weight of a light word in a query, in [0, 1]: chosen on the public question sets, where 0.5 does as well."""


@lru_cache(maxsize=1)
def _light_stems() -> frozenset[str]:
    return frozenset(stems(word_lists(_WORDS)["english"]).values())


@lru_cache(maxsize=1)
def _light_words() -> tuple[frozenset[str], int]:
    """The light Chinese words, and the length of the longest."""
    found = frozenset(word_lists(_WORDS)["chinese"])
    return found, max(map(len, found))


def is_light(stem: str) -> bool:
    """Whether an English stem belongs to a light word."""
    return stem in _light_stems()


def weight_of(pieces: Iterable[str]) -> dict[str, float]:
    """The weight of each search token of a query, 1 or ``LIGHT``; ``pieces`` are its stems and CJK runs.

    A pair of characters is light if one of them is. A token with several occurrences gets the largest weight.
    """
    weights: dict[str, float] = {}
    for piece in pieces:
        if not is_cjk(piece):
            weights[piece] = LIGHT if is_light(piece) else 1.0
            continue
        light = _light_places(piece)
        counts = [LIGHT if place else 1.0 for place in light]
        found = [*zip(piece, counts, strict=True)]
        found += [(one + other, min(a, b)) for (one, a), (other, b) in pairwise(found)]
        for token, count in found:
            weights[token] = max(weights.get(token, 0.0), count)
    return weights


def word_weight(word: str) -> float:
    """The weight of a whole word of a query: ``LIGHT`` for a light English stem or a run of light CJK words, else 1."""
    light = all(_light_places(word)) if is_cjk(word) else is_light(word)
    return LIGHT if light else 1.0


def _light_places(run: str) -> list[bool]:
    """For each character of a run whether it belongs to a light word, by greedy longest match from the left."""
    light, longest = _light_words()
    found = [False] * len(run)
    at = 0
    while at < len(run):
        size = next((size for size in range(longest, 0, -1) if run[at : at + size] in light), 0)
        found[at : at + size] = [True] * len(run[at : at + size])
        at += size or 1
    return found
