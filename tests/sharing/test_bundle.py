"""What may leave and what may come in, as rules (R2.46, R2.47, B2.37, B2.38)."""

import json
import random
import string
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alice_exp.kernel.errors import RefusedError
from alice_exp.model.rules.approval import accepted, claimed
from alice_exp.model.rules.lifecycle import level, outcome
from alice_exp.model.rules.secrets import findings
from alice_exp.model.values.block import Block, Evidence, Payload, Placed, Trigger, content_hash
from alice_exp.sharing.rules import bundle as bundles
from alice_exp.sharing.rules.bundle import beginning, bundle, candidate, lacks, merged, noted, read_bundle
from tests.approvals import approved
from tests.case_tables import cases

NOW = "2026-02-20T09:00:00Z"
PATH = "universal/tool_usage.jsonc"


def made(text: str = "use rg", **more: object) -> Block:
    block = Block(
        "exp-aaaa2222",
        Payload(text),
        Trigger("searching"),
        state="reliable",
        verifications=72,
        verifications_local=72,
        shareable=True,
    )
    block = replace(block, **more)  # type: ignore[arg-type]
    return approved(block, PATH, NOW)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"shareable": False}, PATH),
        ({"verifications_local": 49}, PATH),
        ({"verifications": 49}, PATH),
        ({"state": "past"}, PATH),
        ({"about": "user"}, PATH),
        ({}, "personal/habits.jsonc"),
        ({}, "low_value_pool/pending_20260220.jsonc"),
        ({}, "archive/obsolete.jsonc"),
    ],
)
@pytest.mark.covers("R2.48")
def test_each_condition_alone_keeps_a_block_here(change: dict[str, object], path: str) -> None:
    assert lacks(Placed(made(), PATH)) == ()
    placed = Placed(made(**change), path)
    assert lacks(placed)
    assert bundle("ann", [placed]).blocks == ()


def test_every_field_that_is_not_on_the_list_stays() -> None:
    marker = "stayshere"
    block = made(
        key=marker,
        related=("exp-bbbb2222",),
        replaces=("exp-cccc2222",),
        both=("exp-dddd2222",),
        extra={"x-mine": marker},
        suggested=f"universal/{marker}",
        origin=f"shared_from_{marker}",
        open_failures={},
    )
    text = bundle("ann", [Placed(block, f"universal/{marker}.jsonc")]).text
    assert not any(one in text for one in (marker, "exp-bbbb2222", "exp-cccc2222", "exp-dddd2222"))
    item = json.loads(text)["blocks"][0]
    assert set(item) <= set(bundles.FIELDS)
    known = {one.name for one in fields(Block)}
    assert set(bundles.FIELDS) - {"hash"} < known


def test_the_same_blocks_give_the_same_bytes_in_any_order() -> None:
    one, two = made(), replace(made("use fd"), id="exp-zzzz2222")
    places = [Placed(one, PATH), Placed(two, PATH)]
    assert bundle("ann", places).text == bundle("ann", reversed(places)).text


text = st.text(st.characters(codec="utf-8"), min_size=1, max_size=60).filter(lambda said: said.strip())


@given(text, text, st.lists(text, max_size=3), st.integers(50, 10**6))
def test_what_leaves_comes_in_as_it_left(payload: str, trigger: str, steps: list[str], count: int) -> None:
    block = made(
        payload=Payload(payload, steps=tuple(steps)),
        trigger=Trigger(trigger),
        verifications=count,
        verifications_local=count,
    )
    try:
        sent = bundle("ann", [Placed(block, PATH)])
    except RefusedError:
        return
    back = read_bundle(json.loads(sent.text))
    assert back.refused == () and back.name == "ann"
    assert content_hash(back.offers[0].block) == content_hash(block)
    assert back.offers[0].claimed == count


VALUE = json.loads(bundle("ann", [Placed(made(), PATH)]).text)


def offer(**change: object) -> bundles.Offer:
    value = {**VALUE, "blocks": [{**VALUE["blocks"][0], **change}]}
    received = read_bundle(value)
    assert not received.refused
    return received.offers[0]


@pytest.mark.parametrize(("ours", "theirs", "result"), [(12, 72, 72), (80, 72, 80), (72, 72, 72)])
@pytest.mark.covers("R2.47")
def test_the_higher_count_holds_and_again_changes_nothing(ours: int, theirs: int, result: int) -> None:
    """R2.47."""
    mine = made(verifications=ours, verifications_local=ours)
    new = merged(mine, offer(verifications=theirs), "ann", NOW)
    assert (new or mine).verifications == result
    assert (new is None) == (theirs <= ours)
    assert merged(new or mine, offer(verifications=theirs), "ann", NOW) is None
    assert (new or mine).verifications_local == ours and (new or mine).updated_at == mine.updated_at


def test_a_claim_gives_no_badge_and_raises_nothing() -> None:
    new = merged(made(verifications=12, verifications_local=12), offer(), "ann", NOW)
    assert new is not None and level(new) == "reliable"
    assert level(outcome(new, True, "here", NOW).block) == "reliable"
    heard = replace(new, state="past", verifications=999_999, verifications_local=0)
    assert level(outcome(heard, True, "here", NOW).block) == "past"


@pytest.mark.covers("B2.38")
def test_a_candidate_keeps_the_claim_as_evidence_and_takes_the_higher_count_when_approved() -> None:
    block = candidate(offer(), "ann", "exp-bbbb2222", NOW)
    assert (block.state, block.verifications, block.verifications_local) == ("possible", 0, 0)
    assert (block.origin, block.shareable, block.approved) == ("shared_from_ann", False, None)
    assert claimed(block) == claimed(block, "ann") == 72 and claimed(block, "bob") == 0
    assert (accepted(block).verifications, accepted(block).state) == (72, "possible")
    assert accepted(replace(block, verifications=80)).verifications == 80
    assert noted(block, offer(), "ann", NOW) is None
    more = noted(block, offer(verifications=90), "ann", NOW)
    assert more is not None and claimed(more) == 90
    second = noted(block, offer(verifications=60), "bob", NOW)
    assert second is not None and claimed(second) == 72


def test_neither_a_quote_that_looks_like_a_claim_nor_an_outcome_at_the_sender_counts_here() -> None:
    pieces = [
        {"kind": "claim", "quote": "999999 verified there"},
        {"kind": "outcome", "quote": "it was fast", "effect": "ok"},
    ]
    block = candidate(offer(evidence=pieces), "ann", "exp-bbbb2222", NOW)
    assert claimed(block) == 72
    assert [(one.kind, one.effect) for one in block.evidence] == [
        ("shared", ""),
        ("shared", ""),
        ("claim", ""),
    ]


@pytest.mark.parametrize(
    "change",
    [
        *cases(__file__, "test_what_lies_is_refused_and_the_rest_comes_in"),
        {"verifications": 10**9},
        {"hash": "0" * 64},
        {"payload": "x" * 20_000},
        {"evidence": [{"kind": "note"}] * 6},
    ],
)
def test_what_lies_is_refused_and_the_rest_comes_in(change: dict[str, object]) -> None:
    item = VALUE["blocks"][0]
    received = read_bundle({**VALUE, "blocks": [{**item, **change}, item]})
    assert len(received.offers) == 1 and len(received.refused) == 1
    which, why, values = received.refused[0]
    assert why.format(**values) and "\x1b" not in which and ".." not in which


HARMLESS = tuple(cases(__file__, "HARMLESS"))
HARMFUL = (*cases(__file__, "HARMFUL"), "ghp_" + "a1B2" * 9)


@pytest.mark.parametrize("said", HARMLESS)
def test_plain_words_may_leave(said: str) -> None:
    assert findings(f"do {said} now") == ()


@pytest.mark.parametrize("said", HARMFUL)
def test_a_secret_is_found_where_it_stands_and_not_repeated(said: str) -> None:
    whole = f"do {said} now"
    found = findings(whole)
    assert found and whole[found[0].start : found[0].end] in whole
    assert len(beginning(whole, found[0])) <= 5


def test_nearly_every_random_key_is_found() -> None:
    source = random.Random(2026)
    alphabets = {string.ascii_letters + string.digits: 32, string.hexdigits[:16]: 32}
    for alphabet, length in alphabets.items():
        keys = ["".join(source.choices(alphabet, k=length)) for _ in range(500)]
        assert sum(not findings(key) for key in keys) <= 10


def test_evidence_of_conversations_and_of_other_senders_stays() -> None:
    pieces = (
        Evidence("session", "s#1", quote="the person said"),
        Evidence("note", "s#3", quote="said too"),
        Evidence("shared", "bob", quote="bob said"),
        Evidence("claim", "bob/exp-dddd2222", quote="9 verified there"),
        Evidence("retired", quote="because of acme"),
        Evidence("outcome", "act-1", NOW, "it was fast", "acme", "ok"),
    )
    item = json.loads(bundle("ann", [Placed(made(evidence=pieces), PATH)]).text)["blocks"][0]
    assert item["evidence"] == [{"kind": "outcome", "at": NOW, "quote": "it was fast", "effect": "ok"}]
