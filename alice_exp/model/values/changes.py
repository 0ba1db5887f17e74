"""What an act changes, before and after it is written.

A use case computes a ``ChangeSet`` from a ``Snapshot``; the home turns it into bytes and one commit. ``--dry-run``,
the heartbeat's table and the commit therefore speak of one and the same value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from alice_exp.kernel.journal.act import Act
from alice_exp.kernel.jsonc.problem import Pointer
from alice_exp.model.values.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from alice_exp.kernel.jsonc.problem import Json
    from alice_exp.model.values.block import Block
    from alice_exp.model.values.records import EpisodeBook, Timeline


@dataclass(frozen=True, slots=True)
class Put:
    """The block as it shall be, and the file it shall be in.

    Where a block of that id exists, in this file or another, its own text is edited and moved with its comments;
    otherwise it is appended: as ``raw`` (text from history, comments included) where given, else freshly written.
    """

    block: Block
    path: str
    raw: str = ""
    raw_path: str = ""
    """The file that ``raw`` comes from: what it leaves unwritten follows from there."""
    whole: bool = False
    """Where the block stands in ``path`` already, its text and comments become ``raw`` instead of being edited."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One value of a document that holds no blocks (``config.jsonc``): set, or removed where ``value`` is None."""

    path: str
    pointer: Pointer
    value: Json


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """All that one act changes: blocks to be in place, ids to be gone, other values, new files."""

    act: Act
    puts: tuple[Put, ...] = ()
    removes: tuple[str, ...] = ()
    settings: tuple[Setting, ...] = ()
    episodes: EpisodeBook | None = None
    """The episodes as they shall be; ``None``: as they are."""
    timeline: Timeline | None = None
    """The segments as they shall be, likewise."""
    then: ChangeSet | None = None
    """A second act of one stream, on the records alone: what prunes or compacts what the first committed (DESIGN 5)."""
    texts: Mapping[str, str | None] = field(default_factory=dict)
    """Whole files, path to text (None: gone): new ones, and files that an undo takes back byte by byte."""
    seen: Mapping[str, str | None] = field(default_factory=dict)
    """What ``texts`` were planned on (None: no file): where a file holds something else by now, the act plans anew."""


R = TypeVar("R")
Plan: TypeAlias = Callable[[Snapshot], tuple["ChangeSet | None", R]]
"""Pure: from what one read saw to what shall change (None: nothing) and what to answer."""
