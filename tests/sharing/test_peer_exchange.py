"""What an exchange offers, lets in and takes back, without a network and without a home (R2.45-R2.48, B2.38)."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alice_exp.kernel.errors import PeerError
from alice_exp.model.values.block import Block, Payload, Trigger, content_hash
from alice_exp.model.values.config import Config
from alice_exp.model.values.snapshot import NamespaceFile, Snapshot
from alice_exp.sharing.rules import peer_exchange
from alice_exp.sharing.rules.bundle import Offer, candidate, merged
from tests.approvals import approved

NOW = "2026-02-20T09:00:00Z"
ON = Config({"sharing.enabled": True})


def block(number: int, payload: str = "", **more: Any) -> Block:
    """A block that may leave."""
    word = "".join("abcdefghij"[int(digit)] for digit in f"{number:08d}")
    made = Block(f"exp-{word}", Payload(payload or f"use tool {number}"), Trigger("searching"))
    fields: dict[str, Any] = {
        "state": "reliable",
        "verifications": 60,
        "verifications_local": 60,
        "shareable": True,
    }
    made = replace(made, **{**fields, **more})
    return approved(made, "universal/tools.jsonc", NOW)


def seen(*blocks: Block, path: str = "universal/tools.jsonc", config: Config = ON) -> Snapshot:
    return Snapshot((NamespaceFile(path, blocks),), config=config)


@given(st.lists(st.integers(1, 300_000), max_size=12))
def test_pages_hold_everything_once_and_fit_into_messages(sizes: list[int]) -> None:
    items = [{"id": f"{number}", "payload": "x" * size} for number, size in enumerate(sizes)]
    cut = peer_exchange.pages("alice_a", items)
    assert [one for page in cut for one in page["blocks"]] == items  # type: ignore[union-attr]
    for page in cut:
        blocks = page["blocks"]
        assert isinstance(blocks, list)
        assert len(blocks) <= 1 or sum(len(str(one)) for one in blocks) <= peer_exchange.PAGE + 100


def test_what_came_goes_by_the_name_that_the_peer_has_here() -> None:
    page = peer_exchange.pages("alice_mallory", peer_exchange.offering(seen(block(1))).items)[0]
    received = peer_exchange.incoming(page, "alice_bob")
    assert received.name == "alice_bob"
    assert candidate(received.offers[0], received.name, "exp-aaaaaaaa", NOW).origin == "shared_from_alice_bob"
    with pytest.raises(PeerError):
        peer_exchange.incoming([], "alice_bob")


def received(count: int) -> Any:
    return peer_exchange.Received("alice_bob", tuple(Offer(block(number), 60) for number in range(count)))


def test_what_is_offered_twice_counts_once() -> None:
    twice = replace(received(1), offers=received(1).offers * 2)
    let_in = peer_exchange.admitted(twice, seen())
    assert len(let_in.offers) == 1
    assert [why for _, why, _ in let_in.refused] == ["it was offered twice"]


def test_no_more_wait_than_a_person_reads_but_what_is_known_always_comes_in() -> None:
    known = block(1199)
    let_in = peer_exchange.admitted(received(1200), seen(known))
    assert len(let_in.offers) == peer_exchange.MOST_WAITING + 1
    assert let_in.offers[-1].block.id == known.id
    assert len(let_in.refused) == 1200 - peer_exchange.MOST_WAITING - 1


def test_what_was_refuted_here_does_not_come_back_with_a_peer() -> None:
    refuted = block(0, state="obsolete")
    let_in = peer_exchange.admitted(received(2), seen(refuted, path="archive/obsolete.jsonc"))
    assert [offer.block.id for offer in let_in.offers] == [block(1).id]
    assert let_in.refused == ((refuted.id, "this is obsolete here, as {id}", {"id": refuted.id}),)


def test_a_revocation_is_what_was_sent_and_would_not_be_sent_now() -> None:
    sent = [("exp-a", "1"), ("exp-b", "2"), ("exp-a", "1"), ("exp-c", "3")]
    assert peer_exchange.revocations(sent, [("exp-b", "2"), ("exp-c", "4")]) == (
        ("exp-a", "1"),
        ("exp-c", "3"),
    )


def marked(own: Block) -> peer_exchange.Mark:
    return block(1).id, content_hash(own)


@pytest.mark.parametrize("own", [12, 0])
def test_a_count_falls_back_to_what_was_verified_here(own: int) -> None:
    mine = block(5, "use tool 1", verifications=own, verifications_local=own)
    raised = merged(mine, Offer(block(1), 72), "alice_bob", NOW)
    assert raised is not None
    assert raised.verifications == 72
    lived = replace(raised, verifications=75, verifications_local=own + 3)
    gone = peer_exchange.withdrawn(seen(lived), "alice_bob", [marked(lived)], NOW)
    after = gone.puts[0].block
    assert after.verifications == own + 3
    assert after.open_failures == {"revoked-by-alice_bob": NOW}
    assert peer_exchange.withdrawn(seen(after), "alice_bob", [marked(lived)], NOW).names == ()


def test_others_who_claim_the_same_still_count() -> None:
    mine = block(5, "use tool 1", verifications=12, verifications_local=12)
    once = merged(mine, Offer(block(1), 60), "alice_carl", NOW)
    assert once is not None
    twice = merged(once, Offer(block(1), 72), "alice_bob", NOW)
    assert twice is not None
    gone = peer_exchange.withdrawn(seen(twice), "alice_bob", [marked(twice)], NOW)
    assert gone.puts[0].block.verifications == 60


def test_a_candidate_goes_and_what_a_person_worded_anew_stays() -> None:
    waiting = candidate(Offer(block(1), 60), "alice_bob", "exp-aaaaaaaa", NOW)
    pool = "low_value_pool/pending_20260220.jsonc"
    assert peer_exchange.withdrawn(seen(waiting, path=pool), "alice_bob", [marked(waiting)], NOW).removes == (
        "exp-aaaaaaaa",
    )
    assert peer_exchange.withdrawn(seen(waiting, path=pool), "alice_carl", [marked(waiting)], NOW).names == ()
    anew = replace(waiting, payload=Payload("my own words"))
    assert peer_exchange.withdrawn(seen(anew, path=pool), "alice_bob", [marked(waiting)], NOW).names == ()


def test_all_that_came_from_a_peer_is_taken_back() -> None:
    waiting = candidate(Offer(block(1), 60), "alice_bob", "exp-aaaaaaaa", NOW)
    trusted = replace(block(2), origin="shared_from_alice_bob", verifications_local=0)
    raised = merged(block(3, verifications=12, verifications_local=12), Offer(block(3), 72), "alice_bob", NOW)
    assert raised is not None
    others = replace(block(4), origin="shared_from_alice_bobby")
    snapshot = Snapshot(
        (
            NamespaceFile("low_value_pool/pending_20260220.jsonc", (waiting,)),
            NamespaceFile("universal/tools.jsonc", (trusted, raised, others)),
        ),
        config=ON,
    )
    gone = peer_exchange.taken_back(snapshot, "alice_bob", NOW)
    assert gone.removes == ("exp-aaaaaaaa",)
    assert {put.block.id: put.path for put in gone.puts} == {
        trusted.id: "archive/obsolete.jsonc",
        raised.id: "universal/tools.jsonc",
    }
    assert next(put.block for put in gone.puts if put.block.id == raised.id).verifications == 12


def test_revocations_that_are_none_are_passed_over() -> None:
    assert peer_exchange.read_revocations(None) == ()
    good = ["exp-aaaaaaaa", "0" * 64]
    assert peer_exchange.read_revocations([good, ["../x", "0"], "no", [1, 2], ["exp-aaaaaaaa"]]) == (
        tuple(good),
    )
    for bad in ({}, [good] * (peer_exchange.MOST_REVOKED + 1)):
        with pytest.raises(PeerError):
            peer_exchange.read_revocations(bad)  # type: ignore[arg-type]
