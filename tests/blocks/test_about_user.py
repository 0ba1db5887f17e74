"""Where a candidate goes that tells of the user, though nobody said so (DESIGN 4, B2.17)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from alice_exp import Alice
from alice_exp.blocks.rules.grounding import subject_of
from alice_exp.model.rules.private_facts import destination
from alice_exp.model.values.block import Block, Payload
from tests.case_tables import table

if TYPE_CHECKING:
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


def test_what_a_library_is_told_counts_before_the_words(home: Path) -> None:
    alice = Alice(home)
    assert alice.memorize("the user lives in Porto").block.about == "user"
    assert alice.memorize("the user lives in a pod", about="work").block.about == "work"
