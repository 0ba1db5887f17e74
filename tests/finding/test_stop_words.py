"""Light words of a question count less, in both languages; what else it says counts in full."""

from hypothesis import given
from hypothesis import strategies as st

from alice_exp.finding.rules.parsed_query import LIGHT, Query, weight_of
from alice_exp.finding.rules.scorer import Scored, Texts
from alice_exp.kernel.text.tokens import tokens

TEXTS = ["用户喜欢辣的食物", "部署在周五", "数据库的索引需要重建", "咖啡不加糖"]


def found(query: str) -> Scored:
    return Texts.of(TEXTS).find(query)


def test_what_asks_is_light_and_what_is_asked_for_is_not() -> None:
    weights = weight_of(["什么是六耳铃"])
    assert {token for token, weight in weights.items() if weight == LIGHT} == {
        "什",
        "么",
        "是",
        "什么",
        "么是",
        "是六",
    }
    assert weights["六耳"] == weights["铃"] == 1.0
    assert weight_of(["kind", "music"]) == {"kind": LIGHT, "music": 1.0}
    # The longest light word is taken, so that 为什么 is one and its 为 alone is none.
    assert weight_of(["为什么"])["为什"] == LIGHT and weight_of(["为民"])["为民"] == 1.0


def test_what_stands_anywhere_in_full_counts_in_full() -> None:
    assert weight_of(["是非", "我是"])["是"] == LIGHT
    assert weight_of(["什么", "什锦"])["什"] == 1.0


@given(st.text(st.sampled_from("我的什么数据库abc how much?"), max_size=20))
def test_every_token_of_a_question_has_its_weight(text: str) -> None:
    asked = Query.of(text)
    assert set(asked.terms) <= set(asked.weights) and set(asked.terms) == set(tokens(text))
    assert all(weight in (LIGHT, 1.0) for weight in asked.weights.values())


def test_asking_politely_changes_little() -> None:
    plain, polite = found("数据库索引").matches, found("请问为什么数据库的索引").matches
    assert max(plain, key=plain.__getitem__) == max(polite, key=polite.__getitem__) == 2
    assert polite[2] > 0.6 * plain[2]


def test_a_translated_question_is_doubted_as_far_as_it_cannot_be_translated() -> None:
    known, partly = found("database"), found("database wugs blick")
    assert known.matches[2] > partly.matches[2] and known.probability(2) > partly.probability(2)
