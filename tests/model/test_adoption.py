"""What a hand edit is taken for: which trust it raised, and which id a block that lost its own gets back."""

from dataclasses import replace

import pytest

from alice_exp.kernel.jsonc import parse
from alice_exp.model.formats.block_schema import read_blocks
from alice_exp.model.rules.adoption import adopt, raises_trust
from alice_exp.model.values.block import Block, Payload, Placed

PATH = "universal/tool_usage.jsonc"
NOW = "2026-02-20T09:00:00Z"
KNOWN = Block("exp-aaaa2222", Payload("use rg"), state="past", verifications=4, verifications_local=2)


@pytest.mark.parametrize(
    ("more", "raised"),
    [
        ({"payload": Payload("use rg -uu")}, False),
        ({"verifications": 5}, True),
        ({"verifications": 3}, False),
        ({"verifications_local": 3}, True),
        ({"verifications_local": 2}, False),
        ({"state": "reliable"}, True),
        ({"state": "possible"}, False),
        ({"shareable": True}, True),
    ],
)
def test_an_edit_raises_trust_only_where_it_gives_more(more: dict[str, object], raised: bool) -> None:
    edited = replace(KNOWN, **more)  # type: ignore[arg-type]
    assert raises_trust(edited, Placed(KNOWN, PATH), PATH) is raised


def test_of_two_equal_blocks_without_an_id_one_gets_the_lost_id_back() -> None:
    document = parse(b'{"blocks": [{"payload": "use rg"}, {"payload": "use rg"}]}', PATH)
    before = {KNOWN.id: Placed(KNOWN, PATH)}
    adoption = adopt(document, read_blocks(document)[0], before, (), NOW, lambda _: "exp-bbbb2222")
    assert (adoption.changed, adoption.new, adoption.gone) == (("exp-aaaa2222",), ("exp-bbbb2222",), ())
