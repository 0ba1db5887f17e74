"""Blocks as texts of their own: rows of fields and a page of Markdown that leave a home and come back, and one block
for an editor, cut from its file, then parsed, checked and completed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from alice_exp.kernel.jsonc import Document, cut, edit, parse
from alice_exp.kernel.jsonc.scan import Json, Problem, only_errors
from alice_exp.kernel.text.display import visible
from alice_exp.kernel.value_class import dataclass
from alice_exp.model import documents
from alice_exp.model.formats.block_schema import NAME, block_json, block_of, read_blocks
from alice_exp.model.formats.field_readers import problem_at
from alice_exp.model.rules.adoption import completed
from alice_exp.model.rules.approval import CLAIM
from alice_exp.model.values.block import (
    EVIDENCE_KEPT,
    PLACES,
    Block,
    Evidence,
    Place,
    Placed,
    content_of,
    path_of,
)

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
        origin=ORIGIN,
        suggested=block.suggested or (placed.where if placed.place == "universal" else ""),
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


# The text is parsed inside a file of its own, so that it is checked by the same rules as a whole file.
_FRAME = '{{\n"blocks": [\n{}\n]\n}}\n'
_ABOVE = 2
"""The lines of the frame above the block's text."""

_BY_ACTS_ALONE = ("approved", "archived")


@dataclass(frozen=True, slots=True)
class Alone:
    """An edited block: the block and its text with comments, or the problems (``block`` is ``None`` then); none of them
    where nothing but comments and blanks is left. Lines of problems count from the text's first."""

    block: Block | None
    raw: str = ""
    problems: tuple[Problem, ...] = ()


def read_alone(text: str, old: Placed, now: str) -> Alone:
    """Read the edited text of ``old``: checked like a file, and completed with its id and times.

    ``updated_at`` follows a change of content (DESIGN 3). A change of the id, or of fields that only acts may write
    (approval, archiving), is a problem.
    """
    document = parse(_FRAME.format(text).encode("utf-8", "surrogatepass"), old.path)
    if document.problem is not None:
        return Alone(None, problems=(_above(document.problem),))
    value = document.value
    listed = value.get("blocks") if isinstance(value, dict) else None
    if listed == []:
        return Alone(None)
    if not isinstance(listed, list) or len(listed) != 1 or list(value) != ["blocks"]:  # type: ignore[arg-type]
        return Alone(None, problems=(_fault(document, (), "this is one block: what stands in { … }"),))
    blocks, problems = read_blocks(document)
    faults = tuple(_above(problem) for problem in only_errors(problems))
    if faults or not blocks:
        return Alone(None, problems=faults)
    return _checked(document, blocks[0], old, now)


def _checked(document: Document, block: Block, old: Placed, now: str) -> Alone:
    if block.id not in ("", old.block.id):
        fault = _fault(document, ("id",), "an id stays what it is: {id}", id=old.block.id)
        return Alone(None, problems=(fault,))
    for name in _BY_ACTS_ALONE:
        if getattr(block, name) != getattr(old.block, name):
            fault = _fault(
                document, (name,), '"{name}" is written by acts alone; leave it as it was', name=name
            )
            return Alone(None, problems=(fault,))
    edits = completed(0, block, old.block.id, old, now)
    if edits:
        document = parse(edit(document, edits), old.path)
        block = read_blocks(document)[0][0]
    return Alone(block, cut(document, ("blocks", 0)).text)


def _above(problem: Problem) -> Problem:
    return replace(problem, line=max(1, problem.line - _ABOVE))


def _fault(document: Document, below: tuple[str, ...], template: str, **values: object) -> Problem:
    return _above(problem_at(document, ("blocks", 0, *below), template, values))
