"""Whole conversations as people type them: what the rules find, and what they must not take for the user's own.

``talks/*.txt`` were written before the rules that read them; the even ones were measured once before the rules were
mended where they showed them to be missing. Recall and precision when first seen: Chinese 0.83 and 0.85, English 0.58
and 0.97, chats 0.80 and 1. What is asserted is that nothing is lost.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import pytest

from alice_exp.conversations.rules.extraction import Inference, extract
from alice_exp.conversations.values import Message

TALKS = Path(__file__).parent / "talks"


@dataclass
class Talk:
    """A conversation; ``must``, ``may`` and ``never`` are what its inferences are to hold."""

    number: int
    messages: list[Message] = field(default_factory=list)
    must: list[str] = field(default_factory=list)
    may: list[str] = field(default_factory=list)
    never: list[str] = field(default_factory=list)


def talks(name: str) -> list[Talk]:
    found: list[Talk] = []
    for line in (TALKS / f"{name}.txt").read_text("utf-8").splitlines():
        mark, text = line[:1], line[2:].strip()
        if mark == "@":
            found.append(Talk(int(text)))
        elif line[:2] in ("U:", "A:"):
            found[-1].messages.append(Message("user" if mark == "U" else "assistant", line[3:]))
        elif mark in ("+", "?", "!"):
            {"+": found[-1].must, "?": found[-1].may, "!": found[-1].never}[mark].append(text)
    return found


def holds(content: str, wanted: str) -> bool:
    """Whether a content has all words of ``wanted``; ``a/b`` is either."""
    said = content.lower().replace(" ", "")
    words = [word.lower().split("/") for word in wanted.split()]
    return any(all(word in said for word in choice) for choice in product(*words))


def measured(name: str) -> tuple[float, float]:
    """Recall and precision over a file."""
    right = wanted = good = found = 0
    for talk in talks(name):
        got = extract(talk.messages).inferences
        wanted += len(talk.must)
        right += sum(any(holds(one.content, must) for one in got) for must in talk.must)
        found += len(got)
        good += sum(any(holds(one.content, text) for text in (*talk.must, *talk.may)) for one in got)
    return right / wanted, good / found


@pytest.mark.parametrize(("name", "recall"), [("zh", 0.88), ("en", 0.82), ("chats", 0.82)])
@pytest.mark.covers("R4.17", "R4.19")
def test_what_natural_talk_tells_is_found(name: str, recall: float) -> None:
    got = measured(name)
    assert got[0] >= recall and got[1] >= 0.93, got


@pytest.mark.parametrize("name", ["zh", "en", "chats"])
def test_nothing_of_other_people_is_the_users(name: str) -> None:
    for talk in talks(name):
        for one in extract(talk.messages).inferences:
            assert not any(holds(one.content, never) for never in talk.never), (talk.number, one)


@pytest.mark.parametrize("line", (TALKS / "silent.txt").read_text("utf-8").splitlines()[1:])
def test_what_says_nothing_about_the_user(line: str) -> None:
    assert extract([Message("user", line)]).inferences == ()


def said(*texts: str) -> list[Inference]:
    return list(extract([Message("user", text) for text in texts]).inferences)


@pytest.mark.parametrize(
    ("first", "then", "content"),
    [
        ("我叫张三", "哦对了，我改名叫李四了", "用户名字是李四"),
        ("我住在北京", "我上周刚搬到上海了，房租好贵", "用户现在住在上海"),
        ("I live in Chicago", "We moved to Denver last month, finally!", "The user lives in Denver now"),
    ],
)
@pytest.mark.covers("B4.14")
def test_what_changed_replaces(first: str, then: str, content: str) -> None:
    (one,) = said(first, then)
    assert one.content == content and one.replaces


@pytest.mark.parametrize(
    "text",
    [
        "哦对，我从小对芒果过敏",
        "别动 tests 目录下的东西",
        "我乳糖不耐受，牛奶一喝就拉肚子",
        "btw I'm allergic to bees",
        "just got diagnosed with celiac, so gluten's out",
        "Never deploy on Fridays",
    ],
)
@pytest.mark.covers("R4.17")
def test_allergies_and_prohibitions_are_important(text: str) -> None:
    assert max(one.importance for one in said(text)) >= 0.8


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("对了另外提交信息用英文写，组里有外国同事", "用户要求：提交信息用英文写，组里有外国同事"),
        ("got it. I never deploy after 4pm, learned that the hard way", "The user never deploys after 4pm"),
        (
            "btw from now on give me grams, not cups, im in germany lol",
            "The user's instruction: from now on give them grams, not cups",
        ),
        (
            "yeah and stop apologising every time, it's annoying",
            "The user's instruction: stop apologising every time",
        ),
    ],
)
def test_what_stands_behind_a_lead_is_read(text: str, content: str) -> None:
    assert content in [one.content for one in said(text)]


def test_messages_written_after_the_rules() -> None:
    rows = [line.rsplit("|", 1) for line in (TALKS / "fresh.txt").read_text("utf-8").splitlines()[1:]]
    found = silent = wanted = 0
    for text, words in rows:
        contents = [one.content for one in said(text.strip())]
        wanted += bool(words.strip())
        found += bool(words.strip()) and any(holds(content, words.strip()) for content in contents)
        silent += not words.strip() and bool(contents)
    assert found / wanted >= 0.75 and silent == 0, (found, wanted, silent)
