"""The report without reading the trusted blocks: what it says of them is kept until one of them changes (DESIGN 9).

What is kept is derived and momentary: a name for everything that it follows from, and the few trusted blocks that a
report may speak of. Under another name it is not looked at, so that a wrong report cannot come of it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from alice_exp.core.model import Placed, content_hash, is_approved, place_of
from alice_exp.core.snapshot import NamespaceFile, Snapshot
from alice_exp.rules.agenda import together
from alice_exp.rules.conflicts import Kin
from alice_exp.rules.lifecycle import needs_review
from alice_exp.text.schema import block_json, read_block

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from alice_exp.core.act import Commit
    from alice_exp.core.model import Place
    from alice_exp.core.ports import Home
    from alice_exp.core.review_ports import Reports

NEAR: tuple[Place, ...] = ("low_value", "archive")
"""What a report always reads."""

_FAR: tuple[Place, ...] = ("personal", "universal")
_VERSION = 1
_AHEAD = timedelta(days=1)
"""How long what is kept stays valid although time passes: blocks that fade by then are kept too."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a report needs: a snapshot that holds every block that it may speak of, and what belongs together."""

    snapshot: Snapshot
    kin: tuple[Kin, ...]


def name(home: Home, near: Snapshot, waiting: Sequence[Placed], acts: Sequence[Commit]) -> str:
    """A name for all that the kept part follows from; empty where it cannot be told without reading the files."""
    mark = home.mark((*_FAR, "archive"))
    if not mark or near.problems:
        return ""
    candidates = [[p.block.id, content_hash(p.block), p.block.supersedes] for p in waiting]
    half_lives = sorted(near.config.half_life_days.items())
    whole = [_VERSION, mark, candidates, sorted(_spoken_of(acts)), half_lives]
    return sha256(json.dumps(whole).encode("utf-8", "surrogatepass")).hexdigest()


def recalled(reports: Reports, known_as: str, near: Snapshot, now: str) -> Seen | None:
    """What was kept under this name; None where there is nothing, or it is too old."""
    try:
        kept: Any = json.loads(reports.kept() or "{}")
        if not known_as or kept.get("name") != known_as or not kept["at"] <= now < kept["until"]:
            return None
        far = tuple(
            NamespaceFile(path, tuple(read_block(row, place_of(path)) for row in rows))
            for path, rows in kept["files"]
        )
        files = tuple(sorted((*near.files, *far), key=lambda file: file.path))
        whole = Snapshot(files, near.problems, near.head, near.config)
        placed = {one.block.id: one for one in whole}
        return Seen(whole, tuple(Kin(placed[a], placed[b], reason) for a, b, reason in kept["kin"]))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def keep(
    reports: Reports,
    known_as: str,
    seen: Snapshot,
    waiting: Sequence[Placed],
    acts: Sequence[Commit],
    now: str,
) -> tuple[Kin, ...]:
    """Work out what belongs together, and keep it with the trusted blocks that a report may speak of."""
    kin = together(waiting, list(seen.within(*_FAR)), seen)
    if not known_as or seen.problems:
        return kin
    named = _spoken_of(acts) | {pair.second.block.id for pair in kin}
    until = datetime.fromisoformat(now) + _AHEAD
    shortest = min(seen.config.half_life_days.values())
    quiet = (until - timedelta(days=shortest)).strftime("%Y-%m-%dT%H:%M:%SZ")
    files = [
        [
            file.path,
            [
                block_json(b, file.place)
                for b in file.blocks
                if _may_be_told(Placed(b, file.path), named, quiet)
            ],
        ]
        for file in seen.files
        if file.place in _FAR
    ]
    body = {
        "name": known_as,
        "at": now,
        "until": until.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "files": [row for row in files if row[1]],
        "kin": [[pair.first.block.id, pair.second.block.id, pair.reason] for pair in kin],
    }
    reports.keep(json.dumps(body))
    return kin


def _may_be_told(placed: Placed, named: set[str], quiet: str) -> bool:
    block = placed.block
    return (
        block.id in named
        or needs_review(block)
        or (placed.place == "universal" and not is_approved(placed))
        or (block.state == "reliable" and block.updated_at < quiet)
    )


def _spoken_of(acts: Iterable[Commit]) -> set[str]:
    """The blocks whose movement a report tells of."""
    moved = {
        block_id for act in acts if any(key == "Effect" for key, _ in act.trailers) for block_id in act.blocks
    }
    return moved | {value for act in acts for key, value in act.trailers if key == "Expired"}
