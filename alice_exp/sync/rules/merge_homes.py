"""Three-way merge of all files of a home: blocks by id across files, records, configuration (issue 7).

The home is merged as a whole, because a block that one side moved to another file may have changed on the other side.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from alice_exp.kernel.jsonc import edit, parse
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.formats.config_file import PATH as CONFIG
from alice_exp.model.formats.config_file import read_config
from alice_exp.model.formats.past_records import past_timeline
from alice_exp.model.formats.record_edits import timeline_edits
from alice_exp.model.formats.record_schema import (
    EPISODES,
    EPISODES_PATH,
    EVENTS_PATH,
    SEGMENTS,
)
from alice_exp.model.rules.lifecycle import Thresholds
from alice_exp.model.values.records import Timeline
from alice_exp.sync.rules.merge_blocks import merge
from alice_exp.sync.rules.merge_duplicates import unite
from alice_exp.sync.rules.merge_text import (
    Side,
    Sides,
    holds_blocks,
    merge_document,
    merge_namespace,
)
from alice_exp.sync.rules.merge_timelines import merge_timelines

if TYPE_CHECKING:
    from alice_exp.model.values.block import Block
    from alice_exp.sync.rules.merge_text import Files


@dataclass(frozen=True, slots=True)
class MergedFiles:
    """The files of the merged home, the ids of blocks whose text both sides changed, and of those that both decided on,
    each otherwise."""

    files: Mapping[str, bytes]
    conflicts: tuple[str, ...] = ()
    overruled: tuple[str, ...] = ()


def merge_trees(was: Files, one: Files, other: Files) -> MergedFiles:
    """Merge two sides with the common ancestor ``was`` (no files: no shared history); symmetric in the two sides.

    ``ProblemError``, naming side, path and line, if a file cannot be read.
    """
    sides = Sides(Side("before", was), Side("here", one), Side("there", other))
    files: dict[str, bytes] = {}
    # Configuration first: the merged thresholds decide about the states of blocks.
    config = merge_document(CONFIG, sides)
    if config is not None:
        files[CONFIG] = config
    histories = (sides.was.blocks(), sides.one.blocks(), sides.other.blocks())
    thresholds = _thresholds(config)
    merged = merge(*histories, thresholds)
    wanted: dict[str, list[Block]] = {}
    for placed in unite(merged.blocks, *histories, thresholds, sides.is_commented).values():
        wanted.setdefault(placed.path, []).append(placed.block)
    for path in sorted({*one, *other, *wanted} - {CONFIG}):
        data = _file(path, sides, wanted.get(path, []))
        if data is not None:
            files[path] = data
    return MergedFiles(files, merged.conflicts, merged.overruled)


def _thresholds(config: bytes | None) -> Thresholds:
    return Thresholds.of(read_config(parse(config or b"{}", CONFIG))[0])


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
    base, x, y = (_timeline(data) for data in (was, one, other))
    # The longer timeline stays as it is; size and bytes only break ties, the same way on both machines.
    x_ahead = (x.total_events, len(one), one) >= (y.total_events, len(other), other)
    frame, side, data = (x, y, one) if x_ahead else (y, x, other)
    document = parse(data, EVENTS_PATH, SEGMENTS)
    merged = merge_timelines(base, frame, side)
    result = edit(document, timeline_edits(document, frame, merged))
    if _timeline(result) != merged:
        raise AssertionError(f"merged {EVENTS_PATH} differs from what was meant")
    return result


def _timeline(data: bytes | None) -> Timeline:
    return past_timeline(data) if data is not None else Timeline()
