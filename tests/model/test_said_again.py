"""The same order in other words is one; negation, before and after, and numbers keep two apart."""

import pytest

from alice_exp.model.rules.said_again import are_one, keyed, marks_of
from tests.case_tables import cases

GROUPS = cases(__file__, "GROUPS")
APART = [
    ("always run the linter", "never run the linter"),
    ("run the tests before you commit", "run the tests after you commit"),
    ("use port 8080 for the dev server", "use port 9090 for the dev server"),
    ("reply in Chinese", "reply in English"),
    ("用中文回答", "用英文回答"),
    ("提交前跑测试", "提交后跑测试"),
    ("put helpers in utils", "put helpers in schema"),
    ("never push to main", "never push to dev"),
    ("run the tests before you commit", "commit before you run the tests"),
    ("先跑测试再提交", "先提交再跑测试"),
]


@pytest.mark.parametrize("group", GROUPS)
def test_wordings_of_one_order_join(group: list[str]) -> None:
    key = b"secret"
    for text in group[1:]:
        assert are_one(marks_of(group[0]), marks_of(text)), text
        assert are_one(keyed(marks_of(group[0]), key), keyed(marks_of(text), key))
        assert not are_one(keyed(marks_of(text), key), keyed(marks_of(text), b"other"))


@pytest.mark.parametrize(("one", "other"), APART)
def test_what_differs_never_joins(one: str, other: str) -> None:
    assert not are_one(marks_of(one), marks_of(other))


def test_a_sentence_without_words_is_like_none() -> None:
    assert marks_of("no, not now!") == frozenset() and not are_one(marks_of(""), marks_of(""))
