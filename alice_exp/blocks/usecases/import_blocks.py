"""Blocks as rows and as a page that leave a home; rows from another home, as candidates that claim their standing there
or as they are (DESIGN 7); other programs' memories, into the pool as ``possible``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from alice_exp.blocks.rules.memory_formats import Piece
from alice_exp.blocks.usecases.capture import Draft, memorize
from alice_exp.caller.acting import Caller, require_person
from alice_exp.home.file_home import Home
from alice_exp.kernel.journal.act import Act, Commit, committed
from alice_exp.kernel.jsonc import Json
from alice_exp.kernel.text.display import one_line, visible
from alice_exp.kernel.text.tokens import fingerprint_text
from alice_exp.kernel.value_class import dataclass
from alice_exp.model import documents
from alice_exp.model.formats.block_schema import block_json, block_of
from alice_exp.model.rules.identity import Rejections, sameness
from alice_exp.model.rules.private_facts import pool_path
from alice_exp.model.values.block import (
    CLAIM,
    EVIDENCE_KEPT,
    NAME,
    PLACES,
    REVIEWED,
    Block,
    Evidence,
    Payload,
    Place,
    Placed,
    Trigger,
    content_of,
    path_of,
)
from alice_exp.model.values.snapshot import ChangeSet, Put, Snapshot


def row_of(placed: Placed) -> dict[str, Json]:
    """A block's fields as its file has them, behind the set and the namespace that it is in."""
    return {"set": placed.place, "namespace": placed.namespace, **block_json(placed.block, placed.place)}


def placed_of(row: Mapping[str, Json]) -> Placed | str:
    """A row as a block in its place, or why it is none."""
    place, namespace = row.get("set"), row.get("namespace")
    if place not in PLACES or not isinstance(namespace, str) or not NAME.fullmatch(namespace):
        return 'a row has its "set" and "namespace", as "alice-exp export" writes them'
    block = block_of({key: value for key, value in row.items() if key not in ("set", "namespace")}, place)
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
    return content_of(
        block,
        id=block_id,
        evidence=(*block.evidence, claim)[-EVIDENCE_KEPT:],
        origin="import:alice",
        suggested=block.suggested or (placed.where if placed.place in ("personal", "universal") else ""),
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
        named = placed.where
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


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What came in, how many were here already, which were rejected here, and how many of the archive stayed out."""

    placed: tuple[Placed, ...] = ()
    known: int = 0
    refused: tuple[str, ...] = ()
    archived: int = 0
    commit: Commit | None = None


def take_in_blocks(home: Home, caller: Caller, rows: Sequence[Placed], *, as_mine: bool = False) -> TakenIn:
    """Take in exported blocks in one commit. A block whose texts are here already is left as it is.

    Without ``as_mine`` each becomes a candidate; what another home archived stays out, and what a person rejected here
    is refused. With it, a person's act, set, state, counts and approval are kept. Ids stay where they are free.
    """
    if as_mine:
        require_person(caller, "take blocks in as their own", "alice-exp import alice FILE --as-mine")

    def plan(snapshot: Snapshot) -> tuple[ChangeSet | None, TakenIn]:
        taken = _taken(snapshot, caller, rows, as_mine)
        puts = tuple(Put(one.block, one.path) for one in taken.placed)
        act = Act("import", caller.actor, caller.now, tuple(put.block.id for put in puts))
        return (ChangeSet(act, puts) if puts else None), taken

    return committed(home.apply(plan, REVIEWED))


def _taken(snapshot: Snapshot, caller: Caller, rows: Sequence[Placed], as_mine: bool) -> TakenIn:
    here = {sameness(one.block) for one in snapshot if as_mine or one.place != "archive"}
    ids = {one.block.id for one in snapshot}
    rejections = Rejections.within(snapshot)
    chosen: list[tuple[Placed, str]] = []
    names: dict[str, str] = {}
    known = archived = 0
    refused: list[str] = []
    for row in rows:
        same = sameness(row.block)
        rejected = None if as_mine else rejections.find(row.block.payload)
        if same in here:
            known += 1
        elif row.place == "archive" and not as_mine:
            archived += 1
        elif rejected is not None:
            refused.append(rejected.block.id)
        else:
            here.add(same)
            # Its own id where no block here has it.
            name = row.block.id
            while not name or name in ids:
                name = caller.new_id("exp")
            ids.add(name)
            # Two rows may have one id, or none; a reference means the first.
            names.setdefault(row.block.id or name, name)
            chosen.append((row, name))
    mine = ((renamed(replace(row.block, id=name), names), row.path) for row, name in chosen if as_mine)
    claims = (renamed(as_claim(row, name, caller.now), names) for row, name in chosen if not as_mine)
    placed = (
        *(Placed(block, path) for block, path in mine),
        *(Placed(block, pool_path(block, caller.day)) for block in claims),
    )
    return TakenIn(placed, known, tuple(refused), archived)


QUOTE = 300
"""The characters of the original text that are kept as evidence."""


def draft_of_piece(kind: str, path: str, piece: Piece) -> Draft:
    """A piece as a draft."""
    draft = Draft(
        Payload(piece.payload),
        Trigger(piece.trigger),
        type=piece.type,
        about=piece.about,
        tags=piece.tags,
        created_at=piece.at,
    )
    return with_origin(kind, path, piece.line, draft, piece.name)


def with_origin(kind: str, path: str, line: int, draft: Draft, name: str = "") -> Draft:
    """A draft with its origin, and with its source as evidence: the name that it had there, else file and line."""
    where = name or draft.key or f"{PurePath(path).name}:{line}"
    evidence = Evidence("import", f"{kind}:{where}", quote=one_line(draft.payload.content, QUOTE))
    return replace(draft, lived=False, origin=f"import:{kind}", evidence=(*draft.evidence, evidence))


def take_in(home: Home, caller: Caller, drafts: Sequence[Draft]) -> TakenIn:
    """Import drafts in one commit; those that an earlier import brought in are skipped."""
    seen = {_source_and_texts(placed.block) for placed in home.read(REVIEWED)}
    new = [draft for draft in drafts if _source_and_texts(draft) not in seen]
    if not new:
        return TakenIn(known=len(drafts))
    captured = memorize(home, caller, new, op="import", bulk=True)
    # Equal pieces of one file become one block, which appears once for each of them.
    placed = tuple({one.block.id: one for one in captured.placed if one is not None}.values())
    return TakenIn(placed, len(drafts) - len(new), captured.refused, commit=captured.commit)


def _source_and_texts(one: Block | Draft) -> tuple[str, str, str]:
    return one.origin, fingerprint_text(one.trigger.text), fingerprint_text(one.payload.content)
