"""Similarity of two tasks with their contexts.

``similarity_with`` is the specification's formula to the letter. Searches use ``retrieval_similarity``, because by the
literal rule all records without a context are alike (B0.1-B0.5).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Literal, TypeAlias

from alice_exp.finding.rules.contexts import CONTEXT_WEIGHT, TASK_WEIGHT, context_similarity
from alice_exp.kernel.jsonc.problem import Json
from alice_exp.kernel.text.tokens import keywords, literal_keywords
from alice_exp.kernel.value_class import dataclass

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
    return _jaccard(keywords_of(task_a), keywords_of(task_b))


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
        tasks, contexts = _jaccard(asked, keywords(task)), context_similarity(query_context, context)
        if query_context:
            blended = TASK_WEIGHT * tasks + CONTEXT_WEIGHT * contexts
            return Similarity(round(blended, 6), "task_and_context", tasks, contexts)
        rule: Rule = "task_alone_no_query_context" if context else "task_alone_no_contexts"
        return Similarity(round(tasks, 6), rule, tasks, contexts)

    return compared


def _jaccard(first: AbstractSet[str], second: AbstractSet[str]) -> float:
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared) if shared else 0.0
