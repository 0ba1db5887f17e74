"""Near-duplicates and contradictions are found by plain rules, in two languages; neighbours are left alone."""

from __future__ import annotations

import pytest

from alice_exp.model.values.block import Block, Payload, Placed, Trigger
from alice_exp.review.rules.conflicts import Statement, compare, overlaps


def placed(
    block_id: str, payload: str, when: str = "", path: str = "low_value_pool/pending_20260220.jsonc"
) -> Placed:
    return Placed(Block(block_id, Payload(payload), Trigger(when)), path)


SAME = [
    (
        "rerun only the failed tests first: pytest --lf -x",
        "first rerun only the tests that failed, with pytest -x --lf",
    ),
    ("use ripgrep to search code", "search code with ripgrep"),
    ("run the linter before committing", "before committing, run the linter"),
    ("答复时先给结论", "答复时要先给结论"),
    ("提交之前先跑一遍测试", "提交之前跑一遍测试"),
    ("部署之前备份数据库", "部署之前一定要备份数据库"),
]

ODDS = [
    ("polarity", "", "周五 15 点以后可以发布，先灰度 10%", "周五 15 点以后不要发布，留到周一"),
    ("polarity", "", "deploy on Friday afternoons", "never deploy on Friday afternoons"),
    ("polarity", "", "the user likes spicy food", "the user does not like spicy food"),
    ("polarity", "", "用户喜欢吃辣", "用户不喜欢吃辣"),
    ("polarity", "", "用户喜欢吃辣", "用户讨厌吃辣"),
    ("polarity", "", "indent with tabs", "indent with spaces"),
    ("polarity", "", "the user prefers the dark theme", "the user prefers the light theme"),
    ("polarity", "", "界面用深色主题", "界面用浅色主题"),
    ("polarity", "", "commit generated files", "don't commit generated files"),
    ("polarity", "", "提交生成的文件", "不要提交生成的文件"),
    ("numbers", "calling the API", "the timeout is 10 seconds", "the timeout is 30 seconds"),
    ("numbers", "调用接口", "超时设为 10 秒", "超时设为 30 秒"),
    ("value", "名字", "用户的名字是张三", "用户的名字是李四"),
    (
        "value",
        "installing packages",
        "this project uses pnpm for packages",
        "this project uses npm for packages",
    ),
    ("value", "城市", "用户住在北京", "用户住在上海"),
]

NEIGHBOURS = [
    ("", "use ripgrep to search code", "use jq to read JSON"),
    ("", "the user likes tea", "the user likes coffee"),
    ("", "用户喜欢喝茶", "用户喜欢跑步"),
    ("", "用户喜欢喝茶", "用户不喜欢吃辣"),
    ("", "never deploy on Fridays", "deploy with the blue-green script"),
    ("", "don't commit secrets", "commit the lock file"),
    ("", "不要提交密钥", "提交锁文件"),
    ("", "run tests with pytest", "run the formatter with ruff"),
    ("", "下午三点以后不喝咖啡", "早上喝咖啡"),
    ("", "the build takes 10 minutes", "the deploy takes 30 minutes"),
    ("", "retry 3 times on a timeout", "the pool holds 20 connections"),
    ("", "用户的名字是张三", "用户的工作是程序员"),
    ("writing Go", "use gofmt before a commit", "use go vet in the pipeline"),
    ("", "按 reported_at 去重，补传的旧点不触发告警", "告警按级别分组，不同的人收不同的级别"),
    ("", "特别的日志放在单独的文件", "日志每天轮转一次"),
]


@pytest.mark.parametrize(("first", "second"), SAME)
def test_what_says_nearly_the_same_is_found(first: str, second: str) -> None:
    (pair,) = overlaps([placed("exp-aaaaaaaa", first), placed("exp-bbbbbbbb", second)], [])
    assert (pair.reason, pair.is_conflict) == ("same", False)
    assert (pair.first.block.id, pair.second.block.id) == ("exp-bbbbbbbb", "exp-aaaaaaaa")


@pytest.mark.parametrize(("reason", "when", "first", "second"), ODDS)
def test_contradictions_are_found_both_ways(reason: str, when: str, first: str, second: str) -> None:
    one, other = (
        placed("exp-aaaaaaaa", first, when),
        placed("exp-bbbbbbbb", second, when, "universal/facts.jsonc"),
    )
    (pair,) = overlaps([one], [other])
    assert (pair.reason, pair.is_conflict) == (reason, True)
    assert compare(Statement(other), Statement(one)) == reason


@pytest.mark.parametrize(("when", "first", "second"), NEIGHBOURS)
def test_neighbours_are_left_alone(when: str, first: str, second: str) -> None:
    one, other = placed("exp-aaaaaaaa", first, when), placed("exp-bbbbbbbb", second, when)
    assert overlaps([one], [other]) == ()
    assert compare(Statement(one), Statement(other)) is None


def test_a_newer_word_under_the_same_key_stands_beside_the_older_one() -> None:
    older = placed("exp-aaaaaaaa", "编辑器是 vim", path="universal/facts.jsonc")
    newer = Placed(
        Block("exp-bbbbbbbb", Payload("works in helix now"), supersedes="exp-aaaaaaaa"),
        "low_value_pool/p.jsonc",
    )
    (pair,) = overlaps([newer], [older])
    assert (pair.reason, pair.second.block.id) == ("supersedes", "exp-aaaaaaaa")
