"""Where a candidate goes that tells of the user, though nobody said so (DESIGN 4, B2.17)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from alice_exp import Alice
from alice_exp.blocks.rules.grounding import subject_of
from alice_exp.model.rules.private_facts import destination
from alice_exp.model.values.block import Block, Payload
from tests.case_tables import table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from alice_exp.model.values.block import BlockType


@table("kind", "payload")
def test_what_tells_of_the_user_goes_to_personal(kind: str, payload: str) -> None:
    block_type = cast("BlockType", kind)
    block = Block(
        "exp-aaaaaaaa", payload=Payload(payload), type=block_type, about=subject_of(block_type, payload)
    )
    assert destination(block).startswith("personal/")


@table("kind", "payload")
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
