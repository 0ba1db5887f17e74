"""An exchange: what leaves, what comes in, what is taken back (R2.45-R2.48, B2.37, B2.38)."""

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from alice_exp.kernel.errors import PeerError
from alice_exp.sharing.cli.peer_commands import _lines
from alice_exp.sharing.rules import peer_exchange
from alice_exp.sharing.rules.bundle import MOST_BLOCKS
from alice_exp.sharing.store.peer_identity import shares
from alice_exp.sharing.usecases.peers import Exchanged
from alice_exp.terminal.streams import MOST, PatientLines
from tests.case_tables import cases
from tests.conftest import Call
from tests.sharing.alices import MARKER, SUPER, Alice, asked, block, exchanged, line_of, made, serving

pytestmark = pytest.mark.needs("cryptography")


def test_both_learn_and_the_second_time_changes_nothing(ann: Alice, bob: Alice) -> None:
    done, there, _ = exchanged(bob, ann)
    assert done.taken is not None
    assert there.taken is not None
    assert [one.block.payload.content for one in done.taken.merged] == ["use ripgrep"]
    assert bob.find("use ripgrep").verifications == 72
    assert bob.find("use ripgrep").verifications_local == 12
    learned = ann.find("use fd")
    assert (learned.state, learned.verifications, learned.origin) == ("possible", 0, "shared_from_alice_bob")
    assert any("72 verified there: a claim of alice_bob" in piece.quote for piece in learned.evidence)
    assert not learned.shareable
    assert [p.path for p in ann.blocks("low_value") if p.block.id == learned.id] == [
        "low_value_pool/pending_20260220.jsonc"
    ]
    before = ann.commits(), bob.commits()
    exchanged(bob, ann)
    exchanged(ann, bob)
    assert (ann.commits(), bob.commits()) == before


def test_nothing_personal_is_in_anything_that_is_said(ann: Alice, bob: Alice) -> None:
    done, there, said = exchanged(bob, ann)
    assert b"use ripgrep" in said
    assert b"use fd" in said
    assert MARKER.encode() not in said
    assert {len(done.offered), len(there.offered)} == {1}
    assert [why for _, why, _ in done.withheld] == ["{id} does not leave: {place} holds {what} ({start})"]


def test_what_left_is_written_down_before_it_leaves(ann: Alice, bob: Alice) -> None:
    done, _, _ = exchanged(bob, ann)
    rows = shares(bob.session).log()
    assert [(row.way, row.to.split()[0]) for row in rows] == [("peer", "alice_ann")]
    assert [one for one, _ in rows[0].blocks] == list(done.offered)


@pytest.mark.covers("B2.37")
def test_while_sharing_is_off_nothing_leaves(world: Path, ann: Alice) -> None:
    shut = made(
        world / "shut", "alice_shut", {"universal/tool_usage": [block("use jq", **SUPER)]}, sharing=False
    )
    done, there, said = exchanged(shut, ann)
    assert done.offered == ()
    assert b"use jq" not in said
    assert done.taken is not None
    assert len(done.taken.candidates) == 1
    assert there.taken is not None
    assert there.taken.candidates == ()


def test_what_is_received_is_not_passed_on(world: Path, ann: Alice, bob: Alice, cli: Call) -> None:
    exchanged(bob, ann)
    learned = ann.find("use fd").id
    cli("heartbeat", env=ann.environment)
    cli("approve", learned, "--yes", env=ann.environment)
    cli("share", "allow", learned, "--yes", env=ann.environment)
    assert Alice("ann", ann.root).find("use fd").verifications == 72
    carl = made(world / "carl", "alice_carl", {})
    _, there, said = exchanged(carl, Alice("alice_ann", ann.root))
    assert b"use ripgrep" in said
    assert b"use fd" not in said
    assert len(there.offered) == 1


def test_a_revocation_travels_and_is_quiet_the_second_time(ann: Alice, bob: Alice, cli: Call) -> None:
    exchanged(bob, ann)
    cli("retire", bob.find("use fd").id, "--reason", "outdated", "--yes", env=bob.environment)
    cli("share", "deny", ann.find("use ripgrep").id, env=ann.environment)
    ann, bob = Alice(ann.name, ann.root), Alice(bob.name, bob.root)
    done, there, _ = exchanged(bob, ann)
    assert len(there.revoked) == 1
    assert not [one for one in ann.blocks() if one.block.payload.content == "use fd"]
    known = bob.find("use ripgrep")
    assert done.revoked == (known.id,)
    assert known.verifications == 12
    assert known.state == "reliable"
    assert "revoked-by-alice_ann" in known.open_failures
    report = cli("heartbeat", "--peek", "--json", env=bob.environment).json
    assert (known.id, "revoked") in [(row["id"], row["effect"]) for row in report["changed"]]
    before = ann.commits(), bob.commits()
    again, there, _ = exchanged(bob, ann)
    assert (again.revoked, there.revoked, (ann.commits(), bob.commits())) == ((), (), before)


def test_a_stranger_cannot_revoke_what_another_shared(world: Path, ann: Alice, bob: Alice) -> None:
    exchanged(bob, ann)
    learned = ann.find("use fd")
    carl = made(world / "carl", "alice_carl", {})
    back = ann.trusts(carl)
    mark = [bob.find("use fd").id, peer_exchange.content_hash(learned)]
    empty = peer_exchange.pages("alice_carl", ())[0]
    answer = ann.host().answer(back, {"verb": "offer", "bundle": empty, "revoked": [mark]})
    assert answer == {"taken": 0, "refused": []}
    assert ann.find("use fd") == learned


def test_forgetting_a_peer_with_its_blocks_takes_all_of_it_back(ann: Alice, bob: Alice, cli: Call) -> None:
    exchanged(bob, ann)
    gone = cli(
        "peer", "forget", "alice_ann", "--and-their-blocks", "--yes", "--json", env=bob.environment
    ).json
    bob = Alice(bob.name, bob.root)
    assert bob.find("use ripgrep").verifications == 12
    assert gone["changed"] == [bob.find("use ripgrep").id]
    cli("peer", "forget", "alice_bob", "--and-their-blocks", "--yes", env=ann.environment)
    ann = Alice(ann.name, ann.root)
    assert not [one for one in ann.blocks() if one.block.payload.content == "use fd"]
    assert ann.identity.all() == ()
    cli("undo", "--yes", env=ann.environment)
    assert Alice(ann.name, ann.root).find("use fd").origin == "shared_from_alice_bob"


def item(payload: str = "use sd", **more: Any) -> dict[str, Any]:
    from alice_exp.model.values.block import Block, Payload, Trigger, content_hash

    digest = content_hash(Block("exp-x", Payload(payload), Trigger("searching")))
    said = {"id": "exp-zzzzzzzz", "type": "fact", "trigger": "searching", "payload": payload}
    return {**said, "verifications": 60, "hash": digest, **more}


def test_what_lies_is_refused_by_itself_with_its_reason(ann: Alice, bob: Alice) -> None:
    """By the rules of a bundle, whose lies ``test_bundle`` lists."""
    bad, why = item(approved={"at": "x"}), '"approved" has no place in a bundle'
    back = ann.trusts(bob)
    page = {**peer_exchange.pages("alice_bob", ())[0], "from": "../../etc", "blocks": [bad, item()]}
    host = ann.host()
    answer = host.answer(back, {"verb": "offer", "bundle": page})
    assert answer["taken"] == 1
    refused = answer["refused"]
    assert isinstance(refused, list)
    assert [one["why"] for one in refused] == [why]  # type: ignore[index,call-overload]
    assert ann.find("use sd").origin == "shared_from_alice_bob"
    assert [one.path.split("/")[0] for one in ann.blocks() if "alice_bob" in one.block.origin] == [
        "low_value_pool"
    ]


def test_the_answer_does_not_tell_what_this_home_knows(ann: Alice, bob: Alice, cli: Call) -> None:
    rejected = cli("memorize", "use sd", "--when", "searching", "--json", env=ann.environment).json["id"]
    cli("heartbeat", env=ann.environment)
    cli("reject", rejected, "--yes", env=ann.environment)
    back = ann.trusts(bob)
    host = ann.host()

    def answer(payload: str) -> Any:
        page = {**peer_exchange.pages("alice_bob", ())[0], "blocks": [item(payload)]}
        return host.answer(back, {"verb": "offer", "bundle": page})

    new = answer("never heard of")
    assert answer("use sd") == answer(f"mine {MARKER}") == answer("use ripgrep") == new
    taken = host.close(back).taken
    assert taken is not None
    assert [why for _, why, _ in taken.refused] == ["this was rejected before, as {id}"]


@pytest.mark.parametrize(
    "message",
    [
        *cases(__file__, "test_what_is_no_message_changes_nothing"),
        {
            "verb": "offer",
            "bundle": {"format": "alice-exp bundle", "version": 1, "blocks": [{}] * (MOST_BLOCKS + 1)},
        },
        {"verb": "offer", "bundle": peer_exchange.pages("x", ())[0], "revoked": [["a", "b"]] * 2001},
    ],
    ids=lambda message: str(message)[:40],
)
def test_what_is_no_message_changes_nothing(ann: Alice, bob: Alice, message: dict[str, Any]) -> None:
    back, before = ann.trusts(bob), ann.commits()
    assert "error" in ann.host().answer(back, message)
    assert ann.commits() == before


def test_a_flood_is_cut_at_what_a_person_can_read(ann: Alice, bob: Alice) -> None:
    back, host = ann.trusts(bob), ann.host()
    page = {**peer_exchange.pages("x", ())[0], "blocks": [item(f"lesson {number}") for number in range(300)]}
    host.answer(back, {"verb": "offer", "bundle": page})
    host.answer(back, {"verb": "offer", "bundle": page})
    waiting = [one for one in ann.blocks("low_value") if one.block.origin == "shared_from_alice_bob"]
    assert len(waiting) == peer_exchange.MOST_WAITING
    taken = host.close(back).taken
    assert taken is not None
    assert {why for _, why, _ in taken.refused} == {"{most} blocks of this peer wait for a decision already"}


def test_two_processes_exchange_over_tls(
    ann: Alice, bob: Alice, start: Callable[..., Any], run: Call
) -> None:
    """Invite, join, serve, exchange: the whole story as a person has it."""
    inviting = start("peer", "invite", "--bind", "127.0.0.1", "--json", env=ann.environment)
    said = line_of(inviting, inviting.stderr, "peer join")
    code, port = re.search(r"join (\S+) .*HOST:(\d+)", said).groups()  # type: ignore[union-attr]
    joined = run("peer", "join", code, "--at", f"127.0.0.1:{port}", "--yes", "--json", env=bob.environment)
    assert joined.json["name"] == "alice_ann"
    out, _ = inviting.communicate(timeout=20)
    assert json.loads(out)["name"] == "alice_bob"
    serving_ = start("peer", "serve", "--bind", "127.0.0.1", "--for", "20s", "--json", env=ann.environment)
    listening = json.loads(line_of(serving_, serving_.stdout, "listening"))
    at = f"127.0.0.1:{listening['port']}"
    first = run("peer", "exchange", "alice_ann", "--at", at, "--json", env=bob.environment).json
    assert len(first["merged"]) == len(first["offered"]) == 1
    event = json.loads(line_of(serving_, serving_.stdout, "exchanged"))
    assert (event["event"], event["peer"], len(event["candidates"])) == ("exchanged", "alice_bob", 1)
    shown = run("peer", "show", "alice_ann", "--json", env=bob.environment).json
    assert shown["sent"] == first["offered"]
    assert run("peer", "exchange", "nobody", check=False, env=bob.environment).code == 4
    serving_.terminate()
    assert serving_.wait(10) == 0
    refused = run("peer", "exchange", "alice_ann", "--at", at, "--json", check=False, env=bob.environment)
    assert (refused.code, refused.error["code"]) == (8, "peer")
    for path in (ann.root / "identity").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


@pytest.mark.parametrize(
    "words", [("invite",), ("join", "7-k3m-x9p", "--yes"), ("exchange", "x"), ("serve",)]
)
def test_only_a_person_pairs_and_shares(home: Path, cli: Call, words: tuple[str, ...]) -> None:
    assert cli("peer", *words, "--actor", "agent", check=False).code == 6


def test_a_dry_run_asks_nobody(ann: Alice, bob: Alice, cli: Call) -> None:
    ann.trusts(bob)
    shown = cli("peer", "exchange", "alice_bob", "--dry-run", "--json", env=ann.environment).json
    assert [one["payload"] for one in shown["blocks"]] == ["use ripgrep"]
    assert shares(ann.session).log() == ()


def test_over_tls_and_a_peer_that_is_forgotten_gets_nothing_more(ann: Alice, bob: Alice) -> None:
    met: list[Any] = []
    peer, back = bob.trusts(ann), ann.trusts(bob)
    with serving(ann, met.append) as address:
        assert asked(bob, peer, address).taken is not None
        for _ in range(100):
            if met:
                break
            time.sleep(0.02)
        assert [one.peer for one in met] == ["alice_bob"]
        ann.identity.forget(back)
        with pytest.raises(PeerError, match="before it began"):
            asked(bob, peer, address)
    assert (
        subprocess.run(
            ["git", "-C", str(ann.root / "experiences"), "fsck", "--strict", "--no-dangling"],
            capture_output=True,
        ).stdout
        == b""
    )


def test_serving_goes_on_though_nobody_reads_what_it_says(ann: Alice, bob: Alice, run: Call) -> None:
    bob.trusts(ann)
    ann.trusts(bob)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = str(probe.getsockname()[1])
    read, full = os.pipe()
    os.set_blocking(full, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(full, b"x" * 4096)
    os.set_blocking(full, True)
    words = ["peer", "serve", "--bind", "127.0.0.1", "--port", port, "--for", "60s"]
    env = dict(os.environ) | ann.environment
    serving_ = subprocess.Popen(
        [sys.executable, "-m", "alice_exp", *words], stdout=full, stderr=subprocess.DEVNULL, env=env
    )
    try:
        for _ in range(2):
            for _ in range(60):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", int(port)), 5):
                    break
                time.sleep(0.25)
            done = run(
                "peer", "exchange", "alice_ann", "--at", f"127.0.0.1:{port}", "--json", env=bob.environment
            )
            assert done.json["peer"] == "alice_ann"
        serving_.terminate()
        assert serving_.wait(20) == 0
    finally:
        serving_.kill()
        serving_.wait()
        os.close(read)
        os.close(full)


def test_what_nobody_reads_is_counted() -> None:
    read, write = os.pipe()
    with os.fdopen(write, "w") as stream:
        lines = PatientLines(stream, lambda count: f"{count} left out\n")
        for _ in range(3 * MOST):
            lines.write("x" * 100 + "\n")
        seen = b""
        while b"left out" not in seen:
            seen += os.read(read, 1 << 20)
            lines.write("more\n")
        lines.close()
    os.close(read)
    assert re.search(rb"\n[1-9]\d* left out\n", seen)


def test_each_kind_of_refusal_is_told_once_while_serving() -> None:
    rows = tuple((f"exp-aaaaaaa{n}", why, {"most": 3}) for n in (2, 3) for why in ("one {most}", "two"))
    done = Exchanged("bob", (), rows)
    heard: set[tuple[str, str]] = set()
    first = [line for line in _lines(done, heard) if "stays here" in line]
    assert [line.split()[0] for line in first] == ["exp-aaaaaaa2", "exp-aaaaaaa2"]
    assert not [line for line in _lines(done, heard) if "stays here" in line]
    assert len([line for line in _lines(done) if "stays here" in line]) == 4
