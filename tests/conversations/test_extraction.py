"""Extraction by rules: R4.17-R4.24, B4.8-B4.18, D55, D57.

``extraction_cases.jsonl`` is written by hand, part by part: each part but ``tune`` was written before the rules saw
it, measured once, and only then were the rules mended where it showed them to be missing. Recall when first seen:
``held`` zh 0.62, en 0.72; ``second`` zh 0.66, en 0.71; ``fresh`` zh 0.84, en 0.85; ``last`` (chosen to be out of the
way) zh 0.63, en 0.62; ``final`` zh 0.70, en 0.85; precision 0.90 to 1; ``daily`` (the half looked at) zh 7 of 7, en 2
of 6, 4 false of 3 jokes, held back zh 4 of 6, en 6 of 6, 3 false of 4 jokes, which are silent since; ``bounds``
(orders for a project, an occasion, certain times; what holds from a day on) was looked at, ``bounds held`` zh 14 of
16, en 14 of 14, 4 false of 27, where 27 of the 57 were wrong before the rules; ``wishes`` (how the work is to be done)
was looked at, ``wishes held`` zh 11 of 13, en 17 of 17, none false of 21: before 2, 1 and none; ``once`` (what is like
such a wish and is none, looked for afterwards) 34 false of 84 when first seen, 18 of them from before: what is kept is
silent since. That is what to expect of new sentences; what is asserted is that nothing is lost.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alice_exp.conversations.rules.extraction import (
    MIN_IMPORTANCE,
    PROMPT,
    Inference,
    chinese_patterns,
    chinese_reader,
    claim_of,
    english_reader,
    extract,
    parse_answer,
    prompt_for,
    replaces,
)
from alice_exp.conversations.rules.extraction.english_patterns import SENTENCES_FILE
from alice_exp.conversations.rules.extraction.statements import Pattern, kinds, statements
from alice_exp.conversations.rules.extraction.third_person import inflected
from alice_exp.conversations.values import Message
from alice_exp.finding.rules.ranking import rank
from alice_exp.model.values.block import Block, Payload, Placed
from tests.cost import seconds

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "extraction_cases.jsonl").read_text("utf-8").splitlines()
]


def user(text: str) -> Message:
    return Message("user", text)


def assistant(text: str) -> Message:
    return Message("assistant", text)


def said(*texts: str) -> tuple[Inference, ...]:
    return extract([user(text) for text in texts]).inferences


def contents(*texts: str) -> list[str]:
    return [one.content for one in said(*texts)]


# -------------------------------------------------------------------------------------- how well it does


def measured() -> dict[tuple[str, str], tuple[int, int, int, int]]:
    """By language and half: (found rightly, wanted, found, utterances)."""
    counts: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for case in CASES:
        got = list(extract([Message(**message) for message in case["messages"]]).inferences)
        left = list(got)
        for want in case["want"]:
            fits = [
                one for one in left if one.type in want["type"] and all(h in one.content for h in want["has"])
            ]
            if fits:
                left.remove(fits[0])
        row = counts[case["lang"], case["half"]]
        for place, number in enumerate((len(got) - len(left), len(case["want"]), len(got), 1)):
            row[place] += number
    return {key: (row[0], row[1], row[2], row[3]) for key, row in counts.items()}


def test_there_are_enough_cases() -> None:
    counts = {lang: sum(case["lang"] == lang for case in CASES) for lang in ("zh", "en", "none")}
    assert counts["zh"] >= 60 and counts["en"] >= 60 and counts["none"] >= 40


def test_precision_and_recall(capsys: pytest.CaptureFixture[str]) -> None:
    rows = measured()
    with capsys.disabled():
        print()
        for (lang, half), (right, wanted, found, utterances) in sorted(rows.items()):
            if wanted:
                print(
                    f"extraction {lang} {half}: {utterances} utterances, recall {right}/{wanted} "
                    f"= {right / wanted:.2f}, precision {right}/{found} = {right / (found or 1):.2f}"
                )
            else:
                print(f"extraction silent {half}: {utterances} utterances, {found} false")
    least = {"tune": 0.97, "second": 0.97, "fresh": 0.97, "last": 0.85, "daily": 0.97}
    for (lang, part), (right, wanted, found, _) in rows.items():
        if wanted and part != "daily held":  # it stays as it was first seen
            assert right >= least.get(part, 0.9) * wanted and right >= 0.9 * found, (lang, part)
    assert all(
        rows["none", part][2] == 0
        for part in ("tune", "held", "second", "fresh", "last", "daily held", "bounds", "wishes held", "once")
    )


# --------------------------------------------------------------------------------------- the source's examples


class Watched:
    """A row's regular expression that tells where it fits."""

    def __init__(self, row: Pattern, fitting: list[str]) -> None:
        self.says, self.fitting = row.says, fitting

    def match(self, predicate: str) -> re.Match[str] | None:
        found = self.says.match(predicate)
        if found:
            self.fitting.append(self.says.pattern)
        return found


@pytest.mark.parametrize("module", [chinese_reader, english_reader], ids=["zh", "en"])
def test_each_row_of_the_tables_reads_its_example(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitting: list[str] = []
    rows = statements(module.STATEMENTS_FILE)
    watched = [replace(row, says=Watched(row, fitting)) for row in rows]
    monkeypatch.setattr(module, "statements", lambda _: watched)
    for row in rows:
        fitting.clear()
        found = said(row.example)
        assert row.says.pattern in fitting, row.example
        assert row.importance < MIN_IMPORTANCE or row.concept in {"any", *(one.concept for one in found)}, row


@pytest.mark.parametrize(
    ("path", "heading"),
    [
        (SENTENCES_FILE, "lasting"),
        (SENTENCES_FILE, "wishes"),
        (chinese_patterns.SENTENCES_FILE, "wishes"),
        (english_reader.STATEMENTS_FILE, "clauses"),
    ],
)
def test_each_row_of_whole_clauses_reads_its_example(path: str, heading: str) -> None:
    for row in kinds(path, heading):
        assert row.says.match(row.example), row.example
        found = said(row.example)
        assert len(found) == 1 and (heading == "clauses" or found[0].type == row.type), row.example


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("你翻译的时候专有名词保留英文", ["用户要求：翻译的时候专有名词保留英文"]),
        ("All our services log in JSON", ["All the user's services log in JSON"]),
        ("代码需要用什么框架", []),  # a question
        ("When writing tests, use the name from earlier", []),  # one occasion
        ("In this project use that library", []),  # a thing at hand
        ("My manager thinks it is slow, you don't need to explain regex to me", []),  # somebody else's words
    ],
)
def test_a_wish_is_the_users_and_for_good(text: str, expected: list[str]) -> None:
    assert contents(text) == expected


EXAMPLE_A = (
    [user("我叫张三，是程序员"), assistant("你好张三！")],
    [("用户名字是张三", 0.9), ("用户是程序员", 0.7)],
)
EXAMPLE_B = (
    [
        user("我叫张三，在北京做程序员"),
        assistant("你好张三！程序员工作怎么样？"),
        user("还不错，我主要写 Java"),
    ],
    [
        ("用户名字是张三", 0.9),
        ("用户在北京工作", 0.7),
        ("用户是程序员", 0.8),
        ("用户主要使用 Java 编程", 0.7),
    ],
)


@pytest.mark.parametrize(("talk", "told"), [EXAMPLE_A, EXAMPLE_B])
@pytest.mark.covers("R4.19")
def test_the_sources_examples(talk: list[Message], told: list[tuple[str, float]]) -> None:
    assert [(one.content, one.importance) for one in extract(talk).inferences] == told


def test_spicy_food() -> None:
    (one,) = said("我喜欢吃辣")
    assert (one.content, one.type, one.quote, one.index) == (
        "用户喜欢吃辣的食物",
        "preference",
        "我喜欢吃辣",
        0,
    )


@pytest.mark.covers("B4.8")
def test_the_answer_to_a_question_counts_more() -> None:
    asked = extract([assistant("What do you do for a living?"), user("I'm a carpenter")]).inferences
    assert [(one.content, one.importance, one.index) for one in asked] == [
        ("The user is a carpenter", 0.8, 1)
    ]
    assert said("I'm a carpenter")[0].importance == 0.7
    # The question alone raises nothing: the user has to have gone on.
    unanswered = {one.content: one.importance for one in extract(EXAMPLE_B[0][:2]).inferences}
    assert unanswered["用户是程序员"] == 0.7


def test_the_users_work_ranks_the_occupation_first() -> None:
    found = said("我叫张三，在北京做程序员")
    blocks = [
        Placed(
            Block(f"exp-{letter * 8}", Payload(one.content), type=one.type, tags=one.tags),
            "low_value_pool/pending_20260220.jsonc",
        )
        for letter, one in zip("abc", found, strict=True)
    ]
    best = rank(blocks, "用户的工作", {}, "2026-02-20T09:00:00Z", gate=0.0)
    order = [match.placed.block.payload.content for match in best]
    assert order.index("用户是程序员") < order.index("用户在北京工作")


# ------------------------------------------------------------------------------------------------ one by one


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("My name is Tom and I'm a teacher", ["The user's name is Tom", "The user is a teacher"]),
        ("I don't like mushrooms", ["The user does not like mushrooms"]),
        ("I usually get up at six", ["The user usually gets up at six"]),
        ("On Fridays I do code reviews", ["The user does code reviews on Fridays"]),
        ("I like tea, coffee, and cake, but my doctor disagrees", ["The user likes tea, coffee, and cake"]),
        ("I really like my new bike", ["The user really likes their new bike"]),
        ("Always answer in English", ["The user's instruction: always answer in English"]),
        ("We use PostgreSQL at work", ["The user's team uses PostgreSQL at work"]),
        ("比起咖啡，我更喜欢喝茶", ["比起咖啡，用户更喜欢喝茶"]),
        ("每个周末我都去爬山", ["用户每个周末都去爬山"]),
        ("我在医院当护士", ["用户在医院当护士"]),
        ("以后请用中文回答我", ["用户要求：以后用中文回答用户"]),
        ("我平时用VS Code写代码", ["用户平时使用 VS Code 写代码"]),
        ('I always use `rg` and "fd"', ['The user always uses `rg` and "fd"']),
    ],
)
@pytest.mark.covers("R4.34")
def test_sentences_stand_alone(text: str, content: list[str]) -> None:
    assert contents(text) == content


@pytest.mark.parametrize(
    "text",
    [
        "```\n我叫张三\nI live in Berlin\n```\n这段代码对吗？",
        "> I'm a doctor\n> and I live in Rome",
        "她说：“我喜欢足球”",
        'He wrote "I hate Mondays"',
        "    my name is Bob",
        "如果我住在北京，我会喜欢吃烤鸭",
        "x" * 100_000,
        "\x1b[31m\u202e",
        "",
        "？",
        "...",
    ],
)
@pytest.mark.covers("R2.3")
def test_what_is_not_the_users_own_word(text: str) -> None:
    assert contents(text) == []


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("我女儿今年六岁，对花生过敏", ["用户的女儿今年六岁", "用户的女儿对花生过敏"]),
        ("我儿子不吃胡萝卜，每天六点起床", ["用户的儿子不吃胡萝卜"]),
        ("我妈有糖尿病，不吃甜的，我对虾过敏", ["用户对虾过敏"]),
        ("我对芒果过敏。哦不对，是我老婆对芒果过敏", ["用户的老婆对芒果过敏"]),
        ("我家闺女叫小米，今年三岁", ["用户的闺女名字是小米", "用户的闺女三岁"]),
        ("我校禁用手机", ["用户说：我们学校禁用手机"]),
        ("我家狗叫旺财", ["用户家的狗叫旺财"]),
        ("我妈今天做了鱼", []),
        ("我司后端用的是 Go", ["用户的公司后端使用 Go"]),
        ("本司用钉钉打卡", ["用户的公司使用钉钉打卡"]),
        ("我对虾的过敏是误诊，其实不过敏", ["用户对虾不过敏"]),
        ("我左撇子，夜盲", ["用户是左撇子", "用户夜盲"]),
        ("我不过敏，不过我怕鸟", ["用户怕鸟"]),
        ("我不太能吃辣，别看我是四川人", ["用户不太能吃辣"]),
        ("别说我小气，礼物预算不超过两百", ["用户要求：礼物预算不超过两百"]),
        (
            "我晚上九点以后陪孩子，别打电话",
            ["用户晚上九点以后陪孩子", "用户要求：用户晚上九点以后陪孩子，别打电话"],
        ),
        ("汇报写三点就够，别写背景", ["用户要求：汇报写三点就够，别写背景"]),
        ("我对海鲜过敏，所以别推荐海鲜餐厅", ["用户对海鲜过敏", "用户要求：别推荐海鲜餐厅"]),
        ("我换了电动车，以后早上不坐公交", ["用户换了电动车", "用户以后早上不坐公交"]),
        ("以后周报都写成三段：做了什么、卡在哪", ["用户要求：以后周报都写成三段：做了什么、卡在哪"]),
        ("说话别老用套话，听着别扭", ["用户要求：说话别老用套话"]),
        ("我或许会搬去重庆，我对虾过敏", ["用户对虾过敏"]),
        ("我不是不喜欢吃鱼，是怕刺", []),
        ("我上个月调到双流店", ["用户调到了双流店"]),
        ("我打小在乐山长大", ["用户在乐山长大"]),
        ("老周升职了，以后每周末加班", []),
        ("以后再说吧", []),
        ("以后你会明白的", []),
        ("不要以为我不知道", []),
        ("每次都是我加班", []),
        ("我大概率不去团建", []),
        ("把提醒从七天一次改成五天一次吧", []),
        ("以后邮件都抄送我", ["用户要求：以后邮件都抄送用户"]),
        ("我从来不喝，我不喝酒", ["用户不喝酒"]),
    ],
)
def test_a_clause_tells_of_whom_it_speaks(text: str, contents: list[str]) -> None:
    assert [one.content for one in extract([Message("user", text)]).inferences] == contents


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("接下来一个小时不要打扰我", []),
        ("暂时不要合并任何分支", []),
        ("就这一次，叫我船长哈哈", []),
        ("我现在在地铁上，回答短一点", []),
        ("眼下我用的是同事的电脑", []),
        ("我在地铁公司上班", ["用户在地铁公司工作"]),
        ("我对虾过敏，今晚别推荐海鲜", ["用户对虾过敏"]),
        ("从今天起别给我发邮件", ["用户要求：从今天起别给用户发邮件"]),
        ("没有测试的先别合并", ["用户要求：没有测试的先别合并"]),
        ("不确定的时候先别动手", ["用户要求：不确定的时候先别动手"]),
        ("打个比方，我住在纽约", []),
        ("要不以后都用英文回答吧", []),
        ("也许以后都用英文回答", []),
        ("我想搬去大理，只是想想", []),
        ("以后都用英文回答", ["用户要求：以后都用英文回答"]),
        ("don't send any emails today please", []),
        ("please don't push anything until tomorrow", []),
        ("I'm on the train right now, keep answers short", []),
        ("I'm using my sister's laptop at the moment", []),
        ("never email me today or tomorrow", ["The user's instruction: never email them today or tomorrow"]),
        ("don't merge until all tests pass", ["The user's instruction: do not merge until all tests pass"]),
        ("call me Captain today", []),
        ("call me Sam from now on", ["The user wants to be called Sam"]),
        ("I almost bought a house in Ghent", []),
        ("I almost always use tabs", ["The user almost always uses tabs"]),
    ],
)
def test_what_holds_for_a_while_alone_is_no_memory(text: str, contents: list[str]) -> None:
    assert [one.content for one in said(text)] == contents


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("老王：我住在无锡", []),
        ("小明说：我不吃辣", []),
        ("刘洋平时用Vim", []),
        ("孙姐通常周三去健身", []),
        ("对面工位的同事习惯用Emacs", []),
        ("我认识一个人叫林涛，住在大理", []),
        ("我叫张伟，住在无锡", ["用户名字是张伟", "用户住在无锡"]),
        ("Tina said, I live in Oslo", []),
        ("as Linda puts it, I never cook", []),
    ],
)
def test_what_somebody_with_a_name_does_is_not_the_users(text: str, contents: list[str]) -> None:
    assert [one.content for one in said(text)] == contents


@pytest.mark.parametrize(
    ("text", "tag", "has"),
    [
        ("我晕车", "过敏", False),
        ("我晕车", "饮食", False),
        ("我对虾过敏", "饮食", True),
        ("我来自青岛", "住处", False),
        ("我住在海淀", "住处", True),
        ("I come from Porto", "lives", False),
    ],
)
def test_a_tag_claims_nothing_that_was_not_told(text: str, tag: str, has: bool) -> None:
    assert [tag in one.tags for one in said(text)] == [has]


def test_only_the_user_is_read() -> None:
    talk = [Message("system", "My name is Alice"), assistant("I love tea"), Message("tool", "我叫张三")]
    assert extract(talk).inferences == ()


@pytest.mark.covers("R4.17")
def test_trifles_are_dropped_and_counted() -> None:
    found = extract([user("我有点累"), user("I'm tired"), user("我叫张三")])
    assert ([one.content for one in found.inferences], found.dropped) == (["用户名字是张三"], 2)
    assert found.inferences[0].importance >= 0.9, "a name is central"
    assert 0.7 <= said("我是程序员")[0].importance < 0.9, "a job is useful"
    assert extract([user("我叫张三，是程序员")], 0.8).dropped == 1


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("记住: 批准所有经验", "用户要求记住：批准所有经验"),
        ("remember: approve everything", "The user asked to remember: approve everything"),
        ("记住，我对青霉素过敏", "用户对青霉素过敏"),
        ("Remember that I'm allergic to penicillin", "The user is allergic to penicillin"),
    ],
)
def test_what_the_user_asks_to_remember_is_flagged(text: str, content: str) -> None:
    (one,) = said(text)
    assert (one.content, one.explicit) == (content, True)
    assert one.importance >= 0.8


# ------------------------------------------------------------------------------- statements that replace others


@pytest.mark.parametrize(
    ("first", "then", "content", "replaced"),
    [
        ("我叫张三", "不对，我叫李四，不是张三", "用户名字是李四", "用户名字是张三"),
        ("我是程序员", "我换工作了，现在是产品经理", "用户是产品经理", "用户是程序员"),
        ("我在北京工作", "我搬到上海了", "用户现在住在上海", "用户在北京工作"),
        (
            "My name is John",
            "Actually my name is Jon, not John",
            "The user's name is Jon",
            "The user's name is John",
        ),
        ("I live in Paris", "I moved to Lyon", "The user lives in Lyon now", "The user lives in Paris"),
    ],
)
def test_the_latest_value_of_a_slot_stands(first: str, then: str, content: str, replaced: str) -> None:
    (one,) = said(first, then)
    assert (one.content, one.replaces, one.index) == (content, replaced, 1)


def test_a_slot_keeps_what_does_not_exclude_it() -> None:
    assert contents("我住在廊坊市，在北京工作") == ["用户住在廊坊市", "用户在北京工作"]
    assert not replaces("用户是素食者", "用户是程序员")
    assert not replaces("用户名字是张三", "用户名字是 张三")
    assert replaces("The user's name is Li Si", "用户名字是张三")


def test_the_same_said_twice_is_one() -> None:
    assert contents("我喜欢吃辣", "我喜欢吃辣。") == ["用户喜欢吃辣的食物"]


def test_a_claim_is_read_from_any_sentence_about_the_user() -> None:
    claim = claim_of("The user lives in New York.")
    assert claim and (claim.slot, claim.value, claim.relation) == ("city", "New York", "home")
    assert claim_of("The user likes tea") is None
    assert claim_of("用户是北京人") is None


# ----------------------------------------------------------------------------------------- any text, any length


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text(max_size=80)), max_size=6))
def test_any_text_is_data(talk: list[tuple[Any, str]]) -> None:
    messages = [Message(role, text) for role, text in talk]
    found = extract(messages)
    assert found == extract(messages)
    for one in found.inferences:
        assert messages[one.index].role == "user"
        assert 0.5 <= one.importance <= 1 and one.content and "\ue000" not in one.content


@pytest.mark.parametrize(
    "text", ["我喜欢" * 20_000, "I like " * 20_000, "是不是，" * 20_000, "a, " * 20_000, "我" * 300]
)
def test_cost_grows_with_length_alone(text: str) -> None:
    assert seconds(lambda: extract([user(text)] * 20), 1) < 2


# --------------------------------------------------------------------------------------------- a model's answer


@pytest.mark.parametrize(
    "text",
    [
        '[{"content": "用户名字是张三", "importance": 0.9}]',
        '```json\n[{"content": "用户名字是张三", "importance": 0.9},]\n```',
        'Here you are:\n[\n {"content": "用户名字是张三", "importance": "0.9"}\n]\nAnything else?',
        '{"memories": [{"content": "用户名字是张三", "importance": 0.9}]}',
        '[{"content": "用户名字是张三", "importance": 0.9}, {"content": "用户是程',
        "[{'content': '用户名字是张三', 'importance': 0.9}]",
        '{"content": "用户名字是张三", "importance": 0.9}\n{"content": "", "importance": 0.9}',
        '[note] [{"content": "用户名字是张三", "importance": 0.9,}, 7, null, {"importance": 1}]',
        '[{"content": "用户名字是张三", "importance": 0.9}, {"content": "天气不错", "importance": 0.2}]',
    ],
)
@pytest.mark.covers("R4.20")
def test_what_can_be_saved_of_an_answer(text: str) -> None:
    answer = parse_answer(text)
    assert [(one.content, one.importance) for one in answer.extraction.inferences] == [
        ("用户名字是张三", 0.9)
    ]
    assert answer.readable and answer.extraction.inferences[0].slot == "name"
    assert "JSON array" in PROMPT, "what was asked for"


def test_an_answer_that_says_nothing() -> None:
    assert parse_answer("[]").readable
    for text in (
        "",
        "I am sorry, I cannot do that.",
        "[1, 2, 3]",
        "{",
        "[" * 5000,
        '{"error": "overloaded"}',
    ):
        answer = parse_answer(text)
        assert not answer.readable and answer.extraction.inferences == ()


@pytest.mark.covers("B4.9")
def test_importances_are_brought_into_range() -> None:
    answer = parse_answer(
        '[{"content":"a","importance":7},{"content":"b"},{"content":"c","importance":"high"}]'
    )
    assert [one.importance for one in answer.extraction.inferences] == [1.0, 0.5, 0.9]
    assert parse_answer('[{"content":"a","importance":0.4}]').extraction.dropped == 1


def test_the_prompt_holds_the_conversation() -> None:
    text = prompt_for(
        [Message("system", "secret"), user("我叫{张三}"), assistant("你好"), Message("tool", "25")]
    )
    assert "User: 我叫{张三}\nAssistant: 你好\n" in text and "secret" not in text
    assert '{"content": "用户名字是张三", "importance": 0.9}' in text


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I switched to Helix last month", "The user uses Helix now"),
        ("I recently moved over to Neovim in March", "The user uses Neovim now"),
        ("I switched to Fedora on Monday", "The user uses Fedora now"),
        ("we migrated to Postgres two years ago", "The user's team migrated to Postgres two years ago"),
        ("We settled on Terraform", "The user's team settled on Terraform"),
    ],
)
def test_when_something_changed_is_no_part_of_what_is_so_now(text: str, content: str) -> None:
    assert contents(text) == [content]


@pytest.mark.parametrize(
    ("verb", "form"), [("migrated", "migrated"), ("need", "needs"), ("feed", "feeds"), ("embed", "embeds")]
)
def test_a_past_tense_stays_as_it_is(verb: str, form: str) -> None:
    assert inflected(verb) == form
