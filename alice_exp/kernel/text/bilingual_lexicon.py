"""A small English–Chinese lexicon of everyday words, so that a query in one language finds texts in the other.

The words are in ``kernel/text/data/lexicon.txt``.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from alice_exp.kernel.text.data_files import entries
from alice_exp.kernel.text.tokens import is_cjk, stems

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Set as AbstractSet


@lru_cache(maxsize=1)
def _lexicon() -> tuple[Mapping[str, AbstractSet[str]], int]:
    """The synonyms and translations of each English stem and Chinese word, and the length of the longest word."""
    lines = entries("kernel/text/data/lexicon.txt")
    rows = [[side.split(",") for side in line.replace(" ", "").split("=")] for line in lines]
    stem_of = stems({word for english, _ in rows for word in english})
    others: defaultdict[str, set[str]] = defaultdict(set)
    for english, chinese in rows:
        known = [stem_of[word] for word in english if word in stem_of]
        for stem in known:
            others[stem].update(chinese)
        for word in chinese:
            others[word].update(known, chinese)
    # A word of several concepts shares each one's row, which contains the word itself.
    for word, same in others.items():
        same.discard(word)
    return others, max(map(len, others))


def same_concept(word: str) -> AbstractSet[str]:
    """The other names of the concepts of an English stem or Chinese word: stems and Chinese words, never itself.

    English stems have Chinese names only; an unknown word has none.
    """
    return _lexicon()[0].get(word, frozenset())


@lru_cache(maxsize=1)
def _members() -> Mapping[str, AbstractSet[str]]:
    """The members of each class, by each of its names (stems and Chinese words)."""
    lines = [line.replace(" ", "").partition(":") for line in entries("kernel/text/data/classes.txt")]
    rows = [
        ([*chain(*(side.split(",") for side in names.split("=")))], held.split(","))
        for names, _, held in lines
    ]
    stem_of = stems({word for names, held in rows for word in (*names, *held) if not is_cjk(word)})
    found: defaultdict[str, set[str]] = defaultdict(set)
    for names, held in rows:
        for name in names:
            found[stem_of.get(name, name)].update(stem_of.get(word, word) for word in held)
    return found


def members(word: str) -> AbstractSet[str]:
    """The members of the class that an English stem or Chinese word names; none for any other word."""
    return _members().get(word, frozenset())


def known_words(pieces: Iterable[str]) -> list[str]:
    """The words of a text that are in the lexicon, each once, in order: ``pieces`` are folded CJK runs and stems.

    A CJK run is segmented by greedy longest match from the left.
    """
    others, longest = _lexicon()
    found: dict[str, None] = {}
    for piece in pieces:
        if not is_cjk(piece):
            if piece in others:
                found[piece] = None
            continue
        at = 0
        while at < len(piece):
            sizes = range(min(longest, len(piece) - at), 0, -1)
            size = next((size for size in sizes if piece[at : at + size] in others), 0)
            if size:
                found[piece[at : at + size]] = None
            at += size or 1
    return list(found)
