"""How a block is used: one row a use."""

from typing import Any

import pytest

from alice_exp.model.rules.doubt import use
from alice_exp.model.values.block import Block, Doubt, Payload, Placed, path_of
from tests.approvals import approved

AT = "2026-02-20T09:00:00Z"


def placed(place: Any, *, approve: bool = True, **fields: Any) -> Placed:
    block = Block("exp-aaaaaaaa", Payload("x"), **fields)
    if approve and place in ("universal", "personal"):
        block = approved(block, path_of(place, "tools"))
    return Placed(block, path_of(place, "tools"))


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        (placed("personal", state="past"), "told"),
        (placed("universal", state="possible"), "told"),
        (placed("universal", state="past", doubt=Doubt(1.1, "2026-02-20", AT)), "in_doubt"),
        (placed("universal", state="reliable", approve=False), "unapproved"),
        (placed("low_value"), "candidate"),
        (placed("low_value", open_failures={"A": AT}), "withheld"),
        (placed("archive", state="obsolete"), "archived"),
    ],
)
def test_uses(block: Placed, expected: str) -> None:
    assert use(block) == expected
