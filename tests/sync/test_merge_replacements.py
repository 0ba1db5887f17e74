"""Where two machines replace a block otherwise, a merge leaves something in force, unless a person wanted nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from alice_exp.model.rules.lifecycle import heirs, replaced_reason, retire
from alice_exp.model.values.block import Approved, Archived, Block, Evidence, Payload, Placed, content_hash
from alice_exp.sync.rules.merge_blocks import merge
from alice_exp.sync.rules.merge_homes import in_force

Side = dict[str, Placed]
TRUSTED, POOL = "universal/tool_usage.jsonc", "low_value_pool/pending_20260220.jsonc"
OLD, X, Y = "exp-oldold22", "exp-xxxxxx22", "exp-yyyyyy22"


def at(hour: int) -> str:
    return f"2026-03-01T{hour:02}:00:00Z"


def approved(side: Side, block_id: str, hour: int) -> None:
    block = side[block_id].block
    block = replace(block, approved=Approved(at(hour), "user", content_hash(block)))
    side[block_id] = Placed(block, TRUSTED)


def ended(side: Side, block_id: str, hour: int, why: str) -> None:
    done = retire(side[block_id].block, why, at(hour)).block
    archived = Archived("universal/tool_usage", at(hour), "obsolete")
    side[block_id] = Placed(replace(done, archived=archived), "archive/obsolete.jsonc")


def rejected(side: Side, block_id: str, hour: int) -> None:
    archived = Archived("low_value_pool/pending_20260220", at(hour), "rejected")
    side[block_id] = Placed(replace(side[block_id].block, archived=archived), "archive/rejected.jsonc")


def replaced(side: Side, old: str, new: str, hour: int) -> None:
    approved(side, new, hour)
    ended(side, old, hour, replaced_reason(new))


def start() -> Side:
    blocks = {one: Block(one, Payload(f"text of {one}"), updated_at=at(0)) for one in (OLD, X, Y)}
    side = {one: Placed(block, POOL) for one, block in blocks.items()}
    approved(side, OLD, 0)
    return side


Acts = list[tuple[str, object]]
HERE_X: Acts = [("replace", (OLD, X, 1))]
CASES: list[tuple[str, Acts, Acts, set[str]]] = [
    ("each by another one", HERE_X, [("replace", (OLD, Y, 2))], {X, Y}),
    ("by one that the other machine rejects later", HERE_X, [("reject", (X, 2))], {OLD}),
    ("by one that the other machine rejected before", [("replace", (OLD, X, 3))], [("reject", (X, 2))], {X}),
    (
        "each rejects the other's",
        [*HERE_X, ("reject", (Y, 4))],
        [("replace", (OLD, Y, 2)), ("reject", (X, 3))],
        {Y},
    ),
    (
        "by one in the place of another",
        [*HERE_X, ("replace", (X, Y, 2))],
        [("reject", (Y, 3))],
        {OLD},
    ),
    ("and what replaced it was retired", [*HERE_X, ("end", (X, 2, "gone"))], [], set()),
    ("and the other machine wants neither", HERE_X, [("reject", (X, 2)), ("end", (OLD, 3, "gone"))], set()),
]


@pytest.mark.parametrize(("name", "here", "there", "held"), CASES, ids=[case[0] for case in CASES])
def test_replaced(name: str, here: Acts, there: Acts, held: set[str]) -> None:
    act = {"replace": replaced, "reject": rejected, "end": ended}
    was, one, other = start(), start(), start()
    for side, acts in ((one, here), (other, there)):
        for verb, values in acts:
            act[verb](side, *values)  # type: ignore[operator, misc]
    blocks = merge(was, one, other).blocks
    back = in_force(blocks, was, one, other)
    assert back == in_force(blocks, was, other, one)
    trusted = {
        block_id: placed for block_id, placed in {**blocks, **back}.items() if placed.place == "universal"
    }
    assert trusted.keys() == held, name
    assert all(p.block.approved is not None and p.block.state != "obsolete" for p in trusted.values())


def test_what_was_revived_has_no_heirs_any_more() -> None:
    pieces = [Evidence("retired", at=at(hour), quote=replaced_reason(new)) for hour, new in ((1, X), (2, Y))]
    assert heirs(Block(OLD, Payload("x"), evidence=tuple(pieces))) == (X, Y)
    pieces.insert(1, Evidence("revived", at=at(1)))
    assert heirs(Block(OLD, Payload("x"), evidence=tuple(pieces))) == (Y,)
