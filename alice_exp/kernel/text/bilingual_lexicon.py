"""A small English–Chinese lexicon of everyday words, so that a query in one language finds texts in the other.

The words are in ``kernel/text/data/lexicon.txt``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from itertools import chain

from alice_exp.kernel.text.data_files import entries, stored
from alice_exp.kernel.text.tokens import is_cjk, stems

_LEXICON = "kernel/text/data/lexicon.txt"
_CLASSES = "kernel/text/data/classes.txt"
_READERS = ("kernel/text/bilingual_lexicon.py", "kernel/text/tokens.py", "kernel/text/data/stop_words.txt")


@stored(_LEXICON, *_READERS, stemmed=True)
def _concepts() -> tuple[str, Mapping[str, Sequence[str]], AbstractSet[str]]:
    """The concepts as one text, a line each with a comma before and behind every name, ``,hike,hiking,=,徒步,``; the
    English words of each stem; the Chinese words."""
    lines = [line.replace(" ", "") for line in entries(_LEXICON)]
    english, _, chinese = zip(*(line.partition("=") for line in lines), strict=True)
    spelt: defaultdict[str, list[str]] = defaultdict(list)
    for word, stem in stems(dict.fromkeys(",".join(english).split(","))).items():
        spelt[stem].append(word)
    text = "".join(f",{line},\n" for line in lines).replace("=", ",=,")
    return text, dict(spelt), frozenset(",".join(chinese).split(","))


def _rows(word: str) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """The English and the Chinese words of each concept that a word names."""
    text = _concepts()[0]
    at = text.find(f",{word},")
    while at >= 0:
        end = text.index("\n", at)
        english, _, chinese = text[text.rfind("\n", 0, at) + 2 : end - 1].partition(",=,")
        yield english.split(","), chinese.split(",")
        at = text.find(f",{word},", end)


@cache
def same_concept(word: str) -> AbstractSet[str]:
    """The other names of the concepts of an English stem or Chinese word: stems and Chinese words, never itself.

    English stems have Chinese names only; an unknown word has none.
    """
    _, spelt, chinese = _concepts()
    found: set[str] = set()
    for one in spelt.get(word, ()):
        found.update(*(names for _, names in _rows(one)))
    if word in chinese:
        for english, names in _rows(word):
            found.update(names, stems(english).values())
    return frozenset(found - {word})


@stored(_CLASSES, *_READERS, stemmed=True)
def _members() -> Mapping[str, AbstractSet[str]]:
    """The members of each class, by each of its names (stems and Chinese words)."""
    lines = [line.replace(" ", "").partition(":") for line in entries(_CLASSES)]
    rows = [
        ([*chain(*(side.split(",") for side in names.split("=")))], held.split(","))
        for names, _, held in lines
    ]
    stem_of = stems({word for names, held in rows for word in (*names, *held) if not is_cjk(word)})
    found: defaultdict[str, set[str]] = defaultdict(set)
    for names, held in rows:
        for name in names:
            found[stem_of.get(name, name)].update(stem_of.get(word, word) for word in held)
    return dict(found)


def members(word: str) -> AbstractSet[str]:
    """The members of the class that an English stem or Chinese word names; none for any other word."""
    return _members().get(word, frozenset())


@cache
def _known() -> tuple[AbstractSet[str], int]:
    """The Chinese words and the names of classes, and the length of the longest."""
    known = _concepts()[2] | _members().keys()
    return known, max(map(len, known))


def known_words(pieces: Iterable[str]) -> list[str]:
    """The words of a text that are in the lexicon or name a class, each once, in order: ``pieces`` are folded CJK runs
    and stems.

    A CJK run is segmented by greedy longest match from the left.
    """
    spelt, (known, longest) = _concepts()[1], _known()
    found: dict[str, None] = {}
    for piece in pieces:
        if not is_cjk(piece):
            if piece in spelt or piece in known:
                found[piece] = None
            continue
        at = 0
        while at < len(piece):
            sizes = range(min(longest, len(piece) - at), 0, -1)
            size = next((size for size in sizes if piece[at : at + size] in known), 0)
            if size:
                found[piece[at : at + size]] = None
            at += size or 1
    return list(found)
