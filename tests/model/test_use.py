"""How a block is used: one row a use, and how many successes would prove it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from alice_exp.model.rules.use import standing
from alice_exp.model.values.block import (
    Approved,
    Block,
    Doubt,
    Payload,
    Placed,
    Record,
    content_hash,
    path_of,
)

AT = "2026-02-20T09:00:00Z"


def placed(place: Any, *, approve: bool = True, **fields: Any) -> Placed:
    block = Block("exp-aaaaaaaa", Payload("x"), **fields)
    if approve and place == "universal":
        block = replace(block, approved=Approved(AT, "user", content_hash(block)))
    return Placed(block, path_of(place, "tools"))


@pytest.mark.parametrize(
    ("block", "use", "missing"),
    [
        (placed("personal", state="past"), "proven", 0),
        (placed("universal", state="reliable", verifications=12), "proven", 0),
        (placed("universal", state="past", verifications=4), "trial", 6),
        (placed("universal", state="possible"), "trial", 10),
        (placed("universal", state="possible", verifications=60), "trial", 2),  # one level a success
        (placed("personal", state="possible", verifications=2), "trial", 1),
        (placed("universal", state="past", doubt=Doubt(1.1, "2026-02-20", AT)), "in_doubt", 0),
        (placed("universal", state="reliable", approve=False), "unapproved", 0),
        (placed("low_value"), "candidate", 0),
        (placed("low_value", open_failures={"A": AT}), "withheld", 0),
        (placed("archive", state="obsolete"), "archived", 0),
    ],
)
def test_uses(block: Placed, use: str, missing: int) -> None:
    told = standing(block)
    assert (told.use, told.missing, told.record) == (use, missing, Record())
