"""What one exchange with a peer offers, what it lets in, and what a revocation takes back (R2.32, R2.45-R2.48, B2.38).

The form is the bundle's (``rules.bundle``), cut into pages that fit into messages; so are the rules. A revocation is
derived: what was sent to a peer and would not be sent as it was today.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from alice_exp.kernel.errors import PeerError, ProblemError, RefusedError
from alice_exp.model.formats.block_fields import ID
from alice_exp.model.rules.lifecycle import Thresholds
from alice_exp.model.rules.peer_claims import CLAIM, claimed
from alice_exp.model.values.block import EVIDENCE_KEPT, Archived, Evidence, content_hash, path_of
from alice_exp.model.values.changes import Put
from alice_exp.sharing.rules.bundle import (
    FORMAT,
    VERSION,
    Received,
    as_it_leaves,
    leaves,
    read_bundle,
    refuse_secrets,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from alice_exp.kernel.jsonc.problem import Json
    from alice_exp.model.values.block import Block, Placed
    from alice_exp.model.values.snapshot import Snapshot
    from alice_exp.sharing.rules.bundle import Offer

PAGE = 512 * 1024
"""Bytes of the blocks in one page, half of what a message may be."""

MOST_TAKEN = 1000
"""Blocks that one exchange takes from a peer."""

MOST_WAITING = 200
"""Candidates of one peer that wait for a decision at once: a person has to read them."""

MOST_REVOKED = 2000
"""Revocations in one exchange; the newest."""

REVOKED = "revoked"
"""Kind of the evidence that a sender stands behind a block no more."""

Mark = tuple[str, str]
"""A block as it was sent: the sender's id and the content hash (hex)."""


@dataclass(frozen=True, slots=True)
class Offering:
    """What leaves with an exchange, by id, and what stays though it is allowed: id and why (template, values)."""

    items: tuple[Mapping[str, Json], ...]
    withheld: tuple[tuple[str, str, Mapping[str, object]], ...] = ()

    @property
    def marks(self) -> tuple[Mark, ...]:
        """Each block with its content hash, for the log of what left."""
        return marks_of(self.items)


def marks_of(items: Iterable[Mapping[str, Json]]) -> tuple[Mark, ...]:
    """Id and content hash of items as a bundle says them."""
    return tuple((str(item["id"]), str(item["hash"])) for item in items)


def offering(snapshot: Snapshot) -> Offering:
    """All that may leave to a peer (R2.46), each as a bundle says it; nothing while ``sharing.enabled`` is off.

    A block that holds what looks like a secret stays, and the others go.
    """
    if not snapshot.config.flag("sharing.enabled"):
        return Offering(())
    thresholds = Thresholds.of(snapshot.config)
    items: list[Mapping[str, Json]] = []
    withheld: list[tuple[str, str, Mapping[str, object]]] = []
    going = (placed for placed in snapshot.within("universal") if leaves(placed, thresholds))
    for placed in sorted(going, key=lambda one: one.block.id):
        item = as_it_leaves(placed.block)
        try:
            refuse_secrets(item)
        except RefusedError as why:
            withheld.append((placed.block.id, why.template, why.values))
        else:
            items.append(item)
    return Offering(tuple(items), tuple(withheld))


def pages(name: str, items: Sequence[Mapping[str, Json]]) -> tuple[dict[str, Json], ...]:
    """The items as bundles of at most ``PAGE`` bytes of blocks each (at least one block), one empty one for none."""
    cut: list[list[Json]] = [[]]
    size = 0
    for item in items:
        length = len(json.dumps(item, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        if cut[-1] and size + length > PAGE:
            cut.append([])
            size = 0
        cut[-1].append(dict(item))
        size += length
    return tuple({"format": FORMAT, "version": VERSION, "from": name, "blocks": blocks} for blocks in cut)


def revocations(sent: Iterable[Mark], now: Iterable[Mark]) -> tuple[Mark, ...]:
    """What was sent and is not what would be sent today, newest last, at most ``MOST_REVOKED``."""
    present = set(now)
    return tuple(dict.fromkeys(mark for mark in sent if mark not in present))[-MOST_REVOKED:]


# -- coming in ------------------------------------------------------------------------------------------------------


def incoming(value: Json, name: str) -> Received:
    """A page as it came, under the name that the peer has here, whatever it calls itself.

    ``PeerError`` where it is no bundle; what is wrong with one block refuses that block alone.
    """
    if not isinstance(value, dict):
        raise PeerError("what the peer offers is no bundle")
    try:
        return read_bundle({**value, "from": name})
    except ProblemError as error:
        raise PeerError("{why}", why=str(error)) from error


def joined(name: str, received: Iterable[Received]) -> Received:
    """Several pages as one."""
    known = tuple(received)
    return Received(
        name,
        tuple(offer for one in known for offer in one.offers),
        tuple(row for one in known for row in one.refused),
    )


def admitted(received: Received, snapshot: Snapshot) -> Received:
    """The part that is let in: each content once, ``MOST_TAKEN`` at most, and no more that wait than a person reads.

    What was refuted or retired here does not come back with a peer.
    """
    origin = f"shared_from_{received.name}"
    room = MOST_WAITING - sum(placed.block.origin == origin for placed in snapshot.within("low_value"))
    known = {content_hash(placed.block) for placed in snapshot.within("universal", "low_value")}
    offers: list[Offer] = []
    refused = list(received.refused)
    gone = {
        content_hash(p.block): p.block.id for p in snapshot.within("archive") if p.namespace == "obsolete"
    }
    seen: set[str] = set()
    for offer in received.offers:
        digest = content_hash(offer.block)
        if digest in seen:
            refused.append((offer.block.id, "it was offered twice", {}))
            continue
        seen.add(digest)
        if digest in gone and digest not in known:
            refused.append((offer.block.id, "this is obsolete here, as {id}", {"id": gone[digest]}))
        elif len(offers) >= MOST_TAKEN:
            refused.append((offer.block.id, "{most} blocks are taken at once", {"most": MOST_TAKEN}))
        elif digest not in known and room <= 0:
            why = "{most} blocks of this peer wait for a decision already"
            refused.append((offer.block.id, why, {"most": MOST_WAITING}))
        else:
            room -= digest not in known
            offers.append(offer)
    return replace(received, offers=tuple(offers), refused=tuple(refused))


def read_revocations(value: Json) -> tuple[Mark, ...]:
    """The revocations of a message, those that are none passed over; ``PeerError`` where there are too many."""
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) > MOST_REVOKED:
        raise PeerError("a list of revocations has {most} entries at most", most=MOST_REVOKED)
    marks = (one for one in value if isinstance(one, list) and len(one) == 2)
    return tuple(
        (block_id, digest)
        for block_id, digest in marks
        if isinstance(block_id, str) and ID.fullmatch(block_id) and isinstance(digest, str)
    )


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """What goes when a sender stands behind blocks no more: blocks as they shall be, ids to be gone."""

    puts: tuple[Put, ...] = ()
    removes: tuple[str, ...] = ()
    names: tuple[str, ...] = field(default=())
    """The ids of all of them."""


def withdrawn(snapshot: Snapshot, name: str, revoked: Iterable[Mark], now: str) -> Withdrawal:
    """What a peer's revocation does here; the same one again does nothing.

    A candidate that came from this peer and that nobody else claims goes (git keeps it). Where a person approved the
    block, or it is one's own, it stays: the claim becomes the evidence that it was withdrawn, the count falls back to
    what is verified here or claimed by others, and a reliable block asks for a look (B2.8). What a person has worded
    anew since is not what was revoked.
    """
    wanted: dict[str, list[str]] = {}
    for block_id, digest in revoked:
        wanted.setdefault(digest, []).append(block_id)
    found = [
        (placed, block_id)
        for placed in snapshot.within("low_value", "universal", "personal")
        for block_id in wanted.get(content_hash(placed.block), ())
        if _is_of(placed.block, name, block_id)
    ]
    return _gathered(_without_claim(placed, name, block_id, now) for placed, block_id in found)


def taken_back(snapshot: Snapshot, name: str, now: str) -> Withdrawal:
    """All that came from a peer goes: candidates are removed, approved blocks archived, its claims withdrawn."""
    return _gathered(_forgotten(snapshot, name, now))


def _forgotten(snapshot: Snapshot, name: str, now: str) -> Iterator[Put | str]:
    for placed in snapshot.within("low_value", "universal", "personal"):
        block = placed.block
        if block.origin != f"shared_from_{name}":
            if any(_is_claim(piece, name) for piece in block.evidence):
                yield _without_claim(placed, name, "", now)
        elif placed.place == "low_value":
            yield block.id
        else:
            origin = f"{placed.place}/{placed.namespace}"
            why = Evidence(REVOKED, ref=name, at=now, quote=f"{name} was forgotten with all that it shared")
            gone = replace(
                block,
                state="obsolete",
                evidence=(*block.evidence, why)[-EVIDENCE_KEPT:],
                archived=Archived(origin, now, "obsolete"),
                updated_at=now,
            )
            yield Put(gone, path_of("archive", "obsolete"))


def _gathered(changes: Iterable[Put | str]) -> Withdrawal:
    listed = tuple(changes)
    puts = tuple(one for one in listed if isinstance(one, Put))
    removes = tuple(one for one in listed if isinstance(one, str))
    return Withdrawal(puts, removes, (*(put.block.id for put in puts), *removes))


def _is_claim(piece: Evidence, name: str, block_id: str = "") -> bool:
    if piece.kind != CLAIM:
        return False
    return piece.ref == f"{name}/{block_id}" if block_id else piece.ref.startswith(f"{name}/")


def _is_of(block: Block, name: str, block_id: str) -> bool:
    """Whether a peer's word stands behind the block: its claim, or its origin where the claim is long past."""
    if any(_is_claim(piece, name, block_id) for piece in block.evidence):
        return True
    is_told = any(piece.kind == REVOKED and piece.ref == f"{name}/{block_id}" for piece in block.evidence)
    return block.origin == f"shared_from_{name}" and not is_told


def _without_claim(placed: Placed, name: str, block_id: str, now: str) -> Put | str:
    block = placed.block
    kept = tuple(piece for piece in block.evidence if not _is_claim(piece, name, block_id))
    others = claimed(replace(block, evidence=kept))
    if placed.place == "low_value" and not others and block.origin == f"shared_from_{name}":
        return block.id
    why = Evidence(REVOKED, ref=f"{name}/{block_id}", at=now, quote=f"{name} stands behind this no more")
    own = max(block.verifications_local, others, min(block.verifications, 1))
    after = replace(
        block,
        evidence=(*kept, why)[-EVIDENCE_KEPT:],
        verifications=min(block.verifications, own) if placed.place != "low_value" else block.verifications,
        open_failures={**block.open_failures, f"revoked-by-{name}": now}
        if block.state == "reliable"
        else block.open_failures,
    )
    return Put(after, placed.path)
