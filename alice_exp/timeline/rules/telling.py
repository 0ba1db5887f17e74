"""How much a line of the diary tells: decisions, refusals, surprises, firsts, what is referred to later, what is new
(B5.7)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

from alice_exp.kernel.text.data_files import word_lists
from alice_exp.kernel.text.tokens import tokens
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
