"""Light words: they ask, point or join, and say little about a subject. In a question they count less than the rest.

The words are in ``finding/rules/data/light_words.txt``; the English ones that say nothing at all are
``kernel.text.tokens.STOP_WORDS``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from alice_exp.kernel.text.data_files import word_lists
from alice_exp.kernel.text.tokens import is_cjk, stems

if TYPE_CHECKING:
    from collections.abc import Iterable

_WORDS = "finding/rules/data/light_words.txt"

LIGHT = 0.6
"""What a light word counts in a question, in [0, 1]: chosen on the public questions, where 0.5 does as well."""


@lru_cache(maxsize=1)
def _light_stems() -> frozenset[str]:
    return frozenset(stems(word_lists(_WORDS)["english"]).values())


@lru_cache(maxsize=1)
def _light_run() -> re.Pattern[str]:
    return re.compile("|".join(sorted(word_lists(_WORDS)["chinese"], key=lambda word: (-len(word), word))))


def is_light(stem: str) -> bool:
    """Whether an English stem is a light word's."""
    return stem in _light_stems()


def weight_of(pieces: Iterable[str]) -> dict[str, float]:
    """What each search token of a question counts, 1 or ``LIGHT``; ``pieces`` are its stems and CJK runs.

    A pair of characters is light where one of them is; what stands anywhere in full counts in full.
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
    """What a whole word of a question counts: ``LIGHT`` where it is a light English stem or made of light CJK words."""
    light = all(_light_places(word)) if is_cjk(word) else is_light(word)
    return LIGHT if light else 1.0


def words_beside(runs: Iterable[str], known: Iterable[str]) -> int:
    """How many words CJK runs hold beside some known ones and light ones, two characters being one word."""
    taken = sorted(known, key=len, reverse=True)
    count = 0
    for run in runs:
        for word in taken:
            run = run.replace(word, " ")
        rest = "".join(" " if light else char for char, light in zip(run, _light_places(run), strict=True))
        count += sum((len(part) + 1) // 2 for part in rest.split())
    return count


def _light_places(run: str) -> list[bool]:
    """For each character of a run whether it belongs to a light word; the longest is taken, from the left."""
    found = [False] * len(run)
    for match in _light_run().finditer(run):
        found[match.start() : match.end()] = [True] * len(match.group())
    return found
