"""How new a line of the diary is: what is done again and again matters less than what was done once (B5.7)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from alice_exp.kernel.text.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NEW = 0.4
"""The least novelty with which a line is not one of many."""

FULL = 10
"""Words from which on a line tells no more by having more."""

_CJK = re.compile("[\u2e80-\U0003ffff]")
_WORD = re.compile("[\u2e80-\U0003ffff]|(?:(?![\u2e80-\U0003ffff])[^\\W\\d_])+")


def novelty(lines: Sequence[str], around: Iterable[str]) -> list[float]:
    """For each line the share of its words, in [0, 1], that no single other line has: of these, or of those around it.

    Numbers say nothing: ``run the tests → 12 passed`` is what ``run the tests → 9 passed`` is.
    """
    known = [_words(line) for line in around]
    own = [_words(line) for line in lines]
    return [
        1.0 - _most_shared(words, (*known, *own[:at], *own[at + 1 :])) / len(words) if words else 0.0
        for at, words in enumerate(own)
    ]


@lru_cache(4096)
def amount(line: str) -> float:
    """How much a line can tell, in [0, 1]: by its words, three Chinese characters counting as two."""
    return min(1.0, sum(2 / 3 if _CJK.match(word) else 1 for word in _WORD.findall(line)) / FULL)


def _most_shared(words: frozenset[str], others: Iterable[frozenset[str]]) -> int:
    # Each merge compares each line with each around it: no Python is called for a pair.
    return max(map(len, map(words.intersection, others)), default=0)


@lru_cache(4096)
def _words(line: str) -> frozenset[str]:
    return frozenset(word for word in tokens(line) if not word.isdigit())
