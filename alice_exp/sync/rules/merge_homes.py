"""Three-way merge of all files of a home: blocks by id across files, records, configuration (issue 7).

The home is merged as a whole, because a block that one side moved to another file may have changed on the other side.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from alice_exp.kernel.jsonc.edits import edit
from alice_exp.kernel.jsonc.reader import parse
from alice_exp.kernel.value_class import sha256
from alice_exp.model.formats.record_import import timeline_edits
from alice_exp.model.formats.record_schema import (
    CONFIG_PATH,
    EPISODES,
    EPISODES_PATH,
    EVENTS_PATH,
    SEGMENTS,
    past_timeline,
    read_config,
)
from alice_exp.model.rules.ledger import agree, digest
from alice_exp.model.rules.lifecycle import Thresholds
from alice_exp.model.values.block import ASKED, MARKS, Block, Entry, holds_blocks
from alice_exp.model.values.records import Event, Segment, Timeline
from alice_exp.owner.rules import public_key, signature, verified
from alice_exp.sync.rules.merge_blocks import merge, unite
from alice_exp.sync.rules.merge_text import Files, Side, Sides, merge_document, merge_namespace


def merge_timelines(was: Timeline, frame: Timeline, other: Timeline) -> Timeline:
    """``frame`` with the thoughts that the other side added since ``was``, with new numbers, by time.

    A thought is new if its words stand neither in ``was`` nor in ``frame``: its number says little, for a merge before
    this one may have put older thoughts of a third side between. Of a segment that also contains older thoughts only
    the new ones are taken; those that are no longer kept word for word are counted under its summary. What stands on
    both sides to the letter is taken once. The counters include all of them.
    """
    new = _added(was, frame, other)
    numbered = tuple(replace(one, id=frame.next_id + place) for place, one in enumerate(new))
    told = _told_results(was, frame, other)
    segments = (*told, *numbered)
    # A person may have reordered the file by hand; then the new ones just go to the end.
    if list(told) == sorted(told, key=lambda one: one.start):
        segments = tuple(sorted(segments, key=lambda one: one.start))
    total = frame.total_events + sum(one.segment_length for one in new)
    compressions = frame.total_compressions + other.total_compressions - was.total_compressions
    return Timeline(
        frame.next_id + len(numbered), total, min(compressions, max(0, total - len(segments))), segments
    )


def _added(was: Timeline, frame: Timeline, other: Timeline) -> list[Segment]:
    """What ``other`` has that neither ``was`` nor ``frame`` has, oldest first."""
    before = [_bare(segment) for segment in was.segments]
    held = [_bare(segment) for segment in frame.segments]
    here = _without(_events(frame), _events(was))[0]
    known = _events(was)
    count = other.total_events - was.total_events
    rows: list[tuple[Segment, list[Event]]] = []
    for segment in other.segments:
        bare = _bare(segment)
        if bare in before:
            known = _without(known, segment.events)[0]
        elif bare in held:
            count -= segment.segment_length
        else:
            known, fresh = _without(known, segment.events)
            here, missing = _without(here, fresh)
            count -= len(fresh)
            rows.append((segment, missing))
    new: list[Segment] = []
    # What the words do not show is the newest of what the other side no longer keeps word for word.
    for segment, missing in reversed(rows):
        hidden = max(0, min(count, segment.segment_length - len(segment.events)))
        count -= hidden
        whole = len(missing) + hidden == segment.segment_length
        new = [*([segment] if whole else _parts(segment, missing, hidden)), *new]
    return new


def _parts(segment: Segment, events: Sequence[Event], hidden: int) -> list[Segment]:
    """Some thoughts of a segment one by one, before them as many as are only counted under its summary."""
    raw = [Segment(0, event.at, event.at, events=(event,)) for event in events]
    if not hidden:
        return raw
    end = raw[0].start if raw else segment.end
    start = min(segment.start, end)
    return [replace(segment, id=0, start=start, end=end, segment_length=hidden, events=()), *raw]


def _told_results(was: Timeline, frame: Timeline, other: Timeline) -> tuple[Segment, ...]:
    """The segments of ``frame``, with the results that only the other side has told of their thoughts since."""
    told = [event for event in _events(other) if event.result is not None]
    open_ = [event for event in _events(was) if event.result is None]

    def with_result(event: Event) -> Event:
        if event.result is not None or event not in open_:
            return event
        return next((one for one in told if _said(one) == _said(event)), event)

    if not told or not open_:
        return frame.segments
    return tuple(
        replace(one, events=tuple(map(with_result, one.events))) if one.events else one
        for one in frame.segments
    )


def _without(events: Sequence[Event], taken: Iterable[Event]) -> tuple[list[Event], list[Event]]:
    """``events`` without ``taken``, each once, and those of ``taken`` that were not among them."""
    left = [_said(event) for event in events]
    kept, rest = list(events), []
    for event in taken:
        if _said(event) in left:
            at = left.index(_said(event))
            del left[at], kept[at]
        else:
            rest.append(event)
    return kept, rest


def _said(event: Event) -> tuple[str, str, str, str]:
    """What makes a thought the same one: its result may have been told since."""
    return event.at, event.thought, event.context, event.action


def _events(timeline: Timeline) -> list[Event]:
    return [event for segment in timeline.segments for event in segment.events]


def _bare(segment: Segment) -> Segment:
    return replace(segment, id=0)


MergedFiles = tuple[dict[str, bytes], tuple[str, ...]]
"""The files of the merged home, and the ids of blocks whose text both sides changed."""


def merge_trees(
    was: Files, one: Files, other: Files, entries: Mapping[str, Entry] = MappingProxyType({})
) -> MergedFiles:
    """Merge two sides with the common ancestor ``was`` (no files: no shared history); symmetric in the two sides.

    ``entries`` are those of the merged ledger, which say what a person decided.
    ``ProblemError``, naming side, path and line, if a file cannot be read.
    """
    sides = Sides(Side("before", was), Side("here", one), Side("there", other))
    files: dict[str, bytes] = {}
    # Configuration first: the merged thresholds decide about the states of blocks.
    config = merge_document(CONFIG_PATH, sides)
    if config is not None:
        files[CONFIG_PATH] = config
    histories = (sides.was.blocks(), sides.one.blocks(), sides.other.blocks())
    thresholds = Thresholds.of(read_config(parse(config or b"{}", CONFIG_PATH))[0])
    merged, conflicts = merge(*histories, thresholds, entries)
    wanted: dict[str, list[Block]] = {}
    for placed in unite(merged, *histories, thresholds, sides.is_commented).values():
        wanted.setdefault(placed.path, []).append(placed.block)
    for path in sorted({*one, *other, *wanted} - {CONFIG_PATH}):
        data = _file(path, sides, wanted.get(path, []))
        if data is not None:
            files[path] = data
    return files, conflicts


def _file(path: str, sides: Sides, wanted: list[Block]) -> bytes | None:
    if holds_blocks(path):
        return merge_namespace(path, sides, wanted)
    was, one, other = (side.files.get(path) for side in (sides.was, sides.one, sides.other))
    if other == was:
        return one
    if one == was:
        return other
    if path == EVENTS_PATH and one is not None and other is not None:
        return _timelines(was, one, other)
    return merge_document(path, sides, EPISODES if path == EPISODES_PATH else "blocks")


def _timelines(was: bytes | None, one: bytes, other: bytes) -> bytes:
    base, x, y = (past_timeline(data or b"{}") for data in (was, one, other))
    # The longer timeline stays as it is; size and bytes only break ties, the same way on both machines.
    x_ahead = (x.total_events, len(one), one) >= (y.total_events, len(other), other)
    frame, side, data = (x, y, one) if x_ahead else (y, x, other)
    document = parse(data, EVENTS_PATH, SEGMENTS)
    merged = merge_timelines(base, frame, side)
    result = edit(document, timeline_edits(document, frame, merged))
    if past_timeline(result) != merged:
        raise AssertionError(f"merged {EVENTS_PATH} differs from what was meant")
    return result


_ROW = re.compile(r"^Alice-(Number|Machine|Signature): (\S+)$", re.MULTILINE)

LedgerHead = tuple[int, str, bool]
Entries = Mapping[str, Entry]
"""The entries of a ledger, by id."""

_HEIGHT: Final = ("forgotten", "rejected", "retired", "waiting", "trusted")


def merge_ledgers(was: Sequence[Entries], one: Entries, other: Entries) -> tuple[Entries, tuple[str, ...]]:
    """Merge two ledgers with the common ancestors ``was`` (none: no shared past); symmetric in the two sides.

    Returns all entries, and the ids that both machines decided on, each otherwise and unseen.
    """
    entries: dict[str, Entry] = {}
    asked: list[str] = []
    for block_id in sorted({*one, *other}):
        a, b = one.get(block_id), other.get(block_id)
        if a is None or b is None:
            entries[block_id] = a or b or Entry(block_id, "waiting")
            continue
        if block_id.startswith(MARKS):
            entries[block_id] = min(a, b, key=digest)
            continue
        held = _seen_by_the_other([past[block_id] for past in was if block_id in past], a, b)
        entries[block_id] = held or _lower(a, b)
        if held is None and not agree(a, b):
            asked.append(block_id)
    return entries, tuple(asked)


def _seen_by_the_other(seen: Sequence[Entry], one: Entry, other: Entry) -> Entry | None:
    """The entry that holds without a question; None if neither machine had seen the other's."""
    if gone := next((each for each in (one, other) if each.standing == "forgotten"), None):
        return gone if one.standing != other.standing else min(one, other, key=digest)
    if one == other or (other in seen and one not in seen) or one.replaced == digest(other):
        return one
    if (one in seen and other not in seen) or other.replaced == digest(one):
        return other
    return None


def _lower(one: Entry, other: Entry) -> Entry:
    """What holds of two entries of which neither had seen the other: composed alike on both machines."""
    low, high = sorted(
        (one, other), key=lambda each: (_HEIGHT.index(each.standing), each.content, digest(each))
    )
    if agree(one, other):
        return low
    held = replace(low, channel=ASKED, replaced=digest(high))
    if low.standing != "trusted":
        return held
    # Of two projects neither is the narrower one.
    apart = bool(one.project and other.project and one.project != other.project)
    return replace(
        held,
        standing="waiting" if apart else "trusted",
        # A block in personal leaves this person's machines for nobody, so that is the narrower set.
        path=min(one.path, other.path, key=lambda path: (not path.startswith("personal/"), path)),
        project=low.project or high.project,
        importance=min(one.importance, other.importance),
        shareable=one.shareable and other.shareable,
        replaces=tuple(sorted({*one.replaces, *other.replaces})),
        both=tuple(sorted({*one.both} & {*other.both})),
    )


def read_head(message: str, tree: str, parents: Sequence[str]) -> LedgerHead:
    """What a commit of a ledger with this message, tree and parents says of itself: its number (from 1; 0: none), the
    public key of the machine that signed it (64 hex digits; empty: nobody) and whether that signature is right."""
    rows = dict(_ROW.findall(message))
    number = int(rows["Number"]) if rows.get("Number", "").isdecimal() else 0
    machine = rows.get("Machine", "")
    if not re.fullmatch("[0-9a-f]{64}", machine):
        return number, "", False
    try:
        made = base64.b64decode(rows.get("Signature", ""), validate=True)
    except ValueError:
        made = b""
    return number, machine, verified(bytes.fromhex(machine), _text(tree, parents, number), made)


def signing_rows(seed: bytes, tree: str, parents: Sequence[str], number: int) -> str:
    """The rows by which a machine whose private key is ``seed`` signs a commit with this tree, parents and number."""
    made = base64.b64encode(signature(seed, _text(tree, parents, number))).decode()
    return f"Alice-Machine: {public_key(seed).hex()}\nAlice-Signature: {made}\n"


def _text(tree: str, parents: Sequence[str], number: int) -> bytes:
    return f"alice-exp ledger 1\ntree {tree}\nparents {' '.join(parents)}\nnumber {number}\n".encode()


def told_key(machine: str) -> str:
    """A machine's public key as people compare it: 20 letters of its SHA-256 (100 bits), in groups of four."""
    letters = base64.b32encode(sha256(bytes.fromhex(machine)).digest()).decode().lower()[:20]
    return "-".join(letters[at : at + 4] for at in range(0, 20, 4))
