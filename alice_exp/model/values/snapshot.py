"""The state of a home at the time of one read, and the names by which callers mean its blocks and files."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cache
from itertools import chain
from typing import Any, Protocol, TypeAlias, TypeVar

from alice_exp.kernel.errors import Hint, Names, NotFoundError, UsageError
from alice_exp.kernel.journal.act import Act
from alice_exp.kernel.jsonc import Problem, first_error
from alice_exp.kernel.value_class import dataclass
from alice_exp.model.values.block import (
    BLOCK_TYPES,
    NAME,
    PLACES,
    SETS,
    Block,
    BlockType,
    Entry,
    Place,
    Placed,
    Standing,
    namespace_of,
    path_of,
    place_of,
)
from alice_exp.model.values.config import Config
from alice_exp.model.values.records import EPISODES_PATH, EpisodeBook, Timeline

R = TypeVar("R")

Span: TypeAlias = "tuple[str, str | float, str | float]"
"""A concern (``finding.rules.concerns``), and the times between which it is, these left out."""


class Unread(Sequence[Block]):
    """The blocks of a file that is known to be sound: it is read when somebody looks at them."""

    def __init__(self, read: Callable[[], Sequence[Block]]) -> None:
        self._read = cache(read)

    def __getitem__(self, at: Any) -> Any:
        return self._read()[at]

    def __len__(self) -> int:
        return len(self._read())


class Catalogue(Protocol):
    """Answers for the blocks of files without reading these."""

    def __call__(self, question: Callable[[Any], R], /) -> R | None:
        """What a question finds in the rows that describe them (``finding.store.index_query.Indexed``); None: not
        known, so that they have to be read."""


class Decisions(Protocol):
    """What a person decided, as the ledger says, whatever the files hold."""

    def rejection(self, text: str) -> Entry | None:
        """The entry of a rejected block that said the same, by its fingerprint; None if there is none."""

    def entry(self, block_id: str) -> Entry:
        """The newest entry of an id; ``ledger_entry.NONE`` if nobody decided."""

    def standings(self) -> Iterator[tuple[str, Standing]]:
        """Every id on which somebody decided, with what holds of it."""

    def asked(self) -> tuple[str, ...]:
        """The ids on which two machines decided otherwise, until the person decides again."""

    def copied(self) -> list[Entry]:
        """The entries that only a copy of the ledger has, fingerprints among them: offered, and never believed."""

    def let_go(self) -> None:
        """Forget the copies by a person's word; those that offer nothing any more go with the next act."""


@dataclass(frozen=True, slots=True)
class NamespaceFile:
    """One namespace file at the time of one read.

    ``stale`` is True if the file on disk has a problem, so that ``blocks`` come from its last good version.
    """

    path: str
    blocks: Sequence[Block]
    problems: tuple[Problem, ...] = ()
    stale: bool = False

    @property
    def place(self) -> Place:
        """The set (or the archive) that the path belongs to."""
        return place_of(self.path)

    @property
    def namespace(self) -> str:
        """The file's name without its suffix."""
        return namespace_of(self.path)

    def placed(self) -> Iterator[Placed]:
        """Its blocks with their place, in file order."""
        return (Placed(block, self.path, self.stale) for block in self.blocks)

    @property
    def is_unread(self) -> bool:
        """Whether a catalogue answers for the file."""
        return isinstance(self.blocks, Unread)


@dataclass(frozen=True)
class Snapshot:
    """Everything that one read found: files in path order, each block once, and all problems."""

    files: tuple[NamespaceFile, ...]
    problems: tuple[Problem, ...] = ()
    head: str = ""
    config: Config = field(default_factory=Config)
    episodes: EpisodeBook | None = None
    """The episodes if they were requested; None also if their file has a problem."""
    timeline: Timeline | None = None
    """The timeline, likewise."""
    catalogue: Catalogue | None = None
    """What answers for the files that are ``Unread``; None where there are none."""
    decisions: Decisions | None = field(default=None, compare=False)
    """The ledger; None where no home was read."""

    def __iter__(self) -> Iterator[Placed]:
        return chain.from_iterable(file.placed() for file in self.files)

    def within(self, *places: Place) -> Iterator[Placed]:
        """The blocks of the given sets, in file order."""
        return chain.from_iterable(file.placed() for file in self.files if file.place in places)

    def find(self, block_id: str) -> Placed | None:
        """The block with exactly this id, or None."""
        known = self._known(lambda rows: rows.starting_with(block_id))
        return next(self._among(known, lambda block: block.id == block_id), None)

    def starting_with(self, prefix: str) -> list[Placed]:
        """The blocks whose id starts with this, in file order."""
        known = self._known(lambda rows: rows.starting_with(prefix))
        return list(self._among(known, lambda block: block.id.startswith(prefix)))

    def marked(self, marks: Collection[int]) -> list[Placed]:
        """The blocks that have one of these marks (``rules.marks``), and others, in file order: few where a catalogue
        knows them, else all."""
        return list(self._among(self._known(lambda rows: rows.marked(marks))))

    def with_ids(self, ids: Collection[str]) -> dict[str, Placed]:
        """The blocks with these ids, by id."""
        known = self._known(lambda rows: rows.with_ids(ids)) if ids else ()
        return {placed.block.id: placed for placed in self._among(known, lambda block: block.id in ids)}

    def paths(self) -> dict[str, str]:
        """The file of every block, by id."""
        unread = [file.path for file in self.files if file.is_unread]
        known: Mapping[str, str] | None = self._known(lambda rows: rows.paths(unread))
        read = (file for file in self.files if known is None or not file.is_unread)
        return {**(known or {}), **{block.id: file.path for file in read for block in file.blocks}}

    def concerned(self, *spans: Span, most: int = -1) -> Iterator[Placed]:
        """The blocks with a concern (``rules.concerns``) in one of these spans, and others, in file order: few where a
        catalogue knows them, of these the latest ``most`` (-1: all) of each span, else all."""
        unread = [file.path for file in self.files if file.is_unread]
        return self._among(self._known(lambda rows: rows.concerned(unread, spans, most)))

    def record(self, path: str) -> EpisodeBook | Timeline | None:
        """The episodes or the timeline, by the path of their file; None if they were not requested or are broken."""
        return self.episodes if path == EPISODES_PATH else self.timeline

    def require_record(self, path: str) -> None:
        """Raise ``ProblemError`` if the record file that an act would write has a problem; it is left untouched."""
        if self.record(path) is not None:
            return
        fault = first_error(self.problems, path) or Problem.fault(path, "the file cannot be read")
        hint = "mend the file, then run the command again"
        raise fault.as_error("{message}; nothing was recorded", hint=hint)

    def rejected(self) -> Iterator[Placed]:
        """The rejected blocks of a snapshot that includes the archive."""
        files = (file for file in self.files if file.path == path_of("archive", "rejected"))
        return chain.from_iterable(file.placed() for file in files)

    def _known(self, question: Callable[[Any], R]) -> R | None:
        return self.catalogue(question) if self.catalogue else None

    def _among(
        self, known: Sequence[Placed] | None, fits: Callable[[Block], bool] = lambda _: True
    ) -> Iterator[Placed]:
        """The blocks of every file that fit; of a file that nobody read of those that are ``known``, unless that is
        None."""
        for file in self.files:
            blocks: Iterable[Block] = file.blocks
            if known is not None and file.is_unread:
                blocks = (placed.block for placed in known if placed.path == file.path)
            for block in filter(fits, blocks):
                yield Placed(block, file.path, file.stale)


@dataclass(frozen=True, slots=True)
class Put:
    """The desired state of a block and its file.

    If a block with that id exists, in this file or another, its text is edited and moved with its comments. Otherwise
    it is appended: as ``raw`` (its text in this file's history, with comments) if given, else newly formatted.
    """

    block: Block
    path: str
    raw: str = ""
    whole: bool = False
    """If the block is in ``path`` already, replace its text and comments by ``raw`` instead of editing them."""
    decided: bool = False
    """Whether the act is a person's word on what the block says now, so that the ledger trusts it."""


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """Everything that one act changes: blocks to put, ids to remove, records, whole files."""

    act: Act
    puts: tuple[Put, ...] = ()
    removes: tuple[str, ...] = ()
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


Plan: TypeAlias = Callable[[Snapshot], tuple["ChangeSet | None", R]]
"""A pure function from a snapshot to the change set (None: no change) and the answer. May be called repeatedly."""


_REFERENCE = re.compile(r"(exp-)?([a-z2-9]{1,8})")
_SET_NAMES: dict[str, Place] = {**{place: place for place in SETS}, "low_value_pool": "low_value"}


def resolve(snapshot: Snapshot, reference: str) -> Placed:
    """The block with this id, unique prefix of one, or the most trusted one with ``TYPE/KEY`` (R3.31).

    Raises ``UsageError`` if the reference is malformed or ambiguous, ``NotFoundError`` if it matches nothing.
    """
    if is_keyed(reference):
        block_type, _, key = reference.partition("/")
        named = [placed for placed in snapshot if (placed.block.type, placed.block.key) == (block_type, key)]
        if not named:
            raise NotFoundError("no block has the key {reference}", reference=reference)
        # There may be two: an approved one, and a newer version of it that waits in the pool.
        return min(named, key=lambda placed: PLACES.index(placed.place))
    wanted = prefix(reference)
    if found := snapshot.starting_with(wanted):
        return one_of(reference, wanted, found)
    from difflib import get_close_matches

    near = get_close_matches(wanted, [placed.block.id for placed in snapshot], n=1, cutoff=0.85)
    hint = "see 'alice-exp list', or 'alice-exp log' for the past"
    if near:
        hint = Hint("did you mean {value}?", value=near[0])
    raise NotFoundError("no block has the id {reference}", reference=reference, hint=hint)


def is_keyed(reference: str) -> bool:
    """Whether a reference has the form ``TYPE/KEY``, e.g. ``feature/async_io``."""
    return reference.partition("/")[0] in BLOCK_TYPES and not reference.endswith("/") and "/" in reference


def one_of(reference: str, wanted: str, found: Sequence[Placed]) -> Placed:
    """The only block among the candidates ``found``, or the one whose id is ``wanted``; raises like ``resolve``."""
    exact = [placed for placed in found if placed.block.id == wanted] or found
    if len(exact) == 1:
        return exact[0]
    few = Names(placed.block.id for placed in found[:4])
    raise UsageError("{reference} fits several blocks: {few}", reference=reference, few=few)


def prefix(reference: str) -> str:
    """A reference as a prefix of an id (``exp-`` may be omitted, but not before digits alone, which may
    number an item of the report); ``UsageError`` if it cannot be one."""
    fits = _REFERENCE.fullmatch(reference)
    if not fits:
        if reference.startswith("team-"):
            team = "{reference} is a team's: 'show' and 'project trust' tell of it in its repository's folder"
            raise UsageError(team, reference=reference)
        hint = "an id looks like exp-7k2m9q4x"
        raise UsageError("{reference} is not a block's id", reference=repr(reference), hint=hint)
    if reference.isdigit() and len(reference) < 8:
        # retire 3 after a report means its third item, not the block whose id happens to begin with 3.
        said = "{reference} may be a number in the report, or the beginning of an id"
        raise UsageError(said, reference=repr(reference), hint="write the id, as exp-7k2m9q4x")
    return f"exp-{fits[2]}"


def namespace_path(name: str, default_set: Place = "universal") -> str:
    """The path of the namespace ``SET/NAME`` or ``NAME``; ``UsageError`` if it is not a valid name."""
    head, slash, tail = name.partition("/")
    place = _SET_NAMES.get(head) if slash else default_set
    plain = tail if slash else head
    if place is not None and plain and not NAME.fullmatch(plain):
        hint = "names are lower-case letters, digits, - and _, at most 64"
        raise UsageError("{name} cannot name a namespace", name=repr(plain), hint=hint)
    if place is None or not plain or (plain in _SET_NAMES and not slash):
        hint = "write SET/NAME, as universal/tool_usage; sets are personal, universal and low_value"
        raise UsageError("{name} is not a namespace", name=repr(name), hint=hint)
    return path_of(place, plain)


def namespace_name(path: str) -> str:
    """The namespace name for a path: ``universal/tool_usage``."""
    return path.removesuffix(".jsonc").replace("low_value_pool/", "low_value/")


def type_named(name: str) -> BlockType:
    """The block type with this name; ``UsageError`` if there is none."""
    if name in BLOCK_TYPES:
        return name
    raise UsageError(
        "{name} is not a type", name=repr(name), hint=Hint("types are {names}", names=Names(BLOCK_TYPES))
    )
