"""How much a line of the diary tells: decisions, refusals, surprises, firsts, what is referred to later (B5.7)."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from alice_exp.kernel.text.data_files import word_lists
from alice_exp.kernel.text.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alice_exp.model.values.records import Event

IMPORTANT = "! "
"""Stands in front of a key event that was given an importance."""

WEIGHTY = 0.7
"""The least importance (``metadata.importance``, 0 to 1) that makes a thought one of those to keep."""

_WORDS = "timeline/rules/data/telling.txt"
_WEIGHTS = {"decision": 4.0, "refusal": 3.0, "surprise": 3.0, "first": 2.0}
_PLACES = re.compile(r"\b\d[\d.,:]*\b|[\W_]+")
_SHARED = 2


@cache
def _patterns() -> tuple[tuple[float, re.Pattern[str]], ...]:
    lists = word_lists(_WORDS)
    return tuple((weight, _pattern(lists[name])) for name, weight in _WEIGHTS.items())


def _pattern(words: Sequence[str]) -> re.Pattern[str]:
    latin = "|".join(re.escape(word.replace("_", " ")) for word in words if word.isascii())
    other = "|".join(re.escape(word) for word in words if not word.isascii())
    return re.compile(rf"\b(?:{latin})\b|{other}", re.IGNORECASE)


@lru_cache(4096)
def telling(text: str) -> float:
    """The weight of a line (>= 0): decision 4, refusal or surprise 3, first 2, given importance 5."""
    given = 5.0 if text.startswith(IMPORTANT) else 0.0
    return max(given, max((weight for weight, form in _patterns() if form.search(text)), default=0.0))


def is_weighty(event: Event) -> bool:
    """Whether the thought was given an importance of at least 0.7."""
    given = event.metadata.get("importance")
    return isinstance(given, int | float) and not isinstance(given, bool) and given >= WEIGHTY


@lru_cache(4096)
def kind_of_deed(key: str) -> str:
    """What a key event is one of, whatever its numbers: ``run the tests → 12 passed`` is one of many."""
    return _PLACES.sub(" ", key).strip().casefold()


def referred(older: Sequence[str], newer: Sequence[str]) -> frozenset[str]:
    """The older lines to which newer ones refer: those that share two rare words with one of another kind."""
    later = [set(tokens(line)) for line in newer]
    kinds = {kind_of_deed(line) for line in newer}
    earlier = [(line, set(tokens(line))) for line in older]
    spread = Counter(word for _, words in earlier for word in words)
    return frozenset(
        line
        for line, words in earlier
        if kind_of_deed(line) not in kinds
        and any(
            sum(spread[word] == 1 and not word.isdigit() for word in words & each) >= _SHARED
            for each in later
        )
    )
