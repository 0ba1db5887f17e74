"""The reply language on any words: it refuses, or it decides what the words name and nothing else (DESIGN 6)."""

from __future__ import annotations

import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from alice_exp.kernel.errors import UsageError
from alice_exp.review.rules.reply import Decision, parse, settle
from tests.fuzz import SCALE

WORDS = [
    *(
        "同意",
        "拒绝",
        "不同意",
        "不要",
        "稍后",
        "好的",
        "approve",
        "reject",
        "yes",
        "no",
        "no.",
        "ok",
        "later",
        "Y",
        "N",
    ),
    *(
        "1",
        "2",
        "3",
        "12",
        "999",
        "1000",
        "0",
        "一",
        "两",
        "十二",
        "百百",
        "1-3",
        "3-1",
        "2 到 4",
        "1..2",
        "第2条",
    ),
    *(
        "all",
        "都",
        "全部",
        "其余",
        "the rest",
        "except",
        "but not",
        "除了",
        "以外",
        "but",
        "但是",
        "and",
        "和",
        "、",
        ",",
        "，",
        "；",
        "\n",
    ),
    *(
        "because",
        "因为",
        "理由：",
        "not",
        "别",
        "don't",
        "?",
        "吗",
        "exp-aaaaaaa2",
        "exp-",
        "exp-b",
        "it is wrong",
        "漢",
        "１",
    ),
    *("9" * 5000, "\x00", "\u202e", "'", '"', "--", "…", "（", "）", "ſ", "İ", "²", "٣"),
]
REPORT = tuple(f"exp-{letter * 8}" for letter in "abcdefghijkl")
REPLIES = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join) | st.lists(
    st.sampled_from(WORDS), max_size=9
).map("".join)


def decided(text: str) -> tuple[tuple[Decision, tuple[str, ...]], ...] | None:
    """What a reply comes to on a report of twelve; None where it is refused, which is the only way to fail."""
    try:
        return settle(parse(text), REPORT)
    except UsageError as refusal:
        assert str(refusal).strip() and refusal.hint
        return None


@settings(max_examples=700 * SCALE, deadline=None)
@given(REPLIES)
@example("同意 " + "9" * 5000)
@example("ok 同意 except 1")
@example("approve 3 but not 3 1")
@example("keep 2 except \n 1")
def test_a_reply_is_refused_or_says_what_it_decides(text: str) -> None:
    done = decided(text)
    if done is None:
        return
    verbs: dict[str, str] = {}
    assert done
    for decision, ids in done:
        assert decision.verb in ("approve", "reject", "later")
        assert len(set(ids)) == len(ids)
        for block_id in ids:
            assert verbs.setdefault(block_id, decision.verb) == decision.verb, "one item is decided twice"
            assert block_id in REPORT or block_id in text.lower(), "what nobody named is decided"
        if not (decision.everything or decision.rest):
            assert decision.named, "a decision applies to nothing that was named"
    plain = set(re.findall(r"(?<![0-9-])[0-9]{1,3}(?![0-9])", text))
    told = {name for decision, _ in done for name in (*decision.named, *decision.excluded) if name.isdigit()}
    reasons = "".join(decision.reason for decision, _ in done)
    if not reasons and not re.search(r"[一两十百第到１-]|\.\.", text):
        numbers = {str(int(number)) for number in plain}
        assert told <= numbers, "a number was made up"
        # "approve 1, 2 but not 2" is told as 1 alone; only "all" or "the rest" beside it may then decide on 2.
        over = {REPORT[int(number) - 1] for number in numbers - told if 0 < int(number) <= len(REPORT)}
        some_named = any(decision.named for decision, _ in done)
        for decision, ids in done:
            assert not over.intersection(ids) or (some_named and not decision.named), (
                "a number was passed over"
            )


@settings(max_examples=350 * SCALE, deadline=None)
@given(st.text(max_size=40))
def test_no_text_raises_anything_but_a_refusal(text: str) -> None:
    decided(text)


@settings(max_examples=250 * SCALE, deadline=None)
@given(REPLIES)
def test_spaces_and_width_decide_nothing(text: str) -> None:
    """What is decided does not hang on a blank at the ends, nor on the case of Latin letters."""
    assert decided(f"  {text} ") == decided(text)
