"""The same order in other words is one; negation, before and after, and numbers keep two apart."""

import json

import pytest

from alice_exp.model.rules.identity import are_one, keyed, marks_of
from tests.case_tables import cases
from tests.data import HERE

GROUPS = cases(__file__, "GROUPS")
APART = json.loads((HERE / "wordings.jsonl").read_text("utf-8").splitlines()[-1])["apart"]


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
