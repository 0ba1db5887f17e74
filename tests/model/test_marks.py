"""Two blocks that are the same share a mark, so that a block is found without comparing it with all."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alice_exp.kernel.text.tokens import same_inference
from alice_exp.model.rules.identity import Rejections, inference, marks, sameness
from alice_exp.model.values.block import Block, Payload, Placed, Trigger
from tests.case_tables import table
from tests.model.test_rejection import REWORDED


def block(text: str, when: str = "", steps: tuple[str, ...] = (), key: str = "") -> Block:
    return Block("exp-aaaaaaa2", payload=Payload(text, steps=steps), trigger=Trigger(when), key=key)


@pytest.mark.parametrize(("first", "second"), REWORDED)
def test_what_says_the_same_in_other_words_shares_a_mark(first: str, second: str) -> None:
    assert marks(block(first)) & marks(block(second, when="another time"))


def test_what_has_nothing_in_common_shares_none() -> None:
    texts = ("use rg", "use fd", "喝茶", "C++", "!!!", "50 %", "5.0")
    for first, second in product(texts, texts):
        assert bool(marks(block(first)) & marks(block(second))) == (first == second)


@table("first", "second")
def test_what_differs_in_articles_or_the_word_of_negation_shares_a_mark(first: str, second: str) -> None:
    assert marks(block(first)) & marks(block(second))


def test_a_key_is_a_mark() -> None:
    assert marks(block("one", key="k")) & marks(block("two", key="k"))
    assert not marks(block("one", key="k")) & marks(block("two", key="l"))


WORDS = st.lists(
    st.sampled_from(
        ["Use", "use", "the", "rg", "fd", "1.", "5", "not", "不要", "喝茶", "!", ",", "  ", "-", "please"]
    ),
    max_size=5,
).map(" ".join)
BLOCKS = st.builds(
    block, WORDS, WORDS, st.lists(WORDS, max_size=2).map(tuple), st.sampled_from(["", "", "k"])
)


@given(BLOCKS, BLOCKS)
def test_the_same_by_any_rule_shares_a_mark(first: Block, second: Block) -> None:
    is_same = sameness(first) == sameness(second)
    is_same |= same_inference(inference(first.payload), inference(second.payload))
    is_same |= Rejections.of([Placed(first, "archive/rejected.jsonc")]).find(second.payload) is not None
    assert not is_same or marks(first) & marks(second)
