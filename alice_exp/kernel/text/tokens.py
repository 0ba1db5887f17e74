"""Text normalisation: case folding, fingerprints for equality, search tokens, and keywords."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from operator import concat
from typing import cast

from alice_exp.kernel.text import data_files
from alice_exp.kernel.text.data_files import LazyPattern

_LAST_SPACED = "\u2e7f"
# One negated range, because `re` takes milliseconds at import to compile a class of many wide ranges.
_CJK = r"[^\W\x00-\u2e7f]"

_category = unicodedata.category
_joined = cast("Callable[[str, str], str]", concat)

STOP_WORDS = frozenset(data_files.words("kernel/text/data/stop_words.txt"))
"""English words that say nothing about a text's subject and are never search tokens. Negations are not among them."""

_C_NAMES = r"\b[a-z](?:\+\+|#)"
_EMOJI = "[\u2600-\u27bf\U0001f000-\U0001faff]"
_PIECE = LazyPattern(rf"{_C_NAMES}|{_CJK}+|(?:[0-9a-z]+|(?!{_CJK})[^\W_])+|{_EMOJI}")
_PLAIN_PIECE = LazyPattern(rf"{_C_NAMES}|[0-9A-Za-z]+")
"""The same in ASCII, which takes a millisecond less to compile."""
_JOINT = LazyPattern("[a-z][A-Z]")
_JOINED = LazyPattern(r"(?<![0-9A-Za-z])[0-9A-Za-z]{0,40}[a-z][A-Z][0-9A-Za-z]{0,40}(?![0-9A-Za-z])")
_PART = LazyPattern("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_FULL_WIDTH = tuple(zip("，：；！？（）", ",:;!?()", strict=True))


def fold(text: str) -> str:
    """The text after NFKC and case folding, so that width, ligatures and case no longer matter.

    Folded twice, because case folding can undo NFKC (Unicode 3.13, NFKC_Casefold). Idempotent.
    """
    if text.isascii():
        return text.lower()
    # Chinese punctuation alone would keep NFKC from its ten times faster path for normalised text.
    for wide, narrow in _FULL_WIDTH:
        text = text.replace(wide, narrow)
    normal = unicodedata.normalize("NFKC", text)
    once = normal.casefold()
    if once == normal:
        return once
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", once).casefold())


# ---------------------------------------------------------------------------------------------- fingerprints

_UNSEEN = LazyPattern(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
_DELICATE = LazyPattern(r"[0-9+<>=|$~#]")
_ASCII_MARKS = str.maketrans("", "", "".join(char for char in map(chr, range(128)) if not char.isalnum()))
_MINUS = LazyPattern(r"(?<![\w-])-(?=\d)")
_GAP = LazyPattern(r"[\W_]+")
_BLANK = LazyPattern("(?<=[a-z]) (?=[a-z])")
_PLAIN_GAPS = frozenset({" ", ",", ", ", ".", ". ", "-", "。", "、"})


@lru_cache(maxsize=1024)
def fingerprint_text(text: str) -> str:
    """The text by which equal candidates and rejected inferences are recognised (DESIGN 3, 6).

    NFKC, case folding, without punctuation, spaces and invisible characters; idempotent. Marks that carry meaning
    stay: symbols (``C++``, ``<``, ``$``), ``C#``, ``50%``, a minus sign, and whatever is between two digits, so that
    ``1.5`` is not ``15``.
    """
    folded = fold(text if text.isascii() else _UNSEEN.sub("", text))
    if folded.isascii() and not _DELICATE.search(folded):
        return folded.translate(_ASCII_MARKS)
    marked = _MINUS.sub("\u2212", folded.replace("!=", "≠"))
    # Most gaps are such single blanks, and calling `_kept_of_gap` for each takes ten times as long.
    marked = _BLANK.sub("", marked)
    return unicodedata.normalize("NFKC", _GAP.sub(_kept_of_gap, marked))


def _kept_of_gap(match: re.Match[str]) -> str:
    """The characters to keep of a run that is neither letters nor digits."""
    gap, whole = match.group(), match.string
    before = whole[match.start() - 1] if match.start() else ""
    if gap in _PLAIN_GAPS and not before.isdigit():
        return ""
    after = whole[match.end()] if match.end() < len(whole) else ""
    # Symbols, and marks that belong to a letter.
    kinds = zip(gap, map(_category, gap), strict=True)
    kept = "".join(char for char, kind in kinds if kind[0] in "SM" and kind != "Sk" and char != "~")
    if gap[0] == "#" and before.isalpha():
        kept = "#" + kept
    if before.isdigit() and gap.lstrip()[:1] == "%":
        kept = "%" + kept
    if gap[-1] == "~" and after.isdigit():
        kept += "~"
    if kept or not (before.isdigit() and after.isdigit()):
        return kept
    mark = gap.strip()
    return mark if len(mark) == 1 and mark in ".,:/-" else " "


_ORDER = "kernel/text/data/order_words.txt"
_ORDER_SIGN = LazyPattern(r"[\d<>=≠≤≥≈≡−±×÷|^$€£¥₩←→↔⇒⇐]|(?<![a-z+])\+|(?<=\w)\+(?=\w)")
_BAG_WORD = LazyPattern(
    rf"{_C_NAMES}|{_CJK}|(?:[0-9a-z]+|(?!{_CJK})[^\W_]|(?<=[^\W_])(?<!{_CJK})'(?=\w))+|[^\w\s]"
)


def words(text: str) -> list[str]:
    """The folded words in order: spaced words, single CJK characters, emoji.

    Punctuation is left out, apostrophes are dropped (``don't`` becomes ``dont``), ``c++`` and ``c#`` are words.
    """
    return [word for word, _ in _spelt(_fold_seen(text))]


def _spelt(folded: str) -> list[tuple[str, str]]:
    """Pairs of a word and its spelling with apostrophes."""
    found = _BAG_WORD.findall(folded)
    return [(word.replace("'", ""), word) for word in found if word[0].isalnum() or _category(word) == "So"]


def bag(text: str) -> tuple[str, ...] | None:
    """The sorted words of a text, or ``None`` if their order carries meaning (DESIGN 6).

    Order matters if there are digits, signs of comparison or arithmetic, a word of relation or negation, two
    different persons or two different numerals; an empty text has no bag either. Equal bags are necessary, not
    sufficient, for two inferences to be the same: ``same_inference`` decides.
    """
    folded = _fold_seen(text)
    if _ORDER_SIGN.search(folded):
        return None
    if not folded.isascii():
        _, _, cjk, harmless = _ordering()
        if cjk.search(harmless.sub("", folded)):
            return None
    spelt = _spelt(folded)
    plain = [word for word, _ in spelt]
    ordering, alike, _, _ = _ordering()
    if any(written.endswith("n't") for _, written in spelt) or not ordering.isdisjoint(plain):
        return None
    if len({alike[word] for word in plain if word in alike}) > 1:
        return None
    return tuple(sorted(plain)) or None


@cache
def _ordering() -> tuple[frozenset[str], dict[str, str], re.Pattern[str], re.Pattern[str]]:
    """The words that make the order matter, the group of each word for a person or numeral; patterns of what makes the
    order matter in CJK text, and of longer words that merely contain it."""
    lists = data_files.word_lists(_ORDER)
    alike = {word: group for group in lists["alike"] for word in group.split(",")}
    found = lists["characters and words"]
    # A class of the single characters: the words alone are tried one after another.
    single = "".join(word for word in found if len(word) == 1)
    cjk = re.compile("|".join([f"[{single}]", *(word for word in found if len(word) > 1)]))
    return frozenset(lists["words"]), alike, cjk, re.compile("|".join(lists["harmless"]))


def _fold_seen(text: str) -> str:
    return fold(text if text.isascii() else _UNSEEN.sub("", text)).replace("’", "'")


# An upper-case A is a name ("plan A") except where a sentence begins.
_LEFT_OUT = LazyPattern(
    r"(?:\b(?:a|an|[Tt]he|is|are|[Pp]lease|[Aa]lways)|^An?)\s+(?=[^\W\d_]|¬)|(?<!\s)\s+(?:please|always)(?=\W*$)|请|总是"
)
_NEGATIVE = LazyPattern(
    r"\b(?:do|does)\s+not\b|\b(?:don['’]?t|doesn['’]?t|not|never)\b|不要|请勿|切勿|禁止|不得|不许|不准"
    r"|(?<![特级类分性识个差鉴辨告区])别(?![的人名处墅致])",
    re.IGNORECASE,
)


def plain_mark(text: str) -> str:
    """The text by which inferences that differ in articles, copulas, politeness and the word of negation are equal.

    Everything else is exact: numbers, names, and the order of the words (DESIGN 13, identical).
    """
    return fingerprint_text(_LEFT_OUT.sub(" ", _NEGATIVE.sub("¬", text.strip())))


# Words; comparing the order of longer texts would take quadratic time.
_LONGEST_REORDERED = 400


def same_inference(first: str, second: str) -> bool:
    """Whether two inferences say the same, so that a rejected one is recognised (DESIGN 6, B2.10).

    They do if they are equal after NFKC and case folding, without punctuation and spaces, or are so as ``plain_mark``
    sees them; or if order carries no meaning (``bag``) and the words are the same in another order.
    They do not if two parts are exchanged around a third ("dogs chase cats") or two adjacent characters are (蜂蜜,
    蜜蜂): that changes the meaning.
    Whenever this is True, ``fingerprint_text``, ``plain_mark`` or ``bag`` is equal: index many by these.
    """
    mark = fingerprint_text(first)
    if mark == fingerprint_text(second):
        return bool(mark) or first == second
    plain = plain_mark(first)
    if plain and plain == plain_mark(second):
        return True
    in_any_order = bag(first)
    if in_any_order is None or len(in_any_order) > _LONGEST_REORDERED or in_any_order != bag(second):
        return False
    return not _exchanged(words(first), words(second))


def _exchanged(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether ``second`` is ``first`` with parts exchanged whose order matters."""
    parts = _shared_parts(first, second)
    order = {start: rank for rank, (start, _) in enumerate(sorted(parts))}
    ranks = [order[start] for start, _ in parts]
    texts = [first[start : start + length] for start, length in parts]
    for index in range(len(ranks) - 1):
        left, right = texts[index], texts[index + 1]
        if ranks[index] - ranks[index + 1] != 1 or _joins(left) or _joins(right):
            continue
        if len(left) == len(right) == 1 and is_cjk(left[0]) and is_cjk(right[0]):
            return True
        if index + 2 < len(ranks) and ranks[index + 1] - ranks[index + 2] == 1:
            return True
    return False


def _joins(part: Sequence[str]) -> bool:
    return len(part) == 1 and part[0] in data_files.word_lists(_ORDER)["joining"]


def _shared_parts(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int]]:
    """``second`` cut into the longest parts that also occur in ``first``, as (start in ``first``, length)."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for start, word in enumerate(first):
        places[word].append(start)
    taken: set[int] = set()
    parts: list[tuple[int, int]] = []
    at = 0
    while at < len(second):
        free = (start for start in places[second[at]] if start not in taken)
        length, _, start = max((_run(first, start, second, at, taken), -start, start) for start in free)
        taken.update(range(start, start + length))
        parts.append((start, length))
        at += length
    return parts


def _run(first: Sequence[str], start: int, second: Sequence[str], at: int, taken: set[int]) -> int:
    length = 0
    while (
        start + length < len(first)
        and at + length < len(second)
        and start + length not in taken
        and first[start + length] == second[at + length]
    ):
        length += 1
    return length


# ------------------------------------------------------------------------------------------- search tokens


def pieces(text: str) -> list[str]:
    """The folded runs of a text that tokens are made of: words, CJK runs in simplified characters, emoji, ``c++``.

    Behind a joined word stand its parts, so that ``userId`` and ``user_id`` find each other.
    """
    # Few texts have such a word, and to look for where it is joined takes a tenth of the time.
    if _JOINT.search(text):
        text = _JOINED.sub(lambda joined: " ".join((joined[0], *_PART.findall(joined[0]))), text)
    folded = fold(text)
    pattern = _PLAIN_PIECE if folded.isascii() else _PIECE
    found: list[str] = pattern.findall(simple(folded))
    return found


@cache
def simplified() -> Mapping[int, str]:
    """The simplified form of each common traditional character, by its code point."""
    return {ord(pair[0]): pair[1] for pair in data_files.words("kernel/text/data/traditional.txt")}


def simple(text: str) -> str:
    """A text in simplified characters, one for each of its own, so that places in it stay."""
    return text if text.isascii() else text.translate(simplified())


def is_cjk(piece: str) -> bool:
    """Whether a piece is a CJK run (Han, kana, hangul: letters from U+2E80 on) rather than a spaced word."""
    return piece[0] > _LAST_SPACED


def stems(words_: Iterable[str]) -> dict[str, str]:
    """The Snowball English stem of each word; stop words are left out."""
    import Stemmer

    known = [word for word in words_ if word not in STOP_WORDS]
    # A new stemmer each time: it must not be shared between threads, and creating one costs a microsecond.
    return dict(zip(known, Stemmer.Stemmer("english").stemWords(known), strict=True))


def tokens(text: str) -> list[str]:
    """The search tokens of one text, in order, with repetitions (DESIGN 8, 10); see ``tokens_many``."""
    return tokens_many([text])[0]


def tokens_many(texts: Sequence[str]) -> list[list[str]]:
    """The search tokens of each text: stems without stop words; CJK as characters and overlapping pairs.

    Each distinct word of all the texts is stemmed once.
    """
    rows = [pieces(text) for text in texts]
    stem_of = stems({piece for row in rows for piece in row if piece[0] <= _LAST_SPACED})
    found: list[list[str]] = []
    for row in rows:
        line: list[str] = []
        for piece in row:
            if piece[0] > _LAST_SPACED:
                line += piece
                line += map(_joined, piece, piece[1:])
            elif piece in stem_of:
                line.append(stem_of[piece])
        found.append(line)
    return found


def thirds(token: str) -> int:
    """What a token adds to the length of a text, in thirds of a word: a CJK word of two characters is three tokens.

    So a text is as long in one language as in the other, and a home that holds both prefers neither.
    """
    return 1 if token[0] > _LAST_SPACED else 3


def cjk_tokens(run: str) -> list[str]:
    """The characters of a CJK run, then its overlapping pairs."""
    return [*run, *map(_joined, run, run[1:])]


# ------------------------------------------------------------------------------------------------ keywords

_LITERAL_SPLIT = LazyPattern(r"[\s,\.;:!?]+", re.ASCII)
_CJK_SPLIT = LazyPattern(
    r"[\s,.;:!?\u3000-\u3004\u3008-\u303f\u30fb\u2014\u2018-\u201f\u2026\u00b7\uff5f-\uff65]+"
)
_KEYWORD_PART = LazyPattern(rf"{_CJK}+|(?:(?!{_CJK}).)+")


def literal_keywords(text: str) -> frozenset[str]:
    """The keywords exactly as the specification defines them (R0.20).

    Lower case, split at white space and ``,.;:!?``, longer than two characters. A Chinese sentence is one keyword.
    """
    return frozenset(word for word in _LITERAL_SPLIT.split(text.lower()) if len(word) > 2)


def keywords(text: str) -> frozenset[str]:
    """The keywords by which episodes are compared (B0.1, B0.2).

    As ``literal_keywords``, but CJK runs become overlapping pairs (a single character stays), CJK punctuation splits
    too, and a short word is kept if it has a digit or is all capitals (AI, C3, R; not the words A and I).
    """
    if text.isascii():
        parts = _CJK_SPLIT.split(text)
        return frozenset(part.lower() for part in parts if len(part) > 2 or _is_short_name(part))
    found: set[str] = set()
    for word in _CJK_SPLIT.split(unicodedata.normalize("NFKC", text)):
        for part in _KEYWORD_PART.findall(word):
            if is_cjk(part):
                found.update(cjk_tokens(part)[len(part) :] if len(part) > 1 else part)
            elif len(part) > 2 or _is_short_name(part):
                found.add(part.lower())
    return frozenset(found)


def _is_short_name(part: str) -> bool:
    return any(char.isdigit() for char in part) or (
        part.isalpha() and part.isupper() and part not in ("A", "I")
    )
