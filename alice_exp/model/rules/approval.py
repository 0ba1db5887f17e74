"""What a person's hand does to blocks: an approval, the claims of peers counted in, an edit of a file (DESIGN 3, 5, 6).

A hand-written block needs only a payload: id and times are filled in, a dropped id is restored if its trigger, and what
is told beside it, still match, and a copy that says something else gets an id of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from alice_exp.kernel.jsonc.document import Document
from alice_exp.kernel.jsonc.edits import Edit, Remove, Set
from alice_exp.kernel.text.data_files import LazyPattern
from alice_exp.kernel.value_class import attributes
from alice_exp.model.values.block import (
    CLAIM,
    CONFIDENCE,
    Approved,
    Block,
    Placed,
    content_hash,
    is_approved,
    place_of,
)

Standing = Literal["approved", "edited", "unsigned", "waiting"]
"""``edited``: the content differs from what the file calls approved. ``unsigned``: the file calls it approved, or it is
personal, and the ledger does not trust it. ``waiting``: not approved."""


def approved_now(block: Block, at: str, by: str) -> Block:
    """The block with a person's approval of its present content."""
    digest, approved = content_hash(block), block.approved
    report = approved.report if approved is not None and approved.hash == digest else ""
    return replace(block, approved=Approved(at, by, digest, report))


def kept_here(was: Placed, block: Block) -> Block:
    """A block as an approval leaves it: one that was not trusted does not leave, whatever its file says; only
    "share allow" lets it."""
    return replace(block, shareable=block.shareable and is_approved(was))


def standing(placed: Placed) -> Standing:
    """The approval status of a block in ``personal/`` or ``universal/``, for reports (``Standing``)."""
    block = placed.block
    if is_approved(placed):
        return "approved"
    if block.approved is None:
        # Taken in with the home: the ledger trusts it, and no file says so.
        is_bound = block.entry is not None and block.entry.content == content_hash(block)
        return "unsigned" if placed.place == "personal" or is_bound else "waiting"
    return "unsigned" if block.approved.hash == content_hash(block) else "edited"


def started(block: Block) -> Block:
    """A block as an approval starts it: past with at least one verification, since the person's yes is the first
    evidence (DESIGN 12.2). What it failed at before a person looked is answered by the approval."""
    block = replace(block, open_failures={}, doubt=None)
    if block.state != "possible":
        return block
    return replace(block, state="past", verifications=max(1, block.verifications))


_CLAIMED = LazyPattern(r"(\d{1,7}) verified there")


def claimed(block: Block, name: str = "") -> int:
    """The highest count that any sender (or the one named) claims for a block; 0 if none does."""
    counts = [
        int(found[1])
        for piece in block.evidence
        if piece.kind == CLAIM
        and piece.ref.startswith(f"{name}/" if name else "")
        and (found := _CLAIMED.match(piece.quote))
    ]
    return max(counts, default=0)


def accepted(block: Block) -> Block:
    """A received candidate after a person approved it, with the higher of our count and the claims (B2.38).

    Its state stays, because only successes here raise it, and so does ``verifications_local``.
    """
    return replace(block, verifications=max(block.verifications, claimed(block)))


class Adoption(NamedTuple):
    """The adoption of one file: the edits that complete it, the ids of the blocks that are new, changed or removed, how
    many of each there are in words, and the trailers by which the next report names what it has to say of them."""

    edits: list[Edit]
    blocks: tuple[str, ...]
    detail: str
    trailers: tuple[tuple[str, str], ...]


_BELIEVED = ("personal", "universal")


def adopt(
    document: Document,
    blocks: tuple[Block, ...],
    before: Mapping[str, Placed],
    elsewhere: Collection[str],
    now: str,
    new_id: Callable[[Block], str],
    copies: Collection[str] = (),
) -> Adoption:
    """Complete a hand-edited file.

    ``before`` is every block of the last commit, by id; ``elsewhere`` are the ids in other files now. ``copies`` are
    the ids of blocks that stand in another file and say something else here: these are new blocks.
    """
    edits: list[Edit] = []
    new: list[str] = []
    changed: list[str] = []
    raised: list[str] = []
    kept: dict[str, Block] = {}
    present = {block.id for block in blocks} | set(elsewhere)
    regained = _regained(document.path, blocks, before, present)
    for index, block in enumerate(blocks):
        is_copy = block.id in copies
        block_id = "" if is_copy else block.id or regained.get(index, "")
        block_id = block_id or new_id(block)
        old = before.get(block_id)
        if old is not None and old.path != document.path and block.id in elsewhere and not is_copy:
            # The same words stand where they were, too.
            continue
        # Checked before anything else is made, since it holds for most blocks of any file.
        is_whole = bool(block.id and block.created_at and block.updated_at)
        if old is not None and is_whole and old.path == document.path and old.block == block:
            continue
        if old is None:
            new.append(block_id)
        elif old.block != block or old.path != document.path:
            changed.append(block_id)
            kept[block_id] = block
        if raises_trust(block, old, document.path):
            raised.append(block_id)
        present.add(block_id)
        edits += completed(index, replace(block, id="") if is_copy else block, block_id, old, now)
    gone = [p.block.id for p in before.values() if p.path == document.path and p.block.id not in present]
    counts = ((new, "new"), (changed, "changed"), (gone, "removed"))
    detail = ", ".join(f"{len(ids)} {verb}" for ids, verb in counts if ids)
    typed = (one for one in new if place_of(document.path) in _BELIEVED and one not in raised)
    told = (("Raised", raised), ("Typed", typed), ("Withdrawn", withdrawn(before, (*changed, *gone), kept)))
    trailers = tuple((name, one) for name, ids in told for one in ids)
    return Adoption(edits, (*new, *changed, *gone), detail or "comments and layout", trailers)


def withdrawn(
    before: Mapping[str, Placed], ids: Collection[str], kept: Mapping[str, Block] = MappingProxyType({})
) -> tuple[str, ...]:
    """Those of some blocks that an edit changed (``kept``: into what) or removed, and a secret or a private fact of
    which stands in them no more."""
    from alice_exp.model.rules.private_facts import is_left_behind

    return tuple(one for one in ids if is_left_behind(before[one].block, kept.get(one)))


def raises_trust(block: Block, old: Placed | None, path: str) -> bool:
    """Whether a hand edit gave a block more trust than acts had: by state, count, permission to share, or set.

    A new block that a person types into personal raises nothing, since it is the person's word. ``old`` is the block
    before (None if it is new), ``path`` its present file.
    """
    if old is None:
        base, place = Block(block.id, block.payload, state="past", verifications=1), place_of(path)
        if place != "personal":
            base = replace(base, state="possible", verifications=0)
    else:
        base, place = old.block, old.place
    return (
        CONFIDENCE[block.state] > CONFIDENCE[base.state]
        or block.verifications > base.verifications
        or block.verifications_local > max(base.verifications_local, base.verifications if old is None else 0)
        or (block.shareable and not base.shareable)
        or (old is not None and place in ("low_value", "archive") and place_of(path) in _BELIEVED)
    )


def _occasion(block: Block) -> tuple[object, ...]:
    return (block.trigger.text, block.trigger.keywords, tuple(block.trigger.context))


def _essence(block: Block) -> tuple[object, ...]:
    return (block.payload, _occasion(block))


def _regained(
    path: str, blocks: tuple[Block, ...], before: Mapping[str, Placed], present: Collection[str]
) -> dict[int, str]:
    """The ids that the edit dropped from this file, by the index of the block that had each one.

    First what says the same, then what has the same trigger and stands in the same order among such. Without a trigger
    the order alone tells, and only where the whole file was rewritten and some other block of it was known again.
    """
    lost = {known: old.block for known, old in before.items() if old.path == path and known not in present}
    nameless = {index: block for index, block in enumerate(blocks) if not block.id}
    found: dict[int, str] = {}
    has_ids = len(nameless) < len(blocks)
    for key in (_essence, _occasion):
        places, ids = defaultdict[Any, list[int]](list), defaultdict[Any, list[str]](list)
        for index, block in nameless.items():
            places[key(block)].append(index)
        for known, block in lost.items():
            ids[key(block)].append(known)
        for value, indexes in places.items():
            is_told = any(value) or (found and not has_ids)
            if key is _essence or (is_told and len(ids[value]) == len(indexes)):
                found.update(zip(indexes, ids[value], strict=False))
        taken = {*found.values()}
        nameless = {index: block for index, block in nameless.items() if index not in found}
        lost = {known: block for known, block in lost.items() if known not in taken}
    return found


def completed(index: int, block: Block, block_id: str, old: Placed | None, now: str) -> list[Edit]:
    """The edits that give a block what it lacks of id and times; ``updated_at`` follows a change of content, and what
    a report showed is as the last act left it."""
    at = ("blocks", index)
    edits: list[Edit] = []
    if not block.id:
        edits.append(Set((*at, "id"), block_id))
    if not block.created_at:
        edits.append(Set((*at, "created_at"), (old.block.created_at if old else "") or now))
    edited = old is not None and content_hash(old.block) != content_hash(block)
    if not block.updated_at or (edited and old is not None and old.block.updated_at == block.updated_at):
        edits.append(Set((*at, "updated_at"), now if edited or not old else old.block.updated_at or now))
    shown = old.block.reported if old else None
    # A decision is bound to it, and only a report knows what it showed; what git brings back from a set it showed once.
    if block.reported != shown and (old is None or old.place == "low_value"):
        mark = (*at, "reported")
        edits.append(Set(mark, attributes(shown, "report at hash")) if shown else Remove(mark))
    return edits
