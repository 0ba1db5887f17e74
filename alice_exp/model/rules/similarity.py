"""Similarity of two tasks, and equality of two inferences.

``similarity_with`` is the specification's formula to the letter. Searches use ``retrieval_similarity``, because by the
literal rule all records without a context are alike (B0.1-B0.5).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from re import IGNORECASE
from typing import Literal, TypeAlias

from alice_exp.kernel.jsonc.problem import Json
from alice_exp.kernel.text.data_files import LazyPattern, word_lists
from alice_exp.kernel.text.tokens import bag, fingerprint_text, is_cjk, keywords, literal_keywords, words
from alice_exp.kernel.value_class import dataclass

TASK_WEIGHT = 0.4
CONTEXT_WEIGHT = 0.6
"""The weights of task and context in a similarity (R0.18)."""

Keywords: TypeAlias = Callable[[str], frozenset[str]]
Rule = Literal["task_and_context", "task_alone_no_contexts", "task_alone_no_query_context", "words"]
"""The rule behind a retrieval similarity: R0.18, B0.3 (both contexts empty), B0.4 (the query's is), DESIGN 10."""


@dataclass(frozen=True, slots=True)
class Similarity:
    """A similarity with its rule and parts; the numbers are in [0, 1], ``score`` is rounded to 6 decimals."""

    score: float
    rule: Rule
    task: float
    context: float


def task_similarity(task_a: str, task_b: str, keywords_of: Keywords = literal_keywords) -> float:
    """Jaccard similarity of two tasks' keyword sets, in [0, 1]; 0.0 if both sets are empty (R0.19)."""
    first, second = keywords_of(task_a), keywords_of(task_b)
    union = len(first | second)
    return len(first & second) / union if union else 0.0


def context_similarity(context_a: Mapping[str, Json], context_b: Mapping[str, Json]) -> float:
    """Equal values over the union of keys, in [0, 1]; both empty 1.0, exactly one 0.0 (R0.21, R0.22)."""
    if not context_a and not context_b:
        return 1.0
    equal = sum(key in context_b and _equal(value, context_b[key]) for key, value in context_a.items())
    return equal / len(context_a.keys() | context_b.keys())


def contradicts(context: Mapping[str, Json], own: Mapping[str, Json]) -> bool:
    """Whether two contexts name one thing and say different values of it; a list names several values."""
    return any(
        not {*map(_worded, _each(context[key]))} & {*map(_worded, _each(value))}
        for key, value in own.items()
        if key in context
    )


def _each(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list) else (value,)


def _worded(value: Json) -> str:
    return f"{type(value).__name__} {value}".casefold()


def _equal(first: Json, second: Json) -> bool:
    # In Python 1 == True, but in a file they are different values.
    return first == second and isinstance(first, bool) == isinstance(second, bool)


def similarity_with(
    task_a: str,
    context_a: Mapping[str, Json],
    task_b: str,
    context_b: Mapping[str, Json],
    keywords_of: Keywords = literal_keywords,
) -> float:
    """0.4 · task similarity + 0.6 · context similarity, in [0, 1], symmetric, unrounded (R0.18, R0.26).

    With ``keywords_of=kernel.text.tokens.keywords`` Chinese is compared by pairs of characters (R0.25).
    """
    task = task_similarity(task_a, task_b, keywords_of)
    return TASK_WEIGHT * task + CONTEXT_WEIGHT * context_similarity(context_a, context_b)


def retrieval_similarity(
    query: str, query_context: Mapping[str, Json]
) -> Callable[[str, Mapping[str, Json]], Similarity]:
    """A function that gives a stored task's similarity to the query, with CJK keywords (B0.1-B0.5).

    If the query has no context, only the tasks count: a missing dimension is not evidence (B0.3, B0.4). A query with a
    context against a record without one follows the literal rule: the context scores 0. ``score`` is rounded so that it
    can be compared with a threshold directly (B0.5).
    """
    asked = keywords(query)

    def compared(task: str, context: Mapping[str, Json]) -> Similarity:
        words = keywords(task)
        shared = len(asked & words)
        tasks = shared / (len(asked) + len(words) - shared) if shared else 0.0
        contexts = context_similarity(query_context, context)
        if query_context:
            blended = TASK_WEIGHT * tasks + CONTEXT_WEIGHT * contexts
            return Similarity(round(blended, 6), "task_and_context", tasks, contexts)
        rule: Rule = "task_alone_no_query_context" if context else "task_alone_no_contexts"
        return Similarity(round(tasks, 6), rule, tasks, contexts)

    return compared


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
