"""The person's own sentences: what they pasted is out, cues come first, nothing secret; orders as said without a model."""

import pytest

from alice_exp.conversations.rules import own_sentences as own
from alice_exp.conversations.rules.own_sentences import extract, parse_answer
from alice_exp.kernel.errors import ProviderError
from alice_exp.model.values.records import Message
from tests.case_tables import table

OWN = "Always run the linter before you push."
PASTED = {
    "a fence": f"{OWN}\n```\nnever do this at all\n```",
    "a fence left open": f"{OWN}\n```py\nnever do this at all",
    "a quotation": f"{OWN}\n> we should never do this",
    "a log": f"{OWN}\n2026-02-20 08:00:00 ERROR we should never be here\n[WARN] never again here",
    "a trace": f'{OWN}\nTraceback (most recent call last):\n  File "a.py", line 3\nValueError: must never be',
    "a table": f"{OWN}\n| always | never do it |\n|---|---|",
    "a diff": f"{OWN}\ndiff --git a/x b/x\n@@ -1 +1 @@\n+++ b/never.py",
    "a plan": f"{OWN}\nImplement the following plan:\n\n# Plan\n\nNever touch the tests.\n\n## Context\n\nAlways log.",
    "a document": f"{OWN}\n# Guide\n\nWe must never stop.\n\n## More\n\nAlways go on.",
    "a letter": f"{OWN}\nDear Anna,\nwe must never meet again.\nBest, Tom",
    "a mail": f"{OWN}\nFrom: a@example.org\nSubject: never\nWe should always meet.",
    "a chat": f"{OWN}\nAnna: we never meet\nTom: we always do\nAnna: never",
    "an announced text": f"{OWN}\nHere is the output below:\nall tests must never fail",
    "code": f"{OWN}\nconst never = always(() => {{\n  return must_not;\n}}",
    "markup": f'{OWN}\n<div class="never">always must</div>',
}


@pytest.mark.parametrize("text", PASTED.values(), ids=PASTED)
@pytest.mark.covers("R2.3")
def test_what_somebody_else_wrote_is_out(text: str) -> None:
    assert own.own_sentences(text) == [OWN]


@pytest.mark.covers("B4.21")
def test_at_most_twelve_of_a_session_cues_first_and_statements_before_questions() -> None:
    talk = [Message("user", f"Look at module number {at} for a moment.") for at in range(30)]
    talk += [
        Message("user", "Should we ever use mocks?"),
        Message("user", OWN),
        Message("assistant", "Never stop."),
    ]
    chosen = own.queued(own.said(talk), talk)
    assert len(chosen) == own.MOST == 12
    assert OWN in [one.text for one in chosen] and "Never stop." not in [one.text for one in chosen]
    ranked = own.queued(own.said(talk[-4:]), talk[-4:])
    assert ranked[-1].text == OWN
    long = own.own_sentences("We must always " + "say it again and " * 60 + "stop.")
    assert [len(one) for one in long] == [own.LONGEST]


@table("text")
def test_what_is_secret_or_off_the_record_is_not_queued(text: str) -> None:
    talk = [Message("user", text), Message("user", OWN)]
    assert [one.text for one in own.queued(own.said(talk), talk)] == [OWN]


@table("text", "holds")
def test_an_order_from_now_on_is_told_from_one_of_the_moment(text: str, holds: bool) -> None:
    found = own.said([Message("user", text)])
    assert any(map(own.is_standing, found)) is holds
    kept = extract([Message("user", text)])[0]
    assert [one.content for one in kept if one.about == "work"] == ([text] if holds else [])


@pytest.mark.covers("BX.103")
@table("said", "told")
def test_what_the_fifth_source_shows_is_found(said: str, told: list[str]) -> None:
    assert [one.content for one in extract([Message("user", said)])[0]] == told


def test_a_models_rules_rest_on_sentences() -> None:
    sentences = own.said([Message("user", f"{OWN} We use pnpm, not npm.")])
    assert (
        f"1. {OWN}\n2. We use pnpm, not npm." in own.prompt_for(sentences)
        and len(own.TEN_LINES.splitlines()) == 10
    )
    answer = parse_answer(
        """Sure: [{"content": "Lint before a push", "trigger": "pushing", "quote": [1], "scope": "everywhere"},
        {"content": "Use pnpm", "quote": "we use PNPM, not npm", "importance": "high"},
        {"content": "Never say so", "quote": [7]}, {"content": "Use yarn", "quote": "we use yarn"},
        {"content": "Fix it", "quote": [1], "holds": "this session"}, {"content": "x", "quote": [1], "importance": 0.1},]""",
        sentences,
    )
    told = [(one.content, one.trigger, one.everywhere, one.quote) for one in answer[0]]
    assert told == [
        ("Lint before a push", "pushing", True, OWN),
        ("Use pnpm", "", False, "We use pnpm, not npm."),
    ]
    assert answer[1] == 4 and not parse_answer("[]", sentences)[0]
    with pytest.raises(ProviderError):
        parse_answer("I cannot", sentences)


EXAMPLE_B = [
    Message("user", "我叫张三，在北京做程序员"),
    Message("assistant", "你好张三！程序员工作怎么样？"),
    Message("user", "还不错，我主要写 Java"),
]


@pytest.mark.parametrize(
    ("talk", "told"),
    [
        ([Message("user", "我叫张三，是程序员")], [("用户名字是张三", 0.9), ("用户是程序员", 0.7)]),
        (
            EXAMPLE_B,
            [
                ("用户名字是张三", 0.9),
                ("用户在北京工作", 0.7),
                ("用户是程序员", 0.8),
                ("用户主要使用 Java 编程", 0.7),
            ],
        ),
    ],
)
@pytest.mark.covers("R4.19")
def test_the_sources_examples(talk: list[Message], told: list[tuple[str, float]]) -> None:
    assert [(one.content, one.importance) for one in extract(talk)[0]] == told


@pytest.mark.covers("B4.8")
def test_what_the_assistant_asked_back_about_counts_more() -> None:
    # The question alone raises nothing: the user has to have gone on.
    unanswered = {one.content: one.importance for one in extract(EXAMPLE_B[:2])[0]}
    answered = {one.content: one.importance for one in extract(EXAMPLE_B)[0]}
    assert (unanswered["用户是程序员"], answered["用户是程序员"]) == (0.7, 0.8)


@pytest.mark.covers("R4.34")
def test_what_is_told_of_a_person_stands_alone() -> None:
    talk = [Message("user", "My name is Tom and I'm a teacher. I live in Berlin.")]
    assert all(one.content.startswith("The user") for one in extract(talk)[0])
    assert len(extract(talk)[0]) == 3


@pytest.mark.covers("R4.17")
def test_trifles_are_dropped_and_counted() -> None:
    found = extract([Message("user", "我叫张三，是程序员")], 0.8)
    assert ([one.importance for one in found[0]], found[1]) == ([0.9], 1)


@table("text")
@pytest.mark.covers("R4.20")
def test_what_can_be_saved_of_an_answer(text: str) -> None:
    answer = parse_answer(text, own.said(EXAMPLE_B[:1]))
    told = [(one.content, one.importance, one.quote) for one in answer[0]]
    assert told == [("用户名字是张三", 0.9, EXAMPLE_B[0].content)]
    assert "JSON array" in own.PROMPT


@pytest.mark.covers("B4.9")
def test_importances_are_brought_into_range() -> None:
    rules = '[{"content":"a","importance":7,"quote":1},{"content":"b","quote":1},{"content":"c","importance":0.4,"quote":1}]'
    answer = parse_answer(rules, own.said([Message("user", OWN)]))
    assert [one.importance for one in answer[0]] == [1.0, 0.5]
    assert answer[1] == 1


@pytest.mark.covers("B4.14")
def test_of_one_slot_the_latest_counts() -> None:
    talk = [
        Message("user", text)
        for text in ("我叫张三", "我叫张三", "不对，我叫李四", "我喜欢喝茶", "我喜欢喝茶。")
    ]
    assert [one.content for one in extract(talk)[0]] == ["用户名字是李四", "用户喜欢喝茶"]
