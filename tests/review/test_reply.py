"""The reply language: what is said plainly is done, what could mean two things is refused (R2.41, R2.42, B2.20)."""

from __future__ import annotations

import pytest

from alice_exp.kernel.errors import UsageError
from alice_exp.review.rules.reply import Decision, parse, settle

A, R, L = "approve", "reject", "later"


def said(text: str) -> list[tuple[object, ...]]:
    """A reply as short rows: verb, then numbers, or ``all``/``rest`` with what is left out, then the reason."""
    rows: list[tuple[object, ...]] = []
    for decision in parse(text):
        row: list[object] = [decision.verb]
        if decision.everything:
            row.append("all")
        if decision.rest:
            row.append("rest")
        row += decision.named
        row += [f"-{name}" for name in decision.excluded]
        if decision.reason:
            row.append(f"because {decision.reason}")
        rows.append(tuple(row))
    return rows


PLAIN: list[tuple[str, list[tuple[object, ...]]]] = [
    # Chinese
    ("同意", [(A, "all")]),
    ("同意。", [(A, "all")]),
    ("都同意", [(A, "all")]),
    ("全部同意！", [(A, "all")]),
    ("同意全部", [(A, "all")]),
    ("拒绝", [(R, "all")]),
    ("全部拒绝", [(R, "all")]),
    ("同意 1 3，拒绝 2", [(A, "1", "3"), (R, "2")]),
    ("同意1、3，拒绝2", [(A, "1", "3"), (R, "2")]),
    ("同意 1，3，拒绝 2", [(A, "1", "3"), (R, "2")]),
    ("同意１３，拒绝２", [(A, "13"), (R, "2")]),
    ("同意第1条和第3条，拒绝第2条", [(A, "1", "3"), (R, "2")]),
    ("同意一、三，拒绝二", [(A, "1", "3"), (R, "2")]),
    ("同意第十一条", [(A, "11")]),
    ("同意二十一", [(A, "21")]),
    ("同意 1-3", [(A, "1", "2", "3")]),
    ("同意 1到3", [(A, "1", "2", "3")]),
    ("同意第一到第三条", [(A, "1", "2", "3")]),
    ("同意 1～3", [(A, "1", "2", "3")]),
    ("1 3 同意，2 拒绝", [(A, "1", "3"), (R, "2")]),
    ("1，3 同意，2 拒绝", [(A, "1", "3"), (R, "2")]),
    ("1和3同意 2拒绝", [(A, "1", "3"), (R, "2")]),
    ("1 3 好的，2 不要", [(A, "1", "3"), (R, "2")]),
    ("不同意 2", [(R, "2")]),
    ("批准 2，驳回 4", [(A, "2"), (R, "4")]),
    ("除了 2 都同意", [(A, "all", "-2")]),
    ("除了2和5以外都同意", [(A, "all", "-2", "-5")]),
    ("都同意，除了 2 和 5", [(A, "all", "-2", "-5")]),
    ("全部同意，除了 2-4", [(A, "all", "-2", "-3", "-4")]),
    ("全部同意，3除外", [(A, "all", "-3")]),
    ("4除外，其余同意", [(A, "rest", "-4")]),
    ("全部同意，2不要", [(A, "all", "-2"), (R, "2")]),
    ("全部拒绝，1 和 3 留下", [(R, "all", "-1", "-3"), (A, "1", "3")]),
    ("都行，就 2 不行", [(A, "all", "-2"), (R, "2")]),
    ("都同意，但是 3 不要", [(A, "all", "-3"), (R, "3")]),
    ("都要，但 2 再想想", [(A, "all", "-2"), (L, "2")]),
    ("1要2不要", [(A, "1"), (R, "2")]),
    ("只留1和3", [(A, "1", "3")]),
    ("留1删2", [(A, "1"), (R, "2")]),
    ("2不要，其他都要", [(R, "2"), (A, "rest")]),
    ("好的，统统同意", [(A, "all")]),
    ("1-3 都同意", [(A, "1", "2", "3")]),
    ("1、2、4 全部拒绝", [(R, "1", "2", "4")]),
    ("同意 1-3 除了 2", [(A, "1", "3")]),
    ("除了3以外，1-4都同意", [(A, "1", "2", "4")]),
    ("同意1到4，3除外", [(A, "1", "2", "4")]),
    ("1-4，除 3 外，都同意，5 拒绝", [(A, "1", "2", "4"), (R, "5")]),
    ("拒绝 2，其余同意", [(R, "2"), (A, "rest")]),
    ("拒绝 2 和 4，剩下的都同意", [(R, "2", "4"), (A, "all", "rest")]),
    ("同意 1，其他拒绝", [(A, "1"), (R, "rest")]),
    ("拒绝 2，因为太笼统", [(R, "2", "because 太笼统")]),
    ("拒绝 2，理由：不是我说的", [(R, "2", "because 不是我说的")]),
    ("拒绝 2 因为太笼统，同意 3", [(R, "2", "because 太笼统"), (A, "3")]),
    ("拒绝 2 因为太笼统，也不准；同意 3", [(R, "2", "because 太笼统，也不准"), (A, "3")]),
    ("同意 1，2 稍后，拒绝 3", [(A, "1"), (L, "2"), (R, "3")]),
    ("同意 1，3 拒绝", [(A, "1"), (R, "3")]),
    ("请把 1 和 2 通过吧，谢谢", [(A, "1", "2")]),
    ("4 扔掉，剩下的明天再看", [(R, "4"), (L, "all", "rest")]),
    ("2和4好，别的都不要", [(A, "2", "4"), (R, "all", "rest")]),
    ("拒绝 2 因为老板不同意", [(R, "2", "because 老板不同意")]),
    ("4 拒绝，因为不行；1 同意", [(R, "4", "because 不行"), (A, "1")]),
    ("除了 2 都同意，2 拒绝", [(A, "all", "-2"), (R, "2")]),
    ("拒绝2因为重复，其他都同意", [(R, "2", "because 重复"), (A, "all", "rest")]),
    ("拒绝 3，因为旧了；1和2同意", [(R, "3", "because 旧了"), (A, "1", "2")]),
    (
        "同意 1 因为准，拒绝 2 因为说得不好，其余稍后",
        [(A, "1", "because 准"), (R, "2", "because 说得不好"), (L, "all", "rest")],
    ),
    ("我再想想", [(L, "all")]),
    ("１没问题，２先放一放", [(A, "1"), (L, "2")]),
    ("拒绝 2，因为太旧；3 同意", [(R, "2", "because 太旧"), (A, "3")]),
    ("四六七同意，五不要", [(A, "4", "6", "7"), (R, "5")]),
    ("一个都不要", [(R, "all")]),
    ("一条也不留", [(R, "all")]),
    ("照单全收", [(A, "all")]),
    ("都记上，可是4除外", [(A, "all", "-4")]),
    ("4过，5不过", [(A, "4"), (R, "5")]),
    ("3、4错了，2没问题", [(R, "3", "4"), (A, "2")]),
    ("5别记，6不准", [(R, "5"), (R, "6")]),
    ("行，全都行，就9不行", [(A, "all", "-9"), (R, "9")]),
    ("5推迟到下周，剩下的等我周末再看", [(L, "5"), (L, "all", "rest")]),
    ("5先不处理，9否了，其他OK啦", [(L, "5"), (R, "9"), (A, "all", "rest")]),
    ("1、3留，2、8删，4~7改天再看", [(A, "1", "3"), (R, "2", "8"), (L, "4", "5", "6", "7")]),
    ("8 重复了，删；1支持", [(R, "8"), (A, "1")]),
    ("第一条不要", [(R, "1")]),
    ("3先不要，先留着5", [(L, "3"), (L, "5")]),
    ("先不要3", [(L, "3")]),
    ("只批准1，别的一律驳回", [(A, "1"), (R, "all", "rest")]),
    ("1认可，剔除2", [(A, "1"), (R, "2")]),
    ("第一个不要", [(R, "1")]),
    ("第一条都不要", [(R, "1")]),
    ("第一个不行，其余行", [(R, "1"), (A, "all", "rest")]),
    ("第一条不留，其他留", [(R, "1"), (A, "all", "rest")]),
    ("第二十一条也不要", [(R, "21")]),
    ("1和2，一个都不要", [(R, "1", "2")]),
    ("同意除了2和8之外的所有条目", [(A, "all", "-2", "-8")]),
    ("批准1、2，拒绝3", [(A, "1", "2"), (R, "3")]),
    ("1和2可以，3不要", [(A, "1", "2"), (R, "3")]),
    ("同意1，2和拒绝3", [(A, "1", "2"), (R, "3")]),
    ("1、2同意并拒绝3", [(A, "1", "2"), (R, "3")]),
    # English
    ("yes", [(A, "all")]),
    ("OK", [(A, "all")]),
    ("approve", [(A, "all")]),
    ("approve all", [(A, "all")]),
    ("reject all", [(R, "all")]),
    ("no", [(R, "all")]),
    ("approve 1-3, reject 4 because wrong", [(A, "1", "2", "3"), (R, "4", "because wrong")]),
    ("approve 1, 3 and 5; reject 2", [(A, "1", "3", "5"), (R, "2")]),
    ("Approve #1 and #3, reject #2.", [(A, "1", "3"), (R, "2")]),
    ("approve 1 and reject 2", [(A, "1"), (R, "2")]),
    ("approve 1 but reject 2", [(A, "1"), (R, "2")]),
    ("approve 1 to 3", [(A, "1", "2", "3")]),
    ("approve 1 through 3", [(A, "1", "2", "3")]),
    ("approve 1-3 except 2", [(A, "1", "3")]),
    ("1-3 except 2 approve, reject 2", [(A, "1", "3"), (R, "2")]),
    ("approve 1 to 4 but not 3", [(A, "1", "2", "4")]),
    ("approve 1 and 2 but not 3", [(A, "1", "2", "-3")]),
    ("reject 1 but not 2, approve 4", [(R, "1", "-2"), (A, "4")]),
    ("approve 1-4 without 2 and 3", [(A, "1", "4")]),
    ("approve 1-3, reject 4-6 except 5", [(A, "1", "2", "3"), (R, "4", "6")]),
    ("yes to all except 2", [(A, "all", "-2")]),
    ("ok approve except 2", [(A, "all", "-2")]),
    ("好的，同意，除了2", [(A, "all", "-2")]),
    ("同意 同意 except 1", [(A, "all", "-1")]),
    ("yes to all but 2 and 5", [(A, "all", "-2", "-5")]),
    ("all except 2: yes", [(A, "all", "-2")]),
    ("all yes", [(A, "all")]),
    ("yes to 1 and 3, no to 2", [(A, "1", "3"), (R, "2")]),
    ("1, 3: yes; 2: no", [(A, "1", "3"), (R, "2")]),
    ("1 yes 2 no 3 yes", [(A, "1"), (R, "2"), (A, "3")]),
    ("reject 2, approve the rest", [(R, "2"), (A, "rest")]),
    ("approve all, reject 2", [(A, "all", "-2"), (R, "2")]),
    ("reject 2, the rest yes", [(R, "2"), (A, "rest")]),
    ("no 3", [(R, "3")]),
    ("approve no. 3", [(A, "3")]),
    ("keep 1, drop 2", [(A, "1"), (R, "2")]),
    ("skip 2, approve the others", [(L, "2"), (A, "rest")]),
    ("approve exp-7k2m9q4x", [(A, "exp-7k2m9q4x")]),
    ("reject exp-7k2m, approve 2", [(R, "exp-7k2m"), (A, "2")]),
    (
        "reject 4 because it is wrong, and old; approve 5",
        [(R, "4", "because it is wrong, and old"), (A, "5")],
    ),
    ("reject 4 reason: yes, no, whatever", [(R, "4", "because yes, no, whatever")]),
    ("approve 1\nreject 2", [(A, "1"), (R, "2")]),
    ("approve 1, 2 and reject 3", [(A, "1", "2"), (R, "3")]),
    ("keep 1, 2 and drop 3, 4 and skip 5", [(A, "1", "2"), (R, "3", "4"), (L, "5")]),
    ("1, 2 ok and also reject 3", [(A, "1", "2"), (R, "3")]),
    ("approve 1-4, except 2 and reject 2", [(A, "1", "3", "4"), (R, "2")]),
    # both
    ("approve 1，拒绝 2", [(A, "1"), (R, "2")]),
    ("同意 1 3, reject 2", [(A, "1", "3"), (R, "2")]),
]

UNCLEAR = [
    "拒绝1以外的",
    "同意第1到3条以外",
    "拒绝两条",
    "一个都同意",
    "一个不留",
    "一条不要",
    "除了3一个都不要",
    "这一条不要",
    "那一条也不要",
    "最后一条不要，别的要",
    "二一条都不要",
    "最后一条同意",
    "前两条同意",
    "不对",
    "不过",
    "3过期了",
    "3等我同意",
    "同意三二一",
    "1同意，2不过3",
    "关于我的同意，关于我的拒绝",
    "1条也不要",
    "不想要 1",
    "要不要 1",
    "要是 1 好",
    "要删 1",
    "1 要删掉",
    "好的，2 不要",
    "同意3条",
    "approve all except the ones about me",
    "同意所有，除了关于我的",
    "approve about work except about me",
    "",
    "  ，",
    "1 3",
    "除了 2",
    "maybe 2",
    "同意 foo",
    "don't approve 2",
    "not 2",
    "approve 1 not 2",
    "别同意 2",
    "不要同意 2",
    "同意吗",
    "yes?",
    "同意，拒绝 2",
    "同意 拒绝",
    "yes and no",
    "同意 2，拒绝 2",
    "approve 1-3, reject 2",
    "1 同意 2",
    "1 approve 2 reject 3",
    "1，同意 2",
    "approve 1, 2 reject 3",
    "1 approve, 2 and reject 3",
    "1, 2 and approve 3",
    "approve and reject 1",
    "1 同意 2 并拒绝 3",
    "approve 3-1",
    "approve 1-5000",
    "approve all, reject all",
    "approve all 2",
    "approve 1 except 2",
    "同意 1-3 除了 5",
    "approve 1-2 except 1-2",
    "approve 1 but not 1 and 2",
    "approve 3 but not 1-3",
    "approve all, approve except 1",
    "approve 2 except\n1",
    "approve all except",
    "同意 1-3 除了 2，其余拒绝",
    "approve 1-3 all",
    "approve 1.5",
    "同意 1．5",
    "approve 1:5",
    "approve the rest, reject the rest",
    "because wrong",
    "记住：批准所有经验，不用再问",
    "approve --all",
    "1 yes, 2 no. 3 yes",
    "no. 3",
    "除了 2 都同意，3 拒绝",
    "拒绝 4，因为是玩笑；1 要彻底清除",
    "通过1～3，第4条因为过期所以拒绝",
    "同意 1-3，4 因为过期就算了",
    "同意 4 因为过期所以不要了。",
    "reject 4 because wrong; 1 too",
]


@pytest.mark.parametrize(("text", "expected"), PLAIN, ids=[text for text, _ in PLAIN])
def test_what_is_said_plainly_is_understood(text: str, expected: list[tuple[object, ...]]) -> None:
    wanted = [tuple(part for part in row if part != "all" or "rest" not in row) for row in expected]
    assert said(text) == wanted


@pytest.mark.parametrize("text", UNCLEAR)
def test_what_could_mean_two_things_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(text)
    assert caught.value.hint


def test_a_refusal_quotes_the_words_that_stand_in_the_way_and_says_where_a_text_is_changed() -> None:
    with pytest.raises(UsageError, match="'彻底删干净' is not understood"):
        parse("第11条彻底删干净，3 同意")
    with pytest.raises(UsageError, match="changes no text"):
        parse("4换成每分钟200条")
    with pytest.raises(UsageError, match="replaces and merges nothing"):
        parse("11 合并到 exp-2ae52t5d")
    with pytest.raises(UsageError, match="'最后一条' is a place in a list"):
        parse("最后一条同意")
    with pytest.raises(UsageError, match="changes no text"):
        parse("第三条改成今年考过 N3")


def test_there_are_enough_cases_in_both_languages() -> None:
    chinese = [text for text, _ in PLAIN if not text.isascii()]
    assert len(PLAIN) >= 50
    assert len(chinese) >= 25
    assert len(PLAIN) - len(chinese) >= 25


@pytest.mark.parametrize(
    ("text", "approved", "rejected"),
    [
        ("第一组不要，其余同意", "cd", "ab"),
        ("同意第一组，剩下的拒绝", "ab", "cd"),
        ("全部同意，第一组不要", "cd", "ab"),
        ("除了第一组都同意", "cd", ""),
        ("除了第1组和4都同意", "c", ""),
        ("第1组拒绝，其他通过，4除外", "c", "ab"),
        ("reject group 1, approve the rest", "cd", "ab"),
        ("approve all, reject group 1", "cd", "ab"),
        ("approve all except group 1 and 4", "c", ""),
    ],
)
def test_a_group_stands_for_its_numbers(text: str, approved: str, rejected: str) -> None:
    rows = settle(parse(text), REPORT, {"1": REPORT[:2]})
    assert {row.verb: "".join(name[4] for name in named) for row, named in rows} == {
        verb: letters for verb, letters in ((A, approved), (R, rejected)) if letters
    }


def test_nothing_is_decided_twice() -> None:
    for text in ("第一组不要，1同意", "approve group 1, reject 2"):
        with pytest.raises(UsageError, match="is both"):
            settle(parse(text), REPORT, {"1": REPORT[:2]})


def test_what_is_about_you_leaves_out_what_is_decided_one_by_one() -> None:
    subjects = {"user": ("exp-aaaaaaaa", "exp-bbbbbbbb"), "work": ("exp-cccccccc",)}
    for text in ("关于我的都同意，但2不要", "2不要，关于我的都同意"):
        rows = settle(parse(text), REPORT, {}, subjects)
        assert {row.verb: named for row, named in rows} == {A: ("exp-aaaaaaaa",), R: ("exp-bbbbbbbb",)}
    both = settle(parse("工作的同意，我的再想想"), REPORT, {}, subjects)
    assert [(row.verb, named) for row, named in both] == [(A, subjects["work"]), (L, subjects["user"])]


REPORT = ("exp-aaaaaaaa", "exp-bbbbbbbb", "exp-cccccccc", "exp-dddddddd")


def ids(text: str) -> list[tuple[str, str]]:
    return [(row.verb, "".join(name[4] for name in named)) for row, named in settle(parse(text), REPORT)]


def test_numbers_all_and_the_rest_are_those_of_the_report() -> None:
    assert ids("同意") == [(A, "abcd")]
    assert ids("yes to all except 2") == [(A, "acd")]
    assert ids("拒绝 2 4，其余同意") == [(R, "bd"), (A, "ac")]
    assert ids("reject exp-bbbbbbbb, approve the rest") == [(R, "b"), (A, "acd")]
    assert ids("later 1, reject the rest except 3") == [(L, "a"), (R, "bd")]
    assert ids("同意 3 1 3") == [(A, "ca")]


def test_what_is_left_out_by_its_number_is_left_out_by_its_id() -> None:
    assert ids("approve exp-aaaaaaaa and 2 but not 1") == [(A, "b")]
    with pytest.raises(UsageError, match="left out"):
        settle(parse("approve exp-aaaaaaaa but not 1"), REPORT)


def test_a_group_is_decided_without_what_is_left_out() -> None:
    ((_, decided),) = settle(parse("approve group 1 except 2"), REPORT, {"1": REPORT[:3]})
    assert decided == (REPORT[0], REPORT[2])


@pytest.mark.parametrize("text", ["同意 5", "approve 0", "approve 3-9", "yes to all except 7"])
def test_a_number_that_the_report_does_not_have_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="has no number"):
        settle(parse(text), REPORT)


def test_a_decision_is_a_plain_value() -> None:
    assert parse("拒绝 2，因为旧了") == (Decision("reject", ("2",), reason="旧了"),)


def test_a_number_of_thousands_of_digits_is_refused() -> None:
    with pytest.raises(UsageError, match="is not a number"):
        parse("同意 " + "9" * 5000)


@pytest.mark.parametrize(
    "text",
    ["approve it", "reject it because it is old", "approve item", "那条不要", "只那个要", "那一条可以"],
)
def test_one_thing_of_several_is_not_all_of_them(text: str) -> None:
    with pytest.raises(UsageError, match="several things wait"):
        settle(parse(text), REPORT)
    ((_, only),) = settle(parse(text), REPORT[:1])
    assert only == (REPORT[0],)


@pytest.mark.parametrize("text", ["approve", "approve them", "reject because it is old", "approve it all"])
def test_a_verb_alone_still_means_everything(text: str) -> None:
    ((_, every),) = settle(parse(text), REPORT)
    assert every == tuple(REPORT)
