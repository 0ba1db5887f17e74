"""What somebody asks not to be kept is kept nowhere; an order about files, logs or forms is no such request."""

import pytest

from alice_exp.conversations.rules.cues import extract
from alice_exp.conversations.rules.own_sentences import but_unrecorded
from alice_exp.conversations.values import Message

ASKED = [
    "别记这个：我有糖尿病",
    "以下内容不要保存：我在吃抗抑郁药",
    "我的密码是abc12345，千万不要记录",
    "我的微信号是lm_88，别记下来",
    "这个别记，我在面试别的公司",
    "我下个月要离职，不要记录。",
    "我家门牌是302，请不要把这个记下来！",
    "Don't save this: I have diabetes.",
    "Please don't remember that, but I am looking for another job.",
    "Off the record, my salary is 90k.",
    "My PIN is 4711 - do not store it anywhere.",
    "This stays here: I am ill. Keep this between us.",
]
NOT_ASKED = [
    "不要保存文件，先给我看看",
    "别记错了，我住在杭州",
    "以后不要记录调试日志到控制台",
    "don't store secrets in the repository",
    "Don't forget that I live in Berlin",
    "never log it twice",
    "Do not save the file before I have seen it",
    "记下来：我对花生过敏",
]


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
    assert extract([Message("user", text)]).inferences == ()
