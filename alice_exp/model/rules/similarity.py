"""Whether two inferences say the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from re import IGNORECASE

from alice_exp.kernel.text.data_files import LazyPattern, word_lists
from alice_exp.kernel.text.tokens import bag, fingerprint_text, is_cjk, words

# An upper-case A is a name ("plan A") except where a sentence begins.
_LEFT_OUT = LazyPattern(
    r"(?:\b(?:a|an|[Tt]he|is|are|[Pp]lease|[Aa]lways)|^An?)\s+(?=[^\W\d_]|¬)|(?<!\s)\s+(?:please|always)(?=\W*$)|请|总是"
)
_NEGATIVE = LazyPattern(
    r"\b(?:do|does)\s+not\b|\b(?:don['’]?t|doesn['’]?t|not|never)\b|不要|请勿|切勿|禁止|不得|不许|不准"
    r"|(?<![特级类分性识个差鉴辨告区])别(?![的人名处墅致])",
    IGNORECASE,
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
    sees them; or if order carries no meaning (``kernel.text.tokens.bag``) and the words are the same in another order.
    They do not if two parts are exchanged around a third ("dogs chase cats") or two adjacent characters are (蜂蜜,
    蜜蜂): that changes the meaning.
    To search many, index them by ``fingerprint_text``, ``plain_mark`` and ``bag``; one of these is equal whenever this
    is True.
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
    return len(part) == 1 and part[0] in word_lists("kernel/text/data/order_words.txt")["joining"]


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
