"""Rules of an exchange with a peer: what is offered, admitted and revoked (R2.32, R2.45-R2.48, B2.38).

Format and rules are those of bundles (``rules.bundle``), split into pages that fit into messages. Revocations are
derived, not stored: whatever was sent to a peer and would not be sent in that form today.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from alice_exp.kernel.errors import PeerError, ProblemError, RefusedError
from alice_exp.kernel.jsonc import Json
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.block_schema import ID
from alice_exp.model.rules.approval import claimed
from alice_exp.model.rules.lifecycle import Thresholds
from alice_exp.model.values.block import (
    CLAIM,
    EVIDENCE_KEPT,
    Archived,
    Block,
    Evidence,
    Placed,
    content_hash,
    path_of,
)
from alice_exp.model.values.snapshot import Put, Snapshot
from alice_exp.sharing.rules.bundle import (
    FORMAT,
    VERSION,
    Offer,
    Received,
    Refusal,
    as_it_leaves,
    lacks,
    read_bundle,
    refuse_secrets,
)

PAGE = 512 * 1024
"""Maximum bytes of blocks per page: half the maximum size of a message."""

MOST_TAKEN = 1000
"""Maximum blocks taken from a peer in one exchange."""

MOST_WAITING = 200
"""Maximum candidates of one peer waiting for a decision, since a person has to read them."""

MOST_REVOKED = 2000
"""Maximum revocations in one exchange; the newest are kept."""

REVOKED = "revoked"
"""Kind of the evidence that a sender has revoked a block."""

Mark = tuple[str, str]
"""A sent block: its id at the sender and its content hash (hex)."""


@dataclass(frozen=True, slots=True)
class Offering:
    """Items offered, sorted by id, and allowed blocks withheld: id and reason (message template, values)."""

    items: tuple[Mapping[str, Json], ...]
    withheld: tuple[Refusal, ...] = ()


def marks_of(items: Iterable[Mapping[str, Json]]) -> tuple[Mark, ...]:
    """Id and content hash of items of a bundle, for the disclosure log."""
    return tuple((str(item["id"]), str(item["hash"])) for item in items)


def offering(snapshot: Snapshot) -> Offering:
    """All blocks that may leave to a peer (R2.46), as items of a bundle; none while ``sharing.enabled`` is off.

    A block that seems to contain a secret is withheld; the others are offered.
    """
    if not snapshot.config.flag("sharing.enabled"):
        return Offering(())
    thresholds = Thresholds.of(snapshot.config)
    items: list[Mapping[str, Json]] = []
    withheld: list[Refusal] = []
    going = (placed for placed in snapshot.within("universal") if not lacks(placed, thresholds))
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
    """The items as bundles of at most ``PAGE`` bytes (but at least one block) each; a single empty one for no items."""
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
    """Sent marks that would not be sent today, newest last, at most ``MOST_REVOKED``."""
    present = set(now)
    return tuple(dict.fromkeys(mark for mark in sent if mark not in present))[-MOST_REVOKED:]


def incoming(value: Json, name: str) -> Received:
    """Check a received page, attributed to the peer's name in this home, whatever it calls itself.

    Raises ``PeerError`` for something else than a bundle; an invalid block is refused by itself.
    """
    if not isinstance(value, dict):
        raise PeerError("what the peer offers is not a bundle")
    try:
        return read_bundle({**value, "from": name})
    except ProblemError as error:
        raise PeerError("{why}", why=str(error)) from error


def joined(name: str, received: Iterable[Received]) -> Received:
    """Several pages combined into one."""
    known = tuple(received)
    return Received(
        name,
        tuple(offer for one in known for offer in one.offers),
        tuple(row for one in known for row in one.refused),
    )


def admitted(received: Received, snapshot: Snapshot) -> Received:
    """The offers that are accepted: no duplicates, at most ``MOST_TAKEN``, at most ``MOST_WAITING`` waiting candidates.

    What was refuted or retired here is refused, so that a peer does not bring it back.
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
    """The revocations in a message; malformed entries are skipped. Raises ``PeerError`` if there are too many."""
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
    """Effect of a revocation: blocks to write and ids to remove."""

    puts: tuple[Put, ...] = ()
    removes: tuple[str, ...] = ()

    @classmethod
    def of(cls, changes: Iterable[Put | str]) -> Withdrawal:
        """What some blocks come to: one to write, or the id of one to remove."""
        listed = tuple(changes)
        puts = tuple(one for one in listed if isinstance(one, Put))
        return cls(puts, tuple(one for one in listed if isinstance(one, str)))

    @property
    def names(self) -> tuple[str, ...]:
        """The ids of all affected blocks."""
        return (*(put.block.id for put in self.puts), *self.removes)


def withdrawn(snapshot: Snapshot, name: str, revoked: Iterable[Mark], now: str) -> Withdrawal:
    """Apply a peer's revocations; applying them again changes nothing.

    A candidate that came from this peer and that no other peer claims is removed (git keeps it). An approved block, or
    one of our own, stays: evidence of the revocation replaces the claim, the count falls back to what was verified here
    or is claimed by others, and a reliable block is put up for review (B2.8). A block whose text was edited since has
    another content hash and is not affected.
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
    return Withdrawal.of(_without_claim(placed, name, block_id, now) for placed, block_id in found)


def taken_back(snapshot: Snapshot, name: str, now: str) -> Withdrawal:
    """Undo everything that came from a peer: remove candidates, archive approved blocks, withdraw its claims."""
    changes: list[Put | str] = []
    for placed in snapshot.within("low_value", "universal", "personal"):
        block = placed.block
        if block.origin != f"shared_from_{name}":
            if any(_is_claim(piece, name) for piece in block.evidence):
                changes.append(_without_claim(placed, name, "", now))
        elif placed.place == "low_value":
            changes.append(block.id)
        else:
            why = Evidence(REVOKED, ref=name, at=now, quote=f"{name} was forgotten with all that it shared")
            gone = replace(
                block,
                state="obsolete",
                evidence=(*block.evidence, why)[-EVIDENCE_KEPT:],
                archived=Archived(placed.where, now, "obsolete"),
                updated_at=now,
            )
            changes.append(Put(gone, path_of("archive", "obsolete")))
    return Withdrawal.of(changes)


def _is_claim(piece: Evidence, name: str, block_id: str = "") -> bool:
    if piece.kind != CLAIM:
        return False
    return piece.ref == f"{name}/{block_id}" if block_id else piece.ref.startswith(f"{name}/")


def _is_of(block: Block, name: str, block_id: str) -> bool:
    """Whether the block rests on a peer: by its claim or, if that was pushed out of the evidence, by its origin."""
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
