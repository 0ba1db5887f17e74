"""A field of a block is known wherever blocks are read, written, described and merged: a new one is named here."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

import pytest

from alice_exp.model.formats.block_fields import FIELDS
from alice_exp.model.formats.json_schema import schemas
from alice_exp.model.values.block import (
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

PATH = "universal/tool_usage.jsonc"
AT = "2026-02-20T09:00:00Z"
WRITTEN = {field.name for field in dataclasses.fields(Block)} - {"extra", "signed"}
PLACED = ("about", "archived", "id", "state")
"""What follows from a block's place and its counts rather than from the side that changed it (see test_merge_blocks)."""
VALUES = {
    "payload": Payload("use fd"),
    "trigger": Trigger("finding files"),
    "type": "rule",
    "evidence": (Evidence("note", at=AT, quote="rg was slow"),),
    "open_failures": {"release": AT},
    "record": Record(7, 1),
    "doubt": Doubt(0.5, "2026-02-20", AT),
    "trial": {"0.04": (3, 1, 0, 1)},
    "tags": ("search",),
    "related": ("exp-bbbb2222",),
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


def test_every_field_is_read_and_every_editor_knows_it() -> None:
    assert set(FIELDS) == WRITTEN
    schema = json.loads(schemas()[".schema/namespace.json"])
    assert set(schema["properties"]["blocks"]["items"]["properties"]) == WRITTEN


def test_every_field_is_documented() -> None:
    rows = re.findall(
        r"^\| (`\w+`(?:, `\w+`)*) \|", (ROOT / "docs/formats.md").read_text("utf-8"), re.MULTILINE
    )
    assert WRITTEN - set(re.findall(r"\w+", " ".join(rows))) == set()


def test_every_field_has_its_rules_of_merging() -> None:
    assert set(merge_fields.FIELDS) == {field.name for field in dataclasses.fields(Block)}


@pytest.mark.parametrize("name", sorted(WRITTEN - set(PLACED)))
def test_what_one_machine_alone_changed_survives_a_merge(name: str) -> None:
    was = Block("exp-aaaa2222", Payload("use rg"))
    mine = dataclasses.replace(was, **{name: changed(name)})
    yours = dataclasses.replace(was, updated_at="2026-02-20T10:00:00Z") if name != "updated_at" else was
    for one, other in ((mine, yours), (yours, mine)):
        kept, beside = merge_block(Placed(was, PATH), Placed(one, PATH), Placed(other, PATH))
        assert kept is not None and beside is None
        assert getattr(kept.block, name) == changed(name)
