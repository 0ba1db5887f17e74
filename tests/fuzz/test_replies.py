"""Replies as people write them and replies of any words: none decides on what it leaves out (DESIGN 6)."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from alice_exp.kernel.errors import UsageError
from alice_exp.review.rules.reply import left_of, read
from tests.fuzz import SCALE
from tests.fuzz.natural_replies import Reply, replies

TEXT = r"""
同意 拒绝 不同意 不要 稍后 好的 approve reject yes no no. ok later Y N 1 2 3 12 999 1000 0 一 两 十二 百百 1-3 3-1 2到4 1..2 第2条
all 都 全部 其余 the_rest except but_not 除了 以外 除外 but 但是 and 和 、 , ， ； \n because 因为 理由： not 别 don't ? 吗 exp-aaaaaaaa exp-
exp-b it_is_wrong 漢 １ ' " -- … （ ） ſ İ ² ٣ one two first 👍 group_1
"""
WORDS = [*(word.replace("_", " ").replace("\\n", "\n") for word in TEXT.split()), "\x00", "\u202e"]
REPORT = tuple(f"exp-{letter * 8}" for letter in "abcdefghijkl")
ANY = st.lists(st.sampled_from(WORDS), max_size=9)
REPLIES = ANY.map(" ".join) | ANY.map("".join) | st.text(max_size=40)


def decided(text: str, ids: tuple[str, ...] = REPORT) -> dict[str, str] | None:
    """What a reply comes to, by id; None where it is refused with a sentence, which is the only way to fail."""
    try:
        made = read(text, ids)
    except UsageError as refusal:
        assert str(refusal).strip() and refusal.hint
        return None
    rows = [(one, decision.verb) for decision in made for one in decision.ids]
    assert len(dict(rows)) == len(rows), "one item is decided twice"
    assert {*left_of(made, ids)} == {*ids} - {one for one, verb in rows if verb != "later"}
    return dict(rows)


def harm(reply: Reply, ids: tuple[str, ...]) -> bool:
    """Whether a reply's reading does to an item what its writer did not want done; counts nothing that is refused."""
    acts = {one: verb for one, verb in (decided(reply.text, ids) or {}).items() if verb != "later"}
    allowed = {ids[number - 1]: verbs for number, verbs in reply.allowed.items()}
    return any(verb not in allowed.get(one, set()) for one, verb in acts.items())


@pytest.mark.parametrize(
    ("seed", "count"),
    [(1, 3_000), *(pytest.param(seed, 40_000, marks=pytest.mark.slow) for seed in range(2, 7))],
)
def test_nothing_that_a_person_left_out_is_decided(seed: int, count: int) -> None:
    made = [(reply, (*ids,)) for reply, ids in replies(seed, count)]
    assert [reply.text for reply, ids in made if harm(reply, ids)] == []
    understood = sum(decided(reply.text, ids) is not None for reply, ids in made[:1_000])
    assert understood > 300, "a grammar that refuses everything harms nothing"


@settings(max_examples=700 * SCALE, deadline=None)
@given(REPLIES)
@example("同意 " + "9" * 1000)
@example("y " * 2000)
@example("1 but " * 600)
@example("because 1, " * 300)
@example("approve 3 but not 3 1")
@example("keep 2 except \n 1")
def test_any_words_are_refused_or_decide_what_they_name(text: str) -> None:
    done = decided(text)
    assert decided(f"  {text} ") == done
    plain = not re.search(
        r"[一两十百第到１²٣-]|\.\.|all|[都全]|其余|rest|one|two|first|group|exp", text, re.IGNORECASE
    )
    numbers = [int(number) for number in re.findall(r"[0-9]+", text)]
    if done and plain and numbers:
        reason = re.search("because|因为|理由", text) is not None
        assert reason or all(1 <= number <= len(REPORT) for number in numbers), "a number was passed over"
        except_ = re.search("except|not|除|以外|but|但", text) is not None
        assert except_ or {*done} <= {REPORT[number - 1] for number in numbers}, (
            "what nobody named is decided"
        )
