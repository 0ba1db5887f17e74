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


def measured(name: str, first: int = 1, last: int = 1000) -> tuple[float, float]:
    """Recall and precision over a file, or over its talks of these numbers."""
    right = wanted = good = found = 0
    for talk in talks(name):
        if not first <= talk.number <= last:
            continue
        got = extract(talk.messages).inferences
        wanted += len(talk.must)
        right += sum(any(holds(one.content, must) for one in got) for must in talk.must)
        found += len(got)
        good += sum(any(holds(one.content, text) for text in (*talk.must, *talk.may)) for one in got)
    return right / wanted, good / found


@pytest.mark.parametrize(("name", "recall"), [("zh", 0.88), ("en", 0.82), ("chats", 0.82)])
def test_what_natural_talk_tells_is_found(name: str, recall: float) -> None:
    got = measured(name)
    assert got[0] >= recall and got[1] >= 0.93, got


@pytest.mark.parametrize("name", ["agents_en", "agents_zh"])
def test_what_is_told_to_an_agent_in_passing_is_found(name: str) -> None:
    """Written before the rules were mended by talks 1 to 12; 13 to 18 were held back. Before and after, recall and
    precision: English 0.55, 0.89 to 0.85, 0.95, held back 0.38, 0.92 to 0.56, 0.94; Chinese 0.49, 0.94 to 0.90, 0.97,
    held back 0.41, 0.88 to 0.56, 0.90. What is found beyond the listed counts as false."""
    tuned, held = measured(name, last=12), measured(name, first=13)
    assert tuned[0] >= 0.8 and tuned[1] >= 0.93, tuned
    assert held[0] >= 0.55 and held[1] >= 0.9, held


@pytest.mark.parametrize(
    ("name", "recall", "precision"), [("unseen_en", 0.6, 0.95), ("unseen_zh", 0.7, 0.85)]
)
def test_talk_that_was_never_tuned_on(name: str, recall: float, precision: float) -> None:
    """First run, and left at that: English 0.64 and 1.00, Chinese 0.76 and 0.89 (the two that count as false are the
    second halves of orders that are listed by the first)."""
    got = measured(name)
    assert got[0] >= recall and got[1] >= precision, got


@pytest.mark.parametrize("name", ["zh", "en", "chats", "agents_en", "agents_zh", "unseen_en", "unseen_zh"])
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
    assert len(said(first, first)) == 1, "the same twice is one"


@pytest.mark.parametrize("tool", ["Linear", "GitLab", "Postgres 16"])
def test_who_moves_to_a_tool_has_not_moved_house(tool: str) -> None:
    assert [one.content for one in said("I live in Chicago", f"We moved to {tool} last week")] == [
        "The user lives in Chicago",
        f"The user uses {tool} now",
    ]


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


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I get up at 5:30 and leave by 6:45", "The user gets up at 5:30 and leave by 6:45"),
        ("别再用表情符号了", "用户要求：别再用表情符号了"),
        ("never push directly to main, ok?", "The user's instruction: never push directly to main"),
        ("Let's use metric units please", "The user's instruction: use metric units please"),
        ("温度用摄氏度", "用户要求：温度用摄氏度"),
        ("我老婆是老师", "用户的老婆是老师"),
        ("also stop adding a summary at the end of every reply",
         "The user's instruction: stop adding a summary at the end of every reply"),
        ("he's keto, i'm not, i eat pretty much anything but liver", "The user eats pretty much anything"),
        ("I'm not good with excel so explain it step by step", "The user is not good with excel"),
        ("I grade on a 4 point scale, not percentages", "The user grades on a 4 point scale, not percentages"),
        ("I'm 52, diabetic and on metformin", "The user is 52, diabetic and on metformin"),
        ("落款写“售后部”就行，以后都这么写", "用户要求：落款写“售后部”就行"),
        ("我们家四口人，老人血糖高", "用户说：我们家四口人"),
        ("我下个月考注册会计师", "用户下个月考注册会计师"),
        ("我在烟台种了六十亩苹果，主要是红富士", "用户在烟台种了六十亩苹果"),
        ("家里是电磁炉", "用户家里是电磁炉"),
        ("我们换到飞书项目了，以后工单都建在那边", "用户要求：用户的团队换到飞书项目了，以后工单都建在那边"),
        ("估算的数字前面加波浪号，每次都要", "用户要求：估算的数字前面加波浪号"),
        ("I'm allergic to penicillin btw, for the travel form", "The user is allergic to penicillin, for the travel form"),
        ("turns out I'm not allergic to cats after all", "The user is not allergic to cats after all"),
        ("我是一名兽医，在成都玉林开诊所", "用户在成都玉林开了诊所"),
    ],
)  # fmt: skip
def test_what_talk_between_the_patterns_tells(text: str, content: str) -> None:
    assert content in [one.content for one in said(text)]


@pytest.mark.parametrize(
    "text",
    [
        "以前用 Vim",
        "我在写小说，女主叫沈知意，是个仵作，特别怕水",
        "我闺蜜天天吃炸鸡都不胖",
        "My tutor says Czech is easier",
        "My coach said intervals are useless",
        "Our paralegal Dana is dyslexic",
        "my dentist is in Leeds",
        "周日我婆婆过来吃饭",
        "Our new intern is called Priya and she's from Mumbai",
        "I'm 5 minutes late",
        "很多时候受到别人的理解和帮助，真的可以让我感到温暖",
    ],
)
def test_what_others_say_or_once_was_is_not_kept(text: str) -> None:
    kept = [one.content for one in said(text)]
    assert not [content for content in kept if not content.endswith("在写小说")], kept


@pytest.mark.parametrize(
    ("messages", "kept"),
    [
        (["I live on Mars", "lol jk, I live in Ohio"], ["The user lives in Ohio"]),
        (["I'm a baker. I own two yachts", "just kidding!"], ["The user is a baker"]),
        (["我是飞行员", "开玩笑啦"], []),
        (["跟你开个玩笑，我是火星来的"], []),
        (["我用 Zed", "讲个笑话，我是秦始皇"], ["用户使用 Zed"]),
        (["我是飞行员，哈哈骗你的，我是会计"], ["用户是会计"]),
        (["我用 Vim。说错了，我用 Emacs。"], ["用户使用 Emacs"]),
        (["I work in Oslo, wait no, Bergen"], []),
        (["I use vim. Scratch that, I use emacs now."], ["The user uses emacs now"]),
        # Not the speaker, not a joke, or the assistant is corrected.
        (["I teach kids. We were joking yesterday."], ["The user teaches kids"]),
        (["no joke, I live on a boat"], ["The user lives on a boat"]),
        (["没开玩笑，我住在船上"], ["用户住在船上"]),
        (["我平时爱跟同事开玩笑"], ["用户平时爱跟同事开玩笑"]),
        (["我是护士", "不对，我住在成都"], ["用户是护士", "用户住在成都"]),
    ],
)
def test_what_is_taken_back_is_not_kept(messages: list[str], kept: list[str]) -> None:
    got = [one.content for one in extract([Message("user", text) for text in messages]).inferences]
    assert got == kept


@pytest.mark.parametrize(
    ("question", "reply", "content"),
    [
        ("Nice! How many hives do you have?", "six right now", 'The user, asked "How many hives do you have", answered: six right now'),
        ("Got it. Budget?", "around 90 euros. nothing fancy", 'The user, asked "Budget", answered: around 90 euros'),
        ("您考几门？", "两门，审计和税法", "用户被问“您考几门”时回答：两门，审计和税法"),
    ],
)  # fmt: skip
def test_a_short_answer_is_told_with_its_question(question: str, reply: str, content: str) -> None:
    talk = [Message("assistant", question), Message("user", reply)]
    assert [
        one.content for one in extract(talk).inferences if "asked" in one.content or "被问" in one.content
    ] == [content]


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("What error do you see?", "three segfaults"),
        ("How many files are open right now?", "two"),
        ("Should I include a table?", "yes, two"),
        ("你看到几个报错？", "三个"),
        ("How are you?", "Good, 10 out of 10"),
    ],
)
def test_an_answer_about_the_task_at_hand_is_not_kept(question: str, reply: str) -> None:
    assert extract([Message("assistant", question), Message("user", reply)]).inferences == ()


@pytest.mark.parametrize(("name", "recall", "precision"), [("lives_en", 0.7, 0.93), ("lives_zh", 0.62, 0.8)])
def test_lives_that_no_rule_was_written_for(name: str, recall: float, precision: float) -> None:
    """First measured, looked at and held back: English 0.87 and 0.65 (before: 0.41 and 0.39), Chinese 0.71 and 0.64
    (before: 0.47 and 0.53). What is found beyond the listed counts as false here; read by eye, 0.95 of it is right."""
    got = measured(name)
    assert got[0] >= recall and got[1] >= precision, got


@pytest.mark.parametrize("name", ["lives_en", "lives_zh"])
def test_no_neighbour_of_these_lives_is_the_user(name: str) -> None:
    told = [
        (talk.number, one.content, never)
        for talk in talks(name)
        for one in extract(talk.messages).inferences
        for never in talk.never
        if holds(one.content, never)
    ]
    assert told == []
