"""A field of a block is known wherever blocks are read, written, described and merged: a new one is named here."""

import dataclasses
import re
from typing import Any

import pytest

from alice_exp.kernel.jsonc.reader import parse
from alice_exp.model.formats.block_schema import FIELDS, block_json, read_block, read_blocks
from alice_exp.model.rules.lifecycle import outcome
from alice_exp.model.values.block import (
    ABOUT,
    BLOCK_TYPES,
    CONTENT,
    STATES,
    Approved,
    Archived,
    Block,
    Doubt,
    Evidence,
    Payload,
    Placed,
    Record,
    Reported,
    Trigger,
)
from alice_exp.sync.rules import merge_fields
from alice_exp.sync.rules.merge_blocks import merge_block
from tests.conftest import ROOT

FORMATS = (ROOT / "docs/formats.md").read_text("utf-8")
PATH = "universal/tool_usage.jsonc"
AT = "2026-02-20T09:00:00Z"
WRITTEN = {field.name for field in dataclasses.fields(Block)} - {"extra", "signed", "entry"}
PLACED = ("about", "archived", "id", "state")
"""What follows from a block's place and its counts rather than from the side that changed it (see test_merge_blocks)."""
VALUES = {
    "payload": Payload("use fd"),
    "trigger": Trigger("finding files"),
    "type": "rule",
    "evidence": (Evidence("note", at=AT, quote="rg was slow"),),
    "open_failures": {"release": AT},
    "record": Record(7, 1),
    "doubt": Doubt(0.5, "2026-02-20", AT, AT, ("exp-bbbb2222",), 0.8, 0.25),
    "tags": ("search",),
    "related": ("exp-bbbb2222",),
    "replaces": ("exp-bbbb2222",),
    "both": ("exp-bbbb2222",),
    "reported": Reported("hb-aaaa2222", AT, "0" * 64),
    "approved": Approved(AT, "user", "0" * 64),
    "archived": Archived(PATH, AT, "rejected"),
}
"""A value other than the default; of texts, numbers and flags one is made up."""


def changed(name: str) -> Any:
    default = getattr(Block("exp-aaaa2222", Payload("use rg")), name)
    if name in VALUES:
        return VALUES[name]
    return not default if isinstance(default, bool) else AT if isinstance(default, str) else default + 1


@pytest.mark.covers("R3.3")
def test_a_block_from_before_the_fields_of_use_needs_no_migration() -> None:
    old = {"id": "exp-aaaa2222", "payload": "use rg"}
    block = read_block(old, "universal")
    assert (block.access_count, block.last_accessed_at, block.consolidation_score) == (0, "", 0.0)
    assert block_json(block, "universal") == old, "and is written as it was"


@pytest.mark.covers("B2.12")
def test_trigger_payload_and_evidence_are_when_what_and_why() -> None:
    told = {
        "id": "exp-aaaa2222",
        "trigger": {"text": "searching", "keywords": ["code"], "context": {"os": "linux"}},
        "payload": {"content": "use rg", "kind": "tool", "steps": ["install it", "run it"]},
        "evidence": [{"kind": "note", "ref": "ep-1", "at": AT, "quote": "rg took 0.1 s"}],
    }
    block = read_block(told, "universal")
    assert block.trigger == Trigger("searching", ("code",), {"os": "linux"})
    assert block.payload == Payload("use rg", "tool", ("install it", "run it"))
    grown = outcome(block, True, "A", AT).block.evidence
    assert (grown[0], len(grown)) == (Evidence("note", "ep-1", AT, "rg took 0.1 s"), 2), "only ever added to"


def test_every_field_is_read() -> None:
    assert set(FIELDS) == WRITTEN, "its row in model/formats/block_fields.py"


def test_a_key_of_an_earlier_version_stays_where_it_is_and_is_no_mistake() -> None:
    text = '{"blocks": [{"id": "exp-aaaa2222", "payload": "use rg", "supersedes": "exp-bbbb2222"}]}'
    (block,), problems = read_blocks(parse(text.encode(), PATH))
    assert not problems and block.replaces == ()
    assert block_json(block, "universal")["supersedes"] == "exp-bbbb2222"


def test_what_may_be_a_text_or_an_object_says_so() -> None:
    problems = read_blocks(parse(b'{"blocks": [{"payload": 7}, {"payload": "a", "trigger": 7}]}', PATH))[1]
    assert [one.message[-22:] for one in problems] == ["is a text or an object"] * 2


def documented() -> list[tuple[str, str]]:
    """The fields in the order of docs/formats.md, each with who sets it."""
    text = FORMATS.partition("| field | shape |")[2].partition("\n\n")[0]
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| `")]
    return [(name, row[-1]) for row in rows for name in re.findall(r"`(\w+)`", row[0])]


def test_every_field_is_documented_in_the_order_in_which_it_is_written() -> None:
    assert [name for name, _ in documented()] == list(FIELDS), "its row in docs/formats.md"


@pytest.mark.parametrize(("name", "values"), [("type", BLOCK_TYPES), ("about", ABOUT), ("state", STATES)])
def test_every_value_of_a_closed_list_is_documented(name: str, values: tuple[str, ...]) -> None:
    row = next(line for line in FORMATS.splitlines() if line.startswith(f"| `{name}` |"))
    assert tuple(re.findall(r"`(\w+)`", row.split(" | ")[1])) == values, "its row in docs/formats.md"


def test_what_whoever_captures_may_set_is_in_a_draft() -> None:
    theirs = {name for name, who in documented() if who.startswith("whoever captures")}
    assert theirs <= set(CONTENT) <= WRITTEN, "its field in Draft, blocks/usecases/capture.py"


def test_every_field_has_its_rules_of_merging() -> None:
    assert set(merge_fields.FIELDS) == {field.name for field in dataclasses.fields(Block)}


@pytest.mark.parametrize("name", sorted(WRITTEN - {*PLACED, "approved"}))
def test_what_one_machine_alone_changed_survives_a_merge(name: str) -> None:
    was = Block("exp-aaaa2222", Payload("use rg"))
    mine = dataclasses.replace(was, **{name: changed(name)})
    yours = dataclasses.replace(was, updated_at="2026-02-20T10:00:00Z") if name != "updated_at" else was
    for one, other in ((mine, yours), (yours, mine)):
        kept, beside = merge_block(Placed(was, PATH), Placed(one, PATH), Placed(other, PATH))
        assert kept is not None and beside is None
        assert getattr(kept.block, name) == changed(name)
