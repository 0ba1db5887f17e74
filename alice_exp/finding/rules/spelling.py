"""Spelling variants of a Latin word: camelCase parts, joined with its neighbours, and one typo away."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

SHORTEST, LONGEST = 5, 20
"""The lengths of words in which a typo is corrected: a word of four letters is close to too many others."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_MIXED = re.compile(r"\b[A-Za-z0-9]*[a-z][A-Z][A-Za-z0-9]*\b")


def cased_parts(text: str) -> dict[str, tuple[str, ...]]:
    """The lower-case parts of each ``camelCase`` word of a text: ``{"userid": ("user", "id")}``."""
    found = ((word.lower(), _PART.findall(word)) for word in _MIXED.findall(text))
    return {word: tuple(part.lower() for part in parts) for word, parts in found}


def in_one(words: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Each word joined with its neighbours, longest first: ``e``, ``mail`` → ``email``; at most three words."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for size in (3, 2):
        for start in range(len(words) - size + 1):
            for word in words[start : start + size]:
                found[word].append("".join(words[start : start + size]))
    return {word: tuple(wholes) for word, wholes in found.items()}


def one_slip(word: str) -> set[str]:
    """All strings one edit away: a letter deleted, inserted or replaced, or two neighbours swapped (Damerau 1).

    The first letter is taken to be right. Empty for words with characters other than a-z, too short or too long.
    """
    if not (word.isascii() and word.isalpha() and SHORTEST <= len(word) <= LONGEST):
        return set()
    # Starting at 1 keeps the first letter.
    cuts = [(word[:at], word[at:]) for at in range(1, len(word) + 1)]
    fewer = {head + tail[1:] for head, tail in cuts if tail}
    swapped = {head + tail[1] + tail[0] + tail[2:] for head, tail in cuts if len(tail) > 1}
    other = {head + letter + tail[1:] for head, tail in cuts if tail for letter in _LETTERS}
    more = {head + letter + tail for head, tail in cuts for letter in _LETTERS}
    return (fewer | swapped | other | more) - {word}


def is_one_edit(first: str, second: str) -> bool:
    """Whether one letter less, more or other makes one word of the other."""
    head = _shared(first, second)
    tail = _shared(first[head:][::-1], second[head:][::-1])
    return max(len(first), len(second)) - head - tail <= 1


def _shared(first: str, second: str) -> int:
    """How many letters two words begin with alike."""
    return next(
        (at for at, (a, b) in enumerate(zip(first, second, strict=False)) if a != b),
        min(len(first), len(second)),
    )
