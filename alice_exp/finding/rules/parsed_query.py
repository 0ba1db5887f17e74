"""A query taken apart: terms, pairs of neighbouring words, concepts that the lexicon knows, and their weights."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from alice_exp.kernel.text.bilingual_lexicon import known_words, members, same_concept
from alice_exp.kernel.text.data_files import word_lists
from alice_exp.kernel.text.times import mentions_time
from alice_exp.kernel.text.tokens import cjk_tokens, fold, is_cjk, pieces, stems, thirds, tokens
from alice_exp.kernel.value_class import dataclass

if TYPE_CHECKING:
    from alice_exp.kernel.text.named_dates import Span


def pairs_of(row: Iterable[str]) -> list[str]:
    """The pairs of different Latin stems that are neighbours in a row of tokens, as ``"a b"``."""
    return [f"{a} {b}" for a, b in pairwise(row) if a != b and not is_cjk(a) and not is_cjk(b)]


_WORD = re.compile(r"[^\W\d_]+")
_CAPITALISED = re.compile(r"(?<![\w./\\@#-])[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+(?![\w/\\(]|[.:-]\w)")
_OPENS = ".!?:;\n"


def _capitalised(text: str) -> Iterator[str]:
    """The folded words that are capitalised within a sentence; none of a text in which most words are (a title, an
    error's line), nor parts of paths and of identifiers."""
    words = [word for word in _WORD.findall(text) if not is_cjk(word)]
    if 2 * sum(word[0].isupper() for word in words) > len(words):
        return
    for found in _CAPITALISED.finditer(text):
        before = text[: found.start()].rstrip(" \"'“‘(")
        if before and before[-1] not in _OPENS:
            yield fold(found.group())


_WORDS = "finding/rules/data/light_words.txt"

LIGHT = 0.6
"""The weight of a light word, one that asks, points or joins, in [0, 1]: chosen on the public question sets, where 0.5
does as well. English words that are never search tokens are ``kernel.text.tokens.STOP_WORDS``."""


@cache
def _light() -> tuple[frozenset[str], int]:
    """The light English stems and Chinese words, and the length of the longest Chinese one."""
    lists = word_lists(_WORDS)
    return frozenset((*stems(lists["english"]).values(), *lists["chinese"])), max(map(len, lists["chinese"]))


def weight_of(pieces: Iterable[str]) -> dict[str, float]:
    """The weight of each search token of a query, 1 or ``LIGHT``; ``pieces`` are its stems and CJK runs.

    A pair of characters is light if one of them is. A token with several occurrences gets the largest weight.
    """
    weights: dict[str, float] = {}
    for piece in pieces:
        if not is_cjk(piece):
            weights[piece] = LIGHT if piece in _light()[0] else 1.0
            continue
        found = [*zip(piece, [LIGHT if place else 1.0 for place in _light_places(piece)], strict=True)]
        found += [(one + other, min(a, b)) for (one, a), (other, b) in pairwise(found)]
        for token, count in found:
            weights[token] = max(weights.get(token, 0.0), count)
    return weights


def word_weight(word: str) -> float:
    """The weight of a whole word of a query: ``LIGHT`` for a light English stem or a run of light CJK words, else 1."""
    light = all(_light_places(word)) if is_cjk(word) else word in _light()[0]
    return LIGHT if light else 1.0


def _light_places(run: str) -> list[bool]:
    """For each character of a run whether it belongs to a light word, by greedy longest match from the left."""
    light, longest = _light()
    found = [False] * len(run)
    at = 0
    while at < len(run):
        size = next((size for size in range(longest, 0, -1) if run[at : at + size] in light), 0)
        found[at : at + size] = [True] * len(run[at : at + size])
        at += size or 1
    return found


TRANSLATED = 0.8
"""The weight of a name in the other language: what is said word for word stands before its translation."""

MEMBER = 0.6
"""The weight of a member of the class that a word names."""


@dataclass(frozen=True, slots=True)
class Concept:
    """A word of the query that the lexicon knows: its tokens, its other names and the members of its class (the tokens
    of each, what it counts, whether it is of the other language), and the weight of the concept, below 1 if all its
    names are light words."""

    own: tuple[str, ...]
    names: tuple[tuple[tuple[str, ...], float, bool], ...]
    cjk: bool
    weight: float
    is_light: bool


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query; ``size`` is its number of words, two CJK characters being one.

    ``weights`` are those of the terms (``weight_of``); ``names`` are the terms of unknown words that are capitalised
    within a sentence, ``dated`` those of words that name a day which is over, ``days`` all days that are named.
    """

    terms: tuple[str, ...]
    pairs: tuple[str, ...]
    concepts: tuple[Concept, ...]
    size: float
    weights: Mapping[str, float]
    names: frozenset[str]
    dated: frozenset[str]
    days: tuple[Span, ...]

    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, text: str, now: str = "") -> Query:
        """Parse a query that is asked ``now`` (ISO-8601 UTC, or its day alone); without it no word names a day."""
        runs = pieces(text)
        stem_of = stems(run for run in runs if not is_cjk(run))
        row = [run if is_cjk(run) else stem_of.get(run, "") for run in runs]
        row = [run for run in row if run]
        terms = chain.from_iterable(cjk_tokens(run) if is_cjk(run) else (run,) for run in row)
        size = sum((len(run) + 1) // 2 if is_cjk(run) else 1 for run in dict.fromkeys(row))
        named = _days(text, now)
        past = " ".join(words for words, span in named if f"{span.end:%Y-%m-%d}" <= now)
        known = known_words(row)
        weights = weight_of(row)
        common = frozenset(known).union(term for term, weight in weights.items() if weight < 1.0)
        # Sorted, because the order of a set differs between processes and float sums depend on the order.
        return cls(
            tuple(sorted(set(terms))),
            tuple(sorted(set(pairs_of(row)))),
            tuple(_concept(word) for word in known),
            size,
            weights,
            frozenset(stem_of.get(name, name) for name in _capitalised(text))
            & frozenset(stem_of.values()) - common,
            frozenset(tokens(past)),
            tuple(span for _, span in named),
        )

    def said_of(self, known: AbstractSet[str]) -> Query:
        """The question without those words of a past day that no text has, of texts with these tokens: the day of a
        text stands beside it, so its words tell nothing of what is known."""
        gone = [word for word in self.dated if word not in known]
        left = tuple(term for term in self.terms if term not in gone)
        return replace(self, terms=left, size=self.size - sum(map(thirds, gone)) / 3) if left else self

    @property
    def tokens(self) -> frozenset[str]:
        """Every token whose posting list is needed."""
        named = ((concept.own, *(name for name, *_ in concept.names)) for concept in self.concepts)
        return frozenset(chain(self.terms, self.pairs, *chain.from_iterable(named)))


def _days(text: str, now: str) -> list[tuple[str, Span]]:
    if not now or not mentions_time(text):
        return []
    # Loaded where a day may be named.
    from alice_exp.kernel.text.named_dates import named_days

    return named_days(text, now)


@cache
def _concept(word: str) -> Concept:
    cjk = is_cjk(word)
    names = sorted(same_concept(word), key=lambda name: (is_cjk(name) != cjk, name))
    others = [(name, TRANSLATED if is_cjk(name) != cjk else 1.0) for name in names]
    others += [(name, MEMBER) for name in sorted(members(word))]
    return Concept(
        _spelt(word),
        tuple((_spelt(name), share, is_cjk(name) != cjk) for name, share in others),
        cjk,
        max(map(word_weight, (word, *names))),
        word_weight(word) < 1.0,
    )


def _spelt(word: str) -> tuple[str, ...]:
    """The tokens of a word: the pairs alone for a CJK word of several characters."""
    if not is_cjk(word) or len(word) == 1:
        return (word,)
    # `cjk_tokens` gives the characters first, then the pairs.
    return tuple(cjk_tokens(word)[len(word) :])
