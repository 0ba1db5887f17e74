"""What somebody asks not to be kept is kept nowhere; an order about files, logs or forms is no such request."""

import pytest

from alice_exp.conversations.rules.own_sentences import but_unrecorded, extract
from alice_exp.model.values.records import Message
from tests.case_tables import cases

ASKED = cases(__file__, "ASKED")
NOT_ASKED = cases(__file__, "NOT_ASKED")


def kept(*texts: str) -> list[str]:
    return [one.content for one in but_unrecorded([Message("user", text) for text in texts])]


@pytest.mark.parametrize("text", ASKED)
def test_a_message_that_asks_for_it_is_not_read(text: str) -> None:
    assert kept("I live in Berlin", text, "我喜欢喝茶") == ["I live in Berlin", "", "我喜欢喝茶"]


@pytest.mark.parametrize("text", NOT_ASKED)
def test_another_order_is_read(text: str) -> None:
    assert kept(text) == [text]


def test_what_was_said_before_is_left_out_too() -> None:
    assert kept("我对青霉素过敏", "刚才说的不要记录") == ["", ""]
    assert kept("I take pills for sleeping", "forget what I said") == ["", ""]
    assert kept("I live in Berlin", "Off the record: I am moving") == ["I live in Berlin", ""]


@pytest.mark.parametrize("text", ["我叫外卖了", "我叫滴滴了。", "我叫车了"])
def test_what_is_called_for_is_no_name(text: str) -> None:
    assert extract([Message("user", text)])[0] == []
