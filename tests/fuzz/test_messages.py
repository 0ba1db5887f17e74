"""Bundles, wire messages and MCP arguments that nobody meant: refused with a sentence, and nothing becomes trusted."""

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from alice_exp.agents import operations
from alice_exp.agents.operations import Connection, call
from alice_exp.agents.tool_schema import signature
from alice_exp.app.opening import open_session
from alice_exp.kernel.errors import AliceError, PeerError, ProblemError
from alice_exp.kernel.journal.act import Actor
from alice_exp.model.values.block import PLACES, is_approved
from alice_exp.sharing.rules.bundle import MOST_CLAIMED, MOST_TEXT, Peer, read_bundle
from alice_exp.sharing.rules.peer_exchange import incoming, read_revocations
from alice_exp.sharing.usecases import bundles as sharing
from alice_exp.sharing.usecases.peers import Host
from tests.case_tables import cases
from tests.fuzz import SCALE

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-2, 10**6)
    | st.just(10**400)
    | st.floats(allow_nan=False)
    | st.text(max_size=12)
    | st.sampled_from(
        ["exp-aaaaaaa2", "bob", "fact", "rule", "x" * 20_000, "\u202e", "\ud800", "2026-02-20T09:00:00Z"]
    )
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
GOOD = {**dict(cases(__file__, "GOOD")), "hash": "0" * 64}
MORE = cases(__file__, "MORE")


@st.composite
def items(draw: st.DrawFn) -> Any:
    """A block of a bundle with some of its fields replaced, dropped or added."""
    item: dict[str, Any] = dict(GOOD)
    for _ in range(draw(st.integers(0, 3))):
        name = draw(st.sampled_from([*GOOD, *MORE]))
        if draw(st.booleans()):
            item[name] = draw(ANYTHING)
        else:
            item.pop(name, None)
    return draw(st.sampled_from([item, item, item, draw(ANYTHING)]))


@st.composite
def bundles(draw: st.DrawFn) -> Any:
    page: dict[str, Any] = {"format": "alice-exp bundle", "version": 1, "from": "bob"}
    page["blocks"] = draw(st.lists(items(), max_size=3) | ANYTHING)
    if draw(st.integers(0, 4)) == 0:
        page[draw(st.sampled_from([*page, "extra"]))] = draw(ANYTHING)
    return draw(st.sampled_from([page, page, page, draw(ANYTHING)]))


@settings(max_examples=250 * SCALE, deadline=None)
@given(bundles())
def test_what_comes_in_is_a_claim_and_no_more(value: Any) -> None:
    try:
        received = read_bundle(value)
    except ProblemError as refusal:
        assert str(refusal).strip()
        return
    for offer in received.offers:
        block = offer.block
        assert (block.about, block.state, block.approved, block.shareable) == (
            "work",
            "possible",
            None,
            False,
        )
        assert block.verifications == block.verifications_local == block.access_count == 0
        assert 0 <= offer.claimed <= MOST_CLAIMED and block.payload.content.strip()
        assert len(block.payload.content) + len(block.trigger.text) <= MOST_TEXT
        assert "\u202e" not in json.dumps([block.payload.content, block.trigger.text])
        json.dumps(block.payload.content, ensure_ascii=False).encode()
    for which, why, values in received.refused:
        assert which and why.format(**values)


@settings(max_examples=150 * SCALE, deadline=None)
@given(bundles() | ANYTHING, ANYTHING)
def test_what_a_peer_offers_is_read_or_refused(value: Any, marks: Any) -> None:
    try:
        assert incoming(value, "bob").name == "bob"
        assert all(len(mark) == 2 for mark in read_revocations(marks))
    except (PeerError, ProblemError) as refusal:
        assert str(refusal).strip()


@settings(max_examples=150 * SCALE, deadline=None)
@given(st.binary(max_size=60) | bundles().map(lambda value: json.dumps(value).encode()))
def test_a_line_is_a_message_or_refused(line: bytes) -> None:
    wire = pytest.importorskip("alice_exp.sharing.store.tls_transport")
    try:
        message = wire.decoded(line)
    except PeerError:
        return
    assert isinstance(message, dict)
    assert wire.decoded(wire.encoded(message)) == message
    try:
        assert sharing.received(line, "it") is not None
    except ProblemError as refusal:
        assert str(refusal).strip()


MESSAGES = st.fixed_dictionaries(
    {"verb": st.sampled_from(["hello", "take", "offer", "approve", ""]) | ANYTHING},
    optional={
        "page": st.integers(-1, 3) | ANYTHING,
        "bundle": bundles(),
        "revoked": ANYTHING,
        "version": ANYTHING,
    },
)


@settings(max_examples=60 * SCALE, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(MESSAGES, max_size=3))
def test_a_host_answers_any_message_and_trusts_none(home: Path, messages: list[Any]) -> None:
    w = open_session(str(home), "user")
    peer = Peer("bob", "0" * 64, "", "2026-02-20T09:00:00Z")
    said: list[AliceError] = []
    host = Host(w, said.append)
    for message in messages:
        answer = host.answer(peer, message)
        assert isinstance(json.dumps(answer), str) and answer
    host.close(peer)
    assert [placed for placed in w.home.read(PLACES) if is_approved(placed)] == []
    assert {placed.place for placed in w.home.read(PLACES)} <= {"low_value"}


TOOLS = {name: tuple(signature(tool.run).parameters) for name, tool in operations.TOOLS.items()}
FITTING = {
    **dict.fromkeys(
        ("query", "task", "topic", "payload", "trigger", "evidence", "note", "thought"), st.text(max_size=20)
    ),
    **dict.fromkeys(("context", "metadata"), st.dictionaries(st.text(max_size=5), ANYTHING, max_size=3)),
    **dict.fromkeys(("ok", "success"), st.booleans()),
    "top": st.integers(-3, 10**9),
    "type": st.sampled_from(["fact", "rule", "nothing"]),
    "about": st.sampled_from(["work", "user", "all"]),
    "tags": st.lists(st.text(max_size=5), max_size=3),
    "id": st.sampled_from(["exp-aaaaaaa2", "dec-aaaaaaa2", "", "../etc", "exp-"]),
    "reward": st.floats(),
    "importance": st.floats(),
}


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    name = draw(st.sampled_from(sorted(TOOLS)))
    chosen = [one for one in TOOLS[name] if draw(st.integers(0, 3))]
    return name, {one: draw(st.one_of(FITTING.get(one, ANYTHING), ANYTHING)) for one in chosen}


@settings(max_examples=13 * SCALE, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(calls(), min_size=1, max_size=8))
def test_any_arguments_of_a_tool_are_answered_or_refused(
    home: Path, asked: list[tuple[str, dict[str, Any]]]
) -> None:
    connection = Connection(open_session(str(home), str(Actor("agent", "fuzz"))))
    for name, arguments in asked:
        with contextlib.suppress(AliceError):
            json.dumps(call(connection, name, arguments), allow_nan=False)
    seen = open_session(str(home), "user").home.read(PLACES, records=True)
    assert [placed for placed in seen if is_approved(placed)] == []
    assert seen.problems == ()
