"""A small English–Chinese lexicon of everyday words, so that a query in one language finds texts in the other.

The words are in ``kernel/text/data/lexicon.txt``. Chinese numerals are read here, too.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from itertools import chain

from alice_exp.kernel.text.data_files import entries, stored
from alice_exp.kernel.text.tokens import fold, is_cjk, pieces, stems, tokens, tokens_many

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


K1, B = 1.2, 0.75
"""BM25's saturation and length normalisation (Robertson 1994)."""

MANY = 50
"""The fewest texts that a word's rarity is worked out by: among a handful, what they have would count for nothing."""

_ASKING = re.compile(
    "为什么|为何|什么时候|什么|怎么样?|怎样|如何|哪[个里些种家]?|多少|是否|有没有|何时|[吗呢吧]"
)
"""Words of a Chinese question that no answer has."""

ACROSS, MOST_ACROSS = 0.6, 0.8
"""The least share of what is asked that a text in the other language has to have, and the most that it scores."""

LEAST = 0.4
"""The least share of the query's weight that a text has to have; below it nothing fits."""


def scores(query: str, texts: Sequence[str], least: float, count: int = 0) -> list[float]:
    """Each text's score (>= 0), divided by the most that the query could score; 0.0 below the share ``least`` of its
    weight. ``count`` is the number of all texts, where those that have no word of the query were left out before.
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


def scores_across(query: str, texts: Sequence[str], least: float = ACROSS) -> list[float]:
    """Each text's score (0 to 0.8) for a query in the other language, English or Chinese, by the lexicon's concepts.

    A name or a word of the text's own script in the query ("v1 什么时候停的") counts as it is written.
    """
    asked = _other_names(query)
    if not asked:
        return [0.0] * len(texts)
    folded = [fold(text) for text in texts]
    spelt = any(not is_cjk(name) for names in asked for name in names)
    bags: list[set[str]] = [set(found) for found in tokens_many(texts)] if spelt else [set()] * len(texts)
    has = [
        [any((name in text) if is_cjk(name) else (name in bag) for name in names) for names in asked]
        for text, bag in zip(folded, bags, strict=True)
    ]
    count = max(len(texts), MANY)
    spread = [max(1, sum(row[place] for row in has)) for place in range(len(asked))]
    weight = [math.log(1 + (count - n + 0.5) / (n + 0.5)) for n in spread]
    shares = [sum(w for w, hit in zip(weight, row, strict=True) if hit) / sum(weight) for row in has]
    return [MOST_ACROSS * share if share >= least else 0.0 for share in shares]


def _other_names(query: str) -> list[frozenset[str]]:
    """What a query asks for, each as its names in the script that the query is not written in."""
    parts = pieces(_ASKING.sub(" ", query))
    stem_of = stems({part for part in parts if not is_cjk(part)})
    chinese = any(map(is_cjk, parts))
    words = known_words(
        [part if is_cjk(part) else stem_of[part] for part in parts if is_cjk(part) or part in stem_of]
    )
    named = [
        frozenset(name for name in same_concept(word) if is_cjk(name) != is_cjk(word))
        for word in words
        if is_cjk(word) == chinese
    ]
    kept = [frozenset({stem_of[part]}) for part in dict.fromkeys(parts) if chinese and part in stem_of]
    return [names for names in (*named, *kept) if names] if any(named) or kept else []


DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"两": 2}
_SCALES = {"十": 10, "百": 100, "千": 1000}


def chinese_number(text: str) -> int | None:
    """A whole number in Chinese numerals; None where two digits stand side by side (三四)."""
    total = digit = 0
    for character in text:
        if character == "万":
            total, digit = ((total + digit) or 1) * 10_000, 0
        elif scale := _SCALES.get(character):
            total, digit = total + (digit or 1) * scale, 0
        elif digit:
            return None
        else:
            digit = DIGITS[character]
    return total + digit
