"""Where a candidate goes that tells of the user, though nobody said so (DESIGN 4, B2.17)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from alice_exp import Alice
from alice_exp.blocks.rules.grounding import subject_of
from alice_exp.blocks.usecases.capture import destination
from alice_exp.model.values.block import Block, Payload

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from alice_exp.model.values.block import BlockType


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("preference", "用户不喜欢在周五开会"),
        ("preference", "The user dislikes meetings on Fridays"),
        ("habit", "我每天早上跑步"),
        ("goal", "I want to run a marathon"),
        ("fact", "用户住在成都"),
        ("fact", "用户对虾过敏"),
        ("fact", "user prefers tabs"),
        ("fact", "the user moved to Porto"),
        ("fact", "用户入职了腾讯"),
        ("fact", "用户从来不吃香菜"),
        ("fact", "用户晚上十点以后不看手机"),
        ("fact", "用户早就戒烟了"),
        ("fact", "用户儿子上一年级"),
        ("fact", "用户有高血压"),
        ("fact", "the user rarely drinks coffee after noon"),
        ("fact", "The user's daughter starts school in September"),
        ("fact", "用户换了手机壳"),
        ("fact", "用户左撇子"),
        ("fact", "用户晒太阳会脱皮"),
        ("fact", "用户是产品经理，负责支付业务"),
        ("fact", "用户办了健身房会员卡"),
        ("fact", "用户数学不好"),
        ("fact", "用户的手机号是 13800001111"),
        ("fact", "The user snores"),
        ("fact", "the user got laid off in March"),
        ("fact", "The user is a frontend developer"),
        ("fact", "The user's landlord raised the rent"),
        ("fact", "The user's rent is 900 euros"),
    ],
)
def test_what_tells_of_the_user_goes_to_personal(kind: str, payload: str) -> None:
    block_type = cast("BlockType", kind)
    block = Block(
        "exp-aaaaaaaa", payload=Payload(payload), type=block_type, about=subject_of(block_type, payload)
    )
    assert destination(block).startswith("personal/")


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("preference", "优先用 rg 搜索代码"),
        ("preference", "用户界面用深色主题"),
        ("preference", "user interface texts are short"),
        ("fact", "用户登录由令牌判断"),
        ("fact", "用户表在 users 库"),
        ("fact", "the user moved to the next step"),
        ("rule", "用户离职后禁用账号"),
        ("fact", "用户入职流程写在手册里"),
        ("fact", "the user table has a unique index"),
        ("rule", "用户输入要先校验"),
        ("fact", "用户买了会员后自动开通权限"),
        ("fact", "用户晚上十点后下的单第二天发"),
        ("fact", "用户住址要加密存储"),
        ("fact", "用户最近七天没登录算流失"),
        ("fact", "the user has two roles in the admin panel"),
        ("habit", "我司每周四发版"),
        ("fact", "用户连续输错五次密码要等一小时"),
        ("fact", "用户扫码后轮询状态"),
        ("fact", "用户画像每天凌晨跑批"),
        ("fact", "用户数超过一万要分库"),
        ("fact", "The user clicks Save and the form is submitted"),
        ("fact", "The user must be an admin to delete a workspace"),
        ("fact", "User deletion is soft for 30 days"),
        ("fact", "The user drops a file onto the page and the list is updated"),
        ("fact", "A user can belong to several teams"),
        ("fact", "If the user is not signed in, redirect to /login"),
    ],
)
def test_what_tells_of_the_work_goes_to_universal(kind: str, payload: str) -> None:
    assert subject_of(cast("BlockType", kind), payload) == "work"


def test_a_named_place_is_kept() -> None:
    assert subject_of("preference", "用户不喜欢周五开会", "universal/tool_usage") == "work"


def test_a_candidate_that_tells_of_the_user_is_about_them(home: Path, cli: Callable[..., Any]) -> None:
    kept = cli("memorize", "用户搬到深圳了", "--type", "identity", "--json").json["id"]
    assert cli("show", kept, "--json").json["about"] == "user"
    work = cli("memorize", "用 rg 搜索代码", "--json").json["id"]
    assert cli("show", work, "--json").json["about"] == "work"


LINES = '{"payload": "用户住在成都"}\n{"payload": "用户住在北京", "about": "work"}\n'


def test_what_somebody_said_of_it_is_kept(home: Path, cli: Callable[..., Any]) -> None:
    kept = cli("memorize", "the user likes short pages", "--about", "work", "--json").json["id"]
    assert cli("show", kept, "--json").json["about"] == "work"
    cli("memorize", "--from", "-", stdin=LINES)
    items = cli("heartbeat", "--json").json["items"]
    found = {item["payload"]: cli("show", item["id"], "--json").json["about"] for item in items}
    assert (found["用户住在成都"], found["用户住在北京"]) == ("user", "work")


def test_what_a_library_is_told_counts_before_the_words(home: Path) -> None:
    alice = Alice(home)
    assert alice.memorize("the user lives in Porto").block.about == "user"
    assert alice.memorize("the user lives in a pod", about="work").block.about == "work"
