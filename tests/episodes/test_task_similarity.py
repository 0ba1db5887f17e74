"""The vectors R0.18-R0.28 and B0.1-B0.5."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alice_exp.episodes.rules.search_episodes import retrieval_similarity, similarity_with, task_similarity
from alice_exp.finding.rules.concerns import context_similarity
from alice_exp.kernel.jsonc import Json
from alice_exp.kernel.text.tokens import keywords, literal_keywords
from tests.case_tables import table

ML: dict[str, Json] = {"topic": "machine_learning", "difficulty": "beginner"}
WHAT, EXPLAIN = "机器学习是什么", "解释什么是机器学习"


@table("first", "second", "expected")
@pytest.mark.covers("R0.21")
def test_context_similarity(first: dict[str, Json], second: dict[str, Json], expected: float) -> None:
    assert context_similarity(first, second) == pytest.approx(expected)
    assert context_similarity(second, first) == pytest.approx(expected)


@pytest.mark.covers("R0.22")
def test_a_key_on_one_side_only_counts_against() -> None:
    assert context_similarity({"a": 1, "b": 2}, {"a": 1, "c": 3}) == pytest.approx(1 / 3)
    assert context_similarity({"a": 1}, {"a": 1, "c": 3}) == 0.5


@pytest.mark.covers("R0.19")
def test_task_similarity_is_the_share_of_common_words_and_zero_without_any() -> None:
    assert task_similarity({"search", "code", "fast"}, {"search", "mail"}) == 0.25
    assert task_similarity(set(), set()) == 0.0


@pytest.mark.covers("R0.18")
def test_the_task_weighs_four_tenths_and_the_context_six() -> None:
    assert similarity_with("cook rice", {"a": 1}, "cook rice", {"a": 2}) == pytest.approx(0.4)
    assert similarity_with("cook rice", {"a": 1}, "deploy website", {"a": 1}) == pytest.approx(0.6)


@pytest.mark.covers("R0.23")
def test_english_vector() -> None:
    contexts: tuple[dict[str, Json], dict[str, Json]] = (
        {"domain": "AI", "difficulty": "medium"},
        {"domain": "AI", "difficulty": "hard"},
    )
    tasks = ("Search machine learning papers", "search deep learning papers, now!")
    assert task_similarity(*map(literal_keywords, tasks)) == 0.5
    assert similarity_with(tasks[0], contexts[0], tasks[1], contexts[1]) == pytest.approx(0.5)


@pytest.mark.covers("R0.24")
def test_chinese_vector_by_literal_keywords() -> None:
    assert similarity_with(EXPLAIN, ML, WHAT, ML) == pytest.approx(0.6)


@pytest.mark.covers("R0.25")
def test_chinese_vector_by_pairs_of_characters() -> None:
    assert task_similarity(keywords(EXPLAIN), keywords(WHAT)) == pytest.approx(0.4)
    assert similarity_with(EXPLAIN, ML, WHAT, ML, keywords) == pytest.approx(0.76)


@pytest.mark.parametrize(
    ("query", "query_context", "task", "context", "score", "rule"),
    [
        (WHAT, ML, EXPLAIN, ML, 0.76, "task_and_context"),
        (WHAT, {}, EXPLAIN, {}, 0.4, "task_alone_no_contexts"),  # B0.3
        (WHAT, {}, EXPLAIN, ML, 0.4, "task_alone_no_query_context"),  # B0.4
        (WHAT, ML, EXPLAIN, {}, 0.16, "task_and_context"),
        ("cook rice", {}, "deploy website", {}, 0.0, "task_alone_no_contexts"),  # D35
        ("cook rice", {"a": 1, "b": 2}, "deploy website", {"a": 1}, 0.3, "task_and_context"),  # R0.28
        # B0.5: 0.4 · 0.75 is 0.30000000000000004 unrounded
        ("aaa bbb ccc", {"k": 1}, "aaa bbb ccc ddd", {"k": 2}, 0.3, "task_and_context"),
    ],
)
@pytest.mark.covers("B0.4")
def test_retrieval(
    query: str, query_context: dict[str, Json], task: str, context: dict[str, Json], score: float, rule: str
) -> None:
    found = retrieval_similarity(query, query_context)(task, context)
    assert (found.score, found.rule) == (score, rule)


@pytest.mark.covers("B0.5")
def test_the_boundary_is_not_above_the_threshold() -> None:
    found = retrieval_similarity("aaa bbb ccc", {"k": 1})("aaa bbb ccc ddd", {"k": 2})
    assert not found.score > 0.3


TASKS = st.text(st.sampled_from("abcdeAB 机器学习，."), max_size=20)
CONTEXTS = st.dictionaries(st.sampled_from("abc"), st.integers(0, 2) | st.booleans() | st.none(), max_size=3)


@given(TASKS, CONTEXTS, TASKS, CONTEXTS, st.booleans())
@pytest.mark.covers("R0.26")
def test_symmetric_in_range_and_one_for_the_same(
    a: str, context_a: dict[str, Json], b: str, context_b: dict[str, Json], pairs: bool
) -> None:
    more = (keywords,) if pairs else ()
    score = similarity_with(a, context_a, b, context_b, *more)
    assert score == similarity_with(b, context_b, a, context_a, *more)
    assert 0.0 <= score <= 1.0
    assert 0.0 <= retrieval_similarity(a, context_a)(b, context_b).score <= 1.0
    if keywords(a):
        assert similarity_with(a, context_a, a, context_a, keywords) == pytest.approx(1.0)
        assert retrieval_similarity(a, context_a)(a, context_a).score == 1.0
