"""Change sets: what an act is to change, as a value.

A use case computes a ``ChangeSet`` from a ``Snapshot``; the home turns it into bytes and one commit. Thus
``--dry-run``, the heartbeat's table and the commit all show the same value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from alice_exp.kernel.journal.act import Act
from alice_exp.kernel.jsonc.problem import Json, Pointer
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.snapshot import Snapshot

if TYPE_CHECKING:
    from alice_exp.model.values.block import Block
    from alice_exp.model.values.ledger_entry import Entry
    from alice_exp.model.values.records import EpisodeBook, Timeline


@dataclass(frozen=True, slots=True)
class Put:
    """The desired state of a block and its file.

    If a block with that id exists, in this file or another, its text is edited and moved with its comments. Otherwise
    it is appended: as ``raw`` (text from history, with comments) if given, else newly formatted.
    """

    block: Block
    path: str
    raw: str = ""
    raw_path: str = ""
    """The file that ``raw`` comes from, which determines the defaults of fields that it leaves out."""
    whole: bool = False
    """If the block is in ``path`` already, replace its text and comments by ``raw`` instead of editing them."""
    decided: bool = False
    """Whether the act is a person's word on what the block says now, so that the ledger trusts it."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One value of a document without blocks (``config.jsonc``): set, or removed if ``value`` is None."""

    path: str
    pointer: Pointer
    value: Json


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """Everything that one act changes: blocks to put, ids to remove, other values, whole files."""

    act: Act
    puts: tuple[Put, ...] = ()
    removes: tuple[str, ...] = ()
    settings: tuple[Setting, ...] = ()
    episodes: EpisodeBook | None = None
    """The new episodes; None if they do not change."""
    timeline: Timeline | None = None
    """The segments as they shall be, likewise."""
    then: ChangeSet | None = None
    """A second act on the records only, which prunes or compacts what the first committed; both land (DESIGN 5)."""
    texts: Mapping[str, str | None] = field(default_factory=dict)
    """Whole files, path to text (None: removed): new ones, and files that an undo restores byte for byte."""
    seen: Mapping[str, str | None] = field(default_factory=dict)
    """The contents (None: no file) on which ``texts`` are based; if a file differs by now, the act is planned again."""
    decided: tuple[Entry, ...] = ()
    """What the ledger says of blocks that the act puts nowhere: a team's, or such as no file holds."""


R = TypeVar("R")
Plan: TypeAlias = Callable[[Snapshot], tuple["ChangeSet | None", R]]
"""A pure function from a snapshot to the change set (None: no change) and the answer. May be called repeatedly."""
