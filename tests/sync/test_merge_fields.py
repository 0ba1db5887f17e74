"""Each field of a block by itself: what two histories make of it, and what an equal block that is folded in adds."""

from dataclasses import fields, replace
from typing import Any

import pytest

from alice_exp.model.values.block import (
    EVIDENCE_KEPT,
    NONE,
    Approved,
    Archived,
    Block,
    Doubt,
    Evidence,
    Payload,
    Record,
    Reported,
    Trigger,
    content_hash,
)
from alice_exp.sync.rules.merge_fields import FIELDS, Versions, folded, merged

WAS = Block(
    "exp-aaaa2222", Payload("rg"), created_at="2026-02-21T09:00:00Z", updated_at="2026-02-21T09:00:00Z"
)


def evidence(minute: int, effect: str = "ok") -> Evidence:
    return Evidence("outcome", "d", f"2026-02-22T09:{minute:02}:00Z", effect=effect)


def reported(day: int) -> Reported:
    return Reported(f"hb-{day}", f"2026-02-{day}T08:00:00Z", "h")


ONE, TWO, THREE = (evidence(minute) for minute in (1, 2, 3))
BIN = Archived("universal/tools", "2026-02-23T09:00:00Z", "rejected")
FITS = content_hash(replace(WAS, type="rule"))
EARLY, LATE = (Approved(f"2026-02-{day}T09:00:00Z", "user", FITS) for day in (23, 24))

# (field, before, the one side, the later other side, of two histories, the other folded into the one)
Vector = tuple[str, Any, Any, Any, Any, Any]
VECTORS: list[Vector] = [
    # The text of ``one`` stays, the place of ``other`` holds.
    ("id", "exp-aaaa2222", "exp-bbbb2222", "exp-cccc2222", "exp-bbbb2222", "exp-bbbb2222"),
    ("payload", Payload("rg"), Payload("rg -n"), Payload("rg -l"), Payload("rg -n"), Payload("rg -n")),
    ("trigger", Trigger(), Trigger("find"), Trigger("seek"), Trigger("find"), Trigger("find")),
    ("type", "fact", "rule", "habit", "rule", "rule"),
    ("about", "work", "work", "user", "work", "work"),
    ("state", "possible", "past", "reliable", "reliable", "past"),
    ("archived", None, None, BIN, BIN, None),
    # The side that changed it; the later one where both did.
    ("key", "", "", "tool", "tool", ""),
    ("key", "", "tool", "editor", "editor", "tool"),
    ("project", "", "one", "", "one", "one"),
    ("project", "", "one", "other", "other", "one"),
    ("importance", 0.5, 0.9, 0.2, 0.2, 0.9),
    ("importance", 0.5, 0.2, 0.9, 0.9, 0.9),
    ("importance", 0.5, 0.2, 0.5, 0.2, 0.5),
    ("emotional_weight", 0.0, 0.4, -0.4, -0.4, 0.4),
    ("origin", "local", "local", "peer:x", "peer:x", "local"),
    ("suggested", "", "personal/a", "personal/b", "personal/b", "personal/b"),
    ("suggested", "", "", "personal/b", "personal/b", "personal/b"),
    ("shareable", False, True, True, True, True),
    ("shareable", True, True, False, False, True),
    ("reported", reported(21), reported(22), reported(23), reported(23), reported(22)),
    ("approved", None, None, EARLY, EARLY, None),
    # Counts add up, a folded block is one more observation.
    ("verifications", 1, 2, 4, 5, 6),
    ("verifications_local", 1, 3, 2, 4, 5),
    ("observations", 1, 2, 4, 5, 7),
    ("access_count", 2, 5, 3, 6, 8),
    ("record", Record(1, 0), Record(3, 0), Record(1, 2), Record(3, 2), Record(4, 2)),
    ("record", None, None, Record(1, 2), Record(1, 2), Record(1, 2)),
    ("evidence", (ONE,), (ONE, TWO), (ONE, THREE), (ONE, TWO, THREE), (ONE, TWO, THREE)),
    ("evidence", (), (ONE,), (ONE,), (ONE, ONE), (ONE,)),
    # Sets and objects lose what one side took out and gain what one side put in; folded, nothing was taken out.
    ("tags", ("a", "b"), ("b", "c"), ("a", "b", "d"), ("b", "c", "d"), ("a", "b", "c", "d")),
    ("replaces", ("a",), ("a", "b"), ("a", "c"), ("a", "b", "c"), ("a", "b", "c")),
    ("both", (), ("b",), ("c",), ("b", "c"), ("b", "c")),
    ("related", ("a", "b"), ("b", "c"), ("a", "b", "d"), ("b", "c", "d"), ("a", "b", "c", "d")),
    (
        "extra",
        {"x-a": 1},
        {"x-a": 1, "x-b": 2},
        {"x-c": 3},
        {"x-b": 2, "x-c": 3},
        {"x-a": 1, "x-b": 2, "x-c": 3},
    ),
    ("open_failures", {"a": "1"}, {"a": "1", "b": "2"}, {}, {"b": "2"}, {"a": "1", "b": "2"}),
    ("open_failures", {}, {"a": "1"}, {"b": "2"}, {"a": "1", "b": "2"}, {"a": "1", "b": "2"}),
    # A latch survives a merge: nothing was answered.
    ("doubt", None, None, Doubt(0.5, "2026-02-22"), Doubt(0.5, "2026-02-22"), Doubt(0.5, "2026-02-22")),
    # Whichever is the outermost.
    ("created_at", "2026-02-21", "2026-02-21", "2026-02-20", "2026-02-20", "2026-02-20"),
    ("updated_at", "2026-02-21", "2026-02-22", "2026-02-23", "2026-02-23", "2026-02-23"),
    ("last_accessed_at", "", "2026-02-22", "2026-02-23", "2026-02-23", "2026-02-23"),
    ("consolidation_score", 0.1, 0.2, 0.3, 0.3, 0.3),
    # Nobody's word about a signature is carried over: it is looked at again.
    ("entry", None, NONE, NONE, None, None),
]


def sides(name: str, was: Any, one: Any, other: Any) -> tuple[Block, Block, Block]:
    """Three versions of a block that differ in one field; the other side is the later one."""
    mine, yours = (replace(WAS, updated_at=f"2026-02-{day}T09:00:00Z") for day in (22, 23))
    return replace(WAS, **{name: was}), replace(mine, **{name: one}), replace(yours, **{name: other})


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector[0]))
def test_two_histories(vector: Vector) -> None:
    name, was, one, other, expected, _ = vector
    before, mine, yours = sides(name, was, one, other)
    assert getattr(merged(Versions(before, mine, yours, text=mine, home=yours)), name) == expected


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector[0]))
def test_an_equal_block_folded_in(vector: Vector) -> None:
    name, was, one, other, _, expected = vector
    _, mine, yours = sides(name, was, one, other)
    assert getattr(folded(mine, yours, ()), name) == expected


def test_every_field_has_a_vector() -> None:
    assert {vector[0] for vector in VECTORS} == set(FIELDS) == {field.name for field in fields(Block)}


def test_what_both_sides_hold_of_a_shared_block_counts_once() -> None:
    shared = replace(WAS, evidence=(ONE,), record=Record(1, 0), access_count=1)
    mine = replace(shared, evidence=(ONE, ONE, TWO), record=Record(2, 0), access_count=2)
    yours = replace(shared, evidence=(ONE, ONE), record=Record(2, 0), access_count=2)
    now = folded(mine, yours, (shared,))
    assert (now.record, now.access_count) == (Record(3, 0), 3)
    # The same outcome can happen twice in a second, and did so on each side.
    assert now.evidence == (ONE, ONE, ONE, TWO)


def test_a_doubt_is_as_old_as_the_first_side_that_had_it() -> None:
    failed = tuple(evidence(minute, "fail") for minute in range(6))
    early, late = (Doubt(3.0, "2026-02-22", f"2026-02-22T09:0{minute}:00Z") for minute in (3, 5))
    mine, yours = (replace(WAS, evidence=failed, record=Record(0, 6), doubt=one) for one in (late, early))
    now = merged(Versions(WAS, mine, yours, text=mine, home=yours)).doubt
    assert now is not None and now.since == early.since


def test_the_newest_pieces_are_kept() -> None:
    many = tuple(evidence(minute) for minute in range(EVIDENCE_KEPT + 5))
    mine, yours = replace(WAS, evidence=many[:10]), replace(WAS, evidence=many[10:])
    assert merged(Versions(WAS, mine, yours, text=mine, home=yours)).evidence == many[5:]
