"""Blocks as they leave a home and come back: rows of fields, and a page of Markdown to read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from alice_exp.kernel.jsonc.problem import Json
from alice_exp.kernel.text.display import visible
from alice_exp.model import documents
from alice_exp.model.formats.block_fields import NAME
from alice_exp.model.formats.block_schema import block_json, block_of
from alice_exp.model.rules.peer_claims import CLAIM
from alice_exp.model.values.block import EVIDENCE_KEPT, PLACES, Block, Evidence, Place, Placed, path_of

ORIGIN = "import:alice"
"""The origin of a block that came out of another home."""


def row_of(placed: Placed) -> dict[str, Json]:
    """A block's fields as its file has them, behind the set and the namespace that it is in."""
    return {"set": placed.place, "namespace": placed.namespace, **block_json(placed.block, placed.place)}


def placed_of(row: Mapping[str, Json]) -> Placed | str:
    """A row as a block in its place, or why it is none."""
    place, namespace = row.get("set"), row.get("namespace")
    if place not in PLACES or not isinstance(namespace, str) or not NAME.fullmatch(namespace):
        return 'a row has its "set" and "namespace", as "alice-exp export" writes them'
    fields = {key: value for key, value in row.items() if key not in ("set", "namespace")}
    block = block_of(fields, place)
    return block if isinstance(block, str) else Placed(block, path_of(place, namespace))


def as_claim(placed: Placed, block_id: str, now: str) -> Block:
    """What came from another home as a candidate: its texts, evidence and times; its standing there as one claim.

    The newest evidence is kept where there is more than a block holds. Nothing of it is trusted: possible, 0 verified.
    """
    block = placed.block
    standing = [
        f"{block.verifications} verified there",
        f"{block.state} in {placed.place}/{placed.namespace}",
    ]
    if block.approved is not None:
        standing.append(f"approved {block.approved.at[:10]} by {block.approved.by}")
    claim = Evidence(CLAIM, f"alice/{block.id}", now, ", ".join(standing))
    return Block(
        id=block_id,
        payload=block.payload,
        trigger=block.trigger,
        key=block.key,
        type=block.type,
        about=block.about,
        evidence=(*block.evidence, claim)[-EVIDENCE_KEPT:],
        importance=block.importance,
        emotional_weight=block.emotional_weight,
        project=block.project,
        tags=block.tags,
        related=block.related,
        replaces=block.replaces,
        origin=ORIGIN,
        suggested=block.suggested
        or (f"{placed.place}/{placed.namespace}" if placed.place == "universal" else ""),
        created_at=block.created_at or now,
        updated_at=block.updated_at or block.created_at or now,
        extra=block.extra,
    )


def renamed(block: Block, names: Mapping[str, str]) -> Block:
    """The block with its references to others under the ids that those have here."""
    related, replaces, both = (
        tuple(names.get(one, one) for one in ids) for ids in (block.related, block.replaces, block.both)
    )
    return replace(block, related=related, replaces=replaces, both=both)


def markdown(found: Iterable[Placed], say: Callable[..., str], rendered: Callable[[str], str]) -> str:
    """A page: a namespace a section, a block a bullet, its evidence below it; ``say`` and ``rendered`` translate."""
    lines: list[str] = []
    section = ""
    for placed in found:
        named = f"{placed.place}/{placed.namespace}"
        if named != section:
            lines += ["", f"## {named}", ""] if lines else [f"## {named}", ""]
            section = named
        when, what = documents.trigger_text(placed), documents.payload_text(placed)
        text = " ".join((f"**{when}**: {what}" if when else what).split())
        block = placed.block
        verified = say("{count} verified", count=block.verifications)
        lines.append(f"- {text} ({block.id}, {say(block.state)}, {verified})")
        for piece in block.evidence:
            lines.append(f"  - {' '.join(documents.evidence_whole(piece, word_of=rendered).split())}")
    return visible("\n".join(lines)) + "\n" if lines else ""


def exported(home: Iterable[Placed], places: tuple[Place, ...]) -> list[Placed]:
    """The blocks of these sets, in the order of sets, files and blocks."""
    rank = {place: index for index, place in enumerate(places)}
    return sorted(
        (one for one in home if one.place in rank), key=lambda one: (rank[one.place], one.namespace)
    )
