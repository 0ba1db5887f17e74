"""How each field of a block merges: one table, for two histories of one block and for an equal block folded into it.

``merged`` is what ``merge_blocks`` and ``merge_duplicates`` share; which text and which place hold, and the state that
follows from the counts, are theirs. A test holds the table against the fields of a block.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.block_schema import block_json
from alice_exp.model.rules.doubt import STILL_TRUE, kept_record, replayed
from alice_exp.model.values.block import EVIDENCE_KEPT, Block, Doubt, Evidence, Record

MISSING: Any = object()
"""Stands for a value that is not there."""


def merge(was: Any, one: Any, other: Any) -> Any:
    """Merge two JSON values: objects key by key, lists of records by id, others by which side changed them.

    If both sides changed a value, the larger one in canonical order stays.
    """
    if same(one, other) or same(other, was):
        return one
    if same(one, was):
        return other
    if isinstance(one, dict) and isinstance(other, dict):
        before = was if isinstance(was, dict) else {}
        keys = dict.fromkeys((*before, *sorted({*one, *other})))
        rows = ((k, merge(before.get(k, MISSING), one.get(k, MISSING), other.get(k, MISSING))) for k in keys)
        return {key: value for key, value in rows if value is not MISSING}
    if is_records(one) and is_records(other):
        return _records(was if is_records(was) else [], one, other)
    if one is MISSING or other is MISSING:
        return other if one is MISSING else one
    return max(one, other, key=canonical)


def _records(was: list[Any], one: list[Any], other: list[Any]) -> list[Any]:
    """Merge records by id: the old ones in their order, then the new ones by time."""
    b, x, y = ({item["id"]: item for item in listed} for listed in (was, one, other))
    merged = {
        key: merge(b.get(key, MISSING), x.get(key, MISSING), y.get(key, MISSING)) for key in {**b, **x, **y}
    }
    new = sorted((k for k in merged if k not in b), key=lambda k: (str(merged[k].get("at", "")), str(k)))
    return [merged[key] for key in (*b, *new) if merged[key] is not MISSING]


def is_records(value: Any) -> bool:
    """Whether a value is a list of objects that each have an id."""
    return isinstance(value, list) and all(isinstance(item, dict) and "id" in item for item in value)


def added(was: int | None, one: int, other: int) -> int:
    """What was there and what each side added; the higher where nothing is known of before (None)."""
    return max(one, other) if was is None else max(0, one + other - was)


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values, or absences, are equal but for the order of keys."""
    if one is MISSING or other is MISSING:
        return one is other
    return canonical(one) == canonical(other)


def canonical(value: Any) -> str:
    """A value as text that does not depend on the order of keys: what breaks ties alike on both machines."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)


def unordered(value: Any) -> str:
    """A value in canonical form with records by id, since their order follows from the text that was edited."""
    if isinstance(value, dict):
        return canonical({key: unordered(inner) for key, inner in value.items()})
    if value and is_records(value):
        return canonical({str(item["id"]): item for item in value})
    return canonical(value)


@dataclass(frozen=True, slots=True)
class Versions:
    """What both sides grew from (None: each created the block) and what each made of it; the side whose ``text`` stays
    and the one whose place, ``home``, holds."""

    was: Block | None
    one: Block
    other: Block
    text: Block
    home: Block


Rule = Callable[[Versions, str], Any]
"""The merged value of the field with this name."""


def _by_text(versions: Versions, name: str) -> Any:
    return getattr(versions.text, name)


def _by_place(versions: Versions, name: str) -> Any:
    return getattr(versions.home, name)


def _nothing(_versions: Versions, _name: str) -> None:
    return None


def _count(versions: Versions, name: str) -> int:
    was, one, other = _three(versions, name)
    return added(was, one, other)


def _highest(versions: Versions, name: str) -> Any:
    return max(getattr(versions.one, name), getattr(versions.other, name))


def _earliest(versions: Versions, name: str) -> str:
    return min(filter(None, (getattr(versions.one, name), getattr(versions.other, name))), default="")


def _words(versions: Versions, name: str) -> tuple[str, ...]:
    """A list merged as a set: without what either side removed, with what either added."""
    was, one, other = _three(versions, name)
    stay = [word for word in was or () if word in one and word in other]
    new = sorted({*one, *other} - {*(was or ())})
    return one if one == other else tuple(dict.fromkeys((*stay, *new)))


def _keyed(versions: Versions, name: str) -> Mapping[str, Any]:
    was, one, other = _three(versions, name)
    value: dict[str, Any] = merge(dict(was or {}), dict(one), dict(other))
    return value


def _settled(versions: Versions, name: str, decide: Callable[[Any, Any], Any]) -> Any:
    """The field of the side that changed it; the result of ``decide`` if both did."""
    was, one, other = _three(versions, name)
    if versions.was is not None and one == was:
        return other
    if one == other or (versions.was is not None and other == was):
        return one
    return decide(one, other)


def _later(versions: Versions, name: str) -> Any:
    ours = age(versions.one) >= age(versions.other)
    return _settled(versions, name, lambda one, other: one if ours else other)


def _both(versions: Versions, name: str) -> bool:
    return bool(_settled(versions, name, lambda one, other: one and other))


def _newest(versions: Versions, name: str) -> Any:
    return _settled(versions, name, lambda *sides: max(sides, key=lambda one: one.at if one else ""))


def _record(versions: Versions, name: str) -> Record | None:
    """Outcomes added up as counts are; None where neither side has any."""
    was, one, other = _three(versions, name)
    if one is None and other is None:
        return None
    before = (was or Record()) if versions.was is not None else None
    mine, yours = one or Record(), other or Record()
    return Record(
        added(before.ok if before else None, mine.ok, yours.ok),
        added(before.failed if before else None, mine.failed, yours.failed),
    )


def _evidence(versions: Versions, _name: str) -> tuple[Evidence, ...]:
    """The pieces of both sides by time, limited to the newest; repetitions on one side are kept."""
    was, one, other = versions.was, versions.one, versions.other
    if one.evidence == other.evidence and (was is None or was.evidence == one.evidence):
        return one.evidence
    pieces: list[tuple[str, str, Evidence]] = []
    for piece in dict.fromkeys((*one.evidence, *other.evidence)):
        x, y = one.evidence.count(piece), other.evidence.count(piece)
        before = was.evidence.count(piece) if was is not None else 0
        # Equal pieces added on each side are two events: the same outcome can happen twice in a second.
        times = x + y - before if was is not None and min(x, y) >= before else max(x, y)
        key = canonical([getattr(piece, each) for each in Evidence.__slots__])
        pieces += [(piece.at, key, piece)] * times
    return tuple(piece for *_, piece in sorted(pieces, key=lambda row: row[:2]))[-EVIDENCE_KEPT:]


def _doubt(versions: Versions, name: str) -> Doubt | None:
    """The doubt worked out anew over the pieces of both sides; a latch survives unless a later answer opened it
    (DESIGN 12.8)."""
    found: Doubt | None = _settled(versions, name, lambda *sides: _doubt_anew(versions, *sides))
    return found


def _doubt_anew(versions: Versions, one: Doubt | None, other: Doubt | None) -> Doubt | None:
    held = [doubt for doubt in (one, other) if doubt is not None]
    pieces = _evidence(versions, "evidence")
    doubt = replayed(pieces, _record(versions, "record") or kept_record(pieces))
    if doubt is None:
        return max(held, key=canonical, default=None)
    answered = max((piece.at for piece in pieces if piece.effect == STILL_TRUE), default="")
    was: Doubt | None = _three(versions, "doubt")[0]
    # What one side closed stays closed.
    closed = was.since if was is not None and any(one.since != was.since for one in held) else ""
    # The question of the first latch stands; a newcomer's test that began after the answer goes on where it is further.
    latched = min(
        (one for one in held if one.since > max(answered, closed)), key=lambda one: one.since, default=None
    )
    if latched is not None:
        doubt = replace(doubt, since=latched.since, asked=latched.asked, beside=latched.beside)
    test = max(held, key=lambda one: (one.against, one.rate))
    return doubt if answered or closed else replace(doubt, rate=test.rate, against=test.against)


def _three(versions: Versions, name: str) -> tuple[Any, Any, Any]:
    was = getattr(versions.was, name) if versions.was is not None else None
    return was, getattr(versions.one, name), getattr(versions.other, name)


_RULES: tuple[tuple[str, Rule, Rule], ...] = (
    ("id payload trigger type about", _by_text, _by_text),
    ("key project emotional_weight origin", _later, _by_text),
    ("state archived", _by_place, _by_place),
    ("approved", _by_place, _by_text),
    ("evidence", _evidence, _evidence),
    ("verifications verifications_local observations access_count", _count, _count),
    ("record", _record, _record),
    ("doubt", _doubt, _doubt),
    ("open_failures extra", _keyed, _keyed),
    ("tags related replaces both", _words, _words),
    ("importance", _later, _highest),
    ("shareable", _both, _by_text),
    ("created_at", _earliest, _earliest),
    ("updated_at last_accessed_at consolidation_score", _highest, _highest),
    ("reported", _newest, _by_text),
    ("suggested", _later, _later),
    ("entry", _nothing, _nothing),
)
FIELDS = {name: (whole, fold) for names, whole, fold in _RULES for name in names.split()}
"""What becomes of each field of ``Block``: of two histories of a block, and where ``other`` is folded into ``one``. The
state is that of the place that holds until the counts are known."""


def merged(versions: Versions) -> Block:
    """Two histories of one block, field by field."""
    return Block(**{name: rule(versions, name) for name, (rule, _) in FIELDS.items()})


def folded(first: Block, second: Block, shared: tuple[Block, ...]) -> Block:
    """``first`` with what ``second``, an equal block, adds to it; what both hold of ``shared`` already counts once."""
    pieces = tuple(piece for one in shared for piece in one.evidence)
    records = [one.record for one in shared if one.record is not None]
    was = Block(
        first.id,
        first.payload,
        evidence=pieces or tuple(piece for piece in first.evidence if piece in second.evidence),
        verifications=sum(one.verifications for one in shared),
        verifications_local=sum(one.verifications_local for one in shared),
        # Capturing a block is an observation that its count does not include.
        observations=sum(one.observations + 1 for one in shared) - 1,
        access_count=sum(one.access_count for one in shared),
        record=Record(sum(one.ok for one in records), sum(one.failed for one in records)),
    )
    versions = Versions(was, first, second, first, first)
    return Block(**{name: rule(versions, name) for name, (_, rule) in FIELDS.items()})


def parted(whole: Block, taken: Block) -> Block:
    """``whole`` without what it took in when ``taken``, as it was then, was folded into it: that stands alone again.

    State and doubt stay: both may have grown from what is gone, and only an act or a person lowers them.
    """
    pieces = list(whole.evidence)
    for piece in taken.evidence:
        if piece in pieces:
            pieces.remove(piece)
    mine, its = whole.record or Record(), taken.record or Record()
    record = Record(max(0, mine.ok - its.ok), max(0, mine.failed - its.failed))
    return replace(
        whole,
        evidence=tuple(pieces),
        verifications=max(0, whole.verifications - taken.verifications),
        verifications_local=max(0, whole.verifications_local - taken.verifications_local),
        # Capturing it was one observation more than its count.
        observations=max(0, whole.observations - taken.observations - 1),
        access_count=max(0, whole.access_count - taken.access_count),
        record=record if whole.record is not None else None,
    )


def age(block: Block) -> tuple[str, str]:
    """The order of two versions of a block: by update, then by content, so that both machines agree."""
    return block.updated_at, canonical(block_json(block, "universal"))
