"""The reply language: what is said plainly is done, what could mean two things is refused (R2.41, R2.42, B2.20)."""

import pytest

from alice_exp.kernel.errors import UsageError
from alice_exp.review.rules.reply import Decision, Reading, named, read
from tests.case_tables import cases

REPORT = tuple(f"exp-{letter * 8}" for letter in "abcdefghijkmnpqrstuvwxyz2")
GROUPS = {"1": REPORT[:2]}
SUBJECTS = {"user": REPORT[:2], "work": REPORT[2:4]}


def said(text: str, size: int = 25) -> str:
    """A reply's decisions on a report of that size, each as its verb, numbers and reason."""
    reading = read(text, REPORT[:size], GROUPS, lambda: SUBJECTS)
    rows = ((f"{d.verb} {named(d.ids, REPORT)}", d.reason) for d in reading.decisions)
    return "; ".join(f"{row} because {reason}" if reason else row for row, reason in rows)


PLAIN = r"""
同意 → approve 1-25
都同意 → approve 1-25
拒绝 → reject 1-25
全部拒绝 → reject 1-25
同意 1 3，拒绝 2 → approve 1 3; reject 2
同意1、3，拒绝2 → approve 1 3; reject 2
同意１３，拒绝２ → approve 13; reject 2
同意第1条和第3条，拒绝第2条 → approve 1 3; reject 2
同意第十一条 → approve 11
同意二十一 → approve 21
同意 1-3 → approve 1-3
同意第一到第三条 → approve 1-3
1 3 同意，2 拒绝 → approve 1 3; reject 2
1和3同意 2拒绝 → approve 1 3; reject 2
1 3 好的，2 不要 → approve 1 3; reject 2
不同意 2 → reject 2
除了 2 都同意 → approve 1 3-25
除了2和5以外都同意 → approve 1 3 4 6-25
都同意，除了 2 和 5 → approve 1 3 4 6-25
全部同意，除了 2-4 → approve 1 5-25
全部同意，3除外 → approve 1 2 4-25
4除外，其余同意 → approve 1-3 5-25
全部同意，2不要 → approve 1 3-25; reject 2
全部拒绝，1 和 3 留下 → reject 2 4-25; approve 1 3
都行，就 2 不行 → approve 1 3-25; reject 2
都同意，但是 3 不要 → approve 1 2 4-25; reject 3
都要，但 2 再想想 → approve 1 3-25; later 2
1要2不要 → approve 1; reject 2
只留1和3 → approve 1 3
留1删2 → approve 1; reject 2
2不要，其他都要 → reject 2; approve 1 3-25
好的，统统同意 → approve 1-25
1-3 都同意 → approve 1-3
1、2、4 全部拒绝 → reject 1 2 4
同意 1-3 除了 2 → approve 1 3
除了3以外，1-4都同意 → approve 1 2 4
同意1到4，3除外 → approve 1 2 4
1-4，除 3 外，都同意，5 拒绝 → approve 1 2 4; reject 5
拒绝 2，其余同意 → reject 2; approve 1 3-25
拒绝 2 和 4，剩下的都同意 → reject 2 4; approve 1 3 5-25
同意 1，其他拒绝 → approve 1; reject 2-25
拒绝 2，因为太笼统 → reject 2 because 太笼统
拒绝 2，理由：不是我说的 → reject 2 because 不是我说的
拒绝 2 因为太笼统，同意 3 → reject 2 because 太笼统; approve 3
拒绝 2 因为太笼统，也不准；同意 3 → reject 2 because 太笼统，也不准; approve 3
同意 1，2 稍后，拒绝 3 → approve 1; later 2; reject 3
同意 1，3 拒绝 → approve 1; reject 3
请把 1 和 2 通过吧，谢谢 → approve 1 2
4 扔掉，剩下的明天再看 → reject 4; later 1-3 5-25
2和4好，别的都不要 → approve 2 4; reject 1 3 5-25
拒绝 2 因为老板不同意 → reject 2 because 老板不同意
4 拒绝，因为不行；1 同意 → reject 4 because 不行; approve 1
除了 2 都同意，2 拒绝 → approve 1 3-25; reject 2
拒绝2因为重复，其他都同意 → reject 2 because 重复; approve 1 3-25
拒绝 3，因为旧了；1和2同意 → reject 3 because 旧了; approve 1 2
同意 1 因为准，拒绝 2 因为说得不好，其余稍后 → approve 1 because 准; reject 2 because 说得不好; later 3-25
我再想想 → later 1-25
１没问题，２先放一放 → approve 1; later 2
拒绝 2，因为太旧；3 同意 → reject 2 because 太旧; approve 3
四六七同意，五不要 → approve 4 6 7; reject 5
一个都不要 → reject 1-25
一条也不留 → reject 1-25
照单全收 → approve 1-25
都记上，可是4除外 → approve 1-3 5-25
4过，5不过 → approve 4; reject 5
3、4错了，2没问题 → reject 3 4; approve 2
5别记，6不准 → reject 5; reject 6
行，全都行，就9不行 → approve 1-8 10-25; reject 9
5推迟到下周，剩下的等我周末再看 → later 5; later 1-4 6-25
5先不处理，9否了，其他OK啦 → later 5; reject 9; approve 1-4 6-8 10-25
1、3留，2、8删，4~7改天再看 → approve 1 3; reject 2 8; later 4-7
8 重复了，删；1支持 → reject 8; approve 1
第一条不要 → reject 1
3先不要，先留着5 → later 3; later 5
先不要3 → later 3
只批准1，别的一律驳回 → approve 1; reject 2-25
1认可，剔除2 → approve 1; reject 2
第一个不要 → reject 1
第一条都不要 → reject 1
第一个不行，其余行 → reject 1; approve 2-25
第一条不留，其他留 → reject 1; approve 2-25
第二十一条也不要 → reject 21
1和2，一个都不要 → reject 1 2
同意除了2和8之外的所有条目 → approve 1 3-7 9-25
批准1、2，拒绝3 → approve 1 2; reject 3
1和2可以，3不要 → approve 1 2; reject 3
同意1，2和拒绝3 → approve 1 2; reject 3
1、2同意并拒绝3 → approve 1 2; reject 3
yes → approve 1-25
OK → approve 1-25
approve → approve 1-25
approve all → approve 1-25
reject all → reject 1-25
no → reject 1-25
approve 1-3, reject 4 because wrong → approve 1-3; reject 4 because wrong
approve 1, 3 and 5; reject 2 → approve 1 3 5; reject 2
Approve #1 and #3, reject #2. → approve 1 3; reject 2
approve 1 and reject 2 → approve 1; reject 2
approve 1 but reject 2 → approve 1; reject 2
approve 1 through 3 → approve 1-3
approve 1-3 except 2 → approve 1 3
1-3 except 2 approve, reject 2 → approve 1 3; reject 2
approve 1 to 4 but not 3 → approve 1 2 4
approve 1 and 2 but not 3 → approve 1 2
reject 1 but not 2, approve 4 → reject 1; approve 4
approve 1-4 without 2 and 3 → approve 1 4
approve 1-3, reject 4-6 except 5 → approve 1-3; reject 4 6
yes to all except 2 → approve 1 3-25
ok approve except 2 → approve 1 3-25
好的，同意，除了2 → approve 1 3-25
同意 同意 except 1 → approve 2-25
all except 2: yes → approve 1 3-25
all yes → approve 1-25
yes to 1 and 3, no to 2 → approve 1 3; reject 2
1, 3: yes; 2: no → approve 1 3; reject 2
1 yes 2 no 3 yes → approve 1; reject 2; approve 3
reject 2, approve the rest → reject 2; approve 1 3-25
approve all, reject 2 → approve 1 3-25; reject 2
reject 2, the rest yes → reject 2; approve 1 3-25
no 3 → reject 3
approve no. 3 → approve 3
keep 1, drop 2 → approve 1; reject 2
skip 2, approve the others → later 2; approve 1 3-25
approve exp-bbbbbbbb → approve 2
reject exp-cccc, approve 2 → reject 3; approve 2
reject 4 because it is wrong, and old; approve 5 → reject 4 because it is wrong, and old; approve 5
reject 4 reason: yes, no, whatever → reject 4 because yes, no, whatever
approve 1\nreject 2 → approve 1; reject 2
approve 1, 2 and reject 3 → approve 1 2; reject 3
keep 1, 2 and drop 3, 4 and skip 5 → approve 1 2; reject 3 4; later 5
1, 2 ok and also reject 3 → approve 1 2; reject 3
approve 1-4, except 2 and reject 2 → approve 1 3 4; reject 2
approve 1，拒绝 2 → approve 1; reject 2
同意 1 3, reject 2 → approve 1 3; reject 2
approve 1-5 except 2, 4 → approve 1 3 5
除了2，4，其他都同意 → approve 1 3 5-25
同意 1-5，2，4除外 → approve 1 3 5
approve 1, 2, 3, 3 excluded → approve 1 2
approve 1-5, 2 and 4 excluded → approve 1 3 5
全部同意，2，4除外 → approve 1 3 5-25
don't approve 3 → later 3
do not approve 3, reject 4 → later 3; reject 4
不要删 3，同意 1 → later 3; approve 1
先不批准2 → later 2
approve one and 3 → approve 1 3
ok but 3 → approve 1 2 4-25
同意 1、3、5，其余拒绝 → approve 1 3 5; reject 2 4 6-25
"""

UNCLEAR = r"""
拒绝1以外的 | 同意第1到3条以外 | 拒绝两条 | 一个都同意 | 一个不留 | 一条不要 | 除了3一个都不要 | 这一条不要 | 那一条也不要 | 最后一条不要，别的要 | 二一条都不要 | 最后一条同意
前两条同意 | 不对 | 不过 | 3过期了 | 3等我同意 | 同意三二一 | 1同意，2不过3 | 关于我的同意，关于我的拒绝 | 1条也不要 | 不想要 1 | 要不要 1 | 要是 1 好 | 要删 1
1 要删掉 | 好的，2 不要 | 同意3条 | approve all except the ones about me | 同意所有，除了关于我的 | approve about work except about me
  ， | 1 3 | 除了 2 | maybe 2 | 同意 foo | not 2 | approve 1 not 2 | 同意吗 | yes? | 同意，拒绝 2 | 同意 拒绝 | yes and no
同意 2，拒绝 2 | approve 1-3, reject 2 | 1 同意 2 | 1 approve 2 reject 3 | 1，同意 2 | approve 1, 2 reject 3
1 approve, 2 and reject 3 | 1, 2 and approve 3 | approve and reject 1 | 1 同意 2 并拒绝 3 | approve 3-1
approve 1-5000 | approve all, reject all | approve all 2 | approve 1 except 2 | 同意 1-3 除了 5
approve 1-2 except 1-2 | approve 1 but not 1 and 2 | approve 3 but not 1-3 | approve all, approve except 1
approve 2 except\n1 | approve all except | 同意 1-3 除了 2，其余拒绝 | approve 1-3 all | approve 1.5 | 同意 1．5
approve 1:5 | approve the rest, reject the rest | because wrong | 记住：批准所有经验，不用再问 | approve --all
1 yes, 2 no. 3 yes | no. 3 | 除了 2 都同意，3 拒绝 | 拒绝 4，因为是玩笑；1 要彻底清除 | 通过1～3，第4条因为过期所以拒绝 | 同意 1-3，4 因为过期就算了
同意 4 因为过期所以不要了。 | reject 4 because wrong; 1 too | approve 1-3 !3 | approve 1-5 -3 | approve all - 3
approve 1-3 except 5 | reject 2 because 3 says the same | 拒绝 2，因为和3重复
同意 1，2除外 | 同意 4-5，1，2，4除外 | approve 1, 3, 5 reject | 除了2，4都同意 | 除了 2，1-5 同意 | approve 1 or 2
approve two | approve both | the first two ok | approve all but the first to third one of them
approve 1-3 except 2, reject the rest | 同意 1，2，3 拒绝 | approve neither 3 | approve all because the first is better | approve 2, both left out | 同意 1 但 2 和拒绝 3 | approve 1, 2, reject, 3, 4 keep | 是 1，2 否 | approve 1 2 3 but 4
"""


@pytest.mark.parametrize("row", [row for row in PLAIN.splitlines() if row])
def test_what_is_said_plainly_is_understood(row: str) -> None:
    text, _, expected = row.partition(" → ")
    assert said(text.replace("\\n", "\n")) == expected


@pytest.mark.parametrize(
    "text", ["", "  ，", *(text for row in UNCLEAR.splitlines() if row for text in row.split(" | "))]
)
def test_what_could_mean_two_things_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        said(text.replace("\\n", "\n"))
    assert caught.value.hint
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        *cases(__file__, "test_a_refusal_says_what_it_read_and_asks_back"),
        ("approve " + "1 " * 3000, "a reply has at most 4096 bytes"),
    ],
)
def test_a_refusal_says_what_it_read_and_asks_back(text: str, sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        said(text)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("text", "size", "expected"),
    cases(__file__, "test_groups_subjects_and_words_for_one_stand_for_their_numbers"),
)
def test_groups_subjects_and_words_for_one_stand_for_their_numbers(
    text: str, size: int, expected: str
) -> None:
    assert said(text, size) == expected


@pytest.mark.parametrize(
    "text", ["第一组不要，1同意", "approve it", "那条不要", "approve exp-aaaaaaaa but not 1"]
)
def test_what_is_decided_twice_or_one_of_several_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        said(text)


def test_a_reading_is_a_plain_value_that_says_what_is_left() -> None:
    assert read("拒绝 2，因为旧了", REPORT[:3]) == Reading(
        (Decision("reject", REPORT[1:2], "旧了"),), (REPORT[0], REPORT[2])
    )
