"""What passes between Alices: values of peers; bundles, blocks that may leave as readable JSON, and their checking.

Files and peers use the same format: a versioned JSON document with an allow-list of fields (R2.32, R2.46, R2.47, B2.37,
B2.38; DESIGN 6). A received bundle is untrusted: its texts are data, its counts claims, and nothing in it takes effect
without a decision here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import cast

from alice_exp.kernel.errors import Hint, ProblemError, RefusedError
from alice_exp.kernel.jsonc import Json
from alice_exp.kernel.text.display import escaped_json
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.block_schema import ID, block_json, block_of
from alice_exp.model.formats.field_readers import TIME, Fault
from alice_exp.model.rules.approval import claimed
from alice_exp.model.rules.lifecycle import DEFAULT, PROMOTED, Thresholds, level
from alice_exp.model.rules.secrets import Finding, findings
from alice_exp.model.values.block import (
    CLAIM,
    EVIDENCE_KEPT,
    NAME,
    Block,
    Evidence,
    Placed,
    content_hash,
    content_of,
    is_approved,
)

Message = Mapping[str, Json]
"""One message between two Alices: a JSON object."""

Refusal = tuple[str, str, Mapping[str, object]]
"""A block's id, and why it does not pass: a message template and its values."""

PEER_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,50}")
"""Allowed names of peers; a name becomes part of ``shared_from_NAME``, of paths and of commits."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A paired Alice, under the name it has in this home.

    ``id`` is the SHA-256 (hex) of its ``certificate`` (PEM); ``address`` is where it last answered, ``host:port``.
    """

    name: str
    id: str
    certificate: str
    paired_at: str
    address: str = ""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An announcement seen on the network: random ``instance`` name and addresses (``host:port``).

    ``name`` is the known peer its ``hint`` matches, empty for none; a hint proves nothing. ``invites`` is the number of
    an open invitation, 0 for none.
    """

    instance: str
    addresses: tuple[str, ...]
    hint: str = ""
    invites: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class Disclosure:
    """A log entry: when (ISO-8601 UTC) and to whom data left, how (``file``, ``peer``, ``sync``), SHA-256 of the bytes.

    ``blocks`` are ids with content hashes, in the order sent.
    """

    at: str
    to: str
    way: str
    digest: str
    blocks: tuple[tuple[str, str], ...]

    @property
    def row(self) -> dict[str, Json]:
        """The entry as it stands in the log, and as ``share log`` tells it."""
        blocks: list[Json] = [{"id": block_id, "hash": digest} for block_id, digest in self.blocks]
        return {"at": self.at, "to": self.to, "way": self.way, "sha256": self.digest, "blocks": blocks}


FORMAT = "alice-exp bundle"
VERSION = 1

CONTENT = ("type", "trigger", "payload", "tags")
"""Fields of a block that leave unchanged. ``about`` is not among them: only blocks about work leave."""

FIELDS = ("id", *CONTENT, "verifications", "evidence", "hash")
"""All fields a block in a bundle may have. ``verifications`` counts only those made in the sender's own home."""

QUOTED = ("kind", "at", "quote", "effect")
"""All fields of evidence in a bundle: no reference, and no scenario, which may be a customer's name."""

PIECES = 5
"""Number of pieces of evidence that leave with a block, the newest ones."""

MOST_BLOCKS = 10_000
MOST_TEXT = 16_000
"""Maximum characters of all texts in one received block."""
MOST_CLAIMED = 1_000_000
"""Maximum of a claimed count; anything larger is refused."""


_OF_WORK = ("note", "outcome", "episode", "event")
"""Kinds of evidence that may leave; quotes of a person, a file or another sender stay here."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """An outgoing bundle: the sender's name, the blocks, and the exact text."""

    name: str
    blocks: tuple[Block, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Offer:
    """A received block (with the sender's id) and the number of verifications the sender claims."""

    block: Block
    claimed: int


@dataclass(frozen=True, slots=True)
class Received:
    """A checked bundle: sender, offers, and refused blocks with their reason (message template, values)."""

    name: str
    offers: tuple[Offer, ...]
    refused: tuple[Refusal, ...] = ()


def lacks(placed: Placed, thresholds: Thresholds = DEFAULT) -> tuple[str, ...]:
    """The reasons why a block may not leave, as message templates; empty if it may (R2.46, B2.18, B2.38).

    Verifications are counted in this home alone: a count must not gain weight by being passed on from peer to peer.
    """
    block = placed.block
    reasons = {
        _missing("personal never leaves"): placed.place == "personal",
        _missing("it is not in universal"): placed.place not in ("personal", "universal"),
        _missing("it is about you"): block.about == "user",
        _missing("it is not approved as it stands"): not is_approved(placed),
        _missing("it is not allowed"): not block.shareable,
        _missing("it has too few verifications in this home"): block.verifications_local
        < thresholds.super_reliable,
        _missing("it is not super_reliable"): level(block, thresholds) != "super_reliable",
    }
    return tuple(reason for reason, holds in reasons.items() if holds)


def _missing(reason: str) -> str:
    """The reason itself; the call marks it as a message for the translation catalog."""
    return reason


def bundle(name: str, placed: Iterable[Placed], thresholds: Thresholds = DEFAULT) -> Bundle:
    """All blocks that may leave, sorted by id; the same blocks give the same text, byte for byte.

    Raises ``RefusedError``, naming block and field, if something looks like a secret.
    """
    going = sorted((one for one in placed if not lacks(one, thresholds)), key=lambda one: one.block.id)
    items = [as_it_leaves(one.block) for one in going]
    for item in items:
        refuse_secrets(item)
    whole = {"format": FORMAT, "version": VERSION, "from": name, "blocks": items}
    # What a preview would hide is escaped: all that leaves can be seen.
    text = escaped_json(json.dumps(whole, ensure_ascii=False, indent=2)) + "\n"
    return Bundle(name, tuple(one.block for one in going), text)


def refuse_secrets(item: Mapping[str, Json]) -> None:
    """Raise ``RefusedError`` for the first thing in an item that looks like a secret, naming block and field."""
    for place, text in _texts({key: value for key, value in item.items() if key not in ("id", "hash")}):
        for found in findings(text):
            raise RefusedError(
                "{id} does not leave: {place} holds {what} ({start})",
                id=item["id"],
                place=place,
                what=found.what,
                start=beginning(text, found),
                hint=Hint(
                    "word it otherwise with 'alice-exp edit {id}', or keep it here with 'alice-exp share deny {id}'",
                    id=item["id"],
                ),
            )


def as_it_leaves(block: Block) -> dict[str, Json]:
    """A block in the form it has in a bundle."""
    written = block_json(block, "universal")
    item: dict[str, Json] = {"id": block.id, "type": block.type}
    item.update({key: written[key] for key in CONTENT if key in written})
    item["verifications"] = block.verifications_local
    pieces = [
        piece for piece in block.evidence if piece.quote and piece.kind in _OF_WORK and "#" not in piece.ref
    ][-PIECES:]
    if pieces:
        item["evidence"] = [
            {name: getattr(piece, name) for name in QUOTED if getattr(piece, name)} for piece in pieces
        ]
    item["hash"] = content_hash(block)
    return item


def read_bundle(value: Json, path: str = "") -> Received:
    """Check a bundle's JSON value; an invalid block is refused by itself.

    Raises ``ProblemError`` (naming ``path``) for something else than a bundle, another version, or too many blocks.
    """
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise ProblemError("this is not a bundle of alice-exp", path=path)
    if value.get("version") != VERSION:
        raise ProblemError(
            "this bundle has version {version}; version {known} is read here",
            version=value.get("version"),
            known=VERSION,
            path=path,
        )
    name, items = value.get("from"), value.get("blocks")
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise ProblemError("the bundle does not say who it is from, or not by a name", path=path)
    if not isinstance(items, list) or len(items) > MOST_BLOCKS:
        raise ProblemError('a bundle has "blocks", {most} at most', most=MOST_BLOCKS, path=path)
    offers: list[Offer] = []
    refused: list[Refusal] = []
    for number, item in enumerate(items, start=1):
        said = item.get("id") if isinstance(item, dict) else None
        which = said if isinstance(said, str) and ID.fullmatch(said) else f"block {number}"
        try:
            offers.append(_offer(item, name))
        except Fault as why:
            refused.append((which, why.template, why.values))
    return Received(name, tuple(offers), tuple(refused))


def _offer(item: Json, name: str) -> Offer:
    if not isinstance(item, dict):
        raise Fault("it is not a block")
    for key in item:
        if key not in FIELDS:
            raise Fault('"{key}" has no place in a bundle', key=key[:40])
    if not isinstance(item.get("id"), str) or not ID.fullmatch(str(item["id"])):
        raise Fault("its id is malformed")
    claimed = item.get("verifications")
    if isinstance(claimed, bool) or not isinstance(claimed, int) or not 1 <= claimed <= MOST_CLAIMED:
        raise Fault("its count of verifications is not between 1 and {most}", most=MOST_CLAIMED)
    if sum(len(text) for _, text in _texts(item)) > MOST_TEXT:
        raise Fault("it says more than {most} characters", most=MOST_TEXT)
    block = block_of({key: item[key] for key in ("id", *CONTENT) if key in item}, "universal")
    if isinstance(block, str):
        raise Fault("{why}", why=block)
    if item.get("hash") != content_hash(block):
        raise Fault("it does not say what its hash covers")
    return Offer(replace(block, evidence=_pieces(item.get("evidence"), name)), claimed)


def _pieces(value: Json, name: str) -> tuple[Evidence, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) > PIECES:
        raise Fault("its evidence is not a list of at most {most}", most=PIECES)
    pieces = []
    for one in value:
        fits = isinstance(one, dict) and all(
            key in QUOTED and isinstance(text, str) for key, text in one.items()
        )
        said = cast("dict[str, str]", one) if fits else {}
        at = said.get("at", "")
        if not said or (at and not TIME.fullmatch(at)):
            raise Fault("a piece of its evidence says what has no place in a bundle")
        # The effect is dropped: an outcome at the sender must not count as one here.
        pieces.append(Evidence("shared", ref=name, at=at, quote=said.get("quote", "")))
    return tuple(pieces)


def candidate(offer: Offer, name: str, block_id: str, now: str) -> Block:
    """A received block as a candidate of this home: possible, unverified, with its origin and the sender's claim."""
    dated = (replace(piece, at=piece.at or now) for piece in offer.block.evidence)
    return content_of(
        offer.block,
        id=block_id,
        about="work",
        evidence=(*dated, claim(offer, name, now)),
        origin=f"shared_from_{name}"[: len("shared_from_") + 64],
        created_at=now,
        updated_at=now,
    )


def claim(offer: Offer, name: str, now: str) -> Evidence:
    """The sender's count as a piece of evidence, for the person to read."""
    quote = f"{offer.claimed} verified there: a claim of {name}"
    return Evidence(CLAIM, f"{name}/{offer.block.id}", now, quote)


def merged(block: Block, offer: Offer, name: str, now: str, thresholds: Thresholds = DEFAULT) -> Block | None:
    """An approved block the sender has too, with the higher of both counts (R2.47); None if nothing changes.

    The badge is not inherited: if the claim alone would earn it, one success here is required first.
    """
    if offer.claimed <= block.verifications:
        return None
    new = [claim(offer, name, now)]
    before = level(block, thresholds)
    after = replace(block, verifications=offer.claimed)
    if level(after, thresholds) != before:
        new.append(Evidence(PROMOTED, at=now, quote=f"{before} → {before}"))
    return replace(after, evidence=(*block.evidence, *new)[-EVIDENCE_KEPT:])


def noted(block: Block, offer: Offer, name: str, now: str) -> Block | None:
    """A candidate the sender has too, with the claim added to its evidence; None if it is there already."""
    if offer.claimed <= claimed(block, name):
        return None
    return replace(block, evidence=(*block.evidence, claim(offer, name, now))[-EVIDENCE_KEPT:])


def beginning(text: str, found: Finding) -> str:
    """The first characters of what was found: enough to search for it, too little to read it."""
    return f"{text[found.start :][:4]}…" if found.end - found.start > 8 else "…"


def _texts(value: object, place: str = "") -> Iterator[tuple[str, str]]:
    """Every text in a JSON value with its place, e.g. ``payload.steps[2]``; keys of objects are texts too."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            below = f"{place}.{key}" if place else str(key)
            yield below, str(key)
            yield from _texts(inner, below)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _texts(inner, f"{place}[{index}]")
