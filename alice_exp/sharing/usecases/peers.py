"""The exchange between two paired Alices, both the asking and the answering side (R2.32, R2.45-R2.48, B2.38).

Three verbs, each a request with a response: ``hello`` (protocol version), ``take`` (a page of the other side's offers,
and its revocations), ``offer`` (a page of our offers, and our revocations). A response tells the other side what is
wrong with what it sent, but never what this home knows, holds in personal, or has rejected.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain
from typing import Any, cast

from alice_exp.caller.acting import Acting, Caller, require_person
from alice_exp.home.file_home import Home
from alice_exp.home.session import Session
from alice_exp.kernel.errors import AliceError, PeerError
from alice_exp.kernel.journal.act import Act, Actor, Commit, Op
from alice_exp.kernel.jsonc import Json
from alice_exp.kernel.value_class import dataclass, sha256
from alice_exp.model.values.block import PLACES, place_of
from alice_exp.model.values.snapshot import ChangeSet, Snapshot
from alice_exp.sharing.rules import peer_exchange
from alice_exp.sharing.rules.bundle import Disclosure, Message, Peer, Received, Refusal
from alice_exp.sharing.rules.peer_exchange import Mark, Offering, Withdrawal
from alice_exp.sharing.store.peer_identity import peers, shares
from alice_exp.sharing.store.tls_transport import TlsLink
from alice_exp.sharing.usecases import bundles
from alice_exp.sharing.usecases.bundles import TakenIn

VERSION = 1
MOST_PAGES = 64
"""Maximum pages that one side takes."""


@dataclass(frozen=True, slots=True)
class Exchanged:
    """Result of an exchange on this side: offered, withheld though allowed, taken in, refused by the other side.

    ``revoked`` are blocks of this home affected by the peer's revocations.
    """

    peer: str
    offered: tuple[str, ...] = ()
    withheld: tuple[Refusal, ...] = ()
    taken: TakenIn | None = None
    refused_there: tuple[tuple[str, str], ...] = ()
    revoked: tuple[str, ...] = ()

    def with_taken(self, taken: TakenIn, revoked: Sequence[str]) -> Exchanged:
        """This result with another page taken in."""
        before = self.taken
        if before is not None:
            names = ("candidates", "merged", "noted", "refused")
            both: dict[str, Any] = {one: (*getattr(before, one), *getattr(taken, one)) for one in names}
            commit, unchanged = taken.commit or before.commit, before.unchanged + taken.unchanged
            taken = replace(taken, **both, unchanged=unchanged, commit=commit)
        return replace(self, taken=taken, revoked=(*self.revoked, *revoked))


def offered(home: Home) -> Offering:
    """What an exchange would offer at the moment."""
    return peer_exchange.offering(home.read(["universal"]))


def exchange(session: Session, peer: Peer, link: TlsLink) -> Exchanged:
    """Take a peer's offers, then offer ours; repeating it changes nothing. What comes in is the peer's act.

    Raises ``PeerError`` if the peer fails; what was taken in by then stays.
    """
    hello = link.ask({"verb": "hello", "version": VERSION})
    if hello.get("version") != VERSION:
        raise PeerError(
            "the peer speaks version {version} of the exchange; this is version {known}",
            version=repr(hello.get("version"))[:20],
            known=VERSION,
        )
    first = link.ask({"verb": "take", "page": 0})
    count = min(_whole(first.get("pages"), 1), MOST_PAGES)
    marks = peer_exchange.read_revocations(first.get("revoked"))
    # Each is looked at before the next is asked for.
    answers = chain([first], (link.ask({"verb": "take", "page": page}) for page in range(1, count)))
    pages = (peer_exchange.incoming(one.get("bundle"), peer.name) for one in answers)
    received = peer_exchange.joined(peer.name, pages)
    taken, gone = take_in(session.home, _caller(session, peer), received, marks)
    return _offer(session, peer, link, Exchanged(peer.name).with_taken(taken, gone))


def _caller(session: Session, peer: Peer) -> Caller:
    return replace(session.caller, acting=Acting.of(Actor("peer", peer.name)))


def _offer(session: Session, peer: Peer, link: TlsLink, done: Exchanged) -> Exchanged:
    ours = offered(session.home)
    revoked = _revocations(session, peer, ours)
    refused: list[tuple[str, str]] = []
    for number, page in enumerate(peer_exchange.pages(shares(session).name(), ours.items)):
        _disclose(session, peer, page)
        answer = link.ask(
            {"verb": "offer", "bundle": page, "revoked": [list(mark) for mark in revoked if not number]}
        )
        rows = answer.get("refused")
        refused += [
            (str(row.get("id", ""))[:80], str(row.get("why", ""))[:300])
            for row in (rows if isinstance(rows, list) else [])[: peer_exchange.MOST_TAKEN]
            if isinstance(row, dict)
        ]
    ids = tuple(str(item["id"]) for item in ours.items)
    return replace(done, offered=ids, withheld=ours.withheld, refused_there=tuple(refused))


def _revocations(session: Session, peer: Peer, ours: Offering) -> tuple[Mark, ...]:
    """What this peer was sent and would not be sent today; none while sharing is off."""
    if not session.home.config().flag("sharing.enabled"):
        return ()
    return peer_exchange.revocations(sent(session, peer), peer_exchange.marks_of(ours.items))


def sent(session: Session, peer: Peer) -> list[Mark]:
    """Id and content hash of each block that a peer was sent, the oldest first."""
    return [mark for row in shares(session).log() if row.to == _recipient(peer) for mark in row.blocks]


def _recipient(peer: Peer) -> str:
    """A peer as the disclosure log names it: its name here and the first 16 digits of its id."""
    return f"{peer.name} {peer.id[:16]}"


def _disclose(session: Session, peer: Peer, page: Mapping[str, Json]) -> None:
    items = cast("list[Mapping[str, Json]]", page["blocks"])
    if items:
        text = json.dumps(page, ensure_ascii=False, separators=(",", ":"))
        digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        marks = peer_exchange.marks_of(items)
        shares(session).record(Disclosure(session.caller.now, _recipient(peer), "peer", digest, marks))


def _whole(value: Json, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise PeerError("what came is not a message")
    return value


def take_in(
    home: Home, caller: Caller, received: Received, revoked: Sequence[Mark]
) -> tuple[TakenIn, tuple[str, ...]]:
    """Apply a peer's revocations, then its offers; also returns the ids that the revocations affected."""
    name = received.name
    gone, _ = _withdraw(
        home, caller, name, lambda seen: peer_exchange.withdrawn(seen, name, revoked, caller.now)
    )
    let_in = peer_exchange.admitted(received, home.read(PLACES))
    if not let_in.offers:
        return TakenIn(name, refused=let_in.refused), gone.names
    return bundles.take_in(home, caller, let_in), gone.names


def _withdraw(
    home: Home, caller: Caller, name: str, decide: Callable[[Snapshot], Withdrawal], op: Op = "share"
) -> tuple[Withdrawal, Commit | None]:
    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, Withdrawal]:
        gone = decide(snapshot)
        if not gone.names:
            return None, gone
        detail = f"{name} takes back" if op == "share" else f"{name} and what it shared"
        # What a person had approved may have lost what it rested on: the next report says so.
        trusted = (put.block.id for put in gone.puts if place_of(put.path) in ("personal", "universal"))
        trailers = (("Source", name), *(("Revoked", block_id) for block_id in trusted))
        act = Act(op, caller.actor, caller.now, gone.names, detail, trailers)
        return ChangeSet(act, gone.puts, gone.removes), gone

    commit, answer = home.apply(plan, PLACES)
    return answer, commit


def forget(
    session: Session, name: str, *, and_their_blocks: bool = False
) -> tuple[Withdrawal, Commit | None]:
    """Stop trusting a peer; with ``and_their_blocks`` also undo all that came from it, in one commit.

    Candidates are removed, approved blocks archived, counts it raised fall back. ``undo`` reverts that.
    """
    caller = session.caller
    require_person(caller, "forget a peer", f"alice-exp peer forget {name}")
    peer = peers(session).find(name)
    peers(session).forget(peer)
    if not and_their_blocks:
        return Withdrawal(), None
    return _withdraw(
        session.home,
        caller,
        peer.name,
        lambda seen: peer_exchange.taken_back(seen, peer.name, caller.now),
        "forget",
    )


@dataclass
class Host:
    """The answering side: handles a peer's messages one at a time and collects the result of each exchange.

    Errors of our own go to ``warn``; the peer learns no details.
    """

    session: Session
    warn: Callable[[AliceError], None]
    open: dict[str, Exchanged] = field(default_factory=dict)

    def answer(self, peer: Peer, message: Message) -> Message:
        """The response to one message; ``{"error": …}`` if it cannot be answered."""
        done = self.open.get(peer.id, Exchanged(peer.name))
        try:
            answer, self.open[peer.id] = self._answered(peer, message, done)
        except PeerError as error:
            return {"error": str(error)}
        except AliceError as error:
            self.warn(error)
            return {"error": "this Alice cannot answer now"}
        return answer

    def close(self, peer: Peer) -> Exchanged:
        """End the exchange with a peer; returns its result."""
        return self.open.pop(peer.id, Exchanged(peer.name))

    def _answered(self, peer: Peer, message: Message, done: Exchanged) -> tuple[Message, Exchanged]:
        verb = message.get("verb")
        if verb == "hello":
            return {"version": VERSION}, done
        if verb == "take":
            return self._taken(peer, message, done)
        if verb == "offer":
            received = peer_exchange.incoming(message.get("bundle"), peer.name)
            marks = peer_exchange.read_revocations(message.get("revoked"))
            taken, revoked = take_in(self.session.home, _caller(self.session, peer), received, marks)
            said: list[Json] = [
                {"id": which, "why": why.format(**values) if values else why}
                for which, why, values in received.refused
            ]
            return {"taken": len(received.offers), "refused": said}, done.with_taken(taken, revoked)
        raise PeerError("unknown verb of the exchange")

    def _taken(self, peer: Peer, message: Message, done: Exchanged) -> tuple[Message, Exchanged]:
        ours = offered(self.session.home)
        cut = peer_exchange.pages(shares(self.session).name(), ours.items)
        number = _whole(message.get("page"), 0)
        if number >= len(cut):
            raise PeerError("this page does not exist")
        page = cut[number]
        _disclose(self.session, peer, page)
        revoked = _revocations(self.session, peer, ours) if number == 0 else ()
        ids = [item["id"] for item in cast("list[Mapping[str, str]]", page["blocks"])]
        answer: Message = {"bundle": page, "pages": len(cut), "revoked": [list(mark) for mark in revoked]}
        return answer, replace(done, offered=(*done.offered, *ids), withheld=ours.withheld)
