"""How an approval starts a candidate (DESIGN 12.2)."""

from typing import Any

import pytest

from alice_exp.model.rules.approval import started
from alice_exp.model.values.block import Block, Evidence, Payload, Trigger

AT = "2026-02-20T09:00:00Z"
EPISODE = Evidence("episode", ref="ep-7k2m9q4x", at=AT)
INFERENCE = Evidence("inference", ref="ses-1#4", at=AT)


@pytest.mark.parametrize(
    ("given", "state", "count"),
    [
        ({"evidence": (EPISODE,)}, "past", 1),
        ({"evidence": (INFERENCE,)}, "past", 1),
        ({"evidence": (INFERENCE,), "tags": ("explicit",)}, "past", 1),
        ({"evidence": (EPISODE,), "verifications": 2, "verifications_local": 2}, "past", 2),
        ({"evidence": (EPISODE,), "state": "past", "verifications": 4}, "past", 4),
    ],
)
def test_an_approval_is_the_first_evidence(given: dict[str, Any], state: str, count: int) -> None:
    block = started(Block("exp-7k2m9q4x", Payload("use rg"), Trigger("searching code"), **given))
    assert (block.state, block.verifications) == (state, count)


@pytest.mark.parametrize("piece", [EPISODE, INFERENCE])
def test_the_approval_answers_what_it_failed_at_before(piece: Evidence) -> None:
    failed = {"A": AT}
    block = Block(
        "exp-7k2m9q4x", Payload("use rg"), Trigger("searching code"), evidence=(piece,), open_failures=failed
    )
    assert started(block).open_failures == {}
