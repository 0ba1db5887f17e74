"""Where two machines replace a block otherwise, a merge leaves something to tell, unless a person wanted nothing."""

from dataclasses import replace

import pytest

from alice_exp.finding.rules.choice import are_rivals
from alice_exp.model.rules.doubt import waiting
from alice_exp.model.rules.ledger import bound
from alice_exp.model.rules.lifecycle import retire
from alice_exp.model.values.block import Approved, Archived, Block, Payload, Placed, content_hash
from alice_exp.sync.rules.merge_blocks import merge

Side = dict[str, Placed]
TRUSTED, POOL = "universal/tool_usage.jsonc", "low_value_pool/pending_20260220.jsonc"
OLD, X, Y = "exp-oldold22", "exp-xxxxxx22", "exp-yyyyyy22"


def at(hour: int) -> str:
    return f"2026-03-01T{hour:02}:00:00Z"


def approved(side: Side, block_id: str, hour: int, **said: tuple[str, ...]) -> None:
    block = replace(side[block_id].block, updated_at=at(hour), **said)  # type: ignore[arg-type]
    mark = Approved(at(hour), "user", content_hash(block))
    side[block_id] = Placed(replace(block, approved=mark), TRUSTED)


def ended(side: Side, block_id: str, hour: int) -> None:
    done = retire(side[block_id].block, "gone", at(hour)).block
    archived = Archived("universal/tool_usage", at(hour), "obsolete")
    side[block_id] = Placed(replace(done, archived=archived), "archive/obsolete.jsonc")


def rejected(side: Side, block_id: str, hour: int) -> None:
    archived = Archived("low_value_pool/pending_20260220", at(hour), "rejected")
    side[block_id] = Placed(replace(side[block_id].block, archived=archived), "archive/rejected.jsonc")


def replaced(side: Side, old: str, new: str, hour: int) -> None:
    approved(side, new, hour, replaces=(old,))


def beside(side: Side, old: str, new: str, hour: int) -> None:
    approved(side, new, hour, both=(old,))


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
    (
        "by one that the other machine rejected before",
        [("replace", (OLD, X, 3))],
        [("reject", (X, 2))],
        {OLD},
    ),
    (
        "each rejects the other's",
        [*HERE_X, ("reject", (Y, 4))],
        [("replace", (OLD, Y, 2)), ("reject", (X, 3))],
        {OLD},
    ),
    ("by one in the place of another", [*HERE_X, ("replace", (X, Y, 2))], [("reject", (Y, 3))], {X}),
    ("and what replaced it was retired", [*HERE_X, ("end", (X, 2))], [], {OLD}),
    ("and the other machine wants neither", HERE_X, [("reject", (X, 2)), ("end", (OLD, 3))], set()),
    ("and the other one says that both hold", HERE_X, [("both", (OLD, X, 2))], {OLD, X}),
]


@pytest.mark.parametrize(("name", "here", "there", "told"), CASES, ids=[case[0] for case in CASES])
def test_replaced(name: str, here: Acts, there: Acts, told: set[str]) -> None:
    act = {"replace": replaced, "reject": rejected, "end": ended, "both": beside}
    was, one, other = start(), start(), start()
    for side, acts in ((one, here), (other, there)):
        for verb, values in acts:
            act[verb](side, *values)  # type: ignore[operator, misc]
    blocks = merge(was, one, other)[0]
    assert blocks == merge(was, other, one)[0]
    trusted = [placed for placed in blocks.values() if placed.place == "universal"]
    decided = [
        replace(one, block=replace(one.block, entry=bound("trusted", one.block, one.path))) for one in trusted
    ]
    assert {one.block.id for one in decided} - waiting(decided) == told, name


def test_answers_of_two_machines_are_joined_and_at_odds_are_asked_again() -> None:
    was = start()
    approved(was, X, 1)
    one, other = dict(was), dict(was)
    approved(one, X, 2, replaces=(OLD,))
    approved(other, X, 3, both=(OLD, Y))
    block = merge(was, one, other)[0][X]
    assert (block.block.replaces, block.block.both) == ((OLD,), (OLD, Y))
    assert are_rivals(block, was[OLD], None) == "rival"
    assert are_rivals(block, replace(was[Y], path=TRUSTED), "opposes") is None
